"""Put a table together and take its picture, with everything known exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera, random_camera
from models.train.scenes.clutter import Clutter, Slab, random_clutter
from models.train.scenes.film import develop
from models.train.scenes.hands import Capsule, cast_hand, draw_hand, random_hand
from models.train.scenes.layout import Layout, PieceSpec, TileSpec, random_layout
from models.train.scenes.lights import Lights, Shadows, random_lights
from models.train.scenes.shapes import PieceSet
from models.train.scenes.solids import Canvas, Solid, draw_solid
from models.train.scenes.tabletops import KINDS, octave, paint_table

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
PIECE0 = 2000  # owners from here on are pieces


@dataclass(frozen=True)
class SceneTile:
    """Truth of one tile. corners_px (4, 2): the tile's own nw, ne, se, sw on its upper face."""

    cell: tuple[int, int]
    rot: int
    face: int
    corners_px: F64
    in_frame: float
    visible: float


@dataclass(frozen=True)
class ScenePiece:
    """Truth of one piece. uv: in the cell, board frame. point_px: where it touches the board."""

    kind: str
    color: str | None
    pose: str
    cell: tuple[int, int] | None
    uv: tuple[float, float]
    point_px: tuple[float, float]
    bbox_px: tuple[float, float, float, float]
    visible: float
    corner: str | None = None
    face: int = 0
    animal: str | None = None
    feature: str | None = None


@dataclass(frozen=True)
class Scene:
    """A picture (H, W, 3) uint8 BGR and all that is true of it.

    cover: (H, W) bool, pixels where a hand or a tall thing hides the table.
    owner: (H, W) int16, 0 table, 1 + i tile i, 2000 + j piece j, -1 cover.
    """

    image: U8
    tiles: tuple[SceneTile, ...]
    pieces: tuple[ScenePiece, ...]
    owner: NDArray[np.int16]
    camera: Camera
    layout: Layout
    room: str

    @property
    def cover(self) -> NDArray[np.bool_]:
        """(H, W): hidden by a hand or a tall thing."""
        return np.asarray(self.owner == -1)


@dataclass(frozen=True)
class Room:
    """What stays the same between pictures of one table. None means: drawn at random.

    seed fixes table, lamps and piece set; camera, when given, is used as it is.
    """

    seed: int
    table: str | None = None
    camera: Camera | None = None
    clutter: float | None = None
    hands: float = 0.0
    quality: float | None = None
    elevation_range: tuple[float, float] = (30.0, 90.0)
    partly_out: float = 0.2
    tokens: NDArray[np.uint8] | None = field(default=None, compare=False)


def random_room(rng: np.random.Generator, **fixed: object) -> Room:
    """A room drawn at random; keyword arguments fix fields of Room."""
    room = Room(int(rng.integers(2**31)), hands=float(rng.random() < 0.18))
    return replace(room, **fixed)  # type: ignore[arg-type]


def make_scene(
    rng: np.random.Generator,
    size_wh: tuple[int, int] = (1280, 720),
    faces: NDArray[np.uint8] | None = None,
    n_tiles: int | None = None,
    pieces: bool = True,
    density: float | None = None,
    room: Room | None = None,
) -> Scene:
    """A random table. faces (n, s, s, 3) uint8 BGR: the deck, a random one by default."""
    if faces is None:
        from models.train.decks import random_deck

        faces = random_deck(rng, int(rng.integers(12, 40)), 128)
    room = random_room(rng) if room is None else room
    n_tokens = (5 if room.tokens is None else len(room.tokens)) if pieces else 0
    layout = random_layout(rng, len(faces), n_tiles, n_tokens, density if pieces else 0.0)
    return render_layout(layout, room, rng, faces, size_wh)


def render_layout(
    layout: Layout,
    room: Room,
    rng: np.random.Generator,
    faces: NDArray[np.uint8],
    size_wh: tuple[int, int] = (1280, 720),
) -> Scene:
    """Draw a given table in a given room. rng decides what differs from picture to picture."""
    fixed = np.random.default_rng(room.seed)
    centres = layout.centres_mm()
    camera = room.camera or random_camera(
        rng, size_wh, centres, layout.tile_mm, room.elevation_range, room.partly_out
    )
    pieces = PieceSet(fixed)
    kinds = list(KINDS)
    weights = np.array([KINDS[k][1] for k in kinds])
    table = room.table or kinds[int(fixed.choice(len(kinds), p=weights / weights.sum()))]
    lights = random_lights(fixed, centres.mean(0))
    gx, gy = camera.plane_maps(0.0)
    light = paint_table(fixed, gx, gy, table)
    _table_edge(fixed, camera, layout, gx, gy, light)
    places = _places(rng, gx, gy, 160)
    amount = float(rng.beta(1.0, 1.3)) if room.clutter is None else room.clutter
    clutter = random_clutter(rng, layout, faces, places, amount)
    layout = _with_spares(rng, layout, clutter, places[-24:], amount)
    shadows = Shadows(camera, lights, fixed)
    top = layout.thick_mm
    standing = _stand_pieces(layout, pieces, rng)
    for spec, solid, _, base in standing:
        if solid is not None:
            shadows.cast(solid.cloud_mm, base if spec.cell is None or spec.kind == "ranger" else top)
            grow = 2.2 * camera.px_per_mm(solid.cloud_mm[0])
            shadows.contact(_foot(solid), grow, 0.55)
    for thing in clutter.solids:
        shadows.cast(thing.cloud_mm, top)
        shadows.contact(_foot(thing), 5 * camera.px_per_mm(thing.cloud_mm[0]), 0.5)
    hands = _hands(rng, room, layout)
    for hand in hands:
        cast_hand(shadows, hand, top)
    if rng.random() < 0.25:
        _someone(rng, shadows, size_wh)

    board_shadow = [f.copy() for f in shadows.lamp]
    board_sky = shadows.sky.copy()
    tops = [_tile_quad(t, layout) for t in layout.tiles]
    on_table = Shadows(camera, lights, fixed)
    on_table.lamp, on_table.sky = shadows.lamp, shadows.sky
    px_mm = camera.px_per_mm(np.array([*centres.mean(0), 0.0]))
    for quad in tops:
        on_table.cast(quad, 0.0, strength=0.9)
        on_table.contact(quad * (1, 1, 0), max(0.6, 1.6 * px_mm), 0.5)
    for slab in clutter.slabs:
        on_table.cast(slab.corners_mm, 0.0, strength=0.9)
        on_table.contact(slab.corners_mm * (1, 1, 0), max(0.6, 2.0 * px_mm), 0.5)
    falls = _falloff(lights, gx, gy)
    light *= _lit(lights, falls, on_table.lamp, on_table.sky, size_wh)
    gloss = float(fixed.choice([0.0, 0.0, 0.1, 0.4]))
    shines = [_glare(camera, lamp, gx, gy, fixed) for lamp in lights.lamps]
    if gloss:
        for lamp, s in zip(lights.lamps, shines, strict=True):
            light += s[..., None] * lamp.color * np.float32(gloss)

    canvas = Canvas(light, np.zeros((size_wh[1], size_wh[0]), np.int16))
    lit = _lit(lights, falls, board_shadow, board_sky, size_wh)
    tile_gloss = float(fixed.choice([0.0, 0.05, 0.15, 0.5]))
    gleam = np.zeros_like(light)
    if tile_gloss:
        for lamp, s in zip(lights.lamps, shines, strict=True):
            gleam += s[..., None] * lamp.color * np.float32(tile_gloss)
    flat_slabs = [s for s in clutter.slabs if s.thick_mm < 9]
    tall_slabs = [s for s in clutter.slabs if s.thick_mm >= 9]
    for slab in flat_slabs:
        _draw_slab(canvas, camera, slab, lit, gleam, 0)
    mips = _mips(faces)
    core = np.full(3, float(fixed.uniform(0.04, 0.6)), np.float32) * fixed.uniform(0.8, 1.0, 3).astype(np.float32)
    round_mm = float(fixed.choice([0.0, 0.0, 0.6, 1.5]))
    for quad in tops:
        _draw_sides(canvas, camera, quad, top, core, lights)
    rim = float(fixed.choice([0.0, 0.0, 0.3, -0.5]))
    for k, (tile, quad) in enumerate(zip(layout.tiles, tops, strict=True)):
        own = np.roll(quad, -(tile.rot // 90), axis=0)
        gain = np.float32(max(0.0, rng.normal(1, 0.25 if tile_gloss else 0.0)))
        _draw_face(canvas, camera, own, mips[tile.face], lit, gleam, 1 + k, round_mm, rim, gain)
    records: list[ScenePiece] = []
    areas: dict[int, float] = {}
    boxes: dict[int, tuple[float, float, float, float]] = {}
    eye = camera.centre_mm
    tokens = room.tokens if room.tokens is not None else faces
    jobs: list[tuple[float, int, object]] = []
    for j, (spec, solid, at, _) in enumerate(standing):
        if solid is None:
            quad = _token_quad(spec, layout, at)
            _draw_sides(canvas, camera, quad, 2.0, core, lights, PIECE0 + j)
            pts = camera.project(quad)
            _draw_face(canvas, camera, quad, [tokens[spec.face % len(tokens)]], lit, gleam, PIECE0 + j, 0.8, 0.0, np.float32(1))
            areas[j] = float(cv2.contourArea(pts.astype(np.float32)))
            boxes[j] = (*pts.min(0), *pts.max(0))  # type: ignore[assignment]
        else:
            jobs.append((float(np.linalg.norm(at - eye)), PIECE0 + j, solid))
    jobs += [(float(np.linalg.norm(s.corners_mm.mean(0) - eye)), -1, s) for s in tall_slabs]
    jobs += [(float(np.linalg.norm(s.cloud_mm.mean(0) - eye)), -1, s) for s in clutter.solids]
    for _, who, thing in sorted(jobs, key=lambda j: -j[0]):
        if isinstance(thing, Slab):
            _draw_slab(canvas, camera, thing, lit, gleam, -1, lights)
        elif isinstance(thing, Solid):
            got = draw_solid(canvas, camera, thing, lights, who, rng)
            if got and who >= PIECE0:
                areas[who - PIECE0], boxes[who - PIECE0] = got
    for hand in hands:
        draw_hand(canvas, camera, hand, lights, rng)
    counts = np.bincount(canvas.owner.ravel().clip(0), minlength=PIECE0 + len(standing) + 1)
    for j, (spec, _, at, _) in enumerate(standing):
        if j not in areas or areas[j] < 4:
            continue
        p = camera.project(at)
        vis = float(min(1.0, counts[PIECE0 + j] / areas[j]))
        records.append(
            ScenePiece(
                spec.kind, spec.color, spec.pose, spec.cell, spec.uv, (float(p[0]), float(p[1])), boxes[j], vis,
                spec.corner, spec.face, spec.animal, spec.feature,
            )
        )  # fmt: skip
    tiles = tuple(
        _tile_truth(camera, t, q, int(counts[1 + k]), size_wh) for k, (t, q) in enumerate(zip(layout.tiles, tops, strict=True))
    )
    image = develop(rng, canvas.light, room.quality)
    return Scene(image, tiles, tuple(records), canvas.owner, camera, layout, table)


def _tile_truth(camera: Camera, tile: TileSpec, quad: F64, seen: int, size_wh: tuple[int, int]) -> SceneTile:
    corners = camera.project(quad)
    area = float(cv2.contourArea(corners.astype(np.float32)))
    w, h = size_wh
    rim = np.array([(0, 0), (w - 1, 0), (w - 1, h - 1), (0, h - 1)], np.float32)
    inside = float(cv2.intersectConvexConvex(corners.astype(np.float32), rim)[0])
    own = np.roll(corners, -(tile.rot // 90), axis=0)
    return SceneTile(
        tile.cell, tile.rot, tile.face, own, min(1.0, inside / max(area, 1e-6)), min(1.0, seen / max(area, 1e-6))
    )


def _tile_quad(t: TileSpec, layout: Layout) -> F64:
    """World corners (4, 3) of a tile's upper face, board nw ne se sw."""
    a = math.radians(t.turn_deg)
    c, s = math.cos(a), math.sin(a)
    pts = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (layout.tile_mm / 2)
    xy = pts @ np.array([[c, s], [-s, c]]) + t.centre_mm
    return np.c_[xy, np.full(4, layout.thick_mm)]


def _token_quad(spec: PieceSpec, layout: Layout, at: F64) -> F64:
    side = 0.42 * layout.tile_mm
    a = math.radians(spec.turn_deg)
    c, s = math.cos(a), math.sin(a)
    pts = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (side / 2)
    return np.c_[pts @ np.array([[c, s], [-s, c]]) + at[:2], np.full(4, at[2] + 2.0)]


def _stand_pieces(
    layout: Layout, pieces: PieceSet, rng: np.random.Generator
) -> list[tuple[PieceSpec, Solid | None, F64, float]]:
    """Each piece with its solid (None for tokens), contact point (3,) and the floor under it."""
    where = {t.cell: t for t in layout.tiles}
    out: list[tuple[PieceSpec, Solid | None, F64, float]] = []
    for spec in layout.pieces:
        floor = 0.0 if spec.cell is None or spec.cell not in where else layout.thick_mm
        xy = np.array(spec.xy_mm)
        if spec.cell is not None:
            du, dv = spec.uv[0] - 0.5, spec.uv[1] - 0.5
            tile = where.get(spec.cell)
            if tile is not None:
                a = math.radians(tile.turn_deg)
                c, s = math.cos(a) * layout.tile_mm, math.sin(a) * layout.tile_mm
                xy = np.array(tile.centre_mm) + (du * c - dv * s, du * s + dv * c)
            else:
                xy = _empty_cell(spec.cell, where, layout) + np.array([du, dv]) * layout.pitch_mm
        base = floor + spec.level_mm
        at = np.array([xy[0], xy[1], base])
        solid = None if spec.kind == "token" else pieces.solid(spec, at, rng)
        out.append((spec, solid, at, base))
    return sorted(out, key=lambda p: p[0].level_mm)


def _empty_cell(cell: tuple[int, int], where: dict[tuple[int, int], TileSpec], layout: Layout) -> F64:
    """Centre of an empty space, as its neighbours would have it."""
    votes = []
    for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        t = where.get((cell[0] + dx, cell[1] + dy))
        if t is not None:
            votes.append(np.array(t.centre_mm) - np.array([dx, dy]) * layout.pitch_mm)
    return np.asarray(np.mean(votes, axis=0) if votes else np.array(cell) * layout.pitch_mm)


def _with_spares(rng: np.random.Generator, layout: Layout, clutter: Clutter, places: F64, amount: float) -> Layout:
    """Some pieces of the supply beside the board."""
    if not layout.pieces or rng.random() > 0.5:
        return layout
    from models.train.scenes.clutter import clear_of_board

    colors = [p.color for p in layout.pieces if p.color and p.kind != "ranger"] or ["red"]
    taken = [(p.xy_mm[0], p.xy_mm[1], 14.0) for p in layout.pieces] + list(clutter.spots_mm)
    out = list(layout.pieces)
    for x, y in places[: int(rng.integers(1, 14))]:
        if not clear_of_board(layout, x, y, 14) or any(math.hypot(x - a, y - b) < 14 + c for a, b, c in taken):
            continue
        taken.append((x, y, 4.0))
        pose = "standing" if rng.random() < 0.5 else "lying"
        kind = "hut" if rng.random() < 0.2 else "meeple"
        color = str(rng.choice(colors))
        out.append(PieceSpec(kind, color, pose, None, (0.5, 0.5), (x, y), float(rng.uniform(0, 360))))
    return replace(layout, pieces=tuple(out))


def _hands(rng: np.random.Generator, room: Room, layout: Layout) -> list[list[Capsule]]:
    if rng.random() >= room.hands:
        return []
    out = []
    for _ in range(1 if rng.random() < 0.8 else 2):
        t = layout.tiles[int(rng.integers(len(layout.tiles)))]
        at = np.array(t.centre_mm) + rng.normal(0, layout.tile_mm * 0.7, 2)
        out.append(random_hand(rng, at, float(rng.uniform(0, 360)), float(rng.uniform(8, 60))))
    return out


def _foot(solid: Solid) -> F64:
    """The footprint of a solid: the hull of its lowest points (n, 3)."""
    pts = solid.cloud_mm
    low = pts[pts[:, 2] < pts[:, 2].min() + 0.4]
    hull = cv2.convexHull(low[:, :2].astype(np.float32)).reshape(-1, 2)
    return np.c_[hull.astype(np.float64), np.full(len(hull), pts[:, 2].min())]


def _someone(rng: np.random.Generator, shadows: Shadows, size_wh: tuple[int, int]) -> None:
    """A big soft shadow from the rim, of a person or a lampshade."""
    w, h = size_wh
    w, h = w // 2, h // 2
    small = np.ones((45, 80), np.float32)
    c = (int(rng.integers(-10, 90)), int(rng.choice([-8, 52])))
    cv2.ellipse(small, c, (int(rng.integers(12, 50)), int(rng.integers(8, 30))), float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(0.2, 0.8)), -1)
    small = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(1.0, 6)))
    big = np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)
    for f in shadows.lamp:
        f *= big
    shadows.sky *= np.sqrt(np.maximum(big, 0))


def _table_edge(
    rng: np.random.Generator, camera: Camera, layout: Layout, gx: F32, gy: F32, light: F32
) -> None:
    """Sometimes the table ends in view: beyond it the floor, or the far room."""
    far = np.maximum(np.abs(gx), np.abs(gy)) > 6000
    if far.any():
        light[far] = float(rng.uniform(0.02, 0.5))
    if rng.random() > 0.35:
        return
    c = layout.centres_mm()
    mid = c.mean(0)
    reach = float(np.max(np.linalg.norm(c - mid, axis=1))) + 45
    for _ in range(int(rng.integers(1, 3))):
        a = float(rng.uniform(0, 2 * math.pi))
        off = reach + float(rng.uniform(20, 400))
        d = (gx - mid[0]) * math.cos(a) + (gy - mid[1]) * math.sin(a) - off
        beyond = d > 0
        if beyond.any():
            floor = paint_table(rng, gx * 0.5, gy * 0.5) * np.float32(rng.uniform(0.15, 0.9))
            soft = cv2.GaussianBlur(floor, (0, 0), 2.5)
            light[beyond] = soft[beyond]
            light[(d > -float(rng.uniform(1, 6))) & ~beyond] *= np.float32(rng.uniform(0.4, 1.5))


def _places(rng: np.random.Generator, gx: F32, gy: F32, n: int) -> F64:
    """Places on the table that are in view, (n, 2) mm."""
    h, w = gx.shape
    ys, xs = rng.integers(0, h, n), rng.integers(0, w, n)
    return np.stack([gx[ys, xs], gy[ys, xs]], -1).astype(np.float64)


def _falloff(lights: Lights, gx: F32, gy: F32) -> list[F32]:
    h, w = gx.shape[0] // 2, gx.shape[1] // 2
    _, small = lights.floor(gx[::8, ::8], gy[::8, ::8])
    return [np.asarray(cv2.resize(f, (w, h), interpolation=cv2.INTER_LINEAR), np.float32) for f in small]


def _lit(lights: Lights, falls: list[F32], shade: list[F32], sky: F32, size_wh: tuple[int, int]) -> F32:
    """Light that reaches a plane, (H, W, 3), from half-size fields."""
    planes = []
    for c in range(3):
        out = sky * lights.ambient[c]
        for lamp, fall, s in zip(lights.lamps, falls, shade, strict=True):
            way = lamp.place_mm / np.linalg.norm(lamp.place_mm)
            out += (fall * s) * np.float32(float(lamp.color[c]) * max(0.3, float(way[2])))
        planes.append(out)
    return np.asarray(cv2.resize(cv2.merge(planes), size_wh, interpolation=cv2.INTER_LINEAR), np.float32)


def _glare(camera: Camera, lamp: object, gx: F32, gy: F32, rng: np.random.Generator) -> F32:
    """Mirror image of a lamp on the table plane, (H, W) float32."""
    from models.train.scenes.lights import Lamp

    assert isinstance(lamp, Lamp)
    h, w = gx.shape
    x, y = gx[::8, ::8].astype(np.float64), gy[::8, ::8].astype(np.float64)
    p = np.stack([x, y, np.zeros_like(x)], -1)
    a = lamp.place_mm - p
    b = camera.centre_mm - p
    half = a / np.linalg.norm(a, axis=-1, keepdims=True) + b / np.linalg.norm(b, axis=-1, keepdims=True)
    nz = half[..., 2] / np.linalg.norm(half, axis=-1)
    power = float(np.exp(rng.uniform(math.log(20), math.log(1200))))
    s = (np.clip(nz, 0, 1) ** power * float(rng.uniform(0.5, 3.0))).astype(np.float32)
    big = np.asarray(cv2.resize(s, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)
    return np.maximum(big * (1 + 0.1 * octave(rng, gx, gy, 60, 2)), 0).astype(np.float32)


def _mips(faces: NDArray[np.uint8]) -> list[list[U8]]:
    out = []
    for f in faces:
        chain = [np.asarray(f, np.uint8)]
        while chain[-1].shape[0] > 24:
            n = chain[-1].shape[0] // 2
            chain.append(np.asarray(cv2.resize(chain[-1], (n, n), interpolation=cv2.INTER_AREA), np.uint8))
        out.append(chain)
    return out


_DECODE = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)


def _outline(quad: F64, round_mm: float) -> F64:
    """The quad with its corners rounded off, (n, 3)."""
    if round_mm <= 0:
        return quad
    out = []
    for k in range(4):
        p, a, b = quad[k], quad[k - 1], quad[(k + 1) % 4]
        da, db = (a - p) / np.linalg.norm(a - p), (b - p) / np.linalg.norm(b - p)
        out += [p + da * round_mm, p + (da + db) * round_mm * 0.3, p + db * round_mm]
    return np.array(out)


def _draw_face(
    canvas: Canvas,
    camera: Camera,
    own: F64,
    chain: list[U8],
    lit: F32,
    gleam: F32,
    owner: int,
    round_mm: float,
    rim: float,
    gain: np.float32,
) -> None:
    """A printed face on a flat thing. own (4, 3): world corners of the picture's nw ne se sw."""
    q = camera.project(own)
    outline = camera.project(_outline(own, round_mm))
    h, w = canvas.owner.shape
    lo, hi = np.floor(q.min(0)).astype(int) - 1, np.ceil(q.max(0)).astype(int) + 2
    a, b, c, d = max(0, int(lo[0])), max(0, int(lo[1])), min(w, int(hi[0])), min(h, int(hi[1]))
    if a >= c or b >= d:
        return
    side = float(np.mean(np.linalg.norm(np.roll(q, -1, 0) - q, axis=1)))
    tex = chain[0]
    for t in chain:
        if t.shape[0] >= 0.85 * side:
            tex = t
    n, m = tex.shape[:2]
    src = np.array([(0, 0), (m, 0), (m, n), (0, n)], np.float32) - np.float32(0.5)
    hom = cv2.getPerspectiveTransform(src, (q - (a, b)).astype(np.float32))
    if rim:
        tex = tex.copy()
        e = max(1, round(n * 0.012))
        for strip in (tex[:e], tex[-e:], tex[:, :e], tex[:, -e:]):
            strip[:] = np.clip(strip * (1 + rim) + (40 if rim > 0 else 0), 0, 255).astype(np.uint8)
    face = cv2.warpPerspective(tex, hom, (c - a, d - b), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((d - b, c - a), np.uint8)
    cv2.fillPoly(mask, [np.round((outline - (a, b)) * 256).astype(np.int32)], 255, cv2.LINE_AA, 8)
    col = _DECODE[face] * lit[b:d, a:c] + gleam[b:d, a:c] * gain
    canvas.blend(a, b, np.asarray(col, np.float32), mask.astype(np.float32) / 255, owner)


def _draw_sides(
    canvas: Canvas, camera: Camera, quad: F64, height_mm: float, core: F32, lights: Lights, owner: int | None = None
) -> None:
    """The side faces of a flat thing that the eye can see. quad (4, 3): its upper face."""
    eye = camera.centre_mm
    for k in range(4):
        p, r = quad[k], quad[(k + 1) % 4]
        e = r - p
        normal = np.array([e[1], -e[0], 0.0]) / max(1e-9, math.hypot(e[0], e[1]))
        if float((eye - p) @ normal) <= 0:
            continue
        drop = np.array([0, 0, height_mm])
        pts = camera.project(np.stack([p, r, r - drop, p - drop]))
        lo, hi = np.floor(pts.min(0)).astype(int) - 1, np.ceil(pts.max(0)).astype(int) + 2
        if (hi - lo).max() > 4000 or (hi - lo).min() < 1:
            continue
        mask = np.zeros((hi[1] - lo[1], hi[0] - lo[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.round((pts - lo) * 256).astype(np.int32), 255, cv2.LINE_AA, 8)
        lit = lights.shade(core, normal, (p + r) / 2, eye, 0.0) * np.float32(0.6)
        col = np.broadcast_to(lit, (*mask.shape, 3)).astype(np.float32)
        canvas.blend(int(lo[0]), int(lo[1]), col, mask.astype(np.float32) / 255, owner)


def _draw_slab(
    canvas: Canvas, camera: Camera, slab: Slab, lit: F32, gleam: F32, owner: int, lights: Lights | None = None
) -> None:
    if camera.depth(slab.corners_mm).min() < 100:
        return
    if lights is None:
        lights = Lights((), np.full(3, 0.6, np.float32))
    if slab.thick_mm > 0.5:
        _draw_sides(canvas, camera, slab.corners_mm, slab.thick_mm, slab.side, lights, owner)
    tex = slab.picture
    chain = [tex, *(np.asarray(cv2.resize(tex, None, fx=f, fy=f, interpolation=cv2.INTER_AREA), np.uint8) for f in (0.5, 0.25))]
    _draw_face(canvas, camera, slab.corners_mm, chain, lit, gleam, owner, slab.round_mm, 0.0, np.float32(0.5))
