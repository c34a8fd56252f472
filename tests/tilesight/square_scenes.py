"""Tables of Tricky Safari drawn by the fast generator: one board, one room, any position on it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.game import Opening
from engine.geometry import EDGES
from engine.pack import Pack, load_pack
from engine.squares_game import Figure, board_rows, square_place
from engine.tricky_safari.board import SQUARES, Animal
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.records import TrickyHeader
from engine.tricky_safari.rules import COLORS, GROUND, SPECIES, START
from models.train.scenes.camera import Camera, look_at
from models.train.scenes.layout import Layout, PieceSpec, TileSpec
from models.train.scenes.render import render_layout
from models.train.scenes.scene import Room

PACK: Pack = load_pack("tricky-safari")
NAMES = tuple(PACK.quarters)
SIDE, PITCH = 200.0, 200.8


@lru_cache(maxsize=1)
def _art() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    faces = np.stack([cv2.resize(_read(name), (640, 640), interpolation=cv2.INTER_AREA) for name in NAMES])
    tokens = [_read(f"token-{name}") for name in PACK.animals]
    small = [cv2.resize(token, (128, 128), interpolation=cv2.INTER_AREA) for token in tokens]
    return np.asarray(faces, np.uint8), np.asarray(np.stack(small), np.uint8)


def _read(name: str) -> NDArray[np.uint8]:
    path = PACK.art_path(name)
    assert path is not None
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)


@dataclass(frozen=True)
class Scene:
    """A table: which quarters lie where, the room, the camera."""

    parts: dict[tuple[int, int], tuple[str, int]]
    camera: Camera
    seed: int

    @property
    def terrain(self) -> tuple[str, ...]:
        """The rows of signs that the quarters show."""
        return board_rows(PACK, self.parts)

    def opening(self, chance: random.Random) -> TrickyHeader:
        """A random set-up on these quarters."""
        signs = dict(zip(SQUARES, "".join(self.terrain), strict=True))
        free = [s for s in SQUARES if signs[s] == GROUND and s not in START.values()]
        base = Opening("tricky-safari", PACK.id, COLORS, "online")
        animals = zip(SPECIES, chance.sample(free, len(SPECIES)), strict=True)
        return TrickyHeader(
            base.game,
            base.pack,
            base.players,
            base.rules,
            terrain=self.terrain,
            animals=tuple(Animal(name, square, chance.choice(EDGES)) for name, square in animals),
            start=dict(START),
        )

    def picture(self, figures: tuple[Figure, ...], seed: int = 0) -> NDArray[np.uint8]:
        """The table with those figures on it, put down by hand: BGR, the camera's size."""
        rng = np.random.default_rng([self.seed, seed])
        tiles = tuple(
            TileSpec(cell, rot, NAMES.index(name), ((cell[0] - 0.5) * PITCH, (cell[1] - 0.5) * PITCH))
            for cell, (name, rot) in self.parts.items()
        )
        pieces = tuple(_piece(figure, rng) for figure in figures)
        layout = Layout(tiles, pieces, SIDE, PITCH, 2.0, PACK.token_mm or 0.0)
        faces, tokens = _art()
        room = Room(
            self.seed,
            table="wood",
            camera=self.camera,
            clutter=0.0,
            quality=0.8,
            tokens=tokens,
            token_shape="front",
        )
        return render_layout(layout, room, rng, faces, self.camera.size_wh).image


def _piece(figure: Figure, rng: np.random.Generator) -> PieceSpec:
    column, row = square_place(figure.square, 10)
    cell = (column // 5, row // 5)
    # A figure lies the same however often the table is drawn.
    hand = np.random.default_rng([*map(ord, figure.name), column, row, len(figure.facing or "")])
    u, v = ((at % 5 + 0.5) / 5 + float(hand.normal(0, 0.008)) for at in (column, row))
    if figure.facing is None:
        turn = float(hand.uniform(0, 360))
        return PieceSpec("meeple", figure.name, "standing", cell, (u, v), (0.0, 0.0), turn)
    turn = 90.0 * EDGES.index(figure.facing) + float(hand.normal(0, 4))
    face = PACK.animals.index(figure.name)
    return PieceSpec("token", None, "lying", cell, (u, v), (0.0, 0.0), turn, face, None, figure.name)


def scene(seed: int, size_wh: tuple[int, int] = (1280, 720), elevation_deg: float = 58.0) -> Scene:
    """A table with the quarters in any order and turn, seen whole, a1 at the lower left."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(NAMES))
    parts = {(k % 2, k // 2): (NAMES[int(face)], 90 * int(rng.integers(4))) for k, face in enumerate(order)}
    centre = ((size_wh[0] - 1) / 2, (size_wh[1] - 1) / 2)
    camera = look_at(
        np.zeros(2),
        800.0,
        elevation_deg,
        float(rng.uniform(-15, 15)),
        0.5,
        0.95 * size_wh[0],
        (-0.03, 0.0),
        centre,
        size_wh,
    )
    return Scene(parts, camera, seed)


def played(opening: TrickyHeader, chance: random.Random, turns: int) -> list[object]:
    """Random legal turns, passes left out where something else is possible."""
    state = TRICKY_SAFARI.start(opening)
    found: list[object] = []
    for _ in range(turns):
        moves = [turn for turn in state.turns() if not turn.passes] or list(state.turns())
        found.append(chance.choice(moves))
        state = state.apply(found[-1]).state  # type: ignore[arg-type]
    return found
