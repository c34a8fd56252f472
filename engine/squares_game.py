"""Protocols of games on a board of squares that a camera can follow, beyond `engine.game`.

Everything on such a board stands on squares in plain view: the players' pawns, and figures that may have a
facing. A turn moves a pawn; the rules then determine the moves of the figures, and the players carry them
out on the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from engine.game import OpenGame, Opening, OpenPosition, OpenTurnResult
from engine.geometry import Cell, Edge
from engine.message import Message
from engine.pack import Pack


@dataclass(frozen=True, slots=True)
class Figure:
    """A pawn or other figure on a square.
    ``name`` is its species, a pawn's is its player's colour; ``facing`` is None for a pawn."""

    kind: str
    name: str
    square: str
    facing: Edge | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the figure as a JSON object."""
        value: dict[str, Any] = {"kind": self.kind, "name": self.name, "cell": self.square}
        return value if self.facing is None else {**value, "facing": self.facing}


@dataclass(frozen=True, slots=True)
class Errand:
    """A forced move of a figure after a turn, which the players carry out, with its reason."""

    before: Figure
    after: Figure
    why: Message

    def to_json(self) -> dict[str, Any]:
        """Return the errand as a JSON object."""
        return {
            "from": self.before.to_json(),
            "to": self.after.to_json(),
            "why": self.why,
            "said": self.why.to_json(),
        }


class SquarePosition(OpenPosition, Protocol):
    """A position of a `SquareGame`."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Everything on the board."""

    @property
    def terrain(self) -> tuple[str, ...]:
        """The board's squares as rows of signs, north row first."""

    @property
    def collected(self) -> Mapping[str, frozenset[str]]:
        """The names of the figures for which each player has points."""

    @property
    def turns_at_most(self) -> int:
        """Maximum number of turns of the game."""

    def apply(self, turn: Any) -> SquarePlayed:
        """Play the turn. Raises IllegalTurn, with all faults, if it is illegal."""


class SquarePlayed(OpenTurnResult, Protocol):
    """Result of a turn on a board of squares."""

    @property
    def state(self) -> SquarePosition:
        """The position after the turn."""

    @property
    def errands(self) -> tuple[Errand, ...]:
        """Forced moves of figures after the turn, in order."""


@runtime_checkable
class SquareGame(OpenGame, Protocol):
    """A game on a fixed board of squares."""

    @property
    def pawn(self) -> str:
        """`Figure.kind` of the players' pawns."""

    @property
    def walker(self) -> str:
        """`Figure.kind` of the figures with a facing."""

    def opening_seen(self, opening: Opening, terrain: Sequence[str], figures: Sequence[Figure]) -> Opening:
        """Return the header of a game that starts from the set-up seen on the table.
        ``terrain`` are rows of signs, north first."""

    def turn_seen(self, player: str, square: str | None) -> Any:
        """Return the turn in which a player's pawn moves to ``square``; None is a pass."""

    def start(self, header: Any, pack: Any) -> SquarePosition:
        """Return the position before the first turn. Raises IllegalTurn if the header has faults."""


def square_name(column: int, row: int, squares: int) -> str:
    """Return the name of a square, such as ``c4``.
    The letter counts columns from the west, the number rows from the south. ``column`` and ``row`` count from
    0 at the north-west; ``squares`` is the number per side."""
    return f"{chr(ord('a') + column)}{squares - row}"


def square_place(name: str, squares: int) -> tuple[int, int]:
    """Return column and row, from 0 at the north-west, of a square's name; ``squares`` are there per side.
    Raises ValueError if there is no such square."""
    column, row = ord(name[:1] or "?") - ord("a"), squares - int(name[1:])
    if not (0 <= column < squares and 0 <= row < squares):
        raise ValueError(f"there is no square {name}")
    return column, row


def board_rows(pack: Pack, laid: Mapping[Cell, tuple[str, int]]) -> tuple[str, ...]:
    """Return the rows of signs, north first, of an assembled board.
    ``laid`` maps each part's (column, row) to its face and its rotation in degrees clockwise."""
    rows: list[str] = []
    for y in sorted({cell[1] for cell in laid}):
        parts = [
            _turned(pack.quarters[face], rot) for (_, at), (face, rot) in sorted(laid.items()) if at == y
        ]
        rows += ["".join(line) for line in zip(*parts, strict=True)]
    return tuple(rows)


def parts_laid(pack: Pack, rows: Sequence[str]) -> dict[Cell, tuple[str, int]]:
    """Return the parts that show these rows of signs, as (face, rotation) by (column, row).
    It is the inverse of `board_rows`; {} if the pack's parts cannot show them."""
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
    """Return rows of signs, rotated clockwise by ``rot`` degrees."""
    for _ in range(rot // 90 % 4):
        rows = ["".join(column) for column in zip(*reversed(rows), strict=True)]
    return tuple(rows)
