"""`python -m tests.crowds tables`: several tables of one lobby at a time, beside one alone.

A lobby is started as people start it, in a process of its own with a home of its own, and asked for tables
whose cameras are sessions at a camera's speed. Every table's events are followed as a phone does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from tilesight.sessions.session import SESSION_FILE, SessionError

RECORD = "truth.game.jsonl"
"""Name of a session's record."""
UNSEEN = frozenset({"frame", "expect", "confidence", "draws", "drawn", "turn"})
"""Fields of a record's line that no camera sees, or that say nothing of the turn."""
FINAL = {True: "exact", False: "NOT exact", None: "not in the record"}
"""Words for whether the final scores are exact."""
POLL_S = 0.5
"""Seconds between two looks at the lobby."""
READY_WITHIN_S = 300.0
"""Seconds within which a table must have started."""
END_WITHIN_S = 600.0
"""Seconds within which a table must be over, beyond the length of its session."""

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session with its record: what was played, and when each picture is due (seconds from the first)."""

    folder: Path
    pack: str
    players: Sequence[Mapping[str, str]]
    due_s: Sequence[float]
    turns: Sequence[Line]
    final: Mapping[str, int] | None


@dataclass(slots=True)
class Followed:
    """Told by a table: when each turn was first told as it was played, and how the game ended."""

    recorded: Recorded
    told_s: dict[int, float] = field(default_factory=dict)
    began_s: float | None = None
    lines: list[Line] = field(default_factory=list)
    final: Mapping[str, int] | None = None

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take an event into account."""
        frame, came_s = event.get("frame"), event.get("t_frame_s")
        if frame is not None and came_s is not None and frame < len(self.recorded.due_s):
            # No picture comes before it is due: the earliest says when the first was.
            began_s = float(came_s) - self.recorded.due_s[frame]
            self.began_s = began_s if self.began_s is None else min(self.began_s, began_s)
        number = event.get("turn")
        if event.get("line") is None or not isinstance(number, int):
            return
        if 0 < number <= len(self.recorded.turns) and _same(event["line"], self.recorded.turns[number - 1]):
            self.told_s.setdefault(number, float(event["t_sent_s"]))

    def to_json(self) -> dict[str, Any]:
        """The table's figures."""
        played = self.recorded.turns
        exact = sum(_same(one, really) for one, really in zip(self.lines, played, strict=False))
        assert self.began_s is not None
        delays = [
            max(at_s - self.began_s - self.recorded.due_s[played[number - 1]["frame"]], 0.0)
            for number, at_s in self.told_s.items()
            if played[number - 1].get("frame") is not None
        ]
        p50_s, p95_s = np.percentile(delays, [50, 95]) if delays else (None, None)
        return {
            "session": self.recorded.folder.name,
            "turns": len(played),
            "turns_exact": exact if len(self.lines) == len(played) else min(exact, len(played) - 1),
            "final_exact": None if self.recorded.final is None else self.final == self.recorded.final,
            "p50_s": None if p50_s is None else round(float(p50_s), 3),
            "p95_s": None if p95_s is None else round(float(p95_s), 3),
        }


def tables_command(
    sessions: Annotated[list[Path], typer.Argument(metavar="SESSION...", help="sessions with records")],
    tables: Annotated[int, typer.Option(min=1, max=8, help="tables at a time")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Watch several tables of one lobby at a time, and one alone: exact turns, and the delay of events.

    Exit 1 where a turn or a final score is not exact.
    """
    asked = list(islice(cycle([recorded(folder) for folder in sessions]), tables))
    alone = watch_all(asked[:1])
    together = watch_all(asked) if tables > 1 else []
    if as_json:
        print(json.dumps({"tilesight": 1, "tables": {"alone": alone, "together": together}}))
    else:
        for name, figures in (("alone", alone), ("together", together)):
            for one in figures:
                print(
                    f"{name}: {one['session']}, {one['turns_exact']}/{one['turns']} turns exact, final "
                    f"{FINAL[one['final_exact']]}, p50 {one['p50_s']} s, "
                    f"p95 {one['p95_s']} s from a turn's first picture at rest to its event"
                )
    if any(one["turns_exact"] < one["turns"] or one["final_exact"] is False for one in [*alone, *together]):
        raise typer.Exit(1)


def recorded(folder: Path) -> Recorded:
    """A session and its record. SessionError where either is missing."""
    try:
        told = json.loads((folder / SESSION_FILE).read_text("utf-8"))
        lines = [json.loads(line) for line in (folder / RECORD).read_text("utf-8").splitlines()]
        times_s = [float(frame["t_s"]) for frame in told["frames"]]
        turns = [line for line in lines if "player" in line]
        expected: Line = next((line["expect"] for line in lines if line.get("end")), {})
        final = expected.get("final") or expected.get("photos")
        due_s = [at_s - times_s[0] for at_s in times_s]
        return Recorded(folder, told["pack"], told["players"], due_s, turns, final)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise SessionError(f"{folder}: no session with a record to compare with ({error})") from None


def watch_all(sessions: Sequence[Recorded]) -> list[dict[str, Any]]:
    """A lobby that watches all of these at a time: the figures of each."""
    with _lobby() as ask:
        known = {one["id"]: Followed(session) for session in sessions for one in [_begin(ask, session)]}
        phones = []
        for table, followed in known.items():
            phones.append(threading.Thread(target=_follow, args=(_url(ask, table), followed)))
            phones[-1].start()
        for phone, followed in zip(phones, known.values(), strict=True):
            phone.join(followed.recorded.due_s[-1] + END_WITHIN_S)
        return [followed.to_json() for followed in known.values()]


class _Ask:
    """Requests to the lobby."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = url, key

    def __call__(self, path: str, body: object = None) -> Any:
        headers = {"X-Table-Key": self._key, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url + path, data, headers)) as answer:
            return json.load(answer)


@contextmanager
def _lobby() -> Iterator[_Ask]:
    words = [sys.executable, "-m", "tilesight.app", "lobby", "--host", "127.0.0.1", "--port", "0"]
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-") as home,
        subprocess.Popen(
            [*words, "--no-browser", "--json"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TILESIGHT_HOME": home},
        ) as process,
    ):  # fmt: skip
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            yield _Ask(ready["url"], ready["key"])
        finally:
            process.terminate()  # as Ctrl-C: its tables are stopped with it
            process.wait()


def _begin(ask: _Ask, session: Recorded) -> Mapping[str, Any]:
    players = [{"color": one["color"], "name": one["name"]} for one in session.players]
    camera = str(session.folder.resolve())
    begun: Mapping[str, Any] = ask(
        "/api/tables", {"pack": session.pack, "players": players, "camera": camera, "rules": None}
    )
    return begun


def _url(ask: _Ask, table: str) -> str:
    """The address of a table, as soon as it has started. SessionError where it fails."""
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s:
        card = next(card for card in ask("/api/tables")["tables"] if card["id"] == table)
        if card["phase"] == "running":
            return str(card["url"]).partition("/#")[0]
        if card["phase"] == "failed":
            raise SessionError(f"a table failed: {card['message']}")
        time.sleep(POLL_S)
    raise SessionError("a table has not started in time")


def _follow(url: str, followed: Followed) -> None:
    """Read a table's events from the first until its game ends, then how it ended."""
    with urllib.request.urlopen(f"{url}/api/events?last_event_id=0", timeout=END_WITHIN_S) as stream:
        kind = ""
        for raw in stream:
            name, _, value = raw.decode("utf-8").rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                followed.hear(json.loads(value))
                if kind == "end":
                    break
    with urllib.request.urlopen(f"{url}/api/state") as answer:
        followed.final = (json.load(answer)["final"] or {}).get("scores")
    with urllib.request.urlopen(f"{url}/api/export") as answer:
        lines = [json.loads(line) for line in answer.read().splitlines()]
    followed.lines = [line for line in lines if "player" in line]


def _same(told: Line, really: Line) -> bool:
    return _seen(told) == _seen(really)


def _seen(line: Line) -> Line:
    return {key: value for key, value in line.items() if key not in UNSEEN and value not in (None, [], {})}
