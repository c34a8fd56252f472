"""Actions and the other parts of a turn: the use of pieces after the tile is laid.

Each kind is a class in its game's package; this module has the bases and the common action. Records and
notation parse the kinds of all tile games by their names; the rules then refuse those of other games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.message import Message
from engine.text_span import Span, name_text
from engine.tiles.pieces import PieceKind


@dataclass(frozen=True, slots=True)
class Put:
    """A piece that a turn puts elsewhere than its meeple.
    It is put on ``corner`` or ``feature`` of ``cell``, or in the middle of the cell if both are None.
    ``covered``: a player's piece is put on top of it."""

    kind: PieceKind
    cell: Cell
    corner: Corner | None = None
    animal: str | None = None
    covered: bool = False
    feature: str | None = None


class PieceUse:
    """Base of actions and of the other parts of a turn."""

    __slots__ = ()
    type: ClassVar[str]
    """Its name in notation; an action's also in records."""
    displaced: ClassVar[bool] = False
    """Whether it puts back a piece that stood where the tile was laid."""

    def word(self) -> str:
        """Return it as in notation, without ``type=`` (docs/notation.md)."""
        raise NotImplementedError

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse it from notation. Raises NotationError, with the column of the fault."""
        raise NotImplementedError

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells concerned besides that of the tile just laid."""
        return ()

    @property
    def put(self) -> Put | None:
        """The piece that is put elsewhere than on a feature of the tile just laid; None if none is."""
        return None

    def showing(self, animal: str) -> Self:
        """Return a copy with another animal on its animal tile; itself if it puts none."""
        return self


class Action(PieceUse):
    """Base of all actions. Each kind is a frozen dataclass, registered by `known_action`."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Return the action as a JSON object (docs/formats.md, 'Turn of a tile game')."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line. Raises FieldError, with the field at fault."""
        raise NotImplementedError

    @property
    def words(self) -> Message:
        """The action as a sentence for people."""
        raise NotImplementedError

    def refused(self, cell: Cell) -> Fault:
        """Return the fault of this action in a game that lacks it; ``cell`` is that of the turn's tile."""
        return Fault("unknown_action", Message("there is no such action in this game"), cell)


Called = Callable[[Cell, str], str]
"""Names a feature of a laid tile in English: (cell, feature id) -> name."""


class TurnPart(PieceUse):
    """Base of the parts of a turn besides tile and action.
    Each kind is a frozen dataclass, registered by `known_part`."""

    __slots__ = ()
    key: ClassVar[str]
    """Its key in record lines. One value may hold several parts."""
    before_action: ClassVar[bool] = False
    """Whether notation writes it before the action."""
    seen: ClassVar[bool] = True
    """Whether a camera can see it."""

    def add_to(self, line: dict[str, Any]) -> None:
        """Add the part to a record line, in place, to those of its ``key`` that the line has already."""
        raise NotImplementedError

    @classmethod
    def read(cls, value: object) -> Iterator[Self]:
        """Yield the parts of the value of ``key`` in a record line. Raises FieldError."""
        raise NotImplementedError

    def excludes(self, other: TurnPart) -> bool:
        """Whether no turn can be written with both parts."""
        return type(self) is type(other)

    def words(self, called: Called) -> Message:
        """Return a sentence for people, empty if the part is not told.
        ``called`` names a feature of a cell."""
        raise NotImplementedError

    def refused(self) -> Fault:
        """Return the fault of this part in a game that lacks it."""
        raise NotImplementedError


_KNOWN: dict[str, type[Action]] = {}
_KNOWN_PARTS: dict[str, type[TurnPart]] = {}
ActionType = TypeVar("ActionType", bound=type[Action])
PartType = TypeVar("PartType", bound=type[TurnPart])


def known_action(action: ActionType) -> ActionType:
    """Register a kind of action by its ``type``, for records and notation (class decorator)."""
    _KNOWN[action.type] = action
    return action


def known_actions() -> Mapping[str, type[Action]]:
    """Return the registered kinds of action, by ``type``.
    Importing a game registers its own (`engine.games.load_games` imports all)."""
    return _KNOWN


def known_part(part: PartType) -> PartType:
    """Register a kind of part by its ``type``, for records and notation (class decorator)."""
    known: dict[str, type[TurnPart]] = {**_KNOWN_PARTS, part.type: part}
    _KNOWN_PARTS.clear()
    _KNOWN_PARTS.update(sorted(known.items()))  # games are imported in any order
    return part


def known_parts() -> Mapping[str, type[TurnPart]]:
    """Return the registered kinds of part by ``type``, in alphabetical order.
    That order is that of `engine.tiles.turn.Turn.parts`."""
    return _KNOWN_PARTS


@dataclass(frozen=True, slots=True)
class FeatureAction(Action):
    """Place a piece on a feature of the tile just laid."""

    feature: str

    def to_json(self) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return {"type": self.type, "feature": self.feature}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line. Raises FieldError."""
        expect_fields(source, ("feature",))
        return cls(jv.text_at(jv.get(source, "feature", "action"), "action.feature"))

    def word(self) -> str:
        """Return the feature's id as in notation."""
        return name_text(self.feature)

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the feature's id. Raises NotationError."""
        return cls(word.name("a feature"))

    @property
    def words(self) -> Message:
        """The action as a sentence for people."""
        return Message("{piece} on {place}", piece=self.type, place=self.feature)


@known_action
@dataclass(frozen=True, slots=True)
class Meeple(FeatureAction):
    """Place a meeple on a feature of the tile just laid."""

    type: ClassVar[str] = "meeple"


def action_to_json(action: Action | None) -> dict[str, Any] | None:
    """Return an action as a JSON object; None for None."""
    return None if action is None else action.to_json()


def action_from_json(value: object) -> Action | None:
    """Read the action of a record line, of any game; None for None.
    Raises FieldError, with the field at fault."""
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
    """Raise FieldError if a serialised action has other fields than ``type`` and ``names``."""
    jv.object_at(source, "action", ("type", *names))
