"""The camera after the path tracer: projection, lens distortion, sensor and JPEG.

Pixels are OpenCV's: centres at whole numbers, `K`/`dist` in OpenCV's model.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image


@dataclass(frozen=True)
class Camera:
    """A pinhole with mild distortion; `eye_mm` and `R` (rows: right, down, forward) in the world."""

    size_wh: tuple[int, int]
    f_px: float
    k1: float
    k2: float
    eye_mm: np.ndarray
    R: np.ndarray

    @property
    def K(self) -> list[list[float]]:
        """OpenCV's camera matrix."""
        w, h = self.size_wh
        return [
            [round(self.f_px, 2), 0.0, (w - 1) / 2],
            [0.0, round(self.f_px, 2), (h - 1) / 2],
            [0.0, 0.0, 1.0],
        ]

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        """World points [n, 3] mm to image points [n, 2] px through lens and distortion."""
        p = (np.asarray(points_mm, float).reshape(-1, 3) - self.eye_mm) @ self.R.T
        xy = p[:, :2] / p[:, 2:3]
        r2 = (xy**2).sum(1, keepdims=True)
        xy = xy * (1 + self.k1 * r2 + self.k2 * r2**2)
        w, h = self.size_wh
        return xy * self.f_px + np.array([(w - 1) / 2, (h - 1) / 2])

    def straight(self, points_px: np.ndarray) -> np.ndarray:
        """Image points [n, 2] px to undistorted normalised coordinates [n, 2]."""
        w, h = self.size_wh
        d = (np.asarray(points_px, float).reshape(-1, 2) - [(w - 1) / 2, (h - 1) / 2]) / self.f_px
        u = d.copy()
        for _ in range(12):
            r2 = (u**2).sum(1, keepdims=True)
            u = d / (1 + self.k1 * r2 + self.k2 * r2**2)
        return u

    def rays(self, points_px: np.ndarray) -> np.ndarray:
        """Unit directions [n, 3] in the world of image points [n, 2] px."""
        u = self.straight(points_px)
        v = np.concatenate([u, np.ones((len(u), 1))], 1) @ self.R
        return v / np.linalg.norm(v, axis=1, keepdims=True)

    def ground(self, points_px: np.ndarray, z_mm: float = 0.0) -> np.ndarray:
        """The points [n, 2] mm on the plane `z_mm` that image points show."""
        d = self.rays(points_px)
        t = (z_mm - self.eye_mm[2]) / d[:, 2:3]
        return (self.eye_mm + t * d)[:, :2]

    def overscan_wh(self) -> tuple[int, int]:
        """Size of the undistorted picture that covers the whole distorted one at the same f."""
        w, h = self.size_wh
        xs, ys = np.linspace(0, w - 1, 33), np.linspace(0, h - 1, 33)
        rim = np.concatenate(
            [
                np.stack([xs, 0 * xs], 1),
                np.stack([xs, 0 * xs + h - 1], 1),
                np.stack([0 * ys, ys], 1),
                np.stack([0 * ys + w - 1, ys], 1),
            ]
        )
        reach = np.abs(self.straight(rim)).max(0) * self.f_px
        return int(2 * math.ceil(reach[0] + 3)), int(2 * math.ceil(reach[1] + 3))


def aim(
    size_wh: tuple[int, int],
    hfov_deg: float,
    target_mm: np.ndarray,
    elevation_deg: float,
    azimuth_deg: float,
    distance_mm: float,
    roll_deg: float,
    k1: float,
    k2: float,
) -> Camera:
    """A camera `distance_mm` from `target_mm`, seen from `azimuth_deg` (0: it stands south)."""
    e, a = math.radians(elevation_deg), math.radians(azimuth_deg)
    back = np.array([math.cos(e) * math.sin(a), -math.cos(e) * math.cos(a), math.sin(e)])
    eye = np.asarray(target_mm, float) + distance_mm * back
    right = np.cross(-back, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(-back, right)
    c, s = math.cos(math.radians(roll_deg)), math.sin(math.radians(roll_deg))
    R = np.stack([c * right + s * down, -s * right + c * down, -back])
    f = size_wh[0] / 2 / math.tan(math.radians(hfov_deg) / 2)
    return Camera(size_wh, f, k1, k2, eye, R)


def sample(image: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Bilinear samples of float [h, w, 3] at pixel positions of any common shape."""
    h, w = image.shape[:2]
    x, y = np.clip(x, 0, w - 1.001), np.clip(y, 0, h - 1.001)
    x0, y0 = x.astype(int), y.astype(int)
    fx, fy = (x - x0)[..., None], (y - y0)[..., None]
    top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
    low = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
    return top * (1 - fy) + low * fy


def distort(camera: Camera, linear: np.ndarray) -> np.ndarray:
    """The overscanned pinhole picture as the distorting lens shows it: float32 [h, w, 3]."""
    w, h = camera.size_wh
    oh, ow = linear.shape[:2]
    gx, gy = np.meshgrid(np.arange(w), np.arange(h))
    u = camera.straight(np.stack([gx.ravel(), gy.ravel()], 1)) * camera.f_px
    x = (u[:, 0] + (ow - 1) / 2).reshape(h, w)
    y = (u[:, 1] + (oh - 1) / 2).reshape(h, w)
    return sample(linear, x, y).astype(np.float32)


def blur(image: np.ndarray, sigma_px: float) -> np.ndarray:
    """Gaussian blur of float [h, w, c] with edge padding."""
    if sigma_px <= 0.05:
        return image
    n = max(1, math.ceil(3 * sigma_px))
    k = np.exp(-0.5 * (np.arange(-n, n + 1) / sigma_px) ** 2)
    k /= k.sum()
    for axis in (0, 1):
        pad = [(n, n) if i == axis else (0, 0) for i in range(image.ndim)]
        wide = np.pad(image, pad, mode="edge")
        size = image.shape[axis]
        image = sum(k[i] * wide.take(range(i, i + size), axis=axis) for i in range(2 * n + 1))
    return image


@dataclass(frozen=True)
class Sensor:
    """What the sensor and its picture processing do to linear light."""

    exposure: float
    gains_rgb: tuple[float, float, float]
    vignette: float
    soft_px: float
    shot: float
    read: float
    sharpen: float
    saturation: float = 1.0


def expose(linear: np.ndarray, sensor: Sensor, rng: np.random.Generator, flicker: float = 1.0) -> np.ndarray:
    """Linear float [h, w, 3] to uint8 RGB: vignette, noise, white balance, tone, sharpening."""
    h, w = linear.shape[:2]
    gy, gx = np.mgrid[0:h, 0:w]
    r2 = (((gx - w / 2) ** 2 + (gy - h / 2) ** 2) / ((w / 2) ** 2 + (h / 2) ** 2))[..., None]
    x = blur(linear, sensor.soft_px) * sensor.exposure * flicker * (1 - sensor.vignette * r2)
    grain = rng.standard_normal(x.shape)
    # demosaicing and the camera's own denoising leave noise that is a little correlated
    grain = 0.55 * grain + 0.9 * blur(grain, 0.8)
    x = x + grain * np.sqrt(sensor.shot**2 * np.maximum(x, 0) + sensor.read**2)
    x = np.maximum(x * np.array(sensor.gains_rgb), 0)
    # straight up to 0.6, then a soft shoulder towards white as phones have it
    x = np.where(x > 0.6, 0.6 + 0.4 * (1 - np.exp(-(x - 0.6) / 0.4)), x)
    s = np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-6) ** (1 / 2.4) - 0.055)
    grey = s.mean(2, keepdims=True)
    s = grey + (s - grey) * sensor.saturation
    if sensor.sharpen:
        s = s + sensor.sharpen * (s - blur(s, 1.0))
    return (np.clip(s, 0, 1) * 255 + 0.5).astype(np.uint8)


def save_jpeg(rgb: np.ndarray, path: Path, quality: int = 85) -> None:
    """Write uint8 RGB as JPEG, whole or not at all."""
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "JPEG", quality=quality)
    part = path.with_suffix(".part")
    part.write_bytes(buffer.getvalue())
    part.replace(path)
