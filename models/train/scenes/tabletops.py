"""Tabletops: wood, cloth, checks, grids, cutting mats, carpets, prints.

A table top is painted straight into the picture from the plane coordinates each pixel sees,
so its detail keeps up with the picture at any scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]


@lru_cache(maxsize=1)
def noise_bank() -> F32:
    """12 seamless noise pictures (12, 512, 512) float32, mean 0, deviation 1, fine to coarse."""
    rng = np.random.default_rng(20260)
    f = np.hypot(*np.meshgrid(np.fft.fftfreq(512), np.fft.rfftfreq(512), indexing="ij"))
    f[0, 0] = 1.0
    out = []
    for slope in (0.0, 0.6, 1.0, 1.3, 1.7, 2.2) * 2:
        white = np.fft.rfft2(rng.standard_normal((512, 512)))
        spec = white * f**-slope
        spec[0, 0] = 0
        n = np.fft.irfft2(spec, s=(512, 512))
        out.append((n / n.std()).astype(np.float32))
    return np.stack(out)


def sample(tex: F32, x: F32, y: F32, mm: float, angle: float = 0.0, stretch: float = 1.0) -> F32:
    """A seamless square texture that spans mm millimetres, read at plane coordinates."""
    n = tex.shape[0]
    c, s = math.cos(angle) * n / mm, math.sin(angle) * n / mm
    u = x * np.float32(c) + y * np.float32(s)
    v = (y * np.float32(c) - x * np.float32(s)) * np.float32(stretch)
    # cv2.remap reads 16-bit coordinates: fold into the texture first.
    u -= np.floor(u / n) * n
    v -= np.floor(v / n) * n
    return np.asarray(cv2.remap(tex, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)


def octave(
    rng: np.random.Generator, x: F32, y: F32, mm: float, kind: int, stretch: float = 1.0, angle: float = 0.0
) -> F32:
    """One layer of noise at plane coordinates, mean 0, deviation about 1."""
    bank = noise_bank()
    tex = bank[kind + 6 * int(rng.integers(2))]
    off = rng.uniform(0, 4 * mm, 2).astype(np.float32)
    return sample(tex, x + off[0], y + off[1], mm, angle, stretch)


def _color(rng: np.random.Generator, sat: float = 1.0) -> F32:
    """A random linear BGR colour in 0..1."""
    # Most tables are greyish or brownish; loud ones are rare.
    hue = rng.normal(16, 12) % 180 if rng.random() < 0.35 else rng.uniform(0, 180)
    s, v = 255 * rng.beta(1.1, 2.0) * sat, 255 * rng.uniform(0.08, 0.95)
    bgr = cv2.cvtColor(np.array([[[hue, s, v]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return np.asarray((bgr.astype(np.float32) / 255) ** np.float32(2.2), np.float32)


def _mix(a: F32, b: F32, t: NDArray[np.floating]) -> F32:
    return np.asarray(a + (b - a) * t[..., None].astype(np.float32, copy=False), np.float32)


def _wood(rng: np.random.Generator, x: F32, y: F32) -> F32:
    angle = float(rng.uniform(0, math.pi))
    c, s = np.float32(math.cos(angle)), np.float32(math.sin(angle))
    u, v = x * c + y * s, y * c - x * s
    plank = float(rng.choice([0, 70, 95, 140, 200]))
    tone = np.zeros(1, np.float32)
    seam = None
    if plank:
        row = np.floor(v / plank)
        u = u + (np.sin(row * 127.1) * 43758.5 % 1.0).astype(np.float32) * 900
        tone = (np.sin(row * 91.7 + 3) * 0.5).astype(np.float32) * float(rng.uniform(0, 0.5))
        d = np.abs((v / plank) % 1.0 - 0.5) * plank
        seam = np.clip((plank / 2 - d) / float(rng.uniform(0.3, 1.4)), 0, 1)
        v = v + row * 171
    stretch = float(rng.uniform(6, 18))
    warp = octave(rng, u, v, 900, 5) * float(rng.uniform(2, 14))
    grain = octave(rng, u, v + warp, float(rng.uniform(250, 700)), 3, stretch)
    fine = octave(rng, u, v, float(rng.uniform(90, 200)), 2, stretch * 1.5)
    t = np.clip(0.5 + 0.22 * grain + 0.12 * fine * float(rng.uniform(0.2, 1)) + tone, 0, 1)
    if rng.random() < 0.4:  # rings of a flat-sawn board
        ring = np.sin((v + warp * 3) * float(rng.uniform(0.15, 0.6)))
        t = np.clip(t + 0.15 * ring, 0, 1)
    hue, sat = rng.uniform(6, 20), rng.uniform(30, 190)
    val = rng.uniform(60, 240)
    pair = np.array(
        [[[hue, sat, val], [hue + rng.normal(0, 3), min(255, sat * 1.15), val * rng.uniform(0.35, 0.85)]]]
    )
    bgr = cv2.cvtColor(np.clip(pair, 0, 255).astype(np.uint8), cv2.COLOR_HSV2BGR)[0]
    lin = (bgr.astype(np.float32) / 255) ** np.float32(2.2)
    img = _mix(lin[0], lin[1], t)
    if seam is not None:
        img *= seam[..., None] * 0.75 + 0.25
    return img


def _cloth(rng: np.random.Generator, x: F32, y: F32) -> F32:
    a, b = _color(rng), _color(rng)
    t = np.clip(0.5 + 0.16 * octave(rng, x, y, float(rng.uniform(60, 300)), int(rng.integers(0, 4))), 0, 1)
    p = float(rng.uniform(0.8, 3.0))
    weave = np.sin(x * (2 * math.pi / p)) * np.sin(y * (2 * math.pi / p))
    img = _mix(a, a * np.float32(0.5) + b * np.float32(0.5), t)
    img *= (1 + 0.12 * weave)[..., None]
    folds = octave(rng, x, y, float(rng.uniform(500, 1500)), 5)
    return img * (1 + 0.10 * folds * float(rng.random()))[..., None]


def _stripes(rng: np.random.Generator, x: F32, y: F32) -> F32:
    """Checks, gingham, stripes, chequers."""
    angle = float(rng.uniform(0, math.pi))
    c, s = np.float32(math.cos(angle)), np.float32(math.sin(angle))
    u, v = x * c + y * s, y * c - x * s
    period = float(rng.uniform(8, 110))
    duty = float(rng.uniform(0.2, 0.6))
    soft = max(0.5, 0.02 * period)

    def bars(t: F32) -> F32:
        d = np.abs((t / period) % 1.0 - 0.5) * period
        return np.asarray(np.clip((duty * period / 2 - d) / soft + 0.5, 0, 1), np.float32)

    a, b = _color(rng), _color(rng)
    mode = int(rng.integers(4))
    if mode == 0:
        t = bars(u)
    elif mode == 1:
        t = 0.5 * (bars(u) + bars(v))
    elif mode == 2:
        t = np.abs(bars(u) - bars(v))
    else:
        t = np.maximum(bars(u), bars(v)) * 0.6 + 0.4 * bars(u * 3 + 7)
    img = _mix(a, b, t)
    return img * (1 + 0.06 * octave(rng, x, y, 120, 1))[..., None]


def _checked(rng: np.random.Generator, x: F32, y: F32) -> F32:
    """A white cloth with coloured checks: gingham, or squares like a chess board's. Its bare white squares
    are about as large and as bright as a ranger's vehicle."""
    angle = float(rng.uniform(0, math.pi))
    c, s = np.float32(math.cos(angle)), np.float32(math.sin(angle))
    u, v = x * c + y * s, y * c - x * s
    square = float(rng.uniform(4, 55))
    soft = max(0.25, 0.02 * square)

    def bars(t: F32) -> F32:
        off = np.abs((t / (2 * square)) % 1.0 - 0.5) * (2 * square)
        return np.asarray(np.clip((square / 2 - off) / soft + 0.5, 0, 1), np.float32)

    tone = (rng.uniform(0, 180), 255 * rng.uniform(0.3, 1.0), 255 * rng.uniform(0.15, 0.8))
    white = (rng.uniform(10, 30), 255 * rng.uniform(0, 0.15), 255 * rng.uniform(0.7, 0.95))
    pair = cv2.cvtColor(np.array([[tone, white]], np.uint8), cv2.COLOR_HSV2BGR)[0]
    lin = (pair.astype(np.float32) / 255) ** np.float32(2.2)
    gingham = rng.random() < 0.7
    t = 0.5 * (bars(u) + bars(v)) if gingham else np.abs(bars(u) - bars(v))
    thread = float(rng.uniform(0.8, 3.0))
    img = _mix(lin[0], lin[1], t)
    img *= (1 + 0.1 * np.sin(x * (2 * math.pi / thread)) * np.sin(y * (2 * math.pi / thread)))[..., None]
    return img * (1 + 0.06 * octave(rng, x, y, 120, 1))[..., None]


def _mat(rng: np.random.Generator, x: F32, y: F32) -> F32:
    """A cutting mat, graph paper or ceramic tiles: a grid of its own."""
    ceramic = rng.random() < 0.35
    a = _color(rng, 0.9)
    line = a * np.float32(0.3) if rng.random() < 0.5 else a * np.float32(0.4) + np.float32(0.6 * rng.random())
    angle = float(rng.uniform(0, math.pi))
    c, s = np.float32(math.cos(angle)), np.float32(math.sin(angle))
    u, v = x * c + y * s, y * c - x * s
    img = np.broadcast_to(a, (*x.shape, 3)).astype(np.float32)
    if ceramic:
        p = float(rng.uniform(25, 150))
        grout = float(rng.uniform(0.8, 4))
        d = np.minimum(*(np.abs((t / p) % 1.0 - 0.5) * -p + p / 2 for t in (u, v)))
        cellid = np.floor(u / p) * 17.3 + np.floor(v / p) * 71.9
        tone = (np.sin(cellid) * 43758.5) % 1.0
        img = img * (0.8 + 0.4 * float(rng.random()) * tone)[..., None].astype(np.float32)
        t = np.clip((grout - d) / 0.8, 0, 1)
        img = _mix(img, line, t)
        return img * (1 + 0.07 * octave(rng, x, y, 200, 3))[..., None]
    unit = float(rng.choice([5.0, 10.0, 12.7, 25.4, 20.0]))
    for period, width, power in ((unit, 0.35, 0.5), (5 * unit, 0.6, 0.9)):
        d = np.minimum(*(np.abs((t / period) % 1.0 - 0.5) * -period + period / 2 for t in (u, v)))
        img = _mix(img, line, np.clip((width - d) / 0.4, 0, 1) * np.float32(power))
    if rng.random() < 0.4:
        d = np.abs(((u + v) / 141.0) % 1.0 - 0.5) * 141
        img = _mix(img, line, np.clip((0.7 - d) / 0.5, 0, 1) * np.float32(0.7))
    return img * (1 + 0.05 * octave(rng, x, y, 150, 2))[..., None]


def motif(rng: np.random.Generator, n: int = 256) -> U8:
    """A seamless picture of random shapes (n, n, 3), as printed on tablecloths and cards."""
    back = [int(v) for v in rng.integers(0, 256, 3)]
    img = np.full((n, n, 3), back, np.uint8)
    for _ in range(int(rng.integers(3, 28))):
        col = [int(v) for v in rng.integers(0, 256, 3)]
        x, y, r = (int(v) for v in rng.integers(0, n, 3))
        r = 6 + r // 5
        kind = int(rng.integers(4))
        for ox in (-n, 0, n):
            for oy in (-n, 0, n):
                p = (x + ox, y + oy)
                if kind == 0:
                    cv2.circle(img, p, r, col, -1, cv2.LINE_AA)
                elif kind == 1:
                    cv2.ellipse(img, p, (r, r // 2), float(x), 0, 360, col, -1, cv2.LINE_AA)
                elif kind == 2:
                    cv2.rectangle(img, p, (p[0] + r, p[1] + r), col, 1 + y % 5, cv2.LINE_AA)
                else:
                    k = 3 + x % 6
                    ang = np.arange(2 * k) * math.pi / k
                    rad = np.where(np.arange(2 * k) % 2, r * 0.45, r)
                    pts = np.stack([p[0] + rad * np.cos(ang), p[1] + rad * np.sin(ang)], -1)
                    cv2.fillPoly(img, [pts.astype(np.int32)], col, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(img, (0, 0), float(rng.uniform(0.4, 2.0))), np.uint8)


def _printed(rng: np.random.Generator, x: F32, y: F32) -> F32:
    tex = np.asarray((motif(rng) / 255.0) ** 2.2, np.float32)
    if rng.random() < 0.6:  # most prints are quiet
        tex += (tex.mean(2, keepdims=True) - tex) * np.float32(rng.uniform(0.3, 1.0))
    if rng.random() < 0.6:
        mean = tex.mean((0, 1))
        tex = np.asarray(mean + (tex - mean) * rng.uniform(0.15, 0.7), np.float32)
    img = sample(tex, x, y, float(rng.uniform(50, 500)), float(rng.uniform(0, math.pi)))
    return img * (1 + 0.05 * octave(rng, x, y, 150, 2))[..., None]


def _noisy(rng: np.random.Generator, x: F32, y: F32) -> F32:
    """Carpet, felt, stone, marble."""
    a, b = _color(rng), _color(rng)
    if rng.random() < 0.6:
        b = a * np.float32(rng.uniform(0.3, 0.8))
    fine = octave(rng, x, y, float(rng.uniform(100, 600)), int(rng.integers(0, 4)))
    if rng.random() < 0.4:
        w = octave(rng, x, y, 700, 4) * float(rng.uniform(20, 120))
        vein = octave(rng, x + w, y - w, float(rng.uniform(500, 1200)), 4)
        fine = np.asarray(1.5 - 4 * np.abs(vein), np.float32)
    t = np.clip(0.5 + float(rng.uniform(0.1, 0.4)) * fine, 0, 1)
    return _mix(a, b, t)


def _plain(rng: np.random.Generator, x: F32, y: F32) -> F32:
    a = _color(rng, 0.7)
    img = np.broadcast_to(a, (*x.shape, 3)).astype(np.float32)
    return (
        img * (1 + float(rng.uniform(0, 0.08)) * octave(rng, x, y, 300, int(rng.integers(0, 5))))[..., None]
    )


KINDS: dict[str, tuple[Callable[[np.random.Generator, F32, F32], F32], float]] = {
    "wood": (_wood, 0.34),
    "cloth": (_cloth, 0.13),
    "stripes": (_stripes, 0.12),
    "mat": (_mat, 0.13),
    "printed": (_printed, 0.09),
    "noisy": (_noisy, 0.12),
    "plain": (_plain, 0.07),
    "checked": (_checked, 0.0),
}


def paint_table(rng: np.random.Generator, x: F32, y: F32, kind: str | None = None) -> F32:
    """A table top as linear BGR (H, W, 3) float32 in 0..1, for plane coordinates in mm."""
    names = list(KINDS)
    if kind is None:
        weights = np.array([KINDS[k][1] for k in names])
        kind = names[int(rng.choice(len(names), p=weights / weights.sum()))]
    img = KINDS[kind][0](rng, x, y)
    if rng.random() < 0.3:  # stains, wear
        img = img * (1 + 0.08 * octave(rng, x, y, 800, 4))[..., None]
    return np.clip(img, 0.002, 1.0).astype(np.float32)
