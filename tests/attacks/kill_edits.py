"""Kills while people repair a game's history: insert, delete, move, give to another player, undo, redo.

A random game is told to a live table, then edited at random; SIGKILL comes at a random moment. After every
kill the log must hold each edit that was answered with 200, and nothing but what was asked; started again,
the table must have the same key and show the state that was told for that log.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.pack import load_pack
from tests.attacks.outcome import Outcome
from tests.tilesight.kills import ROOT
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry, StoreError, TableStore

LONGEST_S = 1.5
"""Seconds after the first edit within which a run is killed."""
TURNS, AT_ONCE, FEW = 24, 12, 6
"""Number of turns of the game, most turns that one request tells, and the number below which turns are only
put back."""
CAMERA = ("camera", "last_event_id")
"""Fields of the state that tell of the camera and the run: others every time."""
BY_PEOPLE = (EntryKind.SAID, EntryKind.UNDONE, EntryKind.REDONE)
"""Kinds of the entries that edits write."""
EDITS = ("insert", "delete", "move", "player", "undo", "redo")


class Edited:
    """A table whose history is edited, and what was promised of it."""

    def __init__(
        self, scratch: Path, seed: int, signals: Sequence[signal.Signals] = (signal.SIGKILL,)
    ) -> None:
        self._signals = signals
        self._rng = random.Random(seed)
        self._table, self._camera = scratch / "one.table", scratch / "camera"
        self._camera.mkdir(parents=True)
        style = Style(allow=("meeple",), greedy=0.4)
        record = random_game(load_pack("savanna"), 3, seed, turns=TURNS, style=style, hands_seen=False)
        self._lines = [turn.to_json() for turn in record.turns]
        self._players = record.header.players
        self._key = ""
        self._kept: tuple[Entry, ...] = ()
        """The log as it was after the last edit that was answered."""
        self._page: Mapping[str, Any] | None = None
        """State told for ``_kept``; None where none was told yet."""
        self._in_flight = False
        """Whether an edit was sent and not answered."""
        self.outcome = Outcome()

    def run(self, kills: int) -> Outcome:
        """Kill so often, then look at the table once more."""
        for number in range(kills):
            how = self._rng.choice(self._signals)
            self.outcome.kills["edits"] += 1
            self._live(f"kill {number + 1} ({how.name})", how)
        self._live("the end", None)
        return self.outcome

    def _live(self, when: str, how: signal.Signals | None) -> None:
        """Serve the table, compare it with what was told, edit it and be killed meanwhile."""
        words = [sys.executable, "-m", "tilesight.app", "live", "--game", "safari", "--json"]
        words += ["--players", ",".join(f"{color}={color.title()}" for color in self._players)]
        words += ["--table", str(self._table), "--camera", str(self._camera)]
        with subprocess.Popen(
            [*words, "--host", "127.0.0.1", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TILESIGHT_HOME": str(self._table.parent / "home")},
        ) as run:
            assert run.stdout is not None and run.stderr is not None
            first = run.stdout.readline()
            if not first:
                self.outcome.wrong.append(f"{when}: not started: {run.stderr.read().strip()[-300:]}")
                return
            ready = json.loads(first)
            drain = threading.Thread(target=run.stdout.read, daemon=True)
            drain.start()
            self._shown(ready, when)
            if how is None:
                how = signal.SIGTERM
                run.send_signal(how)
            else:
                self._tell(ready)
                moment_s = self._rng.uniform(0.0, LONGEST_S)
                killer = threading.Timer(moment_s, run.send_signal, [how])
                killer.start()
                self._edit_until_killed(ready)
                killer.join()
            self.outcome.wait_for_end(run, drain, f"{when}: ", how.name)
        self._check(when)

    def _shown(self, ready: Mapping[str, Any], when: str) -> None:
        """Whether key and page are those of before."""
        if self._key and ready["key"] != self._key:
            self.outcome.wrong.append(f"{when}: another key")
        self._key = ready["key"]
        page = self._state(ready)
        if self._kept:
            shown = [(turn["player"], turn["tile"], *turn["cell"], turn["rot"]) for turn in page["turns"]]
            kept = [
                (turn.player, turn.tile, *turn.cell, turn.rot) for turn in folded(Ledger(), self._kept).turns
            ]
            if shown != kept:
                self.outcome.wrong.append(f"{when}: {len(shown)} turns are shown, {len(kept)} in the log")
        if self._page is not None and page != self._page:
            differ = [name for name in page if page[name] != self._page[name]]
            self.outcome.wrong.append(f"{when}: the page shows others: {', '.join(differ)}")
        self._page = page

    def _tell(self, ready: Mapping[str, Any]) -> None:
        """The whole game, where none is told yet."""
        assert self._page is not None
        told = len(self._page["turns"])
        while told < len(self._lines) // 2:
            lines = self._lines[told : told + AT_ONCE]
            self._post(ready, "correct", {"turn": told + 1, "insert": lines}, "insert")
            told += len(lines)

    def _edit_until_killed(self, ready: Mapping[str, Any]) -> None:
        with suppress(OSError, http.client.HTTPException):
            while True:
                self._page = self._state(ready)
                path, body, kind = self._one_edit(self._page["turns"])
                self._post(ready, path, body, kind)

    def _one_edit(self, turns: list[Any]) -> tuple[str, Mapping[str, Any], str]:
        """A random edit: the route, the request's body, and what kind it is."""
        kind = self._rng.choice(EDITS if len(turns) >= FEW else ("insert", "undo"))
        number = self._rng.randint(1, max(1, len(turns)))
        if kind == "insert":
            laid = {(turn["tile"], tuple(turn["cell"])) for turn in turns}
            gone = [line for line in self._lines if (line["tile"], tuple(line["cell"])) not in laid]
            line = self._rng.choice(gone or self._lines)
            number = min(self._lines.index(line) + 1, len(turns) + 1)
            return "correct", {"turn": number, "insert": [line]}, kind
        if kind == "delete":
            return "correct", {"turn": number, "remove": True}, kind
        if kind == "move":
            to = min(max(1, number + self._rng.choice((-3, -1, 1, 3))), max(1, len(turns)))
            return "correct", {"turn": number, "move_to": to}, kind
        if kind == "player":
            return "correct", {"turn": number, "player": self._rng.choice(self._players)}, kind
        return kind, {}, kind

    def _post(self, ready: Mapping[str, Any], path: str, body: Mapping[str, Any], kind: str) -> None:
        """Send one edit. OSError or HTTPException where no answer came."""
        head = {"X-Table-Key": ready["key"], "Content-Type": "application/json"}
        request = urllib.request.Request(f"{ready['url']}/api/{path}", json.dumps(body).encode(), head)
        self._in_flight = True
        try:
            with urllib.request.urlopen(request, timeout=60):
                self.outcome.answered[kind] += 1
                self._page = None
        except urllib.error.HTTPError as error:
            if error.code != 409:
                self.outcome.wrong.append(f"{path} {body}: {error.code}")
            self.outcome.answered["refused"] += 1
        self._in_flight = False
        with TableStore(self._table, read_only=True) as store:
            self._kept = store.entries()

    def _state(self, ready: Mapping[str, Any]) -> Mapping[str, Any]:
        head = {"X-Table-Key": ready["key"]}
        request = urllib.request.Request(f"{ready['url']}/api/state", headers=head)
        with urllib.request.urlopen(request, timeout=60) as answer:
            state = json.load(answer)
        return {name: value for name, value in state.items() if name not in CAMERA}

    def _check(self, when: str) -> None:
        """Whether the log holds what was answered, and nothing but what was asked."""
        try:
            with TableStore(self._table) as store:
                entries = store.entries()
            folded(Ledger(), entries)
        except StoreError as error:
            self.outcome.wrong.append(f"{when}: {error}")
            return
        if entries[: len(self._kept)] != self._kept:
            self.outcome.wrong.append(f"{when}: of {len(self._kept)} entries some are lost or others")
        more = [entry for entry in entries[len(self._kept) :] if entry.kind in BY_PEOPLE]
        if len(more) > self._in_flight:
            self.outcome.wrong.append(f"{when}: {len(more)} entries that nobody asked for")
        if more:
            self._page = None
            self.outcome.cut_off["edits"] += len(more)
        self._kept, self._in_flight = entries, False
