"""What the dashboard needs from a table: the small protocol that ``tilesight`` implements.

``web`` never opens a camera and never decides a turn.  It shows the last :class:`TableView`, passes on the
events of a
:class:`web.feed.Feed`, and hands the players' commands to a :class:`Table`.  Every method may be called from
any thread
and must return quickly; a command that waits for the recogniser belongs behind a queue on the table's side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from engine.game import Fault, Final, GameState, ScoreEvent, Turn
    from engine.geometry import Cell
    from engine.pack import Pack
    from web.feed import Feed

Phase = Literal["waiting", "playing", "over"]
Seeing = Literal["starting", "watching", "moving", "unclear", "lost", "ended"]


class Refusal(ValueError):
    """A command that the table cannot carry out now.

    ``code`` is a short word for programs (``"nothing_to_undo"``), the message one line for people.
    It becomes HTTP 409, or 404 where ``code`` begins with ``"unknown_"``; neither may name a path or a stack.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Seat:
    """A player: ``color`` is the player's name inside the engine, ``name`` what people call them."""

    color: str
    name: str


@dataclass(frozen=True)
class Played:
    """A turn as it was understood: the engine's turn, the frame that decided it and how sure that was (0 to
    1)."""

    turn: Turn
    frame: int | None = None
    t_frame_s: float | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class CameraStatus:
    """What the camera sees now.

    ``seeing``: ``starting`` before the first frame, ``watching`` a table at rest, ``moving`` (hands, motion:
    waited out), ``unclear`` (at rest, but no legal turn explains it: ``message`` says what, ``cells`` where),
    ``lost`` (no picture or no board), ``ended`` (no more frames).  ``frame`` counts from 0; ``frames`` is
    their
    number where it is known (a recorded session).
    """

    seeing: Seeing = "starting"
    message: str = ""
    frame: int | None = None
    frames: int | None = None
    t_frame_s: float | None = None
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, eq=False)
class TableView:
    """Everything the dashboard draws, as one immutable value.

    ``state`` is the engine's present state; ``events`` every scoring event so far, in order, ``played``
    every turn so far.
    ``final`` stands once the game is over (or was ended): final scores and the events of the final scoring.
    ``rendered`` is true where the pictures come from a renderer: the dashboard then says "rendered sample".
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    state: GameState
    phase: Phase = "playing"
    played: tuple[Played, ...] = ()
    events: tuple[ScoreEvent, ...] = ()
    final: Final | None = None
    faults: tuple[Fault, ...] = ()
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    can_undo: bool = False
    can_redo: bool = False
    can_end: bool = False


@dataclass(frozen=True)
class Option:
    """One answer to tap; ``turn`` is the turn it stands for, if it stands for one."""

    id: str
    label: str
    turn: Turn | None = None


@dataclass(frozen=True)
class Question:
    """Something the camera cannot decide; likeliest option first.  ``cells`` is where on the board it is
    about."""

    id: str
    text: str
    options: tuple[Option, ...]
    cells: tuple[Cell, ...] = ()
    frame: int | None = None
    player: str | None = None


@dataclass(frozen=True)
class Correction:
    """A player's correction: replace turn ``turn_no`` (counted from 1) by ``line``, a record line
    (FORMATS.md); and/or set scores."""

    turn_no: int | None = None
    line: Mapping[str, object] | None = None
    scores: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Export:
    """A file to hand out."""

    filename: str
    media_type: str
    content: bytes


class Table(Protocol):
    """A table that is being watched.  Commands raise :class:`Refusal` where they cannot be carried out."""

    def watch(self) -> Feed:
        """The table's feed of events: one and the same object for the table's life."""

    def state(self) -> TableView:
        """The view now.  Publish an event *after* the view holds what it tells."""

    def questions(self) -> tuple[Question, ...]:
        """The open questions, oldest first."""

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question with one of its options."""

    def correct(self, correction: Correction) -> None:
        """Correct what was recorded."""

    def undo(self) -> None:
        """Take back the last turn or correction."""

    def redo(self) -> None:
        """Bring back what was undone last."""

    def end(self) -> None:
        """End the game now and score it."""

    def export(self) -> Export:
        """The game so far, as a file (a record or a session)."""
