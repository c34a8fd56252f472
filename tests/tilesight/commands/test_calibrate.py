"""`tilesight calibrate` end to end: from pictures or a camera to a file that `photo` finds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from calibration.cameras import read_camera, write_camera
from tests.calibration.bent_camera import POSES, BentCamera
from tests.vision.toy_boards import toy_board
from tilesight import app as command_line
from vision.image.camera_profile import Camera
from vision.image.lens import Lens

CAMERA = BentCamera()


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["tilesight", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def save(path: Path, picture: np.ndarray, model: str | None = None) -> Path:
    image = Image.fromarray(np.ascontiguousarray(picture[:, :, ::-1]))
    exif = image.getexif()
    if model is not None:
        exif[271], exif[272] = "Acme", model
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=92, exif=exif)
    return path


@pytest.mark.long
def test_a_folder_of_pictures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    for number, pose in enumerate(POSES.values()):
        save(tmp_path / "views" / f"{number}.jpg", CAMERA.of_board(*pose), "Nine")
    save(tmp_path / "views" / "table.jpg", np.full((720, 1280, 3), 80, np.uint8))
    code, out, err = run(monkeypatch, capsys, "calibrate", "--images", tmp_path / "views", "--json")
    said = json.loads(out)
    assert code == 0
    assert said["camera"] == "Acme Nine"
    assert said["error_px"] < 0.6
    assert "table.jpg: the board was not found" in err
    assert read_camera(home / "calibration" / "acme-nine.camera.json").lens is not None

    for path in sorted((tmp_path / "views").glob("[2-9].jpg")):
        path.unlink()
    code, _, err = run(monkeypatch, capsys, "calibrate", "--images", tmp_path / "views")
    assert code == 2
    assert "the board was found in 3 of 4 pictures, 5 are needed" in err  # 0, 1 and 10 are left


@pytest.mark.long
def test_a_camera_is_asked_for_what_is_still_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    frames = []
    for number, pose in enumerate(POSES.values()):
        path = save(tmp_path / "film" / f"{number:02d}.jpg", CAMERA.of_board(*pose))
        frames += [{"file": path.name, "t_s": 2 * number}, {"file": path.name, "t_s": 2 * number + 1}]
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    session = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players, "frames": frames}
    (tmp_path / "film" / "session.json").write_text(json.dumps(session), "utf-8")
    code, out, err = run(monkeypatch, capsys, "calibrate", "--camera", tmp_path / "film", "--name", "0")
    assert code == 0
    assert "px error at 1280 × 720" in out
    assert "next: held straight" in err
    assert "next: close" in err
    assert read_camera(home / "calibration" / "0.camera.json").name == "0"


def test_a_photo_of_a_known_camera_is_read_through_its_lens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    board = toy_board(21, [(x, y) for x in range(5) for y in range(3)], elevation_deg=70.0)
    photo = save(tmp_path / "table.jpg", CAMERA.bend(board.image), "Nine")
    lens = Lens(CAMERA.size_wh, CAMERA.K, np.array(CAMERA.dist))
    write_camera(home / "calibration" / "acme-nine.camera.json", Camera("Acme Nine", lens))
    code, out, _ = run(monkeypatch, capsys, "photo", photo, "--pack", "none", "--json")
    assert code == 0
    tiles = json.loads(out)["tiles"]
    assert len(tiles) >= 15
    wanted = np.concatenate([CAMERA.bent(quad.astype(float)) for quad in board.quads.values()])
    seen = np.concatenate([tile["corners_px"] for tile in tiles])
    off = [np.linalg.norm(seen - corner, axis=1).min() for corner in wanted]
    assert np.median(off) < 2.5

    given = tmp_path / "broken.json"
    given.write_text("{", "utf-8")
    code, _, err = run(monkeypatch, capsys, "photo", photo, "--pack", "none", "--calibration", given)
    assert code == 2
    assert "broken.json: not JSON" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--images nowhere", "nowhere: no such file"),
        ("--images .", "holds no pictures"),
        ("--images . --camera 0", "not both"),
        ("--camera nowhere", "no camera 'nowhere'"),
        ("--colors pink=table.png", "no pieces are 'pink'"),
        ("--colors red=table.png", "no piece is seen where the red"),
        ("--colors red=table.png --colors red=b.png", "names each colour once"),
    ],
)
def test_wrong_use_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    if "table.png" in words:
        cv2.imwrite("table.png", np.full((240, 320, 3), 90, np.uint8))
    code, out, err = run(monkeypatch, capsys, "calibrate", *words.split())
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]
