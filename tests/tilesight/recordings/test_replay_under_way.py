"""Replay of a session that begins in the middle of a game: the words of the command line, and its record."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from engine.record import Record, header_to_json, write_record
from tests.tilesight.inference.opening.test_opening_tracker import Cut, cut_game
from tests.tilesight.synthetic import CLEAN, Camera, film
from tilesight.app import app
from tilesight.recordings import tile_replay as replay
from tilesight.sessions.opening_words import told_of
from tilesight.settings import SettingsError

run = CliRunner()


@pytest.fixture
def filmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Cut]:
    """A session without its first turns, and the game."""
    cut = cut_game("savanna", 8)
    camera = Camera(cut.before, CLEAN, 1)
    seen = [camera.frame(cut.start.board, cut.start.standing) for _ in range(2)]
    seen += [one for _, one in film(cut.start, cut.turns, CLEAN, 1, camera)]
    (tmp_path / "frames").mkdir()
    picture = cv2.imencode(".jpg", np.full((64, 64, 3), 90, np.uint8))[1].tobytes()
    frames = [{"file": f"frames/{i}.jpg", "t_s": 0.5 * i} for i in range(len(seen))]
    for frame in frames:
        (tmp_path / str(frame["file"])).write_bytes(picture)
    header = header_to_json(cut.record.header)
    (tmp_path / "session.json").write_text(json.dumps({**header, "frames": frames}), "utf-8")
    played = cut.start.turn_no + len(cut.turns)
    record = Record(cut.record.header, cut.record.lines[:played])
    (tmp_path / "truth.game.jsonl").write_text(write_record(record), "utf-8")
    monkeypatch.setattr(replay, "start_of", lambda *_: (cut.before, lambda frame: seen[frame.index]))
    return tmp_path, cut


def words(cut: Cut) -> list[str]:
    scores = ",".join(f"{player}={points}" for player, points in cut.start.scores.items())
    hands = ",".join(f"{player}={len(hand)}" for player, hand in cut.start.hands.items())
    return ["--to", cut.start.player, "--scores", scores, "--hands", hands]


def test_a_replay_from_the_middle_compares_with_the_rest_of_the_record(filmed: tuple[Path, Cut]) -> None:
    folder, cut = filmed
    result = run.invoke(app, ["replay", str(folder), "--json", *words(cut)])
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    number = len(cut.turns)
    assert document["compare"]["turns"] == document["compare"]["turns_exact"] == number
    assert document["compare"]["scores_exact"] == number and document["compare"]["final_exact"] is True
    header = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(cut.before.players)}
    lines = ({**header, "position": document["position"]}, *document["turns"], {"end": True})
    record = folder / "rest.game.jsonl"
    record.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    checked = run.invoke(app, ["check", str(record), "--json"])
    assert json.loads(checked.stdout)["final"] == document["final"]


def test_without_words_nothing_is_invented(filmed: tuple[Path, Cut]) -> None:
    folder, cut = filmed
    result = run.invoke(app, ["replay", str(folder)])
    assert f"{cut.start.turn_no} tiles were on the table at the first picture" in result.stdout


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--to", "pink"), "nobody plays pink"),
        (("--scores", "red"), "takes colours with values"),
        (("--scores", "yellow=many"), "is no number of points"),
        (("--hands", "yellow=99"), "nobody holds 99 animal tiles"),
    ],
)
def test_words_that_make_no_sense_are_refused_in_one_line(
    filmed: tuple[Path, Cut], option: tuple[str, str], said: str
) -> None:
    result = run.invoke(app, ["replay", str(filmed[0]), *option])
    assert isinstance(result.exception, SettingsError)  # which the program tells with exit code 2
    assert said in str(result.exception) and "\n" not in str(result.exception)


def test_hands_are_numbers_or_names() -> None:
    told = told_of(None, None, "red=2,blue=lion+zebra,green=?")
    assert told.hands == {"red": ("?", "?"), "blue": ("lion", "zebra"), "green": ("?", "?")}
    with pytest.raises(SettingsError):
        told_of(None, None, "red")
