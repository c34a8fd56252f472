"""The home folder: data of earlier versions is found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tilesight.home import cameras_folder, certificates_folder, galleries_folder, home_folder, tables_folder


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user's own folder, with nothing in it and nothing said in the environment."""
    for name in ("TILESIGHT_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_every_folder_is_where_it_was_before_platformdirs(user: Path) -> None:
    kept = user / ".local" / "share" / "tilesight"
    kept.mkdir(parents=True)
    assert home_folder() == kept
    assert tables_folder() == kept / "tables"
    assert galleries_folder() == kept / "galleries"
    assert cameras_folder() == kept / "calibration"
    assert certificates_folder() == kept / "https"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep data elsewhere")
def test_a_new_user_gets_the_folder_of_the_system(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home_folder() == user / ".local" / "share" / "tilesight"
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "data"))
    assert home_folder() == user / "data" / "tilesight"
    assert not list(user.iterdir())  # asking makes none


def test_an_existing_home_folder_is_used_also_with_another_data_folder(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = user / ".local" / "share" / "tilesight"
    kept.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "data"))
    assert home_folder() == kept


def test_the_environment_has_the_last_word(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (user / ".local" / "share" / "tilesight").mkdir(parents=True)
    monkeypatch.setenv("TILESIGHT_HOME", str(user / "club"))
    assert tables_folder() == user / "club" / "tables"
