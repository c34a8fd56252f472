"""Replay of a recording: what it comes to, whatever the kind of board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol

import numpy as np
from rich.console import Console

from engine.pack import Pack
from tilesight.inference.protocols import UnderstoodT
from tilesight.live.sources import SessionSource
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import Observe, Observer, WatchedFrame, Watcher, watch
from tilesight.sessions.session import Session
from tilesight.sessions.squares_session import SquareSession


@dataclass(frozen=True, slots=True)
class Figures:
    """Agreement of a replay with the record: turns and running scores that are exact, of ``turns``; whether
    the end is. ``asked`` are the turns that people were asked about, ``alarms`` how often something was said
    to stand wrongly."""

    turns: int
    turns_exact: int
    scores_exact: int
    final_exact: bool
    asked: tuple[int, ...] = ()
    alarms: int = 0


class Replay(ABC, Generic[UnderstoodT]):
    """Result of a replay so far. ``frame_ms`` are the milliseconds that each frame took, from picture
    to understanding; ``board_seen`` says whether any picture showed the board."""

    def __init__(self) -> None:
        self.understood: UnderstoodT | None = None
        self.frame_ms: list[float] = []
        self.board_seen = False

    def take(self, seen: WatchedFrame[UnderstoodT]) -> None:
        """Take one picture into account."""
        self.understood = seen.understood
        self.frame_ms.append(seen.took_ms)
        self.board_seen = self.board_seen or seen.understood.board_seen

    def finish(self, understood: UnderstoodT) -> None:
        """No more pictures come: the final understanding."""
        if self.frame_ms:
            self.understood = understood

    def percentile_ms(self, share: float) -> float | None:
        """A percentile (0 to 100) of ``frame_ms``; None before the first frame."""
        return round(float(np.percentile(self.frame_ms, share)), 1) if self.frame_ms else None

    def timing(self) -> dict[str, float | None]:
        """The milliseconds a frame took, as `replay --json` writes them."""
        return {"per_frame_p50": self.percentile_ms(50), "per_frame_p95": self.percentile_ms(95)}

    @abstractmethod
    def compare(self) -> None:
        """Compare with the record of what was played, if the session has one. RecordError where it cannot be
        read."""

    @abstractmethod
    def figures(self) -> Figures:
        """Agreement of the replay with the record, once `compare` was called."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The replay as `replay --json` writes it (docs/formats.md)."""


class Narrator(Protocol[UnderstoodT]):
    """Tells a replay on a terminal."""

    def begin(self) -> None:
        """Say what is replayed, and who plays."""

    def take(self, seen: WatchedFrame[UnderstoodT]) -> None:
        """Say what one picture changed."""

    def end(self) -> None:
        """Say how the game ends, and how the replay compares with its record."""


@dataclass(frozen=True, slots=True)
class Recording(Generic[UnderstoodT]):
    """A session that is ready to be watched: its edition, the table that shows it, what sees its frames, and
    what the replay comes to. ``watcher`` takes the pictures: the table's game, with what people said."""

    session: Session | SquareSession
    pack: Pack
    table: TileTable | SquaresTable
    observe: Observe
    watcher: Watcher[UnderstoodT]
    replay: Replay[UnderstoodT]
    narrator: Callable[[Console], Narrator[UnderstoodT]]

    def watch(self, *observers: Observer[UnderstoodT]) -> Replay[UnderstoodT]:
        """Watch every frame, one after the other, and tell ``observers`` after each; FrameError where one
        cannot be read. When it is interrupted, the replay still holds what is known by then."""
        source = SessionSource(self.session, "fast", strict=True)
        try:
            self.replay.finish(watch(source, self.observe, self.watcher, (self.replay.take, *observers)))
        except BaseException:
            self.replay.finish(self.watcher.finish())
            raise
        return self.replay
