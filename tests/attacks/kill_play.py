"""Kills of one live game in the middle of recognition, corrections, repair and migration.

After every kill the log must open and hold everything that was told and every change that was answered with
200; there must be one table, with one game and one key, and nothing but its files. In the end the game must
be what the session's record says.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from engine.record import read_record
from engine.tiles.turn import Turn
from tests.attacks.outcome import Outcome
from tests.tilesight.kills import ROOT
from tilesight.commands.repair import repair
from tilesight.sessions.comparison import seen_part
from tilesight.sessions.session import FrameFile, Session
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import StoreError, TableStore
from tilesight.table_log.sqlite_log import control_file_of, files_of, watched_file_of
from tilesight.table_log.table_lock import lock_file_of

PHASES = ("capture", "correction", "repair", "migration")
READY_WITHIN_S = 60.0
"""Seconds within which a table must be served."""
SEEN_WITHIN_S = 60.0
"""Seconds within which a picture must be looked at, and within which the last turn must be told."""
QUIET_S = 2.0
"""Seconds without another picture after which all that lay in the folder were looked at."""
LAST_AGAIN = 4
"""Least number of further pictures of the table as it stands at the end: a camera goes on."""
REPAIRED_WITHIN_S, MIGRATED_WITHIN_S = 0.12, 0.06
"""Seconds after which repair and migration are killed at the latest: they take about so long."""
STEP = """
import sys
from pathlib import Path
from {module} import {name} as step
print("begun", flush=True)
step(Path(sys.argv[1]))
print("done", flush=True)
"""
TO_FORMAT_1 = """
PRAGMA application_id = 0;
ALTER TABLE entries DROP COLUMN sum;
ALTER TABLE pictures DROP COLUMN sum;
PRAGMA user_version = 1;
"""


class Mix:
    """One game and what was promised of it. Every kill is one of ``signals``."""

    def __init__(
        self,
        session: Session,
        scratch: Path,
        seed: int,
        signals: Sequence[signal.Signals] = (signal.SIGKILL,),
    ) -> None:
        self._session = session
        self._signals = signals
        self._home, self._folder = scratch / "home", scratch / "camera"
        self._folder.mkdir(parents=True)
        self._rng = random.Random(seed)
        self._files: Iterator[FrameFile] = iter(session.frames)
        self._given = 0
        self._keys: set[str] = set()
        self._asked = 0
        self.outcome = Outcome()

    def run(self, kills: int) -> Outcome:
        """Kill so often, a phase after the other, then watch the session to its end."""
        lives = sum(phase in ("capture", "correction") for phase in itertools.islice(_phases(), kills))
        of_each = -(-len(self._session.frames) // max(lives, 1))
        for number, phase in enumerate(itertools.islice(_phases(), kills)):
            how = self._rng.choice(self._signals)
            self.outcome.kills[phase] += 1
            if phase in ("capture", "correction"):
                self._live(how, of_each, correct=phase == "correction")
            elif self._tables():
                self._step(phase, how)
            self._check(f"{number} ({phase}, {how.name})")
        self._live(signal.SIGTERM, len(self._session.frames), correct=False, to_the_end=True)
        self._check("the end")
        with TableStore(self._tables()[0]) as store:
            turns = [seen_part(turn) for turn in folded(Ledger(), store.entries()).turns]
        wanted = self._played()
        for number, (got, want) in enumerate(itertools.zip_longest(turns, wanted), 1):
            if got != want:
                self.outcome.wrong.append(f"turn {number}: {got}, played {want}")
        return self.outcome

    def _played(self) -> list[tuple[object, ...]]:
        """The turns of the session's record, as far as a camera sees them."""
        assert self._session.reference is not None
        played = [line.event for line in read_record(self._session.reference).lines]
        return [seen_part(turn) for turn in played if isinstance(turn, Turn)]

    def _tables(self) -> list[Path]:
        return sorted((self._home / "tables").glob("*.table"))

    def _live(self, how: signal.Signals, pictures: int, *, correct: bool, to_the_end: bool = False) -> None:
        """Watch some more pictures, and be killed in the middle of one."""
        header = self._session.header
        players = ",".join(f"{color}={name}" for color, name in self._session.names.items())
        words = [sys.executable, "-m", "tilesight.app", "live", "--game", header.game, "--pack", header.pack]
        words += ["--players", players, "--camera", str(self._folder), "--host", "127.0.0.1", "--port", "0"]
        with subprocess.Popen(
            [*words, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TILESIGHT_HOME": str(self._home)},
        ) as run:
            assert run.stdout is not None and run.stderr is not None
            first = run.stdout.readline()
            if not first:
                self.outcome.wrong.append(f"not started: {run.stderr.read().strip()[-300:]}")
                return
            ready = json.loads(first)
            self._keys.add(ready["key"])
            told: list[str] = []
            reader = threading.Thread(target=lambda: told.extend(run.stdout or ()), daemon=True)
            reader.start()
            over = threading.Event()
            people = threading.Thread(target=self._correct, args=(ready, over), daemon=True)
            if correct:
                people.start()
            if self._given:
                self._read_again(ready["url"])
            for _ in range(pictures):
                if not self._feed(ready["url"]):
                    break
            if to_the_end:
                self._look_on(ready["url"])
            else:
                self._put_next()
                time.sleep(self._rng.uniform(0.0, 1.0))
            run.send_signal(how)
            over.set()
            if correct:
                people.join(10)
            self.outcome.wait_for_end(run, reader, "", how.name)
        self._compare(told)

    def _put_next(self) -> bool:
        """Put one more picture into the folder, where they all stay; False after the last."""
        frame = next(self._files, None)
        if frame is None:
            return False
        begun = self._folder / "begun"
        shutil.copyfile(frame.path, begun)
        begun.replace(self._folder / f"{self._given:04}{frame.path.suffix}")
        self._given += 1
        return True

    def _read_again(self, url: str) -> None:
        """Wait until the run has looked at what it found in the folder."""
        deadline_s = time.monotonic() + 2 * SEEN_WITHIN_S
        frame, since_s = _frame_of(url), time.monotonic()
        while time.monotonic() - since_s < QUIET_S and time.monotonic() < deadline_s:
            time.sleep(0.1)
            if (now := _frame_of(url)) != frame:
                frame, since_s = now, time.monotonic()

    def _feed(self, url: str) -> bool:
        """One more picture, looked at; False after the last."""
        before = _frame_of(url)
        if not self._put_next():
            return False
        deadline_s = time.monotonic() + SEEN_WITHIN_S
        while _frame_of(url) == before:
            if time.monotonic() > deadline_s:
                self.outcome.wrong.append("a picture was never looked at")
                break
            time.sleep(0.1)
        return True

    def _look_on(self, url: str) -> None:
        """Give the last picture again until the last turn is told.

        A busy machine passes over pictures, so that it can need more of them than the session has.
        """
        wanted, deadline_s = len(self._played()), time.monotonic() + SEEN_WITHIN_S
        self._files = iter(self._session.frames[-1:] * LAST_AGAIN)
        while self._feed(url):
            pass
        while _state_of(url).get("turn_no") != wanted and time.monotonic() < deadline_s:
            self._files = iter(self._session.frames[-1:])
            self._feed(url)

    def _correct(self, ready: dict[str, Any], over: threading.Event) -> None:
        """Set the first player's score, again and again, each time to another one."""
        color = next(iter(self._session.names))
        head = {"X-Table-Key": ready["key"], "Content-Type": "application/json"}
        while not over.is_set():
            self._asked += 1
            body = json.dumps({"scores": {color: 1000 + self._asked}}).encode()
            with suppress(OSError, http.client.HTTPException):
                request = urllib.request.Request(f"{ready['url']}/api/correct", body, head)
                with urllib.request.urlopen(request, timeout=60) as answer:
                    self.outcome.answered["scores"] += answer.status == 200
            over.wait(0.2)

    def _step(self, phase: str, how: signal.Signals) -> None:
        """Repair or migrate the table, killed meanwhile."""
        path = self._tables()[0]
        with TableStore(path) as store:  # whatever lay beside it is in it now
            before = store.entries()
        module, name, within_s = "tilesight.commands.repair", "repair", REPAIRED_WITHIN_S
        if phase == "migration":
            with closing(sqlite3.connect(path)) as base:
                base.execute("PRAGMA journal_mode = DELETE")
                base.executescript(TO_FORMAT_1)
            module, name, within_s = (
                "tilesight.table_log.event_store", "TableStore", MIGRATED_WITHIN_S
            )  # fmt: skip
        words = [sys.executable, "-c", STEP.format(module=module, name=name), str(path)]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
        ) as run:
            assert run.stdout is not None
            run.stdout.readline()
            time.sleep(self._rng.uniform(0.0, within_s))
            run.send_signal(how)
            self.outcome.cut_off[phase] += "done" not in run.stdout.read()
        if phase == "repair":
            with suppress(StoreError):  # it was killed in the middle: done again it comes to the same
                repair(path)
        with TableStore(path) as store:
            if store.entries() != before:
                self.outcome.wrong.append(f"{phase}: of {len(before)} entries some are lost or others")

    def _check(self, when: str) -> None:
        """Whether the log is whole, and one."""
        tables = self._tables()
        if len(tables) > 1:
            self.outcome.wrong.append(f"{when}: {len(tables)} tables")
        # A table that was killed leaves its control file: a lobby counts it only while the log is locked.
        beside = (watched_file_of, lock_file_of, control_file_of)
        needed = {one for path in tables for one in (*files_of(path), *(at(path) for at in beside))}
        found = set((self._home / "tables").glob("*")) - needed
        if rest := sorted(one.name for one in found if ".damaged" not in one.name):  # repair keeps that
            self.outcome.wrong.append(f"{when}: left behind are {rest}")
        for path in tables[:1]:
            try:
                with TableStore(path) as store:
                    entries = store.entries()
                folded(Ledger(), entries)
            except StoreError as error:
                self.outcome.wrong.append(f"{when}: {error}")
                continue
            if sum(entry.kind == EntryKind.OPENED for entry in entries) > 1:
                self.outcome.wrong.append(f"{when}: begun twice")
            kept = {
                entry.data.get("player", entry.data.get("key"))
                for entry in entries
                if entry.kind == EntryKind.KEYED
            }
            if len(self._keys) > 1 or (self._keys and not self._keys <= kept):
                self.outcome.wrong.append(f"{when}: keys {self._keys}, kept {kept}")
            given = sum(entry.kind == EntryKind.SCORED for entry in entries)
            if not self.outcome.answered["scores"] <= given <= self._asked:
                changes = f"{self.outcome.answered['scores']} changes were answered, {given} are kept"
                self.outcome.wrong.append(f"{when}: {changes}")

    def _compare(self, lines: list[str]) -> None:
        """Whether everything that a run told is in the log."""
        told: list[Any] = []
        for text in lines:
            with suppress(json.JSONDecodeError):  # a line that was cut short
                event = json.loads(text)
                if event.get("type") == "turn":
                    del told[event["turn"] - (0 if "taken_back" in event else 1) :]
                    if "line" in event:
                        told.append(event["line"])
        with TableStore(self._tables()[0]) as store:
            entries = store.entries()
        # What was written last may not have been told any more.
        latest = [
            [t.to_json() for t in folded(Ledger(), entries[:n]).turns]
            for n in range(len(entries), max(len(entries) - 6, 0), -1)
        ]
        if told and told not in latest:
            self.outcome.wrong.append(f"{len(told)} turns were told, {len(latest[0])} are in the log")


def _phases() -> Iterator[str]:
    return itertools.cycle(PHASES)


def _state_of(url: str) -> dict[str, Any]:
    """The table's state; empty if it does not answer."""
    with suppress(OSError, ValueError), urllib.request.urlopen(f"{url}/api/state", timeout=10) as answer:
        return dict(json.load(answer))
    return {}


def _frame_of(url: str) -> int | None:
    """The number of the picture looked at last in this run."""
    frame: int | None = (_state_of(url).get("camera") or {}).get("frame")
    return frame
