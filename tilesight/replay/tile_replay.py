"""``tilesight replay``: a recorded session through the same path as a camera, told and compared."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from engine.games import tile_game_named
from engine.record import header_to_json
from engine.tiles.game import Final, GameState, drawn
from tilesight.inference.questions import ASK_BELOW
from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.album import SessionAlbum
from tilesight.live.presentation import Showing, print_event, progress_bar, say_ready, stay_open
from tilesight.live.table import LiveTable, events_of
from tilesight.replay.grid_replay import run_square_replay
from tilesight.server.dashboard import DEFAULT_HOST, Dashboard
from tilesight.sessions.comparison import Comparison, compare
from tilesight.sessions.grid_session import is_square_session
from tilesight.sessions.narration import Narrator
from tilesight.sessions.session import SESSION_FILE, Session, SessionError, read_session
from tilesight.settings import open_pack, session_camera
from vision.observation import Frame, Observation
from vision.pipeline import Pipeline

Observe = Callable[[Frame], Observation]


@dataclass(slots=True)
class Replay:
    """What a replay has come to so far."""

    start: GameState
    understood: Understanding | None = None
    frame_ms: list[float] = field(default_factory=list)
    compared: Comparison | None = None
    doubted: set[int] = field(default_factory=set)
    """Turns that were asked about while the pictures came."""
    board_seen: bool = False

    @property
    def turns(self) -> tuple[UnderstoodTurn, ...]:
        """The turns as understood so far."""
        return self.understood.turns if self.understood is not None else ()

    @property
    def state(self) -> GameState:
        """The position after them."""
        return self.understood.state if self.understood is not None else self.start

    @property
    def final(self) -> Final:
        """The scores as if the game ended now."""
        return self.state.final()

    def to_json(self) -> dict[str, Any]:
        """The replay as a JSON object (docs/formats.md, 'Output of replay')."""
        final = self.final
        value: dict[str, Any] = {
            "tilesight": 1,
            "turns": list(self._lines()),
            "events": [event.to_json() for event in (*events_of(self.turns), *final.events)],
            "scores": dict(self.state.scores),
            "final": dict(final.scores),
            "asked": [*(_question(number, turn) for number, turn in self.asked()), *self._open()],
        }
        if self.compared is not None:
            value["compare"] = self.compared.to_json()
        value["timing_ms"] = {
            "per_frame_p50": self.percentile_ms(50),
            "per_frame_p95": self.percentile_ms(95),
        }
        return value

    def percentile_ms(self, share: float) -> float | None:
        """A percentile of the time one frame took, from picture to understanding."""
        return round(float(np.percentile(self.frame_ms, share)), 1) if self.frame_ms else None

    def asked(self) -> Iterator[tuple[int, UnderstoodTurn]]:
        """The turns about which a person would have been asked, with their numbers from 1."""
        for number, turn in enumerate(self.turns, 1):
            if turn.confidence < ASK_BELOW or number in self.doubted:
                yield number, turn

    def _open(self) -> Iterator[dict[str, Any]]:
        """What lies on the table at the end and no turn explains."""
        unclear = self.understood.unclear if self.understood is not None else None
        if unclear is not None:
            yield {"text": unclear.message, "cells": [list(cell) for cell in unclear.cells], "options": []}

    def _lines(self) -> Iterator[dict[str, Any]]:
        before = self.start
        for turn in self.turns:
            line = turn_line(before, turn)
            before = turn.step.state
            yield {**line, "frame": turn.frame_index, "confidence": round(turn.confidence, 4)}


def turn_line(before: GameState, understood: UnderstoodTurn) -> dict[str, Any]:
    """The record line of a turn after ``before``; animal tiles drawn unseen stand as ``"?"``."""
    line = understood.turn.to_json()
    draws = drawn(before, understood.turn, understood.step.state)
    if draws and not understood.turn.draws:
        line["draws"] = {player: list(animals) for player, animals in draws.items()}
    return line


def start_of(session: Session, gallery: Path | None) -> tuple[GameState, Observe]:
    """The position before the first frame, and what sees this session's frames."""
    header = session.header
    pack, faces = open_pack(header.pack if session.names_pack else None, gallery, header.game)
    if pack is None or pack.game != header.game:
        named = pack.id if pack is not None else header.pack
        raise SessionError(f"{session.folder}: the pack {named!r} is not of the game {header.game!r}")
    try:
        state = tile_game_named(header.game).start(session.played_with(pack).header, pack)
        for turn in session.turns_before:
            state = state.apply(turn).state
    except ValueError as error:
        raise SessionError(f"{session.folder / SESSION_FILE}: {error}") from None
    return state, session_camera(session.folder).through(Pipeline(faces, pack).observe)


def watch(
    session: Session,
    observe: Observe,
    replay: Replay,
    took: Callable[[Understanding, int, float], None],
    album: SessionAlbum | None = None,
) -> None:
    """The live loop over a session: every frame is seen and understood, and ``took`` is told.

    ``took`` gets what is understood now, the frame's index, and when the frame came in (unix seconds);
    ``album`` keeps what the dashboard shows of the pictures.
    """
    tracker = TurnTracker(replay.start)
    try:
        for file in session.frames:
            frame = file.read()
            arrived_s = time.time()
            began = time.perf_counter()
            observation = observe(frame)
            replay.understood = tracker.see(observation)
            for said in session.said:
                if said.frame_index == file.index:
                    replay.understood = tracker.fix(said.turns, said.not_these)
            replay.frame_ms.append(1e3 * (time.perf_counter() - began))
            if album is not None:
                album.look(frame, observation, replay.understood.lattice)
                album.decided(turn.frame_index for turn in replay.understood.turns)
            if replay.understood.doubt is not None:
                replay.doubted.add(replay.understood.doubt.number)
            replay.board_seen = replay.board_seen or replay.understood.board_seen
            took(replay.understood, file.index, arrived_s)
    finally:
        # Also when interrupted: what is known so far is told.
        if replay.understood is not None:
            replay.understood = tracker.finish()
    if album is not None:
        album.decided(turn.frame_index for turn in replay.turns)
    took(replay.understood or tracker.finish(), session.frames[-1].index, time.time())


def compare_with_reference(session: Session, replay: Replay) -> None:
    """Fill in the comparison, if the session has a record of what was played."""
    if session.reference is not None:
        replay.compared = compare(
            session.reference,
            replay.start.pack,
            replay.turns,
            replay.final.scores,
            len(session.turns_before),
        )


def run_replay(folder: Path, gallery: Path | None, showing: Showing) -> None:
    """Replay a session, telling it on the terminal, as JSON, or on the dashboard.

    ``KeyboardInterrupt`` passes through once what is known so far has been told.
    """
    if is_square_session(folder):
        run_square_replay(folder, gallery, showing)
        return
    session = read_session(folder)
    state, observe = start_of(session, gallery)
    session = session.played_with(state.pack)
    replay = Replay(state)
    lines = showing.as_json and showing.serve
    table = LiveTable(
        state,
        session.names,
        title=session.title,
        game=session.header.game,
        frames=len(session.frames),
        rendered=session.rendered,
        header_line=header_to_json(session.header),
        listener=print_event if lines else None,
    )
    album = SessionAlbum(session)
    table.album = album
    out = Console(file=sys.stdout, highlight=False)
    aside = Console(stderr=True, highlight=False)
    narrator = Narrator(session, state, aside if showing.as_json else out, quiet=showing.as_json)
    server = Dashboard(table, host=showing.host, port=showing.port) if showing.serve else nullcontext()
    pace = _Pace(showing.turn_s)
    with server as dashboard:
        narrator.begin()
        if dashboard is not None:
            say_ready(dashboard, out, aside, as_json=showing.as_json)
        progress = progress_bar(aside)
        try:
            with progress:
                task = progress.add_task("watching", total=len(session.frames))

                def took(understanding: Understanding, frame_index: int, arrived_s: float) -> None:
                    new = table.take(understanding, frame_index, arrived_s)
                    narrator.told(understanding.turns)
                    progress.update(task, completed=frame_index + 1)
                    pace.after(new)

                watch(session, observe, replay, took, album)
        except KeyboardInterrupt:
            _tell_result(replay, narrator, out, as_json=showing.as_json, lines=lines)
            raise
        try:
            compare_with_reference(session, replay)
        finally:  # what was understood is told also where the record cannot be read
            table.finish(replay.final)
            _tell_result(replay, narrator, out, as_json=showing.as_json, lines=lines)
        if dashboard is not None and not showing.exit_at_end:
            stay_open(dashboard, aside)
    if not replay.board_seen:
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


class _Pace:
    """Keeps turns at least ``turn_s`` apart, so that people can follow."""

    def __init__(self, turn_s: float) -> None:
        self._turn_s = turn_s
        self._last = time.monotonic()

    def after(self, new_turns: int) -> None:
        if new_turns and self._turn_s:
            time.sleep(max(0.0, self._last + self._turn_s - time.monotonic()))
            self._last = time.monotonic()


def _tell_result(replay: Replay, narrator: Narrator, out: Console, *, as_json: bool, lines: bool) -> None:
    if as_json:
        document = replay.to_json()
        print(json.dumps({"type": "result", **document} if lines else document), flush=True)
    else:
        narrator.end(replay.turns, replay.final, replay.compared, list(replay.asked()))
        p50, p95 = replay.percentile_ms(50), replay.percentile_ms(95)
        if p50 is not None:
            out.print(f"[dim]{len(replay.frame_ms)} frames, p50 {p50:.0f} ms, p95 {p95:.0f} ms each[/dim]")


def _question(number: int, turn: UnderstoodTurn) -> dict[str, Any]:
    return {
        "turn": number,
        "frame": turn.frame_index,
        "player": turn.turn.player,
        "text": f"What was turn {number}?",
        "confidence": round(turn.confidence, 4),
        "options": [option.to_json() for option in (turn.turn, *turn.alternatives)],
    }
