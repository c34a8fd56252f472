"""Post office: the thread that sends a table's events to all webhooks and to the broker."""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tilesight.outward.addresses import Network
from tilesight.outward.broker import Broker
from tilesight.outward.broker_address import BrokerAddress
from tilesight.outward.delivery import Delivery, Outcome
from tilesight.outward.mailbox import Mailbox
from tilesight.outward.outbox import Letter, Outbox
from web.table.access import Webhook
from web.table.feed import FeedEvent
from web.table.squares import SquareTable
from web.table.table import Table, WebhookState

START_WITHIN_S = 10.0
"""Seconds within which the thread must have started, or done what it was told."""
LOOKUPS = 32
"""Number of names that are looked up at once, so that slow ones hold up no others."""
LAST_S = 3.0
"""Seconds at the end of the table for events that wait."""
TEST = '{"id":0,"type":"test","frame":null,"t_frame_s":null,"t_sent_s":%.4f}'
"""Body of the event that a host sends to try a webhook."""


class PostOffice:
    """Sends the events of ``table`` from `start` to `stop`. Methods may be called from any thread.

    ``networks`` are private networks that webhooks may reach. ``on_gone`` is called, in a thread of its own,
    with the id of a webhook whose address answered 410.
    """

    def __init__(
        self,
        table: Table | SquareTable,
        networks: Sequence[Network],
        broker: BrokerAddress | None,
        on_gone: Callable[[str], None],
        outbox: Path | None,
    ) -> None:
        """``outbox`` is the file of the events that wait for webhooks, None to keep them in memory."""
        self._table = table
        self._outbox_path = outbox
        self._outbox: Outbox
        self._on_gone = on_gone
        self._run = secrets.token_hex(8)
        self._delivery = Delivery(networks)
        self._broker = None if broker is None else Broker(broker, lambda: self._later(self._introduce))
        self._mailboxes: tuple[Mailbox, ...] = ()
        self._loop: asyncio.AbstractEventLoop
        self._stopping = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._work, name="outward", daemon=True)

    @property
    def connected(self) -> bool | None:
        """Whether the broker is connected; None without a broker."""
        return None if self._broker is None else self._broker.connected

    def start(self, webhooks: Sequence[Webhook]) -> None:
        """Start to send events to these webhooks and to the broker."""
        self._thread.start()
        self._ready.wait(START_WITHIN_S)
        self.follow(webhooks)

    def follow(self, webhooks: Sequence[Webhook]) -> None:
        """Send to these webhooks from now on; events that wait for one of them go on waiting."""
        asyncio.run_coroutine_threadsafe(self._follow(webhooks), self._loop).result(START_WITHIN_S)

    def states(self) -> tuple[WebhookState, ...]:
        """Return the state of every webhook."""
        return tuple(mailbox.state() for mailbox in self._mailboxes)

    def test(self, webhook_id: str) -> Future[WebhookState]:
        """Send a test event to a webhook at once; the result is its state after that."""
        mailbox = next(one for one in self._mailboxes if one.webhook.id == webhook_id)
        return asyncio.run_coroutine_threadsafe(self._test(mailbox), self._loop)

    def stop(self) -> None:
        """Stop, after `LAST_S` seconds at most for events that wait."""
        self._later(self._stopping.set)
        self._thread.join(LAST_S + START_WITHIN_S)

    def _work(self) -> None:
        """Run the loop until stopped."""
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        """Follow the feed until stopped; then give waiting events a last chance."""
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox(self._outbox_path)
        self._loop.set_default_executor(ThreadPoolExecutor(LOOKUPS, "outward look-up"))
        _, leave = self._table.watch().listen(self._on_event)
        if self._broker is not None:
            self._broker.start()
        self._ready.set()
        await self._stopping.wait()
        leave()
        ends_s = time.monotonic() + LAST_S
        while time.monotonic() < ends_s and not all(one.settled for one in self._mailboxes):
            await asyncio.sleep(0.02)
        for mailbox in self._mailboxes:
            mailbox.stop()
        self._outbox.close()
        if self._broker is not None:
            self._broker.close()

    def _on_event(self, event: FeedEvent | None) -> None:
        """Pass an event on to the loop. Called in the publishing thread."""
        if event is not None:
            self._later(self._take, event)

    def _later(self, function: Callable[..., None], *args: object) -> None:
        """Call a function in the loop, from any thread; nothing after the loop has ended."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)

    def _take(self, event: FeedEvent) -> None:
        """Queue an event for every webhook, and tell the broker."""
        letter = Letter(f"{self._run}-{event.id}", event)
        for mailbox in self._mailboxes:
            mailbox.put(letter)
        if self._broker is not None:
            self._broker.show(self._table.state(), self._table.questions())
            self._broker.tell(event, self._table.watch().clock())

    def _introduce(self) -> None:
        """Tell the broker everything that it retains."""
        if self._broker is not None:
            self._broker.introduce(self._table.state(), self._table.questions())

    async def _follow(self, webhooks: Sequence[Webhook]) -> None:
        """Keep the mailboxes of ``webhooks``, make those that are new, and stop the others."""
        known = {mailbox.webhook: mailbox for mailbox in self._mailboxes}
        self._mailboxes = tuple(
            known.pop(webhook) if webhook in known else Mailbox(webhook, self._outbox, self._send, self._gone)
            for webhook in webhooks
        )
        for mailbox in known.values():
            mailbox.stop()
        self._outbox.keep_only({webhook.id for webhook in webhooks})

    async def _send(self, webhook: Webhook, letter: Letter | None) -> Outcome:
        """Send an event to a webhook, None for a test."""
        now_s = self._table.watch().clock()
        text = TEST % now_s if letter is None else letter.event.json_sent(now_s)
        id_ = f"{self._run}-{secrets.token_hex(4)}" if letter is None else letter.id
        return await self._delivery.send(webhook, id_, text.encode())

    async def _test(self, mailbox: Mailbox) -> WebhookState:
        """Send a test event, and return the webhook's state after it."""
        await mailbox.send(None)
        return mailbox.state()

    def _gone(self, webhook_id: str) -> None:
        """Report a webhook whose address is gone, in another thread: it is written to the disk."""
        self._loop.run_in_executor(None, self._on_gone, webhook_id)
