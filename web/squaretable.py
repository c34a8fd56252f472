"""What the dashboard needs from a table whose game is played on squares (`web.table` for tiles)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.pack import Pack
from engine.room import Event
from engine.squares import SquarePosition
from web.feed import Feed
from web.table import CameraStatus, Export, Phase, Seat


@dataclass(frozen=True, eq=False)
class SquareView:
    """Everything the dashboard draws, as one immutable value.

    ``state`` is None until the set-up was read; ``missing`` says then what is looked for. ``turns`` are
    record lines, ``guide`` what figures must do now, ``misplaced`` what stands wrongly (both as the
    tracker's JSON), ``faults`` the words for what a pawn may not do. ``outcome`` says in words how the game
    stands.
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    state: SquarePosition | None = None
    phase: Phase = "waiting"
    turns: tuple[Mapping[str, Any], ...] = ()
    events: tuple[Event, ...] = ()
    guide: tuple[Mapping[str, Any], ...] = ()
    misplaced: tuple[Mapping[str, Any], ...] = ()
    faults: tuple[str, ...] = ()
    missing: str = ""
    outcome: str = ""
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    can_undo: bool = False
    can_end: bool = False

    def to_json(self, last_event_id: int) -> dict[str, Any]:
        """The view as the page draws it."""
        state = self.state
        points = dict(state.points) if state is not None else {}
        collected = state.collected if state is not None else {}
        over = self.phase == "over"
        return {
            "tilesight": 1,
            "title": self.title,
            "game": self.game,
            "pack": self.pack.id,
            "rendered": self.rendered,
            "phase": self.phase,
            "last_event_id": last_event_id,
            "players": [
                {
                    "color": seat.color,
                    "name": seat.name,
                    "score": points.get(seat.color, 0),
                    "collected": sorted(collected.get(seat.color, ())),
                }
                for seat in self.seats
            ],
            "player": None if state is None or over else state.player,
            "turn_no": 0 if state is None else state.turn_no,
            "turns_at_most": None if state is None else state.turns_at_most,
            "names": list(self.pack.animals),
            "terrain": [] if state is None else list(state.terrain),
            "figures": [] if state is None else [figure.to_json() for figure in state.figures],
            "guide": [dict(step) for step in self.guide],
            "misplaced": [dict(one) for one in self.misplaced],
            "faults": list(self.faults),
            "missing": self.missing,
            "outcome": self.outcome,
            "turns": [dict(turn) for turn in self.turns],
            "events": [event.to_json() for event in self.events],
            "camera": {
                "seeing": self.camera.seeing,
                "message": self.camera.message,
                "frame": self.camera.frame,
                "frames": self.camera.frames,
            },
            "can_undo": self.can_undo,
            "can_end": self.can_end and not over,
        }


class SquareTable(Protocol):
    """A table that is being watched. Commands raise `web.table.Refusal` where they cannot be carried out."""

    def watch(self) -> Feed:
        """The table's feed of events: one and the same object for the table's life."""

    def state(self) -> SquareView:
        """The view now."""

    def undo(self) -> None:
        """Take back the last turn."""

    def end(self) -> None:
        """End the game now."""

    def export(self) -> Export:
        """The game so far, as a record."""
