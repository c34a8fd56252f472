"""The lobby's preview of a camera, with a fake preview process."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import pytest

from tilesight.lobby import camera_desk
from tilesight.lobby.camera_desk import CameraDesk
from tilesight.lobby.command_process import Line

PICTURE = {"picture": {"frame": 4}, "jpeg": base64.b64encode(b"jpeg").decode(), "fits": "savanna"}


class PlayedProcess:
    """A process that tells what the test wants."""

    begun: ClassVar[list[PlayedProcess]] = []

    def __init__(self, arguments: Sequence[str], heard: Callable[[Line], None]) -> None:
        self.arguments, self.heard = list(arguments), heard
        self.running, self.done, self.reason = True, False, ""
        self.begun.append(self)

    def wait(self, _: float) -> None:
        self.heard(PICTURE)

    def stop(self) -> None:
        self.running = False


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[CameraDesk]:
    monkeypatch.setattr(PlayedProcess, "begun", [])
    monkeypatch.setattr(camera_desk, "CommandProcess", PlayedProcess)
    made = CameraDesk()
    yield made
    made.stop()


def test_a_camera_is_looked_through_until_another_is(desk: CameraDesk) -> None:
    assert desk.preview().state == "stopped"
    desk.open("0", "savanna")
    desk.open("0", "savanna")
    assert [one.arguments for one in PlayedProcess.begun] == [["preview", "--camera=0", "--pack=savanna"]]
    assert desk.preview().state == "starting"
    first = PlayedProcess.begun[0]
    first.heard(PICTURE)
    assert desk.preview().state == "watching" and desk.preview().recognised["fits"] == "savanna"
    assert desk.picture(4) == b"jpeg" and desk.picture(3) is None
    first.heard({"message": "camera 0 gives no picture; trying again"})
    assert desk.preview().state == "lost"
    desk.open("phone", None)
    assert not first.running and PlayedProcess.begun[1].arguments == ["preview", "--camera=phone"]
    assert desk.preview().state == "starting" and desk.picture(4) is None


def test_a_camera_that_cannot_be_opened_says_why(desk: CameraDesk) -> None:
    desk.open("9", None)
    PlayedProcess.begun[0].running, PlayedProcess.begun[0].reason = False, "no camera 9 here"
    assert (desk.preview().state, desk.preview().message) == ("failed", "no camera 9 here")


def test_a_preview_without_requests_closes_its_camera(
    desk: CameraDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camera_desk, "UNASKED_S", 0.0)
    desk.open("0", None)
    desk._unasked.join(5)
    assert not PlayedProcess.begun[0].running and desk._errand is None


def test_a_still_is_taken_once(desk: CameraDesk) -> None:
    assert desk.still("0") == desk.still("0") == b"jpeg"
    assert [one.arguments for one in PlayedProcess.begun] == [["preview", "--camera=0", "--once"]]
