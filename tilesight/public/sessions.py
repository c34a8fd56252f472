"""Following of games on a table: `tilesight.replay` and `tilesight.watch`."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tilesight.public.results import Drawing, Json, PicturedResult

if TYPE_CHECKING:
    from engine.pack import Pack
    from tilesight.live.sources import Source
    from tilesight.live.watching import Observe, WatchedFrame, Watcher


@dataclass(frozen=True, slots=True)
class Event:
    """Event of a table.

    ``type`` is turn, score, question, fault, camera or end, ``data`` its fields (docs/http.md, 'Events').
    """

    type: str
    data: Mapping[str, Any]

    def to_json(self) -> Json:
        """Return the JSON object that ``tilesight live --json`` prints."""
        return {"type": self.type, **self.data}


@dataclass(frozen=True, eq=False)
class Replayed(PicturedResult):
    """Result of `replay`."""

    document: Mapping[str, Any] = field(repr=False)
    drawing: Drawing | None = field(default=None, repr=False)

    @property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The turns understood, as record lines with ``frame`` and ``confidence``."""
        return tuple(self.document["turns"])

    @property
    def events(self) -> tuple[Mapping[str, Any], ...]:
        """The scores during and at the end of the game: colour, points, kind and reason."""
        return tuple(self.document["events"])

    @property
    def final(self) -> dict[str, int]:
        """Points by colour if the game ended with the last picture."""
        return dict(self.document["final"])

    @property
    def compare(self) -> Mapping[str, Any] | None:
        """Comparison with the session's game record; None if it has none."""
        compared: Mapping[str, Any] | None = self.document.get("compare")
        return compared

    def to_json(self) -> Json:
        """Return the document of ``tilesight replay --json`` (docs/formats.md, 'Output of replay')."""
        return dict(self.document)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.turns)


def replay(session: str | Path, *, gallery: str | Path | None = None) -> Replayed:
    """Follow a recorded session (a folder with ``session.json``) to its end.

    ``gallery`` is a file of `enrol`. Raises ValueError, with a message of one line, if the session cannot be
    read.
    """
    from tilesight.recordings.command import open_recording, read_any_session

    opened = read_any_session(Path(session))
    recording = open_recording(opened, None if gallery is None else Path(gallery))
    last: deque[WatchedFrame[Any]] = deque(maxlen=1)
    result = recording.watch(last.append)
    result.compare()
    return Replayed(result.to_json(), partial(_overlay, last[0], recording.pack) if last else None)


def _overlay(seen: WatchedFrame[Any], pack: Pack) -> np.ndarray:
    """Return the picture of ``seen`` with its reading drawn on it, uint8 (H, W, 3), BGR."""
    from tilesight.grading.squares_photo import draw_squares, seen_squares
    from vision.board import see_board
    from vision.overlay import draw_overlay

    picture = seen.frame.image
    if pack.quarters:
        squares = seen_squares(seen.observation, pack)
        return picture if squares is None else draw_squares(picture, squares)
    return draw_overlay(picture, see_board(seen.observation, pack))


def watch(
    source: str | Path,
    *,
    game: str | None = None,
    players: Mapping[str, str] | None = None,
    pack: str | None = None,
    gallery: str | Path | None = None,
    rules: str | None = None,
    pace: Literal["real", "fast"] = "real",
) -> Generator[Event]:
    """Follow a game at a table; yield its events as they are understood.

    ``source`` is a camera's index, a video file, an ``rtsp://`` or ``http://`` address, a folder to which
    pictures are added, or a recorded session. Except for a session, ``game`` and ``players`` (names by colour
    in turn order) are required. ``pace`` "fast" skips the pauses between a session's pictures. No log is
    kept. Raises ValueError, with a message of one line, before the first event if the arguments are invalid.
    Closing the iterator releases the camera.
    """
    happened: deque[Event] = deque()

    def sink(kind: str, data: Mapping[str, Any]) -> None:
        happened.append(Event(kind, dict(data)))

    faces = None if gallery is None else Path(gallery)
    with ExitStack() as held:
        if game is None:
            opened, observe, watcher = _of_session(Path(source), faces, pace, sink)
        else:
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="tilesight-")))
            asked = (game, players or {}, pack, faces, rules)
            opened, observe, watcher, store = _of_camera(str(source), asked, pace, folder, sink)
            held.enter_context(store)
        held.enter_context(closing(opened))
        from tilesight.live.watching import steps

        for _ in steps(opened, observe, watcher, keep_going=game is not None):
            while happened:
                yield happened.popleft()
        watcher.finish()
        while happened:
            yield happened.popleft()


def _of_session(
    folder: Path, gallery: Path | None, pace: Literal["real", "fast"], sink: Any
) -> tuple[Source, Observe, Watcher[Any]]:
    from tilesight.live.sources import SessionSource
    from tilesight.recordings.command import open_recording, read_any_session

    session = read_any_session(folder)
    recording = open_recording(session, gallery, sink)
    return SessionSource(session, pace, strict=True), recording.observe, recording.watcher


def _of_camera(
    camera: str, asked: tuple[Any, ...], pace: Literal["real", "fast"], folder: Path, sink: Any
) -> tuple[Source, Observe, Watcher[Any], Any]:
    from tilesight.commands.live_games import asked_game
    from tilesight.live.sources import open_source
    from tilesight.settings import live_camera
    from tilesight.table_log.event_store import SUFFIX, TableStore
    from vision.pipeline import Pipeline

    name, players, pack, gallery, rules = asked
    seated = ",".join(f"{color}={called}" for color, called in players.items())
    wanted = asked_game(name, seated, pack, gallery, rules, learn=False)
    store = TableStore(folder / f"watched{SUFFIX}")
    wanted.begun_in(store)
    run = wanted.run(store, rendered=False, sink=sink)
    observe = live_camera(camera).through(Pipeline(wanted.faces, wanted.pack).observe)
    return open_source(camera, pace), observe, run.table.game, store
