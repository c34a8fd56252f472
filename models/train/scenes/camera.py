"""Pinhole camera with lens distortion over a flat table.

World frame: millimetres, x east, y south, z up from the table top. The camera's
own frame is OpenCV's (x right, y down, z forward).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Camera:
    """Pose and optics of the camera.

    K: 3x3 float64, pixels. dist: (k1, k2) of OpenCV's radial model. R: 3x3, rows are the
    camera's axes in the right-handed world (x, y, -z). centre_mm: (3,) in the world frame, z up.
    """

    K: F64
    dist: F64
    R: F64
    centre_mm: F64
    size_wh: tuple[int, int]

    def project(self, points_mm: F64) -> F64:
        """World points (..., 3) in mm to image points (..., 2) in px, lens included."""
        p = np.asarray(points_mm, np.float64)
        rel = p - self.centre_mm
        rel = rel * (1.0, 1.0, -1.0)
        c = rel @ self.R.T
        z = np.maximum(c[..., 2], 1e-3)
        x, y = c[..., 0] / z, c[..., 1] / z
        r2 = np.minimum(x * x + y * y, 4.0)
        k = 1.0 + self.dist[0] * r2 + self.dist[1] * r2 * r2
        return np.stack([self.K[0, 0] * x * k + self.K[0, 2], self.K[1, 1] * y * k + self.K[1, 2]], axis=-1)

    def depth(self, points_mm: F64) -> F64:
        """Distance in mm of world points (..., 3) along the camera's axis."""
        rel = (np.asarray(points_mm, np.float64) - self.centre_mm) * (1.0, 1.0, -1.0)
        return np.asarray(rel @ self.R[2])

    def plane_maps(self, height_mm: float, step_px: int = 8) -> tuple[F32, F32]:
        """Plane coordinates (x mm, y mm), each HxW float32, that every pixel sees at this height.

        Rays that never meet the plane get coordinates very far away.
        """
        w, h = self.size_wh
        gw, gh = w // step_px + 2, h // step_px + 2
        # Coarse sample k lies at pixel k * step_px, so the upscaling below is an affine remap.
        us, vs = np.meshgrid(np.arange(gw) * step_px, np.arange(gh) * step_px)
        x = (us - self.K[0, 2]) / self.K[0, 0]
        y = (vs - self.K[1, 2]) / self.K[1, 1]
        xu, yu = x.copy(), y.copy()
        for _ in range(6):
            r2 = np.minimum(xu * xu + yu * yu, 4.0)
            k = 1.0 + self.dist[0] * r2 + self.dist[1] * r2 * r2
            xu, yu = x / k, y / k
        rays = np.stack([xu, yu, np.ones_like(xu)], axis=-1) @ self.R
        down = np.maximum(rays[..., 2], 1e-3)
        lam = (self.centre_mm[2] - height_mm) / down
        gx = (self.centre_mm[0] + lam * rays[..., 0]).astype(np.float32)
        gy = (self.centre_mm[1] + lam * rays[..., 1]).astype(np.float32)
        m = np.array([[1.0 / step_px, 0, 0], [0, 1.0 / step_px, 0]], np.float64)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return (
            np.asarray(cv2.warpAffine(gx, m, (w, h), flags=flags), np.float32),
            np.asarray(cv2.warpAffine(gy, m, (w, h), flags=flags), np.float32),
        )

    def px_per_mm(self, point_mm: F64) -> float:
        """Image scale at a world point, across the line of sight."""
        return float(self.K[0, 0] / max(float(self.depth(point_mm)), 1.0))


def look_at(
    target_mm: F64,
    distance_mm: float,
    elevation_deg: float,
    yaw_deg: float,
    roll_deg: float,
    focal_px: float,
    dist: tuple[float, float],
    centre_px: tuple[float, float],
    size_wh: tuple[int, int],
) -> Camera:
    """A camera that looks at a point of the table from an elevation (90 = from above).

    yaw 0 looks to the north (the camera stands south of the target); yaw grows clockwise.
    """
    a, e, r = math.radians(yaw_deg), math.radians(elevation_deg), math.radians(roll_deg)
    ahead = np.array([math.sin(a), -math.cos(a), 0.0])
    down = np.array([0.0, 0.0, 1.0])
    fwd = math.cos(e) * ahead + math.sin(e) * down
    right = np.array([math.cos(a), math.sin(a), 0.0])
    low = np.cross(fwd, right)
    c, s = math.cos(r), math.sin(r)
    rot = np.stack([c * right + s * low, -s * right + c * low, fwd])
    centre = np.array([target_mm[0], target_mm[1], 0.0]) - distance_mm * fwd * (1.0, 1.0, -1.0)
    k = np.array([[focal_px, 0, centre_px[0]], [0, focal_px, centre_px[1]], [0, 0, 1.0]])
    return Camera(k, np.array(dist), rot, centre, size_wh)


def random_camera(
    rng: np.random.Generator,
    size_wh: tuple[int, int],
    board_xy_mm: F64,
    tile_mm: float,
    elevation_range: tuple[float, float] = (30.0, 90.0),
    partly_out: float = 0.2,
    yaw_deg: float | None = None,
) -> Camera:
    """A plausible webcam, document camera or phone over a board.

    board_xy_mm: (n, 2) tile centres. The board usually fills most of the picture; with
    probability partly_out it runs over the rim. Tile sides end between about 30 and
    260 px at a picture 1280 px wide (in proportion at other sizes).
    """
    w, h = size_wh
    long_px = max(w, h)
    focal = long_px * float(np.exp(rng.uniform(math.log(0.62), math.log(1.6))))
    elevation = float(rng.uniform(*elevation_range))
    if rng.random() < 0.25:
        elevation = float(rng.uniform(max(elevation_range[0], 70.0), elevation_range[1]))
    mid = (board_xy_mm.min(0) + board_xy_mm.max(0)) / 2
    radius = float(np.max(np.linalg.norm(board_xy_mm - mid, axis=1))) + 0.75 * tile_mm
    fill = float(rng.uniform(0.45, 1.0))
    if rng.random() < partly_out:
        fill = float(rng.uniform(1.0, 1.7))
    scale = fill * 0.5 * min(w, h * (1.1 if elevation > 60 else 1.4)) / radius  # px per mm
    side_px = float(np.clip(scale * tile_mm, 0.030 * long_px, 0.195 * long_px))
    distance = focal * tile_mm / side_px
    wander = radius * (0.15 if fill < 1 else 0.5)
    target = mid + rng.normal(0, 1, 2) * wander
    dist = (0.0, 0.0)
    if rng.random() < 0.75:
        k1 = float(rng.normal(-0.03, 0.06))
        dist = (float(np.clip(k1, -0.16, 0.1)), float(rng.normal(0, 0.02)))
    cx = w / 2 - 0.5 + float(rng.normal(0, 0.012)) * w
    cy = h / 2 - 0.5 + float(rng.normal(0, 0.012)) * h
    return look_at(
        target,
        distance,
        elevation,
        float(rng.uniform(0, 360)) if yaw_deg is None else yaw_deg,
        float(rng.normal(0, 2.5)),
        focal,
        dist,
        (cx, cy),
        size_wh,
    )
