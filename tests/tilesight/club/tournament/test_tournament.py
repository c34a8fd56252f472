"""Tournaments: pairings of both systems, standings and every tie-break, and refusals of invalid steps."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesight.club.tournament.event import Result, Tournament, TournamentError
from tilesight.club.tournament.pairing import next_round
from tilesight.club.tournament.standings import TIE_BREAKS, standings


def _event(entrants: int, rounds: int, size: int = 2, **others: object) -> Tournament:
    event = Tournament(rounds, size, **others)  # type: ignore[arg-type]
    for number in range(entrants):
        event = event.enter(f"P{number + 1}")
    return event


def _played(event: Tournament, rng: random.Random, level: float = 0.0) -> Tournament:
    """The next round paired and played; ``level`` 0 gives the lower number every game."""
    event = next_round(event)
    for pairing in event.rounds[-1].pairings:
        if not pairing.is_bye:
            points = {one: round(100 - one + level * rng.gauss(0, 1)) for one in pairing.seats}
            event = event.report(len(event.rounds), pairing.table, Result(points))
    return event


def _meetings(event: Tournament) -> Counter[frozenset[int]]:
    return Counter(
        frozenset(pair)
        for one in event.rounds
        for pairing in one.pairings
        for pair in combinations(pairing.seats, 2)
    )


def test_sixty_four_players_play_five_rounds_without_a_repeated_pairing() -> None:
    event, rng = _event(64, 5), random.Random(5)
    for _ in range(5):
        event = _played(event, rng, level=12)
    assert event.over
    assert max(_meetings(event).values()) == 1
    assert sum(line.points for line in standings(event)) == 5 * 32


def test_the_strongest_wins_and_leaders_meet() -> None:
    event, rng = _event(32, 5), random.Random(0)
    for _ in range(5):
        event = _played(event, rng)
    assert standings(event)[0].entrant == 1
    assert standings(event)[0].points == 5
    assert set(event.rounds[-1].pairings[0].seats) == {1, 2}


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 21), st.integers(2, 5), st.integers(1, 4), st.integers(0, 10**6))
def test_everybody_sits_once_a_round(entrants: int, size: int, rounds: int, seed: int) -> None:
    event, rng = _event(entrants, rounds, size), random.Random(seed)
    for _ in range(rounds):
        event = _played(event, rng, level=30)
        seats = [one for pairing in event.rounds[-1].pairings for one in pairing.seats]
        assert sorted(seats) == list(range(1, entrants + 1))
        sizes = {len(pairing.seats) for pairing in event.rounds[-1].pairings}
        assert max(sizes) <= size
        assert size == 2 or max(sizes) - min(sizes) <= 1
    if size == 2 and rounds <= entrants // 2:
        assert max(event.byes(one.entrant) for one in event.entries) <= 1
        assert max(_meetings(event).values()) == 1
    assert [line.rank for line in standings(event)] == sorted(line.rank for line in standings(event))


def test_tables_of_four_mix_while_they_can() -> None:
    event, rng = _event(32, 4, size=4), random.Random(4)
    for _ in range(4):
        event = _played(event, rng, level=40)
    assert max(_meetings(event).values()) == 1


@pytest.mark.parametrize("entrants", [5, 6])
def test_everybody_meets_everybody_once(entrants: int) -> None:
    rounds = entrants - 1 + entrants % 2
    event, rng = _event(entrants, rounds, system="round_robin"), random.Random(1)
    for _ in range(rounds):
        event = _played(event, rng)
    assert _meetings(event) == Counter(map(frozenset, combinations(range(1, entrants + 1), 2)))
    assert {event.byes(one.entrant) for one in event.entries} == {entrants % 2}


def test_every_player_has_the_first_seat_about_equally_often() -> None:
    event, rng = _event(8, 6, system="round_robin"), random.Random(1)
    for _ in range(6):
        event = _played(event, rng)
    begun = Counter(pairing.seats[0] for one in event.rounds for pairing in one.pairings)
    assert max(begun.values()) - min(begun.get(one, 0) for one in range(1, 9)) <= 2


def test_late_comers_and_who_has_gone() -> None:
    event = _played(_event(6, 3), random.Random(0)).withdraw(6).enter("Late")
    event = next_round(event)
    assert sorted(one for pairing in event.rounds[-1].pairings for one in pairing.seats) == [1, 2, 3, 4, 5, 7]
    with pytest.raises(TournamentError, match="withdrawn already"):
        event.withdraw(6)


def test_points_at_a_table_are_the_share_that_was_beaten() -> None:
    result = Result({1: 50, 2: 40, 3: 40, 4: 10}, frozenset({4}))
    assert result.match_points() == {1: 1, 2: Fraction(1, 2), 3: Fraction(1, 2), 4: 0}
    assert Result({1: 30, 2: 30}).match_points() == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    assert Result({1: -5, 2: 0}, frozenset({2})).match_points() == {1: 1, 2: 0}


def _four() -> Tournament:
    """Four players, three rounds: 1 beats 2, 2 beats 3, 3 beats 1, all beat 4."""
    event = _event(4, 3, system="round_robin", tie_breaks=())
    beats = {(1, 2), (2, 3), (3, 1), (1, 4), (2, 4), (3, 4)}
    for _ in range(3):
        event = next_round(event)
        for pairing in event.rounds[-1].pairings:
            a, b = pairing.seats
            points = {a: 20, b: 10} if (a, b) in beats else {a: 10, b: 20 + b}
            event = event.report(len(event.rounds), pairing.table, Result(points))
    return event


@pytest.mark.parametrize(
    ("name", "of_first", "of_last"),
    [
        ("buchholz", 4, 6),
        ("buchholz_cut_1", 4, 4),
        ("sonneborn_berger", 2, 0),
        ("direct", 1, 0),
        ("wins", 2, 0),
    ],
)
def test_tie_breaks_by_hand(name: str, of_first: int, of_last: int) -> None:
    event = _four()
    event = Tournament(3, 2, "round_robin", (name,), event.entries, event.rounds)
    lines = {line.entrant: line.tie_breaks[0] for line in standings(event)}
    assert (int(lines[1]), int(lines[4])) == (of_first, of_last)
    assert [line.points for line in standings(event)] == [2, 2, 2, 0]


def test_equals_share_a_rank_and_differences_part_them() -> None:
    event = _four()
    assert [line.rank for line in standings(event)] == [1, 1, 1, 4]
    event = Tournament(3, 2, "round_robin", ("difference",), event.entries, event.rounds)
    assert sum(line.tie_breaks[0] for line in standings(event)) == 0
    assert set(TIE_BREAKS) >= set(Tournament(1).tie_breaks)


def test_a_result_can_be_put_right_and_a_round_taken_back() -> None:
    event = next_round(_event(2, 2)).report(1, 1, Result({1: 10, 2: 20}))
    assert standings(event)[0].entrant == 2
    event = event.report(1, 1, Result({1: 30, 2: 20}))
    assert standings(event)[0].entrant == 1
    event = next_round(event)
    assert len(event.take_back_round().rounds) == 1
    with pytest.raises(TournamentError, match="has results"):
        event.take_back_round().take_back_round()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda event: next_round(event), "waits for the results of table 1, 2"),
        (lambda event: event.report(2, 1, Result({})), "no round 2"),
        (lambda event: event.report(1, 9, Result({})), "no table 9"),
        (lambda event: event.report(1, 1, Result({1: 4, 9: 2})), "each player at the table"),
        (lambda event: event.report(1, 1, Result({1: 4, 3: 99_999})), "points are between"),
        (lambda event: event.entry(7), "no entrant 7"),
        (lambda event: standings(Tournament(1, tie_breaks=("luck",))), "no tie-break 'luck'"),
        (lambda event: Tournament(1, 9), "2 to 6 players"),
        (lambda event: Tournament(1, 3, "round_robin"), "tables of two"),
        (lambda event: next_round(_event(1, 1)), "two players at least"),
    ],
)
def test_an_invalid_step_is_refused_with_its_reason(step: object, words: str) -> None:
    event = next_round(_event(4, 3))
    with pytest.raises(TournamentError, match=words):
        step(event)  # type: ignore[operator]
