"""Training pictures for the piece detector: synthetic boards from above, with the place of each piece.

Beside each board stands its reprojection: what the print alone would look like there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks import HOUSE_ART, make_deck
from models.train.scenes import Scene, make_scene, random_room
from models.train.scenes.objects.shapes import hut_outline, meeple_outline, paint
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, Ortho, lean_at, ortho_view
from vision.observation import Sight
from vision.pieces.detector import CLASSES, COLORS, STRIDE, TOKEN
from vision.tiles.reprojection import against_print, lay_face

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
NODES = 9  # the lean field is kept on a NODES x NODES grid, as at run time
PRINT_STEPS = 60.0
CLEAR, HIDDEN = 0.42, 0.12  # visible shares: from CLEAR on a piece must be found, under HIDDEN it is absent


@dataclass(frozen=True)
class Sample:
    """One board from above. image (H, W, 3) uint8, print int8 (H, W, 7) what `vision.tiles.reprojection` says
    in steps of 1 / PRINT_STEPS, lean (9, 9, 2), mean (3,) in -1..1, labels (n, 5) float32: class, x px, y px,
    colour index or -1, visible."""

    image: U8
    print: NDArray[np.int8]
    lean: F32
    mean: F32
    labels: F32


@lru_cache(maxsize=2)
def house(size_px: int) -> tuple[U8, U8] | None:
    """The house deck's faces and tokens, or None while its art is not drawn."""
    files = sorted([*HOUSE_ART.glob("*.webp"), *HOUSE_ART.glob("*.png")])

    def read(paths: Sequence[Path], side: int) -> U8:
        out = []
        for p in paths:
            img = cv2.imread(str(p), cv2.IMREAD_COLOR)
            if img is None:
                raise ValueError(f"{p}: not a readable picture")
            out.append(cv2.resize(img, (side, side), interpolation=cv2.INTER_AREA))
        return np.stack(out).astype(np.uint8)

    tokens = [p for p in files if p.name.startswith("token-")]
    faces = [p for p in files if not p.name.startswith("token-")]
    if not faces or not tokens:
        return None
    return read(faces, size_px), read(tokens, size_px // 2)


def random_tokens(rng: np.random.Generator, faces: U8, n: int = 5) -> U8:
    """Faces of small square tokens: a cut of a tile face, or a plain ground, framed."""
    out = []
    s = faces.shape[1]
    for _ in range(n):
        f = faces[int(rng.integers(len(faces)))]
        c = int(s * rng.uniform(0.3, 0.6))
        y, x = rng.integers(0, s - c, 2)
        img = cv2.resize(f[y : y + c, x : x + c], (64, 64), interpolation=cv2.INTER_AREA)
        if rng.random() < 0.5:
            ground = rng.integers(60, 256, 3)
            img = (0.35 * img + 0.65 * ground).astype(np.uint8)
        if rng.random() < 0.7:
            cv2.rectangle(
                img, (0, 0), (63, 63), [int(v) for v in rng.integers(0, 256, 3)], int(rng.integers(2, 9))
            )
        out.append(img)
    return np.stack(out).astype(np.uint8)


def with_painted_pieces(rng: np.random.Generator, faces: U8) -> U8:
    """The faces (n, s, s, 3), on every second of them one or two painted things that look like pieces: solids
    drawn slantwise with their shaded sides, as art shows churches and houses with red roofs."""
    out = faces.copy()
    px_per_mm = faces.shape[1] / 45.0
    for k in np.flatnonzero(rng.random(len(out)) < 0.5):
        for _ in range(int(rng.integers(1, 3))):
            tall_mm = float(rng.uniform(10, 18))
            shape = meeple_outline(rng, tall_mm) if rng.random() < 0.5 else hut_outline(rng, tall_mm)
            dye = paint(rng, str(rng.choice(["red", "red", "yellow", "blue", "black"])))
            tint = dye ** np.float32(1 / 2.2) * 255
            front = shape * (1.0, -1.0) * px_per_mm + rng.uniform(0.3, 0.7, 2) * faces.shape[1]
            depth = np.array([rng.uniform(-5, 5), -rng.uniform(3, 8)]) * px_per_mm
            for step, shade in ((1.0, 1.1), (0.66, 0.6), (0.33, 0.6), (0.0, rng.uniform(0.75, 1.0))):
                points = [np.round(front + step * depth).astype(np.int32)]
                colour = [float(c) for c in np.clip(tint * shade, 0, 255)]
                cv2.fillPoly(out[k], points, colour, cv2.LINE_AA)
    return out


class Tables:
    """An endless row of scenes for piece training; a deck serves a few of them."""

    def __init__(
        self,
        seed: int,
        house_share: float = 0.4,
        hard_share: float = 0.0,
        checked_share: float = 0.0,
        dyes_share: float = 0.0,
        painted_share: float = 0.0,
        stand_ins_share: float = 0.0,
        stout_share: float = 0.0,
    ) -> None:
        """``hard_share`` of the tables are lit from the side or badly exposed, with many huts;
        ``checked_share`` of them have a white cloth with checks. On ``dyes_share`` of them the pieces have
        dark dyes, the light is a lamp's, and on every second of these a player is grey. ``painted_share`` of
        the decks show things that look like pieces (`with_painted_pieces`). On ``stand_ins_share`` of the
        tables players have stand-ins for meeples; on ``stout_share`` of them meeples are thick and rounded,
        half of these seen steeply."""
        self.rng = np.random.default_rng([seed, 77])
        self.hard_share = hard_share
        self.house_share = house_share
        self.checked_share = checked_share
        self.dyes_share = dyes_share
        self.painted_share = painted_share
        self.stand_ins_share = stand_ins_share
        self.stout_share = stout_share
        self._left = 0
        self._of_house = False
        self._deck: tuple[U8, U8] | None = None

    def scene(self) -> tuple[Scene, U8]:
        """One more table, and the faces (n, s, s, 3) that its tiles show."""
        rng = self.rng
        if self._left <= 0 or self._deck is None:
            ready = house(128) if rng.random() < self.house_share else None
            self._of_house = ready is not None
            if ready is None:
                faces = make_deck(rng, int(rng.integers(10, 26)), 112).faces
                ready = (faces, random_tokens(rng, faces))
            if self.painted_share and rng.random() < self.painted_share:
                ready = (with_painted_pieces(rng, ready[0]), ready[1])
            self._deck, self._left = ready, int(rng.integers(3, 7))
        self._left -= 1
        faces, tokens = self._deck
        n = int(np.clip(round(math.exp(rng.uniform(math.log(2), math.log(24)))), 2, 24))
        density = 0.0 if rng.random() < 0.06 else float(rng.uniform(0.15, 1.1))
        # Few tiles in a sharp picture: at under 40 px a tile nobody tells a lying meeple from a standing
        # one, and a network learns little from guessing.
        size = (1280, 720) if rng.random() < 0.7 else (960, 540)
        # Half of the pictures are good ones: the rest are what bad light and webcams make of them.
        quality = float(rng.uniform(0.5, 1.0)) if rng.random() < 0.6 else None
        hands = float(rng.random() < 0.2)
        shape = "quarter" if self._of_house else None
        room = random_room(
            rng, hands=hands, partly_out=0.12, quality=quality, tokens=tokens, token_shape=shape
        )
        if self.hard_share and rng.random() < self.hard_share:
            room = replace(
                room,
                low_lamp=bool(rng.random() < 0.6),
                exposure=math.exp(float(rng.uniform(-1.3, 0.9))),
                huts=float(rng.uniform(0.2, 0.7)),
            )
        if self.checked_share and rng.random() < self.checked_share:
            room = replace(room, table="checked")
        if self.dyes_share and rng.random() < self.dyes_share:
            room = replace(
                room,
                dye=math.exp(float(rng.uniform(math.log(0.3), 0.0))),
                grey=str(rng.choice(COLORS)) if rng.random() < 0.5 else None,
                warmth=float(rng.uniform(0.0, 1.5)),
            )
        if self.stand_ins_share and rng.random() < self.stand_ins_share:
            room = replace(room, stand_ins=float(rng.uniform(0.3, 1.0)))
        if self.stout_share and rng.random() < self.stout_share:
            steep = (60.0, 90.0) if rng.random() < 0.5 else room.elevation_range
            room = replace(room, stout=True, elevation_range=steep)
        return make_scene(rng, size, faces, n, True, density, room), faces


def lattice_fit(scene: Scene) -> F64:
    """The homography from lattice units to pixels that fits all tiles of a scene."""
    grid, seen = [], []
    for t in scene.tiles:
        board = np.roll(t.corners_px, t.rot // 90, axis=0)
        grid.append(np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64) + t.cell)
        seen.append(board)
    h, _ = cv2.findHomography(np.concatenate(grid), np.concatenate(seen), 0)
    return np.asarray(h, np.float64)


def scanned(faces: U8, rng: np.random.Generator, poor: float = 1.0) -> U8:
    """The faces as somebody's scanner or phone made a gallery of them: other colours, contrast, sharpness.
    ``poor``: factor of all that differs; cheap scans are at 2 to 3."""
    gain = np.exp(poor * (rng.normal(0, 0.1) + rng.normal(0, 0.06, 3))).astype(np.float32)
    gamma = float(np.exp(rng.normal(0, 0.15 * poor)))
    mix = np.eye(3, dtype=np.float32) + rng.normal(0, 0.03 * poor, (3, 3)).astype(np.float32)
    out = np.clip(faces.astype(np.float32) / 255.0, 0, 1) ** gamma * gain
    out = np.clip(out @ mix.T + rng.uniform(-0.03, 0.05), 0, 1) * 255.0
    blur = float(rng.uniform(0, 1.2)) * poor * faces.shape[1] / 128.0
    if blur > 0.3:
        out = np.stack([np.asarray(cv2.GaussianBlur(face, (0, 0), blur)) for face in out])
    return np.asarray(np.round(out), np.uint8)


def expected_print(
    view: Ortho, h: F64, scene: Scene, faces: U8, rng: np.random.Generator, poor: float = 1.0
) -> tuple[U8, U8]:
    """Reprojection of a view's print, and where it is known (`vision.tiles.reprojection.expected_view`): some
    faces are unknown or misread, now and then all are unknown, and corners are a little wrong. ``poor``:
    factor of all that differs between gallery and print."""
    height, width = view.image.shape[:2]
    expected, known = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)
    if rng.random() > 0.15:
        gallery, unknown = scanned(faces, rng, poor), float(rng.choice([0.02, 0.1, 0.4]))
        back = np.asarray(np.linalg.inv(h), np.float64)
        off = float(np.exp(rng.normal(np.log(0.004 * poor), 0.6)))
        for tile in scene.tiles:
            if rng.random() < unknown or tile.visible < 0.3:
                continue
            face = tile.face if rng.random() > 0.02 else int(rng.integers(len(faces)))
            corners = (apply_homography(back, tile.corners_px) - view.origin_xy) * CELL_PX - 0.5
            moves = rng.normal(0, off, (1, 2)) + rng.normal(0, 0.5 * off, (4, 2))
            lay_face(expected, known, gallery[face], (corners + moves * CELL_PX).astype(np.float32))
    return expected, known


@dataclass(frozen=True)
class Seeing:
    """A scene as the program would see it: the (slightly wrong) lattice, the board from above, the print that
    is expected there, and what the comparison says (`vision.tiles.reprojection.against_print`)."""

    h_px_from_lattice: F64
    view: Ortho
    expected: tuple[U8, U8]
    said: F32


def see(scene: Scene, faces: U8, rng: np.random.Generator, error: float = 0.012, poor: float = 1.0) -> Seeing:
    """error: deviation of the lattice's corners in tile sides. poor: see `scanned`."""
    cells = [t.cell for t in scene.tiles if t.in_frame > 0.5 and t.visible > 0.2]
    cells = cells or [scene.tiles[0].cell]
    h = lattice_fit(scene)
    lo, hi = np.min(cells, axis=0), np.max(cells, axis=0) + 1
    box = np.array([lo, (hi[0], lo[1]), hi, (lo[0], hi[1])], np.float32)
    wrong = box + rng.normal(0, error, (4, 2)).astype(np.float32)
    h = h @ np.asarray(cv2.getPerspectiveTransform(box, wrong), np.float64)
    corners = apply_homography(h, box.astype(np.float64))
    side = math.sqrt(abs(float(cv2.contourArea(corners.astype(np.float32)))) / float(np.prod(hi - lo)))
    view = ortho_view(Sight(scene.image), h, cells, side)
    expected = expected_print(view, h, scene, faces, rng, poor)
    return Seeing(h, view, expected, against_print(view.image, *expected))


def sample_from(scene: Scene, faces: U8, rng: np.random.Generator, error: float = 0.012) -> Sample:
    """Detector's input for a scene. error: deviation of the lattice's corners in tile sides."""
    seeing = see(scene, faces, rng, error)
    h, view = seeing.h_px_from_lattice, seeing.view
    size = (scene.image.shape[1], scene.image.shape[0])
    hh, ww = view.image.shape[:2]
    nodes = np.meshgrid(np.linspace(0, ww - 1, NODES), np.linspace(0, hh - 1, NODES))
    grid = view.lattice_of(np.stack(nodes, axis=-1))
    mean = np.array(cv2.mean(view.image, mask=view.seen)[:3], np.float32) / np.float32(127.5) - 1
    back = np.asarray(np.linalg.inv(h), np.float64)
    rows = []
    for p in scene.pieces:
        kind = next(
            (
                k
                for k, (name, pose) in enumerate(CLASSES[: TOKEN + 1])
                if name == p.kind and (name != "meeple" or pose == p.pose)
            ),
            -1,  # a stand-in: something, of no kind that the detector knows
        )
        x, y = (apply_homography(back, np.asarray(p.point_px, np.float64)) - view.origin_xy) * CELL_PX - 0.5
        color = COLORS.index(p.color) if p.color in COLORS else -1
        rows.append((kind, x, y, color, p.visible))
    labels = np.array(rows, np.float32).reshape(-1, 5)
    said = np.clip(np.round(seeing.said * PRINT_STEPS), -127, 127).astype(np.int8)
    return Sample(view.image, said, lean_at(h, size, grid).astype(np.float32), mean, labels)


def save(sample: Sample, path: Path) -> None:
    """Keep a sample on disk."""
    ok, png = cv2.imencode(".png", sample.image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not ok:
        raise OSError(f"{path}: cannot encode the picture")
    part = path.with_suffix(".part.npz")
    np.savez_compressed(
        part, png=png, print=sample.print, lean=sample.lean, mean=sample.mean, labels=sample.labels
    )
    part.replace(path)


def load(path: Path) -> Sample:
    """A kept sample."""
    with np.load(path) as z:
        image = cv2.imdecode(z["png"], cv2.IMREAD_COLOR)
        if image is None:
            raise OSError(f"{path}: cannot decode the picture")
        return Sample(np.asarray(image, np.uint8), z["print"], z["lean"], z["mean"], z["labels"])


@dataclass(frozen=True)
class Window:
    """One training example: picture (10, S, S), context (5, S/4, S/4), and the targets a quarter as
    fine: heat (2, ., .), keep (., .) 0 where nothing is asked, near (., .) index of a piece or -1,
    kind (., .) and color (., .) or -1, offset (2, ., .)."""

    picture: F32
    context: F32
    heat: F32
    keep: F32
    near: F32
    kind: NDArray[np.int64]
    offset: F32
    color: NDArray[np.int64]


def window(sample: Sample, rng: np.random.Generator, side: int) -> Window:
    """A random square cut of a sample, turned, mirrored and tinted at random."""
    h, w = sample.image.shape[:2]
    hl = int(rng.integers(0, max(1, h - side + 1)))
    wl = int(rng.integers(0, max(1, w - side + 1)))
    if len(sample.labels) and rng.random() < 0.5:  # look where something stands
        _, x, y, _, _ = sample.labels[int(rng.integers(len(sample.labels)))]
        hl = int(np.clip(y - rng.uniform(0.1, 0.9) * side, 0, max(0, h - side)))
        wl = int(np.clip(x - rng.uniform(0.1, 0.9) * side, 0, max(0, w - side)))
    img = np.zeros((side, side, 3), np.uint8)
    cut = sample.image[hl : hl + side, wl : wl + side]
    img[: cut.shape[0], : cut.shape[1]] = cut
    said = np.zeros((side, side, 7), np.int8)
    said[: cut.shape[0], : cut.shape[1]] = sample.print[hl : hl + side, wl : wl + side]
    lean = cv2.resize(sample.lean, (w // STRIDE, h // STRIDE), interpolation=cv2.INTER_LINEAR)
    g = side // STRIDE
    y4, x4 = hl // STRIDE, wl // STRIDE
    field = np.zeros((g, g, 2), np.float32)
    part = lean[y4 : y4 + g, x4 : x4 + g]
    field[: part.shape[0], : part.shape[1]] = part
    pts = sample.labels[:, 1:3] - (wl, hl) + 0.5
    for _ in range(int(rng.integers(4))):  # quarter turns clockwise
        img, said, field = np.rot90(img, -1), np.rot90(said, -1), np.rot90(field, -1)
        field = np.stack([-field[..., 1], field[..., 0]], -1)
        pts = np.stack([side - pts[:, 1], pts[:, 0]], -1)
    if rng.random() < 0.5:
        img, said = img[:, ::-1], said[:, ::-1]
        field = field[:, ::-1] * np.array([-1, 1], np.float32)
        pts = pts * (-1, 1) + (side, 0)
    gain = np.exp(rng.normal(0, 0.08, 3) + rng.normal(0, 0.12)).astype(np.float32)
    picture = np.clip(img.astype(np.float32) * gain, 0, 255)
    mean = np.clip((sample.mean + 1) * 127.5 * gain, 0, 255) / 127.5 - 1
    context = np.empty((5, g, g), np.float32)
    context[:2] = field.transpose(2, 0, 1)
    context[2:] = mean[:, None, None]
    heat, keep = np.zeros((2, g, g), np.float32), np.ones((g, g), np.float32)
    near, offset = np.full((g, g), np.inf, np.float32), np.zeros((2, g, g), np.float32)
    color, sort = np.full((g, g), -1, np.int64), np.full((g, g), -1, np.int64)
    above = np.full((g, g), np.inf, np.float32)  # the same as near, tokens left out
    yy, xx = np.mgrid[0:g, 0:g].astype(np.float32) + 0.5
    for (kind, _, _, tint, visible), (px, py) in zip(sample.labels, pts / STRIDE, strict=True):
        d2 = (xx - px) ** 2 + (yy - py) ** 2
        if d2.min() > 36 or visible < HIDDEN:
            continue
        if visible < CLEAR:
            keep[d2 < 9] = 0
            continue
        k = int(kind == TOKEN)
        heat[k] = np.maximum(heat[k], np.exp(-d2 / (2 * 1.1**2)))
        iy, ix = math.floor(py), math.floor(px)
        if 0 <= iy < g and 0 <= ix < g:
            heat[k, iy, ix] = 1.0
        mine = (d2 < 4.5) & (d2 < near)
        near[mine] = d2[mine]
        offset[0][mine], offset[1][mine] = (px - xx)[mine], (py - yy)[mine]
        if kind != TOKEN:
            mine = (d2 < 4.5) & (d2 < above)
            above[mine] = d2[mine]
            sort[mine], color[mine] = int(kind), int(tint)
    channels = np.concatenate([picture / 127.5 - 1, said.astype(np.float32) / PRINT_STEPS], axis=2)
    return Window(
        np.ascontiguousarray(channels.transpose(2, 0, 1), np.float32),
        context, heat, keep, np.isfinite(near).astype(np.float32), sort, offset, color,
    )  # fmt: skip
