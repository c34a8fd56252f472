"""Actions and other parts of a turn of Carcassonne Safari.

Actions move a ranger, dig or expand a watering hole. The other parts are a displaced ranger, animal tiles
added to features, and animal tiles drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.geometry import Cell, Corner
from engine.message import NO_MESSAGE, Message
from engine.text_span import Span, cell_text, name_text, place_text
from engine.tiles.actions import (
    Action,
    Called,
    Put,
    TurnPart,
    expect_fields,
    known_action,
    known_part,
)


class _SafariAction(Action):
    """Action that only Safari has."""

    __slots__ = ()

    def refused(self, cell: Cell) -> Fault:
        """Return the fault of this action, on ``cell``, in a game without rangers and animal tiles."""
        return Fault("unknown_action", Message("there are no rangers and no animal tiles in this game"), cell)


@known_action
@dataclass(frozen=True, slots=True)
class MoveRanger(_SafariAction):
    """Move a ranger from one space to another ('The Ranger')."""

    type: ClassVar[str] = "ranger"
    start: Cell
    to: Cell

    def to_json(self) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return {"type": self.type, "from": list(self.start), "to": list(self.to)}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line. Raises FieldError."""
        expect_fields(source, ("from", "to"))
        return cls(
            jv.cell_at(jv.get(source, "from", "action"), "action.from"),
            jv.cell_at(jv.get(source, "to", "action"), "action.to"),
        )

    def word(self) -> str:
        """Return the two cells as in notation: ``2,0:0,2``."""
        return f"{cell_text(self.start)}:{cell_text(self.to)}"

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse ``2,0:0,2``: the ranger's cells before and after the move. Raises NotationError."""
        start, to = word.cut(":", "two cells such as 2,0:0,2")
        return cls(start.cell(), to.cell())

    @property
    def words(self) -> Message:
        """The action as a sentence for people."""
        return Message("ranger from {cell} to {cell_after}", cell=self.start, cell_after=self.to)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells before and after the move."""
        return (self.start, self.to)

    @property
    def put(self) -> Put:
        """The ranger on its new space."""
        return Put("ranger", self.to)


@dataclass(frozen=True, slots=True)
class _AnimalTileAction(_SafariAction):
    """Action that lays an animal tile on a corner."""

    cell: Cell
    corner: Corner
    animal: str

    def to_json(self) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return {"type": self.type, "cell": list(self.cell), "corner": self.corner, "animal": self.animal}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """Read the action from a record line. Raises FieldError."""
        expect_fields(source, ("cell", "corner", "animal"))
        return cls(
            jv.cell_at(jv.get(source, "cell", "action"), "action.cell"),
            jv.corner_at(jv.get(source, "corner", "action"), "action.corner"),
            jv.text_at(jv.get(source, "animal", "action"), "action.animal"),
        )

    def word(self) -> str:
        """Return animal, corner and cell as in notation: ``lion,se@0,1``."""
        return f"{name_text(self.animal)},{self.corner}@{cell_text(self.cell)}"

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse ``lion,se@0,1``: an animal, and the corner on which its tile is put. Raises NotationError."""
        animal, place = word.cut(",", "an animal and a corner such as lion,se@0,1")
        corner, cell = place.corner()
        return cls(cell, corner, animal.name("an animal"))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell of the corner."""
        return (self.cell,)

    @property
    def put(self) -> Put:
        """The animal tile, which is put on the corner."""
        return Put("token", self.cell, self.corner, self.animal)

    def showing(self, animal: str) -> Self:
        """Return a copy with another animal."""
        return replace(self, animal=animal)


@known_action
@dataclass(frozen=True, slots=True)
class Dig(_AnimalTileAction):
    """Lay an animal tile on an open corner and a meeple on it ('Dig a watering hole')."""

    type: ClassVar[str] = "dig"

    @property
    def words(self) -> Message:
        """The action as a sentence for people."""
        return Message(
            "watering hole dug at {cell} {corner}: {animal}",
            cell=self.cell, corner=self.corner, animal=self.animal,
        )  # fmt: skip

    @property
    def put(self) -> Put:
        """The animal tile, which is put on the corner under a meeple."""
        return Put("token", self.cell, self.corner, self.animal, covered=True)


@known_action
@dataclass(frozen=True, slots=True)
class Expand(_AnimalTileAction):
    """Lay an animal tile beside others of a watering hole ('Expanding a watering hole')."""

    type: ClassVar[str] = "expand"

    @property
    def words(self) -> Message:
        """The action as a sentence for people."""
        return Message(
            "watering hole grown at {cell} {corner}: {animal}",
            cell=self.cell, corner=self.corner, animal=self.animal,
        )  # fmt: skip


@known_part
@dataclass(frozen=True, slots=True)
class RangerBack(TurnPart):
    """Put the ranger that stood where the tile was laid on another space ('The Ranger')."""

    key: ClassVar[str] = "ranger_to"
    type: ClassVar[str] = "back"
    displaced: ClassVar[bool] = True
    to: Cell

    def add_to(self, line: dict[str, Any]) -> None:
        """Set the ranger's new cell in a record line, in place."""
        line[self.key] = list(self.to)

    @classmethod
    def read(cls, value: object) -> Iterator[Self]:
        """Yield the part of a record line's value; nothing for None. Raises FieldError."""
        if value is not None:
            yield cls(jv.cell_at(value, cls.key))

    def word(self) -> str:
        """Return the cell as in notation."""
        return cell_text(self.to)

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the cell. Raises NotationError."""
        return cls(word.cell())

    def words(self, called: Called) -> Message:
        """Return a sentence for people."""
        return Message("displaced ranger to {cell}", cell=self.to)

    def refused(self) -> Fault:
        """Return the fault of a displaced ranger in a game without rangers."""
        return Fault("no_rangers", Message("there are no rangers in this game"), self.to)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The ranger's new cell."""
        return (self.to,)

    @property
    def put(self) -> Put:
        """The ranger on its new space."""
        return Put("ranger", self.to)


@known_part
@dataclass(frozen=True, slots=True)
class Bonus(TurnPart):
    """An animal tile that ``player`` adds to a feature which the turn completes.
    ``cell`` and ``feature`` name the feature by any of its tiles."""

    key: ClassVar[str] = "bonus"
    type: ClassVar[str] = "bonus"
    player: str
    cell: Cell
    feature: str
    animal: str

    def add_to(self, line: dict[str, Any]) -> None:
        """Append the animal tile to those of a record line, in place."""
        line.setdefault(self.key, []).append(
            {
                "player": self.player,
                "cell": list(self.cell),
                "feature": self.feature,
                "animal": self.animal,
            }
        )

    @classmethod
    def read(cls, value: object) -> Iterator[Self]:
        """Yield the animal tiles of a record line's list. Raises FieldError."""
        for i, item in enumerate(jv.list_at(value, cls.key)):
            at = f"{cls.key}[{i}]"
            source = jv.object_at(item, at, ("player", "cell", "feature", "animal"))
            yield cls(
                jv.text_at(jv.get(source, "player", at), f"{at}.player"),
                jv.cell_at(jv.get(source, "cell", at), f"{at}.cell"),
                jv.text_at(jv.get(source, "feature", at), f"{at}.feature"),
                jv.text_at(jv.get(source, "animal", at), f"{at}.animal"),
            )

    def word(self) -> str:
        """Return player, animal and feature as in notation: ``red,zebra,t0@0,1``."""
        return f"{name_text(self.player)},{name_text(self.animal)},{place_text((self.cell, self.feature))}"

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse ``red,zebra,t0@0,1``: player, animal, feature and cell. Raises NotationError."""
        what = "a player, an animal and a feature such as red,zebra,t0@0,1"
        player, rest = word.cut(",", what)
        animal, place = rest.cut(",", what)
        feature, cell = place.place()
        return cls(player.name("a player"), cell, feature, animal.name("an animal"))

    def excludes(self, other: TurnPart) -> bool:
        """Return False: a turn may have several bonus tiles."""
        return False

    def words(self, called: Called) -> Message:
        """Return a sentence for people; ``called`` names a feature of a cell."""
        return Message(
            "{player} adds {animal} to {place} of {cell}",
            player=self.player, animal=self.animal, place=called(self.cell, self.feature), cell=self.cell,
        )  # fmt: skip

    def refused(self) -> Fault:
        """Return the fault of an added animal tile in a game without animal tiles."""
        message = Message("there are no animal tiles to add in this game")
        return Fault("no_animal_tiles", message, self.cell, player=self.player)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cell of the feature."""
        return (self.cell,)

    @property
    def put(self) -> Put:
        """The animal tile on its feature."""
        return Put("token", self.cell, animal=self.animal, feature=self.feature)

    def showing(self, animal: str) -> Self:
        """Return a copy with another animal."""
        return replace(self, animal=animal)


@known_part
@dataclass(frozen=True, slots=True)
class Drawn(TurnPart):
    """The animal tiles that ``player`` draws in this turn, in order.
    Draws of a player without this part are unknown."""

    key: ClassVar[str] = "draws"
    type: ClassVar[str] = "draws"
    seen: ClassVar[bool] = False
    player: str
    animals: tuple[str, ...]

    def add_to(self, line: dict[str, Any]) -> None:
        """Add the player's animals to the draws of a record line, in place."""
        line.setdefault(self.key, {})[self.player] = list(self.animals)

    @classmethod
    def read(cls, value: object) -> Iterator[Self]:
        """Yield the draws of each player in a record line's object. Raises FieldError."""
        for player, animals in jv.object_at(value, cls.key).items():
            yield cls(player, jv.texts_at(animals, f"{cls.key}.{player}"))

    def word(self) -> str:
        """Return the player and the animals as in notation: ``red,monkey,?``."""
        return ",".join(map(name_text, (self.player, *self.animals)))

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse ``red,zebra,lion``: a player and the animals drawn. Raises NotationError."""
        player, *animals = word.split(",") or [word]
        return cls(player.name("a player"), tuple(animal.name("an animal") for animal in animals))

    def excludes(self, other: TurnPart) -> bool:
        """Whether ``other`` are draws of the same player."""
        return isinstance(other, Drawn) and other.player == self.player

    def words(self, called: Called) -> Message:
        """Return the empty message: a turn's sentence leaves draws out."""
        return NO_MESSAGE

    def refused(self) -> Fault:
        """Return the fault of draws in a game without animal tiles."""
        message = Message("there are no animal tiles to draw in this game")
        return Fault("no_animal_tiles", message, player=self.player)
