"""A feed as server-sent events: live, with what was missed first, and a heartbeat while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from web.tables.feed import Event, Feed

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
) -> AsyncGenerator[str, None]:
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


class EventResponse(Response):
    """Sends a stream of event texts until it ends or the phone leaves, and closes it at once then."""

    media_type = "text/event-stream"

    def __init__(self, stream: AsyncGenerator[str, None], status_code: int = 200) -> None:
        super().__init__(
            status_code=status_code, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        del self.headers["content-length"]
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            sending.cancel()
            # A phone that is gone while something is sent to it is nothing to complain about.
            with suppress(asyncio.CancelledError, OSError):
                await sending

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._stream) as stream:
            async for text in stream:
                await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
