"""Actions: what a player does with a piece besides laying the tile.

Each kind of action is a class of the game that has it; the one that games share stands here. Records and
notation name actions by `Action.type`, in any tile game: the rules of a game refuse what it does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.text_span import Span, name_text
from engine.tiles.pieces import PieceKind


@dataclass(frozen=True, slots=True)
class Put:
    """A piece that an action leaves somewhere else than on a feature of the tile just laid: on ``corner`` of
    ``cell``, in the middle of the cell where there is none. ``covered`` is whether a player's piece is then
    put on top of it."""

    kind: PieceKind
    cell: Cell
    corner: Corner | None = None
    animal: str | None = None
    covered: bool = False


class Action:
    """A kind of action. Each is a frozen dataclass of one game, made known by `known_action`."""

    __slots__ = ()
    type: ClassVar[str]
    """Its name in records and notation."""

    def to_json(self) -> dict[str, Any]:
        """The action as a JSON object (docs/formats.md, 'Turn of a tile game')."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """The action of a record's line; jsonvalue.FieldError names the field that is wrong."""
        raise NotImplementedError

    def word(self) -> str:
        """Word that notation writes after ``type=`` (docs/notation.md)."""
        raise NotImplementedError

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """The action that notation says; NotationError with the column that is wrong."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The action in English."""
        raise NotImplementedError

    def refused(self, cell: Cell) -> Fault:
        """The fault in a game that does not have it, in a turn that lays its tile on ``cell``."""
        return Fault("unknown_action", "there is no such action in this game", cell)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that it touches besides the one of the tile just laid."""
        return ()

    @property
    def put(self) -> Put | None:
        """The piece that it leaves elsewhere than on a feature of the tile just laid."""
        return None

    def showing(self, animal: str) -> Action:
        """The same action with another animal on the animal tile that it puts down; itself without one."""
        return self

    def put_beside(self, cell: Cell) -> Action:
        """The same action that puts its piece on another space beside the tiles; itself if it puts none
        there."""
        return self


_KNOWN: dict[str, type[Action]] = {}
Kind = TypeVar("Kind", bound=type[Action])


def known_action(action: Kind) -> Kind:
    """Make a class of actions known to records and notation, by its ``type`` (a decorator)."""
    _KNOWN[action.type] = action
    return action


def known_actions() -> Mapping[str, type[Action]]:
    """The kinds of action of all games, by ``type``. A game makes its own known when it is loaded
    (`engine.games.load_games` loads all)."""
    return _KNOWN


@dataclass(frozen=True, slots=True)
class FeatureAction(Action):
    """Place a piece on a feature of the tile just laid."""

    feature: str

    def to_json(self) -> dict[str, Any]:
        """The action as a JSON object."""
        return {"type": self.type, "feature": self.feature}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """The action of a record's line."""
        expect_fields(source, ("feature",))
        return cls(jv.text_at(jv.get(source, "feature", "action"), "action.feature"))

    def word(self) -> str:
        """The feature."""
        return name_text(self.feature)

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """The action that notation says."""
        return cls(word.name("a feature"))

    @property
    def words(self) -> str:
        """The action in English."""
        return f"{self.type} on {self.feature}"


@known_action
@dataclass(frozen=True, slots=True)
class Meeple(FeatureAction):
    """Place a meeple on a feature of the tile just laid."""

    type: ClassVar[str] = "meeple"


def action_to_json(action: Action | None) -> dict[str, Any] | None:
    """An action, or none, as JSON."""
    return None if action is None else action.to_json()


def action_from_json(value: object) -> Action | None:
    """The action of a record's line; jsonvalue.FieldError names the field that is wrong."""
    if value is None:
        return None
    source = jv.object_at(value, "action")
    name = jv.get(source, "type", "action")
    if not isinstance(name, str) or name not in _KNOWN:
        *first, last = _KNOWN
        message = f"must be {', '.join(first)} or {last}, is {jv.shown(name)}"
        raise jv.FieldError("action.type", message)
    return _KNOWN[name].from_json(source)


def expect_fields(source: Mapping[str, Any], names: Iterable[str]) -> None:
    """jsonvalue.FieldError where an action has other fields than its type and these."""
    jv.object_at(source, "action", ("type", *names))
