"""Standings: points of the rounds, and named tie-breaks.

Buchholz, its cut and Sonneborn-Berger follow the FIDE Handbook, C.07 ('Tie-Break Regulations'), with two
additions for tables of more than two: the opponents at a table count as their mean, so that large tables
weigh no more than small ones; and a bye, or a round skipped, counts as a game against an opponent with the
entrant's own points (there, 'dummy opponent').
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tilesight.club.tournament.event import Entrant, Pairing, Result, Tournament, TournamentError

BYE = Fraction(1)
"""Match points of a bye."""
Values = Mapping[Entrant, Fraction]
"""A number for each entrant, larger is better."""


@dataclass(frozen=True, slots=True)
class StandingsLine:
    """One line of the standings.

    Entrants who are equal in everything share a ``rank``, counted from 1. ``played`` counts games and byes;
    ``tie_breaks`` are in the tournament's order.
    """

    rank: int
    entrant: Entrant
    points: Fraction
    played: int
    tie_breaks: tuple[Fraction, ...]


def standings(event: Tournament) -> list[StandingsLine]:
    """Return the standings after the results so far, best first; ties in order of seed.

    Raises TournamentError if the tournament names an unknown tie-break.
    """
    unknown = [name for name in event.tie_breaks if name not in TIE_BREAKS]
    if unknown:
        raise TournamentError(f"there is no tie-break {unknown[0]!r}: {', '.join(TIE_BREAKS)}")
    table = _Table.of(event)
    everybody = sorted((one.entrant for one in event.entries), key=lambda one: event.entry(one).seed)
    values: dict[Entrant, list[Fraction]] = {one: [] for one in everybody}
    groups = _split([everybody], [table.points])
    for name in event.tie_breaks:
        found = [TIE_BREAKS[name](table, group) for group in groups]
        for group, numbers in zip(groups, found, strict=True):
            for one in group:
                values[one].append(numbers[one])
        groups = _split(groups, found)
    rank = 1
    lines: list[StandingsLine] = []
    for group in groups:
        lines += [
            StandingsLine(rank, one, table.points[one], table.played[one], tuple(values[one]))
            for one in group
        ]
        rank += len(group)
    return lines


def match_points(event: Tournament) -> dict[Entrant, Fraction]:
    """Return the match points of every entrant over all rounds, with byes and the points of skipped
    rounds."""
    return dict(_Table.of(event).points)


@dataclass(frozen=True, slots=True)
class _Table:
    """Data from which tie-breaks are computed: finished ``games`` with their pairing, result and match
    points; and by entrant the match points, the number of games and byes, of byes, and the points of each
    skipped round."""

    games: Sequence[tuple[Pairing, Result, Values]]
    points: Values
    played: Mapping[Entrant, int]
    byes: Mapping[Entrant, int]
    skipped: Mapping[Entrant, Sequence[Fraction]]

    @staticmethod
    def of(event: Tournament) -> _Table:
        """Return the table of a tournament after the results so far."""
        games = [(pairing, result, result.match_points()) for pairing, result in event.games()]
        byes = {one.entrant: event.byes(one.entrant) for one in event.entries}
        skipped = {
            one.entrant: [points for number, points in one.skips.items() if number <= len(event.rounds)]
            for one in event.entries
        }
        points = {one: BYE * count + _sum(skipped[one]) for one, count in byes.items()}
        played = dict(byes)
        for _, _, shares in games:
            for one, share in shares.items():
                points[one] += share
                played[one] += 1
        return _Table(games, points, played, byes, skipped)

    def meetings(self, one: Entrant) -> list[tuple[Fraction, Fraction]]:
        """Return, for every game, bye and skipped round of an entrant, the opponents' mean points and the
        points won."""
        met = [
            (_mean([self.points[other] for other in pairing.seats if other != one]), shares[one])
            for pairing, _, shares in self.games
            if one in shares
        ]
        unplayed = [BYE] * self.byes[one] + list(self.skipped[one])
        return met + [(self.points[one], won) for won in unplayed]


def _buchholz(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the sum of the opponents' match points."""
    return {one: _sum(strength for strength, _ in table.meetings(one)) for one in group}


def _buchholz_cut_1(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the sum of the opponents' match points without the lowest."""
    return {one: _sum(sorted(strength for strength, _ in table.meetings(one))[1:]) for one in group}


def _sonneborn_berger(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the sum of the opponents' match points, each times the match
    points won against them."""
    return {one: _sum(strength * won for strength, won in table.meetings(one)) for one in group}


def _wins(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the number of games in which all others at the table were
    beaten."""
    return {one: Fraction(sum(shares.get(one) == 1 for _, _, shares in table.games)) for one in group}


def _difference(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the sum over the games of own points less the mean of the
    others'. A game in which an entrant was absent counts 0 for all of its table."""
    totals = dict.fromkeys(group, Fraction(0))
    for pairing, result, _ in table.games:
        if result.absent:
            continue
        for one in set(pairing.seats) & totals.keys():
            others = [Fraction(result.points[other]) for other in pairing.seats if other != one]
            totals[one] += result.points[one] - _mean(others)
    return totals


def _direct(table: _Table, group: Collection[Entrant]) -> Values:
    """Return, for each entrant of ``group``, the match points of the games against others of the group; 0
    for all unless everybody in it has met everybody else."""
    inside = set(group)
    met = {frozenset((a, b)) for pairing, _, _ in table.games for a in pairing.seats for b in pairing.seats}
    totals = dict.fromkeys(group, Fraction(0))
    if any(frozenset((a, b)) not in met for a in inside for b in inside if a != b):
        return totals
    for pairing, result, _ in table.games:
        among = [one for one in pairing.seats if one in inside]
        if len(among) > 1:
            part = Result({one: result.points[one] for one in among}, result.absent & set(among))
            for one, share in part.match_points().items():
                totals[one] += share
    return totals


TIE_BREAKS: Mapping[str, Callable[[_Table, Collection[Entrant]], Values]] = {
    "buchholz": _buchholz,
    "buchholz_cut_1": _buchholz_cut_1,
    "sonneborn_berger": _sonneborn_berger,
    "direct": _direct,
    "difference": _difference,
    "wins": _wins,
}
"""Tie-breaks by name: points of the opponents (all; without the weakest; weighed by what was won from each),
games among the equals, difference of game points, games won."""


def _split(groups: Sequence[Sequence[Entrant]], values: Sequence[Values]) -> list[list[Entrant]]:
    """Split each group into groups of equal values, best first; within each, the order stays."""
    return [
        [one for one in group if numbers[one] == level]
        for group, numbers in zip(groups, values, strict=True)
        for level in sorted({numbers[one] for one in group}, reverse=True)
    ]


def _mean(values: Sequence[Fraction]) -> Fraction:
    """Return the mean. Raises ZeroDivisionError without values."""
    return sum(values, Fraction(0)) / len(values)


def _sum(values: Iterable[Fraction]) -> Fraction:
    """Return the sum; 0 without values."""
    return sum(values, Fraction(0))
