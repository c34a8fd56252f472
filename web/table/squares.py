"""Protocol of a table whose game is played on squares (for tiles: `web.table.table`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from engine.fault import Fault
from engine.game import Event
from engine.pack import Pack
from engine.squares_game import SquarePlayed, SquarePosition
from web.table.camera_status import CameraStatus
from web.table.question import Closed
from web.table.seats import Seat
from web.table.table import WatchedTable
from web.table.view import Phase


@dataclass(frozen=True, eq=False)
class SquareTurnPlayed:
    """A turn as it was understood: its record line, what it did, the frame that decided it and how sure
    that was (0 to 1)."""

    line: Mapping[str, Any]
    step: SquarePlayed
    frame: int | None = None
    confidence: float | None = None


@dataclass(frozen=True, eq=False)
class SquareView:
    """Everything the dashboard draws, as one immutable value.

    ``start`` and ``state`` are None until the set-up was read; ``missing`` says then what is looked for.
    ``guide`` is what figures must do now, ``misplaced`` what stands wrongly (both as the tracker's JSON),
    ``history`` what the edits of people could not keep as it was, ``closed`` the questions that closed last,
    ``faults`` why a pawn may not stand where it does. ``outcome`` says in words how the game stands,
    ``winners`` who has won once it is over by its rules. ``confirmed`` says that somebody found the set-up
    right; ``can_undo`` and its siblings, which commands make sense now.
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    start: SquarePosition | None = None
    state: SquarePosition | None = None
    phase: Phase = "waiting"
    played: tuple[SquareTurnPlayed, ...] = ()
    guide: tuple[Mapping[str, Any], ...] = ()
    misplaced: tuple[Mapping[str, Any], ...] = ()
    faults: tuple[Fault, ...] = ()
    history: Mapping[str, Any] | None = None
    closed: tuple[Closed, ...] = ()
    missing: str = ""
    outcome: str = ""
    winners: tuple[str, ...] = ()
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    confirmed: bool = False
    paused: bool = False
    """Whether nothing of what the camera shows is told until somebody goes on."""
    clock: Mapping[str, object] | None = None
    """Seconds that each player took for their turns; None where nobody knows."""
    can_undo: bool = False
    can_redo: bool = False
    can_end: bool = False
    can_correct: bool = False

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything scored so far."""
        return tuple(event for turn in self.played for event in turn.step.events)

    def after(self, turn_no: int) -> SquareView:
        """The view after turn ``turn_no`` (0: before the first), as if nothing had come since; the guide is
        what figures did then. ValueError where there is no such turn."""
        if not 0 <= turn_no <= len(self.played):
            raise ValueError(f"there is no turn {turn_no}")
        if turn_no == len(self.played):
            return self
        played = self.played[:turn_no]
        last = played[-1].step if played else None
        return replace(
            self,
            state=last.state if last is not None else self.start,
            phase="playing",
            played=played,
            guide=() if last is None else tuple({**e.to_json(), "done": True} for e in last.errands),
            misplaced=(),
            faults=(),
            outcome="",
            winners=(),
        )


@dataclass(frozen=True)
class Moves:
    """Choices for a turn: every legal turn of that player as a record line, and where the player's
    pawn stood before."""

    turn_no: int
    player: str
    start: str
    lines: tuple[Mapping[str, Any], ...]


class SquareTable(WatchedTable, Protocol):
    """A watched table of a game on squares."""

    def state(self) -> SquareView:
        """The view now. Publish an event *after* the view holds what it tells."""

    def moves(self, turn_no: int) -> Moves:
        """The choices for turn ``turn_no``; the number after the last turn asks about the next."""
