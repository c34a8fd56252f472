"""Entries that the options of `tilesight live` write into a new log."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from tilesight.app import app
from tilesight.table_log.event_fold import labels_kept
from tilesight.table_log.event_store import Entry, TableStore

TABLE = ["live", "--game", "safari", "--players", "red=Ana,blue=Bo"]


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Start a table that watches nothing; return its log's entries."""
    game = SimpleNamespace(keep_access=lambda access: None)
    run = SimpleNamespace(table=SimpleNamespace(game=game))
    monkeypatch.setattr("tilesight.commands.live._Live.run", lambda self, pace: self._guard(run))

    def begin(*options: str) -> tuple[Entry, ...]:
        log = tmp_path / "one.table"
        result = CliRunner().invoke(app, [*TABLE, *options, "--table", str(log)])
        assert result.exit_code == 0, result.output
        with TableStore(log, read_only=True) as store:
            return store.entries()

    return begin


@pytest.mark.parametrize(
    ("camera", "profile"),
    [
        ("phone", "phone"),
        ("7", "7"),
        ("rtsp://ana:secret@192.168.7.9:554/door?token=x", "rtsp://192.168.7.9:554/door"),
        (".", None),
    ],
)
def test_the_log_names_the_profile_of_the_camera(begun: Any, camera: str, profile: str | None) -> None:
    opened = begun("--camera", camera)[0].data
    assert opened.get("camera") == profile and ("camera" in opened) == (profile is not None)


def test_labels_are_kept_only_if_that_is_asked_for(begun: Any) -> None:
    assert not labels_kept(begun("--camera", "phone"))
    assert labels_kept(begun("--camera", "phone", "--keep-labels"))
