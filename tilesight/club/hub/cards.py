"""Cards of tables: the game in the database combined with the table's last status."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, cast

from tilesight.club.database.models import Game
from tilesight.club.hub.presence import AWAY_AFTER_S, Presence
from tilesight.club.messages import Asked, retold
from web.club.views import ClubPlayer, ClubTable, Connection, Moment, OpenOption, OpenQuestion
from web.table.camera_status import CameraStatus, Seeing

Changed = Callable[[ClubTable], None]
"""Function that is called with a table's card after each change, in the thread that changed it."""


class Cards:
    """The cards of all tables, with the order in which they changed. Thread-safe."""

    def __init__(self, presence: Presence, changed: Changed, clock: Callable[[], float] = time.time) -> None:
        self._presence = presence
        self._changed = changed
        self._clock = clock
        self._cards: dict[str, tuple[int, ClubTable]] = {}
        self._games: dict[str, Game] = {}
        self._named: dict[str, str] = {}
        self._phones: dict[str, ClubTable] = {}
        self._lock = threading.Lock()
        self.version = 0
        """A number that grows with every change."""

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """Return the current version, and the cards that changed after ``version``, sorted by id. A version
        that is too high (from before the hub restarted) counts as 0: all cards."""
        with self._lock:
            known = version if version <= self.version else 0  # the hub was started again
            changed = sorted((name, card) for name, (n, card) in self._cards.items() if n > known)
            return self.version, [card for _, card in changed]

    def game_of(self, table: str) -> int | None:
        """Return the database id of a table's current game; None if it has none."""
        game = self._games.get(table)
        return None if game is None else game.id

    def name(self, table: str, log: str) -> bool:
        """Take the log that a table names as that of its game in play. Return True if it is another one than
        before."""
        with self._lock:
            before = self._named.get(table)
            self._named[table] = log
            return before != log

    def show(self, game: Game) -> None:
        """Show a game if it is its table's current one; of another game, only its end is published."""
        card = card_of(game, self._presence)
        with self._lock:
            if not self._is_current(game):
                new: ClubTable | None = card if game.over else None
            else:
                self._games[game.table_id] = game
                card = self._with_phone(card)
                new = self._keep(card)
        if new is not None:
            self._changed(new)

    def _is_current(self, game: Game) -> bool:
        """Whether a game is its table's current one: the one that the table names, else the one that was
        heard of last."""
        shown, named = self._games.get(game.table_id), self._named.get(game.table_id)
        if shown is None or game.log_id in (shown.log_id, named):
            return True
        return shown.log_id != named and _heard(game) > _heard(shown)

    def show_phone(self, table: ClubTable) -> None:
        """Show a table without a computer by this card, until it has a game."""
        with self._lock:
            self._phones[table.id] = table
            if table.phone == "closed" and table.id not in self._cards:
                return
            card = self._with_phone(card_of(self._cards.get(table.id, (0, table))[1], self._presence))
            new = self._keep(card)
        if new:
            self._changed(card)

    def _with_phone(self, card: ClubTable) -> ClubTable:
        """Return the card of a table's game, marked as a phone table if it is one; the phone table's own
        card if the game is older than that table."""
        phone = self._phones.get(card.id)
        if phone is None:
            return card
        earlier = card.log == "" or (phone.phone == "open" and card.changed_s < phone.changed_s)
        return card_of(phone, self._presence) if earlier else replace(card, phone=phone.phone)

    def forget(self, table: str, log: str) -> None:
        """Remove the card of a deleted game, if it is the one that its table shows."""
        with self._lock:
            known = self._cards.get(table)
            if known is None or known[1].log != log:
                return
            self._games.pop(table, None)
            empty = ClubTable(table, log="", game=None, pack=None, changed_s=known[1].changed_s)
            self._keep(self._with_phone(empty))

    def show_again(self, table: str) -> None:
        """Make the card of a table anew from the stored one and the last status; publish it if it differs.
        Does nothing for an unknown table."""
        with self._lock:
            if table not in self._cards:
                return
            new = self._keep(card_of(self._cards[table][1], self._presence))
        if new is not None:
            self._changed(new)

    def _keep(self, card: ClubTable) -> ClubTable | None:
        """Store a card, with the time since when its table needs help, and return it. Return None if it
        equals the stored one."""
        _, before = self._cards.get(card.id, (0, None))
        if card.needs:
            known = before is not None and before.needs == card.needs and before.log == card.log
            since_s = before.needs_since_s if known and before is not None else None
            card = replace(card, needs_since_s=since_s or round(self._clock(), 3))
        if card == before:
            return None
        self.version += 1
        self._cards[card.id] = (self.version, card)
        return card


def card_of(known: Game | ClubTable, presence: Presence) -> ClubTable:
    """Return the card of a table: what its game or an earlier card (``known``) says, with connection, camera
    and questions from the table's last status."""
    card = known if isinstance(known, ClubTable) else _card(known, presence)
    there = presence.is_there(card.id)
    present = presence.of(card.id)
    status = present.status
    connection: Connection = "there" if there else _silent(card, presence)
    card = replace(card, needs_since_s=None)
    if status is None or status.game != card.log or not there:
        return replace(card, connection=connection, camera=None, wrong=(), asked=())
    clock = [f"clock:{present.slow_min}"] if present.slow_min else []
    return replace(
        card,
        connection=connection,
        camera=CameraStatus(cast(Seeing, status.seeing), retold(status.message, status.said)),
        wrong=(*status.health, *clock),
        asked=tuple(map(_question, status.asked)) if card.phase != "over" else (),
    )


def _silent(card: ClubTable, presence: Presence) -> Connection:
    """Return the connection of a table that has not reported lately: "quiet" without a running game, "lost"
    during one, "away" after `AWAY_AFTER_S` seconds without a status and without an entry."""
    if card.phase != "playing":
        return "quiet"
    silent_s = min(presence.silent_s(card.id), time.time() - card.changed_s)
    return "away" if silent_s > AWAY_AFTER_S else "lost"


def _heard(game: Game) -> tuple[float, int]:
    """Return the sort key of games that their table does not name: the one heard of last is the greatest."""
    return game.heard_s or 0.0, game.id


def _card(game: Game, presence: Presence) -> ClubTable:
    """Return the card of a game, without its table's status."""
    scores, state = game.scores or {}, game.state or {}
    phase: Literal["waiting", "playing", "over"] = (
        "over" if game.over else "playing" if state and state.get("phase") != "waiting" else "waiting"
    )
    return ClubTable(
        id=game.table_id,
        log=game.log_id,
        game=game.game,
        pack=game.pack,
        phase=phase,
        turns=game.turns,
        players=tuple(ClubPlayer(color, name, scores.get(color)) for color, name in game.names or ()),
        changed_s=round(game.heard_s or game.changed_s, 3),
        fault=game.fault,
        began_s=_began_s(game, presence.of(game.table_id).slow_s),
        moment=Moment(bool(state.get("paused")), state.get("entry")),
        disputes=state.get("disputes", {}),
    )


def _began_s(game: Game, slow_s: float | None) -> float:
    """Return when a game began by the hub's clock: its length by the table's clock before its last entry
    came. Earlier if the log came late: by the table's clock, if it is known how slow that is."""
    began_s = game.changed_s if game.began_s is None else game.began_s
    by_length_s = (game.heard_s or game.changed_s) - max(0.0, game.changed_s - began_s)
    return round(by_length_s if slow_s is None else min(by_length_s, began_s + slow_s), 3)


def _question(asked: Asked) -> OpenQuestion:
    options = tuple(OpenOption(one.id, retold(one.label, one.said)) for one in asked.options)
    return OpenQuestion(asked.id, retold(asked.text, asked.said), asked.player, asked.turn, options)
