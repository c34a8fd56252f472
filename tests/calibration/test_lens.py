"""Lens calibration: the guide's wanted views, the fitted lens, and straight lines after correction."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.cameras import CalibrationError
from calibration.charuco import BoardView, find_board
from calibration.lens import WANTED, LensGuide, answers, calibrate_lens, pose_of
from tests.calibration.bent_camera import POSES, BentCamera
from vision.image.lens import Lens

CAMERA = BentCamera()


@lru_cache
def views() -> dict[str, BoardView]:
    found = {}
    for name, pose in POSES.items():
        view = find_board(CAMERA.of_board(*pose))
        assert view is not None, name
        found[name] = view
    return found


@pytest.mark.parametrize("name", list(WANTED))
def test_each_way_to_hold_the_board_is_recognised(name: str) -> None:
    assert name in answers(pose_of(views()[name]))


def test_the_guide_takes_what_rests_and_is_wanted_once() -> None:
    guide = LensGuide()
    assert guide.see(views()["straight"]) == frozenset()  # it may still be moving
    assert "straight" in guide.see(views()["straight"])
    assert guide.see(views()["straight"]) == frozenset()
    assert guide.see(None) == guide.see(views()["left"]) == frozenset()
    assert "left" in guide.see(views()["left"])
    assert guide.see(views()["right"]) == frozenset()  # moved since
    for view in views().values():
        guide.see(view)
        guide.see(view)
    assert guide.done
    assert 5 <= len(guide.views) <= len(WANTED)


def test_the_lens_is_found() -> None:
    lens = calibrate_lens(list(views().values()))
    assert lens.size_wh == CAMERA.size_wh
    assert lens.error_px < 0.4
    assert lens.K[0, 0] == pytest.approx(CAMERA.focal_px, rel=0.02)
    straightener = lens.at(CAMERA.size_wh)
    assert straightener is not None
    points = np.array([[30.0, 40.0], [1250.0, 30.0], [640.0, 360.0], [60.0, 690.0]])
    rays = (points - lens.K[:2, 2]) / lens.K[0, 0]
    true_rays = (points - CAMERA.K[:2, 2]) / CAMERA.focal_px
    assert np.abs(rays - true_rays).max() < 0.03


def test_views_that_settle_nothing_are_refused() -> None:
    every = list(views().values())
    with pytest.raises(CalibrationError, match="at least 5 views"):
        calibrate_lens(every[:4])
    with pytest.raises(CalibrationError, match="straight on"):
        calibrate_lens([views()["straight"]] * 6)
    other = BoardView(every[0].corners_px, every[0].lies_mm, (640, 480))
    with pytest.raises(CalibrationError, match="several sizes"):
        calibrate_lens([*every, other])
    rng = np.random.default_rng(3)
    off = [rng.normal(0, 12, view.corners_px.shape).astype(np.float32) for view in every]
    loose = [BoardView(v.corners_px + o, v.lies_mm, v.size_wh) for v, o in zip(every, off, strict=True)]
    with pytest.raises(CalibrationError, match="do not belong together"):
        calibrate_lens(loose)
    assert find_board(np.full((200, 300, 3), 120, np.uint8)) is None


def test_straight_lines_come_out_straight_and_go_back_to_where_they_were_seen() -> None:
    straight = np.full((720, 1280, 3), 200, np.uint8)
    for x in range(100, 1280, 200):
        cv2.line(straight, (x, 0), (x, 719), (20, 20, 20), 5)
    bent = CAMERA.bend(straight)
    lens = Lens(CAMERA.size_wh, CAMERA.K, np.array(CAMERA.dist)).at(CAMERA.size_wh)
    assert lens is not None

    def crooked(picture: np.ndarray, x: float) -> float:
        """How far a line's darkest pixels leave the straight line through them."""
        rows = np.arange(60, 660, 20)
        near = [picture[row, max(int(x) - 60, 0) : int(x) + 60, 1].astype(float) for row in rows]
        middles = np.array(
            [np.average(np.arange(len(n)), weights=np.maximum(180 - n, 0) + 1e-6) for n in near]
        )
        return float(np.abs(middles - np.polyval(np.polyfit(rows, middles, 1), rows)).max())

    seen = CAMERA.bent(np.array([[100.0, 360.0]]))[0, 0]
    zoom = lens.K_straight[0, 0] / CAMERA.K[0, 0]
    at = zoom * (100.0 - CAMERA.K[0, 2]) + CAMERA.K[0, 2]
    assert crooked(bent, seen) > 4
    assert crooked(lens.straightened(bent), at) < 0.6
    points = np.array([[[100.0, 100.0], [900.0, 650.0]]])
    back = lens.as_seen(lens.K_straight[0, 0] / CAMERA.K[0, 0] * (points - CAMERA.K[:2, 2]) + CAMERA.K[:2, 2])
    assert np.abs(back[0] - CAMERA.bent(points[0])).max() < 1e-6


def test_a_lens_holds_at_other_sizes_of_the_same_picture_only() -> None:
    lens = Lens(CAMERA.size_wh, CAMERA.K, np.array(CAMERA.dist))
    half = lens.at((640, 360))
    assert half is not None
    assert half.K[0, 0] == pytest.approx(CAMERA.focal_px / 2)
    assert lens.at((640, 480)) is None
