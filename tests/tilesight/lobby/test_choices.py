"""Choices in the lobby's form."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.games import game_names
from tilesight.lobby.choices import cameras, editions
from tilesight.sessions.samples import sample_games


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))


def test_every_game_is_offered_and_those_with_a_deck_can_be_played_at_once() -> None:
    found = editions()
    assert {edition.game for edition in found} == set(game_names())
    assert {edition.game for edition in found if edition.ready} == set(sample_games())
    assert [edition.ready for edition in found] == sorted((e.ready for e in found), reverse=True)
    assert all(edition.picture for edition in found if edition.ready)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems list no cameras")
def test_cameras_that_give_pictures_are_listed(tmp_path: Path) -> None:
    for number, (index, name) in enumerate((("0", "Desk camera"), ("1", "Desk camera"))):
        folder = tmp_path / f"video{number}"
        folder.mkdir()
        (folder / "index").write_text(index)
        (folder / "name").write_text(f"{name}\n")
    usb = [camera for camera in cameras(tmp_path) if camera.pack is None]
    assert [(camera.source, camera.title) for camera in usb] == [("0", "Desk camera")]


def test_the_samples_say_who_plays() -> None:
    samples = {camera.pack: camera for camera in cameras() if camera.pack is not None}
    assert samples["savanna"].players == (("red", "Ana"), ("blue", "Bo"))
    assert all(Path(sample.source, "session.json").is_file() for sample in samples.values())
