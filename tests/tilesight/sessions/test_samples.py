"""The sample sessions that ship, and which of them shows a game."""

import json
from pathlib import Path

import pytest

from engine.games import game_names
from tilesight.sessions import samples
from tilesight.sessions.samples import DEMOS, SamplesError, sample_folder, sample_games, sample_of

IN_TREE = Path(__file__).parents[3] / "samples"


def test_every_game_that_has_a_session_has_a_demo() -> None:
    recorded = {json.loads(file.read_text("utf-8"))["game"] for file in IN_TREE.glob("*/session.json")}
    assert set(sample_games()) == recorded
    assert recorded <= set(game_names())
    assert sample_of(None) == sample_folder(DEMOS[0])
    for game, name in sample_games().items():
        assert sample_of(game).name == name


def test_a_game_without_a_sample_and_a_sample_that_is_gone_are_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(SamplesError, match=r"no sample session of a game 'chess' \(there are: safari"):
        sample_of("chess")
    monkeypatch.setattr(samples, "_HERE", tmp_path / "tilesight")
    with pytest.raises(SamplesError, match="first-light"):
        sample_of(None)


def test_the_sample_in_an_installed_wheel_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packaged = tmp_path / "tilesight" / samples.PACKAGED / "first-light"
    packaged.mkdir(parents=True)
    (packaged / "session.json").write_text('{"game": "safari"}', "utf-8")
    monkeypatch.setattr(samples, "_HERE", tmp_path / "tilesight")
    assert sample_folder("first-light") == packaged
