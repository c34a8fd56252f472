"""Memory of the lobby in one JSON file: its key, its club, the names last played with, tables' cameras."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from tilesight.home import home_folder
from web.views.access import LONG_KEY, new_key

log = logging.getLogger("tilesight.lobby")
TABLES_KEPT = 200
"""Tables whose cameras are remembered at most."""


class _Kept(BaseModel):
    key: str = Field(default_factory=lambda: new_key(LONG_KEY), min_length=LONG_KEY)
    names: dict[str, str] = Field(default_factory=dict)
    cameras: dict[str, str] = Field(default_factory=dict)
    hub: str | None = None


class LobbyMemory:
    """Memory from one start to the next. Nothing of a game is in it: what cannot be read is
    begun anew, and what cannot be written is only forgotten."""

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
        """The lobby's key, which stays the same."""
        return self._kept.key

    @property
    def names(self) -> dict[str, str]:
        """The name that played each colour last."""
        return dict(self._kept.names)

    def camera_of(self, table: str) -> str:
        """The camera that a table was watched with last; "" where that is not known."""
        return self._kept.cameras.get(table, "")

    @property
    def hub(self) -> str | None:
        """The invitation to the club whose hub is told of this computer's tables, if there is one."""
        return self._kept.hub

    def join(self, hub: str | None) -> None:
        """Tables that begin from now on are told to this hub, or to none."""
        with self._lock:
            self._kept.hub = hub
            self._write()

    def remember(self, table: str, camera: str, names: dict[str, str]) -> None:
        """A table is watched with this camera, and these names (by colour) play."""
        with self._lock:
            self._kept.names.update(names)
            self._kept.cameras.pop(table, None)
            self._kept.cameras[table] = camera
            while len(self._kept.cameras) > TABLES_KEPT:
                del self._kept.cameras[next(iter(self._kept.cameras))]
            self._write()

    def _write(self) -> None:
        beside = self._path.with_name(f"{self._path.name}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(self._kept.model_dump_json(indent=1))
            beside.replace(self._path)
        except OSError as error:
            log.warning("%s: %s; the lobby's names are not kept", self._path, error.strerror)
