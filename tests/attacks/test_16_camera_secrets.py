"""Attack: read the camera's password in the list of processes, or where the camera's folder lies, as a guest.

Held: the lobby passes a camera in the environment, `--camera @FILE` reads it from a file, and the name shown
for it has neither the password nor the path.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.attacks.targets import Target
from tilesight.camera_option import CAMERA, CameraOptionError, profile_name, shown_camera, told_camera
from tilesight.live.sources import SourceError, open_source
from tilesight.lobby.memory import LobbyMemory
from tilesight.settings import camera_path, live_camera

SECRET = "hunter2hunter2"
ADDRESSES = (
    f"rtsp://ana:{SECRET}@127.0.0.1:9/stream",
    f"rtsp://ana:{SECRET}/x@127.0.0.1:9/stream",
    f"rtsp://ana:x@{SECRET}@127.0.0.1:9/stream",
    f"http://127.0.0.1:9/video?user=ana&password={SECRET}",
    f"http://127.0.0.1:9?pwd={SECRET}",
    f"rtsp://127.0.0.1:9/user=ana&password={SECRET}&channel=1",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_name_shown_for_a_camera_holds_no_secret(address: str) -> None:
    for told in (shown_camera(address), profile_name(address), camera_path(profile_name(address)).name):
        assert SECRET not in told and "127" in told
    assert shown_camera("rtsp://10.0.0.3:554/h264/1") == "rtsp://10.0.0.3:554/h264/1"


def test_a_profile_under_a_password_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    before = camera_path(ADDRESSES[0])
    before.parent.mkdir(parents=True)
    before.write_text(f'{{"tilesight": 1, "camera": "{ADDRESSES[0]}"}}')
    assert live_camera(ADDRESSES[0]).name == profile_name(ADDRESSES[0])
    assert [path.name for path in before.parent.iterdir()] == [camera_path(profile_name(ADDRESSES[0])).name]
    assert SECRET not in camera_path(profile_name(ADDRESSES[0])).read_text()


def test_a_camera_is_read_from_a_file_but_not_at_the_word_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "camera"
    file.write_text(f"{ADDRESSES[0]}\n")
    assert told_camera(f"@{file}") == ADDRESSES[0] and told_camera("0") == "0"
    with pytest.raises(CameraOptionError, match="cannot be read"):
        told_camera(f"@{tmp_path / 'none'}")
    monkeypatch.setenv(CAMERA, f"@{file}")
    with pytest.raises(SourceError) as caught:
        open_source(told_camera(f"@{file}"))
    assert SECRET not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_command_line_and_no_card_of_the_lobby_has_the_password(lobby: Target) -> None:
    players = [{"color": "red", "name": "Ana"}, {"color": "blue", "name": "Bo"}]
    body = {"pack": "savanna", "players": players, "camera": ADDRESSES[0]}
    card = lobby.ask("/api/tables", body, key=lobby.key).json()
    assert SECRET not in str(card), card
    lobby.ask("/api/camera", {"camera": ADDRESSES[0]}, key=lobby.key)
    until_s, seen = time.monotonic() + 20, 0
    while seen < 2:
        assert time.monotonic() < until_s
        lines = [
            path.read_bytes()
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if path.parent.name != str(os.getpid()) and os.access(path, os.R_OK)
        ]
        assert not [line for line in lines if SECRET.encode() in line]
        words = [line.split(b"\0") for line in lines if b"tilesight.app" in line]
        seen = sum(b"live" in one or b"preview" in one for one in words)
    assert SECRET not in lobby.ask("/api/lobby", key=lobby.key).text
    shown = card["camera"]
    assert LobbyMemory(lobby.home / "lobby.json").camera_shown_as(shown) == ADDRESSES[0]
    assert lobby.ask(f"/api/tables/{card['id']}/stop", {}, key=lobby.key).status_code == 200


def test_a_guest_does_not_read_where_the_folder_lies(target: Target) -> None:
    broken = target.camera / "broken.jpg"
    broken.write_bytes(b"no picture")
    os.utime(broken, (1e9, 1e9))
    until_s = time.monotonic() + 20
    while "broken.jpg" not in (told := target.ask("/api/state").text):
        assert time.monotonic() < until_s, told
        time.sleep(0.1)
    target.camera.rename(target.home / "elsewhere")
    while "waiting for it" not in (gone := target.ask("/api/state").text):
        assert time.monotonic() < until_s, gone
        time.sleep(0.1)
    assert str(target.home) not in told + gone
