"""Fault: one reason why something is illegal, with a code for programs and a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.geometry import Cell, Corner, Edge


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason. ``code`` is for programs, ``message`` a sentence for players; the cell, edge,
    corner, feature or player concerned are given where there is one."""

    code: str
    message: str
    cell: Cell | None = None
    edge: Edge | None = None
    corner: Corner | None = None
    feature: str | None = None
    player: str | None = None
    square: str | None = None
    """The cell's name on a board whose squares have names."""

    def to_json(self) -> dict[str, Any]:
        """The fault as a JSON object (docs/formats.md, 'Output of check'); absent values are left out."""
        value: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.cell is not None:
            value["cell"] = list(self.cell)
        elif self.square is not None:
            value["cell"] = self.square
        for key in ("edge", "corner", "feature", "player"):
            if getattr(self, key) is not None:
                value[key] = getattr(self, key)
        return value
