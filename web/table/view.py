"""View of a tile game: everything that pages show of its table, as one immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from web.table.camera_status import CameraStatus

if TYPE_CHECKING:
    from engine.pack import Pack
    from engine.tiles.game import Fault, Final, GameState, ScoreEvent
    from engine.tiles.turn import Turn
    from web.table.question import Closed
    from web.table.seats import Seat

Phase = Literal["waiting", "playing", "over"]
"""Stage of a game: before its set-up was read, under way, ended."""


@dataclass(frozen=True)
class Span:
    """Time of a game: when it began, in seconds since 1970, and for how many seconds it was played. A
    recording (``recorded``) begins when it is shown, and is as long as its pictures."""

    began_s: float
    played_s: float
    recorded: bool = False


@dataclass(frozen=True)
class Alternative:
    """Another turn that may have been played, and its probability (None where nobody knows it)."""

    turn: Turn
    probability: float | None = None


@dataclass(frozen=True)
class Played:
    """A turn as it was understood: the engine's turn, the position after it, the frame that decided it, how
    sure it is by now (0 to 1; 1 once people named it), and what else is likely, where it is not sure."""

    turn: Turn
    after: GameState
    frame: int | None = None
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, eq=False)
class TableView:
    """Everything the dashboard draws, as one immutable value.

    ``start`` is the position before turn 1 and ``state`` the present one; ``events`` is every scoring event
    so far, in order, ``played`` every turn so far.
    ``final`` stands once the game is over (or was ended): final scores and the events of the final scoring.
    ``by_hand`` are points that people gave or took beside the rules (they are among the events, too).
    ``history`` is what the edits of people could not keep as it was (docs/formats.md, 'Edits of the
    history').
    ``rendered`` is true where the pictures come from a renderer: the dashboard then says "rendered sample".
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    start: GameState
    state: GameState
    phase: Phase = "playing"
    played: tuple[Played, ...] = ()
    events: tuple[ScoreEvent, ...] = ()
    by_hand: Mapping[str, int] = field(default_factory=dict)
    final: Final | None = None
    faults: tuple[Fault, ...] = ()
    history: Mapping[str, object] | None = None
    closed: tuple[Closed, ...] = ()
    """The questions that closed last, the latest first."""
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    paused: bool = False
    """Whether nothing of what the camera shows is told until somebody goes on."""
    clock: Mapping[str, object] | None = None
    """Seconds that each player took for their turns; None where nobody knows."""
    can_undo: bool = False
    can_redo: bool = False
    can_end: bool = False
    can_correct: bool = False
    opening: str = ""
    """The position from which the game goes on, as notation, where the camera found it under way."""
    confirmed: bool = True
    """Whether somebody said that this position is right."""

    def after(self, turn_no: int) -> TableView:
        """The view after turn ``turn_no`` (0: before the first), as if nothing had come since.

        The camera's status and the commands that make sense stay those of the present. ValueError where
        there is no such turn.
        """
        if not 0 <= turn_no <= len(self.played):
            raise ValueError(f"there is no turn {turn_no}")
        if turn_no == len(self.played):
            return self
        played = self.played[:turn_no]
        state = played[-1].after if played else self.start
        return replace(
            self,
            state=state,
            phase="playing",
            played=played,
            # A game may be watched from its middle: the engine's own number of the last turn counts.
            events=tuple(event for event in self.events if event.turn <= state.turn_no),
            final=None,
            faults=(),
        )
