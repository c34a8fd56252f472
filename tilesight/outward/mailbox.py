"""Mailbox of one webhook: a bounded queue of events, delivered in order, each again until it arrives."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

from tilesight.outward.addresses import shown_url
from tilesight.outward.delivery import Outcome
from tilesight.outward.outbox import Letter, Outbox
from web.table.access import Webhook
from web.table.table import WebhookState

BODY_LIMIT_BYTES = 256 * 1024
"""Maximum size of an event that is sent. No event comes near it."""
QUEUE_LIMIT = 500
"""Maximum number of waiting events of a webhook; the oldest is dropped for a new one."""
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 300.0
"""Seconds until the second try, doubled for each further one, and their maximum."""
REFUSED_TRIES = 5
"""Number of refusals (3xx and most 4xx) of one event after which it is given up."""
GONE = 410
"""HTTP status that switches a webhook off."""
LATER = (408, 425, 429)
"""HTTP statuses between 400 and 499 that ask for another try, as often as it takes."""

Send = Callable[[Webhook, Letter | None], Awaitable[Outcome]]
"""Function that sends one event to one webhook, None for a test."""


def wait_s(tries: int, chance: Callable[[float, float], float] = random.uniform) -> float:
    """Return the seconds to wait after ``tries`` failed tries: exponential, of which a random half to all."""
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(tries - 1, 20))
    return chance(0.5, 1.0) * longest


def is_refusal(outcome: Outcome) -> bool:
    """Whether a webhook refuses this very event, so that further tries are likely to fail, too."""
    status = outcome.status or 0
    return 300 <= status < 500 and status not in LATER


class Mailbox:
    """Queue of one webhook and the task that empties it. Use it in one event loop.

    It begins with the events that waited in ``outbox`` before a restart. ``on_gone`` is called with the
    webhook's id when its address answers 410.
    """

    def __init__(self, webhook: Webhook, outbox: Outbox, send: Send, on_gone: Callable[[str], None]) -> None:
        self.webhook = webhook
        self._outbox = outbox
        self._send = send
        self._on_gone = on_gone
        self._letters: deque[Letter] = deque(outbox.waiting(webhook.id) if webhook.on else ())
        self._filled = asyncio.Event()
        if self._letters:
            self._filled.set()
        self._latest = Outcome()
        self._delivered = self._dropped = self._refused = 0
        self._task = asyncio.create_task(self._deliver())

    @property
    def settled(self) -> bool:
        """Whether no event waits, or the latest delivery failed."""
        return not self._letters or bool(self._latest.problem)

    def state(self) -> WebhookState:
        """Return the state of the webhook."""
        return WebhookState(
            id=self.webhook.id,
            shown=shown_url(self.webhook.url),
            on=self.webhook.on,
            waiting=len(self._letters),
            delivered=self._delivered,
            dropped=self._dropped,
            refused=self._refused,
            problem=self._latest.problem,
            status=self._latest.status,
        )

    def put(self, letter: Letter) -> None:
        """Queue an event; a full queue drops its oldest one. Nothing is queued while the webhook is off."""
        if not self.webhook.on:
            return
        if len(letter.event.body.encode()) > BODY_LIMIT_BYTES:
            self._dropped += 1
            return
        if len(self._letters) >= QUEUE_LIMIT:
            self._outbox.remove(self._letters.popleft())
            self._dropped += 1
        self._letters.append(self._outbox.add(self.webhook.id, letter))
        self._filled.set()

    async def send(self, letter: Letter | None) -> Outcome:
        """Send one event, or a test for None, outside of the queue, and return its outcome."""
        self._latest = outcome = await self._send(self.webhook, letter)
        if outcome.status == GONE and self.webhook.on:
            self.webhook = replace(self.webhook, on=False)
            self._on_gone(self.webhook.id)
        return outcome

    def stop(self) -> None:
        """Stop delivering; waiting events stay in the outbox."""
        self._task.cancel()

    async def _deliver(self) -> None:
        """Deliver events in order, until cancelled or the address is gone."""
        while self.webhook.on:
            await self._filled.wait()
            await self._arrive(self._letters[0])
            if not self._letters:
                self._filled.clear()

    async def _arrive(self, letter: Letter) -> None:
        """Send ``letter`` until it arrives, is given up, or was dropped from the queue."""
        tries = refusals = 0
        while self._letters and self._letters[0] is letter:
            outcome = await self.send(letter)
            tries += 1
            refusals += is_refusal(outcome)
            if outcome.status == GONE:
                while self._letters:
                    self._outbox.remove(self._letters.popleft())
            elif not outcome.problem:
                self._delivered += 1
            elif refusals >= REFUSED_TRIES:
                self._refused += 1
            else:
                await asyncio.sleep(wait_s(tries))
                continue
            if self._letters and self._letters[0] is letter:
                self._outbox.remove(self._letters.popleft())
