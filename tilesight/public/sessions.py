"""Games on a table, followed: `tilesight.recordings` and `tilesight.watch`."""

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
    """Something that happened at a table: ``type`` is turn, score, question, fault, camera or end, ``data``
    its fields (docs/http.md, 'Events')."""

    type: str
    data: Mapping[str, Any]

    def to_json(self) -> Json:
        """The event as a JSON object, as ``tilesight live --json`` prints it."""
        return {"type": self.type, **self.data}


@dataclass(frozen=True, eq=False)
class Replayed(PicturedResult):
    """A recorded session, followed to its end. ``turns`` are record lines with ``frame`` and ``confidence``,
    ``events`` the points with their reasons, ``final`` the points by colour at the end; ``compare`` says how
    it agrees with the record of what was played, where the session has one."""

    document: Mapping[str, Any] = field(repr=False)
    drawing: Drawing | None = field(default=None, repr=False)

    @property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The turns that were understood."""
        return tuple(self.document["turns"])

    @property
    def events(self) -> tuple[Mapping[str, Any], ...]:
        """The points, each with its reason."""
        return tuple(self.document["events"])

    @property
    def final(self) -> dict[str, int]:
        """The points by colour if the game ended with the last picture."""
        return dict(self.document["final"])

    @property
    def compare(self) -> Mapping[str, Any] | None:
        """Agreement with the record of what was played; None without one."""
        compared: Mapping[str, Any] | None = self.document.get("compare")
        return compared

    def to_json(self) -> Json:
        """The replay as ``tilesight replay --json`` prints it (docs/formats.md, 'Output of replay')."""
        return dict(self.document)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.turns)


def replay(session: str | Path, *, gallery: str | Path | None = None) -> Replayed:
    """Follow a recorded session, a folder with ``session.json``, to its end.

    ``gallery`` is a file with the faces of a printed edition (`enrol`). Raises ValueError, with a line for
    people, where the session cannot be read.
    """
    from tilesight.recordings.command import open_recording, read_any_session

    opened = read_any_session(Path(session))
    recording = open_recording(opened, None if gallery is None else Path(gallery))
    last: deque[WatchedFrame[Any]] = deque(maxlen=1)
    result = recording.watch(last.append)
    result.compare()
    return Replayed(result.to_json(), partial(_overlay, last[0], recording.pack) if last else None)


def _overlay(seen: WatchedFrame[Any], pack: Pack) -> np.ndarray:
    """The picture with what was recognised."""
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
    """Follow a game at a table, and yield what happens as it is understood.

    ``source`` is a camera's index, a video file, an ``rtsp://`` or ``http://`` address, a folder that is
    being filled, or a recorded session. A session says itself which game is played and by whom; else
    ``game`` and ``players``, names by colour in turn order, are needed. ``pace`` "fast" takes the pictures of
    a session without their pauses. Nothing is kept on disk. Raises ValueError, with a line for people, before
    the first event where something does not go together. Closing the iterator lets go of the camera.
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
