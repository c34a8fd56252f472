"""Attack: twenty guests without a key ask a table without a pause, in three ways.

They keep a connection, open one for each request, or ask and leave before the answer. Held: a player's
commands take no more than three times as long as alone, and guests use a tenth of one processor at most. The
share is processor time and not wall-clock time, so that it is the same on a loaded machine. Not held: guests
who leave before the answer cost accepting and parsing, which no budget limits (SECURITY.md).
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.attacks.targets import Target

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="processor times are read from /proc"),
]

GUESTS = 20
SPENT_S = 2.5
"""Seconds in which guests first use up what they have saved."""
WATCHED_S = 2.0
"""Seconds in which processor time is measured."""
COMMANDS = 25
"""Commands of a player, each timed."""
LOOKS_AT_MOST = 3
"""Looks at the share of the guests, and at the times of commands: other tests load the machine."""
SHARE_AT_MOST = 0.10
"""Share of one processor that guests may use."""
TIMES_AT_MOST = 3.0
"""How many times as long a command may take beside guests."""
NOISE_S = 0.05
"""Seconds that a command may take longer in any case: the guests share the machine with the table."""
PATHS = ("/api/state", "/api/report.html", "/api/replay.html", "/")
WAYS = ("keep", "anew", "leave")
"""A connection is kept, is opened for each request, or is left before the answer."""


def _ask(port: int, way: str) -> None:
    """Be a guest until killed: ask in turn for each of `PATHS`, in one of `WAYS`."""
    os.nice(19)  # what they use of the machine is not what is measured
    number = 0
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as opened:
            opened.settimeout(5)
            while True:
                path, number = PATHS[number % len(PATHS)], number + 1
                opened.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                if way == "leave":
                    break
                opened.recv(1 << 16)
                if way == "anew":
                    break
        time.sleep(0.002)  # the guests must leave the machine to others


@contextlib.contextmanager
def _guests(port: int, way: str) -> Iterator[None]:
    """Start the guests, each a process; kill them at the end."""
    context = multiprocessing.get_context("fork")
    guests = [context.Process(target=_ask, args=(port, way), daemon=True) for _ in range(GUESTS)]
    for guest in guests:
        guest.start()
    try:
        yield
    finally:
        for guest in guests:
            guest.kill()
        for guest in guests:
            guest.join()


def _cpu_s(target: Target) -> float:
    """Processor seconds that a table's process has used."""
    fields = Path(f"/proc/{target.running.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _share(target: Target) -> float:
    """The share of one processor that the table's process uses now."""
    began_s, spent_s = time.monotonic(), _cpu_s(target)
    time.sleep(WATCHED_S)
    return (_cpu_s(target) - spent_s) / (time.monotonic() - began_s)


def _settled_share(target: Target, alone: float) -> float:
    """The share that the guests of a table use: the lowest of up to three looks. On a loaded machine guests
    still spend what they have saved at the first one."""
    lowest = 1.0
    for _ in range(LOOKS_AT_MOST):
        lowest = min(lowest, _share(target) - alone)
        if lowest <= SHARE_AT_MOST:
            break
    return lowest


def _command_s(target: Target) -> tuple[float, float]:
    """How long a player's command takes: p50 and p95, in seconds."""
    took_s = []
    with httpx.Client(base_url=target.url, headers={"X-Table-Key": target.key}, timeout=20) as player:
        for number in range(COMMANDS):
            began_s = time.perf_counter()
            answer = player.post("/api/seat", json={"color": "red", "name": f"Ana {number}"})
            took_s.append(time.perf_counter() - began_s)
            assert answer.status_code == 200, answer.text
    return statistics.median(took_s), sorted(took_s)[int(0.95 * COMMANDS)]


@dataclass(frozen=True)
class Alone:
    """What a table does without guests: the time of its player's commands, and its share of a processor."""

    command_s: tuple[float, float]
    share: float


@pytest.fixture(scope="module")
def alone(target: Target) -> Alone:
    """The table alone. Then guests use up what they have saved."""
    target.tell(6)
    for path in PATHS:
        assert target.ask(path).status_code == 200  # made once, before it is measured
    alone = Alone(_command_s(target), _share(target))
    with _guests(target.port, "anew"):
        time.sleep(SPENT_S)
    return alone


@pytest.mark.parametrize("way", WAYS)
def test_greedy_guests_hold_up_neither_players_nor_the_recogniser(
    target: Target, alone: Alone, way: str
) -> None:
    """Twenty guests neither hold up a player's commands nor take the processor."""
    # No budget paces guests who leave before the answer: one command in twenty can take longer.
    measured = 1 if way == "leave" else 2
    bounds_s = [TIMES_AT_MOST * before_s + NOISE_S for before_s in alone.command_s[:measured]]
    with _guests(target.port, way):
        share = _settled_share(target, alone.share)
        looks_s = []
        for _ in range(LOOKS_AT_MOST):
            looks_s.append(_command_s(target)[:measured])
            if all(now_s <= bound_s for now_s, bound_s in zip(looks_s[-1], bounds_s, strict=True)):
                break
        else:
            pytest.fail(f"commands take {looks_s} s beside guests, {alone.command_s} s alone")
    if way != "leave":
        assert share <= SHARE_AT_MOST, f"guests use {share:.0%} of a processor"
