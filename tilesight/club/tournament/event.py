"""One tournament as an immutable value: entrants, rounds, tables and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from engine.message import Message

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
    """An operation is not possible in the tournament's state; the message is one line for people."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entrant.

    ``seed`` orders entrants before the first round, strongest first. ``from_round`` is the first round that
    they play, ``until_round`` the last one, None unless they have withdrawn. ``skips`` are the rounds that
    they do not play at their own wish, each with the match points that it counts.
    """

    entrant: Entrant
    name: str
    seed: int
    from_round: int = 1
    until_round: int | None = None
    skips: Mapping[int, Fraction] = field(default_factory=lambda: MappingProxyType({}))

    def plays(self, number: int) -> bool:
        """Whether the entrant plays round ``number``."""
        here = self.from_round <= number and (self.until_round is None or number <= self.until_round)
        return here and number not in self.skips


@dataclass(frozen=True, slots=True)
class Pairing:
    """The entrants at one table in turn order. A single entrant has a bye."""

    table: int
    seats: tuple[Entrant, ...]

    @property
    def is_bye(self) -> bool:
        """Whether it has a single entrant."""
        return len(self.seats) == 1


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a game: points by entrant.

    Entrants in ``absent`` did not come; their points do not count, and they lose against all who came.
    """

    points: Mapping[Entrant, int]
    absent: frozenset[Entrant] = frozenset()

    def match_points(self) -> dict[Entrant, Fraction]:
        """Return, for each entrant, the share of the others at the table that they have beaten; a tie counts
        half.

        At a table of two that is 1, ½ or 0. Absent entrants get 0.
        """
        others = len(self.points) - 1
        present = self.points.keys() - self.absent
        beaten = {
            one: sum((self._against(one, other) for other in self.points if other != one), Fraction(0))
            for one in present
        }
        return {one: beaten.get(one, Fraction(0)) / others for one in self.points}

    def _against(self, one: Entrant, other: Entrant) -> Fraction:
        """Return 1, ½ or 0 for a win, tie or loss against another entrant."""
        if other in self.absent or self.points[one] > self.points[other]:
            return Fraction(1)
        return Fraction(1, 2) if self.points[one] == self.points[other] else Fraction(0)


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its pairings, and the results so far by table."""

    number: int
    pairings: tuple[Pairing, ...]
    results: Mapping[int, Result] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def waiting(self) -> tuple[int, ...]:
        """Tables without a result."""
        return tuple(one.table for one in self.pairings if not one.is_bye and one.table not in self.results)

    @property
    def complete(self) -> bool:
        """Whether all results are in."""
        return not self.waiting

    def pairing(self, table: int) -> Pairing:
        """Return the pairing at a table. Raises TournamentError if there is none."""
        found = next((one for one in self.pairings if one.table == table), None)
        if found is None:
            raise TournamentError(
                Message("round {round} has no table {table}", round=self.number, table=table)
            )
        return found


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament.

    ``table_size`` is the number of players at a full table, ``rounds_planned`` the planned number of rounds,
    ``tie_breaks`` names from `standings.TIE_BREAKS` in order of priority.
    """

    rounds_planned: int
    table_size: int = 2
    system: System = "swiss"
    tie_breaks: tuple[str, ...] = ("buchholz_cut_1", "buchholz", "direct", "difference")
    entries: tuple[Entry, ...] = ()
    rounds: tuple[Round, ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= self.table_size <= SEATS_AT_MOST:
            raise TournamentError(
                Message(
                    "a table has 2 to {most} players, not {number}",
                    most=SEATS_AT_MOST,
                    number=self.table_size,
                )
            )
        if self.rounds_planned < 1:
            raise TournamentError(Message("a tournament has one round at least"))
        if self.system == "round_robin" and self.table_size != 2:
            raise TournamentError(Message("everybody against everybody is for tables of two"))

    @property
    def over(self) -> bool:
        """Whether every planned round is complete."""
        return len(self.rounds) >= self.rounds_planned and self.rounds[-1].complete

    def enter(self, name: str, seed: int | None = None) -> Tournament:
        """Return the tournament with one more entrant, who plays from the next round on."""
        if len(self.entries) >= ENTRANTS_AT_MOST:
            raise TournamentError(Message("a tournament has {most} entrants at most", most=ENTRANTS_AT_MOST))
        if self.system == "round_robin" and self.rounds:
            raise TournamentError(Message("a round-robin tournament takes no entrants once it has begun"))
        number = len(self.entries) + 1
        entry = Entry(number, name, number if seed is None else seed, len(self.rounds) + 1)
        return replace(self, entries=(*self.entries, entry))

    def withdraw(self, entrant: Entrant) -> Tournament:
        """Return the tournament with an entrant withdrawn after the current round."""
        entry = self.entry(entrant)
        if entry.until_round is not None:
            raise TournamentError(Message("{name} has withdrawn already", name=entry.name))
        return self._with(replace(entry, until_round=len(self.rounds)))

    def reinstate(self, entrant: Entrant) -> Tournament:
        """Return the tournament with a withdrawn entrant back from the next round on; the rounds missed count
        nothing."""
        entry = self.entry(entrant)
        if entry.until_round is None:
            raise TournamentError(Message("{name} has not withdrawn", name=entry.name))
        missed = dict.fromkeys(range(entry.until_round + 1, len(self.rounds) + 1), Fraction(0))
        skips = MappingProxyType({**entry.skips, **missed})
        return self._with(replace(entry, until_round=None, skips=skips))

    def rename(self, entrant: Entrant, name: str) -> Tournament:
        """Return the tournament with another name of an entrant."""
        return self._with(replace(self.entry(entrant), name=name))

    def skip(self, entrant: Entrant, number: int, points: Fraction | None) -> Tournament:
        """Return the tournament with an entrant who skips the next round, ``number``, for some match points;
        None: who plays it after all."""
        entry = self.entry(entrant)
        if number != len(self.rounds) + 1:
            raise TournamentError(Message("only the next round can be skipped"))
        skips = {**entry.skips} if points is None else {**entry.skips, number: points}
        if points is None:
            skips.pop(number, None)
        return self._with(replace(entry, skips=MappingProxyType(skips)))

    def _with(self, entry: Entry) -> Tournament:
        """Return the tournament with another entry of an entrant."""
        entries = (entry if one.entrant == entry.entrant else one for one in self.entries)
        return replace(self, entries=tuple(entries))

    def entry(self, entrant: Entrant) -> Entry:
        """Return an entrant's entry. Raises TournamentError if there is none."""
        if not 1 <= entrant <= len(self.entries):
            raise TournamentError(Message("there is no entrant {entrant}", entrant=entrant))
        return self.entries[entrant - 1]

    def next_players(self) -> tuple[Entry, ...]:
        """Return the entrants who play the next round."""
        return tuple(one for one in self.entries if one.plays(len(self.rounds) + 1))

    def begin_round(self, pairings: tuple[Pairing, ...]) -> Tournament:
        """Return the tournament with its next round. Raises TournamentError while one is open, or after
        the last."""
        if self.rounds and not self.rounds[-1].complete:
            message = Message(
                "round {round} waits for the results of table {table}",
                round=len(self.rounds), table=tuple(self.rounds[-1].waiting),
            )  # fmt: skip
            raise TournamentError(message)
        if len(self.rounds) >= self.rounds_planned:
            raise TournamentError(Message("all {number} rounds have been played", number=self.rounds_planned))
        seated = sorted(entrant for one in pairings for entrant in one.seats)
        if seated != [one.entrant for one in self.next_players()]:
            raise TournamentError(Message("every player of the round sits at one table"))
        return replace(self, rounds=(*self.rounds, Round(len(self.rounds) + 1, pairings)))

    def report(self, number: int, table: int, result: Result) -> Tournament:
        """Return the tournament with a table's result, which replaces a former one.

        Later pairings that were based on the former result stay unchanged.
        """
        if not 1 <= number <= len(self.rounds):
            raise TournamentError(Message("there is no round {round}", round=number))
        chosen = self.rounds[number - 1]
        pairing = chosen.pairing(table)
        if pairing.is_bye:
            raise TournamentError(Message("a bye has no result"))
        if set(result.points) != set(pairing.seats) or not result.absent <= set(pairing.seats):
            raise TournamentError(
                Message("a result has the points of each player at the table and of no one else")
            )
        if any(abs(points) > POINTS_AT_MOST for points in result.points.values()):
            raise TournamentError(
                Message("points are between {least} and {most}", least=-POINTS_AT_MOST, most=POINTS_AT_MOST)
            )
        changed = replace(chosen, results=MappingProxyType({**chosen.results, table: result}))
        return replace(self, rounds=(*self.rounds[: number - 1], changed, *self.rounds[number:]))

    def take_back_round(self) -> Tournament:
        """Return the tournament without its last round. Raises TournamentError if it has a result."""
        if not self.rounds:
            raise TournamentError(Message("no round has begun"))
        if self.rounds[-1].results:
            raise TournamentError(Message("round {round} has results", round=len(self.rounds)))
        return replace(self, rounds=self.rounds[:-1])

    def swap(self, number: int, one: Entrant, other: Entrant) -> Tournament:
        """Return the tournament with the seats of two entrants exchanged in its last round, ``number``.

        Raises TournamentError if one has no seat, or their table has a result.
        """
        if not self.rounds or number != len(self.rounds):
            raise TournamentError(Message("only seats of the last round can be swapped"))
        last, turned = self.rounds[-1], {one: other, other: one}
        seated = [pairing for pairing in last.pairings if {one, other} & set(pairing.seats)]
        if {one, other} - {seat for pairing in seated for seat in pairing.seats}:
            raise TournamentError(Message("only players of the round can swap seats"))
        if any(pairing.table in last.results for pairing in seated):
            raise TournamentError(Message("a table with a result keeps its players"))
        pairings = (
            replace(pairing, seats=tuple(turned.get(seat, seat) for seat in pairing.seats))
            for pairing in last.pairings
        )
        return replace(self, rounds=(*self.rounds[:-1], replace(last, pairings=tuple(pairings))))

    def games(self) -> Iterator[tuple[Pairing, Result]]:
        """Yield every finished game, round by round."""
        for one in self.rounds:
            for pairing in one.pairings:
                if pairing.table in one.results:
                    yield pairing, one.results[pairing.table]

    def byes(self, entrant: Entrant) -> int:
        """Return the number of byes that an entrant has had."""
        return sum(pairing.seats == (entrant,) for one in self.rounds for pairing in one.pairings)
