"""Every game on every command that needs no table: photo, replay, play, check, print, bench, demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from engine.pack import load_pack
from tests.matrix.games import TURNS, Kit
from tilesight.app import app

run = CliRunner()


def said(*words: object) -> str:
    """Run a command, which must succeed; return its output on stdout."""
    result = run.invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*words: object) -> dict[str, Any]:
    """Run a command with ``--json``; return its parsed output."""
    return dict(json.loads(said(*words, "--json")))


def test_a_photograph_is_read(kit: Kit, tmp_path: Path) -> None:
    overlay = tmp_path / "seen.png"
    read = document("photo", kit.photo, "--pack", kit.pack, "--overlay", overlay)
    truth = kit.truth_of(kit.photo)
    assert (read["game"], read["pack"]) == (kit.game, kit.pack)
    assert len(read["tiles"]) == len(truth["tiles"]) if "tiles" in truth else read["board"]
    with Image.open(overlay) as picture, Image.open(kit.photo) as photo:
        assert picture.size == photo.size
        assert picture.convert("RGB").tobytes() != photo.convert("RGB").tobytes()


def test_a_photograph_is_told_in_words(kit: Kit) -> None:
    assert "ms" in said("photo", kit.photo, "--pack", kit.pack)


def test_a_session_replays_exactly(kit: Kit, session: Path) -> None:
    replay = document("replay", session)
    assert replay["compare"]["turns_exact"] == replay["compare"]["turns"] == TURNS
    assert replay["compare"]["scores_exact"] == TURNS
    assert replay["compare"]["final_exact"] is True
    assert replay["asked"] == []
    for line, really in zip(replay["turns"], kit.lines, strict=False):
        assert line["player"] == really["player"]
        assert 0.9 <= line["confidence"] <= 1.0


@pytest.mark.long
def test_a_session_is_told_in_words(session: Path) -> None:
    assert f"{TURNS}/{TURNS}" in said("replay", session)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_random_game_checks_and_says_how_it_ended(kit: Kit, tmp_path: Path, seed: int) -> None:
    record = said("play", "--game", kit.game, "--players", 2, "--seed", seed)
    path = tmp_path / "random.game.jsonl"
    path.write_text(record, "utf-8")
    checked = document("check", path)
    assert checked["valid"] is True and checked["turns"] > 10
    assert set(checked["final"] if "final" in checked else checked["photos"]) <= set(kit.rules.colors)
    assert str(path) in said("check", path) or "valid" in said("check", path)


def test_an_illegal_record_is_refused_with_its_reasons(kit: Kit, tmp_path: Path) -> None:
    lines = said("play", "--game", kit.game, "--players", 2, "--seed", 1).splitlines()
    path = tmp_path / "illegal.game.jsonl"
    path.write_text("\n".join([lines[0], lines[1], lines[1]]) + "\n", "utf-8")
    result = run.invoke(app, ["check", str(path), "--json"])
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["valid"] is False and answer["line"] == 3 and answer["faults"]


def test_its_sheets_print(kit: Kit, tmp_path: Path) -> None:
    told = document("print", kit.pack, tmp_path / "sheets.pdf")
    assert told["pages"] >= 2 and told["tiles"] == sum(
        design.count for design in load_pack(kit.pack).designs.values() if design.tile.start_cell is None
    )
    assert (tmp_path / "sheets.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.long
def test_its_photographs_are_benched(kit: Kit, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / kit.photo.name).symlink_to(kit.photo)
    (folder / "truth.json").write_text(json.dumps([kit.truth_of(kit.photo)]), "utf-8")
    figures = document("bench", "vision", folder)["vision"]
    assert (figures["images"], figures["located"], figures["boards_right"]) == (1, 1, 1)


@pytest.mark.long
def test_its_sessions_are_benched(session: Path) -> None:
    rows = document("bench", "sessions", session, "--as", "plain,nudged")["sessions"]
    assert [row["way"] for row in rows] == ["plain", "nudged"]
    for row in rows:
        assert (row["turns_exact"], row["scores_exact"], row["final_exact"]) == (TURNS, TURNS, True), row


def test_its_engine_is_benched(kit: Kit, tmp_path: Path) -> None:
    record = said("play", "--game", kit.game, "--players", 2, "--seed", 3)
    (tmp_path / "one.game.jsonl").write_text(record, "utf-8")
    figures = document("bench", "engine", tmp_path)["engine"]
    assert list(figures) == [kit.game] and figures[kit.game]["games"] == 1


@pytest.mark.long
def test_a_session_gives_labels_to_learn_from(
    kit: Kit, session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    told = document("learn", session, "--measure-only")
    [gathered] = told["gathered"]
    assert (gathered["game"], gathered["pack"]) == (kit.game, kit.pack)
    assert gathered["pieces"] > 0
    assert (gathered["tiles"] > 0) == ("tile" in kit.lines[0])
    assert told["lessons"] and told["files"] == []
    assert [path.name for path in tmp_path.iterdir()] == ["learning"]
