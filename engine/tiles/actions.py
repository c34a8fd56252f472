"""Actions: the use of a piece in a turn, after the tile is laid.

Each kind of action is a class in its game's package; this module has the common one. Records and notation
parse the actions of all tile games by `Action.type`; the rules then refuse actions of other games.
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
    """A piece that an action puts elsewhere than on a feature of the tile just laid: on ``corner`` of
    ``cell``, or in the middle of the cell (None). ``covered``: a player's piece is put on top of it."""

    kind: PieceKind
    cell: Cell
    corner: Corner | None = None
    animal: str | None = None
    covered: bool = False


class Action:
    """Base of all actions. Each kind is a frozen dataclass, registered by `known_action`."""

    __slots__ = ()
    type: ClassVar[str]
    """Its name in records and notation."""

    def to_json(self) -> dict[str, Any]:
        """Serialise the action (docs/formats.md, 'Turn of a tile game')."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line; jsonvalue.FieldError names the field at fault."""
        raise NotImplementedError

    def word(self) -> str:
        """Write the action in notation, without ``type=`` (docs/notation.md)."""
        raise NotImplementedError

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the action from notation; NotationError has the column of the fault."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """The action in English."""
        raise NotImplementedError

    def refused(self, cell: Cell) -> Fault:
        """The fault of this action in a game that lacks it; ``cell`` is the cell of the turn's tile."""
        return Fault("unknown_action", "there is no such action in this game", cell)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that the action concerns besides that of the tile just laid."""
        return ()

    @property
    def put(self) -> Put | None:
        """The piece that the action puts elsewhere than on a feature of the tile just laid, if any."""
        return None

    def showing(self, animal: str) -> Action:
        """A copy with another animal on its animal tile; the action itself if it puts none."""
        return self

    def with_target_cell(self, cell: Cell) -> Action:
        """A copy that puts its piece on another empty cell; the action itself if it puts none there."""
        return self


_KNOWN: dict[str, type[Action]] = {}
ActionType = TypeVar("ActionType", bound=type[Action])


def known_action(action: ActionType) -> ActionType:
    """Class decorator: register a kind of action by its ``type``, for records and notation."""
    _KNOWN[action.type] = action
    return action


def known_actions() -> Mapping[str, type[Action]]:
    """The registered kinds of action, by ``type``. Importing a game registers its own
    (`engine.games.load_games` imports all)."""
    return _KNOWN


@dataclass(frozen=True, slots=True)
class FeatureAction(Action):
    """Place a piece on a feature of the tile just laid."""

    feature: str

    def to_json(self) -> dict[str, Any]:
        """Serialise the action."""
        return {"type": self.type, "feature": self.feature}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line."""
        expect_fields(source, ("feature",))
        return cls(jv.text_at(jv.get(source, "feature", "action"), "action.feature"))

    def word(self) -> str:
        """Write the feature's id."""
        return name_text(self.feature)

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the feature's id."""
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
    """Serialise an action, or None."""
    return None if action is None else action.to_json()


def action_from_json(value: object) -> Action | None:
    """Read the action of a record line, of any game, or None. jsonvalue.FieldError names the field at
    fault."""
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
    """jsonvalue.FieldError if a serialised action has other fields than ``type`` and ``names``."""
    jv.object_at(source, "action", ("type", *names))
