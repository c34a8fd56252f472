"""Webhooks and broker of one table: started with it, changed by its host, stopped with it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from rich.console import Console

from engine.message import Message
from tilesight.outward.addresses import checked_url, shown_url
from tilesight.outward.options import OutwardOptions, WantedWebhook
from tilesight.outward.signing import new_secret
from web.limits.keys import KeyGuard
from web.table.access import Access, Webhook
from web.table.refusal import NotKept, Refusal
from web.table.squares import SquareTable
from web.table.table import Table, WebhookState

if TYPE_CHECKING:
    from tilesight.outward.post_office import PostOffice

WEBHOOKS = 100
"""Maximum number of webhooks of a table."""


class TableOutward:
    """Context manager that sends a table's events outward (`web.table.table.Outward`).

    The webhooks are kept with the table's keys, in the access of ``guard``. Nothing is started before there
    is a webhook or a broker.
    """

    def __init__(
        self,
        table: Table | SquareTable,
        guard: KeyGuard,
        wanted: OutwardOptions,
        aside: Console,
        outbox: Path | None = None,
    ) -> None:
        """``wanted`` is what the command line says; secrets of its new webhooks are printed on ``aside``.

        ``outbox`` is the file that keeps waiting events over a restart, None for a table without a log.
        """
        self._outbox = outbox
        self._table = table
        self._guard = guard
        self._wanted = wanted
        self._office: PostOffice | None = None
        self._aside = aside

    def __enter__(self) -> Self:
        known = {webhook.url: webhook for webhook in self._guard.access.webhooks}
        changed = [_kept(wanted, known.get(wanted.url)) for wanted in self._wanted.webhooks]
        added = [webhook for webhook in changed if webhook not in known.values()]
        if added:
            self._guard.change(lambda access: _with(access, added))
            given = {wanted.secret for wanted in self._wanted.webhooks}
            given.update(webhook.secret for webhook in known.values())
            _say_secrets([webhook for webhook in added if webhook.secret not in given], self._aside)
        self._follow()
        return self

    def __exit__(self, *_: object) -> None:
        if self._office is not None:
            self._office.stop()

    def webhooks(self) -> tuple[WebhookState, ...]:
        """Return the state of every webhook."""
        return () if self._office is None else self._office.states()

    def broker_connected(self) -> bool | None:
        """Return whether the MQTT broker is connected; None without a broker."""
        return None if self._office is None else self._office.connected

    def add(self, url: str) -> Webhook:
        """Add a webhook with a new secret. Raises Refusal if the address cannot be one, or if there are too
        many."""
        try:
            webhook = _kept(WantedWebhook(checked_url(url)), None)
        except ValueError:
            raise Refusal("bad_webhook", Message("a webhook is http:// or https:// and a host")) from None
        there = self._guard.access.webhooks
        if any(one.url == webhook.url and one.on for one in there):
            raise Refusal("webhook_there", Message("events are sent to this address already"))
        if len(there) >= WEBHOOKS:
            raise Refusal("too_many_webhooks", Message("{most} webhooks are enough", most=WEBHOOKS))
        self._guard.change(lambda access: _with(access, [webhook]))
        self._follow()
        return webhook

    def remove(self, webhook_id: str) -> None:
        """Remove a webhook. Raises Refusal if it is unknown."""
        self._check(webhook_id)
        self._guard.change(
            lambda access: replace(
                access, webhooks=tuple(one for one in access.webhooks if one.id != webhook_id)
            )
        )
        self._follow()

    def test(self, webhook_id: str) -> Future[WebhookState]:
        """Send a test event at once; the result has the state after it. Raises Refusal if the webhook is
        unknown."""
        self._check(webhook_id)
        assert self._office is not None
        return self._office.test(webhook_id)

    def _check(self, webhook_id: str) -> None:
        """Raise Refusal if there is no such webhook."""
        if all(one.id != webhook_id for one in self.webhooks()):
            raise Refusal("unknown_webhook", Message("there is no such webhook any more"))

    def _follow(self) -> None:
        """Send to the webhooks that are kept now; start to send if this is the first."""
        webhooks = self._guard.access.webhooks
        if self._office is not None:
            self._office.follow(webhooks)
        elif webhooks or self._wanted.broker is not None:
            # Imported here: most tables send nothing, and the clients take a while.
            from tilesight.outward.post_office import PostOffice

            networks, address = self._wanted.networks, self._wanted.broker
            office = PostOffice(self._table, networks, address, self._switch_off, self._outbox)
            office.start(webhooks)
            self._office = office

    def _switch_off(self, webhook_id: str) -> None:
        """Keep that a webhook's address is gone."""

        def switched_off(access: Access) -> Access:
            """Return the access with that webhook off."""
            hooks = (replace(one, on=False) if one.id == webhook_id else one for one in access.webhooks)
            return replace(access, webhooks=tuple(hooks))

        with contextlib.suppress(NotKept):  # it stays off until the table's end
            self._guard.change(switched_off)


def _kept(wanted: WantedWebhook, known: Webhook | None) -> Webhook:
    """Return the webhook to keep for one that is wanted: the ``known`` one, unless its secret changes."""
    if known is not None and wanted.secret in (None, known.secret):
        return replace(known, on=True)
    return Webhook(secrets.token_hex(6), wanted.url, wanted.secret or new_secret())


def _with(access: Access, added: list[Webhook]) -> Access:
    """Return an access with more webhooks; each takes the place of one with the same address."""
    urls = {webhook.url for webhook in added}
    return replace(access, webhooks=(*(one for one in access.webhooks if one.url not in urls), *added))


def _say_secrets(webhooks: Sequence[Webhook], aside: Console) -> None:
    """Print the secrets of new webhooks, this once, on a terminal. Elsewhere, where they would be in a log,
    print how to get one."""
    for webhook in webhooks:
        shown = shown_url(webhook.url)
        if aside.is_terminal:
            secret = f"Its signing secret, shown this once: {webhook.secret}"
            aside.print(f"New webhook {shown}. {secret}", soft_wrap=True)
        else:
            aside.print(
                f"New webhook {shown}. Its signing secret is shown on a terminal alone: give one with the "
                "address in --webhook @FILE, or remove it on the host's page and add it there.",
                soft_wrap=True,
            )
