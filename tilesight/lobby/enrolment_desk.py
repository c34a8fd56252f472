"""Enrolment from the lobby: photographs of a printed edition, processed by `tilesight enrol`."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.message import Message
from engine.pack import Pack
from tilesight.lobby.command_process import CommandProcess, Line
from web.lobby_enrolment import PICTURES_AT_MOST, Enrolment, EnrolmentProblem
from web.table.refusal import Refusal

PROBLEMS: tuple[tuple[str, EnrolmentProblem], ...] = (
    ("no tiles are seen", "no_tiles"),
    ("none has a name", "none_named"),
    ("holds no picture of", "missing"),
)
"""Words in the command's error message, and the problem that they indicate."""


@dataclass
class _Now:
    """The enrolment in progress: its photographs, and the output of its process."""

    pack: Pack
    folder: Path
    errand: CommandProcess | None = None
    looked: int = 0
    faces: int = 0
    url: str = ""
    result: Line | None = None

    @property
    def pictures(self) -> list[Path]:
        """Return the photographs."""
        return sorted(self.folder.iterdir())

    @property
    def are_scans(self) -> bool:
        """Whether the photographs are flat pictures, each named after a design or animal tile of the pack."""
        known = {*self.pack.designs, *self.pack.other_stems}
        return all(path.stem.partition("_")[0] in known for path in self.pictures)


class EnrolmentDesk:
    """Enrols one edition at a time. Implements `web.lobby_enrolment.Enrolments`."""

    def __init__(self, pack_of: Callable[[str], Pack], host: str, done: Callable[[], None]) -> None:
        """``pack_of`` returns a pack by its id, or raises Refusal if there is none.

        ``host`` is the address on which the naming page is served. ``done`` is called after an edition was
        enrolled.
        """
        self._pack_of = pack_of
        self._host = host
        self._done = done
        self._lock = threading.RLock()
        self._enrolling: _Now | None = None

    def add(self, pack: str, name: str, picture: bytes) -> Enrolment:
        """Add a photograph of an edition's tiles, and return the state.

        A photograph of another edition starts a new enrolment.
        """
        with self._lock:
            now = self._enrolling
            if now is not None and now.errand is not None and now.errand.running:
                raise Refusal("busy", Message("an edition is being enrolled already"))
            if now is None or now.pack.id != pack or now.result is not None:
                now = self._opened(pack)
            count = len(now.pictures)
            if count >= PICTURES_AT_MOST:
                raise Refusal("too_many", Message("{most} photographs are enough", most=PICTURES_AT_MOST))
            now.errand = None
            stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(name).stem).strip("-") or "photo"
            suffix = ".png" if picture.startswith(b"\x89PNG") else ".jpg"
            names = (
                f"{stem}{more}{suffix}" for more in ("", *(f"_{n}" for n in range(count, 2 * count + 1)))
            )
            path = next(path for path in map(now.folder.joinpath, names) if not path.exists())
            path.write_bytes(picture)
            return self.now()

    def _opened(self, pack: str) -> _Now:
        """Start an enrolment without photographs in the place of the last one."""
        chosen = self._pack_of(pack)
        self.stop()
        self._enrolling = _Now(chosen, Path(tempfile.mkdtemp(prefix="tilesight-enrol-")))
        return self._enrolling

    def begin(self, pack: str) -> Enrolment:
        """Start to process the photographs; without any, open the page of the box as it is known."""
        with self._lock:
            now = self._enrolling
            if now is not None and now.pack.id != pack and now.errand is not None and now.errand.running:
                raise Refusal("busy", Message("an edition is being enrolled already"))
            if now is None or now.pack.id != pack or now.result is not None:
                now = self._opened(pack)
            if now.errand is None or not now.errand.running:
                how = [f"--images={now.folder}" if now.are_scans else f"--sheet={now.folder}"]
                now.looked, now.faces, now.url, now.result = 0, 0, "", None
                told = now

                def hear(line: Line) -> None:
                    self._hear(told, line)

                now.errand = CommandProcess(
                    [
                        "enrol",
                        f"--pack={pack}",
                        *(how if now.pictures else ()),
                        f"--host={self._host}",
                        "--json",
                    ],
                    hear,
                )
            return self.now()

    def now(self) -> Enrolment:
        """Return the state of the enrolment."""
        with self._lock:
            now = self._enrolling
            if now is None:
                return Enrolment("idle")
            about = Enrolment("idle", now.pack.id, len(now.pictures), now.looked)
            if now.errand is None:
                return about
            if now.errand.running:
                return replace(about, state="naming" if now.url else "looking", faces=now.faces, url=now.url)
            if now.result is not None and now.errand.done:
                missing, sides = (tuple(now.result.get(name, ())) for name in ("missing", "sides"))
                designs = int(now.result["designs"])
                return replace(about, state="done", designs=designs, missing=missing, sides=sides)
            found = (problem for words, problem in PROBLEMS if words in now.errand.reason)
            return replace(about, state="failed", problem=next(found, "other"))

    def stop(self) -> Enrolment:
        """Cancel the enrolment and delete the photographs."""
        with self._lock:
            now, self._enrolling = self._enrolling, None
        if now is not None:
            if now.errand is not None:
                now.errand.stop()
            shutil.rmtree(now.folder, ignore_errors=True)
        return Enrolment("idle")

    def _hear(self, now: _Now, line: Line) -> None:
        """Process a line of the command."""
        if "looked" in line:
            now.looked = int(line["looked"])
        elif line.get("ready"):
            now.faces = int(line.get("faces", 0))
            now.url = f"{line['url']}/#key={line['key']}"
        elif "designs" in line:
            now.result = line
            self._done()
