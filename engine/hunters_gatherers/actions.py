"""Actions of Hunters and Gatherers: a hut put on a river or lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from engine.fault import Fault
from engine.geometry import Cell
from engine.text_span import Span, name_text
from engine.tiles.actions import Action, known_action, read_feature


@known_action
@dataclass(frozen=True, slots=True)
class Hut(Action):
    """Place a hut on a river or lake of the tile just laid ('Place a hut on a river or lake')."""

    type: ClassVar[str] = "hut"
    feature: str

    def to_json(self) -> dict[str, Any]:
        """The action as a JSON object."""
        return {"type": self.type, "feature": self.feature}

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Self:
        """The action of a record's line."""
        return cls(read_feature(source))

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
        return f"hut on {self.feature}"

    def refused(self, cell: Cell) -> Fault:
        """The fault in another game."""
        return Fault("no_huts", "there are no huts in this game", cell, feature=self.feature)
