"""Renderer of a synthetic table: one picture, with everything on it known exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks import random_deck
from models.train.scenes.camera import Camera, random_camera
from models.train.scenes.film import develop
from models.train.scenes.layout import Layout, TileSpec, random_layout
from models.train.scenes.lights import Lights, Shadows, random_lights
from models.train.scenes.objects.clutter import Clutter, Slab, random_clutter
from models.train.scenes.objects.flats import (
    draw_face,
    draw_sides,
    draw_slab,
    mip_chains,
    on_quad,
    tile_quad,
    token_outline,
    token_quad,
)
from models.train.scenes.objects.hands import Capsule, cast_hand, draw_hand, random_hand
from models.train.scenes.objects.shapes import PieceSet
from models.train.scenes.objects.solids import Canvas, Solid, draw_solid
from models.train.scenes.objects.standing import Stood, foot, stand_pieces, with_spares
from models.train.scenes.scene import PIECE0, Room, Scene, ScenePiece, SceneTile, random_room
from models.train.scenes.surroundings import (
    end_of_table,
    falloff,
    glare,
    light_on,
    places_in_view,
    somebodys_shadow,
)
from models.train.scenes.tabletops import KINDS, paint_table

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


TOKEN_SHAPES = ("quarter", "square", "disc")


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
        faces = random_deck(rng, int(rng.integers(12, 40)), 128)
    room = random_room(rng) if room is None else room
    n_tokens = (5 if room.tokens is None else len(room.tokens)) if pieces else 0
    layout = random_layout(rng, len(faces), n_tiles, n_tokens, density if pieces else 0.0, room.huts)
    if room.grey is not None:
        grey = tuple(replace(p, color="grey") if p.color == room.grey else p for p in layout.pieces)
        layout = replace(layout, pieces=grey)
    if room.stand_ins:
        layout = _with_stand_ins(layout, room)
    return render_layout(layout, room, rng, faces, size_wh)


ODD = 0.06
"""Share of the pieces of other players that are stand-ins, too, on a table that has some."""


def _with_stand_ins(layout: Layout, room: Room) -> Layout:
    """The layout with stand-ins in place of all meeples of some players, and of a few of the others."""
    rng = np.random.default_rng([room.seed, 41])
    colors = sorted({str(p.color) for p in layout.pieces if p.kind == "meeple"})
    lost = {color for color in colors if rng.random() < room.stand_ins}
    pieces = tuple(
        replace(p, kind="other", pose="lying")
        if p.kind == "meeple" and (p.color in lost or rng.random() < ODD)
        else p
        for p in layout.pieces
    )
    return replace(layout, pieces=pieces)


@dataclass(frozen=True)
class Still:
    """Parts of a session's pictures that stay, the room apart: the things beside the board, and the table at
    its fullest, after which lamps and table are placed. hands are drawn in this picture."""

    whole: Layout
    clutter: Clutter
    seed: int
    hands: tuple[list[Capsule], ...] = ()

    def rng(self, what: int) -> np.random.Generator:
        """The same numbers for every picture."""
        return np.random.default_rng([self.seed, what])


def render_layout(
    layout: Layout,
    room: Room,
    rng: np.random.Generator,
    faces: NDArray[np.uint8],
    size_wh: tuple[int, int] = (1280, 720),
    still: Still | None = None,
) -> Scene:
    """Draw a given table in a given room. rng decides what differs from picture to picture; with still
    that is little."""
    fixed = np.random.default_rng(room.seed)
    whole = layout if still is None else still.whole
    centres = whole.centres_mm()
    camera = room.camera or random_camera(
        rng, size_wh, centres, layout.tile_mm, room.elevation_range, room.partly_out
    )
    printing = PieceSet(fixed, room.dye, room.stout)
    table = room.table or _table_kind(fixed)
    lights = random_lights(fixed, centres.mean(0), room.low_lamp).warmed(room.warmth)
    gx, gy = camera.plane_maps(0.0)
    light = paint_table(fixed, gx, gy, table)
    end_of_table(fixed, whole, gx, gy, light)
    if still is None:
        places = places_in_view(rng, gx, gy, 160)
        clutter = clutter_for(rng, room, layout, faces, places)
        layout = with_spares(rng, layout, clutter, places[-24:])
    else:
        clutter = still.clutter
    stood = stand_pieces(layout, printing, rng if still is None else still.rng(0))
    hands = _hands(rng, room, layout) if still is None else list(still.hands)
    held = [] if still else [s for hand in hands for s in _held_tile(rng, hand, layout, faces)]

    shadows = Shadows(camera, lights, fixed)
    _cast_all(shadows, camera, layout, stood, clutter, hands)
    for slab in held:
        shadows.cast(slab.corners_mm, layout.thick_mm)
    if still is None and rng.random() < 0.25:
        somebodys_shadow(rng, shadows, size_wh)
    falls = falloff(lights, gx, gy)
    lit = light_on(lights, falls, shadows.lamp, shadows.sky, size_wh)
    quads = [tile_quad(t, layout) for t in layout.tiles]
    _cast_flat(shadows, camera, [*quads, *(s.corners_mm for s in clutter.slabs)])
    light *= light_on(lights, falls, shadows.lamp, shadows.sky, size_wh)
    shine = np.zeros_like(light)
    for lamp in lights.lamps:
        shine += glare(camera, lamp, gx, gy, fixed)[..., None] * lamp.color
    light += shine * np.float32(fixed.choice([0.0, 0.0, 0.1, 0.4]))
    shine *= np.float32(fixed.choice([0.0, 0.05, 0.15, 0.5]))

    canvas = Canvas(light, np.zeros((size_wh[1], size_wh[0]), np.int16))
    ink = Ink(camera, lights, lit, shine, _cardboard(fixed))
    for slab in clutter.slabs:
        if slab.thick_mm < TALL_MM:
            draw_slab(canvas, camera, slab, lit, shine, 0, lights)
    _draw_tiles(canvas, ink, layout, quads, faces, fixed, rng if still is None else still.rng(1))
    tokens = room.tokens if room.tokens is not None else faces
    shape = room.token_shape or TOKEN_SHAPES[room.seed % len(TOKEN_SHAPES)]
    seen = _draw_things(canvas, ink, layout, stood, clutter, tokens, shape, rng)
    for slab in held:
        draw_slab(canvas, camera, slab, lit, shine, -1, lights)
    for hand in hands:
        draw_hand(canvas, camera, hand, lights, rng)

    counts = np.bincount(canvas.owner.ravel().clip(0), minlength=PIECE0 + len(stood) + 1)
    tiles = tuple(
        _tile_truth(camera, t, q, int(counts[1 + k]), size_wh)
        for k, (t, q) in enumerate(zip(layout.tiles, quads, strict=True))
    )
    pieces = tuple(
        _piece_truth(camera, stood[j], box, counts[PIECE0 + j] / area)
        for j, (area, box) in sorted(seen.items())
        if area >= 4
    )
    if still is None:
        image = develop(rng, canvas.light, room.quality, exposure=room.exposure)
    else:
        image = develop(still.rng(2), canvas.light, room.quality, steady=True, exposure=room.exposure)
    return Scene(image, tiles, pieces, canvas.owner, camera, layout, table)


def clutter_for(
    rng: np.random.Generator, room: Room, layout: Layout, faces: NDArray[np.uint8], places: F64
) -> Clutter:
    """Things beside that board, as many as the room has."""
    amount = float(rng.beta(1.0, 1.3)) if room.clutter is None else room.clutter
    return random_clutter(rng, layout, faces, places, amount)


TALL_MM = 9.0
"""Minimum height in millimetres of a flat thing that is drawn among the standing ones and counts as cover."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Ink:
    """Shading of every flat thing: lit and shine (H, W, 3), core the cardboard's linear BGR."""

    camera: Camera
    lights: Lights
    lit: F32
    shine: F32
    core: F32


def _table_kind(rng: np.random.Generator) -> str:
    kinds = list(KINDS)
    weights = np.array([KINDS[k][1] for k in kinds])
    return kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]


def _cardboard(rng: np.random.Generator) -> F32:
    grey = np.full(3, float(rng.uniform(0.04, 0.6)))
    return np.asarray(grey * rng.uniform(0.8, 1.0, 3), np.float32)


def _cast_all(
    shadows: Shadows,
    camera: Camera,
    layout: Layout,
    stood: list[Stood],
    clutter: Clutter,
    hands: list[list[Capsule]],
) -> None:
    """The shadows of everything that stands up."""
    for s in stood:
        if s.solid is not None:
            shadows.cast(s.solid.cloud_mm, s.floor_mm)
            shadows.contact(foot(s.solid), 2.2 * camera.px_per_mm(s.at_mm), 0.55)
    for thing in clutter.solids:
        shadows.cast(thing.cloud_mm, layout.thick_mm)
        shadows.contact(foot(thing), 5 * camera.px_per_mm(thing.cloud_mm[0]), 0.5)
    for hand in hands:
        cast_hand(shadows, hand, layout.thick_mm)


def _cast_flat(shadows: Shadows, camera: Camera, quads: list[F64]) -> None:
    """The shadows of flat things on the table beside them."""
    for quad in quads:
        shadows.cast(quad, 0.0, strength=0.9)
        shadows.contact(quad * (1, 1, 0), max(0.6, 1.7 * camera.px_per_mm(quad[0])), 0.5)


def _draw_tiles(
    canvas: Canvas,
    ink: Ink,
    layout: Layout,
    quads: list[F64],
    faces: NDArray[np.uint8],
    fixed: np.random.Generator,
    rng: np.random.Generator,
) -> None:
    round_mm = float(fixed.choice([0.0, 0.0, 0.6, 1.5]))
    rim = float(fixed.choice([0.0, 0.0, 0.3, -0.5]))
    chains = mip_chains(faces)
    for quad in quads:
        draw_sides(canvas, ink.camera, quad, layout.thick_mm, ink.core, ink.lights)
    for k, (tile, quad) in enumerate(zip(layout.tiles, quads, strict=True)):
        own = np.roll(quad, -(tile.rot // 90), axis=0)
        gain = np.float32(max(0.0, rng.normal(1, 0.25)))  # no two tiles lie exactly level
        draw_face(canvas, ink.camera, own, chains[tile.face], ink.lit, ink.shine, 1 + k, round_mm, rim, gain)


def _draw_things(
    canvas: Canvas,
    ink: Ink,
    layout: Layout,
    stood: list[Stood],
    clutter: Clutter,
    tokens: NDArray[np.uint8],
    shape: str,
    rng: np.random.Generator,
) -> dict[int, tuple[float, Box]]:
    """Tokens first, then all that stands, far to near. Returns (area px, bbox) by piece."""
    camera, eye = ink.camera, ink.camera.centre_mm
    seen: dict[int, tuple[float, Box]] = {}
    jobs: list[tuple[float, int, Slab | Solid]] = []
    for j, s in enumerate(stood):
        if s.solid is not None:
            jobs.append((float(np.linalg.norm(s.at_mm - eye)), PIECE0 + j, s.solid))
            continue
        quad = token_quad(s.spec, layout, s.at_mm)
        outline = on_quad(token_outline(shape), quad)
        draw_sides(canvas, camera, outline, 2.0, ink.core, ink.lights, PIECE0 + j)
        face = [np.asarray(tokens[s.spec.face % len(tokens)], np.uint8)]
        one = np.float32(1)
        draw_face(canvas, camera, quad, face, ink.lit, ink.shine, PIECE0 + j, 0.8, 0.0, one, outline)
        pts = camera.project(outline)
        (x0, y0), (x1, y1) = pts.min(0), pts.max(0)
        area = float(cv2.contourArea(pts.astype(np.float32)))
        seen[j] = (area, (float(x0), float(y0), float(x1), float(y1)))
    tall = [s for s in clutter.slabs if s.thick_mm >= TALL_MM]
    jobs += [(float(np.linalg.norm(s.corners_mm.mean(0) - eye)), -1, s) for s in tall]
    jobs += [(float(np.linalg.norm(t.cloud_mm.mean(0) - eye)), -1, t) for t in clutter.solids]
    for _, who, thing in sorted(jobs, key=lambda job: -job[0]):
        if isinstance(thing, Slab):
            draw_slab(canvas, camera, thing, ink.lit, ink.shine, -1, ink.lights)
            continue
        got = draw_solid(canvas, camera, thing, ink.lights, who, rng)
        if got and who >= PIECE0:
            seen[who - PIECE0] = got
    return seen


def _piece_truth(camera: Camera, s: Stood, box: Box, visible: float) -> ScenePiece:
    p, spec = camera.project(s.at_mm), s.spec
    return ScenePiece(
        kind=spec.kind,
        color=spec.color,
        pose=spec.pose,
        cell=spec.cell,
        uv=spec.uv,
        point_px=(float(p[0]), float(p[1])),
        bbox_px=box,
        visible=float(min(1.0, visible)),
        corner=spec.corner,
        face=spec.face,
        animal=spec.animal,
        feature=spec.feature,
    )


def _tile_truth(camera: Camera, tile: TileSpec, quad: F64, seen: int, size_wh: tuple[int, int]) -> SceneTile:
    corners = camera.project(quad)
    area = float(cv2.contourArea(corners.astype(np.float32)))
    w, h = size_wh
    rim = np.array([(0, 0), (w - 1, 0), (w - 1, h - 1), (0, h - 1)], np.float32)
    inside = float(cv2.intersectConvexConvex(corners.astype(np.float32), rim)[0])
    own = np.roll(corners, -(tile.rot // 90), axis=0)
    return SceneTile(
        tile.cell,
        tile.rot,
        tile.face,
        own,
        min(1.0, inside / max(area, 1e-6)),
        min(1.0, seen / max(area, 1e-6)),
    )


def _hands(rng: np.random.Generator, room: Room, layout: Layout) -> list[list[Capsule]]:
    if rng.random() >= room.hands:
        return []
    out = []
    for _ in range(1 if rng.random() < 0.8 else 2):
        t = layout.tiles[int(rng.integers(len(layout.tiles)))]
        at = np.array(t.centre_mm) + rng.normal(0, layout.tile_mm * 0.7, 2)
        out.append(random_hand(rng, at, float(rng.uniform(0, 360)), float(rng.uniform(8, 60))))
    return out


def _held_tile(
    rng: np.random.Generator, hand: list[Capsule], layout: Layout, faces: NDArray[np.uint8]
) -> list[Slab]:
    """Half of the hands carry a tile at their fingertips, tilted."""
    if rng.random() < 0.5:
        return []
    tips = np.mean([hand[k][1] for k in (1, 4, 7)], axis=0)
    turn, tilt, lean = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.25), rng.uniform(0, 2 * np.pi)
    flat = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (layout.tile_mm / 2)
    xy = flat @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    z = (xy @ np.array([np.cos(lean), np.sin(lean)])) * np.sin(tilt)
    z = z - z.min() + max(3.0, float(tips[2]) - 6)
    corners = np.c_[xy + tips[:2], z]
    face = np.asarray(faces[int(rng.integers(len(faces)))], np.uint8)
    return [Slab(corners, face, layout.thick_mm, np.full(3, 0.3, np.float32))]
