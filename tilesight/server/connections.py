"""Connection limits of the server: places for guests and for key holders, event streams, and progress.

A connection whose request has no right key is a guest's. Guests may take a share of the places, and their
event streams a share of those; the rest is reserved for holders of a key. A key is only known after the first
request, so a new connection is always accepted. If no place is left, a guest's connection is closed: an idle
one if possible, and the oldest one of the client with the most connections.

The total time of a transfer is not limited. Each byte that arrives or is read gives its connection more time.
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
"""Transfer rate in bytes per second above which a connection is never closed as stalled."""
REQUEST_WITHIN_S = 12.0
"""Seconds without progress after which an incomplete request is closed."""
READ_WITHIN_S = 60.0
"""Seconds without progress after which an answer that is not read is closed."""
LOOK_EVERY_S = 2.0
"""Seconds between two checks for stalled connections."""
PLACES_AT_MOST = 800
"""Maximum number of connections. With the program's other files the descriptors stay below 1024, because
OpenCV waits for some cameras with select(), which supports no higher ones."""
KEPT_FREE = 200
"""Number of descriptors reserved for pictures, logs and libraries."""
GUESTS_SHARE = 0.75
"""Share of the places that guests may take, including connections that have not sent a request yet."""
STREAMS_SHARE = 0.5
"""Share of the places that guests' event streams may take."""
PLACES_OF_ONE_CLIENT = 100
"""Maximum number of guests' connections per client: an IPv4 address or an IPv6 /64 network. Addresses of this
machine and of a proxy in front of the table have no such limit, because they stand for many users. A server
with more than `PLACES_AT_MOST` places gives a client proportionally more connections and event streams."""
STREAMS_OF_ONE_CLIENT = 60
"""Maximum number of guests' event streams per client."""
HELD_AT_MOST_BYTES = 64 * 1024 * 1024
"""Maximum size of all unread answers together, in bytes."""

ASKED_AT_MOST = 300
"""Maximum number of guests' requests whose answers have not begun. Further requests are refused before they
are parsed."""
Stage = Literal["waits", "sends", "asked", "answered", "streams"]
"""Stage of a connection: it waits for the head of a request ("waits") or for its body ("sends"), the answer
has not begun ("asked") or has begun ("answered"), or it is an event stream ("streams")."""
Ends = tuple[tuple[str, int], tuple[str, int]]
"""Address and port of a connection's peer, and those of this server."""


def max_connections(at_most: int = PLACES_AT_MOST) -> int:
    """Return the number of connections that this process can hold beside its other open files.

    It is at most ``at_most``. The process's limit of open files is raised if the system allows it.
    """
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
    """One connection, of a guest or of a holder of a key.

    ``shared`` is true if its client stands for many users, ``keyed`` if the latest request had a right key.
    ``heard_by_s`` is the time by which more of a request must arrive, ``read_by_s`` the time by which more of
    an answer must be read (monotonic seconds; None if nothing is awaited). ``unread`` counts the bytes of
    answers that were unread at the last check, and those written since. ``requests`` counts the heads of
    requests that arrived.
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
        """Extend the connection's time by its progress since the last check.

        ``size`` is the number of bytes that are still unread, ``now_s`` the monotonic time in seconds.
        """
        if not size:
            self.read_by_s, self.unread = None, 0
        else:
            read_s = max(self.unread - size, 0) / BYTES_PER_S
            most_s = now_s + READ_WITHIN_S
            self.read_by_s = most_s if self.read_by_s is None else min(self.read_by_s + read_s, most_s)
            self.unread = size
        if self.heard_by_s is not None and (size or not self.transport.is_reading()):
            self.heard_by_s = now_s + REQUEST_WITHIN_S  # the client is busy, or this server is not reading


class _Group:
    """Connections grouped by client, each group oldest first."""

    def __init__(self) -> None:
        self._of: dict[str, dict[Guest, None]] = {}
        self._clients: dict[Guest, str] = {}

    def __len__(self) -> int:
        return len(self._clients)

    def keep(self, guest: Guest, belongs: bool) -> None:
        """Add a connection if it ``belongs`` here, otherwise remove it.

        A connection that is here already keeps its position unless its client has changed.
        """
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
        """Return the number of a client's connections."""
        return len(self._of.get(client, ()))

    def oldest(self, client: str | None) -> Guest | None:
        """Return the oldest connection of a client, or None if there is none.

        With None as ``client``, the client with the most connections is taken.
        """
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
        """Limit the connections to ``places``, and those of one client to ``of_one_client``.

        ``proxies`` are the addresses of reverse proxies. ``knows_key(key)`` returns whether a key may be
        right; a request with such a key is never refused unparsed. ``clock`` returns monotonic seconds.
        """
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
        """Whether further requests of guests are refused, because too many wait for an answer."""
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
        """Record the address of a connection's client. For a proxy's connection, the proxy reports it."""
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
        """Whether a connection is still open."""
        return self._here.get(guest.ends) is guest

    def heard(self, guest: Guest, count: int) -> None:
        """Record that ``count`` bytes of a request arrived."""
        if guest.heard_by_s is not None:
            most_s = self._clock() + REQUEST_WITHIN_S
            guest.heard_by_s = min(guest.heard_by_s + count / BYTES_PER_S, most_s)

    def heard_all(self, guest: Guest) -> None:
        """Record that a request is complete."""
        guest.heard_by_s = None
        if guest.stage in ("waits", "sends"):
            self._reach(guest, "asked")

    def asks(self, guest: Guest) -> None:
        """Record that the head of another request arrived; its key is not yet checked."""
        guest.keyed = False
        guest.requests += 1
        self._reach(guest, "sends")

    def accept_key(self, guest: Guest) -> None:
        """Record that a request had a right key."""
        guest.keyed = True
        self._sort(guest)

    def answers(self, guest: Guest, *, streams: bool) -> None:
        """Record that an answer begins.

        If guests then have too many event streams, the oldest of them is closed.
        """
        self._reach(guest, "streams" if streams else "answered")
        if guest.keyed or not streams:
            return
        if not guest.shared and self._streams.of(guest.client) > self._streams_of_one_client:
            self._cut_off(self._streams.oldest(guest.client))
        elif len(self._streams) > self._places * STREAMS_SHARE:
            self._cut_off(self._streams.oldest(None))

    def answered(self, guest: Guest) -> None:
        """Record that an answer is complete: the next request may come."""
        guest.heard_by_s = self._clock() + REQUEST_WITHIN_S
        self._reach(guest, "waits")

    def _reach(self, guest: Guest, stage: Stage) -> None:
        """Set a connection's stage."""
        guest.stage = stage
        self._sort(guest)

    def _sort(self, guest: Guest) -> None:
        """Put a connection into the groups of its stage."""
        guests = not guest.keyed and self.is_open(guest)
        self._guests.keep(guest, guests)
        self._idle.keep(guest, guests and guest.stage in ("waits", "sends"))
        self._asked.keep(guest, guests and guest.stage == "asked")
        self._streams.keep(guest, guests and guest.stage == "streams")

    def _make_room(self, newcomer: Guest, client: str | None) -> None:
        """Close a guest's connection: an idle one, else an event stream, else any.

        It is the oldest of ``client``, or, for None, of the client with the most connections. If there is no
        other connection, the newcomer is closed.
        """
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
        """Close stalled connections, and those with the most unread bytes if there are too many in all."""
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
    """Return the addresses and ports of a connection's two ends."""
    peer, own = (transport.get_extra_info(name) or ("", 0) for name in ("peername", "sockname"))
    return (str(peer[0]), int(peer[1])), (str(own[0]), int(own[1]))
