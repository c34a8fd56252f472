"""The names that `import tilesight` offers, and the time of the import."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest

import tilesight as ts

HEAVY = ("cv2", "numpy", "fastapi", "engine")
LOADED = f"import sys, tilesight; print([name for name in {HEAVY} if name in sys.modules])"


def test_every_public_name_is_there_and_documented() -> None:
    for name in ts.__all__:
        assert name.startswith("__") or getattr(ts, name).__doc__, name
    assert set(ts.__all__) <= set(dir(ts))


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'red'"):
        ts.red  # noqa: B018


def test_importing_loads_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_subpackage_has_a_public_name() -> None:
    """Once it is loaded it would take the place of the name."""
    assert not {module.name for module in pkgutil.iter_modules(ts.__path__)} & set(ts.__all__)
