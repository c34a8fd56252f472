"""The HTTP interface over a table that plays by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from engine.message import Message
from tests.web.conftest import KEY, serving
from tests.web.fake_table import FakeTable, played_turn
from web.table.camera_status import CameraStatus
from web.table.correction import ReplaceTurn
from web.table.refusal import NotKept
from web.table.view import TableView

WRITES = ("answer", "correct", "seat", "undo", "redo", "end")
WITH_KEY = {"X-Table-Key": KEY}


@pytest.fixture
def client(table: FakeTable) -> Iterator[httpx.Client]:
    with serving(table) as running, httpx.Client(base_url=running.url) as client:
        yield client


def error_of(response: httpx.Response) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"error"} and set(body["error"]) == {"code", "message", "said"}
    assert "/" not in body["error"]["message"] and "Traceback" not in body["error"]["message"]
    return response.status_code, body["error"]["code"]


def test_state_holds_what_the_dashboard_draws(table: FakeTable, client: httpx.Client) -> None:
    table.play(12)
    state = client.get("/api/state").json()
    assert state["tilesight"] == 1 and state["rendered"] is True and state["turn_no"] == 12
    assert len(state["board"]) == 15 and len(state["turns"]) == 12
    assert [player["name"] for player in state["players"]] == ["Ana", "Bo"]
    assert {player["color"]: player["score"] for player in state["players"]} == dict(table.view.state.scores)
    assert state["events"] == [event.to_json() for event in table.view.events]
    assert state["last_event_id"] == table.feed.last_id
    assert sum(piece["kind"] == "ranger" for piece in state["standing"]) == 2
    for piece in state["standing"]:
        x, y = piece["cell"]
        assert x <= piece["at"][0] <= x + 1 and y <= piece["at"][1] <= y + 1


def test_pack_gives_geometry_and_art_that_is_served(client: httpx.Client) -> None:
    pack = client.get("/api/pack").json()
    design = pack["designs"]["CS13-G"]
    assert design["edges"]["n"] == "trail"
    assert [feature["animals"] for feature in design["features"] if feature["kind"] == "trail"] == [
        ["giraffe"]
    ]
    for address in (design["art"], pack["tokens"]["lion"]):
        picture = client.get(f"/{address}")
        assert picture.status_code == 200 and picture.headers["content-type"].startswith("image/")


@pytest.mark.parametrize(
    "name", ["nothing.jpg", "CS13-G", "CS13-G.json", "..%2Fpack.json", "%2e%2e%2fpack.json", "token-.jpg"]
)
def test_only_the_packs_pictures_are_served(client: httpx.Client, name: str) -> None:
    assert client.get(f"/art/{name}").status_code == 404


def test_state_is_not_sent_twice(table: FakeTable, client: httpx.Client) -> None:
    first = client.get("/api/state")
    again = client.get("/api/state", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and not again.content
    table.play()
    changed = client.get("/api/state", headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200 and changed.json()["turn_no"] == 1


def test_the_state_is_sent_small_to_who_can_read_it(table: FakeTable, client: httpx.Client) -> None:
    table.play(10)
    small = client.get("/api/state")  # httpx unpacks it
    plain = client.get("/api/state", headers={"Accept-Encoding": "identity"})
    assert small.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert small.json() == plain.json()
    assert int(small.headers["content-length"]) * 3 < int(plain.headers["content-length"])


def test_questions_are_asked_and_answered(table: FakeTable, client: httpx.Client) -> None:
    table.play(2)
    table.ask()
    [question] = client.get("/api/questions").json()["questions"]
    assert [option["id"] for option in question["options"]] == ["a", "b"] and question["cells"]
    body = {"question": question["id"], "option": "b"}
    assert client.post("/api/answer", json=body, headers=WITH_KEY).json() == {"ok": True}
    assert table.answers == [(question["id"], "b")]
    assert error_of(client.post("/api/answer", json=body, headers=WITH_KEY)) == (404, "unknown_question")


def test_undo_and_redo(table: FakeTable, client: httpx.Client) -> None:
    table.play(3)
    assert client.post("/api/undo", headers=WITH_KEY).status_code == 200
    state = client.get("/api/state").json()
    assert state["turn_no"] == 2 and state["can_redo"] is True
    assert client.post("/api/redo", headers=WITH_KEY).status_code == 200
    assert client.get("/api/state").json()["turn_no"] == 3
    assert error_of(client.post("/api/redo", headers=WITH_KEY)) == (409, "nothing_to_redo")
    for body in ({}, {"entry": None}, {"entry": 12}):  # {}: of old clients
        for command in ("undo", "redo"):
            assert client.post(f"/api/{command}", json=body, headers=WITH_KEY).status_code == 200
    assert table.steps[-6:] == [None, None, None, None, 12, 12]
    for wrong in ({"entry": -1}, {"entry": "12"}, {"turn": 3}):
        assert error_of(client.post("/api/undo", json=wrong, headers=WITH_KEY)) == (422, "invalid")


def test_ending_gives_the_final_scores_and_their_reasons(table: FakeTable, client: httpx.Client) -> None:
    table.play(20)
    assert client.post("/api/end", headers=WITH_KEY).status_code == 200
    state = client.get("/api/state").json()
    final = table.view.state.final()
    assert state["phase"] == "over" and state["player"] is None and state["can_end"] is False
    assert state["final"]["scores"] == dict(final.scores)
    assert state["final"]["events"] == [event.to_json() for event in final.events]
    assert error_of(client.post("/api/end", headers=WITH_KEY)) == (409, "over")


def test_a_turn_is_corrected_to_one_of_its_choices(table: FakeTable, client: httpx.Client) -> None:
    table.play(4)
    choices = client.get("/api/turns/4/choices").json()
    now = table.view.played[3].turn.to_json()
    assert now in choices["turns"] and choices["player"] == now["player"]
    assert choices["tile"] == now["tile"] and [choices["tile"], choices["tiles"][0]] == [now["tile"]] * 2
    line = next(turn for turn in choices["turns"] if turn["action"] != now["action"])
    assert client.post("/api/correct", json={"turn": 4, "line": line}, headers=WITH_KEY).status_code == 200
    assert table.corrections == [ReplaceTurn(4, line)]
    assert client.get("/api/state").json()["turns"][3]["action"] == line["action"]


def test_choices_of_another_placement_and_of_a_turn_to_come(table: FakeTable, client: httpx.Client) -> None:
    table.play(3)
    first = client.get("/api/turns/4/choices").json()
    assert first["tile"] is None and first["turns"] == [] and first["tiles"]
    tile = first["tiles"][-1]
    cell = client.get("/api/turns/4/choices", params={"tile": tile}).json()["cells"][0]
    asked = {"tile": tile, "cell": f"{cell[0]},{cell[1]}"}
    there = client.get("/api/turns/4/choices", params=asked).json()
    assert there["rot"] in there["rots"]
    assert all(turn["tile"] == tile and turn["cell"] == cell for turn in there["turns"])
    assert error_of(client.get("/api/turns/5/choices")) == (404, "unknown_turn")
    assert error_of(client.get("/api/turns/1/choices?cell=here")) == (422, "invalid")


def test_a_turn_is_removed(table: FakeTable, client: httpx.Client) -> None:
    table.play(4)
    assert client.post("/api/correct", json={"turn": 4, "remove": True}, headers=WITH_KEY).status_code == 200
    assert client.get("/api/state").json()["turn_no"] == 3


def test_the_table_as_it_was_after_an_earlier_turn(table: FakeTable, client: httpx.Client) -> None:
    table.play(9)
    played = client.get("/api/state").json()
    for turn in (0, 4, 9):
        past = client.get("/api/state", params={"turn": turn}).json()
        assert past["turns"] == played["turns"][:turn] and len(past["board"]) == 3 + turn
        assert sum(player["score"] for player in past["players"]) == sum(
            event["points"] for event in played["events"] if event["turn"] <= turn
        )
    assert error_of(client.get("/api/state?turn=10")) == (404, "unknown_turn")


def test_pictures_with_what_was_recognised(table: FakeTable, client: httpx.Client) -> None:
    table.play(2)
    seen = client.get("/api/picture").json()
    assert len(seen["tiles"]) == 5 and len(seen["tiles"][0]["corners_px"]) == 4
    table.ask()
    question = table.asked[0].id
    for path in ("picture.jpg", f"picture.jpg?frame={seen['frame']}", "turns/2/crop.jpg",
                 f"questions/{question}/crop.jpg"):  # fmt: skip
        picture = client.get(f"/api/{path}")
        assert picture.headers["content-type"] == "image/jpeg" and picture.content.startswith(b"\xff\xd8")
        assert picture.headers["cache-control"] == "no-store"
    assert error_of(client.get("/api/turns/3/crop.jpg")) == (404, "unknown_turn")
    assert error_of(client.get("/api/questions/no/crop.jpg")) == (404, "unknown_question")


def test_seats_get_names(table: FakeTable, client: httpx.Client) -> None:
    body = {"color": "red", "name": "  Anouk  D. "}
    assert client.post("/api/seat", json=body, headers=WITH_KEY).status_code == 200
    assert client.get("/api/state").json()["players"][0]["name"] == "Anouk D."
    for wrong in ({"color": "red", "name": " "}, {"color": "red", "name": "x" * 31}):
        assert error_of(client.post("/api/seat", json=wrong, headers=WITH_KEY)) == (422, "invalid")
    stranger = {"color": "mauve", "name": "M"}
    assert error_of(client.post("/api/seat", json=stranger, headers=WITH_KEY)) == (404, "unknown_player")


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"turn": 1},
        {"remove": True},
        {"turn": 1, "line": {}, "remove": True},
        {"turn": 1, "scores": {"red": 1}},
        {"turn": 1, "remove": True, "scores": {"red": 1}},
        {"agreed": True, "let_go": True},
        {"turn": 1, "let_go": True},
        {"line": {}},
        {"turn": 0, "line": {}},
        {"turn": "1", "line": {}},
        {"scores": {"red": -1}},
    ],
)
def test_corrections_that_say_nothing_clear_are_refused(client: httpx.Client, body: object) -> None:
    assert error_of(client.post("/api/correct", json=body, headers=WITH_KEY)) == (422, "invalid")


@pytest.mark.parametrize("command", WRITES)
def test_a_spectator_changes_nothing(table: FakeTable, client: httpx.Client, command: str) -> None:
    table.play(2)
    before = table.view
    assert error_of(client.post(f"/api/{command}", json={})) == (403, "key_missing")
    assert error_of(client.post(f"/api/{command}", json={}, headers={"X-Table-Key": "no"})) == (
        403,
        "key_wrong",
    )
    assert error_of(client.post(f"/api/{command}", content=b"{\xff")) == (403, "key_missing")
    assert table.view is before


def test_five_wrong_keys_in_a_minute_are_too_many(client: httpx.Client) -> None:
    wrong = [client.post("/api/undo", headers={"X-Table-Key": "no"}) for _ in range(5)]
    assert [response.status_code for response in wrong] == [403, 403, 403, 403, 429]
    assert error_of(wrong[-1]) == (429, "too_many_keys") and int(wrong[-1].headers["retry-after"]) > 0
    assert client.get("/api/state").status_code == 200


def test_the_key_can_be_tried(client: httpx.Client) -> None:
    assert client.get("/api/key", headers=WITH_KEY).json() == {
        "ok": True,
        "role": "player",
        "hints": False,
        "keep_labels": False,
    }
    assert client.get("/api/key").status_code == 403


def test_large_requests_are_refused(client: httpx.Client) -> None:
    assert error_of(client.post("/api/correct", content=b"x" * 70_000, headers=WITH_KEY)) == (
        413,
        "too_large",
    )

    def in_pieces() -> Iterator[bytes]:
        for _ in range(70):
            yield b"x" * 1000

    assert error_of(client.post("/api/correct", content=in_pieces(), headers=WITH_KEY)) == (413, "too_large")
    assert error_of(client.get("/api/state?" + "x" * 5000)) == (414, "address_too_long")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/nothing", 404),
        ("GET", "/js/none.js", 404),
        ("DELETE", "/api/state", 405),
        ("POST", "/api/state", 405),
    ],
)
def test_every_error_has_the_one_shape(client: httpx.Client, method: str, path: str, status: int) -> None:
    assert error_of(client.request(method, path))[0] == status


def test_malformed_json_has_the_one_shape(client: httpx.Client) -> None:
    response = client.post(
        "/api/answer", content=b"{", headers={**WITH_KEY, "Content-Type": "application/json"}
    )
    assert error_of(response) == (422, "invalid")


def test_an_unexpected_error_says_nothing_about_the_inside() -> None:
    class Broken(FakeTable):
        def state(self) -> TableView:
            raise RuntimeError("secret in /home/table")

    with serving(Broken()) as running:
        response = httpx.get(f"{running.url}/api/state")
    assert error_of(response) == (500, "internal") and "secret" not in response.text


def test_export_is_a_file(table: FakeTable, client: httpx.Client) -> None:
    table.play(2)
    response = client.get("/api/export")
    assert response.headers["content-disposition"] == 'attachment; filename="table.game.jsonl"'
    assert len(response.text.splitlines()) == 2


def test_camera_status_and_faults_are_told(table: FakeTable, client: httpx.Client) -> None:
    table.say(CameraStatus("unclear", Message("two turns explain this"), 12, 75, ((1, 1),)))
    far_off = replace(played_turn(table.view.state, table.rng), cell=(50, 50))
    fault = table.view.state.faults(far_off)[0]
    table.view = replace(table.view, faults=(fault,))
    state = client.get("/api/state").json()
    assert state["camera"] == {
        "seeing": "unclear",
        "message": "two turns explain this",
        "said": {"template": "two turns explain this", "args": {}},
        "framing": None,
        "frame": 12,
        "frames": 75,
        "cells": [[1, 1]],
    }
    assert state["faults"] == [fault.to_json()]


def test_the_page_asks_no_other_host(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "<title>Tilesight</title>" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    for file in ("css/base.css", "js/tiles.js", "img/tilesight.svg", "img/contours.svg"):
        assert client.get(f"/{file}").status_code == 200
        assert "https://" not in client.get(f"/{file}").text


def test_a_disk_that_takes_nothing_is_said(
    table: FakeTable, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(entry: int | None) -> None:
        raise NotKept("one.table: cannot be written (database or disk is full)")

    monkeypatch.setattr(table, "undo", full)
    assert error_of(client.post("/api/undo", headers=WITH_KEY)) == (507, "not_kept")


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\nb", "\u202eevil", "  "])
def test_a_name_is_something_to_see(client: httpx.Client, name: str) -> None:
    asked = client.post("/api/seat", json={"color": "red", "name": name}, headers=WITH_KEY)
    assert error_of(asked) == (422, "invalid")


@pytest.mark.parametrize("name", ["Žofie K.", "王", "👨\u200d👩\u200d👧", "می\u200cخواهم"])
def test_names_come_in_all_letters(client: httpx.Client, name: str) -> None:
    assert client.post("/api/seat", json={"color": "red", "name": name}, headers=WITH_KEY).is_success


def test_choices_of_a_foreign_tile(table: FakeTable, client: httpx.Client) -> None:
    table.play(3)
    asked = {"tile": "?", "cell": "0,1"}
    places = client.get("/api/turns/4/choices", params=asked).json()["cells"]
    asked["cell"] = f"{places[0][0]},{places[0][1]}"
    there = client.get("/api/turns/4/choices", params=asked).json()
    assert there["faces"]["?"]["foreign"]
    assert {(line["tile"], line["face"]) for line in there["turns"]} == {(None, "?")}
    wrong = client.get("/api/turns/4/choices", params={"tile": "?sea-sea-sea-sea"})
    assert error_of(wrong) == (409, "bad_foreign")
