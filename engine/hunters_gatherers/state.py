"""Positions of Hunters and Gatherers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.geometry import Cell, Corner
from engine.hunters_gatherers import scoring
from engine.hunters_gatherers.actions import Hut, SentHome
from engine.hunters_gatherers.play import HuntersTable, Run
from engine.hunters_gatherers.rules import SHAMAN, Rules
from engine.hunters_gatherers.water import (
    FOREST,
    GRASSLAND,
    LAKE,
    RIVER,
    SYSTEM,
    lake_of,
    power_on,
    water_laid,
    waters,
)
from engine.message import Message
from engine.pack import Design
from engine.tiles.actions import Action, Meeple, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Region
from engine.tiles.game import FeatureUse, Final, ScoreEvent, Spot, Worth
from engine.tiles.turn import FeatureRef, Turn


class HuntersState(HuntersTable):
    """A position of this game: see `HuntersTable`."""

    __slots__ = ()

    @property
    def player(self) -> str:
        """Player whose turn it is; the same one again after a menhir forest."""
        return self.players[self.seat]

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Return the number of meeples or huts in each player's supply; {} for other kinds."""
        return self.hut_supply if kind == "hut" else self.supply if kind == "meeple" else {}

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table."""
        return (*self.meeples.values(), *self.huts.values())

    @property
    def due(self) -> int | None:
        """Index of the stack to draw from: 1 (menhir) in the extra turn, else 0 (regular).
        None if the regular one is used up ('End of the game')."""
        return 1 if self.extra else 0 if self.stacks[0] else None

    def reason_not_drawn(self, design_id: str) -> Message:
        """Return the reason why a tile is not drawn in this turn; it must be of the other stack."""
        if self.extra:
            return Message("{tile} is a regular tile: the extra turn takes a menhir tile", tile=design_id)
        return Message(
            "{tile} is a menhir tile: it is drawn only in the turn after a menhir forest", tile=design_id
        )

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """Return the meeples and huts that may be put on the tile laid at ``cell`` with rotation ``rot``.
        If ``parts`` has a meeple sent home by the shaman, it is back in the supply. A hut on a river that
        ends in a lake is listed once, as a hut on the lake."""
        sent_home = next((part.place for part in parts if isinstance(part, SentHome)), None)
        return tuple(self._actions(cell, Laid(self.design(design_id), rot), sent_home))

    def _actions(self, cell: Cell, laid: Laid, sent_home: FeatureRef | None) -> Iterator[Action]:
        """Yield the meeples and huts of `actions`; ``sent_home`` is the place of a meeple sent home."""
        supply = self.supply[self.player] + (sent_home is not None)
        _, own_regions = self.landscape.lay(cell, laid)
        water = water_laid(laid) if self.hut_supply[self.player] else None
        systems = {} if water is None else self.systems.lay(cell, water)[1]
        system_of = waters(laid.design.tile).system_of
        for feature in laid.design.tile.features:
            region = own_regions.get(feature.id)
            if supply and region is not None and not region.without(sent_home).meeples:
                yield Meeple(feature.id)
            takes_hut = feature.kind == LAKE or (feature.kind == RIVER and lake_of(feature) is None)
            if systems and takes_hut and not systems[system_of[feature.id]].meeples:
                yield Hut(feature.id)

    def turns_with(
        self, design: Design, cell: Cell, rot: int, corners: Collection[tuple[Cell, Corner]] | None
    ) -> Iterator[Turn]:
        """Yield the turns with a face that may be laid there: no piece, then meeples and huts.
        With a shaman the same follows for each meeple that may be sent home. Nothing if ``corners`` names
        any, as this game has no animal tiles."""
        if corners:
            return
        laid = Laid(design, rot)
        own: list[FeatureRef | None] = [None]
        power = power_on(design.tile)
        if power is not None and power[0] == SHAMAN:
            own += [place for place, piece in self.meeples.items() if piece.color == self.player]
        for place in own:
            parts = () if place is None else (SentHome(place),)
            yield Turn(self.player, design.id, cell, rot, None, parts)
            for action in self._actions(cell, laid, place):
                yield Turn(self.player, design.id, cell, rot, action, parts)

    def feature_uses(self, cell: Cell, laid: Laid) -> tuple[FeatureUse, ...]:
        """Return the actions that put a meeple or a hut on a feature of ``laid`` at ``cell``, legal or not.
        A hut on a river that ends in a lake is listed once, as a hut on the lake."""
        water = water_laid(laid)
        if water is None:
            return super().feature_uses(cell, laid)
        _, systems = self.systems.lay(cell, water)
        huts = (
            FeatureUse(Hut(name), ("hut", "standing"), name, systems.get(name))
            for name in waters(laid.design.tile).features
        )
        return (*super().feature_uses(cell, laid), *huts)

    def parts_taking(self, turn: Turn) -> tuple[TurnPart, ...]:
        """Return the meeples of the player that the tile's shaman may send home."""
        power = power_on(self.design(turn.tile).tile)
        if power is None or power[0] != SHAMAN:
            return ()
        return tuple(SentHome(place) for place, one in self.meeples.items() if one.color == self.player)

    def run(self, turn: Turn, *, forced: bool = False) -> Run:
        """Execute a turn, legal or not; the result has its faults."""
        return Run(self, turn, forced=forced)

    def put_aside(self, design_id: str) -> HuntersState:
        """Return the position after a face that fits nowhere is put aside.
        The extra turn ends if no menhir tile is left ('Summary'; docs/rulings.md, 'Menhir turn')."""
        after = super().put_aside(design_id)
        if not self.extra or after.stacks[1]:
            return after
        return replace(after, extra=False, seat=(self.seat + 1) % len(self.players))

    def final(self) -> Final:
        """Return the final scoring if the game ended now ('Final scoring'): huts, then hunters.
        Unfinished forests and rivers score nothing."""
        systems = [region for region in self.closed if region.kind == SYSTEM]
        systems += self.systems.occupied
        grasslands = [region for region in self.closed if region.kind == GRASSLAND]
        grasslands += [region for region in self.landscape.occupied if region.kind == GRASSLAND]
        regions = (*systems, *grasslands)
        events = end_events(regions, self.board, self.covered, self.players, self.turn_no)
        return Final.after(self.scores, events)

    def spots(self) -> tuple[Spot, ...]:
        """Return the spots (places and their values) that players may ask for.
        They are every unfinished forest and river, and every grassland and river system that is open or has
        pieces."""
        regions = (*self.landscape.regions, *self.systems.regions, *self.closed)
        return tuple(spot(region, self.board, self.covered, self.rules) for region in regions)


def spot(region: Region, board: Mapping[Cell, Laid], covered: frozenset[FeatureRef], rules: Rules) -> Spot:
    """Return the value of one region: if finished, and for each player if the game ended now.
    Animals on ``covered`` tile features do not count."""
    at_end = region.kind not in (FOREST, RIVER)
    if region.kind == FOREST:
        worth = scoring.forest_worth(region, board)
    elif region.kind == RIVER:
        worth = scoring.river_worth(region, board, rules)
    else:
        worth = end_worth(region, board, covered)
    ended = worth.points if at_end else 0
    majority = region.majority
    return Spot(
        kind=region.kind,
        of=scoring.composition(region, worth.why, board),
        meeples=region.counts,
        if_completed=worth.points,
        if_ended={color: ended if color in majority else 0 for color in region.counts},
        open_edges=len(region.ports),
        at_end=at_end,
        piece="hut" if region.kind == SYSTEM else "meeple",
    )


def end_events(
    regions: Iterable[Region],
    board: Mapping[Cell, Laid],
    covered: frozenset[FeatureRef],
    players: Sequence[str],
    turn_no: int,
) -> list[ScoreEvent]:
    """Return the events of the final scoring of ``regions``, river systems and grasslands with pieces.
    Animals on ``covered`` tile features do not count; ``turn_no`` is the number that the events get."""
    events = []
    for region in regions:
        worth, majority = end_worth(region, board, covered), region.majority
        of = scoring.composition(region, worth.why, board)
        events += [
            ScoreEvent(turn_no, player, worth.points, region.kind, of, at_end=True)
            for player in players
            if player in majority
        ]
    return events


def end_worth(region: Region, board: Mapping[Cell, Laid], covered: frozenset[FeatureRef]) -> Worth:
    """Return the points of a river system or grassland in the final scoring.
    Animals on ``covered`` tile features do not count."""
    if region.kind == SYSTEM:
        return scoring.system_worth(region, board)
    return scoring.grassland_worth(region, board, covered)
