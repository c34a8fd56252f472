"""Lens calibration from views of the printed board: collection of views, and fit of the lens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.cameras import CalibrationError
from calibration.charuco import BoardView
from calibration.params import PARAMS
from vision.image.lens import Lens

LEAST_VIEWS = 5
"""Minimum number of views that determine a lens."""

_CLOSE, _FAR = 0.5, 0.42
"""Minimum span of the board in a close view, and maximum in a far one, relative to the picture's side."""


@dataclass(frozen=True, slots=True)
class ViewPose:
    """Pose of the board in one view, from its outline in the picture."""

    middle_xy: tuple[float, float]
    """Centre, -0.5..0.5 of the picture's width and height from its middle."""
    span: float
    """Larger of its width and height relative to the picture's."""
    lean_xy: tuple[float, float]
    """Relative difference of opposite sides (right against left, lower against upper), -1..1."""


def pose_of(view: BoardView) -> ViewPose:
    """Estimate the pose of the board from the outline of its visible corners."""
    H, _ = cv2.findHomography(view.lies_mm[:, :2].astype(np.float64), view.corners_px.astype(np.float64), 0)
    low, high = view.lies_mm[:, :2].min(axis=0), view.lies_mm[:, :2].max(axis=0)
    box = np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float64)
    px = np.asarray(cv2.perspectiveTransform(box[None], H), np.float64)[0] if H is not None else box
    # Corners are ordered by the picture, not by the board, which may be held at any rotation.
    corner = px[np.argsort(np.arctan2(*(px - px.mean(axis=0)).T[::-1]))]
    west, north, east, south = (float(np.linalg.norm(corner[i] - corner[j])) for i, j in _SIDES)
    size = np.array(view.size_wh, np.float64)
    middle = px.mean(axis=0) / size - 0.5
    span = float(((px.max(axis=0) - px.min(axis=0)) / size).max())
    lean = ((east - west) / max(east + west, 1.0), (south - north) / max(south + north, 1.0))
    return ViewPose((float(middle[0]), float(middle[1])), span, (2 * lean[0], 2 * lean[1]))


_SIDES = ((0, 3), (0, 1), (1, 2), (2, 3))
"""Corner indices of the left, upper, right and lower side; corners are ordered by angle from the upper
left."""

WANTED: dict[str, str] = {
    "straight": "held straight before the camera",
    "close": "close, so that it fills half of the picture or more",
    "left": "in the left of the picture",
    "right": "in the right of the picture",
    "top": "in the upper part of the picture",
    "bottom": "in the lower part of the picture",
    "far": "farther away, about a third of the picture",
    "lean left": "with its left edge nearer to the camera",
    "lean right": "with its right edge nearer to the camera",
    "lean top": "with its upper edge nearer to the camera",
    "lean bottom": "with its lower edge nearer to the camera",
}
"""Views that a calibration needs, with the instruction for each."""


def answers(pose: ViewPose) -> frozenset[str]:
    """Return the names of the views in WANTED that this pose satisfies; there may be several."""
    x, y = pose.middle_xy
    lean_x, lean_y = pose.lean_xy
    side, tilt = PARAMS.off_centre, PARAMS.tilt
    told = {
        "straight": max(abs(x), abs(y)) < side and max(abs(lean_x), abs(lean_y)) < 0.6 * tilt,
        "close": pose.span >= _CLOSE,
        "far": pose.span <= _FAR,
        "left": x < -side,
        "right": x > side,
        "top": y < -side,
        "bottom": y > side,
        "lean left": lean_x < -tilt,
        "lean right": lean_x > tilt,
        "lean top": lean_y < -tilt,
        "lean bottom": lean_y > tilt,
    }
    return frozenset(name for name, is_so in told.items() if is_so)


@dataclass(slots=True)
class LensGuide:
    """Collects views until all of WANTED are there.
    A view is taken if the board is at rest and it adds one."""

    views: list[BoardView] = field(default_factory=list)
    wanted: list[str] = field(default_factory=lambda: list(WANTED))
    _before: BoardView | None = None

    def see(self, view: BoardView | None) -> frozenset[str]:
        """Take the board's view in the next picture, None if it is not visible; keep it if it is wanted.
        Returns the names of the wanted views that it adds, empty if it is not kept."""
        before, self._before = self._before, view
        if view is None or before is None or not _at_rest(before, view):
            return frozenset()
        fresh = answers(pose_of(view)) & set(self.wanted)
        if fresh:
            self.views.append(view)
            self.wanted = [name for name in self.wanted if name not in fresh]
        return fresh

    @property
    def done(self) -> bool:
        """Whether all wanted views are there."""
        return not self.wanted and len(self.views) >= LEAST_VIEWS


def _at_rest(before: BoardView, view: BoardView) -> bool:
    """Whether the corners visible in both pictures have not moved.
    False if fewer than 8 are, or if the sizes differ."""
    if before.size_wh != view.size_wh:
        return False
    known = {
        tuple(place): point for place, point in zip(before.lies_mm.tolist(), before.corners_px, strict=True)
    }
    moved = [
        float(np.linalg.norm(known[tuple(place)] - point))
        for place, point in zip(view.lies_mm.tolist(), view.corners_px, strict=True)
        if tuple(place) in known
    ]
    scale = max(max(view.size_wh) / 1280.0, 1.0)
    return len(moved) >= 8 and float(np.median(moved)) < PARAMS.still_px * scale


def calibrate_lens(views: Sequence[BoardView]) -> Lens:
    """Fit the lens to the views, without the worst one if that is an outlier.
    Raises CalibrationError if they are too few, of several sizes, all frontal, or inconsistent."""
    if len(views) < LEAST_VIEWS:
        raise CalibrationError(
            f"a lens needs at least {LEAST_VIEWS} views of the board, there are {len(views)}"
        )
    sizes = {view.size_wh for view in views}
    if len(sizes) > 1:
        told = ", ".join(f"{w} × {h}" for w, h in sorted(sizes))
        raise CalibrationError(f"the pictures are of several sizes ({told}): one lens is seen in one size")
    size_wh = views[0].size_wh
    poses = [pose_of(view).lean_xy for view in views]
    if max(abs(lean) for both in poses for lean in both) < 0.5 * PARAMS.tilt:
        raise CalibrationError("every view is seen straight on: hold the board askew in some of them")
    K = np.array([[max(size_wh), 0, size_wh[0] / 2], [0, max(size_wh), size_wh[1] / 2], [0, 0, 1.0]])
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_K3 | cv2.CALIB_FIX_ASPECT_RATIO
    kept = list(views)
    error_px, K, dist, each = _fit_camera(kept, K, flags)
    # Drop the worst view once if it is an outlier and enough are left.
    worst = int(np.argmax(each))
    if len(kept) > LEAST_VIEWS and each[worst] > 3.0 * float(np.median(each)):
        del kept[worst]
        error_px, K, dist, _ = _fit_camera(kept, K, flags)
    if error_px > PARAMS.lens_error_px:
        raise CalibrationError(
            f"the views do not belong together (error {error_px:.1f} px): is the board flat?"
        )
    return Lens(size_wh, K, dist, error_px)


def _fit_camera(
    views: Sequence[BoardView], K: NDArray[np.float64], flags: int
) -> tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Fit the camera; return the error in px, the matrix K, dist (5,), and each view's error in px.
    ``K`` is the initial matrix (3, 3), ``flags`` are OpenCV's. Raises CalibrationError if the views do not
    determine a camera."""
    lies = [view.lies_mm for view in views]
    seen = [view.corners_px for view in views]
    try:
        error_px, found, dist, _, _, _, _, each = cv2.calibrateCameraExtended(
            lies, seen, views[0].size_wh, K.copy(), np.zeros(5), flags=flags
        )
    except cv2.error:
        raise CalibrationError(
            "the views say nothing of the lens: take others, askew and all over the picture"
        ) from None
    return (
        float(error_px),
        np.asarray(found, np.float64),
        np.asarray(dist, np.float64).reshape(-1)[:5],
        np.asarray(each, np.float64).reshape(-1),
    )
