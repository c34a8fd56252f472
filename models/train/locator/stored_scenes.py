"""Stored scenes for the locator: synthetic tables, kept on disk in the form the networks want.

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
from vision.geometry.homography import apply_homography, homography
from vision.locate.heatmap import view_of
from vision.observation import mean_sides_px

CROP_PX = 112
CROP_SPAN = (-0.5, 1.5)
"""Span of a stored crop in cells, along both axes; its own cell is 0 to 1."""
TILES_A_SCENE, BARE_A_SCENE = 7, 8
"""Number of crops stored of each scene: tiles, and bare cells beside the board (bays between tiles first)."""
SIZES_WH = ((1280, 720), (1280, 720), (960, 720), (1920, 1080))
PLAIN_SEEDS = 100_000
"""First seed of the scenes with plain faces: fields of one colour side by side."""
CROP_LATTICE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


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
        lattice = np.concatenate([CROP_LATTICE + np.array(t.cell) for t in tiles])
        pixels = np.concatenate([np.roll(corners[i], t.rot // 90, axis=0) for i, t in enumerate(tiles)])
        H = homography(lattice, pixels)
        steps = ((1, 0), (0, 1), (-1, 0), (0, -1))
        beside = sorted({(x + dx, y + dy) for x, y in cells for dx, dy in steps} - cells)
        closed = [sum((x + dx, y + dy) in cells for dx, dy in steps) for x, y in beside]
        by_bays = np.argsort(-(np.array(closed) + 1.5 * rng.random(len(beside))))
        for pick in by_bays[:BARE_A_SCENE]:
            quads.append(apply_homography(H, CROP_LATTICE + np.array(beside[pick])))
            present.append(False)
    crops = [_straight(image, quad) for quad in quads]
    stacked = np.stack(crops) if crops else np.zeros((0, CROP_PX, CROP_PX, 3), np.uint8)
    return stacked, np.array(present, dtype=bool)


def _straight(image: NDArray[np.uint8], quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    unit = (CROP_LATTICE - CROP_SPAN[0]) / (CROP_SPAN[1] - CROP_SPAN[0]) * CROP_PX - 0.5
    H = homography(quad, unit)
    side = float(mean_sides_px(quad))
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
