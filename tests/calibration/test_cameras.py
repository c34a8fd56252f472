"""Camera profiles: their files, the colours learned from a table, and the correction of readings."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.cameras import CalibrationError, camera_file, read_camera, write_camera
from calibration.piece_colors import learn_colors
from tests.fuzz import altered, damaged, one_line
from vision.image.camera_profile import Camera
from vision.image.color_profile import PieceColors
from vision.image.lens import Lens
from vision.observation import BoardPose, CellReading, Frame, Observation, PieceReading

LENS = Lens(
    (1280, 720), np.array([[1000.0, 0, 640], [0, 1000, 360], [0, 0, 1]]), np.array([-0.2, 0.05, 0, 0, 0]), 0.4
)
COLORS = PieceColors(
    {"red": {"red": 0.7, "violet": 0.3}, "blue": {"blue": 0.95, "black": 0.05}}, {"red": 6, "blue": 5}
)


def piece(**color_probs: float) -> PieceReading:
    best = max(color_probs, key=lambda name: color_probs[name], default=None)
    return PieceReading("meeple", best, "standing", (100.0, 80.0), (0.5, 0.5), 0.9, color_probs)


def seen(pieces: tuple[PieceReading, ...], image: np.ndarray | None = None) -> Observation:
    quad = np.array([[100, 80], [200, 80], [200, 180], [100, 180]], np.float32)
    size = (1280, 720) if image is None else (image.shape[1], image.shape[0])
    pose = BoardPose(np.eye(3), {(0, 0): quad}, size, 1.0)
    cells = {(0, 0): CellReading((0, 0), quad, np.zeros((1, 4), np.float32), 1.0)}
    return Observation(0, 0.0, pose, ("A",), cells, pieces)


def test_written_and_read_back(tmp_path: Path) -> None:
    path = camera_file(tmp_path / "deep", "Acme  Phone/9 (back)")
    assert path.name == "acme-phone-9-back.camera.json"
    write_camera(path, Camera("Acme  Phone/9 (back)", LENS, COLORS))
    again = read_camera(path)
    assert again.name == "Acme  Phone/9 (back)"
    assert again.lens is not None
    assert (again.lens.size_wh, again.lens.error_px) == ((1280, 720), 0.4)
    assert np.allclose(again.lens.K, LENS.K)
    assert np.allclose(again.lens.dist, LENS.dist)
    assert again.colors == COLORS


def test_files_of_wrong_values_say_so(tmp_path: Path) -> None:
    rng = random.Random(21)
    path = tmp_path / "0.camera.json"
    write_camera(path, Camera("0", LENS, COLORS))
    whole: Any = json.loads(path.read_text())
    said = 0
    for number in range(300):
        data = (
            damaged(json.dumps(whole).encode(), rng)
            if number % 4 == 0
            else json.dumps(altered(whole, rng)).encode()
        )
        path.write_bytes(data)
        try:
            camera = read_camera(path)
        except CalibrationError as error:
            assert one_line(error)
            assert str(path) in str(error)
            said += 1
        else:
            camera.through(lambda frame: seen((piece(red=0.5, violet=0.5),), frame.image))(
                Frame(np.zeros((72, 128, 3), np.uint8))
            )
    assert said > 150


def test_colours_learned_from_a_table_decide_between_two_colours() -> None:
    half = COLORS.corrected(piece(red=0.55, violet=0.42, blue=0.03))
    assert half.color == "red"
    assert half.color_probs["red"] > 0.9
    assert sum(half.color_probs.values()) == pytest.approx(1.0)
    sure = COLORS.corrected(piece(red=0.01, violet=0.01, blue=0.98))
    assert sure.color_probs["blue"] > 0.97
    other = COLORS.corrected(piece(yellow=0.97, red=0.03))
    assert other.color == "yellow"  # a colour that was not shown is still seen where it is plain
    token = PieceReading("token", None, "lying", (1.0, 1.0), (0.5, 0.5), 0.9)
    assert COLORS.corrected(token) is token
    assert PieceColors().corrected(half) is half


def test_colours_are_learned_from_pieces_shown() -> None:
    frames = {name: [Frame(np.zeros((8, 8, 3), np.uint8), source=name)] * 3 for name in ("red", "blue")}
    table = {"red": (piece(red=0.6, violet=0.4), piece(red=0.8, violet=0.2)), "blue": (piece(blue=1.0),)}
    learned = learn_colors(frames, lambda frame: seen(table[frame.source]))
    assert learned.shown == {"red": 6, "blue": 3}
    assert learned.named["red"] == pytest.approx({"red": 0.7, "violet": 0.3})
    with pytest.raises(CalibrationError, match="no piece is seen where the red"):
        learn_colors(frames, lambda frame: seen(()))
    with pytest.raises(CalibrationError, match="no pieces are 'pink'"):
        learn_colors({"pink": frames["red"]}, lambda frame: seen(()))


def test_a_frame_is_straightened_and_what_is_seen_lies_in_the_frame_as_it_was_read() -> None:
    given: list[np.ndarray] = []

    def observe(frame: Frame) -> Observation:
        given.append(frame.image)
        return seen((piece(red=1.0),), frame.image)

    image = np.random.default_rng(1).integers(0, 255, (720, 1280, 3)).astype(np.uint8)
    observation = Camera("0", LENS, COLORS).through(observe)(Frame(image))
    assert not np.array_equal(given[0], image)
    straightener = LENS.at((1280, 720))
    assert straightener is not None
    wanted = straightener.as_seen(np.array([[100.0, 80.0]]))[0]
    assert np.linalg.norm(wanted - [100, 80]) > 4
    assert observation.pose is not None
    assert np.allclose(observation.pose.quads[(0, 0)][0], wanted, atol=1e-3)
    assert np.allclose(observation.cells[(0, 0)].corners_px[0], wanted, atol=1e-3)
    assert observation.pieces[0].point_px == pytest.approx(tuple(wanted))
    assert observation.pieces[0].color_probs["red"] > 0.9
    plain = Camera("0").through(observe)(Frame(image))
    assert given[1] is image
    assert plain.pose is not None
    assert plain.pose.quads[(0, 0)][0].tolist() == [100, 80]
