"""Every game at a live table: watched, killed and taken up, asked, corrected, ended, shared, exported.

One ``live`` command for each game, in a process of its own, watches the beginning of the game's sample
session. Each test leaves the table as it found it.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from tests.matrix.games import TURNS, Kit
from tests.matrix.tables import PATIENCE_S, LiveTable, is_result, is_turn, live
from tests.matrix.test_commands import document, said
from tilesight.app import INTERRUPTED
from web.report.words import Language

LANGUAGES = get_args(Language)


@pytest.fixture(scope="module")
def table(kit: Kit, session: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTable]:
    """A table whose program was killed after the second turn and started again; the pictures are at their
    end, and the end that came with them is taken back."""
    log = tmp_path_factory.mktemp(kit.game) / "evening.table"
    with live(kit, session, log) as first:
        first.wait_for(is_turn(2))
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(PATIENCE_S)
    with live(kit, session, log) as second:
        second.wait_for(is_result)
        second.post("undo")
        yield second


def played(line: dict[str, Any]) -> dict[str, Any]:
    """The visible part of a turn, as its record line without empty parts."""
    beside = {"frame", "expect", "confidence", "draws", "turn", "drawn"}
    return {key: value for key, value in line.items() if key not in beside and value not in (None, [], {})}


def lines_of(table: LiveTable) -> list[dict[str, Any]]:
    """The record's turns as the table exports them."""
    text = table.get("/api/export").text
    return [played(line) for line in map(json.loads, text.splitlines()) if "player" in line]


def choices(table: LiveTable, turn: int, what: str) -> Iterator[dict[str, Any]]:
    """Lines that a turn may be: with another ``piece``, at another ``place``, or with another ``tile``. In a
    game of moves each is where the piece may have gone."""

    def offered(**asked: Any) -> dict[str, Any]:
        return dict(table.get(f"/api/turns/{turn}/choices", **asked).json())

    now = offered()
    if "lines" in now:
        yield from now["lines"]
    elif what == "piece":
        yield from now["turns"]
    else:
        tiles = [now["tile"]] if what == "place" else [tile for tile in now["tiles"] if tile != now["tile"]]
        for tile in tiles:
            for x, y in offered(tile=tile)["cells"]:
                for rot in offered(tile=tile, cell=f"{x},{y}")["rots"]:
                    yield from offered(tile=tile, cell=f"{x},{y}", rot=rot)["turns"]


def test_it_goes_on_after_a_kill_and_comes_out_as_played(kit: Kit, table: LiveTable) -> None:
    assert lines_of(table) == [played(line) for line in kit.lines[:TURNS]]
    state = table.state()
    assert state["game"] == kit.game and state["phase"] == "playing"
    assert [one["name"] for one in state["players"]] == [one["name"] for one in kit.header["players"]]
    assert len(state["turns"]) == TURNS
    assert table.state(turn=1)["turn_no"] == 1
    assert table.get("/api/state", 404, turn=TURNS + 1).json()["error"]["code"] == "unknown_turn"


def test_its_events_are_told_in_order(table: LiveTable) -> None:
    seen: list[tuple[int, str]] = []
    fields: dict[str, str] = {}
    newest = table.state()["last_event_id"]
    with httpx.stream("GET", f"{table.url}/api/events?last_event_id=0", timeout=PATIENCE_S) as stream:
        for text in stream.iter_lines():
            field, _, value = text.partition(": ")
            fields[field] = value
            if text:
                continue
            if "id" in fields:  # an empty line ends an event, whose fields come in any order
                seen.append((int(fields["id"]), fields["event"]))
                if seen[-1][0] >= newest:
                    break
            fields = {}
    assert [number for number, _ in seen] == sorted({number for number, _ in seen})
    assert {"turn", "camera"} <= {kind for _, kind in seen}


def test_every_turn_has_its_picture(table: LiveTable) -> None:
    for turn in range(1, TURNS + 1):
        assert table.get(f"/api/turns/{turn}/crop.jpg").content.startswith(b"\xff\xd8")
    picture = table.get("/api/picture").json()
    assert picture["size_wh"] and (picture["tiles"] or picture["pieces"])
    assert table.get("/api/picture.jpg").content.startswith(b"\xff\xd8")


def test_a_question_that_is_not_open_is_refused(table: LiveTable) -> None:
    assert isinstance(table.get("/api/questions").json()["questions"], list)
    error = table.post("answer", {"question": "none", "option": "0"}, 404)["error"]
    assert error["code"] == "unknown_question"


@pytest.mark.parametrize("what", ["piece", "place", "tile"])
def test_the_last_turn_is_corrected_and_taken_back(table: LiveTable, what: str) -> None:
    before = lines_of(table)
    other = next(line for line in choices(table, TURNS, what) if played(line) != before[-1])
    table.post("correct", {"turn": TURNS, "line": other})
    assert lines_of(table) == [*before[:-1], played(other)]
    table.post("undo")
    assert lines_of(table) == before
    table.post("redo")
    assert lines_of(table) == [*before[:-1], played(other)]
    table.post("undo")


def test_a_turn_is_removed_and_added_by_hand(table: LiveTable) -> None:
    before = lines_of(table)
    table.post("correct", {"turn": TURNS, "remove": True})
    assert lines_of(table) == before[:-1]
    table.post("correct", {"turn": TURNS, "line": before[-1]})
    assert lines_of(table) == before
    line = next(choices(table, TURNS + 1, "tile"))
    table.post("correct", {"turn": TURNS + 1, "line": line})
    assert lines_of(table) == [*before, played(line)]
    for _ in range(3):
        table.post("undo")
    assert lines_of(table) == before


def test_a_turn_of_another_player_is_refused_with_words(kit: Kit, table: LiveTable) -> None:
    before = lines_of(table)
    other = next(color for color in kit.colors if color != before[-1]["player"])
    error = table.post("correct", {"turn": TURNS, "line": {**before[-1], "player": other}}, 409)["error"]
    assert error["code"] == "illegal" and error["message"]
    assert lines_of(table) == before


def test_a_seat_gets_another_name(kit: Kit, table: LiveTable) -> None:
    color, name = kit.colors[0], kit.header["players"][0]["name"]
    table.post("seat", {"color": color, "name": "Somebody"})
    assert table.state()["players"][0]["name"] == "Somebody"
    table.post("seat", {"color": color, "name": name})


def test_points_are_given_by_hand_or_refused_with_words(kit: Kit, table: LiveTable) -> None:
    before = [one["score"] for one in table.state()["players"]]
    answer = httpx.post(
        f"{table.url}/api/correct",
        json={"scores": {kit.colors[0]: before[0] + 5}},
        headers={"X-Table-Key": table.key},
        timeout=PATIENCE_S,
    )
    if answer.status_code == 409:
        assert answer.json()["error"]["code"] == "no_scores"
        return
    assert answer.status_code == 200
    assert [one["score"] for one in table.state()["players"]] == [before[0] + 5, *before[1:]]
    table.post("undo")
    assert [one["score"] for one in table.state()["players"]] == before


def test_commands_without_the_key_are_refused(table: LiveTable) -> None:
    for command in ("answer", "correct", "undo", "redo", "end", "seat"):
        assert httpx.post(f"{table.url}/api/{command}", json={}, timeout=PATIENCE_S).status_code == 403


@pytest.mark.parametrize(
    "language", [LANGUAGES[0], *(pytest.param(code, marks=pytest.mark.long) for code in LANGUAGES[1:])]
)
def test_it_ends_and_is_reported(kit: Kit, table: LiveTable, language: str) -> None:
    table.post("end")
    try:
        state = table.state()
        assert state["phase"] == "over" and set(state["final"]["scores"]) == set(kit.colors)
        page = table.get("/api/report.html", lang=language).text
        assert all(one["name"] in page for one in kit.header["players"])
        assert f'lang="{language}"' in page
        assert table.get("/api/report.pdf", lang=language).content.startswith(b"%PDF")
    finally:
        table.post("undo")


def test_its_record_checks(table: LiveTable, tmp_path: Path) -> None:
    path = tmp_path / "table.game.jsonl"
    path.write_bytes(table.get("/api/export").content)
    assert document("check", path)["valid"] is True


@pytest.mark.long
def test_it_is_interrupted_exported_and_replays_to_the_same(table: LiveTable, tmp_path: Path) -> None:
    """The last test of a table: its program is ended. SIGTERM ends it as Ctrl-C does, and unlike that it is
    never ignored where the tests run in the background."""
    table.process.send_signal(signal.SIGTERM)
    assert table.process.wait(PATIENCE_S) == INTERRUPTED
    assert said("export", table.log, tmp_path / "session")
    compare = document("replay", tmp_path / "session")["compare"]
    assert compare["turns_exact"] == compare["turns"] == TURNS
    assert compare["final_exact"] is True
