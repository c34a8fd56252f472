"""Connection limits of the server: places for guests and for key holders, event streams, and progress.

A connection without a right key is a guest's. Guests have a part of the places, and event streams a part of
those: the rest is for holders of a key, who say it in their first request. A newcomer is always let in, since
it may have a key. Where no place is left an idle guest gives way: the oldest one of the client that has most.

No limit is on the time of a whole transfer. Each byte that arrives, or is read, gives its connection more
time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
import time
from collections.abc import Callable, Collection
from typing import Literal

from web.limits.addresses import client_of, ip_of

BYTES_PER_S = 1000.0
"""Bytes that give a connection a second more: who sends or reads at this rate is never cut off."""
REQUEST_WITHIN_S = 12.0
"""Seconds that a request which is not whole may stand still."""
READ_WITHIN_S = 60.0
"""Seconds that an answer which is not read may stand still."""
LOOK_EVERY_S = 2.0
"""Seconds between two looks for connections that stand still."""
PLACES_AT_MOST = 800
"""Connections at a time. With the rest of the program's files this stays below 1024: OpenCV waits for some
cameras with select(), which knows no descriptors beyond."""
KEPT_FREE = 200
"""Descriptors kept for pictures, logs and libraries."""
GUESTS_SHARE = 0.75
"""Share of the places that guests may take, and those who have said nothing yet."""
STREAMS_SHARE = 0.5
"""Share of the places that guests' event streams may take."""
PLACES_OF_ONE_CLIENT = 100
"""Guests' connections at a time of one client: an address, in IPv6 a /64. Those of this machine and of a
proxy before the table are not counted: everybody comes from there. A server with more than `PLACES_AT_MOST`
places gives a client more of them, and more event streams, in proportion."""
STREAMS_OF_ONE_CLIENT = 60
"""Guests' event streams at a time of one client."""
HELD_AT_MOST_BYTES = 64 * 1024 * 1024
"""Bytes of all answers together that wait to be read."""

ASKED_AT_MOST = 300
"""Guests' requests at a time whose answers have not begun. Further ones are refused before they are
parsed."""
Stage = Literal["waits", "sends", "asked", "answered", "streams"]
"""Stage of a connection: the head of a request is awaited; its body is; no answer has begun; one has; it is
an event stream."""
Ends = tuple[tuple[str, int], tuple[str, int]]
"""Address and port of a connection's peer, and of this server."""


def max_connections(at_most: int = PLACES_AT_MOST) -> int:
    """Return the number of connections, at most ``at_most``, that this process can hold beside its other open
    files. If the system allows more files than the process has been given so far, it gets them."""
    if sys.platform == "win32":
        return at_most
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = at_most + KEPT_FREE
    if 0 < soft < wanted:
        soft = wanted if hard < 0 else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(20, min(soft - KEPT_FREE, at_most)) if soft > 0 else at_most


class Guest:
    """One connection.

    ``shared`` is whether its client stands for many users. ``keyed`` is whether the latest request had a
    right key. ``heard_by_s`` is when more of a request must have come, ``read_by_s`` when more of an answer
    must have been read (monotonic seconds; None where nothing is awaited). ``unread`` counts the bytes of
    answers that were not read at the last look, and those written since. ``requests`` counts the heads that
    came.
    """

    def __init__(
        self, ends: Ends, client: str, shared: bool, transport: asyncio.Transport, heard_by_s: float
    ) -> None:
        self.ends = ends
        self.client = client
        self.shared = shared
        self.transport = transport
        self.stage: Stage = "waits"
        self.keyed = False
        self.heard_by_s: float | None = heard_by_s
        self.read_by_s: float | None = None
        self.unread = 0
        self.requests = 0

    def look(self, size: int, now_s: float) -> None:
        """Give the connection time for what was read since the last look; ``size`` bytes are still unread."""
        if not size:
            self.read_by_s, self.unread = None, 0
        else:
            read_s = max(self.unread - size, 0) / BYTES_PER_S
            most_s = now_s + READ_WITHIN_S
            self.read_by_s = most_s if self.read_by_s is None else min(self.read_by_s + read_s, most_s)
            self.unread = size
        if self.heard_by_s is not None and (size or not self.transport.is_reading()):
            self.heard_by_s = now_s + REQUEST_WITHIN_S  # it reads an answer, or this server does not read


class _Group:
    """Connections by client, the oldest first."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Guest, None]] = {}
        self._clients: dict[Guest, str] = {}

    def __len__(self) -> int:
        return len(self._clients)

    def keep(self, guest: Guest, belongs: bool) -> None:
        """Add a connection, or remove it. One that is there keeps its place unless its client changed."""
        known = self._clients.get(guest)
        if known is not None and not (belongs and known == guest.client):
            del self._clients[guest]
            del self._of[known][guest]
            if not self._of[known]:
                del self._of[known]
        if belongs and guest not in self._clients:
            self._clients[guest] = guest.client
            self._of.setdefault(guest.client, {})[guest] = None

    def of(self, client: str) -> int:
        """Return the number of connections of a client."""
        return len(self._of.get(client, ()))

    def oldest(self, client: str | None) -> Guest | None:
        """Return the oldest connection of a client (None: of the one that has most), or None."""
        if client is None:
            client = max(self._of, key=self.of, default="")
        return next(iter(self._of.get(client, ())), None)


class ConnectionLimiter:
    """Limits the connections to the servers of one table, on one event loop."""

    def __init__(
        self,
        places: int,
        *,
        of_one_client: int = PLACES_OF_ONE_CLIENT,
        proxies: Collection[str] = (),
        knows_key: Callable[[str], bool] = bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``knows_key(key)`` is whether a key may be right: its requests are never refused unread."""
        self._places = places
        more = max(1.0, places / PLACES_AT_MOST)
        self._of_one_client, self._streams_of_one_client = of_one_client * more, STREAMS_OF_ONE_CLIENT * more
        self.proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self.knows_key = knows_key
        self._clock = clock
        self._here: dict[Ends, Guest] = {}
        self._guests, self._idle = _Group(), _Group()
        self._streams, self._asked = _Group(), _Group()

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._here)

    @property
    def crowded(self) -> bool:
        """Whether further guests are refused, because too many wait for an answer."""
        return len(self._asked) >= min(ASKED_AT_MOST, self._places * GUESTS_SHARE)

    def enter(self, transport: asyncio.Transport) -> Guest:
        """Register a new connection. If no place is left, another one is closed."""
        ends = ends_of(transport)
        guest = Guest(ends, "", True, transport, self._clock() + REQUEST_WITHIN_S)
        self._here[ends] = guest
        self.name(guest, ends[0][0])
        if not guest.shared and self._guests.of(guest.client) > self._of_one_client:
            self._make_room(guest, guest.client)
        elif len(self._guests) > self._places * GUESTS_SHARE or len(self) > self._places:
            self._make_room(guest, None)
        return guest

    def name(self, guest: Guest, address: str) -> None:
        """Note a connection's client by its address, which a proxy may have told."""
        ip = ip_of(address)
        guest.shared = ip is None or ip.is_loopback or any(ip in proxy for proxy in self.proxies)
        guest.client = client_of(address)
        self._sort(guest)

    def at(self, ends: Ends) -> Guest | None:
        """Return the open connection between two addresses; None if there is none."""
        return self._here.get(ends)

    def leave(self, guest: Guest) -> None:
        """Unregister a closed connection."""
        if self._here.get(guest.ends) is guest:
            del self._here[guest.ends]
        for group in (self._guests, self._idle, self._streams, self._asked):
            group.keep(guest, False)

    def is_open(self, guest: Guest) -> bool:
        """Whether a connection has not been closed."""
        return self._here.get(guest.ends) is guest

    def heard(self, guest: Guest, count: int) -> None:
        """Note that ``count`` bytes of a request came."""
        if guest.heard_by_s is not None:
            most_s = self._clock() + REQUEST_WITHIN_S
            guest.heard_by_s = min(guest.heard_by_s + count / BYTES_PER_S, most_s)

    def heard_all(self, guest: Guest) -> None:
        """Note that a request is whole."""
        guest.heard_by_s = None
        if guest.stage in ("waits", "sends"):
            self._reach(guest, "asked")

    def asks(self, guest: Guest) -> None:
        """Note that the head of another request came, without a right key as yet."""
        guest.keyed = False
        guest.requests += 1
        self._reach(guest, "sends")

    def accept_key(self, guest: Guest) -> None:
        """Note that a request had a right key."""
        guest.keyed = True
        self._sort(guest)

    def answers(self, guest: Guest, *, streams: bool) -> None:
        """Note that an answer begins. Where guests have too many event streams, the oldest one is closed."""
        self._reach(guest, "streams" if streams else "answered")
        if guest.keyed or not streams:
            return
        if not guest.shared and self._streams.of(guest.client) > self._streams_of_one_client:
            self._cut_off(self._streams.oldest(guest.client))
        elif len(self._streams) > self._places * STREAMS_SHARE:
            self._cut_off(self._streams.oldest(None))

    def answered(self, guest: Guest) -> None:
        """Note that an answer is whole: the next request may come."""
        guest.heard_by_s = self._clock() + REQUEST_WITHIN_S
        self._reach(guest, "waits")

    def _reach(self, guest: Guest, stage: Stage) -> None:
        """Set a connection's stage."""
        guest.stage = stage
        self._sort(guest)

    def _sort(self, guest: Guest) -> None:
        """Put a connection into the groups to which it belongs."""
        guests = not guest.keyed and self.is_open(guest)
        self._guests.keep(guest, guests)
        self._idle.keep(guest, guests and guest.stage in ("waits", "sends"))
        self._asked.keep(guest, guests and guest.stage == "asked")
        self._streams.keep(guest, guests and guest.stage == "streams")

    def _make_room(self, newcomer: Guest, client: str | None) -> None:
        """Close a guest's connection: an idle one, else an event stream, else any; the oldest of ``client``,
        or of the client that has most. Where there is no other, the newcomer is closed."""
        for group in (self._idle, self._streams, self._guests):
            oldest = group.oldest(client)
            if oldest is not None and oldest is not newcomer:
                self._cut_off(oldest)
                return
        self._cut_off(newcomer)

    def _cut_off(self, guest: Guest | None) -> None:
        """Close a connection at once."""
        if guest is not None:
            self.leave(guest)
            guest.transport.abort()

    def check(self) -> None:
        """Close the connections that stand still, and those that hold most where all hold too much."""
        now_s, held = self._clock(), 0
        sizes: dict[Guest, int] = {}
        for guest in list(self._here.values()):
            size = guest.transport.get_write_buffer_size()
            guest.look(size, now_s)
            late = (guest.heard_by_s, guest.read_by_s)
            if any(by_s is not None and now_s > by_s for by_s in late):
                self._cut_off(guest)
            else:
                sizes[guest] = size
                held += size
        for guest in sorted(sizes, key=lambda guest: (guest.keyed, -sizes[guest])):
            if held <= HELD_AT_MOST_BYTES:
                break
            held -= sizes[guest]
            self._cut_off(guest)

    async def keep_checking(self) -> None:
        """Call :meth:`check` periodically, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.check()


def ends_of(transport: asyncio.BaseTransport) -> Ends:
    """Return the addresses of a connection."""
    peer, own = (transport.get_extra_info(name) or ("", 0) for name in ("peername", "sockname"))
    return (str(peer[0]), int(peer[1])), (str(own[0]), int(own[1]))
