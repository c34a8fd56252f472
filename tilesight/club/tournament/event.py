"""One tournament as a value: entrants, rounds, tables and results. Every change gives a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

System = Literal["swiss", "round_robin"]
"""Ways to pair entrants."""
Entrant = int
"""Number of an entrant, from 1 in the order of entry."""
ENTRANTS_AT_MOST = 512
"""Entrants of a tournament at most: a round of 512 is paired in about a minute."""
SEATS_AT_MOST = 6
"""Players at one table at most."""
POINTS_AT_MOST = 10_000
"""Points of one player in one game at most; a larger number is a slip of the pen."""


class TournamentError(ValueError):
    """Something that the tournament's state does not allow; one line for people."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entrant. ``seed`` orders entrants before the first round, the strongest first; ``from_round`` is the
    first round that they play, ``until_round`` the last one, None while they have not withdrawn."""

    entrant: Entrant
    name: str
    seed: int
    from_round: int = 1
    until_round: int | None = None

    def plays(self, number: int) -> bool:
        """Whether they play round ``number``."""
        return self.from_round <= number and (self.until_round is None or number <= self.until_round)


@dataclass(frozen=True, slots=True)
class Pairing:
    """The entrants at one table in turn order. A single one has a bye."""

    table: int
    seats: tuple[Entrant, ...]

    @property
    def is_bye(self) -> bool:
        """Whether its only entrant has nobody to play."""
        return len(self.seats) == 1


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a game: its points by entrant. Whoever did not come is in ``absent``; their
    points do not count, and they lose to everybody who came."""

    points: Mapping[Entrant, int]
    absent: frozenset[Entrant] = frozenset()

    def match_points(self) -> dict[Entrant, Fraction]:
        """Share of the others at the table that each has beaten, a tie counting half: 1, ½ or 0 at a table of
        two. Nobody who was absent gets any."""
        others = len(self.points) - 1
        present = self.points.keys() - self.absent
        beaten = {
            one: sum((self._against(one, other) for other in self.points if other != one), Fraction(0))
            for one in present
        }
        return {one: beaten.get(one, Fraction(0)) / others for one in self.points}

    def _against(self, one: Entrant, other: Entrant) -> Fraction:
        if other in self.absent or self.points[one] > self.points[other]:
            return Fraction(1)
        return Fraction(1, 2) if self.points[one] == self.points[other] else Fraction(0)


@dataclass(frozen=True, slots=True)
class Round:
    """A round: who sits where, and the results that are in, by table."""

    number: int
    pairings: tuple[Pairing, ...]
    results: Mapping[int, Result] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def waiting(self) -> tuple[int, ...]:
        """Tables whose result is not in."""
        return tuple(one.table for one in self.pairings if not one.is_bye and one.table not in self.results)

    @property
    def complete(self) -> bool:
        """Whether all results are in."""
        return not self.waiting

    def pairing(self, table: int) -> Pairing:
        """The pairing at a table. TournamentError where there is none."""
        found = next((one for one in self.pairings if one.table == table), None)
        if found is None:
            raise TournamentError(f"round {self.number} has no table {table}")
        return found


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. ``table_size`` is how many sit at a full table, ``rounds_planned`` how many rounds there
    are to be, ``tie_breaks`` the names of `standings.TIE_BREAKS` in their order."""

    rounds_planned: int
    table_size: int = 2
    system: System = "swiss"
    tie_breaks: tuple[str, ...] = ("buchholz_cut_1", "buchholz", "direct", "difference")
    entries: tuple[Entry, ...] = ()
    rounds: tuple[Round, ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= self.table_size <= SEATS_AT_MOST:
            raise TournamentError(f"a table has 2 to {SEATS_AT_MOST} players, not {self.table_size}")
        if self.rounds_planned < 1:
            raise TournamentError("a tournament has one round at least")
        if self.system == "round_robin" and self.table_size != 2:
            raise TournamentError("everybody against everybody is for tables of two")

    @property
    def over(self) -> bool:
        """Whether every planned round is complete."""
        return len(self.rounds) >= self.rounds_planned and self.rounds[-1].complete

    def enter(self, name: str, seed: int | None = None) -> Tournament:
        """The tournament with one more entrant, who plays from the next round on."""
        if len(self.entries) >= ENTRANTS_AT_MOST:
            raise TournamentError(f"a tournament has {ENTRANTS_AT_MOST} entrants at most")
        if self.system == "round_robin" and self.rounds:
            raise TournamentError("nobody can join once everybody plays everybody")
        number = len(self.entries) + 1
        entry = Entry(number, name, number if seed is None else seed, len(self.rounds) + 1)
        return replace(self, entries=(*self.entries, entry))

    def withdraw(self, entrant: Entrant) -> Tournament:
        """The tournament in which an entrant plays no round after the present one."""
        entry = self.entry(entrant)
        if entry.until_round is not None:
            raise TournamentError(f"{entry.name} has withdrawn already")
        return self._with(replace(entry, until_round=len(self.rounds)))

    def entry(self, entrant: Entrant) -> Entry:
        """An entrant's entry. TournamentError where there is none."""
        if not 1 <= entrant <= len(self.entries):
            raise TournamentError(f"there is no entrant {entrant}")
        return self.entries[entrant - 1]

    def next_players(self) -> tuple[Entry, ...]:
        """Those who play the next round."""
        return tuple(one for one in self.entries if one.plays(len(self.rounds) + 1))

    def begin_round(self, pairings: tuple[Pairing, ...]) -> Tournament:
        """The tournament with its next round. TournamentError while one is open or after the last."""
        if self.rounds and not self.rounds[-1].complete:
            tables = ", ".join(map(str, self.rounds[-1].waiting))
            raise TournamentError(f"round {len(self.rounds)} waits for the results of table {tables}")
        if len(self.rounds) >= self.rounds_planned:
            raise TournamentError(f"all {self.rounds_planned} rounds have been played")
        seated = sorted(entrant for one in pairings for entrant in one.seats)
        if seated != [one.entrant for one in self.next_players()]:
            raise TournamentError("every player of the round sits at one table")
        return replace(self, rounds=(*self.rounds, Round(len(self.rounds) + 1, pairings)))

    def report(self, number: int, table: int, result: Result) -> Tournament:
        """The tournament with a table's result, which replaces a former one. Pairings that were made from a
        former result stay as they are."""
        if not 1 <= number <= len(self.rounds):
            raise TournamentError(f"there is no round {number}")
        chosen = self.rounds[number - 1]
        pairing = chosen.pairing(table)
        if pairing.is_bye:
            raise TournamentError("a bye has no result")
        if set(result.points) != set(pairing.seats) or not result.absent <= set(pairing.seats):
            raise TournamentError("a result has the points of everybody at the table and of nobody else")
        if any(abs(points) > POINTS_AT_MOST for points in result.points.values()):
            raise TournamentError(f"points are between {-POINTS_AT_MOST} and {POINTS_AT_MOST}")
        changed = replace(chosen, results=MappingProxyType({**chosen.results, table: result}))
        return replace(self, rounds=(*self.rounds[: number - 1], changed, *self.rounds[number:]))

    def take_back_round(self) -> Tournament:
        """The tournament without its last round. TournamentError where a result of it is in."""
        if not self.rounds:
            raise TournamentError("no round has begun")
        if self.rounds[-1].results:
            raise TournamentError(f"round {len(self.rounds)} has results")
        return replace(self, rounds=self.rounds[:-1])

    def games(self) -> Iterator[tuple[Pairing, Result]]:
        """Every game whose result is in, round by round."""
        for one in self.rounds:
            for pairing in one.pairings:
                if pairing.table in one.results:
                    yield pairing, one.results[pairing.table]

    def byes(self, entrant: Entrant) -> int:
        """Number of byes that an entrant has had."""
        return sum(pairing.seats == (entrant,) for one in self.rounds for pairing in one.pairings)

    def _with(self, entry: Entry) -> Tournament:
        before, after = self.entries[: entry.entrant - 1], self.entries[entry.entrant :]
        return replace(self, entries=(*before, entry, *after))
