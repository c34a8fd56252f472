"""Leftovers: logs that a hub did not receive completely, because it was away until their games were over."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from tilesight.home import home_folder, write_privately
from tilesight.table_log.event_store import StoreError, locked

KEPT_AT_MOST = 200
"""Logs of one computer that are remembered, the latest ones."""


class Leftovers:
    """Logs whose transfer to one hub was started and not confirmed.

    The next table of this computer that joins that hub sends them.
    """

    def __init__(self, hub: str) -> None:
        """``hub`` is its invitation, which is not kept."""
        self._folder = home_folder() / "club" / "leftovers"
        self._hub = hashlib.sha256(hub.encode()).hexdigest()[:16]

    def note(self, game: str, log: Path) -> None:
        """Record a log. Raises OSError if that fails."""
        text = json.dumps({"hub": self._hub, "log": str(log.absolute())})
        write_privately(self._folder / f"{game}.json", text)
        for old in sorted(self._folder.glob("*.json"), key=_changed_s)[:-KEPT_AT_MOST]:
            old.unlink(missing_ok=True)

    def done(self, game: str) -> None:
        """Remove a log that the hub has received completely."""
        (self._folder / f"{game}.json").unlink(missing_ok=True)

    def logs(self) -> Iterator[Path]:
        """Yield the remaining logs of this hub, except those that a table has open."""
        for path in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError, StoreError):
                told = json.loads(path.read_text("utf-8"))
                if told["hub"] != self._hub:
                    continue
                log = Path(told["log"])
                if not log.is_file():
                    path.unlink()
                    continue
                locked(log).free()
                yield log


def _changed_s(path: Path) -> float:
    """Return a file's modification time, 0 if it is missing."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
