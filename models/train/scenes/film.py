"""Camera sensor: exposure, white balance, lens blur, noise, sharpening and JPEG."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]


@lru_cache(maxsize=1)
def _grain() -> F32:
    return np.random.default_rng(7).standard_normal((1500, 2300)).astype(np.float32)


def _noise(rng: np.random.Generator, h: int, w: int) -> F32:
    g = _grain()
    y, x = int(rng.integers(0, max(1, g.shape[0] - h))), int(rng.integers(0, max(1, g.shape[1] - w)))
    if g.shape[0] < h or g.shape[1] < w:
        return rng.standard_normal((h, w), np.float32)
    return g[y : y + h, x : x + w]


def develop(
    rng: np.random.Generator,
    light: F32,
    quality: float | None = None,
    steady: bool = False,
    exposure: float = 1.0,
) -> U8:
    """Linear light (H, W, 3) to BGR uint8. quality 0 (a bad webcam) .. 1 (a good camera), None: any.
    A steady camera stands and is in focus; ``exposure`` is how much brighter than metered it takes the
    picture."""
    h, w = light.shape[:2]
    q = float(rng.beta(1.6, 1.4)) if quality is None else quality
    # Exposure is metered on the picture with an error, as cameras do.
    small = cv2.resize(light, (64, 36), interpolation=cv2.INTER_AREA)
    meter = float(np.mean(small)) + 0.25 * float(np.percentile(small, 97))
    target = 0.30 * math.exp(float(rng.normal(0, 0.38)))
    if rng.random() < 0.12:
        target *= float(rng.uniform(0.18, 0.5))
    gain = exposure * target / max(meter, 1e-4)
    # White balance: a camera takes out most of the light's tint, not all of it.
    grey = small.reshape(-1, 3).mean(0)
    keep = float(rng.uniform(0.0, 0.6))
    wb = (grey.mean() / np.maximum(grey, 1e-4)) ** np.float32(keep)
    tint = float(rng.normal(0, 0.07))
    wb = wb * np.array([math.exp(-tint), math.exp(float(rng.normal(0, 0.025))), math.exp(tint)])
    img = light * (wb * gain).astype(np.float32)
    if rng.random() < 0.7:  # vignetting
        k = float(rng.uniform(0.0, 0.45))
        yy = (np.linspace(-1, 1, h, dtype=np.float32) ** 2)[:, None] * np.float32((h / w) ** 2)
        xx = (np.linspace(-1, 1, w, dtype=np.float32) ** 2)[None]
        img *= (1 - k * (xx + yy) / np.float32(1 + (h / w) ** 2))[..., None]
    if rng.random() < 0.25:  # veil of stray light
        img += np.float32(rng.uniform(0, 0.06))
    scale = max(h, w) / 1280.0
    sigma = float(abs(rng.normal(0, 0.75 * (1.25 - q)))) * scale + 0.25
    if rng.random() < 0.06 and not steady:
        sigma += float(rng.uniform(0.5, 1.8)) * scale
    img = np.asarray(cv2.GaussianBlur(img, (0, 0), sigma), np.float32)
    if rng.random() < 0.12 and not steady:
        n = int(max(3, round(float(rng.uniform(2, 7)) * scale)))
        ker = np.zeros((2 * n + 1, 2 * n + 1), np.float32)
        a = float(rng.uniform(0, math.pi))
        d = (n / 2 * math.cos(a), n / 2 * math.sin(a))
        cv2.line(ker, (round(n - d[0]), round(n - d[1])), (round(n + d[0]), round(n + d[1])), 1.0, 1)
        img = np.asarray(cv2.filter2D(img, -1, ker / np.float32(ker.sum())), np.float32)
    # Sensor noise: shot and read noise, then (as after demosaicing and denoising) softened.
    amount = math.exp(float(rng.uniform(math.log(0.0015), math.log(0.03)))) * (1.5 - q)
    lum = _noise(rng, h, w)
    if rng.random() < 0.6:
        lum = np.asarray(cv2.GaussianBlur(lum, (0, 0), 0.6), np.float32) * np.float32(1.7)
    spread = np.sqrt(np.maximum(img, 0) * np.float32(0.5) + np.float32(0.02)) * np.float32(amount)
    img += spread * lum[..., None]
    if rng.random() < 0.6:
        coarse = np.stack([_noise(rng, h // 2 + 1, w // 2 + 1) for _ in range(3)], -1)
        chroma = cv2.resize(coarse, (w, h), interpolation=cv2.INTER_LINEAR)
        img += spread * chroma * np.float32(rng.uniform(0.3, 1.2))
    img = _tone(rng, img)
    if rng.random() < 0.5:  # in-camera sharpening
        low = cv2.GaussianBlur(img, (0, 0), float(rng.uniform(0.7, 1.6)) * max(0.6, scale))
        img = img + (img - low) * np.float32(rng.uniform(0.2, 1.1))
    out = np.clip(img * 255 + np.float32(0.5), 0, 255).astype(np.uint8)
    if rng.random() < 0.12:  # a webcam that scales up its picture
        f = float(rng.uniform(0.5, 0.85))
        out = np.asarray(
            cv2.resize(cv2.resize(out, None, fx=f, fy=f, interpolation=cv2.INTER_AREA), (w, h)), np.uint8
        )
    if rng.random() < 0.9:
        jpeg = int(np.clip(40 + 55 * q + rng.normal(0, 10), 35, 97))
        ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, jpeg])
        if ok:
            back = cv2.imdecode(data, cv2.IMREAD_COLOR)
            assert back is not None
            out = np.asarray(back, np.uint8)
    return np.asarray(out, np.uint8)


def _tone(rng: np.random.Generator, img: F32) -> F32:
    """Highlights roll off, gamma, contrast, saturation: linear in, display 0..1 out."""
    x = np.linspace(0, 2, 8193, dtype=np.float32)
    shoulder = float(rng.uniform(0.75, 1.0))
    if shoulder < 0.98:
        room = 1 - shoulder
        x = np.where(x > shoulder, shoulder + room * (1 - np.exp(-(x - shoulder) / room)), x)
    x = np.clip(x, 0, 1) ** np.float32(1 / 2.2)
    c = float(np.clip(rng.normal(1.0, 0.12), 0.7, 1.4))
    x = (x - np.float32(0.45)) * np.float32(c) + np.float32(0.45)
    if rng.random() < 0.3:  # an S curve
        x = x + np.float32(rng.uniform(-0.1, 0.3)) * (x - x * x) * (x * 2 - 1)
    idx = np.clip(img * np.float32(4096), 0, 8192).astype(np.uint16)
    out = np.take(x.astype(np.float32), idx)
    s = float(np.clip(rng.normal(1.0, 0.18), 0.45, 1.6))
    mix = np.full((3, 3), (1 - s) / 3, np.float32) + np.eye(3, dtype=np.float32) * np.float32(s)
    return np.asarray(cv2.transform(out, mix), np.float32)
