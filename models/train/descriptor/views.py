"""Synthetic photographs of single tiles, drawn fast: rectified crops as a real camera gives them.

No scene is built. A face with its surroundings is seen through a random camera, lit, partly hidden, blurred,
compressed, and straightened again with wrong corners, as the recogniser would straighten it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks.sprites import paste, random_sprite
from models.train.decks.textures import palette, texture
from vision.geometry.homography import SQUARE
from vision.observation import Sight, mean_sides_px

Image = NDArray[np.uint8]
ROOM = 0.16
"""Width in tile sides of the surroundings drawn on each side."""


@dataclass(frozen=True)
class Look:
    """Conditions that the tiles of one photograph share: camera, light and sensor."""

    side_px: float
    elevation_deg: float
    yaw_deg: float
    distance_sides: float
    gains: NDArray[np.float32]  # [3, 3], from the print's BGR to the picture's
    gamma: float
    saturation: float
    haze: float
    blur_px: float
    motion_px: float
    noise: float
    sharpen: float
    jpeg_quality: int
    corner_error: float
    glare: float
    hidden: float
    table: Image


def random_look(rng: np.random.Generator, hardness: float = 1.0) -> Look:
    """Draw the conditions of one photograph; `hardness` 0..1 scales everything that spoils it."""
    side = float(np.exp(rng.uniform(np.log(38), np.log(140))))
    h = hardness
    gains = np.diag(np.exp(rng.normal(0, 0.14 * h, 3) + rng.normal(-0.05, 0.25 * h)))
    gains = gains @ (np.eye(3) + rng.normal(0, 0.06 * h, (3, 3)) * (1 - np.eye(3)))  # inks and filters
    errors = rng.choice([0.006, 0.015, 0.03], p=[0.35, 0.4, 0.25]) * h
    return Look(
        side_px=side,
        elevation_deg=float(np.clip(rng.normal(58, 16), 28, 90)),
        yaw_deg=float(rng.uniform(-180, 180)),
        distance_sides=float(rng.uniform(4, 20)),
        gains=gains.astype(np.float32),
        gamma=float(np.exp(rng.normal(0, 0.22 * h))),
        saturation=float(np.clip(rng.normal(1, 0.22 * h), 0.3, 1.6)),
        haze=float(max(0, rng.normal(0, 0.12 * h))),
        blur_px=float(abs(rng.normal(0, 0.8 * h)) * min(1.0, side / 70)),
        motion_px=float(rng.uniform(1, 5) * side / 90) if rng.random() < 0.12 * h else 0.0,
        noise=float(abs(rng.normal(0, 6 * h))),
        sharpen=float(rng.uniform(0.2, 1.2)) if rng.random() < 0.3 else 0.0,
        jpeg_quality=int(rng.integers(35, 97)),
        corner_error=float(errors * rng.uniform(0.3, 1.4)),
        glare=float(rng.uniform(0, 1)) if rng.random() < 0.35 * h else 0.0,
        hidden=float(rng.uniform(0, 0.75) * h),
        table=texture(rng, palette(rng, 1)[0], 64),
    )


def view(
    rng: np.random.Generator, face: Image, others: NDArray[np.uint8], look: Look, size_px: int, cells: int
) -> tuple[Image, NDArray[np.float32]]:
    """One crop of `face` (already turned) under `look`, beside faces drawn from `others`.

    Returns the crop uint8 [size_px, size_px, 3] and how much of the face each of `cells` × `cells` patches
    shows, float32 0..1 (0: hidden by a piece, a hand or blown out by glare).
    """
    photo, quad, hidden = photograph(rng, face, others, look)
    wrong = wrong_corners(rng, quad, look.corner_error)
    crop = Sight(photo).crops(wrong[None], size_px)[0]
    mask = Sight(np.repeat(hidden[..., None], 3, 2)).crops(wrong[None], size_px)[0][..., 0]
    shown = 1 - cv2.resize(mask.astype(np.float32), (cells, cells), interpolation=cv2.INTER_AREA) / 255
    return crop, np.asarray(shown, np.float32)


def photograph(
    rng: np.random.Generator, face: Image, others: NDArray[np.uint8], look: Look
) -> tuple[Image, NDArray[np.float64], NDArray[np.uint8]]:
    """A small photograph of one tile [h, w, 3], its corners [4, 2] px, a mask [h, w] 255 where hidden."""
    photo, quad = _photographed(rng, _surrounded(rng, face, others, look), look)
    photo, hidden = _lit_and_hidden(rng, photo, quad, look)
    return _sensed(rng, photo, look), quad, hidden


def wrong_corners(rng: np.random.Generator, quad: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Corners [4, 2] as a locator gives them: each off by about `error` sides, and all together by half."""
    side = float(mean_sides_px(quad))
    wrong = quad + rng.normal(0, error, (4, 2)) * side + rng.normal(0, error * 0.5, 2) * side
    centre = wrong.mean(0)
    return np.asarray(centre + (wrong - centre) * (1 + rng.normal(0, error * 0.5)))


def reference_set(rng: np.random.Generator, faces: NDArray[np.uint8], size_px: int) -> NDArray[np.uint8]:
    """The same faces as a gallery holds them: a scan, small or large, with a profile of its own.

    uint8 [n, size_px, size_px, 3]; one colour transform for all.
    """
    gains = np.diag(np.exp(rng.normal(0, 0.05, 3) + rng.normal(0, 0.08))).astype(np.float32)
    gamma, small = float(np.exp(rng.normal(0, 0.1))), int(rng.integers(72, max(73, faces.shape[1])))
    blur = float(abs(rng.normal(0, 0.5)))
    saturation = float(np.clip(rng.normal(1, 0.12), 0.5, 1.4))
    quality = int(rng.integers(60, 100))
    shift, rim = rng.normal(0, 0.007), tuple(map(float, rng.uniform(0, 255, 3)))
    out = np.empty((len(faces), size_px, size_px, 3), np.uint8)
    for index, face in enumerate(faces):
        cut = round(float(np.clip(shift + rng.normal(0, 0.004), -0.025, 0.025)) * face.shape[0])
        part = face[max(0, cut) : face.shape[0] - max(0, cut), max(0, cut) : face.shape[1] - max(0, cut)]
        if cut < 0:  # cut too wide: the scanner's lid shows
            part = cv2.copyMakeBorder(part, -cut, -cut, -cut, -cut, cv2.BORDER_CONSTANT, value=rim)
        scan = np.asarray(cv2.resize(part, (small, small), interpolation=cv2.INTER_AREA), np.float32)
        if blur > 0.3:
            scan = np.asarray(cv2.GaussianBlur(scan, (0, 0), blur), np.float32)
        scan = toned(scan, gains, gamma, saturation, 0.0)
        coded = cv2.imdecode(
            cv2.imencode(".jpg", scan.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1],
            cv2.IMREAD_COLOR,
        )
        out[index] = cv2.resize(np.asarray(coded), (size_px, size_px), interpolation=cv2.INTER_AREA)
    return out


def table_crop(rng: np.random.Generator, look: Look, size_px: int) -> Image:
    """A crop where no tile lies: table, cloth with a pattern, plain card."""
    plain = texture(rng, palette(rng, 1)[0], 96)
    photo = np.asarray(cv2.resize(plain, (160, 160), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < 0.4:
        step, colour = int(rng.integers(8, 60)), tuple(map(float, palette(rng, 1)[0]))
        for at in range(0, 160, step):
            cv2.line(photo, (at, 0), (at, 160), colour, int(rng.integers(1, 6)), cv2.LINE_AA)
            cv2.line(photo, (0, at), (160, at), colour, int(rng.integers(1, 6)), cv2.LINE_AA)
    quad = (SQUARE * 0.6 + 0.2) * 160
    lit, _ = _lit_and_hidden(rng, np.asarray(photo, np.uint8), quad.astype(np.float64), look)
    crop: Image = Sight(_sensed(rng, lit, look)).crops(quad[None], size_px)[0]
    return crop


def _surrounded(rng: np.random.Generator, face: Image, others: NDArray[np.uint8], look: Look) -> Image:
    """The face with a rim of neighbours or table around it, [1.6 s, 1.6 s, 3]."""
    size = face.shape[0]
    rim = round(size * ROOM)
    full = size + 2 * rim
    canvas = np.asarray(cv2.resize(look.table, (full, full)), np.uint8)
    if rng.random() < 0.7:  # the shadow of the card's thickness and the gap
        cv2.rectangle(canvas, (rim - 2, rim - 2), (rim + size + 2, rim + size + 2), (25, 25, 30), 2)
    for side in range(4):
        if rng.random() < 0.35:
            continue
        other = np.rot90(others[int(rng.integers(len(others)))], int(rng.integers(4)))
        gap = max(0, round(rng.normal(0.015, 0.012) * size))
        slide = round(rng.normal(0, 0.02) * size)
        strip = other[size - rim + gap :, :]
        view_of = np.rot90(canvas, side)
        x0 = rim + slide
        view_of[: rim - gap, x0 : x0 + size] = strip
    canvas[rim : rim + size, rim : rim + size] = face
    return np.ascontiguousarray(canvas)


def _photographed(rng: np.random.Generator, canvas: Image, look: Look) -> tuple[Image, NDArray[np.float64]]:
    """The canvas through a pinhole camera and the face's corners float64 [4, 2] in that picture."""
    yaw = np.radians(look.yaw_deg + rng.normal(0, 2))
    elevation = np.radians(np.clip(look.elevation_deg + rng.normal(0, 4), 25, 90))
    corners = (SQUARE - 0.5).astype(np.float64)
    outer = corners * (1 + 2 * ROOM)
    c, s = np.cos(yaw), np.sin(yaw)

    def seen(points: NDArray[np.float64]) -> NDArray[np.float64]:
        turned = points @ np.array([[c, s], [-s, c]])
        depth = look.distance_sides - turned[:, 1] * np.cos(elevation)
        return np.asarray(np.stack([turned[:, 0], turned[:, 1] * np.sin(elevation)], 1) / depth[:, None])

    inner, rim = seen(corners), seen(outer)
    side = float(mean_sides_px(inner))
    scale = look.side_px / side
    low = rim.min(0) * scale
    extent = np.ceil(rim.max(0) * scale - low).astype(int) + 1
    size = canvas.shape[0]
    shrink = min(1.0, 1.3 * look.side_px * (1 + 2 * ROOM) / size)
    if shrink < 0.8:
        small = max(24, round(size * shrink))
        canvas = np.asarray(cv2.resize(canvas, (small, small), interpolation=cv2.INTER_AREA), np.uint8)
        size = small
    source = (SQUARE * size - 0.5).astype(np.float32)
    target = (rim * scale - low).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    photo = cv2.warpPerspective(
        canvas,
        matrix,
        (int(extent[0]), int(extent[1])),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    return np.asarray(photo, np.uint8), np.asarray(inner * scale - low)


def _lit_and_hidden(
    rng: np.random.Generator, photo: Image, quad: NDArray[np.float64], look: Look
) -> tuple[Image, NDArray[np.uint8]]:
    """Uneven light, shadows, glare and things that stand on the tile; also a mask 255 where hidden."""
    height, width = photo.shape[:2]
    hidden = np.zeros((height, width), np.uint8)
    picture = photo
    if rng.random() < look.hidden:
        for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
            picture = _piece(rng, picture, hidden, quad, look)
    if rng.random() < look.hidden * 0.12:
        _hand(rng, picture, hidden, look)
    yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
    way = rng.uniform(0, 2 * np.pi)
    ramp = (xx / width - 0.5) * np.float32(np.cos(way)) + (yy / height - 0.5) * np.float32(np.sin(way))
    light = 1 + ramp * np.float32(rng.normal(0, 0.15))
    if rng.random() < 0.35:  # a cast shadow with a soft or hard edge
        offset, depth, sharp = rng.uniform(-0.4, 0.4), rng.uniform(0.15, 0.8), np.exp(rng.uniform(1, 4.5))
        angle = rng.uniform(0, 2 * np.pi)
        line = (xx / width - 0.5) * np.float32(np.cos(angle)) + (yy / height - 0.5) * np.float32(
            np.sin(angle)
        )
        light = light * (1 - depth / (1 + np.exp(-np.clip((line - offset) * sharp, -30, 30)))).astype(
            np.float32
        )
    out = picture.astype(np.float32) * light[..., None]
    if look.glare > 0 and rng.random() < 0.6:
        at = quad[0] + (quad[2] - quad[0]) * rng.uniform(0, 1) + (quad[1] - quad[0]) * rng.uniform(-0.3, 0.3)
        reach = look.side_px * rng.uniform(0.08, 0.5)
        stretch = rng.uniform(0.4, 2.5)
        blob = np.exp(-(((xx - at[0]) / reach) ** 2 + ((yy - at[1]) / (reach * stretch)) ** 2)).astype(
            np.float32
        )
        strength = blob * np.float32(look.glare * rng.uniform(40, 260))
        out += strength[..., None]
        np.maximum(hidden, np.where(strength > 170, 255, 0).astype(np.uint8), out=hidden)
    return np.clip(out, 0, 255).astype(np.uint8), hidden


MEEPLE = (
    np.array(
        [
            [0, -10],
            [3, -8],
            [3, -5],
            [9, -2],
            [9, 1],
            [4, 2],
            [8, 9],
            [2, 9],
            [0, 6],
            [-2, 9],
            [-8, 9],
            [-4, 2],
            [-9, 1],
            [-9, -2],
            [-3, -5],
            [-3, -8],
        ],
        np.float64,
    )
    / 20
)


def _piece(
    rng: np.random.Generator, photo: Image, hidden: NDArray[np.uint8], quad: NDArray[np.float64], look: Look
) -> Image:
    """A coloured body of random kind somewhere on the tile, with its shadow; or a flat token."""
    photo = photo.copy()
    u, v = rng.uniform(-0.05, 1.05, 2)
    at = (1 - v) * ((1 - u) * quad[0] + u * quad[1]) + v * ((1 - u) * quad[3] + u * quad[2])
    if rng.random() < 0.2:
        _token(rng, photo, hidden, at, look)
        return photo
    size = look.side_px * rng.uniform(0.2, 0.5)
    colour = palette(rng, 1)[0] if rng.random() < 0.4 else rng.choice(COLOURS)
    kind = rng.integers(4)
    if kind < 2:
        shape = MEEPLE * [rng.uniform(0.7, 1.1), rng.uniform(0.8, 1.3)]
    elif kind == 2:
        angle = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        shape = np.stack([np.cos(angle) * 0.5, np.sin(angle) * rng.uniform(0.3, 0.5)], 1)
    else:
        shape = rng.uniform(-0.5, 0.5, (6, 2))
        shape = np.asarray(cv2.convexHull(shape.astype(np.float32)), np.float64).reshape(-1, 2)
    turn = rng.normal(0, 0.4) if rng.random() < 0.7 else rng.uniform(0, 6.28)
    c, s = np.cos(turn), np.sin(turn)
    points = at + (shape @ np.array([[c, s], [-s, c]])) * size
    if rng.random() < 0.7:
        shade = np.zeros(photo.shape[:2], np.uint8)
        cv2.fillPoly(shade, [np.round(points + rng.normal(0, 0.2, 2) * size).astype(np.int32)], 255)
        soft = cv2.GaussianBlur(shade, (0, 0), max(0.6, size * rng.uniform(0.03, 0.12)))
        dark = np.asarray(soft, np.float32)[..., None] * np.float32(rng.uniform(0.2, 0.6) / 255)
        photo = (photo * (1 - dark)).astype(np.uint8)
    lift = np.array([0.0, -rng.uniform(0.02, 0.15) * size])
    outline = [np.round(points).astype(np.int32)]
    cv2.fillPoly(photo, outline, tuple(map(float, colour * 0.6)), cv2.LINE_AA)
    cv2.fillPoly(hidden, outline, 255)
    outline = [np.round(points + lift).astype(np.int32)]
    cv2.fillPoly(photo, outline, tuple(map(float, colour)), cv2.LINE_AA)
    cv2.fillPoly(hidden, outline, 255)
    return photo


def _token(
    rng: np.random.Generator, photo: Image, hidden: NDArray[np.uint8], at: NDArray[np.float64], look: Look
) -> None:
    """A printed disc or square that lies flat, with an animal on it."""
    radius = look.side_px * rng.uniform(0.12, 0.22)
    count = int(rng.choice([4, 6, 24, 24]))
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False) + rng.uniform(0, 6.28)
    flat = np.sin(np.radians(look.elevation_deg))
    outline = [np.round(at + radius * np.stack([np.cos(angle), np.sin(angle) * flat], 1)).astype(np.int32)]
    cv2.fillPoly(photo, outline, tuple(map(float, palette(rng, 1)[0])), cv2.LINE_AA)
    cv2.fillPoly(hidden, outline, 255)
    height, width = photo.shape[:2]
    sprite = random_sprite(rng, "animal")
    square = max(height, width)
    room = np.zeros((square, square, 3), np.uint8)
    room[:height, :width] = photo
    paste(room, sprite, (at[0] / square, at[1] / square), radius * 1.5, float(rng.uniform(0, 360)))
    photo[:] = room[:height, :width]


COLOURS = np.array(
    [
        [40, 40, 200],
        [200, 90, 30],
        [40, 190, 230],
        [60, 160, 40],
        [30, 30, 30],
        [235, 235, 235],
        [150, 60, 150],
        [120, 180, 220],
    ],
    np.float64,
)
SKIN = np.array([[130, 160, 220], [100, 140, 200], [60, 90, 140], [45, 60, 95]], np.float64)


def _hand(rng: np.random.Generator, photo: Image, hidden: NDArray[np.uint8], look: Look) -> None:
    """A finger or the side of a hand that reaches in from the picture's rim."""
    height, width = photo.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    far = np.array([width, height]) * (0.5 + 0.9 * np.array([np.cos(angle), np.sin(angle)]))
    tip = np.array([width, height]) * rng.uniform(0.3, 0.7, 2)
    colour = tuple(map(float, rng.choice(SKIN) * rng.uniform(0.7, 1.2)))
    thick = max(2, int(look.side_px * rng.uniform(0.2, 0.5)))
    for image, paint in ((photo, colour), (hidden, (255.0,))):
        cv2.line(image, (int(far[0]), int(far[1])), (int(tip[0]), int(tip[1])), paint, thick, cv2.LINE_AA)


def toned(
    picture: NDArray[np.float32], gains: NDArray[np.float32], gamma: float, saturation: float, haze: float
) -> NDArray[np.float32]:
    grey = picture.mean(2, keepdims=True)
    out = (grey + (picture - grey) * np.float32(saturation)) @ gains.T
    out = 255 * (np.clip(out, 0, 255) / 255) ** np.float32(gamma)
    return np.asarray(np.clip(out * (1 - haze) + 255 * haze * 0.6, 0, 255), np.float32)


def _sensed(rng: np.random.Generator, photo: Image, look: Look) -> Image:
    """Lens blur, colour, noise, sharpening and JPEG."""
    out = photo.astype(np.float32)
    if look.blur_px > 0.25:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), look.blur_px), np.float32)
    if look.motion_px > 1:
        length = int(np.ceil(look.motion_px))
        kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
        angle = rng.uniform(0, np.pi)
        reach = np.array([np.cos(angle), np.sin(angle)]) * look.motion_px / 2
        a, b = np.round(length - reach * 1).astype(int), np.round(length + reach).astype(int)
        cv2.line(kernel, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 1.0, 1)
        out = np.asarray(cv2.filter2D(out, -1, kernel / kernel.sum()), np.float32)
    out = toned(out, look.gains, look.gamma, look.saturation, look.haze)
    if look.noise > 0.5:
        grain = rng.standard_normal(out.shape, dtype=np.float32) * np.float32(look.noise)
        if rng.random() < 0.5:  # a cheap camera's denoiser leaves blotches
            grain = np.asarray(cv2.GaussianBlur(grain, (0, 0), 0.8), np.float32) * 2
        out += grain
    if look.sharpen > 0:
        out += (out - np.asarray(cv2.GaussianBlur(out, (0, 0), 1.2), np.float32)) * np.float32(look.sharpen)
    done = np.clip(out, 0, 255).astype(np.uint8)
    if look.jpeg_quality < 93:
        code = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg_quality])[1]
        done = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return done
