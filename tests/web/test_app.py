"""The HTTP interface over a table that plays by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from tests.web.conftest import KEY, serving
from tests.web.fake_table import FakeTable, played_turn
from web.table import CameraStatus, TableView

WRITES = ("answer", "correct", "undo", "redo", "end")
WITH_KEY = {"X-Table-Key": KEY}


@pytest.fixture
def client(table: FakeTable) -> Iterator[httpx.Client]:
    with serving(table) as running, httpx.Client(base_url=running.url) as client:
        yield client


def error_of(response: httpx.Response) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"error"} and set(body["error"]) == {"code", "message"}
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
        picture = client.get(address)
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


def test_ending_gives_the_final_scores_and_their_reasons(table: FakeTable, client: httpx.Client) -> None:
    table.play(20)
    assert client.post("/api/end", headers=WITH_KEY).status_code == 200
    state = client.get("/api/state").json()
    final = table.view.state.final()
    assert state["phase"] == "over" and state["player"] is None and state["can_end"] is False
    assert state["final"]["scores"] == dict(final.scores)
    assert state["final"]["events"] == [event.to_json() for event in final.events]
    assert error_of(client.post("/api/end", headers=WITH_KEY)) == (409, "over")


def test_corrections_reach_the_table(table: FakeTable, client: httpx.Client) -> None:
    line = {"player": "red", "tile": "CS13-G", "cell": [0, 1], "rot": 90, "action": None}
    assert client.post("/api/correct", json={"turn": 1, "line": line}, headers=WITH_KEY).status_code == 200
    assert table.corrections[0].turn_no == 1 and table.corrections[0].line == line


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"turn": 1},
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
    assert table.view is before


def test_five_wrong_keys_in_a_minute_are_too_many(client: httpx.Client) -> None:
    wrong = [client.post("/api/undo", headers={"X-Table-Key": "no"}) for _ in range(5)]
    assert [response.status_code for response in wrong] == [403, 403, 403, 403, 429]
    assert error_of(wrong[-1]) == (429, "too_many_keys") and int(wrong[-1].headers["retry-after"]) > 0
    assert client.get("/api/state").status_code == 200


def test_the_key_can_be_tried(client: httpx.Client) -> None:
    assert client.get("/api/key", headers=WITH_KEY).json() == {"ok": True}
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
    table.say(CameraStatus("unclear", "two turns explain this", 12, 75, None, ((1, 1),)))
    far_off = replace(played_turn(table.view.state, table.rng), cell=(50, 50))
    fault = table.view.state.faults(far_off)[0]
    table.view = replace(table.view, faults=(fault,))
    state = client.get("/api/state").json()
    assert state["camera"] == {
        "seeing": "unclear",
        "message": "two turns explain this",
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
    for file in ("css/base.css", "js/main.js", "img/tilesight.svg", "img/contours.svg"):
        assert client.get(f"/{file}").status_code == 200
        assert "https://" not in client.get(f"/{file}").text
