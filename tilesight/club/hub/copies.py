"""Copies of the tables' games at the hub, as their dashboards show them; folded on demand."""

from __future__ import annotations

import io
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from PIL import Image

from engine.geometry import Cell
from engine.message import Message
from tilesight.club.database.models import Game
from tilesight.club.hub.fold import GameFold
from tilesight.club.hub.presence import Presence
from tilesight.club.messages import Asked, Status, retold
from tilesight.lobby.past import UNREADABLE
from tilesight.table_log.event_store import Entry
from web.api.boards import BoardKind
from web.club.views import DashboardSource
from web.table.camera_status import CameraStatus, Seeing
from web.table.choices import Choices
from web.table.feed import Feed
from web.table.pictures import Picture
from web.table.question import Option, Question
from web.table.refusal import Refusal
from web.table.squares import Moves
from web.table.table import Export
from web.table.view import GameSpan

COPIES_AT_MOST = 64
"""Games whose copies are kept; those that were looked at last stay."""

EntriesAfter = Callable[[int], Sequence[Entry]]
"""Returns a game's entries after a number."""


class GameCopy:
    """Read-only copy of one game: its log's copy, and its table's last status.

    Commands go to the table itself (`Hub.command`). A view stays the same object until the game changes.
    """

    def __init__(self) -> None:
        self._feed = Feed(keep=50)
        self._fold = GameFold()
        self._now: tuple[int, Status | None, Any, Any] = (-1, None, None, None)
        self._jpeg: Callable[[], bytes | None] = lambda: None

    def renew(
        self,
        game: Game,
        entries: EntriesAfter,
        status: Status | None,
        jpeg: Callable[[], bytes | None],
    ) -> BoardKind:
        """Update the copy to the entries that ``game`` has folded and to the table's ``status`` (None: not
        heard lately), and return the kind of its board. ``jpeg`` returns the camera's latest small picture
        or None. Raises one of `UNREADABLE`, or ValueError."""
        folded, known, past, _ = self._now
        if folded != game.folded:
            number = self._fold.number
            self._fold.add(entries(number)[: game.folded - number])
            past = self._fold.table()
        table, board = past
        if folded != game.folded or known != status:
            view = replace(table.state(), camera=_camera(status, over=game.over))
            self._now = (game.folded, status, (table, board), view)
            self._jpeg = jpeg
        return cast(BoardKind, board)

    def tell(self) -> None:
        """Notify all readers that something changed; they request the new state."""
        self._feed.publish("turn")

    def close(self) -> None:
        """End the readers' streams; they reconnect."""
        self._feed.close()

    # -- what the dashboard reads (web.table.table.WatchedTable)

    def watch(self) -> Feed:
        """Return the feed of its changes."""
        return self._feed

    def state(self) -> Any:
        """Return the current view."""
        return self._now[3]

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions, as the table reported them."""
        status = self._now[1]
        return () if status is None else tuple(map(_question, status.asked))

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """Return the choices for a turn of a tile game."""
        return cast(Choices, self._table.choices(turn_no, tile, cell, rot))

    def moves(self, turn_no: int) -> Moves:
        """Return the choices for a turn on squares."""
        return cast(Moves, self._table.moves(turn_no))

    def span(self) -> GameSpan:
        """Return when the game began, and how long it was played."""
        return cast(GameSpan, self._table.span())

    def export(self) -> Export:
        """Return the game record so far."""
        return cast(Export, self._table.export())

    def picture(self) -> Picture | None:
        """Return the camera's latest small picture, None if there is none."""
        jpeg = self._jpeg()
        if jpeg is None:
            return None
        with Image.open(io.BytesIO(jpeg)) as picture:
            return Picture(zlib.crc32(jpeg), picture.size, lambda: jpeg)

    def photo(self, turn_no: int) -> bytes:
        """Raise Refusal: pictures of turns stay at the table."""
        raise Refusal("unknown_picture", Message("the pictures of turns stay at the table"))

    def crop(self, turn_no: int) -> bytes:
        """Raise Refusal: pictures of turns stay at the table."""
        return self.photo(turn_no)

    def question_crop(self, question_id: str) -> bytes:
        """Raise Refusal: pictures of questions stay at the table."""
        return self.photo(0)

    @property
    def _table(self) -> Any:
        """The game as a read-only table."""
        return self._now[2][0]


class Copies:
    """The copies that have readers. Thread-safe."""

    def __init__(self, presence: Presence) -> None:
        self._presence = presence
        self._copies: OrderedDict[tuple[str, str], GameCopy] = OrderedDict()
        self._lock = threading.Lock()

    def shown(self, game: Game, entries: EntriesAfter) -> DashboardSource:
        """Return a game as its dashboard shows it now; ``entries`` reads its log.

        Raises Refusal if the hub cannot fold it.
        """
        present = self._presence.of(game.table_id)
        there = self._presence.is_there(game.table_id)
        status = present.status
        status = status if there and status is not None and status.game == game.log_id else None
        name = (game.table_id, game.log_id)
        with self._lock:
            copy = self._copies.pop(name, None) or GameCopy()
            self._copies[name] = copy
            try:
                board = copy.renew(game, entries, status, lambda: self._presence.of(game.table_id).preview)
            except (*UNREADABLE, ValueError):
                del self._copies[name]
                copy.close()
                raise Refusal("unknown_state", Message("the hub cannot tell this game")) from None
            while len(self._copies) > COPIES_AT_MOST:
                self._copies.popitem(last=False)[1].close()
        return DashboardSource(cast(Any, copy), board)

    def tell(self, table: str, log: str) -> None:
        """Notify all readers of a game that it changed. Does nothing for a game without a copy."""
        with self._lock:
            copy = self._copies.get((table, log))
        if copy is not None:
            copy.tell()

    def forget(self, table: str, log: str) -> None:
        """Drop the copy of a removed game and end its readers' streams."""
        with self._lock:
            copy = self._copies.pop((table, log), None)
        if copy is not None:
            copy.close()


def _camera(status: Status | None, *, over: bool) -> CameraStatus:
    """Return the camera status of the table's last report; "ended" or "lost" without a report."""
    if status is None:
        return CameraStatus("ended" if over else "lost")
    seeing = status.seeing if status.seeing in get_args(Seeing) else "starting"
    return CameraStatus(cast(Seeing, seeing), retold(status.message, status.said))


def _question(asked: Asked) -> Question:
    """Return a question of a status as the dashboard's."""
    options = tuple(Option(one.id, retold(one.label, one.said)) for one in asked.options)
    return Question(
        asked.id,
        retold(asked.text, asked.said),
        options,
        player=asked.player,
        turn_no=asked.turn,
    )
