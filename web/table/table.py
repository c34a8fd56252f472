"""Protocols of a table that is watched, which `tilesight` implements.

``web`` never opens a camera and never decides a turn. It shows the last view (`web.table.view.TableView`),
passes on the events of a feed, and hands the players' commands to the table. Every method may be called from
any thread and must return quickly; a command that waits for the recogniser belongs behind a queue on the
table's side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.geometry import Cell
    from web.table.choices import Choices
    from web.table.correction import Correction
    from web.table.feed import Feed
    from web.table.pictures import Picture
    from web.table.question import Question
    from web.table.seats import Seat
    from web.table.view import Span, TableView


@dataclass(frozen=True)
class Export:
    """A file to hand out."""

    filename: str
    media_type: str
    content: bytes


class WatchedTable(Protocol):
    """A table that is being watched, whatever its game's board.  Commands raise :class:`Refusal` where they
    cannot be carried out."""

    def watch(self) -> Feed:
        """The table's feed of events: one and the same object for the table's life."""

    def questions(self) -> tuple[Question, ...]:
        """The open questions, oldest first."""

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question with one of its options."""

    def correct(self, correction: Correction) -> None:
        """Correct what was recorded."""

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""

    def span(self) -> Span:
        """Time of the game so far."""

    def seats(self, seats: Sequence[Seat], recolored: Mapping[str, str] = ...) -> None:
        """Say who plays, in turn order, and whose colour was another one (new colours by old ones)."""

    def picture(self) -> Picture | None:
        """The camera's latest picture; None before the first."""

    def crop(self, turn_no: int) -> bytes:
        """JPEG: the part of the picture from which turn ``turn_no`` was understood."""

    def photo(self, turn_no: int) -> bytes:
        """JPEG: the whole picture from which turn ``turn_no`` was understood."""

    def question_crop(self, question_id: str) -> bytes:
        """JPEG: the part of the picture that an open question is about."""

    def pause(self, paused: bool) -> None:
        """Tell nothing of what the camera shows until the game is gone on with."""

    def undo(self) -> None:
        """Take back the last turn or correction."""

    def redo(self) -> None:
        """Bring back what was undone last."""

    def end(self) -> None:
        """End the game now and score it."""

    def export(self) -> Export:
        """The game so far, as a file (a record or a session)."""


class Table(WatchedTable, Protocol):
    """A watched table of a tile game."""

    def state(self) -> TableView:
        """The view now.  Publish an event *after* the view holds what it tells."""

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """The choices for turn ``turn_no``; ``tile``, ``cell``, ``rot`` ask about another placement."""
