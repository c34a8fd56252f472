"""Hub of a club: one thread for NATS, one that folds games; pages read from threads of their own.

It may be killed at any moment: its data is in the stream and the database, or is sent again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from engine.message import Message
from tilesight.club.connection import Address, connected, keep_buckets
from tilesight.club.database.models import Game
from tilesight.club.hub.cards import Cards, Changed
from tilesight.club.hub.copies import Copies
from tilesight.club.hub.folding import Folding
from tilesight.club.hub.forgetting import Forgetting, Log, keep_forgetting
from tilesight.club.hub.intake import Intake
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.presence import Presence
from tilesight.club.hub.records import Records
from tilesight.club.messages import (
    COMMAND_BYTES,
    STATUS_BYTES,
    Command,
    MessageError,
    Reply,
    Status,
    read_message,
)
from tilesight.club.subjects import PREVIEWS, STATUSES, table_subject, words_of
from web.club.views import ClubHealth, ClubTable, CommandAnswer, DashboardSource
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.club.hub")

COMMAND_S = 8.0
"""Seconds within which a table answers a command."""
LOOK_S = 2.0
"""Seconds between two looks at who has fallen silent."""
RECENT_S = 86_400.0
"""Age of games that are told of again when the hub starts."""
RETRY_S = 1.0
"""Seconds after which a database that did not answer is asked again."""


class Hub:
    """The club's hub (web.club.views.Club), running within a ``with`` block.

    ``changed`` is called at every change; games without news for ``keep_days`` are removed (None: never).
    """

    def __init__(
        self,
        engine: Engine,
        address: Address,
        changed: Changed = lambda table: None,
        phones: PhoneTables | None = None,
        keep_days: int | None = None,
    ) -> None:
        """``phones`` are the tables without a computer."""
        self._forgetting, self._keep_days = Forgetting(engine), keep_days
        self._records = Records(engine)
        self._address = address
        self._presence = Presence()
        self._copies = Copies(self._presence)
        self._cards = Cards(self._presence, self._heard)
        self._changed = changed
        self._phones = phones or PhoneTables(engine)
        self._folding = Folding(self._records, self._cards.show)
        self._stopping = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._client: Client | None = None
        self._intake: Intake | None = None
        self._thread = threading.Thread(target=self._talk, name="club: NATS", daemon=True)

    def __enter__(self) -> Hub:
        for table, log_id in self._records.named().items():
            self._cards.name(table, log_id)
        for game in self._records.current():
            self._cards.show(game)
        for game in self._records.ended(time.time() - RECENT_S):  # what these came to was perhaps not told
            self._cards.show(game)
        self._phones.attach(self._cards.show_phone)
        self._folding.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop_talking)
        self._thread.join(5)
        self._folding.stop()

    # -- what the pages ask (web.club.views.Club)

    @property
    def version(self) -> int:
        """A number that increases with every change of a table."""
        return self._cards.version

    def tables(self) -> Sequence[ClubTable]:
        """Return all tables, by id."""
        return self.since(0)[1]

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """Return the current version, and the tables that changed since another."""
        return self._cards.since(version)

    def state(self, table: str) -> Mapping[str, Any]:
        """Return the state of a table's latest game. Raises Refusal."""
        game = self._game(table)
        if game.state is None:
            raise Refusal("unknown_state", Message("the hub cannot tell this game"))
        return game.state

    def dashboard_source(self, table: str) -> DashboardSource:
        """Return a table's latest game as its dashboard shows it now. Raises Refusal."""
        game = self._game(table)
        return self._copies.shown(game, partial(self._records.entries, game.id))

    def preview(self, table: str) -> bytes:
        """Return the latest small picture (JPEG) of a table's camera. Raises Refusal."""
        jpeg = self._presence.of(table).preview if self._presence.is_there(table) else None
        if jpeg is None:
            raise Refusal("unknown_picture", Message("there is no picture of this table"))
        return jpeg

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
        """Forward a request to a table and return its reply. Raises Refusal if it does not answer."""
        self._game(table)
        command = Command(id=secrets.token_hex(8), path=path, body=dict(body))
        data = command.encoded()
        if len(data) > COMMAND_BYTES:
            raise Refusal("too_large", Message("that is more than a table takes"))
        asked = asyncio.run_coroutine_threadsafe(self._ask(table, data), self._loop)
        try:
            reply = read_message(Reply, asked.result(COMMAND_S + 2), COMMAND_BYTES)
        except (NatsError, OSError, TimeoutError, MessageError):
            raise Refusal("table_away", Message("the table does not answer the hub")) from None
        return CommandAnswer(reply.status, reply.body)

    def health(self) -> ClubHealth:
        """Return the state of the hub."""
        wrong = []
        if self._client is None or not self._client.is_connected or not (self._intake and self._intake.works):
            wrong.append("nats")
        try:
            counts: dict[str, float] = dict(self._records.counts())
        except SQLAlchemyError:
            counts = {}
            wrong.append("database")
        cards = self.tables()
        counts["tables_there"] = sum(card.connection == "there" for card in cards)
        counts["tables_lost"] = sum(card.connection == "lost" for card in cards)
        counts["tables_away"] = sum(card.connection == "away" for card in cards)
        counts["questions"] = sum(len(card.asked) for card in cards)
        counts["games_to_fold"] = self._folding.waiting
        counts["fold_lag_s"] = round(self._folding.waiting_s, 3)
        return ClubHealth(tuple(wrong), counts)

    def _heard(self, card: ClubTable) -> None:
        """Publish a changed card."""
        self._copies.tell(card.id, card.log)
        self._changed(card)

    def _game(self, table: str) -> Game:
        """Return the latest game of a table. Raises Refusal."""
        number = self._cards.game_of(table)
        found = self._records.games([number]) if number is not None else []
        if not found:
            raise Refusal("unknown_table", Message("there is no such table"))
        return found[0]

    # -- NATS

    def _talk(self) -> None:
        """Run the connection's event loop until stopped; reconnect after errors."""
        asyncio.set_event_loop(self._loop)
        while not self._stopping.is_set():
            try:
                self._loop.run_until_complete(self._converse())
            except asyncio.CancelledError:
                break
            except Exception:  # nothing that a table sends may end it
                log.exception("the hub's connection begins anew")
                self._stopping.wait(RETRY_S)
        self._loop.close()

    def _stop_talking(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()

    async def _converse(self) -> None:
        """Run all NATS tasks on one connection."""
        self._client = client = await connected(self._address, "hub")
        try:
            await client.subscribe(STATUSES, cb=self._hear)
            await client.subscribe(PREVIEWS, cb=self._see)
            self._intake = Intake(client.jetstream(), self._records, self._folding.add)
            gone = partial(_gone, self._cards, self._copies, self._records)
            async with asyncio.TaskGroup() as tasks:  # one that fails ends the others
                for one in (
                    self._intake.run(),
                    self._watch(),
                    keep_buckets(client.jetstream()),
                    self._phones.attend(client),
                    keep_forgetting(self._forgetting, client.jetstream(), self._keep_days, gone),
                ):
                    tasks.create_task(one)
        finally:
            with contextlib.suppress(NatsError, OSError, TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(client.close(), 2)

    async def _ask(self, table: str, data: bytes) -> bytes:
        """Send a request to a table and return its reply."""
        if self._client is None:
            raise NoRespondersError
        answer = await self._client.request(table_subject(table, "command"), data, timeout=COMMAND_S)
        return bytes(answer.data)

    async def _hear(self, message: Msg) -> None:
        """Handle a table's status message."""
        with contextlib.suppress(MessageError, ValueError):
            table, _ = words_of(message.subject)
            status = read_message(Status, message.data, STATUS_BYTES)
            if self._cards.name(table, status.game):
                await asyncio.to_thread(_show_named, self._cards, self._records, table, status.game)
            if self._presence.hear(table, status):
                self._cards.show_again(table)

    async def _see(self, message: Msg) -> None:
        """Handle a table's small picture."""
        with contextlib.suppress(ValueError):
            self._presence.see(words_of(message.subject)[0], message.data)

    async def _watch(self) -> None:
        """Update the cards of tables that fall silent, or have been silent for long."""
        while True:
            await asyncio.sleep(LOOK_S)
            for card in self.tables():
                if card.connection in ("there", "lost") and not self._presence.is_there(card.id):
                    self._cards.show_again(card.id)


def _show_named(cards: Cards, records: Records, table: str, log_id: str) -> None:
    """Store and show the game that a table names as the one in play."""
    try:
        for game in records.keep_named(table, log_id):
            cards.show(game)
    except SQLAlchemyError as error:
        log.warning("the game in play at %s is not stored (%s)", table, type(error).__name__)


def _gone(cards: Cards, copies: Copies, records: Records, one: Log) -> None:
    """Show the game before a removed one, if its table has one."""
    cards.forget(*one)
    copies.forget(*one)
    for game in records.games_of(one.table, 1):
        cards.show(game)
