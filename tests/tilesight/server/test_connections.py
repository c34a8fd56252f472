"""The server's connections: idle guests, guests that never read, sockets without a key, foreign names."""

from __future__ import annotations

import itertools
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.web.conftest import KEY
from tests.web.fake_table import FakeTable, photograph
from tilesight.server import connections
from tilesight.server.connections import ConnectionLimiter, Guest
from tilesight.server.dashboard import Dashboard
from web.api.bodies import CorrectBody
from web.api.phone import FIRST_MESSAGE_BYTES, UNKEYED_AT_MOST


class Wire:
    """A transport in place of asyncio's."""

    guest: Guest
    ports = itertools.count(1)

    def __init__(self, address: str) -> None:
        self.address = (address, next(self.ports))
        self.cut = False
        self.unread = 0
        self.reading = True

    def get_extra_info(self, name: str) -> tuple[str, int]:
        return self.address if name == "peername" else ("10.0.0.200", 8770)

    def is_reading(self) -> bool:
        return self.reading

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.cut = True


class Entrance:
    """ConnectionLimiter whose clock and guests are made up."""

    def __init__(self, places: int, of_one_client: int = 100, proxies: tuple[str, ...] = ()) -> None:
        self.now_s = 0.0
        self.limiter = ConnectionLimiter(
            places, of_one_client=of_one_client, proxies=proxies, clock=lambda: self.now_s
        )

    def enter(self, address: str, *, answered: bool = False) -> Wire:
        self.now_s += 0.01
        wire = Wire(address)
        wire.guest = self.limiter.enter(wire)  # type: ignore[arg-type]
        if answered:
            self.limiter.asks(wire.guest)
            self.limiter.heard_all(wire.guest)
            self.limiter.answers(wire.guest, streams=False)
        return wire

    def stream(self, address: str, *, keyed: bool = False) -> Wire:
        """Let a client enter and open an event stream."""
        wire = self.enter(address)
        self.limiter.asks(wire.guest)
        self.limiter.heard_all(wire.guest)
        if keyed:
            self.limiter.accept_key(wire.guest)
        self.limiter.answers(wire.guest, streams=True)
        return wire


def test_where_all_places_are_taken_the_client_that_waits_most_gives_way() -> None:
    at = Entrance(places=8)  # 6 for guests
    reader = at.enter("10.0.0.1", answered=True)
    phone = at.enter("10.0.0.2")
    idle = [at.enter("10.0.0.9") for _ in range(7)]
    assert [wire.cut for wire in idle] == [True, True, True, False, False, False, False]
    assert not reader.cut and not phone.cut
    assert len(at.limiter) == 6


def test_a_newcomer_is_let_in_where_everybody_is_being_answered() -> None:
    at = Entrance(places=4)
    readers = [at.enter(f"10.0.0.{n}", answered=True) for n in range(3)]
    assert not at.enter("10.0.0.7").cut
    assert [wire.cut for wire in readers] == [True, False, False]


def test_one_client_takes_its_share_and_this_machine_all() -> None:
    at = Entrance(places=80, of_one_client=4)
    assert sum(at.enter("10.0.0.1", answered=True).cut for _ in range(7)) == 0
    assert len(at.limiter) == 4
    assert not any(at.enter("127.0.0.1", answered=True).cut for _ in range(20))


def test_streams_of_guests_leave_room_and_the_oldest_of_the_client_with_most_gives_way() -> None:
    at = Entrance(places=20)  # 10 streams of guests
    alone = at.stream("10.0.0.1")
    greedy = [at.stream("10.0.0.9") for _ in range(12)]
    assert [wire.cut for wire in greedy] == [True] * 3 + [False] * 9 and not alone.cut
    players = [at.stream("10.0.0.9", keyed=True) for _ in range(10)]
    idle = [at.enter("10.0.0.9") for _ in range(30)]
    assert not any(wire.cut for wire in players) and not alone.cut and not idle[-1].cut
    assert len(at.limiter) == 20


def test_a_proxy_s_guests_are_counted_by_the_addresses_that_it_tells() -> None:
    at = Entrance(places=20, proxies=("10.0.0.1",))
    first = at.stream("10.0.0.1")
    at.limiter.name(first.guest, "192.0.2.7")
    many = [at.stream("10.0.0.1") for _ in range(12)]
    assert not first.cut and sum(wire.cut for wire in many) == 3


def test_a_client_that_never_ends_a_request_or_never_reads_is_cut_off() -> None:
    at = Entrance(places=9)
    slow, stream, deaf = at.enter("a"), at.enter("b", answered=True), at.enter("c", answered=True)
    deaf.unread = 70_000
    for _ in range(40):
        at.now_s += 2.0
        at.limiter.heard(slow.guest, 1)
        at.limiter.check()
        if at.now_s < connections.REQUEST_WITHIN_S:
            assert not slow.cut
        if at.now_s < connections.READ_WITHIN_S:
            assert not deaf.cut
    assert slow.cut and deaf.cut and not stream.cut


def test_a_client_that_sends_or_reads_steadily_is_never_cut_off() -> None:
    at = Entrance(places=9)
    sender, reader, busy = at.enter("a"), at.enter("b", answered=True), at.enter("c")
    busy.reading = False  # this server writes what came to the disk
    for _ in range(300):
        at.now_s += 2.0
        at.limiter.heard(sender.guest, 2_500)
        reader.unread = 70_000
        reader.guest.unread += 3_000  # as much as was read since
        at.limiter.check()
    assert not sender.cut and not reader.cut and not busy.cut


def test_where_too_much_waits_to_be_read_those_with_most_are_cut_off() -> None:
    at = Entrance(places=9)
    large, player, small = (at.enter(name, answered=True) for name in "abc")
    at.limiter.accept_key(player.guest)
    large.unread, player.unread, small.unread = 40_000_000, 41_000_000, 1_000_000
    at.limiter.check()
    assert large.cut and not player.cut and not small.cut


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


class Pictures:
    def __init__(self) -> None:
        self.came: list[bytes] = []

    def push(self, jpeg: bytes) -> None:
        self.came.append(jpeg)


@pytest.fixture
def pictures() -> Pictures:
    return Pictures()


@pytest.fixture
def served(table: FakeTable, pictures: Pictures, tmp_path: object) -> Iterator[Dashboard]:
    with Dashboard(
        table,
        host="127.0.0.1",
        port=0,
        key=KEY,
        phone=pictures,
        certificates=tmp_path,  # type: ignore[arg-type]
        limiter=ConnectionLimiter(30),
    ) as dashboard:
        yield dashboard


def idle(port: int, words: bytes) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), 5)
    opened.sendall(words)
    return opened


def test_idle_guests_are_closed_and_block_no_request(
    served: Dashboard, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "LOOK_EVERY_S", 0.1)
    monkeypatch.setattr(connections, "REQUEST_WITHIN_S", 0.5)
    half = [
        b"GET /api/state HTTP/1.1\r\nHost: x\r\nX-a: ",
        b"POST /api/undo HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n{",
    ]
    with caplog.at_level(logging.WARNING):
        opened = [idle(served.port, half[n % 2]) for n in range(80)]
        assert httpx.get(f"{served.url}/api/state").status_code == 200
        deadline_s = time.monotonic() + 60
        while len(served._limiter) and time.monotonic() < deadline_s:
            time.sleep(0.05)
    assert len(served._limiter) == 0
    assert caplog.records == []
    for one in opened:
        one.close()


def test_a_stream_that_is_read_is_no_idle_guest(
    served: Dashboard, table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_WITHIN_S", 0.5)
    with httpx.stream("GET", f"{served.url}/api/events", timeout=60) as events:
        time.sleep(2.6)  # well beyond the time for a request, and looked at
        table.play(1)
        assert any("event: turn" in line for line in events.iter_lines())


def socket_url(served: Dashboard) -> str:
    return f"ws://127.0.0.1:{served.port}/api/phone"


def close_code(phone: object) -> int:
    """The code with which the server closes, well before the time for the key is over."""
    with pytest.raises(ConnectionClosed) as closed:
        phone.recv(timeout=5)  # type: ignore[attr-defined]
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


def test_little_is_taken_before_the_key_and_pictures_after_it(served: Dashboard, pictures: Pictures) -> None:
    with connect(socket_url(served)) as phone:
        phone.send("x" * (FIRST_MESSAGE_BYTES + 1))
        assert close_code(phone) == 1009
        assert phone.close_reason is not None and "before the key" not in phone.close_reason  # never taken in
    large = photograph() + bytes(100_000)
    with connect(socket_url(served)) as phone:
        phone.send(json.dumps({"key": KEY}))
        assert json.loads(phone.recv()) == {"welcome": True}
        phone.send(large)
        assert json.loads(phone.recv())["frame"] == 1
    assert pictures.came == [large]


@pytest.mark.parametrize("first", ["[" * FIRST_MESSAGE_BYTES, '{"key": "\\ud800"}'])
def test_an_odd_key_is_a_wrong_key(served: Dashboard, first: str, caplog: pytest.LogCaptureFixture) -> None:
    with connect(socket_url(served)) as phone:
        phone.send(first)
        assert close_code(phone) == 4403
    assert caplog.records == []


def test_few_phones_may_be_without_a_key(served: Dashboard) -> None:
    with ExitStack() as opened:
        phones = [opened.enter_context(connect(socket_url(served))) for _ in range(UNKEYED_AT_MOST + 1)]
        assert close_code(phones[0]) == 4408
        phones[-1].send(json.dumps({"key": KEY}))
        assert json.loads(phones[-1].recv()) == {"welcome": True}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8770", 421),
        ("192.168.1.7:8770", 200),
        ("[fe80::1]:8770", 200),
        ("tablet.local", 200),
        ("localhost:1", 200),
        (socket.gethostname(), 200),
    ],
)
def test_a_foreign_name_reads_nothing(served: Dashboard, host: str, status: int) -> None:
    for path in ("/api/state", "/"):
        assert httpx.get(f"{served.url}{path}", headers={"Host": host}).status_code == status


def test_guesses_under_forged_addresses_are_counted_together(served: Dashboard) -> None:
    codes = [
        httpx.get(
            f"{served.url}/api/key", headers={"X-Table-Key": "WRONG", "X-Forwarded-For": f"10.1.1.{n}"}
        ).status_code
        for n in range(6)
    ]
    assert codes[-1] == 429


def test_text_that_is_no_text_is_no_body() -> None:
    with pytest.raises(ValueError, match="no JSON that can be kept"):
        CorrectBody.model_validate({"turn": 1, "line": {"player": "\ud800"}})


def test_a_request_that_is_cut_off_when_the_server_stops_is_no_error(
    table: FakeTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = threading.Event()

    def wait() -> None:
        asked.set()
        time.sleep(3.0)

    monkeypatch.setattr(table, "export", wait)
    with Dashboard(table, host="127.0.0.1", port=0, key=KEY) as dashboard:
        opened = idle(dashboard.port, b"GET /api/export HTTP/1.1\r\nHost: x\r\n\r\n")
        assert asked.wait(60)
    opened.close()
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize(
    "line", ['{"a":"\\ud800"}', "[" * 5000 + "]" * 5000, '{"a":' * 400 + "1" + "}" * 400]
)
def test_a_correction_that_the_log_cannot_hold_is_refused(
    served: Dashboard, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = httpx.post(
        f"{served.url}/api/correct",
        content=f'{{"turn": 1, "line": {line}}}',
        headers={"X-Table-Key": KEY, "Content-Type": "application/json"},
    )
    assert 400 <= answer.status_code < 500, answer.text
    assert caplog.records == []
