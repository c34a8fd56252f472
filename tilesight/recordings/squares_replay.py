"""Replays of games on a board of squares."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from engine.game import Event
from engine.pack import Pack
from engine.record import check, header_to_json, read_record
from engine.squares_game import SquarePosition
from tilesight.inference.squares.understanding import SquaresUnderstood
from tilesight.live.publication import EventSink
from tilesight.live.squares.table import SquaresTable
from tilesight.live.watching import Observe, WatchedFrame
from tilesight.recordings.replay import Figures, Recording, Replay
from tilesight.sessions.session import SessionError
from tilesight.sessions.squares_session import SquareSession
from tilesight.settings import open_pack, session_camera
from vision.pipeline import Pipeline


class SquaresReplay(Replay[SquaresUnderstood]):
    """Result so far of the replay of a game on squares.

    ``alarms`` are the warnings that players would have got, each with the index of the first frame that
    caused it. ``compared`` is the comparison with the record as in `replay --json`, None before `compare`.
    """

    def __init__(self, session: SquareSession) -> None:
        super().__init__()
        self.session = session
        self.alarms: list[dict[str, Any]] = []
        self.compared: dict[str, Any] | None = None
        self._told: set[str] = set()

    def take(self, seen: WatchedFrame[SquaresUnderstood]) -> None:
        """Add the result of one picture, and append its new warnings to ``self.alarms``."""
        super().take(seen)
        messages = seen.understood.messages
        new = tuple(text for text in messages if text not in self._told)
        self._told = set(messages)  # a fault that was corrected and returns is a new alarm
        self.alarms += [{"frame": seen.frame.index, "text": text} for text in new]

    @property
    def state(self) -> SquarePosition | None:
        """Position after the turns so far; None before the set-up is read."""
        return self.understood.state if self.understood is not None else None

    def to_json(self) -> dict[str, Any]:
        """Return the document of `replay --json`, with the set-up read and the alarms."""
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
        if self.compared is not None:
            value["compare"] = self.compared
        value["timing_ms"] = self.timing()
        return value

    def figures(self) -> Figures:
        """Return the agreement with the record. `compare` must have been called, and found a record."""
        compared = self.compared
        assert compared is not None
        exact = all(compared[key] for key in ("setup_exact", "events_exact", "final_exact"))
        turns, turns_exact = compared["turns"], compared["turns_exact"]
        return Figures(turns, turns_exact, compared["scores_exact"], exact, alarms=len(self.alarms))

    def compare(self) -> None:
        """Compare with the session's record, if it has one, and set ``self.compared``.

        Raises RecordError if it cannot be read.
        """
        if self.session.reference is None:
            return
        record = read_record(self.session.reference)
        expected = [line.event for line in record.lines if hasattr(line.event, "player")]
        turns = self.understood.turns if self.understood is not None else ()
        got = [one.turn for one in turns]
        state, checked = self.state, check(record)
        opening = self.understood.opening if self.understood is not None else None
        events = [event.to_json() for one in turns for event in one.step.events]
        self.compared = {
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
        """Return the number of turns after which the running points equal those of ``really``.

        ``really`` are the score events of the record.
        """
        turns = self.understood.turns if self.understood is not None else ()
        exact = 0
        for number, one in enumerate(turns, 1):
            points = Counter(dict.fromkeys(self.session.names, 0))
            for event in really:
                points[event.player] += event.points * (event.turn <= number)
            exact += dict(one.step.state.points) == dict(points)
        return exact


class SquaresNarrator:
    """Prints the replay of a game on squares on a terminal."""

    def __init__(self, replay: SquaresReplay, console: Console) -> None:
        self._replay = replay
        self._console = console
        self._turns = 0
        self._alarms = 0

    def begin(self) -> None:
        """Print the session's title and its number of frames."""
        session = self._replay.session
        rendered = " (rendered sample)" if session.rendered else ""
        title = f"[bold]{escape(session.title)}[/bold]{rendered}"
        self._console.print(f"{title}; {len(session.frames)} frames")

    def take(self, seen: WatchedFrame[SquaresUnderstood]) -> None:
        """Print new alarms and new turns."""
        alarms, session = self._replay.alarms, self._replay.session
        for alarm in alarms[self._alarms :]:
            self._console.print(f"[red]       {escape(alarm['text'])}[/red]")
        turns = seen.understood.turns
        for number, one in enumerate(turns[self._turns :], self._turns + 1):
            self._console.print(f"{number:>4}.  {escape(_words(session, one.turn))}")
            for event in one.step.events:
                name = session.names[event.player]
                self._console.print(f"       {name} +{event.points}  {event.kind}: {escape(event.why)}")
        self._turns, self._alarms = len(turns), len(alarms)

    def end(self) -> None:
        """Print the outcome and the comparison with the record; nothing if the set-up was never read."""
        replay = self._replay
        if replay.state is None:
            return
        self._console.print(f"[bold]{replay.session.game.records.outcome(replay.state).text}[/bold]")
        compared = replay.compared
        if compared is not None:
            agrees = "exact" if compared["final_exact"] and compared["setup_exact"] else "not exact"
            exact = f"{compared['turns_exact']}/{compared['turns']} turns exact"
            self._console.print(
                f"Against the record: {exact}, set-up and final table {agrees}; {len(replay.alarms)} alarms"
            )


def start_of_squares(session: SquareSession, gallery: Path | None) -> tuple[Pack, Observe]:
    """Return a session's pack and the function that makes the observation of a frame.

    Raises SessionError if the pack is of another game, PackError or GalleryError if it cannot be opened.
    """
    named = session.header.pack if session.names_pack else None
    pack, faces = open_pack(named, gallery, session.game.name)
    if pack is None or pack.game != session.game.name or not pack.quarters:
        name = pack.id if pack is not None else named
        raise SessionError(f"{session.folder}: the pack {name!r} is not of {session.game.name}")
    return pack, session_camera(session.folder).through(Pipeline(faces, pack).observe)


def open_squares(
    session: SquareSession, gallery: Path | None, sink: EventSink | None = None
) -> Recording[SquaresUnderstood]:
    """Open a session of a game on squares for replay; ``sink`` receives every event.

    Raises SessionError if the pack is of another game.
    """
    pack, observe = start_of_squares(session, gallery)
    session = session.played_with(pack)
    table = SquaresTable(
        session.game,
        pack,
        session.header,
        session.names,
        title=session.title,
        frames=len(session.frames),
        rendered=session.rendered,
        sink=sink,
    )
    replay = SquaresReplay(session)
    return Recording(
        session, pack, table, observe, table.game, replay, lambda console: SquaresNarrator(replay, console)
    )


def _set_up(header: Any) -> dict[str, Any]:
    value = header_to_json(header)
    return {
        key: sorted(json.dumps(one, sort_keys=True) for one in item) if key == "animals" else item
        for key, item in value.items()
        if key not in ("pack", "rules")
    }


def _words(session: SquareSession, turn: Any) -> str:
    line = turn.to_json()
    where = f"to {line['to']}" if "to" in line else "passes"
    return f"{session.names[line['player']]} ({line['player']}) {where}"
