"""An organiser's day from fresh homes: a hub, three tables, and a tournament of eight with a rematch and a
withdrawal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port, until

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[3]
PLAYERS = ["Ana", "Bo", "Chi", "Dee", "Eve", "Fay", "Gus", "Hal"]
HALLS = ["hall-1", "hall-2", "hall-3"]
WITHIN_S = 90.0
"""Longest wait for anything to come to the hub: the machine may be busy."""


class Day:
    """The hub of the day, its tournament, and its tables' invitations."""

    def __init__(self, folder: Path, client: httpx.Client, invitations: Mapping[str, str]) -> None:
        self._folder = folder
        self._invitations = invitations
        self._client = client
        self._games = 0

    def get(self, path: str) -> Any:
        return self._client.get(path).raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        return self._client.post(f"/api/tournaments{path}", json=body).raise_for_status().json()

    def page(self, path: str) -> str:
        return self._client.get(path).raise_for_status().text

    def rows(self) -> Sequence[Mapping[str, Any]]:
        rows: Sequence[Mapping[str, Any]] = self.get("/api/tournaments/1")["rounds"][-1]["tables"]
        return rows

    def names(self, row: Mapping[str, Any]) -> list[str]:
        return [PLAYERS[seat - 1] for seat in row["seats"]]

    def bind(self, row: Mapping[str, Any], hall: str) -> None:
        self.post("/1/bind", round=len(self.get("/api/tournaments/1")["rounds"]), table=row["table"], at=hall)

    @contextmanager
    def game(self, hall: str, names: Sequence[str]) -> Iterator[Table]:
        """A game of a table; at the end of the block it is played to its end, and the hub has all of it."""
        self._games += 1
        path = self._folder / hall / f"{self._games}.table"
        path.parent.mkdir(exist_ok=True)
        table = Table(path, self._games, dict(zip(("red", "blue"), names, strict=True)))
        link = LinkProcess(self._invitations[hall], path)
        until(lambda: set(names) <= self._names_at(hall), WITHIN_S)
        yield table
        table.play(4)
        table.end()
        table.close()
        assert f"as table {hall}" in link.finish()

    def _names_at(self, hall: str) -> set[str]:
        tables = self.get("/api/tables")["tables"]
        return {player["name"] for one in tables if one["id"] == hall for player in one["players"]}


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """The two commands of an organiser in a fresh home; a table takes one more, with its invitation."""
    home = tmp_path_factory.mktemp("home")
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TILESIGHT_HOME": str(home)}
    tilesight = [sys.executable, "-m", "tilesight.app"]
    hub = subprocess.Popen(
        [*tilesight, "hub", "--host", "127.0.0.1", "--port", str(free_port()), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
    )
    try:
        assert hub.stdout is not None
        ready = json.loads(hub.stdout.readline())
        keys = [*tilesight, "keys", "new", "hall", "--count", "3", "--json"]
        made = subprocess.run(keys, capture_output=True, text=True, check=True, env=environ)
        invitations = {one["name"]: one["url"] for one in json.loads(made.stdout)["keys"]}
        assert sorted(invitations) == HALLS
        keyed = {"X-Table-Key": ready["key"]}
        with httpx.Client(base_url=ready["url"], headers=keyed, timeout=WITHIN_S) as client:
            yield Day(home, client, invitations)
    finally:
        hub.send_signal(signal.SIGINT)
        hub.communicate(timeout=WITHIN_S)


def test_eight_players_three_tables_a_rematch_and_a_withdrawal(day: Day) -> None:
    day.post("", name="Rainy Saturday", rounds=2, once="once")
    day.post("/1/entrants", names=PLAYERS)
    day.post("/1/pair", round=1)
    first, *_, fourth = rows = day.rows()
    with ExitStack() as playing:
        for hall, row in zip(HALLS, rows, strict=False):  # a fourth pairing has no table yet
            playing.enter_context(day.game(hall, day.names(row)))
            day.bind(row, hall)
        assert [row["bound"] and row["bound"]["started"] for row in day.rows()] == [True, True, True, None]
    until(lambda: all(row["points"] for row in day.rows()[:3]), WITHIN_S)
    settled = [row["points"] for row in day.rows()]
    day.bind(fourth, "hall-1")
    assert not day.rows()[3]["bound"]["started"]  # the game that is over there is not the one
    with day.game("hall-1", day.names(fourth)):
        until(lambda: day.rows()[3]["bound"]["started"], WITHIN_S)
    until(lambda: day.rows()[3]["points"], WITHIN_S)
    with day.game("hall-2", day.names(rows[1])):
        pass  # a rematch
    rivals = until(lambda: [row["rival"] for row in day.rows() if row["rival"]], WITHIN_S)
    assert [one["table"] for one in rivals] == ["hall-2"]
    assert [row["points"] for row in day.rows()[:3]] == settled[:3]

    day.post("/1/withdraw", entrant=first["seats"][0])
    day.post("/1/pair", round=2)
    games = [row for row in day.rows() if not row["bye"]]
    assert len(games) == 3 and len(day.rows()) == 4
    assert all(first["seats"][0] not in row["seats"] for row in day.rows())
    with ExitStack() as playing:
        for hall, row in zip(HALLS, games, strict=True):
            day.bind(row, hall)
            playing.enter_context(day.game(hall, day.names(row)))
    told = until(lambda: [one for one in [day.get("/api/tournaments/1")] if one["over"]], WITHIN_S)[0]
    sources = [row["source"].split("/")[0] for row in told["rounds"][1]["tables"] if not row["bye"]]
    assert sources == HALLS
    assert sum(line["points"] for line in told["standings"]) == 4 + 3 + 1  # the bye counts one
    assert "screen.js" in day.page("/screen")
