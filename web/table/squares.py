"""View and protocol of a table with a game on squares (for tiles: `web.table.table`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from engine.fault import Fault
from engine.game import Event
from engine.message import NO_MESSAGE, Message
from engine.pack import Pack
from engine.squares_game import SquarePlayed, SquarePosition
from web.table.camera_status import CameraStatus
from web.table.question import ClosedQuestion
from web.table.seats import Seat
from web.table.table import WatchedTable
from web.table.view import GameView, Phase


@dataclass(frozen=True, eq=False)
class SquareTurnPlayed:
    """A recorded turn.

    It has its record line, its effect (``step``), the frame that decided it, and its confidence (0 to 1).
    """

    line: Mapping[str, Any]
    step: SquarePlayed
    frame: int | None = None
    confidence: float | None = None


@dataclass(frozen=True, eq=False)
class SquareView(GameView):
    """Everything that the dashboard draws of a game on squares, as one immutable value.

    ``start`` and ``state`` are None until the set-up was read; ``missing`` then says what is missing.
    ``guide`` are the moves that figures must make now, ``misplaced`` the figures that are not where they
    should be (both as the tracker's JSON). ``history`` are the turns that people's edits changed or dropped,
    ``closed`` the questions that closed last, ``faults`` the reasons why a pawn's position is not legal.
    ``outcome`` is a sentence on the result, and ``winners`` are the winners once the game is over by its
    rules. ``confirmed`` is whether people confirmed the set-up.
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
    closed: tuple[ClosedQuestion, ...] = ()
    missing: Message = NO_MESSAGE
    outcome: str = ""
    winners: tuple[str, ...] = ()
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    confirmed: bool = False

    @property
    def events(self) -> tuple[Event, ...]:
        """All scoring events so far."""
        return tuple(event for turn in self.played for event in turn.step.events)

    def after(self, turn_no: int) -> SquareView:
        """Return the view after turn ``turn_no`` (0: before the first), without later turns.

        The guide shows that turn's moves. Raises ValueError if there is no such turn.
        """
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
    """Choices for a turn on a board of squares.

    It has every legal turn of the player as a record line. ``start`` is the square where the player's pawn
    was before.
    """

    turn_no: int
    player: str
    start: str
    lines: tuple[Mapping[str, Any], ...]


class SquareTable(WatchedTable, Protocol):
    """A watched table of a game on squares."""

    def state(self) -> SquareView:
        """Return the current view.

        It must include a change before the event about that change is published.
        """

    def moves(self, turn_no: int) -> Moves:
        """Return the choices for turn ``turn_no``.

        The number after the last turn asks about the next turn.
        """
