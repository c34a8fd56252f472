"""Worth of everything on a table of Carcassonne if the game ended now."""

from __future__ import annotations

from collections.abc import Iterator

from engine.carcassonne import scoring
from engine.carcassonne.play import CarcassonneTable
from engine.carcassonne.rules import AROUND, CITY, FIELD, MONASTERY, RIVER
from engine.tiles.features import Region
from engine.tiles.game import ScoreEvent, Spot


def end_events(state: CarcassonneTable) -> tuple[ScoreEvent, ...]:
    """The final scoring: unfinished cities and roads, monasteries, fields."""
    events = []
    unfinished = [r for r in state.landscape.regions if r.meeples and r.kind not in (FIELD, RIVER)]
    for region in (*unfinished, *_monks(state)):
        worth = scoring.worth(region, state.board, state.rules)
        events += [
            _event(state, region, player, worth.points, worth.why)
            for player in state.players
            if player in region.majority
        ]
    events += [_event(state, one.field, one.player, one.points, one.why) for one in _harvests(state)]
    return tuple(events)


def spots(state: CarcassonneTable) -> tuple[Spot, ...]:
    """Every unfinished city and road, every field that is open or has farmers, every monastery with a monk,
    and its worth."""
    regions = [region for region in state.landscape.regions if region.kind not in (FIELD, RIVER)]
    return (*_fields(state), *(_feature(region, state) for region in (*regions, *_monks(state))))


def _feature(region: Region, state: CarcassonneTable) -> Spot:
    """An unfinished city or road, or a monastery."""
    places, open_edges = region.places, len(region.ports)
    if region.kind == MONASTERY:
        places, open_edges = region.places[:1], AROUND + 1 - len(region.places)
    ended = dict.fromkeys(region.majority, scoring.worth(region, state.board, state.rules).points)
    return Spot(
        region.kind,
        places,
        region.counts,
        scoring.worth_if_finished(region, state.board, state.rules).points,
        {color: ended.get(color, 0) for color in region.counts},
        open_edges,
    )


def _fields(state: CarcassonneTable) -> Iterator[Spot]:
    """Every field that is open or has farmers, with the finished cities that it adjoins."""
    harvests = _harvests(state)
    fields = [region for region in (*state.landscape.regions, *state.closed) if region.kind == FIELD]
    cities = _finished_cities(state)
    for field, adjoin in zip(fields, scoring.adjoining(fields, cities, state.board), strict=True):
        ended = {item.player: item.points for item in harvests if item.field is field}
        yield Spot(
            FIELD,
            field.places,
            field.counts,
            max(ended.values(), default=0),
            {color: ended.get(color, 0) for color in field.counts},
            len(field.ports),
            on_demand=True,
            paid_by=tuple(cities[number].places[0] for number in adjoin),
        )


def _event(state: CarcassonneTable, region: Region, player: str, points: int, why: str) -> ScoreEvent:
    feature = region.places[0][1]
    return ScoreEvent(state.turn_no, player, points, region.kind, why, region.cells, feature, at_end=True)


def _monks(state: CarcassonneTable) -> list[Region]:
    """The monasteries with monks."""
    return [
        scoring.monastery_region((cell, name), piece.color or "", state.board)
        for (cell, name), piece in state.meeples.items()
        if scoring.monastery_of(state.board[cell].design.tile) == name
    ]


def _harvests(state: CarcassonneTable) -> tuple[scoring.Harvest, ...]:
    """All that farmers get."""
    regions = (*state.closed, *state.landscape.regions)
    fields = [region for region in regions if region.kind == FIELD and region.meeples]
    return scoring.harvests(fields, _finished_cities(state), state.board, state.players, state.rules)


def _finished_cities(state: CarcassonneTable) -> list[Region]:
    return [region for region in state.closed if region.kind == CITY]
