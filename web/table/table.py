"""Protocols of a watched table, which `tilesight` implements.

``web`` opens no camera and decides no turn. It shows the latest view (`web.table.view.TableView`), forwards
the events of the feed, and passes players' commands to the table. Methods may be called from any thread and
must return quickly; a command that needs the recogniser must be queued by the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

    from engine.geometry import Cell
    from web.table.access import Webhook
    from web.table.choices import Choices
    from web.table.correction import Correction
    from web.table.feed import Feed
    from web.table.pictures import Picture
    from web.table.question import Question
    from web.table.seats import Seat
    from web.table.view import GameSpan, TableView


Problem = Literal["", "address", "name", "unreachable", "late", "status"]
"""Problem of the latest delivery: none; an address that may not be reached; a name that is not found; no
connection; no answer in time; a status other than 2xx."""


@dataclass(frozen=True)
class Export:
    """A file to download; ``entry`` is the number of the log's latest entry that it includes."""

    filename: str
    media_type: str
    content: bytes
    entry: int = 0


class WatchedTable(Protocol):
    """A watched table with any kind of board. Commands raise `Refusal` if they cannot be carried out."""

    def watch(self) -> Feed:
        """Return the table's feed of events, always the same object."""

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions, oldest first."""

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question with one of its options."""

    def correct(self, correction: Correction) -> None:
        """Apply a correction."""

    def seat(self, color: str, name: str) -> None:
        """Rename the player of a colour."""

    def span(self) -> GameSpan:
        """Return when the game began and how long it has been played."""

    def seats(self, seats: Sequence[Seat], recolored: Mapping[str, str] = ...) -> None:
        """Set the players in turn order.

        ``recolored`` has the new colours by the old ones, for players whose turns were recorded under
        a wrong colour.
        """

    def picture(self) -> Picture | None:
        """Return the camera's latest picture; None before the first."""

    def crop(self, turn_no: int) -> bytes:
        """Return the part of the picture from which turn ``turn_no`` was recognised (JPEG)."""

    def photo(self, turn_no: int) -> bytes:
        """Return the whole picture from which turn ``turn_no`` was recognised (JPEG)."""

    def question_crop(self, question_id: str) -> bytes:
        """Return the part of the picture that an open question is about (JPEG)."""

    def pause(self, paused: bool) -> None:
        """Pause or resume the game. During a pause, turns that the camera sees are not recorded."""

    def undo(self, entry: int | None = None) -> None:
        """Undo the last turn or correction.

        ``entry`` is that of the view that people saw (`GameView.entry`): if there has been a turn, a
        correction, an undo or a redo since, the undo is refused. None undoes whatever is last.
        """

    def redo(self, entry: int | None = None) -> None:
        """Redo what was undone last. ``entry`` is as in `undo`."""

    def end(self) -> None:
        """End the game now and score it."""

    def export(self) -> Export:
        """Return the game so far as a file (a record or a session)."""


class Table(WatchedTable, Protocol):
    """A watched table of a tile game."""

    def state(self) -> TableView:
        """Return the current view.

        It must include a change before the event about that change is published.
        """

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """Return the choices for turn ``turn_no``.

        ``tile``, ``cell`` and ``rot`` ask about another placement.
        """


@dataclass(frozen=True)
class WebhookState:
    """State of a webhook, as its host sees it. ``shown`` is the address without path and query.

    ``waiting`` events are queued. Since the table's start ``delivered`` arrived, ``dropped`` were removed
    from a full queue, and ``refused`` were given up after repeated refusals. ``problem`` is that of the
    latest delivery, ``status`` its HTTP status (None without an answer).
    """

    id: str
    shown: str
    on: bool = True
    waiting: int = 0
    delivered: int = 0
    dropped: int = 0
    refused: int = 0
    problem: Problem = ""
    status: int | None = None


class Outward(Protocol):
    """Sender of a table's events to webhooks and to an MQTT broker. Methods return quickly."""

    def webhooks(self) -> tuple[WebhookState, ...]:
        """Return the state of every webhook."""

    def broker_connected(self) -> bool | None:
        """Return whether the MQTT broker is connected; None without a broker."""

    def add(self, url: str) -> Webhook:
        """Add a webhook with a new secret.

        Raises Refusal if the address cannot be one, or if there are too many.
        """

    def remove(self, webhook_id: str) -> None:
        """Remove a webhook. Raises Refusal if it is unknown."""

    def test(self, webhook_id: str) -> Future[WebhookState]:
        """Send a test event at once; the result has the state after it.

        Raises Refusal if the webhook is unknown.
        """
