"""`tilesight bench delay`: seconds from a turn's first picture at rest to the event that phones receive."""

from __future__ import annotations

import json
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from engine.games import read_turn
from engine.record import header_to_json, read_record
from engine.tiles.turn import Turn
from tilesight.live.sources import SessionSource
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import watch
from tilesight.recordings.tile_replay import start_of
from tilesight.server.dashboard import Dashboard
from tilesight.sessions.comparison import seen_part
from tilesight.sessions.session import Session, SessionError, read_session
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore

FRAMES_PER_S = 5.0
"""Frames per second of the simulated camera (default of --fps)."""


@dataclass(frozen=True, slots=True)
class Delays:
    """Delays of one session.

    ``seconds`` are the times from each turn's picture to its event. ``untold`` counts turns that were never
    reported as they were played, ``dropped`` the pictures skipped because the pipeline was busy.
    """

    seconds: tuple[float, ...]
    untold: int
    dropped: int

    def percentile_s(self, share: float) -> float | None:
        """Percentile ``share`` (0 to 100) of the delays in seconds, rounded to 1 ms; None without delays."""
        return round(float(np.percentile(self.seconds, share)), 3) if self.seconds else None

    def to_json(self) -> dict[str, Any]:
        """Return the figures of ``--json`` (docs/formats.md, 'Output of bench')."""
        return {
            "turns": len(self.seconds),
            "p50_s": self.percentile_s(50),
            "p95_s": self.percentile_s(95),
            "untold": self.untold,
            "dropped": self.dropped,
        }


def bench_delay_command(
    folder: Annotated[Path, typer.Argument(metavar="SESSION", help="a session with its game record")],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    fps: Annotated[float, typer.Option(min=0.5, max=60, help="pictures per second")] = FRAMES_PER_S,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Measure the delay of a live table: from a turn's first picture at rest to its event on the wire."""
    delays = measure(read_session(folder), gallery, fps)
    if as_json:
        print(json.dumps({"tilesight": 1, "delay": delays.to_json()}))
        return
    print(
        f"{len(delays.seconds)} turns at {fps:g} pictures a second: p50 {delays.percentile_s(50)} s, "
        f"p95 {delays.percentile_s(95)} s from the first picture at rest to the event on the wire; "
        f"{delays.untold} turns never reported as played, {delays.dropped} pictures dropped"
    )


def measure(session: Session, gallery: Path | None, fps: float) -> Delays:
    """Run a session through the live path at ``fps`` pictures per second and time the events of its turns.

    A client subscribes to the dashboard's event stream, as a phone does. Raises SessionError if the session
    has no record.
    """
    if session.reference is None:
        raise SessionError(f"{session.folder}: has no record to compare with")
    record = read_record(session.reference)
    played = [(line.event, line.frame) for line in record.lines if isinstance(line.event, Turn)]
    start, observe = start_of(session, gallery)
    session = session.played_with(start.pack)
    paced = replace(session, frames=tuple(replace(f, t_s=f.index / fps) for f in session.frames))
    source = SessionSource(paced, "real")
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-") as scratch,
        TableStore(Path(scratch) / "bench.table") as store,
    ):
        header = header_to_json(session.header)
        store.append(EntryKind.OPENED, {"header": header, "names": dict(session.names)})
        table = TileTable(start, session.names, store, title=session.title, game=session.header.game)
        with Dashboard(table, host="127.0.0.1", port=0) as on:
            phone = _Phone(f"{on.url}/api/events")
            observe(session.frames[0].read())  # warm up the networks before the clock starts
            began_s = time.time()
            watch(source, observe, table.game)
            table.game.close_with_source()
            sent = phone.sent_until_end()
    # A delay counts from the time at which the picture was taken, so time spent in the queue is included.
    seconds, untold = [], 0
    for number, (turn, frame) in enumerate(played, 1):
        sent_s = sent.get((number, seen_part(turn)))
        if sent_s is None or frame is None:
            untold += 1
        else:
            seconds.append(max(sent_s - (began_s + frame / fps), 0.0))
    return Delays(tuple(seconds), untold, source.dropped)


class _Phone(threading.Thread):
    """Client of the table's event stream; records when each turn was sent."""

    def __init__(self, url: str) -> None:
        super().__init__(name="phone", daemon=True)
        self._url = url
        self._sent: dict[tuple[int, tuple[object, ...]], float] = {}
        self._listening = threading.Event()
        self.start()
        self._listening.wait(10)

    def run(self) -> None:
        """Read events until the game ends."""
        with urllib.request.urlopen(self._url, timeout=60) as stream:
            self._listening.set()
            kind = ""
            for raw in stream:
                name, _, value = raw.decode("utf-8").rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" and kind == "turn":
                    self._note(json.loads(value))
                elif name == "data" and kind == "end":
                    return

    def _note(self, event: dict[str, Any]) -> None:
        if "line" in event:
            key = (int(event["turn"]), seen_part(read_turn(event["line"])))
            self._sent.setdefault(key, float(event["t_sent_s"]))

    def sent_until_end(self) -> dict[tuple[int, tuple[object, ...]], float]:
        """Wait for the game's end; return the time (seconds since 1970) at which each turn was first sent.

        Keys are the turn's number and its visible part (`seen_part`).
        """
        self.join(30)
        return self._sent
