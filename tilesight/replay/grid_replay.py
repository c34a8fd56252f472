"""`tilesight replay` for games on squares."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

from engine.game import Event
from engine.grid_game import SquarePosition
from engine.pack import Pack
from engine.record import check, header_to_json, read_record
from tilesight.inference.grid.understanding import SquaresUnderstood
from tilesight.live.grid.controller import SquareSteward
from tilesight.live.presentation import Showing, print_event, progress_bar, say_ready, stay_open
from tilesight.server.dashboard import Dashboard
from tilesight.sessions.grid_session import SquareSession, read_square_session
from tilesight.sessions.session import SessionError
from tilesight.settings import open_pack, session_camera
from vision.observation import Frame, Observation
from vision.pipeline import Pipeline
from web.access.keys import new_key
from web.app import create_square_app

Observe = Callable[[Frame], Observation]


@dataclass(slots=True)
class SquareReplay:
    """What a replay has come to. ``alarms`` are what people would have been told was wrong, each once, with
    the picture that showed it first."""

    session: SquareSession
    understood: SquaresUnderstood | None = None
    alarms: list[dict[str, Any]] = field(default_factory=list)
    frame_ms: list[float] = field(default_factory=list)
    board_seen: bool = False
    _told: set[str] = field(default_factory=set)

    def take(self, understood: SquaresUnderstood, frame_index: int) -> tuple[str, ...]:
        """Take one picture into account; the alarms that are new."""
        self.understood = understood
        self.board_seen = self.board_seen or understood.board_seen
        new = tuple(text for text in understood.messages if text not in self._told)
        self._told = set(understood.messages)  # what was put right and goes wrong again is told again
        self.alarms += [{"frame": frame_index, "text": text} for text in new]
        return new

    def tell(self, understood: SquaresUnderstood, frame_index: int, out: Console) -> None:
        """Take one picture into account, and print what is new."""
        told = len(self.understood.turns) if self.understood is not None else 0
        for text in self.take(understood, frame_index):
            out.print(f"[red]       {escape(text)}[/red]")
        for number, one in enumerate(understood.turns[told:], told + 1):
            out.print(f"{number:>4}.  {escape(_words(self.session, one.turn))}")
            for event in one.step.events:
                name = self.session.names[event.player]
                out.print(f"       {name} +{event.points}  {event.kind}: {escape(event.why)}")

    @property
    def state(self) -> SquarePosition | None:
        """The position after the turns so far."""
        return self.understood.state if self.understood is not None else None

    def to_json(self) -> dict[str, Any]:
        """The replay as a JSON object, set-up and alarms included (docs/formats.md, 'Output of replay')."""
        understood, state = self.understood, self.state
        turns = understood.turns if understood is not None else ()
        value: dict[str, Any] = {
            "tilesight": 1,
            "header": None,
            "turns": [one.to_json() for one in turns],
            "events": [event.to_json() for one in turns for event in one.step.events],
            "scores": dict(state.points) if state is not None else {},
            "final": dict(state.points) if state is not None else {},
            "asked": [],
            "alarms": self.alarms,
        }
        if understood is not None and understood.opening is not None and state is not None:
            value["header"] = header_to_json(understood.opening)
            value |= self.session.game.records.outcome(state).value
        if understood is not None and understood.missing:
            value["asked"] = [{"text": f"Not seen yet: {understood.missing}", "cells": [], "options": []}]
        if self.session.reference is not None:
            value["compare"] = self.compared()
        value["timing_ms"] = {
            "per_frame_p50": self._percentile_ms(50),
            "per_frame_p95": self._percentile_ms(95),
        }
        return value

    def compared(self) -> dict[str, Any]:
        """How the replay agrees with the record of what was really played. RecordError where it cannot be
        read."""
        assert self.session.reference is not None
        record = read_record(self.session.reference)
        expected = [line.event for line in record.lines if hasattr(line.event, "player")]
        turns = self.understood.turns if self.understood is not None else ()
        got = [one.turn for one in turns]
        state, checked = self.state, check(record)
        opening = self.understood.opening if self.understood is not None else None
        events = [event.to_json() for one in turns for event in one.step.events]
        return {
            "turns": len(expected),
            "turns_exact": sum(a == b for a, b in zip(expected, got, strict=False)),
            "scores_exact": self._scores_exact(checked.events),
            "setup_exact": opening is not None and _set_up(opening) == _set_up(record.header),
            "events_exact": events == [event.to_json() for event in checked.events],
            "final_exact": state is not None
            and checked.state is not None
            and set(state.figures) == set(getattr(checked.state, "figures", ()))
            and len(got) == len(expected),
        }

    def _scores_exact(self, really: Sequence[Event]) -> int:
        """After how many turns the running points are those of the record's events."""
        turns = self.understood.turns if self.understood is not None else ()
        exact = 0
        for number, one in enumerate(turns, 1):
            points = Counter(dict.fromkeys(self.session.names, 0))
            for event in really:
                points[event.player] += event.points * (event.turn <= number)
            exact += dict(one.step.state.points) == dict(points)
        return exact

    @property
    def exact(self) -> bool:
        """Whether set-up, events and final table are those of the record."""
        compared = self.compared()
        return all(compared[key] for key in ("setup_exact", "events_exact", "final_exact"))

    def _percentile_ms(self, share: float) -> float | None:
        return round(float(np.percentile(self.frame_ms, share)), 1) if self.frame_ms else None


def _set_up(header: Any) -> dict[str, Any]:
    value = header_to_json(header)
    return {
        key: sorted(json.dumps(one, sort_keys=True) for one in item) if key == "animals" else item
        for key, item in value.items()
        if key not in ("pack", "rules")
    }


def start_of_squares(session: SquareSession, gallery: Path | None) -> tuple[Pack, Observe]:
    """The pack of a session, and what sees its frames; SessionError where the pack is of another game."""
    named = session.opening.pack if session.names_pack else None
    pack, faces = open_pack(named, gallery, session.game.name)
    if pack is None or pack.game != session.game.name or not pack.quarters:
        name = pack.id if pack is not None else named
        raise SessionError(f"{session.folder}: the pack {name!r} is not of {session.game.name}")
    return pack, session_camera(session.folder).through(Pipeline(faces, pack).observe)


def watch_squares(
    session: SquareSession,
    observe: Observe,
    steward: SquareSteward,
    took: Callable[[SquaresUnderstood, int, float], object],
) -> None:
    """The live loop over a session: every frame is seen and understood, and ``took`` is told what is
    understood now, the frame's index, and how many milliseconds the frame took."""
    for file in session.frames:
        frame, arrived_s = file.read(), time.time()
        began = time.perf_counter()
        understood = steward.see(observe(frame), frame, arrived_s)
        took(understood, file.index, 1e3 * (time.perf_counter() - began))
    steward.close_with_source()


def run_square_replay(folder: Path, gallery: Path | None, showing: Showing) -> None:
    """Replay a session of a game on squares, on the terminal or as JSON, and on the dashboard if asked."""
    session = read_square_session(folder)
    pack, observe = start_of_squares(session, gallery)
    session = session.played_with(pack)
    lines = showing.as_json and showing.serve
    steward = SquareSteward(
        session.game,
        pack,
        session.opening,
        session.names,
        title=session.title,
        frames=len(session.frames),
        rendered=session.rendered,
        listener=print_event if lines else None,
    )
    replay = SquareReplay(session)
    out = Console(file=sys.stdout, highlight=False, quiet=showing.as_json)
    aside = Console(stderr=True, highlight=False)
    key = new_key()
    app = create_square_app(steward, key=key)
    server = (
        Dashboard(steward, host=showing.host, port=showing.port, key=key, app=app)
        if showing.serve
        else nullcontext()
    )
    with server as dashboard:
        rendered = " (rendered sample)" if session.rendered else ""
        out.print(f"[bold]{escape(session.title)}[/bold]{rendered}; {len(session.frames)} frames")
        if dashboard is not None:
            say_ready(dashboard, out, aside, as_json=showing.as_json)
        with progress_bar(aside) as progress:
            task = progress.add_task("watching", total=len(session.frames))

            def took(understood: SquaresUnderstood, frame_index: int, ms: float) -> None:
                replay.frame_ms.append(ms)
                replay.tell(understood, frame_index, out)
                progress.update(task, completed=frame_index + 1)

            watch_squares(session, observe, steward, took)
        _tell_result(replay, out, as_json=showing.as_json, lines=lines)
        if dashboard is not None and not showing.exit_at_end:
            stay_open(dashboard, aside)
    if not replay.board_seen:
        print(f"tilesight: no picture of {folder} shows a board", file=sys.stderr)
        raise typer.Exit(1)


def _tell_result(replay: SquareReplay, out: Console, *, as_json: bool, lines: bool) -> None:
    if as_json:
        document = replay.to_json()
        print(json.dumps({"type": "result", **document} if lines else document), flush=True)
    elif replay.state is not None:
        session = replay.session
        out.print(f"[bold]{session.game.records.outcome(replay.state).text}[/bold]")
        if session.reference is not None:
            compared = replay.compared()
            agrees = "exact" if compared["final_exact"] and compared["setup_exact"] else "not exact"
            exact = f"{compared['turns_exact']}/{compared['turns']} turns exact"
            out.print(
                f"Against the record: {exact}, set-up and final table {agrees}; {len(replay.alarms)} alarms"
            )


def _words(session: SquareSession, turn: Any) -> str:
    line = turn.to_json()
    where = f"to {line['to']}" if "to" in line else "passes"
    return f"{session.names[line['player']]} ({line['player']}) {where}"
