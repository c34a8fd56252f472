"""Parts of a turn of Hunters and Gatherers: a hut put on a river or lake, a meeple sent home by a shaman."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message
from engine.text_span import Span, place_text
from engine.tiles.actions import Called, FeatureAction, TurnPart, known_action, known_part
from engine.tiles.turn import FeatureRef


@known_action
@dataclass(frozen=True, slots=True)
class Hut(FeatureAction):
    """Place a hut on a river or lake of the tile just laid ('Place a hut on a river or lake')."""

    type: ClassVar[str] = "hut"

    def refused(self, cell: Cell) -> Fault:
        """Return the fault of this action, on ``cell``, in a game without huts."""
        return Fault("no_huts", Message("there are no huts in this game"), cell, feature=self.feature)


@known_part
@dataclass(frozen=True, slots=True)
class SentHome(TurnPart):
    """The shaman of the tile sends home the meeple on a tile feature.
    (Rulebook, 'Menhir tiles with immediate actions'.)"""

    key: ClassVar[str] = "shaman"
    type: ClassVar[str] = "shaman"
    before_action: ClassVar[bool] = True
    place: FeatureRef

    def add_to(self, line: dict[str, Any]) -> None:
        """Set the feature in a record line, in place."""
        line[self.key] = {"cell": list(self.place[0]), "feature": self.place[1]}

    @classmethod
    def read(cls, value: object) -> Iterator[Self]:
        """Yield the part of a record line's value; nothing for None. Raises FieldError."""
        if value is not None:
            source = jv.object_at(value, cls.key, ("cell", "feature"))
            cell = jv.cell_at(jv.get(source, "cell", cls.key), f"{cls.key}.cell")
            yield cls((cell, jv.text_at(jv.get(source, "feature", cls.key), f"{cls.key}.feature")))

    def word(self) -> str:
        """Return the feature as in notation: ``m0@0,-1``."""
        return place_text(self.place)

    @classmethod
    def from_word(cls, word: Span) -> Self:
        """Parse the feature. Raises NotationError."""
        feature, cell = word.place()
        return cls((cell, feature))

    def words(self, called: Called) -> Message:
        """Return a sentence for people; ``called`` names a feature of a cell."""
        cell, feature = self.place
        place = called(cell, feature)
        return Message("the shaman sends home the meeple on {place} of {cell}", place=place, cell=cell)

    def refused(self) -> Fault:
        """Return the fault of a meeple sent home in a game without shamans."""
        cell, feature = self.place
        return Fault("no_shaman", Message("there is no shaman in this game"), cell, feature=feature)
