"""Execution of a turn in Carcassonne: tile, meeple, scoring of finished features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from engine.carcassonne import scoring
from engine.carcassonne.river import River
from engine.carcassonne.rules import AROUND, CITY, FIELD, RIVER, ROAD, TAKES, Rules
from engine.fault import Fault
from engine.message import Message
from engine.pack import Design
from engine.tiles.actions import Meeple
from engine.tiles.features import Composition, Region, finished_by
from engine.tiles.game import Worth
from engine.tiles.meeple_run import MeepleRun, MeepleState
from engine.tiles.turn import Turn


@dataclass(frozen=True, slots=True)
class CarcassonneTable(MeepleState):
    """The values of a position of this game: see `TilePosition`.

    ``edition`` is that of the river tiles, None without a river; ``river`` is the river's open end, None if
    it has none. ``landscape`` holds the unfinished cities, roads and fields; ``closed`` are the finished
    cities, for which fields score, and the finished fields with farmers, which stay to the end.
    """

    takes: ClassVar = TAKES
    rules: Rules
    edition: str | None
    river: River | None


class Run(MeepleRun[CarcassonneTable]):
    """A turn of this game: see `MeepleRun`.
    ``river`` starts as that of the position and ends as that after the turn."""

    takes = TAKES
    refuses: ClassVar = {RIVER: Fault("meeple_on_river", Message("nothing stands on the river"))}

    def __init__(self, state: CarcassonneTable, turn: Turn, *, forced: bool = False) -> None:
        super().__init__(state, turn, forced=forced)
        self.river = state.river
        self._run()

    def after(self) -> dict[str, Any]:
        """Return the fields of the position after the turn, by name."""
        return {**super().after(), "edition": self.state.edition, "river": self.river}

    def _run(self) -> None:
        """Play the whole turn: set the attributes of the position after it.
        Reasons against it are appended to ``self.faults``; if there are any, nothing is scored."""
        laid = self._place()
        if laid is None and self._forced:
            return
        if laid is not None and self.design is not None:
            self._check_river(self.design)
        self._refuse_other_parts()
        match self.turn.action:
            case None:
                pass
            case Meeple(feature):
                self._place_meeple(feature)
            case action:
                message = Message("there is no {piece} in this game", piece=action.type)
                self._fault("unknown_action", message, self.turn.cell)
        if self._stopped:
            return
        self.laid_pieces = tuple(self.meeples.values())
        self._close_features()
        self._close_monasteries()

    def _check_river(self, design: Design) -> None:
        """Move the river's end, ``self.river``, if the tile ``design`` belongs to the river.
        If the tile fits but does not continue the river, the reasons are appended to ``self.faults``."""
        river, cell, rot = self.state.river, self.turn.cell, self.turn.rot
        if river is None or design.tile.deck != RIVER:
            return
        if not self.state.grid.faults(design, cell, rot):
            self.faults += river.faults(design, cell, rot)
        self.river = river.after(design.tile, rot, self.state.rules)

    # scoring

    def _close_features(self) -> None:
        """Score finished cities and roads, and store finished cities and finished fields with farmers.
        They are stored in ``self.closed``."""
        kept = []
        for _, region in finished_by(self.turn.cell, self.own_regions):
            if region.kind in (CITY, ROAD) and region.meeples:
                self._score_majority(region)
            if region.kind == CITY:
                kept.append(replace(region, meeples=()))
            elif region.kind == FIELD and region.meeples:
                kept.append(region)
        if kept:
            self.closed = (*self.closed, *kept)

    def _close_monasteries(self) -> None:
        """Score every monastery with a monk, on or around the laid tile, whose eight neighbours are laid."""
        tiles = self.grid.tiles
        x, y = self.turn.cell
        for cell in ((x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
            laid = tiles.get(cell)
            name = None if laid is None else scoring.monastery_of(laid.design.tile)
            if name is None or (cell, name) not in self.meeples:
                continue
            if len(scoring.around(cell, tiles)) == AROUND:
                color = self.meeples[cell, name].color or ""
                region = scoring.monastery_region((cell, name), color, tiles)
                self._score_majority(region)

    def _composition(self, region: Region, why: Message) -> Composition:
        """Return what a finished city, road or monastery consists of."""
        return scoring.composition(region, why)

    def _worth(self, region: Region) -> Worth:
        """Return the points of a finished city, road or monastery, with their reason."""
        return scoring.worth(region, self.grid.tiles, self.state.rules)
