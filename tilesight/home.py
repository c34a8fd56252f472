"""Home folder of Tilesight: where it keeps what it learns and records on this computer."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path


def home_folder() -> Path:
    """The folder of everything that Tilesight keeps: ``$TILESIGHT_HOME``, else ``~/.local/share/tilesight``
    where that exists (earlier versions wrote there on every system), else where the system keeps the data of
    programs: the same on Linux, unless ``$XDG_DATA_HOME`` names another."""
    if asked := os.environ.get("TILESIGHT_HOME"):
        return Path(asked)
    earlier = Path.home() / ".local" / "share" / "tilesight"
    return earlier if earlier.is_dir() else user_data_path("tilesight", appauthor=False)


def tables_folder() -> Path:
    """The folder of table logs."""
    return home_folder() / "tables"


def galleries_folder() -> Path:
    """The folder of enrolled galleries."""
    return home_folder() / "galleries"


def cameras_folder() -> Path:
    """The folder of what was learned of cameras (`tilesight calibrate`)."""
    return home_folder() / "calibration"


def certificates_folder() -> Path:
    """The folder of this computer's own certificate, with which phones reach the camera page."""
    return home_folder() / "https"
