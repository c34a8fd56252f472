"""Actions of Carcassonne Safari: move a ranger, dig or expand a watering hole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.text_span import Span, cell_text, name_text
from engine.tiles.actions import Action, Put, expect_fields, known_action


class _SafariAction(Action):
    """Action that only Safari has."""

    __slots__ = ()

    def refused(self, cell: Cell) -> Fault:
        """The fault of this action in another game."""
        return Fault("unknown_action", "there are no rangers and no animal tiles in this game", cell)


@known_action
@dataclass(frozen=True, slots=True)
class MoveRanger(_SafariAction):
    """Move a ranger from one space to another ('The Ranger')."""

    type: ClassVar[str] = "ranger"
    start: Cell
    to: Cell

    def to_json(self) -> dict[str, Any]:
        """Serialise the action."""
        return {"type": self.type, "from": list(self.start), "to": list(self.to)}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line."""
        expect_fields(source, ("from", "to"))
        return cls(
            jv.cell_at(jv.get(source, "from", "action"), "action.from"),
            jv.cell_at(jv.get(source, "to", "action"), "action.to"),
        )

    def word(self) -> str:
        """Write the two cells: ``2,0:0,2``."""
        return f"{cell_text(self.start)}:{cell_text(self.to)}"

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the action from notation."""
        start, to = word.cut(":", "two cells such as 2,0:0,2")
        return cls(start.cell(), to.cell())

    @property
    def words(self) -> str:
        """The action in English."""
        return f"ranger from {_at(self.start)} to {_at(self.to)}"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells before and after the move."""
        return (self.start, self.to)

    @property
    def put(self) -> Put:
        """The ranger on its new space."""
        return Put("ranger", self.to)

    def with_target_cell(self, cell: Cell) -> Self:
        """A copy that moves the ranger to another cell."""
        return replace(self, to=cell)


@dataclass(frozen=True, slots=True)
class _AnimalTileAction(_SafariAction):
    """Action that lays an animal tile on a corner."""

    cell: Cell
    corner: Corner
    animal: str

    def to_json(self) -> dict[str, Any]:
        """Serialise the action."""
        return {"type": self.type, "cell": list(self.cell), "corner": self.corner, "animal": self.animal}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line."""
        expect_fields(source, ("cell", "corner", "animal"))
        return cls(
            jv.cell_at(jv.get(source, "cell", "action"), "action.cell"),
            jv.corner_at(jv.get(source, "corner", "action"), "action.corner"),
            jv.text_at(jv.get(source, "animal", "action"), "action.animal"),
        )

    def word(self) -> str:
        """Write animal, corner and cell: ``lion,se@0,1``."""
        return f"{name_text(self.animal)},{self.corner}@{cell_text(self.cell)}"

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the action from notation."""
        animal, place = word.cut(",", "an animal and a corner such as lion,se@0,1")
        corner, cell = place.corner()
        return cls(cell, corner, animal.name("an animal"))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell of the corner."""
        return (self.cell,)

    @property
    def put(self) -> Put:
        """The animal tile."""
        return Put("token", self.cell, self.corner, self.animal)

    def showing(self, animal: str) -> Self:
        """A copy with another animal."""
        return replace(self, animal=animal)


@known_action
@dataclass(frozen=True, slots=True)
class Dig(_AnimalTileAction):
    """Lay an animal tile on an open corner and a meeple on it ('Dig a watering hole')."""

    type: ClassVar[str] = "dig"

    @property
    def words(self) -> str:
        """The action in English."""
        return f"watering hole dug at {_at(self.cell)} {self.corner}: {self.animal}"

    @property
    def put(self) -> Put:
        """The animal tile, under a meeple."""
        return Put("token", self.cell, self.corner, self.animal, covered=True)


@known_action
@dataclass(frozen=True, slots=True)
class Expand(_AnimalTileAction):
    """Lay an animal tile beside others of a watering hole ('Expanding a watering hole')."""

    type: ClassVar[str] = "expand"

    @property
    def words(self) -> str:
        """The action in English."""
        return f"watering hole grown at {_at(self.cell)} {self.corner}: {self.animal}"


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"
