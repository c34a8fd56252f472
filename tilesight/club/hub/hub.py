"""Hub of a club: its threads fold games and look at what has changed; WebSockets and pages are served beside.

It may be killed at any moment: its data is in the database, or is sent again.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from engine.message import Message
from tilesight.club.credentials import KeyRing
from tilesight.club.database.models import Game
from tilesight.club.hub.cards import Cards, Changed
from tilesight.club.hub.copies import Copies
from tilesight.club.hub.folding import Folding
from tilesight.club.hub.forgetting import Forgetting, Log
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.presence import Presence
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets.link_keys import LinkKeys
from tilesight.club.hub.sockets.link_sockets import LinkSockets
from tilesight.club.hub.sockets.table_socket import Desk
from tilesight.club.messages import COMMAND_BYTES, Command, Status
from web.club.views import ClubHealth, ClubTable, CommandAnswer, DashboardSource
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.club.hub")

LOOK_S = 2.0
"""Seconds between two looks at what has fallen silent or was removed."""
RECENT_S = 86_400.0
"""Age of games that are told of again when the hub starts."""


class Hub:
    """The club's hub (web.club.views.Club), running within a ``with`` block.

    ``changed`` is called at every change; games without news for ``keep_days`` are removed (None: never).
    """

    def __init__(
        self,
        engine: Engine,
        keys: KeyRing,
        changed: Changed = lambda table: None,
        phones: PhoneTables | None = None,
        keep_days: int | None = None,
    ) -> None:
        """``keys`` are those of tables and workers, ``phones`` the tables without a computer."""
        self._forgetting = Forgetting(engine, keep_days)
        self._records = Records(engine)
        self._presence = Presence()
        self._copies = Copies(self._presence)
        self._cards = Cards(self._presence, self._heard)
        self._changed = changed
        self._phones = phones or PhoneTables(engine)
        self._folding = Folding(self._records, self._cards.show)
        desk = Desk(self._records, self._folding.add, self._hear_status, self._presence.see)
        self.sockets = LinkSockets(desk, LinkKeys(keys), self._phones)
        """WebSockets of tables and workers."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="club: watch", daemon=True)

    def __enter__(self) -> Hub:
        for table, log_id in self._records.named().items():
            self._cards.name(table, log_id)
        for game in self._records.current():
            self._cards.show(game)
        for game in self._records.ended(time.time() - RECENT_S):  # what these came to was perhaps not told
            self._cards.show(game)
        self._phones.attach(self._cards.show_phone, self.sockets.assignments)
        self._folding.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
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
        if len(command.encoded()) > COMMAND_BYTES:
            raise Refusal("too_large", Message("that is more than a table takes"))
        try:
            reply = self.sockets.ask(table, command)
        except (OSError, TimeoutError):
            raise Refusal("table_away", Message("the table does not answer the hub")) from None
        return CommandAnswer(reply.status, reply.body)

    def health(self) -> ClubHealth:
        """Return the state of the hub."""
        wrong = []
        try:
            counts: dict[str, float] = dict(self._records.counts())
        except SQLAlchemyError:
            counts = {}
            wrong.append("database")
        counts.update(self.sockets.counts())
        if not self.sockets.desk.database_works and not wrong:
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

    def _hear_status(self, table: str, status: Status) -> None:
        """Show a table's status if it differs from the last one, and the game that it names."""
        if self._cards.name(table, status.game):
            _show_named(self._cards, self._records, table, status.game)
        if self._presence.hear(table, status):
            self._cards.show_again(table)

    def _watch(self) -> None:
        """Update the cards of tables that fall silent, and of those whose games were removed."""
        while not self._stopping.wait(LOOK_S):
            for card in self.tables():
                if card.connection in ("there", "lost") and not self._presence.is_there(card.id):
                    self._cards.show_again(card.id)
            try:
                for one in self._forgetting.removed():
                    _gone(self._cards, self._copies, self._records, one)
            except SQLAlchemyError as error:
                log.info("nothing is removed now: %s", type(error).__name__)


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
