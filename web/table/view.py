"""View of a tile game: everything that pages show of its table, as one immutable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from engine.tiles.record import BY_HAND
from web.table.camera_status import CameraStatus

if TYPE_CHECKING:
    from engine.pack import Pack
    from engine.tiles.game import Fault, Final, GameState, ScoreEvent
    from engine.tiles.turn import Turn
    from web.table.question import ClosedQuestion
    from web.table.seats import Seat

Phase = Literal["waiting", "playing", "over"]
"""Phase of a game: before its set-up was read, under way, ended."""


@dataclass(frozen=True)
class GameSpan:
    """Start of a game (seconds since 1970) and the number of seconds it was played.

    A recording (``recorded``) begins when it is opened and lasts as long as its pictures.
    """

    began_s: float
    played_s: float
    recorded: bool = False


@dataclass(frozen=True)
class Alternative:
    """Another turn that may have been played, and its probability (None if unknown)."""

    turn: Turn
    probability: float | None = None


@dataclass(frozen=True)
class PlayedTurn:
    """A recorded turn.

    It has the engine's turn, the position after it, the frame that decided it, its current confidence (0 to
    1; 1 after people confirmed it), and its alternatives if it is uncertain.
    """

    turn: Turn
    after: GameState
    frame: int | None = None
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class GameView:
    """The part of a view that both kinds of board share: the moment, the clock, and the possible commands."""

    entry: int = 0
    """Number of the log's latest entry that the view includes; 0 before the first."""
    paused: bool = False
    """Whether turns that the camera sees are not recorded now."""
    clock: Mapping[str, object] | None = None
    """Thinking time of the players (`web.api.shapes.ClockShape`); None for a recording."""
    can_undo: bool = False
    can_redo: bool = False
    can_end: bool = False
    can_correct: bool = False

    def commands_json(self, *, over: bool) -> dict[str, object]:
        """Return these fields as JSON; ``over`` is true after the end of the game."""
        return {
            "entry": self.entry,
            "paused": self.paused,
            "clock": self.clock,
            "can_undo": self.can_undo,
            "can_redo": self.can_redo,
            "can_end": self.can_end and not over,
            "can_correct": self.can_correct,
        }


@dataclass(frozen=True, eq=False)
class TableView(GameView):
    """Everything that the dashboard draws of a tile game, as one immutable value.

    ``start`` is the position before turn 1, ``state`` the current one. ``played`` are all turns and
    ``events`` all scoring events so far. ``final`` has the final scores and events once the game is over.
    ``by_hand`` are points that people added or removed, also included in ``events``. ``history`` are the
    turns that people's edits changed or dropped (docs/formats.md, 'Edits of the history'). ``rendered`` is
    true if the pictures come from a renderer; the dashboard then says "rendered sample".
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    start: GameState
    state: GameState
    phase: Phase = "playing"
    played: tuple[PlayedTurn, ...] = ()
    events: tuple[ScoreEvent, ...] = ()
    by_hand: Mapping[str, int] = field(default_factory=dict)
    final: Final | None = None
    faults: tuple[Fault, ...] = ()
    history: Mapping[str, object] | None = None
    closed: tuple[ClosedQuestion, ...] = ()
    """The questions that closed last, the latest first."""
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    opening: str = ""
    """Notation of the position in which the camera found the game under way; "" if it saw the start."""
    confirmed: bool = True
    """Whether people confirmed the opening position."""

    def after(self, turn_no: int) -> TableView:
        """Return the view after turn ``turn_no`` (0: before the first), without later turns.

        The camera's status and the possible commands stay the current ones. Raises ValueError if there is no
        such turn.
        """
        if not 0 <= turn_no <= len(self.played):
            raise ValueError(f"there is no turn {turn_no}")
        if turn_no == len(self.played):
            return self
        played = self.played[:turn_no]
        events = tuple(event for event in self.events if event.turn <= turn_no)
        by_hand: Counter[str] = Counter()
        for event in events:
            by_hand[event.player] += event.points if event.kind == BY_HAND else 0
        return replace(
            self,
            state=played[-1].after if played else self.start,
            phase="playing",
            played=played,
            events=events,
            by_hand=by_hand,
            final=None,
            faults=(),
        )
