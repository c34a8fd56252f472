"""Pairings that start at a table: only its game settles them, through swaps, new names and restarts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from engine.message import Message
from tests.tilesight.club.club_parts import until
from tilesight.club.database.engine import open_database
from tilesight.club.hub.tournaments import Tournaments
from web.club.tournament_edits import Rename, Swap
from web.club.views import ClubPlayer, ClubTable, CommandAnswer
from web.table.refusal import Refusal


def _game(table: str, log: str, names: Sequence[str] = ("Red", "Blue"), **more: Any) -> ClubTable:
    players = tuple(ClubPlayer(color, name, 0) for color, name in zip(("red", "blue"), names, strict=True))
    now_s = time.time()
    told = ClubTable(table, log, "carcassonne", "bastide", now_s, players=players, connection="there")
    return replace(told, began_s=now_s, **more)


def _over(game: ClubTable, *points: int) -> ClubTable:
    players = tuple(replace(one, score=score) for one, score in zip(game.players, points, strict=True))
    return replace(game, players=players, phase="over", turns=40)


class Hall:
    """Two pairings of a tournament, and the tables of a hall, which take names as real ones do."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games: dict[str, ClubTable] = {}
        self.asked: list[str] = []
        self.away = False
        self.cup = self.hub()
        self.number = self.cup.begin("Spring cup", 2, 2, "swiss", None)
        self.cup.enter(self.number, ["Ana", "Bo", "Chi", "Dee"])
        self.cup.pair(self.number, 1)

    def hub(self) -> Tournaments:
        return Tournaments(open_database(self.path), lambda: list(self.games.values()), self.command)

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
        if self.away:
            raise Refusal("table_away", Message("the table does not answer the hub"))
        self.asked.append(table)
        assert path == "/api/seats"
        players = tuple(ClubPlayer(one["color"], one["name"], 0) for one in body["players"])
        self.games[table] = replace(self.games[table], players=players)
        return CommandAnswer(200, {"ok": True})

    def put(self, game: ClubTable) -> None:
        self.games[game.id] = game
        self.cup.heard(game)

    def row(self, table: int = 1) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.cup.tournament(self.number)["rounds"][-1]["tables"][table - 1]
        return found

    def names(self, table: int = 1) -> list[str]:
        told = self.cup.tournament(self.number)
        names = {one["entrant"]: one["name"] for one in told["entrants"]}
        return [names[seat] for seat in told["rounds"][-1]["tables"][table - 1]["seats"]]


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path / "hub.db")


def _names(game: ClubTable) -> list[str]:
    return [one.name for one in game.players]


def test_a_game_that_has_not_begun_gets_the_names_and_alone_settles(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    assert hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    assert _names(hall.games["hall-1"]) == hall.names()
    hall.put(_over(_game("kitchen", "log-9", hall.names()), 90, 1))  # children with the same names
    assert (hall.row()["points"], hall.row()["at"]["table"], hall.row()["rival"]) == (None, "hall-1", None)
    hall.put(_over(hall.games["hall-1"], 30, 40))
    assert (hall.row()["points"], hall.row()["source"]) == ([30, 40], "hall-1/log-1")
    hall.put(_over(_game("hall-1", "log-2", hall.names()), 5, 6))  # a rematch
    assert (hall.row()["points"], hall.row()["rival"]["table"]) == ([30, 40], "hall-1")


def test_the_next_game_of_a_busy_table_is_the_pairings_also_after_a_restart(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1", turns=7, phase="playing"))
    assert not hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.put(_over(hall.games["hall-1"], 1, 2))
    assert hall.row()["bound"] == {"table": "hall-1", "started": False, "named": True}
    hall.cup = hall.hub()
    hall.put(_game("hall-1", "log-2"))
    until(lambda: hall.asked)
    assert _names(hall.games["hall-1"]) == hall.names()
    hall.put(_over(hall.games["hall-1"], 3, 4))
    assert (hall.row()["points"], hall.row()["source"]) == ([3, 4], "hall-1/log-2")


def test_another_game_at_the_table_settles_nothing_and_asks_the_referee(hall: Hall) -> None:
    """The bound game was given up, and its table began anew."""
    hall.put(_game("hall-1", "log-1"))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.put(_over(_game("hall-1", "log-2", hall.names()), 5, 6))
    assert (hall.row()["points"], hall.row()["rival"]["table"]) == (None, "hall-1")


def test_a_log_that_came_late_is_not_the_next_game(hall: Hall) -> None:
    hall.put(_over(_game("hall-1", "log-1"), 1, 2))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.cup.heard(_over(_game("hall-1", "log-0", hall.names()), 50, 60))
    assert not hall.row()["bound"]["started"]
    assert hall.row()["points"] is None


def test_other_names_at_the_table_are_told_and_never_guessed(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    hall.away = True
    assert not hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.put(_over(hall.games["hall-1"], 3, 4))
    assert hall.row()["bound"] == {"table": "hall-1", "started": True, "named": False}
    assert hall.row()["points"] is None


def test_a_new_name_keeps_the_binding_and_a_swap_sends_the_new_names(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    one, other = hall.row()["seats"][0], hall.row(2)["seats"][0]
    hall.cup.edit(hall.number, Rename(entrant=one, name="Anna-Maria"))
    hall.put(replace(hall.games["hall-1"], turns=2, phase="playing"))
    assert hall.row()["bound"]["named"] and hall.asked == ["hall-1"]
    hall.put(replace(hall.games["hall-1"], turns=0))
    hall.cup.edit(hall.number, Swap(round=1, one=one, other=other))
    until(lambda: _names(hall.games["hall-1"]) == hall.names())
    hall.put(_over(hall.games["hall-1"], 8, 9))
    assert hall.row()["points"] == [8, 9] and hall.row(2)["points"] is None


def test_a_game_under_the_former_name_counts(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.cup.edit(hall.number, Rename(entrant=hall.row()["seats"][1], name="Someone"))
    hall.put(_over(hall.games["hall-1"], 8, 9))
    assert hall.row()["points"] == [8, 9]


def test_a_table_is_taken_once_and_can_be_released(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    with pytest.raises(Refusal, match="taken by table 1"):
        hall.cup.starting.start(hall.number, (1, 2), "hall-1")
    for _ in range(2):
        hall.cup.starting.release(hall.number, (1, 1))
    assert hall.row()["bound"] is None
    hall.cup.starting.start(hall.number, (1, 2), "hall-1")
    hall.put(_over(_game("kitchen", "log-9", hall.names()), 90, 1))
    assert hall.row()["points"] == [90, 1]  # nothing is bound, so names settle it
    with pytest.raises(Refusal, match="has its result"):
        hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    with pytest.raises(Refusal, match="no such table"):
        hall.cup.starting.start(hall.number, (1, 2), "hall-9")


def test_only_the_holder_of_a_code_takes_a_pairing(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    with pytest.raises(Refusal, match="no longer valid"):
        hall.cup.starting.take(hall.number, (1, 1), "hall-1", "")
    code = hall.cup.starting.code(hall.number, (1, 1))
    assert code == hall.cup.starting.code(hall.number, (1, 1)) != hall.cup.starting.code(hall.number, (1, 2))
    with pytest.raises(Refusal, match="no longer valid"):
        hall.cup.starting.take(hall.number, (1, 2), "hall-1", code)
    assert hall.cup.starting.take(hall.number, (1, 1), "hall-1", code)
    assert code not in str(hall.cup.tournament(hall.number))


def test_a_pairing_that_is_undone_forgets_its_binding_and_its_code(hall: Hall) -> None:
    hall.put(_game("hall-1", "log-1"))
    code = hall.cup.starting.code(hall.number, (1, 1))
    hall.cup.starting.start(hall.number, (1, 1), "hall-1")
    hall.cup.unpair(hall.number, 1)
    hall.cup.pair(hall.number, 1)
    assert hall.row()["bound"] is None
    with pytest.raises(Refusal, match="no longer valid"):
        hall.cup.starting.take(hall.number, (1, 1), "hall-1", code)


def test_names_settle_only_a_game_that_began_after_the_round_was_opened(hall: Hall) -> None:
    game = _over(_game("kitchen", "log-9", hall.names()), 9, 1)
    hall.put(replace(game, began_s=time.time() - 600))
    assert hall.row()["points"] is None
    hall.put(replace(game, log="log-10"))
    assert hall.row()["points"] == [9, 1]


def test_a_game_without_a_turn_settles_nothing(hall: Hall) -> None:
    hall.put(replace(_over(_game("kitchen", "log-9", hall.names()), 0, 0), turns=0))
    assert hall.row()["points"] is None
