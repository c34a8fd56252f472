"""Execution of a turn in Carcassonne: tile, meeple, scoring of finished features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from engine.carcassonne import scoring
from engine.carcassonne.river import River
from engine.carcassonne.rules import AROUND, CITY, FIELD, RIVER, ROAD, TAKES, Rules
from engine.fault import Fault
from engine.message import Message
from engine.pack import Design
from engine.tiles.actions import Meeple
from engine.tiles.common_rules import tile_faults
from engine.tiles.features import Region, finished_by, replace_region
from engine.tiles.meeple_run import MeepleRun, MeepleTable, pose_on
from engine.tiles.turn import Turn


class CarcassonneTable(MeepleTable, Protocol):
    """Protocol of the position in which a turn is played (see CarcassonneState)."""

    @property
    def rules(self) -> Rules:
        """The rule edition."""

    @property
    def closed(self) -> tuple[Region, ...]:
        """Finished cities, and finished fields with farmers."""

    @property
    def stacks(self) -> tuple[Mapping[str, int], ...]:
        """Number of tiles to come by design, stack by stack."""

    @property
    def river(self) -> River | None:
        """The open end of the river."""

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a whole game."""


class Run(MeepleRun[CarcassonneTable]):
    """A turn of this game: see `MeepleRun`. ``closed`` and ``river`` start as those of the position and end
    as those after the turn."""

    def __init__(self, state: CarcassonneTable, turn: Turn) -> None:
        super().__init__(state, turn)
        self.closed = state.closed
        self.river = state.river
        self._run()

    def _run(self) -> None:
        """Play the whole turn; stops before scoring if there are faults."""
        drawn = deck_faults(self.state, self.turn.tile)
        laid = self._place(drawn)
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
        if self.faults:
            return
        self.laid_pieces = tuple(self.meeples.values())
        self._close_features()
        self._close_monasteries()

    def _check_river(self, design: Design) -> None:
        """Report a fault if a river tile fits but does not continue the river, and move the river's end."""
        river, cell, rot = self.state.river, self.turn.cell, self.turn.rot
        if river is None or design.tile.deck != RIVER:
            return
        if not self.state.grid.faults(design, cell, rot):
            self.faults += river.faults(design, cell, rot)
        self.river = river.after(design.tile, rot, self.state.rules)

    def _place_meeple(self, feature_id: str) -> None:
        """Put the player's meeple on a feature of the tile, or report faults."""
        cell = self.turn.cell
        self._check_supply()
        if self.design is None:
            return
        kinds = {feature.id: feature.kind for feature in self.design.tile.features}
        if not self._check_feature(self.design, feature_id, kinds):
            return
        if kinds[feature_id] == RIVER:
            self._fault("meeple_on_river", Message("nothing stands on the river"), cell, feature=feature_id)
            return
        region = self.own_regions.get(feature_id)
        self._check_unoccupied(region, feature_id)
        if self.faults:
            return
        place = (cell, feature_id)
        self._take_meeple(place, pose_on(TAKES, kinds[feature_id]))
        if region is not None:  # a monastery reaches no edge
            self.landscape, occupied = self.landscape.with_meeple(region, self.player, place)
            replace_region(self.own_regions, region, occupied)

    # scoring

    def _close_features(self) -> None:
        """Score finished cities and roads; store finished cities, and finished fields with farmers."""
        kept = []
        for (_, feature), region in finished_by(self.turn.cell, self.own_regions):
            if region.kind in (CITY, ROAD) and region.meeples:
                worth = scoring.worth(region, self.grid.tiles, self.state.rules)
                self._score_majority(region, worth, feature)
            if region.kind == CITY:
                kept.append(replace(region, meeples=()))
            elif region.kind == FIELD and region.meeples:
                kept.append(region)
        if kept:
            self.closed = (*self.closed, *kept)

    def _close_monasteries(self) -> None:
        """Score every monastery on or around the laid tile whose eight neighbours are laid."""
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
                self._score_majority(region, scoring.worth(region, tiles, self.state.rules), name)


def deck_faults(state: CarcassonneTable, design_id: str) -> list[Fault]:
    """Reasons why a face cannot be drawn now: not in this game, used up, or in a later stack."""
    if design_id not in state.whole_bag:
        message = Message("there is no tile {tile} to draw in this game", tile=design_id)
        return [Fault("unknown_tile", message)]
    due = next((number for number, stack in enumerate(state.stacks) if stack), None)
    if due is not None and any(design_id in stack for stack in state.stacks[due + 1 :]):
        message = Message(
            "{tile} is not drawn yet: the river comes first (to come: {tile_due})",
            tile=design_id, tile_due=tuple(state.stacks[due]),
        )  # fmt: skip
        return [Fault("wrong_deck", message)]
    return tile_faults(state, design_id)
