"""Training pictures for the locator: synthetic scenes, kept on disk in the form the networks want.

A stored scene (`<seed>.npz`) holds the frame at the network's size with the laid tiles' corners,
and straightened crops around some tiles and some empty cells beside them. Every sample drawn from
it is warped and recoloured anew, so a few thousand scenes last for hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks import make_deck
from models.train.scenes import Scene, make_scene
from vision.geometry.lattice import apply_homography, homography
from vision.locate.cell_classifier import CELL_PX, SPAN
from vision.locate.edge_regressor import BINS, STRIP_WH, bin_centres, side_points, strip_grid
from vision.locate.heatmap import NET_WH, STRIDE, UNIT_PX, shape_of, view_of

CROP_PX = 112
CROP_SPAN = (-0.5, 1.5)
"""Span of a stored crop in cells, along both axes; its own cell is 0 to 1."""
TILES_A_SCENE, BARE_A_SCENE = 7, 8
"""Number of crops stored of each scene: tiles, and bare cells beside the board (bays between tiles first)."""
SIZES_WH = ((1280, 720), (1280, 720), (960, 720), (1920, 1080))
PATCH_WH = (352, 224)
"""Width and height of a training patch of the heat map, in pixels at the network's scale."""
PLAIN_SEEDS = 100_000
"""First seed of the scenes with plain faces: fields of one colour side by side."""
_CROP_LATTICE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@dataclass(frozen=True)
class Stored:
    """One scene as kept on disk.

    picture uint8 (384, 640, 3); quads float (n, 4, 2) net pixels; seen float (n,) visible share;
    crops uint8 (m, 112, 112, 3); present bool (m,).
    """

    picture: NDArray[np.uint8]
    quads: NDArray[np.float64]
    seen: NDArray[np.float64]
    crops: NDArray[np.uint8]
    present: NDArray[np.bool_]


def random_table(rng: np.random.Generator, plain: bool) -> Scene:
    """A table of any size and deck; with ``plain`` a large board of plain faces."""
    size_wh = SIZES_WH[int(rng.integers(len(SIZES_WH)))]
    if not plain:
        return make_scene(rng, size_wh)
    deck = make_deck(rng, 40, 128, "plain").faces
    return make_scene(rng, size_wh, deck, int(rng.integers(9, 61)))


def store_scene(folder: Path, seed: int) -> Path:
    """Makes the scene of this seed and writes it (nothing is done when it is there already)."""
    target = folder / f"{seed:07d}.npz"
    if target.exists():
        return target
    rng = np.random.default_rng([seed, 1905])
    scene = random_table(rng, plain=seed >= PLAIN_SEEDS)
    image = np.ascontiguousarray(scene.image)
    tiles = [tile for tile in scene.tiles if tile.in_frame > 0.02]
    corners = np.array([tile.corners_px for tile in tiles], dtype=np.float64).reshape(-1, 4, 2)
    view = view_of(image)
    quads = view.to_net(corners.reshape(-1, 2)).reshape(-1, 4, 2)
    crops, present = _crops(rng, image, scene, corners)
    fresh = target.with_suffix(".tmp.npz")
    np.savez(
        fresh,
        picture=packed(view.picture),
        quads=quads.astype(np.float32),
        seen=np.array([tile.visible * tile.in_frame for tile in tiles], dtype=np.float32),
        crops=packed(crops.reshape(-1, CROP_PX, 3)) if len(crops) else np.zeros(0, np.uint8),
        present=present,
    )
    fresh.replace(target)
    return target


def load_scene(path: Path) -> Stored:
    """Reads what `store_scene` wrote."""
    with np.load(path) as data:
        present = data["present"]
        crops = np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
        if len(present):
            crops = unpacked(data["crops"]).reshape(-1, CROP_PX, CROP_PX, 3)
        return Stored(
            unpacked(data["picture"]),
            data["quads"].astype(np.float64),
            data["seen"].astype(np.float64),
            crops,
            present,
        )


def packed(picture: NDArray[np.uint8], quality: int = 96) -> NDArray[np.uint8]:
    """A picture as the bytes (n,) of a JPEG file."""
    code = cv2.imencode(".jpg", np.ascontiguousarray(picture), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return code.reshape(-1).astype(np.uint8)


def unpacked(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture that `packed` made these bytes of."""
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)


def _crops(
    rng: np.random.Generator, image: NDArray[np.uint8], scene: object, corners: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    tiles = [tile for tile in scene.tiles if tile.in_frame > 0.02]  # type: ignore[attr-defined]
    quads: list[NDArray[np.float64]] = []
    present: list[bool] = []
    good = [i for i, t in enumerate(tiles) if t.in_frame > 0.99 and t.visible > 0.5]
    for index in rng.permutation(good)[:TILES_A_SCENE]:
        quads.append(corners[index])
        present.append(True)
    # Empty cells beside the board, and places half a tile off the lattice, hold no tile's side.
    cells = {tile.cell for tile in tiles}
    if len(tiles) >= 2 and quads:
        # Corners are named from the tile's own north-west: turned back into the lattice's order.
        lattice = np.concatenate([_CROP_LATTICE + np.array(t.cell) for t in tiles])
        pixels = np.concatenate([np.roll(corners[i], t.rot // 90, axis=0) for i, t in enumerate(tiles)])
        H = homography(lattice, pixels)
        steps = ((1, 0), (0, 1), (-1, 0), (0, -1))
        beside = sorted({(x + dx, y + dy) for x, y in cells for dx, dy in steps} - cells)
        closed = [sum((x + dx, y + dy) in cells for dx, dy in steps) for x, y in beside]
        by_bays = np.argsort(-(np.array(closed) + 1.5 * rng.random(len(beside))))
        for pick in by_bays[:BARE_A_SCENE]:
            quads.append(apply_homography(H, _CROP_LATTICE + np.array(beside[pick])))
            present.append(False)
    crops = [_straight(image, quad) for quad in quads]
    stacked = np.stack(crops) if crops else np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
    return stacked, np.array(present, dtype=bool)


def _straight(image: NDArray[np.uint8], quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    unit = (_CROP_LATTICE - CROP_SPAN[0]) / (CROP_SPAN[1] - CROP_SPAN[0]) * CROP_PX - 0.5
    H = homography(quad, unit)
    side = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1).mean()
    finer = side / (CROP_PX / (CROP_SPAN[1] - CROP_SPAN[0]))
    source = image
    if finer > 1.5:
        factor = round(finer)
        source = cv2.resize(
            image, (image.shape[1] // factor, image.shape[0] // factor), interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
        H = H @ np.array([[factor, 0, (factor - 1) / 2], [0, factor, (factor - 1) / 2], [0, 0, 1.0]])
    return cv2.warpPerspective(
        source, H, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.uint8)


def recoloured(rng: np.random.Generator, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Another light, another sensor: gains, contrast, gamma, dim rooms, noise, now and then grey."""
    levels = np.arange(256, dtype=np.float64) / 255.0
    gamma, contrast, bright = rng.uniform(0.7, 1.4), rng.uniform(0.7, 1.25), rng.uniform(-0.12, 0.12)
    gains = rng.uniform(0.82, 1.18, 3)
    table = ((levels[:, None] * gains) ** gamma - 0.4) * contrast + 0.4 + bright
    lut = np.clip(table * 255.0, 0, 255).astype(np.uint8).reshape(1, 256, 3)
    out = cv2.LUT(picture, lut)
    if rng.random() < 0.25:
        out = out[..., rng.permutation(3)]
    if rng.random() < 0.08:
        out = np.repeat(cv2.cvtColor(np.ascontiguousarray(out), cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2)
    if rng.random() < 0.2:
        out = cv2.GaussianBlur(np.ascontiguousarray(out), (0, 0), rng.uniform(0.4, 1.3))
    if rng.random() < 0.4:
        # A room in the evening: little light, and a sensor that makes noise of it, coarser in its colours.
        out = np.ascontiguousarray(out * np.exp(rng.uniform(np.log(0.4), 0.0)))
        blotches = rng.normal(0, 1, (out.shape[0] // 2 + 1, out.shape[1] // 2 + 1, 3)).astype(np.float32)
        coarse = cv2.resize(blotches, (out.shape[1], out.shape[0]), interpolation=cv2.INTER_LINEAR)
        fine = rng.normal(0, 1, (*out.shape[:2], 1))
        strength = rng.uniform(1, 8) * np.sqrt(0.4 + out / 100.0)
        out = np.clip(out + strength * (fine + rng.uniform(0.2, 1.0) * coarse), 0, 255)
    elif rng.random() < 0.3:
        out = np.clip(out + rng.normal(0, rng.uniform(1, 7), out.shape), 0, 255)
    return np.ascontiguousarray(out, dtype=np.uint8)


def warped_frame(
    rng: np.random.Generator,
    picture: NDArray[np.uint8],
    quads: NDArray[np.float64],
    size_wh: tuple[int, int] = PATCH_WH,
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A part of the frame turned, mirrored, zoomed and tilted; the quads (n, 4, 2) with it.

    The network is convolutional: parts around the board teach as much as whole frames, sooner.
    """
    middle = np.array(size_wh) / 2.0
    focus = rng.uniform(0.1, 0.9, 2) * np.array(NET_WH)
    if len(quads) and rng.random() < 0.85:
        focus = quads[int(rng.integers(len(quads)))].mean(axis=0)
    turn = rng.uniform(-np.pi, np.pi)
    zoom = np.exp(rng.uniform(np.log(0.7), np.log(1.8)))
    if len(quads):
        side = float(np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).mean())
        zoom = float(np.clip(zoom, 12.0 / side, 110.0 / side))
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    cos, sin = zoom * np.cos(turn), zoom * np.sin(turn)
    M = np.array([[cos * mirror, -sin, 0.0], [sin * mirror, cos, 0.0], [0.0, 0.0, 1.0]])
    tilt = np.eye(3)
    tilt[2, :2] = rng.uniform(-1.0, 1.0, 2) * 2.5e-4
    goal = middle + rng.uniform(-0.3, 0.3, 2) * np.array(size_wh)
    to_focus, to_goal = np.eye(3), np.eye(3)
    to_focus[:2, 2] = -focus
    to_goal[:2, 2] = goal
    H = to_goal @ tilt @ M @ to_focus
    border = cv2.BORDER_CONSTANT if rng.random() < 0.3 else cv2.BORDER_REPLICATE
    out = cv2.warpPerspective(picture, H, size_wh, flags=cv2.INTER_LINEAR, borderMode=border)
    return out.astype(np.uint8), apply_homography(H, quads.reshape(-1, 2)).reshape(-1, 4, 2)


def heat_targets(
    quads: NDArray[np.float64], seen: NDArray[np.float64], size_wh: tuple[int, int] = PATCH_WH
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Targets (9, h, w) at a quarter of ``size_wh`` in the order of `vision.locate.heatmap.CHANNELS`, and
    the weight (h, w) of the regressed ones."""
    width, height = size_wh[0] // STRIDE, size_wh[1] // STRIDE
    target = np.zeros((9, height, width), np.float32)
    weight = np.zeros((height, width), np.float32)
    grid_x, grid_y = np.meshgrid(np.arange(width), np.arange(height))
    face = np.zeros((height * 2, width * 2), np.uint8)
    for quad, share in zip(quads, seen, strict=True):
        if share < 0.05:
            continue
        # Twice the map's resolution, then averaged: a soft border where a cell is half a face.
        points = np.round(((quad - (STRIDE - 1) / 2.0) / STRIDE * 2 + 0.5) * 16).astype(np.int32)
        cv2.fillConvexPoly(face, points, 255, cv2.LINE_AA, 4)
    target[2] = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA) / 255.0
    for quad, share in zip(quads, seen, strict=True):
        cells = (quad - (STRIDE - 1) / 2.0) / STRIDE
        along = ((quad[1] + quad[2] - quad[0] - quad[3]) / 2.0) / UNIT_PX
        down = ((quad[2] + quad[3] - quad[0] - quad[1]) / 2.0) / UNIT_PX
        a = np.array([complex(*along)])
        b = np.array([complex(*down)])
        # In the map's cells; a small tile keeps a peak of its own, a big one is not a needle.
        sigma = max(0.75, 0.09 * float(np.sqrt(abs(a[0]) * abs(b[0]))) * UNIT_PX / STRIDE)
        for corner in cells:
            if share > 0.2:
                _splat(target[1], corner, max(0.75, 0.6 * sigma))
        if share < 0.25:
            continue
        middle = cells.mean(axis=0)
        bump = _splat(target[0], middle, sigma)
        if bump is None:
            continue
        rows, cols, heat = bump
        stronger = heat > weight[rows, cols]
        p, q = shape_of(a, b)
        values = (None, None, p[0].real, p[0].imag, q[0].real, q[0].imag)
        target[3][rows, cols][stronger] = ((middle[0] - grid_x[rows, cols]) * STRIDE / UNIT_PX)[stronger]
        target[4][rows, cols][stronger] = ((middle[1] - grid_y[rows, cols]) * STRIDE / UNIT_PX)[stronger]
        for channel, value in enumerate(values):
            if value is not None:
                target[3 + channel][rows, cols][stronger] = value
        weight[rows, cols][stronger] = heat[stronger]
    weight[weight < 0.1] = 0.0
    return target, weight


def _splat(
    heat: NDArray[np.float32], at: NDArray[np.float64], sigma: float
) -> tuple[slice, slice, NDArray[np.float32]] | None:
    """Draws a bump into the map where it is stronger than what is there."""
    height, width = heat.shape
    radius = int(np.ceil(3 * sigma))
    x, y = round(float(at[0])), round(float(at[1]))
    rows = slice(max(y - radius, 0), min(y + radius + 1, height))
    cols = slice(max(x - radius, 0), min(x + radius + 1, width))
    if rows.start >= rows.stop or cols.start >= cols.stop:
        return None
    dy = np.arange(rows.start, rows.stop)[:, None] - at[1]
    dx = np.arange(cols.start, cols.stop)[None] - at[0]
    bump = np.exp(-(dx**2 + dy**2) / (2 * sigma**2)).astype(np.float32)
    np.maximum(heat[rows, cols], bump, out=heat[rows, cols])
    return rows, cols, bump


def side_samples(
    rng: np.random.Generator, crop: NDArray[np.uint8], present: bool
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Four strips of one crop as a wrong first guess would cut them.

    Returns strips uint8 (4, 32, 64, 3), each end's true place across as soft bins (4, 2, BINS)
    (zeros: not asked), and whether a laid tile's side is in the strip (4,).
    """
    span = CROP_SPAN[1] - CROP_SPAN[0]
    off_lattice = present and rng.random() < 0.22
    spread = float(rng.choice([0.02, 0.05, 0.09]))
    shift = rng.uniform(-2.2, 2.2, 2) * spread
    turn = rng.normal(0, 0.8 * spread)
    size = float(np.exp(rng.normal(0, spread * 0.8)))
    if off_lattice:
        # A lattice that is none: shifted, turned, of another size. Its sides are no tile's sides.
        kind = int(rng.integers(3))
        if kind == 0:
            shift = rng.uniform(-1.0, 1.0, 2)
            shift = shift / np.abs(shift).max() * rng.uniform(0.33, 0.5)
        elif kind == 1:
            turn = rng.choice([-1.0, 1.0]) * rng.uniform(0.35, 0.79)
            shift = rng.uniform(-0.4, 0.4, 2)
        else:
            size = float(rng.choice([rng.uniform(0.45, 0.62), rng.uniform(1.35, 1.6)]))
            shift = rng.uniform(-0.15, 0.15, 2)
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    guess = (_CROP_LATTICE - 0.5) * size @ rotate.T + 0.5 + shift
    guess = guess + rng.normal(0, spread * 0.35, (4, 2))
    if present and rng.random() < 0.15:
        crop = _plain(rng, crop)
    if present and rng.random() < 0.45:
        crop = _with_gap(rng, crop)
    if rng.random() < 0.5:
        crop = crop[:, ::-1]  # mirrored, the straight tile is a straight tile
    to_crop = homography(_CROP_LATTICE, guess)
    width, height = STRIP_WH
    unit = side_points(strip_grid().reshape(-1, 2)).reshape(-1, 2)
    where = (apply_homography(to_crop, unit) - CROP_SPAN[0]) / span * CROP_PX - 0.5
    maps = where.reshape(-1, width, 2).astype(np.float32)
    xs, ys = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
    strips = cv2.remap(
        recoloured(rng, crop), xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).reshape(4, height, width, 3)
    places = np.zeros((4, 2, BINS), np.float32)
    held = np.zeros(4, np.float32)
    if present and not off_lattice:
        true_square = apply_homography(np.asarray(np.linalg.inv(to_crop), np.float64), _CROP_LATTICE)
        for side in range(4):
            offsets = _across_at_ends(true_square, side)
            if np.abs(offsets).max() < 0.262:
                places[side] = _soft_bins(offsets)
                held[side] = 1.0
            else:
                held[side] = -1.0  # out of the strip's reach: says nothing either way
    return strips.astype(np.uint8), places, held


def cell_sample(
    rng: np.random.Generator, crop: NDArray[np.uint8], present: bool
) -> tuple[NDArray[np.uint8], float]:
    """One cell uint8 (48, 48, 3) as a lattice would cut it, and whether it is one laid tile.

    A tile cut by a lattice that is none (shifted, turned, skewed, of another size) is no tile.
    """
    if present and rng.random() < 0.2:
        crop = _plain(rng, crop)
    if present and rng.random() < 0.3:
        crop = _with_gap(rng, crop)
    if not present and rng.random() < 0.3:
        crop = _ruled(rng, crop)
    shift = rng.normal(0, 0.025, 2)
    turn, size = float(rng.normal(0, 0.03)), float(np.exp(rng.normal(0, 0.02)))
    skew, stretch = rng.normal(0, 0.015, 2) + np.array([0.0, 1.0])
    held = float(present)
    if present and rng.random() < 0.35:
        held = 0.0
        kind = int(rng.integers(4))
        if kind == 3:
            skew, stretch = rng.choice([-1.0, 1.0]) * rng.uniform(0.18, 0.5), rng.uniform(0.75, 1.35)
        elif kind == 0:
            shift = rng.uniform(-1.0, 1.0, 2)
            shift = shift / np.abs(shift).max() * rng.uniform(0.25, 0.5)
        elif kind == 1:
            turn = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 0.79))
        else:
            size = float(rng.choice([rng.uniform(0.45, 0.7), rng.uniform(1.3, 1.75)]))
    quarter = int(rng.integers(4)) * np.pi / 2
    cos, sin = np.cos(turn + quarter), np.sin(turn + quarter)
    rotate = np.array([[cos, -sin], [sin, cos]]) @ np.array([[1.0, skew], [0.0, stretch]])
    if rng.random() < 0.5:
        rotate = rotate @ np.diag([-1.0, 1.0])
    scale = CROP_PX / (CROP_SPAN[1] - CROP_SPAN[0])
    along = SPAN[0] + (np.arange(CELL_PX) + 0.5) / CELL_PX * (SPAN[1] - SPAN[0])
    grid = np.stack(np.meshgrid(along, along), axis=-1) - 0.5
    where = (grid * size @ rotate.T + 0.5 + shift - CROP_SPAN[0]) * scale - 0.5
    maps = where.astype(np.float32)
    xs, ys = np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1])
    cell = cv2.remap(recoloured(rng, crop), xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cell, np.uint8), held


def _with_gap(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The tile with its neighbours moved off a little: a band of table or shadow along some sides."""
    wide = rng.uniform(0.004, 0.045)
    outer = np.array([-wide, -wide, 1.0 + wide, 1.0 + wide])
    outer[rng.random(4) < 0.25] = np.nan
    outer = np.where(np.isnan(outer), [0.0, 0.0, 1.0, 1.0], outer)
    band = _square_mask(*outer) * (1.0 - _square_mask(0.0, 0.0, 1.0, 1.0))
    if rng.random() < 0.5:  # what lies at the crop's rim is often the table, here in the shade
        rim = np.concatenate([crop[0], crop[-1], crop[:, 0], crop[:, -1]])
        base = rim[int(rng.integers(len(rim)))] * rng.uniform(0.35, 1.0)
    else:
        base = rng.uniform(10, 130) * rng.uniform(0.7, 1.3, 3)
    color = np.clip(base + rng.normal(0, 6, (*crop.shape[:2], 1)), 0, 255)
    mixed = crop * (1.0 - band[..., None]) + color * band[..., None]
    return np.asarray(mixed, dtype=np.uint8)


def _square_mask(x0: float, y0: float, x1: float, y1: float) -> NDArray[np.float32]:
    """1 inside a box of the crop given in sides, 0 outside, soft by a pixel: (112, 112)."""
    points = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    scale = CROP_PX / (CROP_SPAN[1] - CROP_SPAN[0])
    at = np.round(((points - CROP_SPAN[0]) * scale - 0.5) * 16.0).astype(np.int32)
    mask = cv2.fillConvexPoly(np.zeros((CROP_PX, CROP_PX), np.uint8), at, 255, cv2.LINE_AA, 4)
    return np.asarray(mask, np.float32) / 255.0


def _plain(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The tile's print washed out to one colour or nearly: many games have plain faces."""
    inside = _square_mask(0.0, 0.0, 1.0, 1.0)[..., None]
    face = cv2.GaussianBlur(crop, (0, 0), rng.uniform(4.0, 14.0)).astype(np.float32)
    if rng.random() < 0.5:
        face = face.mean(axis=(0, 1), keepdims=True) + 0.15 * (face - face.mean(axis=(0, 1), keepdims=True))
    if rng.random() < 0.5:
        face = 0.3 * face + 0.7 * rng.uniform(20, 235, 3).astype(np.float32)
    mixed = crop * (1.0 - inside) + face * inside
    return np.asarray(np.clip(mixed, 0, 255), dtype=np.uint8)


def _ruled(rng: np.random.Generator, crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A bare cell between ruled lines: cutting mats and tablecloths have grids of their own."""
    wide = rng.uniform(0.006, 0.03)
    lines = np.zeros((CROP_PX, CROP_PX), np.float32)
    step = float(rng.choice([1.0, 1.0, 0.5, 0.25]))
    for at in np.arange(-0.5, 1.501, step) if step < 1.0 else np.array([0.0, 1.0]):
        lines = np.maximum(lines, _square_mask(-0.5, at - wide, 1.5, at + wide))
        lines = np.maximum(lines, _square_mask(at - wide, -0.5, at + wide, 1.5))
    shade = rng.uniform(0.4, 1.0) * lines[..., None]
    mixed = crop * (1.0 - shade) + rng.uniform(0, 255, 3) * shade
    return np.asarray(mixed, dtype=np.uint8)


def _across_at_ends(quad: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """Offsets of the true side from the guessed one at its two ends, across the side, positive inwards."""
    start, stop = quad[side], quad[(side + 1) % 4]
    origin = _CROP_LATTICE[side]
    along = _CROP_LATTICE[(side + 1) % 4] - origin
    across = np.array([-along[1], along[0]])
    u = np.array([(start - origin) @ along, (stop - origin) @ along])
    v = np.array([(start - origin) @ across, (stop - origin) @ across])
    slope = (v[1] - v[0]) / (u[1] - u[0])
    return np.array([v[0] - slope * u[0], v[0] + slope * (1.0 - u[0])])


def _soft_bins(offsets: NDArray[np.float64]) -> NDArray[np.float32]:
    centres = bin_centres()
    step = centres[1] - centres[0]
    bins = np.exp(-(((offsets[:, None] - centres[None]) / (0.7 * step)) ** 2) / 2)
    return np.asarray(bins / bins.sum(axis=1, keepdims=True), np.float32)
