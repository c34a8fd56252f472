"""Tournaments at the hub: kept over a restart, results from tables, a referee's word above theirs."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilesight.club.database.engine import open_database
from tilesight.club.hub.pairings.settling import REFEREE
from tilesight.club.hub.tournaments import Tournaments
from web.club.views import ClubPlayer, ClubTable
from web.table.refusal import Refusal


def _table(names: Mapping[str, int], **changed: Any) -> ClubTable:
    players = tuple(ClubPlayer(f"color{at}", name, score) for at, (name, score) in enumerate(names.items()))
    table = ClubTable(
        id="hall-1",
        log="log-1",
        game="carcassonne",
        pack="bastide",
        phase="over",
        turns=71,
        players=players,
        connection="there",
        changed_s=time.time(),
    )
    return replace(table, **changed)


def _cup(path: Path, tables: list[ClubTable]) -> tuple[Tournaments, int]:
    cup = Tournaments(open_database(path), lambda: tables)
    number = cup.begin("Spring cup", 2, 2, "swiss", None)
    cup.enter(number, ["Ana", "Bo", "Chi", "Dee"])
    cup.pair(number, 1)
    return cup, number


def test_a_game_that_is_over_is_the_result_and_follows_corrections(tmp_path: Path) -> None:
    tables: list[ClubTable] = []
    cup, number = _cup(tmp_path / "hub.db", tables)
    seats = cup.tournament(number)["rounds"][0]["tables"][0]["seats"]
    names = [cup.tournament(number)["entrants"][one - 1]["name"] for one in seats]
    game = _table({f" {names[1].upper()} ": 40, names[0]: 30})
    tables.append(replace(game, phase="playing"))
    assert cup.tournament(number)["rounds"][0]["tables"][0]["at"]["phase"] == "playing"
    for score in (30, 45):
        players = (game.players[0], replace(game.players[1], score=score))
        cup.heard(replace(game, players=players))
        cup.heard(replace(game, players=players))
        told = cup.tournament(number)["rounds"][0]["tables"][0]
        assert told["points"] == [score, 40]
        assert told["source"] == "hall-1/log-1"
    version = cup.tournament(number)["version"]
    cup.report(number, (1, 1), dict(zip(seats, (1, 2), strict=True)), [])
    cup.heard(game)
    told = cup.tournament(number)
    assert told["rounds"][0]["tables"][0]["points"] == [1, 2]
    assert told["rounds"][0]["tables"][0]["source"] == REFEREE
    assert told["version"] == version + 1


def test_a_second_game_of_a_pairing_replaces_nothing_and_asks_the_referee(tmp_path: Path) -> None:
    tables: list[ClubTable] = []
    cup, number = _cup(tmp_path / "hub.db", tables)
    names = [one["name"] for one in cup.tournament(number)["entrants"]]
    seats = cup.tournament(number)["rounds"][0]["tables"][0]["seats"]
    first, second = (names[one - 1] for one in seats)
    now_s = time.time()
    tables += [
        _table({first: 9, second: 1}, id="hall-2", log="log-2", changed_s=now_s + 1),
        _table({first: 2, second: 3}, changed_s=now_s),
    ]
    told = cup.tournament(number)
    [row, _] = told["rounds"][0]["tables"]
    assert (row["points"], row["source"], row["at"]["table"]) == ([2, 3], "hall-1/log-1", "hall-2")
    assert row["rival"]["table"] == "hall-2" and row["rival"]["scores"] == {first: 9, second: 1}
    cup.heard(tables[0])
    assert cup.tournament(number) == told
    cup.report(number, (1, 1), dict(zip(seats, (9, 1), strict=True)), [])
    [row, _] = cup.tournament(number)["rounds"][0]["tables"]
    assert (row["points"], row["rival"]) == ([9, 1], None)


def test_games_of_others_and_of_before_change_nothing(tmp_path: Path) -> None:
    cup, number = _cup(tmp_path / "hub.db", [])
    before = cup.tournament(number)
    names = [one["name"] for one in before["entrants"]]
    seats = before["rounds"][0]["tables"][0]["seats"]
    pair = {names[one - 1]: 9 for one in seats}
    cup.heard(_table({"Eve": 3, "Ana": 9}))
    cup.heard(_table(pair, changed_s=time.time() - 3600))
    cup.heard(_table(pair, phase="playing"))
    cup.heard(_table({**pair, "Eve": 1}))
    assert cup.tournament(number) == before


def test_a_hub_that_starts_again_goes_on(tmp_path: Path) -> None:
    """64 players and 5 rounds; the hub is new before every round and in the middle of the third."""
    rng = random.Random(64)
    cup = Tournaments(open_database(tmp_path / "hub.db"), list)
    number = cup.begin("Open", 5, 2, "swiss", ["buchholz_cut_1", "difference"])
    cup.enter(number, [f"Player {one}" for one in range(1, 65)])
    for turn in range(1, 6):
        cup = Tournaments(open_database(tmp_path / "hub.db"), list)
        cup.pair(number, turn)
        for at, table in enumerate(cup.tournament(number)["rounds"][-1]["tables"]):
            if turn == 3 and at == 16:
                cup = Tournaments(open_database(tmp_path / "hub.db"), list)
            points = {one: round(rng.gauss(100 - one, 10)) for one in table["seats"]}
            cup.report(number, (turn, table["table"]), points, [])
    told = cup.tournament(number)
    assert told["over"]
    assert sum(line["points"] for line in told["standings"]) == 5 * 32
    assert told == Tournaments(open_database(tmp_path / "hub.db"), list).tournament(number)
    with pytest.raises(Refusal, match="all 5 rounds"):
        cup.pair(number, 6)


def test_two_hubs_on_one_database_never_mix_their_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup, number = _cup(tmp_path / "hub.db", [])
    other = Tournaments(open_database(tmp_path / "hub.db"), list)
    before = other._ledgers.load(number)
    cup.withdraw(number, 1)
    with monkeypatch.context() as patched, pytest.raises(Refusal, match="changed meanwhile"):
        patched.setattr(other._ledgers, "load", lambda _: before)  # it looked a moment before the other wrote
        other.withdraw(number, 2)
    other.withdraw(number, 2)
    with pytest.raises(Refusal, match="no such tournament"):
        other.tournament(99)


def test_all_names_enter_or_none(tmp_path: Path) -> None:
    cup, number = _cup(tmp_path / "hub.db", [])
    with pytest.raises(Refusal, match="entered already"):
        cup.enter(number, ["Eve", "bo"])
    assert len(cup.tournament(number)["entrants"]) == 4
    assert [one["name"] for one in cup.tournaments()] == ["Spring cup"]
    with pytest.raises(Refusal, match="no tie-break"):
        cup.begin("Odd", 2, 2, "swiss", ["luck"])


def test_a_repeated_request_has_no_second_effect(tmp_path: Path) -> None:
    """The answer was lost, and a person asks again."""
    cup, number = _cup(tmp_path / "hub.db", [])
    first = cup.begin("Friday cup", 3, 2, "swiss", None, "a word")
    assert cup.begin("Friday cup", 3, 2, "swiss", None, "a word") == first
    assert cup.begin("Friday cup", 3, 2, "swiss", None, "another") != first
    paired = cup.tournament(number)
    cup.pair(number, 1)
    assert cup.tournament(number) == paired
    cup.unpair(number, 1)
    cup.unpair(number, 1)
    assert cup.tournament(number)["rounds"] == []
    for change in (cup.pair, cup.unpair):
        with pytest.raises(Refusal, match="changed meanwhile"):
            change(number, 2)
