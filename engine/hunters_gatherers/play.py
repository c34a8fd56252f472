"""Execution of a turn in Hunters and Gatherers: tile, special action, meeple or hut, scoring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.fault import Fault
from engine.hunters_gatherers import scoring
from engine.hunters_gatherers.actions import Hut, SentHome
from engine.hunters_gatherers.rules import HUNTING_TRAP, LOGBOAT, SHAMAN, TAKES, Rules
from engine.hunters_gatherers.water import (
    FOREST,
    GRASSLAND,
    LAKE,
    RIVER,
    power_on,
    water_laid,
    waters,
)
from engine.message import Message
from engine.tiles.actions import Meeple
from engine.tiles.board import Standing
from engine.tiles.features import Composition, Landscape, Region, finished_by, replace_region
from engine.tiles.game import Worth
from engine.tiles.meeple_run import MeepleRun, MeepleState
from engine.tiles.turn import FeatureRef, Turn


@dataclass(frozen=True, slots=True)
class HuntersTable(MeepleState):
    """The values of a position of this game: see `TilePosition`.

    ``seat`` is the index of the player to move, ``extra`` whether it is the extra turn after a menhir forest.
    ``landscape`` holds the unfinished forests, rivers and grasslands, ``systems`` the unfinished river
    systems; ``closed`` are the finished grasslands and systems with pieces, which stay to the end. ``huts``
    are the huts on the table by tile feature, ``hut_supply`` is the number of huts each player has left.
    ``covered`` are the tile features whose animals are under covering markers. ``stacks`` are the regular and
    the menhir tiles.
    """

    takes: ClassVar = TAKES
    rules: Rules
    seat: int
    extra: bool
    systems: Landscape
    huts: Mapping[FeatureRef, Standing]
    hut_supply: Mapping[str, int]
    covered: frozenset[FeatureRef]


class Run(MeepleRun[HuntersTable]):
    """A turn of this game: see `MeepleRun`.
    ``own_systems`` are the river systems of the laid tile's rivers and lakes; ``extra_due`` is whether the
    turn closed a menhir forest that gives an extra turn."""

    own_parts = (SentHome,)
    takes = TAKES
    refuses: ClassVar = {
        LAKE: Fault("meeple_on_lake", Message("only huts stand on lakes, fishers stand on rivers"))
    }

    def __init__(self, state: HuntersTable, turn: Turn, *, forced: bool = False) -> None:
        super().__init__(state, turn, forced=forced)
        self.systems = state.systems
        self.huts = state.huts
        self.hut_supply = state.hut_supply
        self.covered = state.covered
        self.own_systems: dict[str, Region] = {}
        self.extra_due = False
        self._run()

    def after(self) -> dict[str, Any]:
        """Return the fields of the position after the turn, by name."""
        seat = self.state.seat if self.extra_due else (self.state.seat + 1) % len(self.state.players)
        return {
            **super().after(),
            "seat": seat,
            "extra": self.extra_due,
            "systems": self.systems,
            "huts": self.huts,
            "hut_supply": self.hut_supply,
            "covered": self.covered,
        }

    def _run(self) -> None:
        """Play the whole turn: set the attributes of the position after it.
        Reasons against it are appended to ``self.faults``; if there are any, nothing is scored."""
        laid = self._place()
        if laid is None and self._forced:
            return
        water = None if laid is None else water_laid(laid)
        if water is not None:
            self.systems, self.own_systems = self.state.systems.lay(self.turn.cell, water)
        self._refuse_other_parts()
        if laid is not None or self.turn.parts:
            self._use_power(laid=laid is not None)
        match self.turn.action:
            case None:
                pass
            case Meeple(feature):
                self._place_meeple(feature)
            case Hut(feature):
                self._place_hut(feature)
            case action:
                self.faults.append(action.refused(self.turn.cell))
        if self._stopped:
            return
        self.laid_pieces = (*self.meeples.values(), *self.huts.values())
        self._score_finished()

    # immediate actions

    def _use_power(self, *, laid: bool) -> None:
        """Resolve the tile's special action, before a meeple or hut is put.
        It is scored, or a meeple is sent home ('Menhir tiles with immediate actions'). ``laid``: the tile
        could be laid; else only faults of the shaman are appended to ``self.faults``."""
        printed_power = None if self.design is None else power_on(self.design.tile)
        power, feature = printed_power or ("", "")
        for part in self.turn.parts_of(SentHome):
            self._use_shaman(part.place, there=power == SHAMAN)
        if self._stopped or not laid:
            return
        cell, tiles = self.turn.cell, self.grid.tiles
        if power == LOGBOAT:
            system = self.own_systems[waters(tiles[cell].design.tile).system_of[feature]]
            worth = scoring.logboat_worth(system, tiles)
            self._award(self.player, worth.points, power, scoring.composition(system, worth.why, tiles))
        elif power == HUNTING_TRAP:
            grassland = self.own_regions[feature]
            worth = scoring.trap_worth(cell, grassland, tiles, self.state.rules)
            near = scoring.reach(cell, grassland)
            self.covered = self.covered | set(near)
            cells = tuple(dict.fromkeys(place[0] for place in near))
            self._award(self.player, worth.points, power, Composition(worth.why, near, cells))

    def _use_shaman(self, place: FeatureRef, *, there: bool) -> None:
        """Send the player's meeple on ``place`` home, or append the reasons against it to ``self.faults``.
        ``there``: the tile shows the shaman."""
        cell, feature = place
        if not there and self.design is not None:
            message = Message("{tile} shows no shaman, so no meeple is sent home", tile=self.design.id)
            self._fault("no_shaman", message, cell, feature=feature)
        standing = self.state.meeples.get(place)
        if standing is None or standing.color != self.player:
            message = Message(
                "{player} has no meeple on {feature} of {cell} for the shaman to send home",
                player=self.player, feature=feature, cell=cell,
            )  # fmt: skip
            self._fault("shaman_no_meeple", message, cell, feature=feature, player=self.player)
        elif there:
            self._send_home(place)

    def _send_home(self, place: FeatureRef) -> None:
        """Return the player's meeple on ``place`` to the supply, and take it off its region."""
        self.meeples = {key: piece for key, piece in self.meeples.items() if key != place}
        self.supply = {**self.supply, self.player: self.supply[self.player] + 1}
        self.closed = tuple(region for old in self.closed if (region := old.without(place)).meeples)
        for old in (
            *self.landscape.regions,
            *self.own_regions.values(),
        ):  # those that the tile closed are in ``own_regions`` alone
            if place in old.places:
                self.landscape, new = self.landscape.changed(old, old.without(place))
                replace_region(self.own_regions, old, new)
                return

    # hut

    def _place_hut(self, feature_id: str) -> None:
        """Put the player's hut on a river or lake of the laid tile.
        The reasons against it are appended to ``self.faults``; with any fault no hut is put."""
        player, cell = self.player, self.turn.cell
        if self.hut_supply[player] <= 0:
            self._fault("no_hut", Message("{player} has no hut left", player=player), player=player)
        feature = self._feature(feature_id)
        if feature is not None and feature.kind not in (RIVER, LAKE):
            message = Message(
                "huts stand on rivers and lakes, {feature} is a {kind}", feature=feature_id, kind=feature.kind
            )
            self._fault("hut_not_on_water", message, cell, feature=feature_id)
            return
        if feature is None or self.design is None or not self.own_systems:
            return
        name = waters(self.design.tile).system_of[feature_id]
        system = self.own_systems[name]
        if system.meeples:
            message = Message(
                "there is a hut of {player} on this river system already", player=sorted(system.counts)
            )
            self._fault("system_has_hut", message, cell, feature=feature_id)
        if self._stopped:
            return
        place = (cell, name)  # on a river that ends in a lake the hut stands at the lake
        self.hut_supply = {**self.hut_supply, player: self.hut_supply[player] - 1}
        self.huts = {**self.huts, place: Standing("hut", player, cell, name)}
        self.systems, occupied = self.systems.with_meeple(system, player, place)
        replace_region(self.own_systems, system, occupied)

    # scoring

    def _score_finished(self) -> None:
        """Score finished forests and rivers, store finished grasslands and systems, set ``extra_due``.
        Those stored, in ``self.closed``, are the ones with pieces."""
        menhir = False
        tiles = self.grid.tiles
        kept: list[Region] = []
        for _, region in finished_by(self.turn.cell, self.own_regions):
            if region.kind == GRASSLAND:
                kept.append(region)
            elif region.kind == FOREST:
                menhir = menhir or scoring.menhirs_in(region, tiles) > 0
                if region.meeples:
                    self._score_majority(region)
            elif region.meeples:
                self._score_majority(region)
        kept += [region for _, region in finished_by(self.turn.cell, self.own_systems)]
        if any(region.meeples for region in kept):
            self.closed = (*self.closed, *(region for region in kept if region.meeples))
        self.extra_due = menhir and self._extra_turn_due()

    def _worth(self, region: Region) -> Worth:
        """Return the points of a finished forest or river, with their reason."""
        if region.kind == FOREST:
            return scoring.forest_worth(region, self.grid.tiles)
        return scoring.river_worth(region, self.grid.tiles, self.state.rules)

    def _extra_turn_due(self) -> bool:
        """Whether a menhir forest closed in this turn gives an extra turn ('Menhirs')."""
        state = self.state
        regular, menhirs = state.stacks
        if state.extra or not menhirs:
            return False
        return state.rules.last_tile_menhir or sum(regular.values()) > 1
