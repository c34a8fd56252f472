"""Fault: one reason why something is illegal, with a code for programs and a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.geometry import Cell, Corner, Edge
from engine.message import Message


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why something is illegal.
    ``code`` is stable and for programs, ``message`` is a sentence for players. The other fields name the
    cell, edge, corner, feature or player concerned, if any."""

    code: str
    message: Message
    cell: Cell | None = None
    edge: Edge | None = None
    corner: Corner | None = None
    feature: str | None = None
    player: str | None = None
    square: str | None = None
    """Name of the square concerned, on boards with named squares (``c4``)."""
    cells: tuple[Cell, ...] = ()
    """All cells concerned, if they are several."""

    def to_json(self) -> dict[str, Any]:
        """Return the fault as a JSON object (docs/formats.md, 'Output of check'), without absent fields."""
        value: dict[str, Any] = {"code": self.code, "message": self.message, "said": self.message.to_json()}
        if self.cell is not None:
            value["cell"] = list(self.cell)
        elif self.square is not None:
            value["cell"] = self.square
        if self.cells:
            value["cells"] = [list(cell) for cell in self.cells]
        for key in ("edge", "corner", "feature", "player"):
            if getattr(self, key) is not None:
                value[key] = getattr(self, key)
        return value
