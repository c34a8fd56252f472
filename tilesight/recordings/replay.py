"""Replay of a recording: the parts that both kinds of board share."""

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
    """Agreement of a replay with the record.

    Of ``turns`` turns, the numbers of exact turns and of exact running scores; whether the final score is
    exact. ``asked`` are the numbers of the turns asked about; ``alarms`` counts warnings of a wrong set-up or
    misplaced figure.
    """

    turns: int
    turns_exact: int
    scores_exact: int
    final_exact: bool
    asked: tuple[int, ...] = ()
    alarms: int = 0


class Replay(ABC, Generic[UnderstoodT]):
    """Result of a replay so far.

    ``understood`` is the last understanding, None before the first picture. ``frame_ms`` are the milliseconds
    from picture to understanding, per frame. ``board_seen`` says whether any picture showed the board.
    """

    def __init__(self) -> None:
        self.understood: UnderstoodT | None = None
        self.frame_ms: list[float] = []
        self.board_seen = False

    def take(self, seen: WatchedFrame[UnderstoodT]) -> None:
        """Add the result of one watched picture: the understanding after it, and its time."""
        self.understood = seen.understood
        self.frame_ms.append(seen.took_ms)
        self.board_seen = self.board_seen or seen.understood.board_seen

    def finish(self, understood: UnderstoodT) -> None:
        """Set the final understanding, after the last picture; no effect if there was no picture."""
        if self.frame_ms:
            self.understood = understood

    def percentile_ms(self, share: float) -> float | None:
        """Return the percentile ``share`` (0 to 100) of the milliseconds per frame; None before the first."""
        return round(float(np.percentile(self.frame_ms, share)), 1) if self.frame_ms else None

    def timing(self) -> dict[str, float | None]:
        """Return ``timing_ms`` of `replay --json`: median and 95th percentile, None without frames."""
        return {"per_frame_p50": self.percentile_ms(50), "per_frame_p95": self.percentile_ms(95)}

    @abstractmethod
    def compare(self) -> None:
        """Compare with the session's record and keep the result; no effect if there is no record.

        Raises RecordError if it cannot be read.
        """

    @abstractmethod
    def figures(self) -> Figures:
        """Return the agreement with the record. `compare` must have been called, and found a record."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the document of `replay --json` (docs/formats.md, 'Output of replay')."""


class ReplayNarrator(Protocol[UnderstoodT]):
    """Prints a replay on a terminal."""

    def begin(self) -> None:
        """Print the session's title and players."""

    def take(self, seen: WatchedFrame[UnderstoodT]) -> None:
        """Print the changes of one picture."""

    def end(self) -> None:
        """Print the result of the game and the comparison with the record."""


@dataclass(frozen=True, slots=True)
class Recording(Generic[UnderstoodT]):
    """An opened session.

    ``table`` shows its game, ``observe`` makes the observation of a frame, ``watcher`` infers the game from
    the observations, ``replay`` collects the result, ``narrator`` makes the printer for a console.
    """

    session: Session | SquareSession
    pack: Pack
    table: TileTable | SquaresTable
    observe: Observe
    watcher: Watcher[UnderstoodT]
    replay: Replay[UnderstoodT]
    narrator: Callable[[Console], ReplayNarrator[UnderstoodT]]

    def watch(self, *observers: Observer[UnderstoodT]) -> Replay[UnderstoodT]:
        """Process every frame in order, calling ``observers`` after each; return the replay.

        If interrupted, the replay keeps the result so far, and the exception propagates. Raises FrameError if
        a frame cannot be read.
        """
        source = SessionSource(self.session, "fast", strict=True)
        try:
            self.replay.finish(watch(source, self.observe, self.watcher, (self.replay.take, *observers)))
        except BaseException:
            self.replay.finish(self.watcher.finish())
            raise
        return self.replay
