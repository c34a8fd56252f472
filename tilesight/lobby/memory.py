"""Settings of the lobby in one JSON file: its key, its club, players' names, tables' cameras."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from tilesight.camera_option import shown_camera
from tilesight.home import home_folder, write_privately
from web.table.access import LONG_KEY, new_key

log = logging.getLogger("tilesight.lobby")
TABLES_KEPT = 200
"""Maximum number of tables whose cameras are remembered."""


class _Kept(BaseModel):
    """Contents of the file."""

    key: str = Field(default_factory=lambda: new_key(LONG_KEY), min_length=LONG_KEY)
    names: dict[str, str] = Field(default_factory=dict)
    people: dict[str, str] = Field(default_factory=dict)
    cameras: dict[str, str] = Field(default_factory=dict)
    discs: list[str] = Field(default_factory=list)
    hub: str | None = None


class LobbyMemory:
    """Settings that the lobby keeps between starts.

    The file contains no game data. An unreadable file is replaced; a failed write loses only settings.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or home_folder() / "lobby.json"
        self._lock = threading.Lock()
        try:
            self._kept = _Kept.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            self._kept = _Kept()
        except (OSError, ValidationError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is damaged"
            log.warning("%s: %s; the lobby begins without it", self._path, reason)
            self._kept = _Kept()
        self._write()

    @property
    def key(self) -> str:
        """The lobby's permanent key."""
        return self._kept.key

    @property
    def names(self) -> dict[str, str]:
        """Return the last player name of each colour."""
        return dict(self._kept.names)

    @property
    def people(self) -> dict[str, str]:
        """Return what written names of past games are shown as, "" for people who are forgotten.

        Names that are not in it are shown as they were written; the logs keep these.
        """
        return dict(self._kept.people)

    def call(self, written: Iterable[str], name: str) -> None:
        """Show written names as ``name``; "" forgets these people, also among the last names."""
        with self._lock:
            changed = {**self._kept.people, **dict.fromkeys(written, name)}
            self._kept.people = {one: shown for one, shown in changed.items() if shown != one}
            last = {color: self._kept.people.get(one, one) for color, one in self._kept.names.items()}
            self._kept.names = {color: one for color, one in last.items() if one}
            self._write()

    def camera_of(self, table: str) -> str:
        """Return the camera that last watched a table; "" if unknown."""
        return self._kept.cameras.get(table, "")

    def has_discs(self, table: str) -> bool:
        """Return whether a table's players have discs or the like for meeples."""
        return table in self._kept.discs

    def camera_shown_as(self, shown: str) -> str:
        """Return the camera that a page shows as ``shown``; ``shown`` itself if there is none."""
        return next((one for one in self._kept.cameras.values() if shown_camera(one) == shown), shown)

    @property
    def hub(self) -> str | None:
        """The invitation to the club whose hub gets the logs of this computer's tables, or None."""
        return self._kept.hub

    def join(self, hub: str | None) -> None:
        """Connect tables that start from now on to this hub; None connects them to none."""
        with self._lock:
            self._kept.hub = hub
            self._write()

    def remember(self, table: str, camera: str, names: dict[str, str], *, discs: bool = False) -> None:
        """Record a table's camera, its players' names by colour, and whether they have ``discs``."""
        with self._lock:
            self._kept.names.update(names)
            self._kept.cameras.pop(table, None)
            self._kept.cameras[table] = camera
            while len(self._kept.cameras) > TABLES_KEPT:
                del self._kept.cameras[next(iter(self._kept.cameras))]
            others = [one for one in self._kept.discs if one != table and one in self._kept.cameras]
            self._kept.discs = [*others, table] if discs else others
            self._write()

    def _write(self) -> None:
        """Replace the file atomically; errors are logged and ignored."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_privately(self._path, self._kept.model_dump_json(indent=1))
        except OSError as error:
            log.warning("%s: %s; the lobby's names are not kept", self._path, error.strerror)
