"""Rights at the hub: every route has one, sessions, and a spectator who floods it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from engine.message import Message
from tests.docs.test_contract import routes_of
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import PASSWORD, FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub, club_table
from tests.web.test_club_invitations import FakeInvitations
from web.club import gate
from web.club.app import create_club_app
from web.club.phone_tables import Addresses
from web.club.rights import REFEREE_COMMANDS, RULES, Role, may, rule_of
from web.table.refusal import Refusal

LIKE_A_PARAMETER = "7"
OWN_KEY = "THE-TABLES-OWN-1"
ORDER = {"path": "/api/undo", "body": {}}


class FakePhones:
    """Tables without a computer: one has a key of its own."""

    picture_bytes = 1000

    def games(self) -> tuple[()]:
        return ()

    def open_tables(self) -> tuple[()]:
        return ()

    def push_picture(self, table: str, jpeg: bytes) -> None:
        """Take a picture."""

    def end(self, table: str) -> None:
        raise Refusal("unknown_table", Message("there is no such table"))

    def key_of(self, table: str) -> str | None:
        return OWN_KEY if table == LIKE_A_PARAMETER else None


def club_app(club: FakeClub | None = None, **more: Any) -> FastAPI:
    """The application of a club with a table; its tournaments do nothing."""
    club = club or FakeClub()
    club.put(club_table(LIKE_A_PARAMETER))
    given: dict[str, Any] = {"phones": FakePhones(), "invitations": FakeInvitations(), **more}
    return create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts(), **given)


@pytest.fixture
def url() -> Iterator[str]:
    with running(club_app()) as url:
        yield url


@contextmanager
def logged_in(url: str, name: str) -> Iterator[httpx.Client]:
    """A browser in which somebody has logged in."""
    with httpx.Client(base_url=url) as client:
        answer = client.post("/api/session", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["X-Table-Key"] = "login"
        yield client


def test_every_route_has_a_right_and_no_right_is_without_its_route() -> None:
    assert set(routes_of(club_app())) == set(RULES)
    assert {route for route in RULES if rule_of(*route.split()).right == "everybody"} == {
        "GET /",
        "GET /table/{table}",
        "GET /join",
        "GET /tournaments",
        "GET /tournament/{number}",
        "GET /healthz",
        "GET /metrics",
        "GET /api/events",
        "GET /api/tables",
        "GET /api/tables/{table}/state",
        "GET /api/tables/{table}/preview.jpg",
        "GET /api/tournaments",
        "GET /api/tournaments/{number}",
        "GET /api/tournaments/{number}/files/{name}",
        "POST /api/tournaments/{number}/take",  # with the code of a pairing
        "GET /screen",
        "GET /invitations",
        "GET /qr/{place}.svg",
        "GET /phone-tables",
        "GET /camera/{table}",
        "GET /api/session",
        "POST /api/session",
        "DELETE /api/session",
    }
    assert rule_of("POST", "/api/of-tomorrow").right == "host"


@pytest.mark.parametrize(("role", "name"), [(None, ""), ("referee", "Rob"), ("host", "Hana")])
def test_every_route_asks_for_its_right(url: str, role: Role | None, name: str) -> None:
    with httpx.Client(base_url=url) if role is None else logged_in(url, name) as client:
        for route, rule in RULES.items():
            if rule.right != "everybody":
                path = route.replace("{command}", "undo")
                method, path = re.sub("{.*?}", LIKE_A_PARAMETER, path).split()
                body: dict[str, Any] | None = None if method == "GET" else {}
                answer = client.request(method, path, json=body)
                assert (answer.status_code == 403) != may(role, rule.right), (route, answer.text)
                # After an error of its own, the server closes the connection under the next request.
                assert answer.status_code < 500, (route, answer.text)


def test_a_referee_corrects_and_does_not_end_a_game() -> None:
    club = FakeClub()
    with running(club_app(club)) as url, logged_in(url, "Rob") as rob, logged_in(url, "Hana") as hana:
        for path in (*sorted(REFEREE_COMMANDS), "/api/end", "/api/anything"):
            answer = rob.post("/api/tables/7/command", json={"path": path, "body": {}})
            assert answer.status_code == (200 if path in REFEREE_COMMANDS else 403), path
        assert hana.post("/api/tables/7/command", json={"path": "/api/end", "body": {}}).status_code == 200
        assert rob.get("/api/acts").json()["error"]["code"] == "not_allowed"
        acts = [(one["account"], one["table"], one["path"]) for one in hana.get("/api/acts").json()["acts"]]
        assert acts[:2] == [("Hana", "7", "/api/end"), ("Rob", "7", "/api/undo")]
        assert len(acts) == len(REFEREE_COMMANDS) + 1
        keyed = {"X-Table-Key": KEY}
        httpx.post(f"{url}/api/tables/7/command", json=ORDER, headers=keyed)
        assert hana.get("/api/acts").json()["acts"][0]["account"] is None


def test_a_tables_own_key_is_for_that_table() -> None:
    club = FakeClub()
    own = {"X-Table-Key": OWN_KEY}
    with running(club_app(club)) as url, httpx.Client(base_url=url, headers=own) as players:
        club.put(club_table("8"))
        end = {"path": "/api/end", "body": {}}
        assert players.post("/api/tables/7/command", json=end).status_code == 200
        assert players.post("/api/tables/8/command", json=end).status_code == 403
        assert players.post("/api/phone-tables/7/close").json()["error"]["code"] == "not_allowed"
        assert players.get("/api/session?table=7").json() == {"account": None, "role": "player"}
        assert players.get("/api/session?table=8").status_code == 403
        acts = httpx.get(f"{url}/api/acts", headers={"X-Table-Key": KEY}).json()["acts"]
        assert [(one["account"], one["table"], one["path"]) for one in acts] == [("", "7", "/api/end")]


def test_a_session_is_a_cookie_that_no_script_and_no_other_page_gets(url: str) -> None:
    answer = httpx.post(f"{url}/api/session", json={"name": "Rob", "password": PASSWORD})
    assert answer.json() == {"account": "Rob", "role": "referee"}
    told = answer.headers["set-cookie"].lower()
    for part in ("httponly", "samesite=strict", "path=/;", "max-age=43200"):
        assert part in told
    assert "secure" not in told  # the test's server has no certificate


def test_over_https_the_cookie_stays_there() -> None:
    with running(
        club_app(addresses=Addresses("https://club.example:444", "https://club.example:444"))
    ) as url:
        who = {"name": "Rob", "password": PASSWORD}
        secure = {
            host: "secure"
            in httpx.post(f"{url}/api/session", json=who, headers={"Host": host})
            .headers["set-cookie"]
            .lower()
            for host in ("club.example:444", "club.lan")
        }
        assert secure == {"club.example:444": True, "club.lan": False}
        assert httpx.get(f"{url}/api/tables", headers={"Host": "evil.example"}).status_code == 421


def test_the_cookie_alone_changes_nothing(url: str) -> None:
    """It is all that a form of another page could bring."""
    with logged_in(url, "Hana") as hana:
        del hana.headers["X-Table-Key"]
        for method, path in (("POST", "/api/tournaments/7/pair"), ("GET", "/api/acts")):
            assert hana.request(method, path).json()["error"]["code"] == "key_missing"
        hana.delete("/api/session")
        hana.headers["X-Table-Key"] = "login"
        assert hana.get("/api/acts").status_code == 403  # its cookie is gone
    with logged_in(url, "Hana") as hana:
        assert hana.get("/api/session").json() == {"account": "Hana", "role": "host"}


def test_logging_out_ends_it_everywhere(url: str) -> None:
    with logged_in(url, "Rob") as phone, logged_in(url, "Rob") as laptop:
        assert phone.delete("/api/session").status_code == 200
        assert laptop.get("/api/session").json() == {"account": None, "role": None}
        refused = laptop.post("/api/tables/7/command", json=ORDER)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "session_over")
        assert phone.get("/api/session").json() == {"account": None, "role": None}


def test_the_key_is_the_hosts(url: str) -> None:
    keyed = {"X-Table-Key": KEY}
    assert httpx.get(f"{url}/api/session", headers=keyed).json() == {"account": None, "role": "host"}
    new = {"name": "Ina", "role": "referee", "password": "long enough"}
    assert httpx.post(f"{url}/api/accounts", json=new, headers=keyed).status_code == 200
    assert httpx.post(f"{url}/api/accounts", json=new, headers=keyed).status_code == 409
    names = [one["name"] for one in httpx.get(f"{url}/api/accounts", headers=keyed).json()["accounts"]]
    assert names == ["Hana", "Rob", "Ina"]
    assert httpx.delete(f"{url}/api/accounts/Ina", headers=keyed).status_code == 200
    assert httpx.delete(f"{url}/api/accounts/Ina", headers=keyed).status_code == 404
    for odd in ({"password": "short"}, {"role": "king"}, {"name": ""}, {"name": "\x1b"}):
        assert httpx.post(f"{url}/api/accounts", json={**new, **odd}, headers=keyed).status_code == 422
    paths = [one["path"] for one in httpx.get(f"{url}/api/acts", headers=keyed).json()["acts"]]
    assert paths == ["/api/accounts/Ina", "/api/accounts"]


def test_password_guesses_are_slowed_down_and_the_right_password_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gate, "LOGINS", (4, 1000.0))
    monkeypatch.setattr(gate, "LOGINS_OF_A_NAME", (2, 0.1, 10.0))
    app: Any = club_app()
    behind_a_proxy: Any = ProxyHeadersMiddleware(app, trusted_hosts="127.0.0.1")
    with running(behind_a_proxy) as url:

        def tried(name: str, password: str, address: str) -> int:
            told = {"name": name, "password": password}
            headers = {"X-Forwarded-For": address}
            return httpx.post(f"{url}/api/session", json=told, headers=headers).status_code

        assert [tried(f"n{n}", "a guess", "10.0.0.1") for n in range(6)] == [403] * 4 + [429] * 2
        assert [tried("Rob", "a guess", f"10.0.1.{n}") for n in range(8)] == [403] * 8
        assert tried("Rob", PASSWORD, "10.0.2.1") == 200


def test_a_name_written_otherwise_is_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "LOGINS_OF_A_NAME", (1, 1000.0))
    with running(club_app()) as url, httpx.Client(base_url=url) as guesser:
        tries = [
            guesser.post("/api/session", json={"name": one, "password": "x"}) for one in ("Rob", " rOB ")
        ]
        assert [one.status_code for one in tries] == [403, 429]


def test_a_flood_of_reads_is_refused_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "READS", (20, 1000.0))
    club = FakeClub()
    with running(club_app(club)) as url, httpx.Client(base_url=url) as flooding:
        asked = ("/api/tables/7/state", "/metrics", "/healthz")
        statuses = [flooding.get(asked[n % 3]).status_code for n in range(60)]
        assert statuses == [200] * 20 + [429] * 40
        refused = flooding.get("/api/tables")
        assert refused.json()["error"]["code"] == "too_often" and int(refused.headers["Retry-After"]) >= 1
        assert flooding.get("/").status_code == 200  # the page itself costs nothing
        changing = flooding.post("/api/tables/7/command", json=ORDER, headers={"X-Table-Key": KEY})
        assert changing.status_code == 200


def test_an_account_changes_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "CHANGES", (5, 1000.0))
    club = FakeClub()
    with running(club_app(club)) as url, logged_in(url, "Rob") as rob, logged_in(url, "Hana") as hana:
        statuses = [rob.post("/api/tables/7/command", json=ORDER).status_code for _ in range(8)]
        assert statuses == [200] * 5 + [429] * 3 and len(club.commands) == 5
        assert hana.post("/api/tables/7/command", json=ORDER).status_code == 200
