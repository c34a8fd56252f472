"""The lobby's calibration: with a process that is only played, and once with the command itself."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import cv2
import pytest

from calibration.cameras import read_camera
from tests.calibration.bent_camera import POSES, BentCamera
from tilesight.lobby import calibration_desk
from tilesight.lobby.calibration_desk import CalibrationDesk
from tilesight.lobby.command_process import Line

PATIENCE_S = 60.0


class PlayedProcess:
    """A process that tells what the test wants."""

    begun: ClassVar[list[PlayedProcess]] = []

    def __init__(
        self, arguments: Sequence[str], heard: Callable[[Line], None], *, asks: bool = False
    ) -> None:
        self.arguments, self.heard = list(arguments), heard
        self.running, self.done, self.reason = True, False, ""
        self.answered: list[str] = []
        self.begun.append(self)

    def answer(self) -> None:
        self.answered.append("enter")

    def interrupt(self) -> None:
        self.answered.append("interrupt")

    def stop(self) -> None:
        self.running = False


@pytest.fixture
def freed() -> list[str]:
    return []


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, freed: list[str]) -> Iterator[CalibrationDesk]:
    monkeypatch.setattr(PlayedProcess, "begun", [])
    monkeypatch.setattr(calibration_desk, "CommandProcess", PlayedProcess)
    made = CalibrationDesk(lambda: freed.append("yes"))
    yield made
    made.stop()


def test_a_lens_is_asked_for_view_by_view(desk: CalibrationDesk, freed: list[str]) -> None:
    assert desk.now().state == "idle" and desk.picture() is None
    assert desk.lens("0").state == "looking" and freed == ["yes"]
    [errand] = PlayedProcess.begun
    assert errand.arguments == ["calibrate", "--camera=0", "--json"]
    errand.heard({"views": 1, "least": 5, "wanted": ["close", "far"]})
    errand.heard({"jpeg": base64.b64encode(b"jpeg").decode()})
    now = desk.now()
    assert (now.views, now.least, now.wanted, now.frame) == (1, 5, ("close", "far"), 1)
    assert desk.picture() == b"jpeg"
    desk.go_on()
    assert errand.answered == ["interrupt"]
    errand.heard({"tilesight": 1, "camera": "0", "error_px": 0.31})
    errand.running, errand.done = False, True
    assert (desk.now().state, desk.now().error_px) == ("done", 0.31)
    assert desk.stop().state == "idle"


def test_colours_are_shown_one_after_the_other(desk: CalibrationDesk) -> None:
    desk.colors("0", "savanna", ["red", "blue"])
    [errand] = PlayedProcess.begun
    assert errand.arguments[2:] == ["--colors=red", "--colors=blue", "--pack=savanna", "--json"]
    errand.heard({"show": "red"})
    assert (desk.now().state, desk.now().color) == ("showing", "red")
    desk.go_on()
    assert errand.answered == ["enter"] and desk.now().state == "looking"
    errand.running, errand.reason = (
        False,
        "no piece is seen where the red ones are shown: stand them on tiles",
    )
    assert (desk.now().state, desk.now().problem) == ("failed", "no_pieces")


@pytest.mark.long
def test_the_command_itself_calibrates_a_lens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    film = tmp_path / "film"
    film.mkdir()
    frames = []
    for number, pose in enumerate(POSES.values()):
        name = f"{number:02d}.jpg"
        cv2.imwrite(str(film / name), BentCamera().of_board(*pose))
        frames += [{"file": name, "t_s": 2 * number}, {"file": name, "t_s": 2 * number + 1}]
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    session = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players, "frames": frames}
    (film / "session.json").write_text(json.dumps(session), "utf-8")
    desk = CalibrationDesk(lambda: None)
    try:
        desk.lens(str(film))
        until_s = time.monotonic() + PATIENCE_S
        while desk.now().state == "looking" and time.monotonic() < until_s:
            time.sleep(0.1)
        now = desk.now()
        assert (now.state, now.problem) == ("done", "")
        assert now.error_px is not None and now.error_px < 0.6 and now.views >= now.least > 0
        picture = desk.picture()
        assert picture is not None and picture.startswith(b"\xff\xd8")
    finally:
        desk.stop()
    [kept] = (tmp_path / "home" / "calibration").iterdir()
    assert read_camera(kept).lens is not None
