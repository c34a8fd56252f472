"""`tilesight replay`: a recorded session through the same path as a camera, told and compared."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilesight.live.presentation import Showing, print_event, progress_bar, say_ready, stay_open
from tilesight.live.publication import EventSink
from tilesight.live.watching import WatchedFrame
from tilesight.replay.replay import Narrator, Recording
from tilesight.replay.squares_replay import open_squares
from tilesight.replay.tile_replay import open_tiles
from tilesight.server.dashboard import DEFAULT_HOST, Dashboard
from tilesight.sessions.session import Session, read_session
from tilesight.sessions.squares_session import SquareSession, is_square_session, read_square_session


def read_any_session(folder: Path) -> Session | SquareSession:
    """The session in ``folder``, of whatever kind of game. SessionError says what is wrong."""
    return read_square_session(folder) if is_square_session(folder) else read_session(folder)


def open_recording(
    session: Session | SquareSession, gallery: Path | None = None, sink: EventSink | None = None
) -> Recording[Any]:
    """A session, ready to be watched; ``gallery`` holds the faces of a printed edition, ``sink`` hears
    every event. SessionError where the session and its pack do not go together."""
    if isinstance(session, SquareSession):
        return open_squares(session, gallery, sink)
    return open_tiles(session, gallery, sink)


def run_replay(folder: Path, gallery: Path | None, showing: Showing) -> None:
    """Replay a session, telling it on the terminal, as JSON, or on the dashboard.

    ``KeyboardInterrupt`` passes through once what is known so far has been told.
    """
    lines = showing.as_json and showing.serve
    recording = open_recording(read_any_session(folder), gallery, print_event if lines else None)
    out = Console(file=sys.stdout, highlight=False, quiet=showing.as_json)
    aside = Console(stderr=True, highlight=False)
    narrator = recording.narrator(out)
    table = recording.table
    server = Dashboard(table, host=showing.host, port=showing.port) if showing.serve else nullcontext()
    with server as dashboard:
        narrator.begin()
        if dashboard is not None:
            say_ready(dashboard, out, aside, as_json=showing.as_json)
        try:
            _watch(recording, narrator, showing, aside)
        except KeyboardInterrupt:
            _tell_result(recording, narrator, as_json=showing.as_json, lines=lines)
            raise
        try:
            recording.replay.compare()
        finally:  # what was understood is told also where the record cannot be read
            table.game.close_with_source()
            _tell_result(recording, narrator, as_json=showing.as_json, lines=lines)
        if dashboard is not None and not showing.exit_at_end:
            stay_open(dashboard, aside)
    if not recording.replay.board_seen:
        print(f"tilesight: no picture of {folder} shows a board", file=sys.stderr)
        raise typer.Exit(1)


def replay_command(
    session: Annotated[Path, typer.Argument(help="a session's folder")],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="show it on the dashboard")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON document on stdout (with --serve: JSON Lines)")
    ] = False,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
) -> None:
    """Replay a recorded session: its turns, scores and reasons, and how they compare with its record."""
    run_replay(session, gallery, Showing(serve, as_json, exit_at_end=False, host=host, port=port))


def _watch(recording: Recording[Any], narrator: Narrator[Any], showing: Showing, aside: Console) -> None:
    with progress_bar(aside) as progress:
        task = progress.add_task("watching", total=len(recording.session.frames))

        def advance(seen: WatchedFrame[Any]) -> None:
            progress.update(task, completed=seen.frame.index + 1)

        recording.watch(narrator.take, advance, _slowly(showing.turn_s))


def _slowly(turn_s: float) -> Callable[[WatchedFrame[Any]], None]:
    """A sink that keeps new turns at least ``turn_s`` apart, so that people can follow."""
    last_s = time.monotonic()
    known: list[Any] = []

    def wait(seen: WatchedFrame[Any]) -> None:
        nonlocal last_s, known
        turns = [turn.turn for turn in seen.understood.turns]
        if turn_s and turns != known:
            time.sleep(max(0.0, last_s + turn_s - time.monotonic()))
            last_s = time.monotonic()
        known = turns

    return wait


def _tell_result(recording: Recording[Any], narrator: Narrator[Any], *, as_json: bool, lines: bool) -> None:
    if as_json:
        document = recording.replay.to_json()
        print(json.dumps({"type": "result", **document} if lines else document), flush=True)
    else:
        narrator.end()
