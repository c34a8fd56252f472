"""Pairing of a round: Swiss by minimum-cost matching, or round robin.

Swiss at tables of two is a minimum-cost perfect matching (blossom algorithm, networkx): rematches are avoided
if possible, and opponents have about equal points. Larger tables are cut from the standings, then players are
exchanged to avoid rematches. The player who has moved first least often moves first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import networkx

from engine.message import Message
from tilesight.club.tournament.event import Entrant, Pairing, Tournament, TournamentError
from tilesight.club.tournament.standings import match_points, standings

AGAIN = 10**9
"""Cost of a pair that has met before, and of a second bye: more than all differences of points together."""
BYE_SEAT = 0
"""Placeholder entrant: a match with it is a bye."""


def next_round(event: Tournament) -> Tournament:
    """Return the tournament with its next round, paired by its system. Raises TournamentError if fewer than
    two entrants play, the last round is not complete, or all planned rounds have begun."""
    if len(event.next_players()) < 2:
        raise TournamentError(Message("a round has two players at least"))
    tables = _round_robin(event) if event.system == "round_robin" else _swiss(event)
    begun = Counter(
        pairing.seats[0] for one in event.rounds for pairing in one.pairings if not pairing.is_bye
    )
    seats = (tuple(sorted(table, key=lambda one: begun[one])) for table in tables)
    return event.begin_round(tuple(Pairing(number, one) for number, one in enumerate(seats, start=1)))


def _swiss(event: Tournament) -> list[list[Entrant]]:
    """Return the tables of the next Swiss round as lists of entrants: those with the best-placed entrants
    first, a bye (a single entrant) last."""
    playing = {one.entrant for one in event.next_players()}
    ranked = [line.entrant for line in standings(event) if line.entrant in playing]
    costs = _Costs(event, ranked)
    tables = _matched(ranked, costs) if event.table_size == 2 else _grouped(ranked, event.table_size, costs)
    place = {one: number for number, one in enumerate(ranked)}
    return sorted(tables, key=lambda table: (len(table) == 1, min(place[one] for one in table)))


class _Costs:
    """Costs of pairings of the entrants ``ranked`` (best first): the lower, the better.

    Among entrants with equal points, the first of the upper half belongs with the first of the lower half: so
    the seeds are paired in the first round.
    """

    def __init__(self, event: Tournament, ranked: Sequence[Entrant]) -> None:
        points = match_points(event)
        self._met = Counter(
            frozenset(pair)
            for one in event.rounds
            for pairing in one.pairings
            for pair in combinations(pairing.seats, 2)
        )
        self._byes = {one: event.byes(one) for one in ranked}
        self._place = {one: place for place, one in enumerate(ranked)}
        self._points = points
        groups: dict[Fraction, list[Entrant]] = {}
        for one in ranked:
            groups.setdefault(points[one], []).append(one)
        self._fold = {one: (at, len(group)) for group in groups.values() for at, one in enumerate(group)}

    def pair(self, one: Entrant, other: Entrant) -> int:
        """Return the cost of a pair. Most weighs each earlier meeting (`AGAIN`), then the difference of
        points; least the distance of their places from half a group of equal points, or, between different
        points, from each other."""
        gap = abs(self._points[one] - self._points[other])
        apart = round(4 * gap) ** 2 * 10_000
        if gap == 0:
            (a, size), (b, _) = self._fold[one], self._fold[other]
            apart += abs(abs(a - b) - size // 2)
        else:
            apart += abs(self._place[one] - self._place[other])
        return AGAIN * self._met[frozenset((one, other))] + apart

    def bye(self, one: Entrant) -> int:
        """Return the cost of a bye of an entrant: most weighs each earlier bye, then a good place."""
        return AGAIN * self._byes[one] + 10_000 * (len(self._place) - self._place[one])

    def table(self, seats: Sequence[Entrant]) -> int:
        """Return the cost of a table: the sum over its pairs."""
        return sum(self.pair(one, other) for one, other in combinations(seats, 2))


def _matched(ranked: Sequence[Entrant], costs: _Costs) -> list[list[Entrant]]:
    """Return the pairs of least total cost, each in the order of ``ranked``; of an odd number, one entrant is
    alone (a bye)."""
    graph: networkx.Graph[Entrant] = networkx.Graph()
    pairs = combinations(ranked, 2)
    graph.add_weighted_edges_from((one, other, costs.pair(one, other)) for one, other in pairs)
    if len(ranked) % 2:
        graph.add_weighted_edges_from((one, BYE_SEAT, costs.bye(one)) for one in ranked)
    matching = networkx.min_weight_matching(graph)
    return [sorted(set(pair) - {BYE_SEAT}, key=ranked.index) for pair in matching]


def _grouped(ranked: Sequence[Entrant], size: int, costs: _Costs) -> list[list[Entrant]]:
    """Return tables of ``size`` or one fewer, with neighbours in the standings together.

    While there is a rematch, the best exchange of two players is made. No table has fewer than two players if
    there are two.
    """
    count = -(-len(ranked) // size)
    small, larger = divmod(len(ranked), count)
    tables, at = [], 0
    for number in range(count):
        length = small + (number < larger)
        tables.append(list(ranked[at : at + length]))
        at += length
    while _improved(tables, costs):
        pass
    return tables


def _improved(tables: list[list[Entrant]], costs: _Costs) -> bool:
    """Exchange in ``tables`` the two players whose exchange lowers the total cost most, and return True;
    change nothing and return False if no exchange lowers it."""
    cost = [costs.table(table) for table in tables]
    best = min(_exchanges(tables, cost, costs), default=(0, (0, 0, 0, 0)))
    if best[0] >= 0:
        return False
    a, b, i, j = best[1]
    tables[a][i], tables[b][j] = tables[b][j], tables[a][i]
    return True


def _exchanges(
    tables: Sequence[Sequence[Entrant]], cost: Sequence[int], costs: _Costs
) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
    """Yield every exchange of two players that involves a table with a rematch: the change of the total
    cost, and ``(a, b, i, j)`` for player ``i`` of table ``a`` with player ``j`` of table ``b`` (indices).
    ``cost`` has the cost of each table."""
    for a, b in combinations(range(len(tables)), 2):
        if max(cost[a], cost[b]) < AGAIN:
            continue
        for i, one in enumerate(tables[a]):
            for j, other in enumerate(tables[b]):
                first = [*tables[a][:i], other, *tables[a][i + 1 :]]
                second = [*tables[b][:j], one, *tables[b][j + 1 :]]
                change = costs.table(first) + costs.table(second) - cost[a] - cost[b]
                yield change, (a, b, i, j)


def _round_robin(event: Tournament) -> list[list[Entrant]]:
    """Return the tables of the next round of a round robin, by the circle method: the first player stays, all
    others rotate.

    Withdrawn players are replaced by byes.
    """
    players = [one.entrant for one in event.entries]
    circle = players if len(players) % 2 == 0 else [*players, BYE_SEAT]
    turned = len(event.rounds) % (len(circle) - 1)
    others = circle[1:]
    row = [circle[0], *others[len(others) - turned :], *others[: len(others) - turned]]
    playing = {one.entrant for one in event.next_players()}
    tables = ([row[at], row[-1 - at]] for at in range(len(row) // 2))
    present = ([one for one in table if one in playing] for table in tables)
    return sorted((table for table in present if table), key=lambda table: len(table) == 1)
