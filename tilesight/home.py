"""Home folder of Tilesight: the folder of learned and recorded data on this computer."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path


def home_folder() -> Path:
    """Return the folder of all of Tilesight's data.

    It is ``$TILESIGHT_HOME``; else ``~/.local/share/tilesight`` if that exists (earlier versions used it on
    every system); else the system's folder for application data.
    """
    if asked := os.environ.get("TILESIGHT_HOME"):
        return Path(asked)
    earlier = Path.home() / ".local" / "share" / "tilesight"
    return earlier if earlier.is_dir() else user_data_path("tilesight", appauthor=False)


def tables_folder() -> Path:
    """Return the folder of table logs."""
    return home_folder() / "tables"


def galleries_folder() -> Path:
    """Return the folder of enrolled galleries."""
    return home_folder() / "galleries"


def cameras_folder() -> Path:
    """Return the folder of camera profiles (`tilesight calibrate`)."""
    return home_folder() / "calibration"


def learning_folder() -> Path:
    """Return the folder of labels and of what `tilesight learn` changed."""
    return home_folder() / "learning"


def certificates_folder() -> Path:
    """Return the folder of this computer's own certificate, for pages over HTTPS."""
    return home_folder() / "https"


def write_privately(path: Path, text: str) -> None:
    """Replace a file atomically by one that only its owner can read."""
    from vision.image.whole_file import write_whole  # late: most who ask for a folder need no pictures

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, text.encode(), mode=0o600)
