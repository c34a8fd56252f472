"""Attack 3: a page of another site, in a guest's browser, uses the table; guesses of keys lock guests out."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator

import pytest

from tests.attacks.targets import Target, table_in

EVIL = ("https://evil.example", "null", "http://192.168.7.66:8770")
"""Origins of pages of other sites, as a browser names them."""
COMMANDS = {"/api/undo": {}, "/api/end": {}, "/api/seat": {"color": "red", "name": "Mallory"}}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A live table whose camera is a phone."""
    with table_in(tmp_path_factory.mktemp("table"), camera="phone") as running:
        yield running


def handshake(target: Target, origin: str) -> int:
    """Ask for the phone camera's socket; return the status of the answer."""
    nonce = base64.b64encode(os.urandom(16)).decode()
    head = f"GET /api/phone HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n"
    head += f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {nonce}\r\n"
    with target.connect() as opened:
        opened.sendall(f"{head}Sec-WebSocket-Version: 13\r\nOrigin: {origin}\r\n\r\n".encode())
        return int(opened.recv(4096).split()[1])


@pytest.mark.parametrize("origin", EVIL)
def test_no_change_and_no_socket_from_a_foreign_page(target: Target, origin: str) -> None:
    """A page of another site changes nothing and opens no socket, even with the right key."""
    before = target.state()["last_event_id"]
    for path, body in COMMANDS.items():
        answer = target.ask(path, body, key=target.key, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin"), path
    assert handshake(target, origin) == 403
    assert target.state()["last_event_id"] == before
    assert handshake(target, target.url) == 101, "the table's own page opens the socket"


@pytest.mark.parametrize("origin", EVIL)
def test_no_table_is_begun_and_no_game_brought_from_a_foreign_page(lobby: Target, origin: str) -> None:
    """A page of another site begins no table, brings no game and deletes none at a lobby."""
    for path in ("/api/tables", "/api/library/import", "/api/library/x/delete", "/api/photo"):
        answer = lobby.ask(path, content=b"{}", key=lobby.key, headers={"Origin": origin})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_origin"), path
    assert lobby.ask("/api/tables", key=lobby.key).json()["tables"] == []


def test_a_foreign_page_reads_no_answer(target: Target) -> None:
    """No answer allows a page of another site to read it, and a foreign host name is served nothing."""
    answer = target.ask("/api/state", headers={"Origin": EVIL[0]})
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert target.ask("/api/state", headers={"Host": "evil.example"}).status_code == 421


def test_guesses_lock_out_no_right_key(target: Target) -> None:
    """Wrong keys are refused, after four of a minute with 429; the right key passes all the while."""
    told = target.tell(2)
    guesses = [target.ask("/api/undo", {}, key=f"GUESS{n:03}").status_code for n in range(12)]
    assert guesses == [403] * 4 + [429] * 8
    assert target.ask("/api/key", key=target.key).status_code == 200
    assert len(target.state()["turns"]) == told
    assert target.ask("/api/undo", {}, key=target.key).status_code == 200
