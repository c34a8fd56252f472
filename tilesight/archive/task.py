"""Task of one session: load or make its observations, infer its turns, and store the result.

A task can run in any process that can reach the session and the store. Its fields can be pickled.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.pack import Pack
from engine.record import check, header_to_json, read_record
from models.threads import use_threads
from tilesight.archive.store import ArchiveStore
from tilesight.archive.versions import SHOWN, code_versions, file_hash, session_hash
from tilesight.live.watching import Observe
from tilesight.recordings.command import open_recording, read_any_session
from tilesight.recordings.tile_replay import begun
from tilesight.sessions.session import FrameFile, Session, SessionError
from tilesight.sessions.squares_session import SquareSession
from tilesight.settings import known_pack, pack_of_gallery, pack_of_game
from vision.observation import Frame, Observation

NO_IMAGE = np.zeros((8, 8, 3), np.uint8)
"""Placeholder image of a frame whose observation is stored."""
OWN = "own"
"""Replacement for a gallery's hash, for our own decks, which need no gallery."""


@dataclass(frozen=True, slots=True)
class Task:
    """Session to score: its folder, the gallery or None, the store's folder.

    With ``rules_only``, the turns of the latest result are replayed by the current rules, without inference.
    """

    session: Path
    gallery: Path | None
    store: Path
    rules_only: bool = False


def score(task: Task) -> dict[str, Any]:
    """Return the result of a task, from the store or computed now.

    ``"stage"`` is the data from which it was made: ``"kept"`` (a stored result), ``"pictures"``,
    ``"observations"`` or ``"turns"``. Raises SessionError, FrameError, RecordError or OSError if the session
    cannot be used.
    """
    cv2.setNumThreads(1)  # the executor has a process for each core
    use_threads(1)
    began_s = time.monotonic()
    session = read_any_session(task.session)
    store, versions = ArchiveStore(task.store), code_versions()
    named = session_hash(task.session, [file.path for file in session.frames])
    gallery = OWN if task.gallery is None else file_hash(task.gallery)[:SHOWN]
    version = f"{versions.understanding}{'.rules' if task.rules_only else ''}"
    told_before = store.before(named, gallery, version)
    if (kept := store.result(named, gallery, version)) is not None:
        return {**kept, "session": str(task.session), "stage": "kept", "before": told_before}
    if task.rules_only:
        stage, told = "turns", _played(session, task.gallery, told_before)
    else:
        stage, told = _understood(session, task.gallery, store, (named, gallery, versions.seeing))
    result = {
        "session": str(task.session),
        "hash": named,
        "version": version,
        "stage": stage,
        "took_s": round(time.monotonic() - began_s, 3),
        "process": os.getpid(),
        "told": told,
    }
    store.keep_result(named, gallery, version, result)
    return {**result, "before": told_before}


def _understood(
    session: Session | SquareSession, gallery: Path | None, store: ArchiveStore, key: tuple[str, str, str]
) -> tuple[str, dict[str, Any]]:
    """Return the stage from which the session was scored, and its result."""
    seen = store.observations(*key)
    if seen is not None and len(seen) == len(session.frames):
        return "observations", _replayed(_without_pictures(session), gallery, lambda _: _again(seen))
    kept: list[Observation] = []

    def keeping(observe: Observe) -> Observe:
        def look(frame: Frame) -> Observation:
            kept.append(observe(frame))
            return kept[-1]

        return look

    told = _replayed(session, gallery, keeping)
    store.keep_observations(*key, kept)
    return "pictures", told


def _replayed(
    session: Session | SquareSession, gallery: Path | None, through: Callable[[Observe], Observe]
) -> dict[str, Any]:
    recording = open_recording(session, gallery)
    replay = replace(recording, observe=through(recording.observe)).watch()
    replay.compare()
    told = replay.to_json()
    del told["timing_ms"]
    return told


def _played(
    session: Session | SquareSession, gallery: Path | None, before: dict[str, Any] | None
) -> dict[str, Any]:
    """Replay the turns of an earlier result by the current rules.

    Raises SessionError if a turn is no longer legal.
    """
    if before is None:
        raise SessionError(f"{session.folder}: has no result yet whose turns could be played again")
    told = before["told"]
    if isinstance(session, SquareSession):
        header, turns_before, pack = told["header"], [], None
    else:
        pack = _pack_of(session, gallery)
        header = header_to_json(session.played_with(begun(session, pack).pack).header)
        header |= {"position": told["position"]} if "position" in told else {}
        turns_before = [turn.to_json() for turn in session.turns_before]
    checked = check(read_record("\n".join(map(json.dumps, [header, *turns_before, *told["turns"]]))), pack)
    if checked.faults:
        raise SessionError(f"{session.folder}: a turn is not legal any more: {checked.faults[0].message}")
    return {**told, **checked.outcome.value, "events": [event.to_json() for event in checked.events]}


def _pack_of(session: Session, gallery: Path | None) -> Pack:
    """Return the pack that a session was played with, without its faces."""
    name = session.header.pack if session.names_pack else None
    if name is None and gallery is None:
        name, gallery = pack_of_game(session.header.game)
    if name is not None:
        return known_pack(name, gallery)
    assert gallery is not None
    return pack_of_gallery(gallery)


def _again(seen: list[Observation]) -> Observe:
    """Return a recogniser that returns these observations, one after the other."""
    return lambda frame: seen[frame.index]


@dataclass(frozen=True, slots=True)
class _SeenFile(FrameFile):
    """A frame file that is not opened, because its observation is stored."""

    def read(self) -> Frame:
        return Frame(NO_IMAGE, self.t_s, self.path.name, self.index)


def _without_pictures(session: Session | SquareSession) -> Session | SquareSession:
    frames = tuple(_SeenFile(file.path, file.t_s, file.index) for file in session.frames)
    return replace(session, frames=frames)


def sessions_in(source: Path) -> Iterator[Path]:
    """Yield the session folders under a folder, by name. Raises SessionError if there is none."""
    found = sorted(path.parent for path in source.rglob("session.json"))
    if not found:
        raise SessionError(f"{source}: no session here (a folder with a session.json)")
    yield from found
