"""Raster pictures: float32 RGB arrays [size, size, 3] in 0..1 (sRGB), SVG over them, seeded noise."""

import io
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from samples.artwork.geometry import Line

Plane: TypeAlias = NDArray[np.float32]
#: Pixels of a face's side as it is drawn, trim edge to trim edge.
SIZE = 640
#: Share of a face's pixels along a side that its file keeps: 512 of 640, 289 to the inch on a tile of 45 mm.
KEPT = 0.8
#: WebP's quality of a face.
QUALITY = 76
#: The same of Tricky Safari's quarters, which are many squares each: at 75 one of forty boards was misread.
QUARTER_QUALITY = 80
#: The same of a back, whose edges are to look alike wherever its blocks lie.
BACK_QUALITY = 92


def rgb(colour: str) -> Plane:
    """``#rrggbb`` as a float32 [3]."""
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)], dtype=np.float32)


def svg(body: str, size: int = SIZE, defs: str = "") -> Plane:
    """An SVG body in tile coordinates (0..1 both ways) as straight RGBA [size, size, 4]."""
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{size}"'
        f' height="{size}" viewBox="0 0 1 1"><defs>{defs}</defs>{body}</svg>'
    )
    png = bytes(resvg_py.svg_to_bytes(svg_string=text, skip_system_fonts=True))
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"), dtype=np.float32) / np.float32(255)


def over(picture: Plane, layer: Plane) -> Plane:
    """A straight RGBA layer laid over an RGB picture."""
    alpha = layer[..., 3:]
    return picture * (1 - alpha) + layer[..., :3] * alpha


def mixed(picture: Plane, colour: Plane, alpha: Plane) -> Plane:
    """A picture with a colour ([3] or [size, size, 3]) laid over it, `alpha` [size, size] strong."""
    strength = np.clip(alpha, 0, 1)[..., None]
    return np.asarray(picture * (1 - strength) + colour * strength, dtype=np.float32)


def smoothstep(low: float, high: float, value: Plane) -> Plane:
    """0 below `low`, 1 above `high`, smooth between; falls instead where `low` is the greater."""
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), dtype=np.float32)


@lru_cache(maxsize=4)
def grid(size: int = SIZE) -> tuple[Plane, Plane]:
    """u and v of every pixel's centre, [size, size] each."""
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    v, u = np.meshgrid(axis, axis, indexing="ij")
    return u.astype(np.float32), v.astype(np.float32)


@lru_cache(maxsize=4)
def calm(width: float = 0.14, size: int = SIZE) -> Plane:
    """1 in the tile's middle, 0 at its border: what fades by this joins any neighbour."""
    u, v = grid(size)
    return smoothstep(0.0, width, np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v)))


def noise(random: np.random.Generator, cells: tuple[int, int] | int, size: int = SIZE) -> Plane:
    """Smooth noise in about -1..1, `cells` bumps across (and down)."""
    across, down = (cells, cells) if isinstance(cells, int) else cells
    knots = random.uniform(-1, 1, (down + 3, across + 3)).astype(np.float32)
    box = (1.0, 1.0, across + 2.0, down + 2.0)
    return np.asarray(
        Image.fromarray(knots).resize((size, size), Image.Resampling.BICUBIC, box=box), np.float32
    )


def fractal(random: np.random.Generator, cells: int, octaves: int = 4) -> Plane:
    """Noise of several scales added up, about -1..1; the coarsest has `cells` bumps across."""
    total = np.zeros((SIZE, SIZE), np.float32)
    for octave in range(octaves):
        total += noise(random, cells * 2**octave) * np.float32(0.55**octave)
    return total


def distance_field(line: Line) -> Plane:
    """Distance of every pixel from a polyline, in tile sides."""
    u, v = grid()
    nearest = np.full((SIZE, SIZE), np.inf, np.float32)
    for (au, av), (bu, bv) in pairwise(line):
        du, dv = bu - au, bv - av
        squared = du * du + dv * dv
        if squared == 0:
            continue
        t = np.clip(((u - au) * du + (v - av) * dv) / squared, 0, 1)
        nearest = np.minimum(nearest, np.hypot(u - (au + t * du), v - (av + t * dv)))
    return nearest


def inside_field(region: Line) -> Plane:
    """1 inside a polygon, 0 outside, antialiased."""
    points = " ".join(f"{u:.4f},{v:.4f}" for u, v in region)
    return svg(f'<polygon points="{points}" fill="#fff"/>')[..., 3]


def blurred(plane: Plane, radius: float) -> Plane:
    """A box-blurred plane (three passes, nearly Gaussian), `radius` in tile sides."""
    pixels = max(1, round(radius * plane.shape[0]))
    for _ in range(3):
        for axis in (0, 1):
            padding = [(pixels + 1, pixels) if a == axis else (0, 0) for a in (0, 1)]
            sums = np.cumsum(np.pad(plane, padding, mode="edge"), axis=axis, dtype=np.float64)
            width = 2 * pixels + 1
            high = np.take(sums, np.arange(width, sums.shape[axis]), axis=axis)
            low = np.take(sums, np.arange(0, sums.shape[axis] - width), axis=axis)
            plane = ((high - low) / width).astype(np.float32)
    return plane


def save(picture: Plane, path: Path, quality: int = QUALITY) -> None:
    """Writes an RGB picture (a face) as WebP, reduced, or an RGBA picture (a token) as PNG, as it is."""
    if path.suffix == ".webp":
        side = round(picture.shape[0] * KEPT)
        small = _image(picture).resize((side, side), Image.Resampling.LANCZOS)
        small.save(path, quality=quality, method=6)
    else:
        _image(picture).save(path, optimize=True)


def _image(picture: Plane) -> Image.Image:
    return Image.fromarray(np.round(np.clip(picture, 0, 1) * 255).astype(np.uint8))
