"""Kills of a lobby while games are brought, moved to the trash and back, and while its index is made anew.

Each life of the lobby does one of these; SIGKILL comes at a random moment of it. In its next life the library
must list each game that was there or was brought with an answer, each once and with all its entries, and
nothing may lie about that no game needs.
"""

from __future__ import annotations

import os
import random
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from tests.attacks.logs import play
from tests.attacks.outcome import Outcome
from tests.attacks.targets import Target, lobby_in
from tilesight.table_log.event_fold import without_keys
from tilesight.table_log.event_store import SUFFIX, Entry, StoreError, TableStore
from tilesight.table_log.sqlite_log import files_of, watched_file_of
from tilesight.table_log.table_lock import lock_file_of

ACTS = ("import", "index", "trash")
TURNS_AT_MOST = 12
OWN_AT_FIRST = 6
"""Number of games that are there before the first life."""
AT_ONCE = 8
"""Number of games in the largest zip file."""
Entries = tuple[Entry, ...]


class LibraryKills:
    """A lobby's home, and what its library must hold."""

    def __init__(self, scratch: Path, seed: int) -> None:
        self._rng = random.Random(seed)
        self._home, self._temporary, self._pool = scratch / "home", scratch / "tmp", scratch / "pool"
        self._temporary.mkdir(parents=True)
        self._made = 0
        self._there: dict[str, Entries] = {}
        self._trashed: dict[str, Entries] = {}
        self._open: dict[str, Entries] = {}
        """Games of which it is not known whether they are there, or in the trash."""
        self._moved: set[str] = set()
        """Those of them that were there before."""
        self._longest_s: dict[str, float] = dict.fromkeys(ACTS, 0.8)
        self.outcome = Outcome()
        for _ in range(OWN_AT_FIRST):
            name, entries = self._new_game(self._home / "tables")
            self._there[name] = entries

    def run(self, kills: int) -> Outcome:
        """Kill so often, an act after the other, then look at the library once more."""
        for number in range(kills):
            act = ACTS[number % len(ACTS)]
            with self._life(f"before kill {number + 1} ({act})") as lobby:
                self._killed(lobby, act)
                self.outcome.kills[act] += 1
        with self._life("the end"):
            pass
        return self.outcome

    def _new_game(self, folder: Path) -> tuple[str, Entries]:
        self._made += 1
        name, turns = f"game-{self._made}", self._rng.randint(2, TURNS_AT_MOST)
        return name, _entries_of(play(folder / f"{name}{SUFFIX}", turns, ended=True, seed=self._made))

    @contextmanager
    def _life(self, when: str) -> Iterator[Target]:
        """A lobby that has started and shown its library, which is compared."""
        before, os.environ["TMPDIR"] = os.environ.get("TMPDIR"), str(self._temporary)
        try:
            with lobby_in(self._home) as lobby:
                games = lobby.ask("/api/library", key=lobby.key).json()["games"]
                self._compare([game["id"] for game in games], when)
                yield lobby
        finally:
            del os.environ["TMPDIR"]
            if before is not None:
                os.environ["TMPDIR"] = before

    def _compare(self, listed: list[str], when: str) -> None:
        """Compare the library with what it must hold, then settle what was not known."""
        wrong = self.outcome.wrong
        tables = self._home / "tables"
        kept, trashed = _logs_in(tables), _logs_in(tables / "trash")
        for name, entries in self._open.items():
            if name in kept and name in trashed:
                wrong.append(f"{when}: {name} is in the library and in the trash")
            elif name in kept:
                self._there[name] = entries
            elif name in trashed:
                self._trashed[name] = entries
            elif name in self._moved:
                wrong.append(f"{when}: {name} is neither in the library nor in the trash")
        self._open = {}
        for found, wanted, where in ((kept, self._there, "library"), (trashed, self._trashed, "trash")):
            if set(found) != set(wanted):
                wrong.append(f"{when}: the {where} holds {sorted(found)}, not {sorted(wanted)}")
            wrong += [
                f"{when}: {name} in the {where} has other entries"
                for name in set(found) & set(wanted)
                if found[name] != wanted[name]
            ]
        if sorted(listed) != sorted(self._there):
            wrong.append(f"{when}: listed are {sorted(listed)}, not {sorted(self._there)}")
        if rest := self._left_behind():
            wrong.append(f"{when}: left behind are {rest}")

    def _left_behind(self) -> list[str]:
        """Files and folders that no game and no lobby needs."""
        tables = self._home / "tables"
        needed = {tables / "trash", self._home / "tables", self._home / "library.sqlite", self._home / "none"}
        for folder, names in ((tables, self._there), (tables / "trash", self._trashed)):
            for log in (folder / f"{name}{SUFFIX}" for name in names):
                needed |= {*files_of(log), watched_file_of(log), lock_file_of(tables / log.name)}
        found = [
            *self._home.glob("*"),
            *tables.glob("*"),
            *tables.glob("trash/*"),
            *self._temporary.glob("*"),
        ]
        return sorted(str(path) for path in found if path not in needed and path.suffix != ".json")

    def _killed(self, lobby: Target, act: str) -> None:
        """Do one act until the lobby is killed in the middle of it, or until it is done."""
        process = lobby.running.process
        killer = threading.Timer(self._rng.uniform(0.0, 1.2 * self._longest_s[act]), process.kill)
        killer.start()
        began_s = time.monotonic()
        with suppress(httpx.HTTPError):
            {"import": self._import, "index": self._index, "trash": self._trash}[act](lobby)
            self._longest_s[act] = max(self._longest_s[act], time.monotonic() - began_s)
        killer.join()
        process.wait()
        self.outcome.cut_off[act] += bool(self._open)

    def _import(self, lobby: Target) -> None:
        """Bring one game, or several in a zip file."""
        games = dict(self._new_game(self._pool) for _ in range(self._rng.randint(1, AT_ONCE)))
        paths = [self._pool / f"{name}{SUFFIX}" for name in games]
        file = paths[0]
        if len(paths) > 1:
            file = self._pool / "games.zip"
            with zipfile.ZipFile(file, "w") as packed:
                for path in paths:
                    packed.write(path, path.name)
        self._open, self._moved = games, set()
        answer = lobby.ask(
            "/api/library/import", key=lobby.key, content=file.read_bytes(), params={"name": file.name}
        )
        if answer.status_code == 200 and answer.json()["brought"] == len(games):
            self._there.update(games)
            self._open = {}
            self.outcome.answered["import"] += len(games)
        else:
            self.outcome.wrong.append(f"import: {answer.status_code} {answer.text[:200]}")

    def _index(self, lobby: Target) -> None:
        """Have the index made anew: it is gone, damaged, or older than the logs."""
        index = self._home / "library.sqlite"
        how = self._rng.choice(("gone", "damaged", "older"))
        if how == "gone":
            index.unlink(missing_ok=True)
        elif how == "damaged":
            index.write_bytes(self._rng.randbytes(5000))
        else:
            for log in (self._home / "tables").glob(f"*{SUFFIX}"):
                os.utime(log)
        if lobby.ask("/api/library", key=lobby.key).status_code == 200:
            self.outcome.answered["index"] += 1

    def _trash(self, lobby: Target) -> None:
        """Delete and restore games, one after the other."""
        for _ in range(12):
            source, goal, path = self._there, self._trashed, "delete"
            if not self._there or (self._trashed and self._rng.random() < 0.5):
                source, goal, path = self._trashed, self._there, "restore"
            name = self._rng.choice(sorted(source))
            entries = source.pop(name)
            self._open, self._moved = {name: entries}, {name}
            answer = lobby.ask(f"/api/library/{name}/{path}", {}, key=lobby.key)
            if answer.status_code != 200:
                self.outcome.wrong.append(f"{path} of {name}: {answer.status_code} {answer.text[:200]}")
                return
            goal[name] = entries
            self._open = {}
            self.outcome.answered[path] += 1


def _logs_in(folder: Path) -> dict[str, Entries]:
    """The entries of each log in a folder; none of one that cannot be read."""
    found: dict[str, Entries] = {}
    for path in folder.glob(f"*{SUFFIX}"):
        found[path.stem] = ()
        with suppress(StoreError):
            found[path.stem] = _entries_of(path)
    return found


def _entries_of(path: Path) -> Entries:
    """The entries of a log, without the keys: an import leaves them out."""
    with TableStore(path, read_only=True) as store:
        return tuple(map(without_keys, store.entries()))
