"""Final scoring of Carcassonne, and the value of unfinished features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.carcassonne import scoring
from engine.carcassonne.play import CarcassonneTable
from engine.carcassonne.rules import AROUND, CITY, FIELD, MONASTERY, RIVER, Rules
from engine.geometry import Cell
from engine.tiles.board import Laid
from engine.tiles.features import Region, occupied_regions
from engine.tiles.game import Final, ScoreEvent, Spot
from engine.tiles.turn import FeatureRef


def end_events(state: CarcassonneTable) -> tuple[ScoreEvent, ...]:
    """Return the events of the final scoring: unfinished cities and roads, monasteries, fields.
    Regions without meeples have none."""
    unfinished = [r for r in state.landscape.occupied if r.kind not in (FIELD, RIVER)]
    features = (*unfinished, *_monks(state))
    return _events(features, _harvests(state), state.board, state.players, state.rules, state.turn_no)


def final_of_meeples(
    board: Mapping[Cell, Laid], meeples: Sequence[tuple[str, FeatureRef]], rules: Rules
) -> Final:
    """Return the final scoring of a seen board, from 0 points.
    ``meeples`` are (colour, tile feature); those on finished features score them."""
    colors = tuple(dict.fromkeys(color for color, _ in meeples))
    regions = occupied_regions(board, meeples)
    features = [region for region in regions if region.meeples and region.kind not in (FIELD, RIVER)]
    features += [
        scoring.monastery_region(place, color, board)
        for color, place in meeples
        if scoring.monastery_of(board[place[0]].design.tile) == place[1]
    ]
    fields = [region for region in regions if region.meeples and region.kind == FIELD]
    cities = [region for region in regions if region.finished and region.kind == CITY]
    harvests = scoring.harvests(fields, cities, board, colors, rules)
    spots = (*_fields(fields, cities, harvests, board), *(_feature(one, board, rules) for one in features))
    events = _events(features, harvests, board, colors, rules, 0)
    return Final.after(dict.fromkeys(colors, 0), events, spots)


def spots(state: CarcassonneTable) -> tuple[Spot, ...]:
    """Return the spots (places and their values) that players may ask for.
    They are every unfinished city and road, every field that is open or has farmers, and every monastery with
    a monk."""
    regions = [region for region in state.landscape.regions if region.kind not in (FIELD, RIVER)]
    fields = [region for region in (*state.landscape.regions, *state.closed) if region.kind == FIELD]
    return (
        *_fields(fields, _finished_cities(state), _harvests(state), state.board),
        *(_feature(region, state.board, state.rules) for region in (*regions, *_monks(state))),
    )


def _feature(region: Region, board: Mapping[Cell, Laid], rules: Rules) -> Spot:
    """Return the spot of a city, road or monastery, with its worth by player."""
    open_edges = AROUND + 1 - len(region.places) if region.kind == MONASTERY else len(region.ports)
    now = scoring.worth(region, board, rules)
    return Spot(
        region.kind,
        scoring.composition(region, now.why),
        region.counts,
        scoring.worth_if_finished(region, board, rules).points,
        {color: now.points if color in region.majority else 0 for color in region.counts},
        open_edges,
    )


def _fields(
    fields: Sequence[Region],
    cities: Sequence[Region],
    harvests: Sequence[scoring.Harvest],
    board: Mapping[Cell, Laid],
) -> Iterator[Spot]:
    """Yield the spot (place and value) of every one of ``fields``; ``cities`` are the finished ones."""
    for field, adjoin in zip(fields, scoring.adjoining(fields, cities, board), strict=True):
        own = [item for item in harvests if item.field is field]
        ended = {item.player: item.points for item in own}
        paying = {id(city) for item in own for city in item.cities}
        beside = [cities[number] for number in adjoin]
        yield Spot(
            FIELD,
            scoring.field_of(field, [city for city in beside if not field.meeples or id(city) in paying]),
            field.counts,
            max(ended.values(), default=0),
            {color: ended.get(color, 0) for color in field.counts},
            len(field.ports),
            at_end=True,
        )


def _events(
    features: Iterable[Region],
    harvests: Iterable[scoring.Harvest],
    board: Mapping[Cell, Laid],
    players: Sequence[str],
    rules: Rules,
    turn_no: int,
) -> tuple[ScoreEvent, ...]:
    """Return the events of the final scoring: of features with meeples, then of fields.

    ``features`` are cities, roads and monasteries, ``harvests`` the points of fields. ``players`` order the
    events of one region, ``turn_no`` is the number that the events get.
    """

    events = []
    for region in features:
        worth = scoring.worth(region, board, rules)
        of = scoring.composition(region, worth.why)
        events += [
            ScoreEvent(turn_no, player, worth.points, region.kind, of, at_end=True)
            for player in players
            if player in region.majority
        ]
    events += [ScoreEvent(turn_no, one.player, one.points, FIELD, one.of, at_end=True) for one in harvests]
    return tuple(events)


def _monks(state: CarcassonneTable) -> list[Region]:
    """Return the monasteries with monks, as regions over the tiles around them."""
    return [
        scoring.monastery_region((cell, name), piece.color or "", state.board)
        for (cell, name), piece in state.meeples.items()
        if scoring.monastery_of(state.board[cell].design.tile) == name
    ]


def _harvests(state: CarcassonneTable) -> tuple[scoring.Harvest, ...]:
    """Return the points that all farmers would get if the game ended now."""
    regions = (*state.closed, *state.landscape.regions)
    fields = [region for region in regions if region.kind == FIELD and region.meeples]
    return scoring.harvests(fields, _finished_cities(state), state.board, state.players, state.rules)


def _finished_cities(state: CarcassonneTable) -> list[Region]:
    """Return the finished cities, as regions."""
    return [region for region in state.closed if region.kind == CITY]
