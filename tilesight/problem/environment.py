"""Environment of a report: versions and settings, without the computer's name, its folders and addresses."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from models.loader import manifest_entry, model_names
from tilesight import __version__
from tilesight.home import cameras_folder
from tilesight.settings import enrolled_galleries, enrolled_gallery

LIBRARIES = ("numpy", "opencv-python-headless", "onnxruntime", "pillow", "fastapi", "uvicorn")
"""Packages whose versions are in a report."""
PREFIX = "TILESIGHT_"
"""Beginning of the names of our environment variables; a report has the names of those set, never values."""


def versions() -> dict[str, Any]:
    """Return the versions of the program, its models, its libraries, Python and the system."""
    return {
        "program": __version__,
        "models": {name: str(manifest_entry(name)["sha256"])[:16] for name in model_names()},
        "libraries": {name: _version(name) for name in LIBRARIES},
        "python": platform.python_version(),
        "system": {
            "name": platform.system(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "bits": 64 if sys.maxsize > 2**32 else 32,
        },
    }


def settings(pack: str) -> dict[str, Any]:
    """Return the settings of this computer that change what is recognised in a game of ``pack``."""
    return {
        "variables": sorted(name for name in os.environ if name.startswith(PREFIX)),
        "gallery_enrolled": enrolled_gallery(pack).is_file(),
        "galleries": len(list(enrolled_galleries())),
        "camera_profiles": sum(1 for _ in cameras_folder().glob("*")) if cameras_folder().is_dir() else 0,
    }


def _version(name: str) -> str | None:
    """Return the version of an installed package; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
