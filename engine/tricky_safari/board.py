"""Board of Tricky Safari: ten by ten squares, their terrain, and the animals on them.

Squares are named ``a1`` to ``j10``, columns from the left, rows from the bottom; north is towards row 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from engine.tricky_safari.rules import AT_HOME, GROUND, SPECIES

Square = str
Facing = Literal["n", "e", "s", "w"]
SIZE = 10
COLUMNS = "abcdefghij"
FACINGS: tuple[Facing, ...] = get_args(Facing)
_STEPS: Mapping[str, tuple[int, int]] = {
    "n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0),
    "ne": (1, 1), "se": (1, -1), "sw": (-1, -1), "nw": (-1, 1),
}  # fmt: skip


def square_at(column: int, row: int) -> Square | None:
    """Return the name of the square at that column (0 is a) and row (1 is the bottom one).
    None off the board."""
    inside = 0 <= column < SIZE and 1 <= row <= SIZE
    return f"{COLUMNS[column]}{row}" if inside else None


SQUARES: tuple[Square, ...] = tuple(f"{column}{row}" for row in range(SIZE, 0, -1) for column in COLUMNS)
"""Every square in reading order: row 10 first, a to j."""
ORDER: Mapping[Square, int] = {square: i for i, square in enumerate(SQUARES)}
PLACE: Mapping[Square, tuple[int, int]] = {
    square: (i % SIZE, SIZE - i // SIZE) for square, i in ORDER.items()
}
"""Column (0 is a) and row of each square."""


def _ray(square: Square, direction: str) -> tuple[Square, ...]:
    """Return the squares from a square to the edge in one direction, nearest first, itself left out."""
    (column, row), (east, north) = PLACE[square], _STEPS[direction]
    found = []
    while (following := square_at(column := column + east, row := row + north)) is not None:
        found.append(following)
    return tuple(found)


RAYS: Mapping[Square, Mapping[str, tuple[Square, ...]]] = {
    square: {direction: _ray(square, direction) for direction in _STEPS} for square in SQUARES
}
"""The squares in a straight line from each square, by direction, nearest first."""
ROOK_LINES: Mapping[Square, tuple[tuple[Square, ...], ...]] = {
    square: tuple(rays[facing] for facing in FACINGS if rays[facing]) for square, rays in RAYS.items()
}
QUEEN_LINES: Mapping[Square, tuple[tuple[Square, ...], ...]] = {
    square: tuple(ray for ray in rays.values() if ray) for square, rays in RAYS.items()
}


def turned(facing: Facing, quarters: int) -> Facing:
    """Return the facing after ``quarters`` quarter turns clockwise."""
    return FACINGS[(FACINGS.index(facing) + quarters) % 4]


def next_to(square: Square, facing: Facing) -> Square | None:
    """Return the neighbouring square in that direction; None beyond the edge."""
    ray = RAYS[square][facing]
    return ray[0] if ray else None


class Animal(NamedTuple):
    """An animal: species, square, and the direction of its arrow."""

    species: str
    square: Square
    facing: Facing


class SquaresAround(NamedTuple):
    """The four squares around an animal, relative to its facing; None beyond the edge."""

    ahead: Square | None
    right: Square | None
    behind: Square | None
    left: Square | None


SIDES: Mapping[tuple[Square, Facing], SquaresAround] = {
    (square, facing): SquaresAround(*(next_to(square, turned(facing, quarters)) for quarters in range(4)))
    for square in SQUARES
    for facing in FACINGS
}
IN_VIEW: Mapping[tuple[Square, Facing], frozenset[Square]] = {
    place: frozenset(square for square in (sides.ahead, sides.right, sides.left) if square)
    for place, sides in SIDES.items()
}
"""Squares from which a camera photographs an animal: ahead and at both sides ('How to take photos?')."""


@dataclass(frozen=True, slots=True)
class Terrain:
    """Immutable terrain of a board.
    ``terrain`` is the sign of each square, ``rough`` are the squares that cameras cannot enter, ``closed``
    those that each species cannot enter, with None for beyond the edge."""

    terrain: Mapping[Square, str]
    rough: frozenset[Square]
    closed: Mapping[str, frozenset[Square | None]]

    @classmethod
    def of(cls, rows: Sequence[str]) -> Terrain:
        """Return the terrain of ten rows of ten signs, row 10 first. Raises ValueError for another shape."""
        if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
            raise ValueError("a landscape has 10 rows of 10 squares")
        terrain = dict(zip(SQUARES, "".join(rows), strict=True))
        rough = frozenset(square for square, kind in terrain.items() if kind != GROUND)
        closed = {
            species: frozenset({None, *(s for s in rough if terrain[s] != AT_HOME.get(species))})
            for species in SPECIES
        }
        return cls(terrain, rough, closed)

    @property
    def rows(self) -> tuple[str, ...]:
        """The ten rows of ten signs, row 10 first."""
        signs = "".join(self.terrain[square] for square in SQUARES)
        return tuple(signs[i : i + SIZE] for i in range(0, SIZE * SIZE, SIZE))

    def reach(
        self, camera: Square, held: Iterable[Square], other: Square, *, rook: bool
    ) -> tuple[Square, ...]:
        """Return the squares to which a camera can move, nearest first in each direction.

        It moves along rows and columns with ``rook``, else also diagonally ('Start of the game', 'Search for
        the animals'). ``held`` are the animals' squares, which block; ``other`` is the other camera's, which
        may be passed but not entered.
        """
        blocked = self.rough.union(held)
        found = []
        for line in (ROOK_LINES if rook else QUEEN_LINES)[camera]:
            for square in line:
                if square in blocked:
                    break
                if square != other:
                    found.append(square)
        return tuple(found)
