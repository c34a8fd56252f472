"""Table tops, rooms and printed clutter, made of noise: no photograph is used anywhere.

Every picture is float32 in sRGB values 0..1 unless a name says linear; row 0 is the top.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image, ImageDraw

from . import lens


def noise(
    h: int, w: int, beta: float, rng: np.random.Generator, ax: float = 1.0, ay: float = 1.0
) -> np.ndarray:
    """Tileable noise [h, w], zero mean, unit deviation, spectrum f^-beta stretched by ax, ay."""
    fy = np.fft.fftfreq(h)[:, None] * h * ay
    fx = np.fft.rfftfreq(w)[None] * w * ax
    f = np.sqrt(fx**2 + fy**2)
    f[0, 0] = np.inf
    spectrum = np.fft.rfft2(rng.standard_normal((h, w))) * f**-beta
    out = np.fft.irfft2(spectrum, s=(h, w))
    return (out - out.mean()) / out.std()


def _mix(a: tuple[float, ...], b: tuple[float, ...], t: np.ndarray) -> np.ndarray:
    t = np.clip(t, 0, 1)[..., None]
    return (np.array(a) * (1 - t) + np.array(b) * t).astype(np.float32)


def wood(
    rng: np.random.Generator,
    dark: tuple[float, ...],
    light: tuple[float, ...],
    plank_px: int = 230,
    size: tuple[int, int] = (1536, 2048),
    seam: float = 0.5,
    contrast: float = 1.0,
) -> np.ndarray:
    """Planks along x with growth rings, fibres, pores and seams."""
    h, w = size
    warp = noise(h, w, 1.9, rng, 1.0, 0.28)
    fibre = noise(h, w, 0.75, rng, 0.9, 0.022)
    pores = noise(h, w, 0.35, rng, 1.0, 0.035)
    y = np.arange(h)[:, None].astype(float)
    x = np.arange(w)[None].astype(float)
    out = np.zeros((h, w))
    tint = np.zeros((h, w))
    edge = np.zeros((h, w))
    rows = max(1, round(h / plank_px))
    pitch = h / rows
    for r in range(rows):
        y0, y1 = round(r * pitch), round((r + 1) * pitch)
        centre = rng.uniform(-0.4, 1.4) * pitch + y0
        shift = int(rng.integers(0, w))
        local = np.roll(warp, shift, 1)[y0:y1]
        rings = np.abs(y[y0:y1] - centre) / rng.uniform(9, 16) + 2.1 * local
        rings = rings + 1.5 * ((x - rng.uniform(0, w)) / w) ** 2
        wave = 0.5 + 0.5 * np.sin(rings * 2 * math.pi * 0.42)
        out[y0:y1] = wave**1.6
        cuts = np.sort(rng.integers(0, w, 1 if rows > 1 else 0))
        tint[y0:y1] = rng.normal(0, 0.11)
        for cut in cuts:
            tint[y0:y1, cut:] += rng.normal(0, 0.1)
            edge[y0:y1, max(0, cut - 1) : cut + 1] = 1
        if rows > 1:
            edge[max(0, y0 - 1) : y0 + 1] = 1
    t = 0.5 + contrast * (0.3 * (out - 0.4) + 0.13 * fibre + 0.05 * warp) + tint
    rgb = _mix(dark, light, t)
    rgb *= 1 - 0.22 * np.clip(pores - 1.1, 0, 1)[..., None]
    rgb *= 1 - seam * edge[..., None]
    return np.clip(rgb, 0, 1)


def cloth(
    rng: np.random.Generator,
    base: tuple[float, ...],
    other: tuple[float, ...] | None,
    check_px: int = 90,
    size: int = 1536,
) -> np.ndarray:
    """Linen: threads of uneven thickness, with an optional woven check in a second colour."""
    warp_t = noise(size, size, 0.5, rng, 1.0, 0.012)
    weft_t = noise(size, size, 0.5, rng, 0.012, 1.0)
    stain = noise(size, size, 1.7, rng)
    rgb = np.ones((size, size, 3), np.float32) * np.array(base, np.float32)
    if other is not None:
        n = max(1, round(size / (2 * check_px)))
        wave = (np.arange(size) * 2 * n / size).astype(int) % 2
        share = (wave[:, None] + wave[None]) / 2.0
        rgb = _mix(base, other, share)
    tone = 1 + 0.055 * warp_t + 0.055 * weft_t + 0.02 * stain
    return np.clip(rgb * tone[..., None], 0, 1).astype(np.float32)


def cutting_mat(
    rng: np.random.Generator, base: tuple[float, ...], ink: tuple[float, ...], size: int = 1536
) -> np.ndarray:
    """A cutting mat: thirty fields across with thin lines, every fifth one bolder, and years of scratches."""
    tone = 1 + 0.03 * noise(size, size, 1.2, rng)
    rgb = np.ones((size, size, 3), np.float32) * np.array(base, np.float32) * tone[..., None]
    place = np.arange(size) / size * 30.0
    off = np.abs(place - np.round(place))
    thin = (off < 0.025).astype(np.float32) * 0.45
    bold = ((off < 0.045) & (np.round(place) % 5 == 0)).astype(np.float32) * 0.85
    line = np.maximum(thin, bold)
    strength = np.maximum(line[:, None], line[None])[..., None]
    rgb = rgb * (1 - strength) + np.array(ink, np.float32) * strength
    for _ in range(50):
        x, y = rng.uniform(0, size, 2)
        a, n = rng.uniform(0, np.pi), int(rng.uniform(60, 500))
        xs = (x + np.arange(n) * np.cos(a)).astype(int) % size
        ys = (y + np.arange(n) * np.sin(a)).astype(int) % size
        rgb[ys, xs] *= 0.8
    return np.clip(rgb, 0, 1).astype(np.float32)


def motif(
    rng: np.random.Generator,
    ground: tuple[int, ...],
    inks: list[tuple[int, ...]],
    kind: str,
    size: int = 1536,
    step: int = 192,
) -> np.ndarray:
    """An oilcloth or tiled top with a repeated drawing: `leaves`, `tiles`, `dots` or `stripes`."""
    image = Image.new("RGB", (size * 2, size * 2), ground)
    draw = ImageDraw.Draw(image)
    s = step * 2
    for row in range(-1, size * 2 // s + 1):
        for col in range(-1, size * 2 // s + 1):
            cx, cy = col * s + (s // 2 if kind != "tiles" and row % 2 else 0) + s // 2, row * s + s // 2
            ink = inks[(row * 3 + col * 5) % len(inks)]
            if kind == "leaves":
                turn = rng.uniform(0, 360)
                for k in range(5):
                    a = math.radians(turn + k * 38)
                    tip = (cx + 0.42 * s * math.cos(a), cy + 0.42 * s * math.sin(a))
                    side = (0.09 * s * math.sin(a), -0.09 * s * math.cos(a))
                    mid = ((cx + tip[0]) / 2, (cy + tip[1]) / 2)
                    draw.polygon(
                        [
                            (cx, cy),
                            (mid[0] + side[0], mid[1] + side[1]),
                            tip,
                            (mid[0] - side[0], mid[1] - side[1]),
                        ],
                        fill=ink,
                    )
                draw.ellipse((cx - 14, cy - 14, cx + 14, cy + 14), fill=inks[-1])
            elif kind == "tiles":
                draw.rectangle(
                    (cx - s / 2 + 3, cy - s / 2 + 3, cx + s / 2 - 3, cy + s / 2 - 3),
                    fill=tuple(int(c * 0.96) for c in ground),
                )
                for r, c in ((0.46, ink), (0.36, ground), (0.28, inks[-1]), (0.12, ground)):
                    draw.regular_polygon((cx, cy, s * r), 4, rotation=45 if r > 0.3 else 0, fill=c)
            elif kind == "dots":
                r = s * 0.17
                draw.ellipse((cx - r, cy - r, cx + r, cy + r), fill=ink)
            else:
                draw.rectangle((0, cy - s * 0.13, size * 2, cy + s * 0.13), fill=ink)
    rgb = np.asarray(image.resize((size, size), Image.Resampling.LANCZOS), np.float32) / 255
    return np.clip(rgb * (1 + 0.02 * noise(size, size, 1.2, rng))[..., None], 0, 1)


def stone(
    rng: np.random.Generator, base: tuple[float, ...], vein: tuple[float, ...], size: int = 1536
) -> np.ndarray:
    """A laminate with speckles and thin veins."""
    cloud, lines = noise(size, size, 1.6, rng), noise(size, size, 1.9, rng)
    speck = noise(size, size, 0.1, rng)
    t = 0.18 * cloud + 0.75 * np.exp(-((lines / 0.035) ** 2)) + 0.12 * np.clip(speck - 1.5, 0, 2)
    return np.clip(_mix(base, vein, 0.15 + t), 0, 1)


def weave_bump(rng: np.random.Generator, size: int = 512, threads: int = 64) -> np.ndarray:
    """A height map [size, size] 0..1 of a plain weave, to be repeated."""
    y, x = np.mgrid[0:size, 0:size] * (2 * math.pi * threads / 2 / size)
    over = np.sign(np.sin(x) * np.sin(y))
    height = np.where(over > 0, np.abs(np.sin(x)), np.abs(np.sin(y)))
    return np.clip(0.5 + 0.4 * (height - 0.6) + 0.05 * noise(size, size, 0.4, rng), 0, 1)


def tile_back(rng: np.random.Generator, size: int = 256) -> np.ndarray:
    """The back of a land tile: a plain sand field with a sun over the grass. Our own drawing."""
    s = size * 2
    image = Image.new("RGB", (s, s), (176, 128, 62))
    draw = ImageDraw.Draw(image)
    draw.rectangle((s * 0.06, s * 0.06, s * 0.94, s * 0.94), fill=(206, 158, 84))
    draw.ellipse((s * 0.3, s * 0.2, s * 0.7, s * 0.6), fill=(226, 104, 48))
    draw.rectangle((s * 0.06, s * 0.52, s * 0.94, s * 0.94), fill=(120, 96, 44))
    for k in range(26):
        x = s * (0.08 + 0.84 * (k + rng.uniform(0, 0.7)) / 26)
        draw.polygon(
            [(x - 5, s * 0.6), (x + 5, s * 0.6), (x + rng.uniform(-14, 14), s * 0.42)], fill=(92, 74, 32)
        )
    return np.asarray(image.resize((size, size), Image.Resampling.LANCZOS), np.float32) / 255


def page(
    rng: np.random.Generator, size_wh: tuple[int, int], accent: tuple[int, ...], lines: int = 24
) -> np.ndarray:
    """A printed sheet: a heading, grey lines in place of text and one box."""
    w, h = size_wh
    image = Image.new("RGB", size_wh, (241, 238, 228))
    draw = ImageDraw.Draw(image)
    draw.rectangle((w * 0.08, h * 0.06, w * rng.uniform(0.5, 0.9), h * 0.12), fill=accent)
    for k in range(lines):
        y = h * (0.17 + 0.76 * k / lines)
        if rng.random() < 0.12:
            continue
        draw.rectangle((w * 0.08, y, w * rng.uniform(0.6, 0.92), y + h * 0.012), fill=(96, 92, 90))
    y = h * rng.uniform(0.3, 0.6)
    draw.rectangle((w * 0.52, y, w * 0.9, y + h * 0.2), fill=accent, outline=(60, 60, 60))
    return np.asarray(image, np.float32) / 255


def card(rng: np.random.Generator, ink: tuple[int, ...]) -> np.ndarray:
    """A playing card's back: a frame with crossed lines. Our own drawing."""
    image = Image.new("RGB", (252, 352), (244, 242, 236))
    draw = ImageDraw.Draw(image)
    draw.rectangle((16, 16, 236, 336), fill=ink)
    for k in range(-12, 26):
        draw.line((16, k * 24, 236, k * 24 + 220), fill=(235, 228, 215), width=3)
        draw.line((16, k * 24 + 220, 236, k * 24), fill=(235, 228, 215), width=3)
    draw.rectangle((0, 0, 251, 15), fill=(244, 242, 236))
    draw.rectangle((0, 337, 251, 351), fill=(244, 242, 236))
    draw.ellipse((96, 146, 156, 206), fill=(244, 242, 236))
    return np.asarray(image, np.float32) / 255


def room_linear(kind: str, rng: np.random.Generator, warmth: float) -> np.ndarray:
    """What surrounds the table, linear radiance [256, 512, 3] as an equirectangular picture.

    `day`: one or two windows; `ceiling`: bright panels overhead; `lamp`, `dim`: a dark room
    (its lamp is a real one in the scene).
    """
    h, w = 256, 512
    el = (0.5 - (np.arange(h) + 0.5) / h)[:, None] * 180
    az = ((np.arange(w) + 0.5) / w)[None] * 360
    el, az = np.broadcast_arrays(el, az)
    wall = np.array([0.55, 0.52, 0.47]) * np.array([1, 1 - 0.1 * warmth, 1 - 0.25 * warmth])
    level = {"day": 0.42, "ceiling": 0.4, "lamp": 0.1, "dim": 0.13}[kind]
    out = np.ones((h, w, 3)) * wall * level
    out[el > 42] *= 1.25
    out[el < -5] *= 0.45
    for _ in range(4):  # furniture and doors: darker or brighter upright patches
        a0, wide, top = rng.uniform(0, 360), rng.uniform(12, 45), rng.uniform(5, 38)
        patch = (np.abs((az - a0 + 180) % 360 - 180) < wide / 2) & (el < top)
        out[patch] *= rng.uniform(0.35, 1.4) * rng.uniform(0.8, 1.1, 3)
    if kind == "day":
        sky = np.array([0.93, 1.0, 1.12])
        for k in range(int(rng.integers(1, 3))):
            a0 = rng.uniform(0, 360) if k else 90.0
            wide, low, top = rng.uniform(30, 55), rng.uniform(4, 12), rng.uniform(38, 56)
            da = (az - a0 + 180) % 360 - 180
            pane = (np.abs(da) < wide / 2) & (el > low) & (el < top)
            bars = (np.abs(da) < 1.1) | (np.abs(el - (low + top) / 2) < 1.1)
            view = 0.55 + 0.45 * np.clip((el - 14) / 6, 0, 1)
            out = np.where((pane & ~bars)[..., None], (9.5 if k == 0 else 5) * sky * view[..., None], out)
    elif kind == "ceiling":
        tone = np.array([1.0, 0.93, 0.83]) * np.array([1, 1 - 0.05 * warmth, 1 - 0.2 * warmth])
        for _ in range(int(rng.integers(2, 4))):
            a0, e0 = rng.uniform(0, 360), rng.uniform(50, 78)
            da = ((az - a0 + 180) % 360 - 180) * np.cos(np.radians(el))
            panel = (np.abs(da) < rng.uniform(7, 14)) & (np.abs(el - e0) < rng.uniform(5, 9))
            out = np.where(panel[..., None], 17 * tone, out)
    return lens.blur(out, 0.8).astype(np.float32)
