"""Protocol of games on a board of squares, beyond `engine.game`, so that a camera can follow them.

Everything on such a board stands on squares in plain view: figures that may look somewhere, and the players'
pawns. A turn moves a pawn; what then happens to the figures follows from the rules, and the players carry
it out on the table. Nothing here, and nothing that uses it, asks for a game's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from engine.game import OpenGame, Opening, OpenPlayed, OpenPosition
from engine.geometry import Cell, Edge
from engine.pack import Pack


@dataclass(frozen=True, slots=True)
class Figure:
    """A thing that stands on a square. A pawn has its player's colour for a name and looks nowhere."""

    kind: str
    name: str
    square: str
    facing: Edge | None = None

    def to_json(self) -> dict[str, Any]:
        """The figure for programs."""
        value: dict[str, Any] = {"kind": self.kind, "name": self.name, "cell": self.square}
        return value if self.facing is None else {**value, "facing": self.facing}


@dataclass(frozen=True, slots=True)
class Errand:
    """Errand: a figure's step that the rules demand after a turn, with its reason. Players carry it out."""

    before: Figure
    after: Figure
    why: str

    def to_json(self) -> dict[str, Any]:
        """The errand for programs."""
        return {"from": self.before.to_json(), "to": self.after.to_json(), "why": self.why}


class SquarePosition(OpenPosition, Protocol):
    """A position of such a game."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Everything on the board."""

    @property
    def terrain(self) -> tuple[str, ...]:
        """The rows of the board's signs, north row first."""

    @property
    def collected(self) -> Mapping[str, frozenset[str]]:
        """The names of the figures for which each player has points."""

    @property
    def turns_at_most(self) -> int:
        """Number of turns of the game if nobody wins before."""

    def apply(self, turn: Any) -> SquarePlayed:
        """The turn played; IllegalTurn (with all faults) if it may not be."""


class SquarePlayed(OpenPlayed, Protocol):
    """Result of a turn on a board of squares."""

    @property
    def state(self) -> SquarePosition:
        """The position after the turn."""

    @property
    def errands(self) -> tuple[Errand, ...]:
        """Steps of figures after the turn, in order; empty where nothing moves."""


@runtime_checkable
class SquareGame(OpenGame, Protocol):
    """A game on a fixed board of squares."""

    @property
    def pawn(self) -> str:
        """Name of a pawn's kind, as `Figure.kind`."""

    @property
    def walker(self) -> str:
        """Name of the kind of figures that look somewhere, as `Figure.kind`."""

    def opening_seen(self, opening: Opening, terrain: Sequence[str], figures: Sequence[Figure]) -> Opening:
        """The header of a game set up as it is seen on the table."""

    def turn_seen(self, player: str, square: str | None) -> Any:
        """The turn in which a player's pawn goes to a square; None for the pass."""

    def start(self, header: Any, pack: Any) -> SquarePosition:
        """The position before the first turn; IllegalTurn if the header is at fault."""


def square_name(column: int, row: int, squares: int) -> str:
    """The name of a square: columns from the west are a, b, …, rows count from the south. ``column`` and
    ``row`` count from the north-west, from 0; ``squares`` to a side."""
    return f"{chr(ord('a') + column)}{squares - row}"


def square_place(name: str, squares: int) -> tuple[int, int]:
    """Column and row, from the north-west, of a square's name; ValueError where there is no such square."""
    column, row = ord(name[:1] or "?") - ord("a"), squares - int(name[1:])
    if not (0 <= column < squares and 0 <= row < squares):
        raise ValueError(f"there is no square {name}")
    return column, row


def board_rows(pack: Pack, laid: Mapping[Cell, tuple[str, int]]) -> tuple[str, ...]:
    """The rows of signs, north first, that parts show: ``laid`` gives each part's face and how far it is
    turned clockwise, in degrees, by its column and row."""
    rows: list[str] = []
    for y in sorted({cell[1] for cell in laid}):
        parts = [
            _turned(pack.quarters[face], rot) for (_, at), (face, rot) in sorted(laid.items()) if at == y
        ]
        rows += ["".join(line) for line in zip(*parts, strict=True)]
    return tuple(rows)


def parts_laid(pack: Pack, rows: Sequence[str]) -> dict[Cell, tuple[str, int]]:
    """The parts that show these rows of signs, as `board_rows` takes them: each part's face, and how far it
    is turned clockwise. Empty where the pack's parts do not come to these rows."""
    shown = {
        _turned(squares, rot): (face, rot)
        for face, squares in pack.quarters.items()
        for rot in (270, 180, 90, 0)
    }
    side = len(next(iter(shown), ()))
    steps = range(0, len(rows) if side else 0, side or 1)
    blocks = {
        (x // side, y // side): tuple(row[x : x + side] for row in rows[y : y + side])
        for y in steps
        for x in steps
    }
    if any(block not in shown for block in blocks.values()):
        return {}
    return {cell: shown[block] for cell, block in blocks.items()}


def _turned(rows: Sequence[str], rot: int) -> tuple[str, ...]:
    for _ in range(rot // 90 % 4):
        rows = ["".join(column) for column in zip(*reversed(rows), strict=True)]
    return tuple(rows)
