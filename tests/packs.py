"""Packs for tests."""

from __future__ import annotations

from pathlib import Path

from engine.pack import Pack


def folder_of(pack: Pack) -> Path:
    """The folder of a pack that was read from one."""
    assert pack.folder is not None
    return pack.folder
