"""Many spectators in one process: ``python -m tests.club.watchers PORT PATH NUMBER FIRST FILE``.

They read whatever comes and note when, until stdin has a line or ends. When something came is the kernel's
word, not ours: a process that reads late makes no event late. FIRST is the number of their first address in
127.0.0.0/8; FILE takes what was noted (`Noted`).
"""

from __future__ import annotations

import errno
import json
import resource
import select
import socket
import struct
import sys
import time
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

EACH_ADDRESS = 1500
"""Spectators behind one address, fewer than nginx lets in and than there are ports."""
OPENING = 200
"""Connections that are opened at the same time."""
OPEN_WITHIN_S = 120.0
"""Seconds for all to be open."""
SO_TIMESTAMPNS = 35
"""Linux: the kernel says when data came."""


@dataclass
class Noted:
    """Events by their ids in the order in which they came first, and each arrival: which event, when (seconds
    since 1970), and how many seconds later it was read."""

    ids: dict[bytes, int] = field(default_factory=dict)
    events: list[bytes] = field(default_factory=list)
    which: array[int] = field(default_factory=lambda: array("I"))
    came_s: array[float] = field(default_factory=lambda: array("d"))
    unread_s: array[float] = field(default_factory=lambda: array("f"))
    out_of_order: int = 0
    expected: int = 0

    def save(self, path: Path, **more: Any) -> None:
        """Write it for `tests.club.lateness`."""
        events = [event.decode() for event in self.events]
        told = {"events": events, "out_of_order": self.out_of_order, "expected": self.expected, **more}
        np.savez(
            path,
            which=np.array(self.which, np.uint32),
            came_s=np.array(self.came_s),
            unread_s=np.array(self.unread_s, np.float32),
            told=np.array(json.dumps(told)),
        )


class Spectator:
    """One connection that hears events, each after the one before."""

    __slots__ = ("first", "last", "rest", "socket")

    def __init__(self, opened: socket.socket) -> None:
        self.socket = opened
        self.rest = b""
        self.first = self.last = -1

    def take(self, data: bytes, came_s: float, now_s: float, noted: Noted) -> None:
        """Note the events that are whole now."""
        *events, self.rest = (self.rest + data).split(b"\n\n")
        for event in events:
            at = event.find(b"id: ", 0, 80)
            if at < 0:
                continue  # a sign of life
            name = event[at + 4 : event.find(b"\n", at)]
            number = noted.ids.get(name)
            if number is None:
                number = noted.ids[name] = len(noted.events)
                noted.events.append(event[event.find(b"data: ") + 6 :])
            if self.last < 0:
                self.first = number
            elif number != self.last + 1:
                noted.out_of_order += 1
            self.last = number
            noted.which.append(number)
            noted.came_s.append(came_s)
            noted.unread_s.append(now_s - came_s)


class Watchers:
    """All spectators of this process."""

    def __init__(self, port: int, path: str, number: int, first: int) -> None:
        self._there = "127.0.0.1", port
        self._request = f"GET {path} HTTP/1.1\r\nHost: club\r\nAccept: text/event-stream\r\n\r\n".encode()
        self._number, self._first = number, first
        self._poll = select.epoll()
        self._known: dict[int, Spectator] = {}
        self.noted = Noted()
        self.opened = self.ended = 0

    def run(self) -> None:
        """Open all, say so on stdout, and read until stdin has a line or ends."""
        until, asked = time.monotonic() + OPEN_WITHIN_S, 0
        while self.opened < self._number and time.monotonic() < until:
            while asked < self._number and asked - self.opened - self.ended < OPENING:
                self._ask(asked)
                asked += 1
            self._read(0.05)
        print(json.dumps({"opened": self.opened}), flush=True)
        self._poll.register(sys.stdin.fileno(), select.EPOLLIN)
        while self._read(1.0):
            pass
        for one in self._known.values():
            if one.first >= 0:
                self.noted.expected += len(self.noted.events) - one.first

    def _ask(self, number: int) -> None:
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        one.bind((f"127.0.0.{self._first + number // EACH_ADDRESS}", 0))
        one.connect(self._there)
        one.setblocking(False)
        one.send(self._request)
        self._known[one.fileno()] = Spectator(one)
        self._poll.register(one.fileno(), select.EPOLLIN)

    def _read(self, wait_s: float) -> bool:
        """Read what is there; False once we are told to end."""
        going = True
        for descriptor, _ in self._poll.poll(wait_s, 512):
            spectator = self._known.get(descriptor)
            if spectator is None:
                going = False
                continue
            try:
                data, beside, _, _ = spectator.socket.recvmsg(65536, 64)
            except OSError as error:
                if error.errno in (errno.EAGAIN, errno.EINTR):
                    continue
                data = b""
            if not data:
                self._poll.unregister(descriptor)
                spectator.socket.close()
                del self._known[descriptor]
                self.ended += 1
                continue
            if data.startswith(b"HTTP/1.1 "):
                self.opened += data.startswith(b"HTTP/1.1 200 ")
                data = data.partition(b"\r\n\r\n")[2]
            now_s = time.time()
            came_s = _stamp(beside[0][2]) if beside else now_s
            spectator.take(data, came_s, now_s, self.noted)
        return going


def _stamp(told: bytes) -> float:
    seconds, nanoseconds = struct.unpack("qq", told)
    return float(seconds + nanoseconds / 1e9)


def main(port: str, path: str, number: str, first: str, file: str) -> None:
    """Watch, and write what was noted."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    watchers = Watchers(int(port), path, int(number), int(first))
    watchers.run()
    watchers.noted.save(Path(file), opened=watchers.opened, cut_off=watchers.ended)


if __name__ == "__main__":
    main(*sys.argv[1:6])
