"""Sessions as worse cameras give them, and the bench that replays them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tilesight.app import app
from tilesight.sessions.disturbed import DISTURBANCES, NUDGE_DEG, doubled, every_third_missing, nudged
from tilesight.sessions.session import Session, read_session
from tilesight.settings import SettingsError

run = CliRunner()
STAGED = Path(__file__).resolve().parents[3] / "samples" / "staged"
FOCAL_PX = 100.0
SIZE_WH = (160, 120)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Five pictures with a white dot in the middle, by a camera whose K is known."""
    (tmp_path / "frames").mkdir()
    frames = []
    width, height = SIZE_WH
    for number in range(5):
        picture = np.zeros((height, width, 3), np.uint8)
        cv2.circle(picture, (width // 2, height // 2), 4, (255, 255, 255), -1)
        cv2.imwrite(str(tmp_path / "frames" / f"{number}.png"), picture)
        frames.append({"file": f"frames/{number}.png", "t_s": 2.0 * number})
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    value = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players, "frames": frames}
    (tmp_path / "session.json").write_text(json.dumps(value))
    camera = [[FOCAL_PX, 0, width / 2], [0, FOCAL_PX, height / 2], [0, 0, 1]]
    (tmp_path / "truth.json").write_text(json.dumps([{"K": camera}]))
    return read_session(tmp_path)


def test_doubled_pictures_come_twice_and_in_order(session: Session) -> None:
    frames = doubled(session).frames
    assert [file.path.stem for file in frames] == ["0", "0", "1", "1", "2", "2", "3", "3", "4", "4"]
    assert [file.index for file in frames] == list(range(10))
    assert [file.t_s for file in frames[:4]] == [0.0, 1.0, 2.0, 3.0]


def test_every_third_picture_is_missing(session: Session) -> None:
    assert [file.path.stem for file in every_third_missing(session).frames] == ["0", "1", "3", "4"]


def test_a_nudged_camera_sees_the_table_aside_from_the_middle_on(session: Session) -> None:
    def dot_x_px(number: int) -> float:
        image = nudged(session).frames[number].read().image
        return float(np.nonzero(image.max(axis=2) > 128)[1].mean())

    assert dot_x_px(1) == pytest.approx(SIZE_WH[0] / 2, abs=0.5)
    aside = FOCAL_PX * np.tan(np.radians(NUDGE_DEG))
    assert dot_x_px(2) == pytest.approx(SIZE_WH[0] / 2 + aside, abs=0.5)


@pytest.mark.long
def test_the_bench_says_what_came_out() -> None:
    result = run.invoke(app, ["bench", "sessions", str(STAGED / "late-piece"), "--as", "missing", "--json"])
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["sessions"]
    assert row["way"] == "missing"
    assert row["turns_exact"] == row["scores_exact"] == row["turns"] > 0
    assert row["final_exact"] is True


def test_a_way_that_is_unknown_is_said_with_those_there_are() -> None:
    result = run.invoke(app, ["bench", "sessions", str(STAGED / "late-piece"), "--as", "upside-down"])
    assert isinstance(result.exception, SettingsError)
    assert all(name in str(result.exception) for name in DISTURBANCES)
