"""Edits of a host: names, withdrawals taken back, rounds skipped, seats swapped, the clock; and files."""

from __future__ import annotations

from typing import Any

import pytest

from tilesight.club.tournament.edits import changes_of
from tilesight.club.tournament.event import Result, Tournament, TournamentError
from tilesight.club.tournament.exchange import exported
from tilesight.club.tournament.ledger import (
    NamedTournament,
    created,
    entered,
    fold,
    fold_one,
    paired,
    reported,
    withdrew,
)
from tilesight.club.tournament.standings import standings
from web.club.tournament_edits import Edit, Reinstate, Rename, SetClock, Skip, Swap, TakeIn

NAMES = ("Ana", "Bo", "Chi", "Dee")


def cup(names: tuple[str, ...] = NAMES, rounds: int = 0, size: int = 2) -> NamedTournament:
    """A tournament with some rounds in which the lower number wins by 20 to 10."""
    told = fold([created("Cup", Tournament(5, size)), *map(entered, names)])
    for number in range(1, rounds + 1):
        told = fold_one(told, paired(told))
        for pairing in told.event.rounds[-1].pairings:
            if not pairing.is_bye:
                points = {one: 20 if one == min(pairing.seats) else 10 for one in pairing.seats}
                told = fold_one(told, reported((number, pairing.table), Result(points), "referee"))
    return told


def edited(told: NamedTournament, edit: Edit, now_s: float = 1000.0) -> NamedTournament:
    for change in changes_of(told, edit, now_s):
        told = fold_one(told, change)
    return told


def seats(told: NamedTournament) -> list[tuple[int, ...]]:
    return [one.seats for one in told.event.rounds[-1].pairings]


def test_a_withdrawal_is_taken_back_and_the_missed_round_counts_nothing() -> None:
    told = fold_one(cup(rounds=1), withdrew(1))
    told = fold_one(told, paired(told))
    for pairing in told.event.rounds[-1].pairings:
        if not pairing.is_bye:
            result = Result(dict.fromkeys(pairing.seats, 5))
            told = fold_one(told, reported((2, pairing.table), result, "referee"))
    told = edited(told, Reinstate(entrant=1))
    told = fold_one(told, paired(told))
    assert 1 in {seat for table in seats(told) for seat in table}
    [line] = [line for line in standings(told.event) if line.entrant == 1]
    assert (float(line.points), line.played) == (1.0, 1)
    with pytest.raises(TournamentError, match="Ana has not withdrawn"):
        edited(told, Reinstate(entrant=1))


def test_a_name_is_changed_unless_another_has_it() -> None:
    told = edited(cup(), Rename(entrant=1, name=" Anna "))
    assert told.event.entry(1).name == "Anna"
    assert edited(told, Rename(entrant=1, name="ANNA")).event.entry(1).name == "ANNA"
    with pytest.raises(TournamentError, match="bo has entered already"):
        edited(told, Rename(entrant=1, name="bo"))


def test_a_round_is_skipped_for_half_a_point_and_the_wish_can_be_taken_back() -> None:
    told = edited(cup(), Skip(entrant=4, round=1))
    told = edited(told, Skip(entrant=3, round=1, points=0))
    told = edited(edited(told, Skip(entrant=2, round=1)), Skip(entrant=2, round=1, points=None))
    with pytest.raises(TournamentError, match="only the next round"):
        edited(told, Skip(entrant=1, round=2))
    told = fold_one(told, paired(told))
    assert seats(told) == [(1, 2)]
    points = {line.entrant: line.points for line in standings(told.event)}
    assert (float(points[3]), float(points[4])) == (0.0, 0.5)
    assert {one.entrant for one in told.event.next_players()} == {1, 2, 3, 4}


def test_seats_are_swapped_between_tables_and_at_one() -> None:
    told = fold_one(cup(), paired(cup()))
    (a, b), (c, d) = seats(told)
    told = edited(told, Swap(round=1, one=a, other=c))
    assert seats(told) == [(c, b), (a, d)]
    told = edited(told, Swap(round=1, one=c, other=b))
    assert seats(told) == [(b, c), (a, d)]
    told = fold_one(told, reported((1, 1), Result({b: 1, c: 2}), "referee"))
    for wrong, words in ((b, "keeps its players"), (9, "only players of the round")):
        with pytest.raises(TournamentError, match=words):
            edited(told, Swap(round=1, one=a, other=wrong))
    with pytest.raises(TournamentError, match="last round"):
        edited(told, Swap(round=2, one=a, other=d))


def test_a_clock_runs_stops_and_is_ready_for_the_next_round() -> None:
    with pytest.raises(TournamentError, match="no clock"):
        edited(cup(), SetClock(action="pause"))
    told = edited(cup(), SetClock(action="start", minutes=50), 1000.0)
    told = edited(told, SetClock(action="pause"), 1600.0)
    assert told.clock is not None and told.clock.left_at(9999.0) == 2400.0
    told = edited(told, SetClock(action="resume"), 2000.0)
    assert told.clock is not None and told.clock.left_at(4500.0) == -100.0
    told = fold_one(told, paired(told))
    assert told.clock is not None and (told.clock.left_s, told.clock.since_s) == (3000.0, None)
    assert edited(told, SetClock(action="clear")).clock is None


def test_csv_files_of_a_tournament_make_the_same_one_elsewhere() -> None:
    told = cup((*NAMES, '=Eve, "E"'), rounds=2)
    other = fold([created("Cup", Tournament(5))])
    for name in ("entrants.csv", "pairings.csv"):
        text = exported(told, name)
        assert "'=Eve" in text  # a spreadsheet does not compute it
        if name == "entrants.csv":
            other = edited(other, TakeIn(text=text))
        else:
            head, *rows = text.splitlines()
            for number in "12":
                some = [row for row in rows if row.startswith(number)]
                other = edited(other, TakeIn(text="\n".join([head, *some])))
    assert other == told
    assert exported(told, "standings.csv").splitlines()[1].startswith("1,2,Bo,2.0,2,")


@pytest.mark.parametrize(
    "text",
    ["name;seed\nAna;1\nBo;x", "round,table,entrant\n7,1,1", "round,table,entrant\n1,1,99", "a,b\n1,2"],
)
def test_a_file_that_cannot_be_read_changes_nothing(text: str) -> None:
    with pytest.raises(TournamentError):
        edited(cup(), TakeIn(text=text))


def test_a_report_has_the_columns_of_trf16() -> None:
    told = edited(cup((*NAMES, "Eve"), rounds=1), Skip(entrant=2, round=2))
    told = fold_one(told, paired(told))
    lines = {
        line[4:8].strip(): line for line in exported(told, "report.trf").split("\r\n") if line[:3] == "001"
    }
    assert lines["1"][14:47].strip() == "Ana" and lines["1"][80:84] == " 1.0"
    first = {number: line[91:99] for number, line in lines.items()}
    assert first["1"] in ("   3 w 1", "   3 b 1") and first["5"] == "0000 - U"
    assert lines["2"][101:109] == "0000 - H"
    assert "XXR 5" in exported(told, "report.trf")
    with pytest.raises(TournamentError, match="tables of two"):
        exported(cup(size=4), "report.trf")


def test_pairings_of_another_program_come_as_a_report() -> None:
    def line(number: int, name: str, rating: int, rest: str = "") -> str:
        return f"001 {number:>4}      {name:<33} {rating:>4}".ljust(91) + rest

    players = [line(1, "Ana", 1500), line(2, "Bo", 2100), line(3, "Chi", 1800)]
    told = edited(fold([created("Cup", Tournament(3))]), TakeIn(text="\n".join(players)))
    assert [(one.name, one.seed) for one in told.event.entries] == [("Ana", 3), ("Bo", 1), ("Chi", 2)]
    rounds = ["   3 b", "0000 - U", "   1 w"]
    report = "\r\n".join(line(n, "", 0, rest) for n, rest in enumerate(rounds, 1))
    told = edited(told, TakeIn(text=report))
    assert seats(told) == [(3, 1), (2,)]
    wrong: list[dict[str, Any]] = [{"text": report}, {"text": "001    x"}]
    for one in wrong:
        with pytest.raises(TournamentError):
            edited(told, TakeIn(**one))
