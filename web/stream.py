"""A feed as server-sent events: live, with what was missed first, and a heartbeat while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from web.feed import Event, Feed

HEARTBEAT_S = 15.0
RETRY_MS = 1500
# A phone that has not read this many events is asleep; it is cut off and comes back with Last-Event-ID.
QUEUE_LIMIT = 500


def parse_last_event_id(text: str | None) -> int | None:
    """The number a returning client saw last; None where it says none or nonsense."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    return int(text)


async def event_stream(
    feed: Feed, last_event_id: int | None, *, heartbeat_s: float = HEARTBEAT_S
) -> AsyncIterator[str]:
    """Yield the text of one phone's event stream until the feed closes or the phone goes.

    With ``last_event_id`` every kept event after it comes first, once each.  An id from the future means
    that the
    table was started again: then all kept events come.  Each event is stamped with ``t_sent_s`` as it leaves.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def hand_over(event: Event | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, event)

    if last_event_id is not None and last_event_id > feed.last_id:
        last_event_id = 0
    missed, stop = feed.listen(hand_over, after=last_event_id)
    try:
        yield f"retry: {RETRY_MS}\n: the table is listening\n\n"
        for event in missed:
            yield event.wire(feed.clock())
        while queue.qsize() <= QUEUE_LIMIT:
            try:
                next_event = await asyncio.wait_for(queue.get(), heartbeat_s)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if next_event is None:
                return
            yield next_event.wire(feed.clock())
    finally:
        stop()
