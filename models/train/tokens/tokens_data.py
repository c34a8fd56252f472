"""Training pictures for the token classifier: synthetic tables full of animal tiles, cut where one may lie.

Meeples stand on some tiles and before others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks import HOUSE_ART, make_deck
from models.train.decks.sprites import paste, random_sprite
from models.train.decks.textures import jitter_colour, palette
from models.train.pieces.pieces_data import house, random_tokens, scanned
from models.train.scenes import Scene, random_room
from models.train.scenes.layout import COLORS, TOWARDS_DEG, Layout, PieceSpec, flush_at, random_layout
from models.train.scenes.objects.flats import token_outline
from models.train.scenes.render import TOKEN_SHAPES, render_layout
from models.train.scenes.scene import ScenePiece
from vision.observation import Sight
from vision.tokens.crops import (
    LIGHT_PX,
    SIDE_PX,
    BoardLight,
    corners_at,
    on_tile,
    print_square,
    token_pictures,
)

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
ART_PX = 96
LEAST_VISIBLE = 0.03
"""Minimum visible share of an animal tile that is learned from."""
OFF, OFF_TURN_DEG, OFF_QUAD = 0.06, 4.0, 0.012
"""Deviations of a crop: place in animal-tile sides, rotation in degrees, the tile's corners in tile sides."""
AGAIN = 2  # looks at each place


@dataclass(frozen=True)
class Choices:
    """Places of one table. tokens uint8 (t, TOKEN_PX, TOKEN_PX, 4) its animal tiles; seen float16 (n, S, S,
    3) in print's light, bare uint8 (n, S, S, 3) and known bool (n, S, S) the print; label int8 (n,): 0
    nothing, else 1 + the animal tile; visible float32 (n,): how much of it, or of the print there, is in
    sight."""

    tokens: U8
    seen: NDArray[np.float16]
    bare: U8
    known: NDArray[np.bool_]
    label: NDArray[np.int8]
    visible: F32


@lru_cache(maxsize=1)
def _house_tokens() -> tuple[U8, ...]:
    files = sorted(HOUSE_ART.glob("token-*.png"))
    arts = [cv2.imread(str(file), cv2.IMREAD_UNCHANGED) for file in files]
    return tuple(
        np.asarray(cv2.resize(art, (ART_PX, ART_PX), interpolation=cv2.INTER_AREA), np.uint8)
        for art in arts
        if art is not None
    )


def painted_tokens(rng: np.random.Generator, n: int = 5) -> U8:
    """Square pictures (n, ART_PX, ART_PX, 3) of animal tiles that share a ground and differ in their colours,
    their emblem, or both."""
    ground = palette(rng, 3)[0]
    colours = [rng.uniform(0, 255, 3) for _ in range(n)]
    tinted = rng.random() < 0.8
    shaded, rim, emblem = rng.uniform(0.2, 1.0), rng.uniform(0, 0.06), rng.uniform(0.4, 0.7)
    at = (float(rng.uniform(0.45, 0.62)), float(rng.uniform(0.45, 0.62)))
    y, x = np.mgrid[0:ART_PX, 0:ART_PX].astype(np.float32) / ART_PX
    fade = np.clip(1.1 - (x + y) * rng.uniform(0.6, 1.2), 0, 1)[..., None] * np.float32(shaded)
    out = []
    for colour in colours:
        own = colour if tinted else np.asarray(ground)
        face = np.asarray(ground, np.float32) * (1 - fade) + own.astype(np.float32) * fade
        face = np.ascontiguousarray(np.clip(face, 0, 255).astype(np.uint8))
        if rng.random() < 0.7:
            shield = tuple(float(v) for v in jitter_colour(rng, own, 60))
            middle = (round(at[0] * ART_PX), round(at[1] * ART_PX))
            cv2.circle(face, middle, round(emblem * ART_PX / 2), shield, -1, cv2.LINE_AA)
        paste(face, random_sprite(rng, "animal"), at, emblem * ART_PX, 0.0)
        width = round(rim * ART_PX)
        if width:
            cv2.rectangle(face, (0, 0), (ART_PX - 1, ART_PX - 1), tuple(float(v) for v in own), width)
        out.append(face)
    return np.stack(out).astype(np.uint8)


def _arts(tokens: U8, shape: str) -> tuple[U8, ...]:
    """Pictures with what their outline leaves of them."""
    cover = np.zeros(tokens.shape[1:3], np.uint8)
    cv2.fillPoly(cover, [np.round(token_outline(shape) * len(cover) - 0.5).astype(np.int32)], 255)
    return tuple(np.dstack([token, cover]) for token in tokens)


def full_of_tokens(rng: np.random.Generator, layout: Layout, n_tokens: int) -> Layout:
    """The table with animal tiles at many corners and on some tiles, and meeples on and about them."""
    side = layout.token_mm / layout.tile_mm
    share, stood = rng.uniform(0.15, 0.6), rng.uniform(0.2, 0.8)
    pieces: list[PieceSpec] = []
    for tile in layout.tiles:
        for corner, towards in TOWARDS_DEG.items():
            u, v = flush_at(corner, side)
            laid = rng.random() < share
            if laid:
                uv = (u + float(rng.normal(0, 0.012)), v + float(rng.normal(0, 0.012)))
                turn = float((towards if rng.random() < 0.93 else 90 * rng.integers(4)) + rng.normal(0, 2.5))
                pieces.append(_token(rng, tile.cell, uv, turn, n_tokens, corner))
            if rng.random() < (stood if laid else 0.2):
                pieces.append(_person(rng, tile.cell, (u, v), 0.07, laid))
        if rng.random() < 0.25:
            middle = tuple(float(at) for at in rng.uniform(0.3, 0.7, 2))
            turn = float(rng.integers(4) * 90 + rng.normal(0, 8))
            pieces.append(_token(rng, tile.cell, middle, turn, n_tokens, None))
            if rng.random() < stood:
                pieces.append(_person(rng, tile.cell, middle, 0.15, True))
    return replace(layout, pieces=tuple(pieces))


def _token(
    rng: np.random.Generator,
    cell: tuple[int, int],
    uv: tuple[float, ...],
    turn_deg: float,
    n_tokens: int,
    corner: str | None,
) -> PieceSpec:
    face = int(rng.integers(n_tokens))
    return PieceSpec("token", None, "lying", cell, (uv[0], uv[1]), (0.0, 0.0), turn_deg, face, corner)


def _person(
    rng: np.random.Generator, cell: tuple[int, int], uv: tuple[float, ...], off: float, lifted: bool
) -> PieceSpec:
    u, v = np.clip(np.asarray(uv) + rng.normal(0, off, 2), 0.05, 0.95)
    pose = "standing" if rng.random() < 0.7 else "lying"
    turn, color = float(rng.uniform(0, 360)), str(rng.choice(COLORS))
    level = 2.0 if lifted else 0.0
    return PieceSpec("meeple", color, pose, cell, (float(u), float(v)), (0.0, 0.0), turn, level_mm=level)


class TokenTables:
    """An endless row of tables with animal tiles."""

    def __init__(self, seed: int, house_share: float = 0.35) -> None:
        self._seed = seed
        self._house_share = house_share

    def choices(self, number: int) -> Choices:
        """The places of one table."""
        rng = np.random.default_rng([self._seed, number])
        if rng.random() < self._house_share and (known := house(128)) is not None:
            faces, arts, shape = known[0], _house_tokens(), "quarter"
            tokens = np.stack([art[..., :3] for art in arts])
        else:
            faces = make_deck(rng, int(rng.integers(6, 16)), 112).faces
            tokens = painted_tokens(rng) if rng.random() < 0.7 else random_tokens(rng, faces)
            shape = str(rng.choice(TOKEN_SHAPES, p=(0.6, 0.25, 0.15)))
            arts = _arts(tokens, shape)
        n = int(rng.integers(3, 16))
        layout = full_of_tokens(rng, random_layout(rng, len(faces), n), len(tokens))
        size = (1280, 720) if rng.random() < 0.75 else (960, 540)
        quality = float(rng.uniform(0.45, 1.0)) if rng.random() < 0.7 else None
        room = random_room(
            rng, hands=0.0, partly_out=0.05, quality=quality, tokens=tokens, token_shape=shape, clutter=0.1,
            low_lamp=bool(rng.random() < 0.15), exposure=math.exp(float(rng.normal(0, 0.35))),
            elevation_range=(38.0, 90.0),
        )  # fmt: skip
        scene = render_layout(layout, room, rng, faces, size)
        prints = scanned(faces, rng) if rng.random() < 0.5 else faces
        found = list(_looked_at(rng, scene, prints))
        if not found:
            raise ValueError("no place for an animal tile in sight")
        seen, bare, seen_print, label, visible = zip(*found, strict=True)
        return Choices(
            token_pictures(arts), np.stack(seen).astype(np.float16), np.stack(bare), np.stack(seen_print),
            np.array(label, np.int8), np.array(visible, np.float32),
        )  # fmt: skip


def _looked_at(
    rng: np.random.Generator, scene: Scene, prints: U8
) -> Iterator[tuple[F32, U8, NDArray[np.bool_], int, float]]:
    """Looks at the places of a scene: seen, print, where that is known, label, share in sight."""
    layout = scene.layout
    side = layout.token_mm / layout.tile_mm
    turns = {(spec.cell, spec.uv): spec.turn_deg for spec in layout.pieces if spec.kind == "token"}
    tokens: dict[tuple[int, int], list[ScenePiece]] = {}
    for piece in scene.pieces:
        if piece.kind == "token" and piece.cell is not None:
            tokens.setdefault(piece.cell, []).append(piece)
    quads: dict[tuple[int, int], NDArray[np.float64]] = {}
    faces: dict[tuple[int, int], U8] = {}
    for tile in scene.tiles:
        quad = np.roll(tile.corners_px, tile.rot // 90, axis=0)
        wrong = OFF_QUAD / 2 * float(np.linalg.norm(quad[0] - quad[1]))
        quads[tile.cell] = quad + rng.normal(0, wrong, 2) + rng.normal(0, wrong, (4, 2))
        if rng.random() > 0.06:
            faces[tile.cell] = np.ascontiguousarray(np.rot90(prints[tile.face], -(tile.rot // 90)))
    sight = Sight(scene.image)
    light = BoardLight.of(sight.crops([quads[cell] for cell in faces], LIGHT_PX), faces)
    for index, tile in enumerate(scene.tiles):
        if tile.in_frame < 0.95:
            continue
        quad, face = quads[tile.cell], faces.get(tile.cell)
        here = tokens.get(tile.cell, [])
        places = [(p.uv, turns[p.cell, p.uv], 1 + p.face, p.visible) for p in here]
        places += list(_bare_places(rng, scene, index, quad, side, here))
        for uv, turn, label, visible in places:
            if visible < LEAST_VISIBLE:
                continue
            for _ in range(AGAIN if visible < 0.7 else 1):
                u, v = np.asarray(uv) + rng.normal(0, OFF * side, 2)
                turned = turn + float(rng.normal(0, OFF_TURN_DEG))
                corners = corners_at((u, v), turned, side)
                seen = light.whitened(sight.crops(on_tile(quad, corners), SIDE_PX)[0], tile.cell)
                bare, known = print_square(face, corners, SIDE_PX)
                yield seen, bare, known, label, visible


def _bare_places(
    rng: np.random.Generator,
    scene: Scene,
    index: int,
    quad: NDArray[np.float64],
    side: float,
    tokens: list[ScenePiece],
) -> Iterator[tuple[tuple[float, float], float, int, float]]:
    """Places on a tile where no animal tile lies, most of them at corners and half hidden ones first."""
    corners = [(flush_at(corner, side), float(turn)) for corner, turn in TOWARDS_DEG.items()]
    anywhere = [
        ((float(u), float(v)), float(rng.uniform(0, 360))) for u, v in rng.uniform(0.25, 0.75, (2, 2))
    ]
    for uv, turn in (*corners, *anywhere):
        if any(math.dist(uv, token.uv) < 0.85 * side for token in tokens):
            continue
        visible = _in_sight(scene, index, quad, uv, side)
        if rng.random() < (0.9 if visible < 0.85 else 0.25):
            yield uv, turn, 0, visible


def _in_sight(
    scene: Scene, index: int, quad: NDArray[np.float64], uv: tuple[float, float], side: float
) -> float:
    """Share of the print at a place that belongs to its tile in the picture."""
    owner = np.repeat((scene.owner == 1 + index).astype(np.uint8)[..., None] * 255, 3, axis=2)
    return float(Sight(owner).crops(on_tile(quad, corners_at(uv, 0.0, 0.75 * side)), SIDE_PX).mean()) / 255
