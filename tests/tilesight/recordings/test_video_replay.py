"""`tilesight replay` of a video, and `tilesight record` of a camera."""

from __future__ import annotations

import json
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.tilesight.kills import ROOT
from tilesight.app import app
from tilesight.live.capture import LatestFrame, ThreadedSource
from tilesight.sessions.session import read_session

run = CliRunner()
FPS = 5
FRAMES = 22


def filmed(session: str, video: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """Write the beginning of a sample session as a video: the options of its game, its turns so far."""
    folder = ROOT / "samples" / session
    told = json.loads((folder / "session.json").read_text("utf-8"))
    frames = told["frames"][: FRAMES + 1]
    size = cv2.imread(str(folder / frames[0]["file"]))
    assert size is not None
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (size.shape[1], size.shape[0]))
    for frame, following in pairwise(frames):
        picture = cv2.imread(str(folder / frame["file"]))
        assert picture is not None
        for _ in range(round((following["t_s"] - frame["t_s"]) * FPS)):
            writer.write(picture)
    writer.release()
    players = ",".join(f"{player['color']}={player['name']}" for player in told["players"])
    options = ["--game", told["game"], "--players", players, "--pack", told["pack"], "--rules", told["rules"]]
    lines = [json.loads(line) for line in (folder / "truth.game.jsonl").read_text("utf-8").splitlines()[1:]]
    return options, [line for line in lines if line.get("frame", FRAMES) < FRAMES]


@pytest.mark.long
@pytest.mark.parametrize("session", ["first-light", "camera-hunt"])
def test_a_video_comes_out_as_its_session(
    session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.recordings.command.user_cache_path", lambda *_, **__: tmp_path)
    options, lines = filmed(session, tmp_path / "game.mp4")
    done = run.invoke(app, ["replay", str(tmp_path / "game.mp4"), *options, "--json"])
    turns = json.loads(done.stdout)["turns"]
    keys = ("player", "tile", "cell", "rot", "to")
    assert len(lines) > 2
    assert [[turn.get(key) for key in keys] for turn in turns] == [
        [line.get(key) for key in keys] for line in lines
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["game.mp4"], "a video needs --game and --players"),
        (["game.mp4", "--game", "safari", "--players", "red,blue"], "no picture can be read"),
        (["game.mp4", "--game", "safari", "--players", "mauve,blue"], "mauve"),
        (["game.mp4", "--game", "chess", "--players", "red,blue"], "chess"),
        ([".", "--game", "safari"], "are for videos"),
    ],
)
def test_wrong_use_is_one_line(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tilesight.recordings.command.user_cache_path", lambda *_, **__: tmp_path)
    Path("game.mp4").write_bytes(b"no video")
    error = run.invoke(app, ["replay", *words]).exception
    assert isinstance(error, ValueError)  # which is told in one line (`tilesight.app`)
    assert said in str(error) and len(str(error).splitlines()) == 1


def camera(pictures: int) -> ThreadedSource:
    """A camera that shows a table with a tile more each time, and then is gone."""

    def capture(latest: LatestFrame, stop: object) -> None:
        for number in range(pictures):
            picture = np.full((180, 320, 3), 60, np.uint8)
            picture[20:60, : 40 * (number + 1)] = 200
            latest.put(picture)
            latest.wait_until_taken(threading.Event())

    return ThreadedSource("camera 0", capture, has_end=True)


def test_a_camera_is_recorded_without_recognition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.recordings.record.open_source", lambda _: camera(1))
    words = ["record", str(tmp_path / "out"), "--game", "safari", "--players", "red=Ana,blue=Bo"]
    assert json.loads(run.invoke(app, [*words, "--camera", "0", "--json"]).stdout)["frames"] == 1
    assert "2 pictures" in run.invoke(app, [*words, "--camera", "0"]).stdout  # the session is continued
    assert len(read_session(tmp_path / "out").frames) == 2


def test_a_camera_without_a_picture_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.recordings.record.open_source", lambda _: camera(0))
    words = ["record", str(tmp_path / "out"), "--game", "safari", "--players", "red,blue", "--camera", "0"]
    done = run.invoke(app, words)
    assert done.exit_code == 1 and "no picture came" in done.stderr
    assert not (tmp_path / "out").exists()
