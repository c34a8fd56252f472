"""Random decks of square faces in many art styles, so that no network learns one printing.

`random_deck` is the whole interface for most callers; `make_deck` also says which faces are near-duplicates.
Every face is seen from straight above, trim edge to trim edge, its own north up.
Nothing here reads a photograph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.decks.plain import cut, plain_faces
from models.train.decks.sprites import Sprite, paste, random_sprite
from models.train.decks.textures import fractal_noise, jitter_colour, palette, texture

Faces = NDArray[np.uint8]
HOUSE_ART = Path(__file__).resolve().parents[3] / "engine" / "packs" / "savanna" / "art"
SIDES = np.array([[0.5, 0.0], [1.0, 0.5], [0.5, 1.0], [0.0, 0.5]])


@dataclass(frozen=True)
class Deck:
    """Faces uint8 [n, size, size, 3] BGR; `family` numbers each one's group of near-duplicates."""

    faces: Faces
    family: NDArray[np.int64]


def random_deck(rng: np.random.Generator, n_faces: int, size_px: int) -> Faces:
    """Draw a deck in a random style: uint8 [n_faces, size_px, size_px, 3] BGR."""
    return make_deck(rng, n_faces, size_px).faces


def make_deck(rng: np.random.Generator, n_faces: int, size_px: int, style: str | None = None) -> Deck:
    """Draw a deck of `style` ("game", "pictures", "house", "plain"; None: a random one of the first three),
    with its families."""
    if n_faces < 1 or size_px < 16:
        raise ValueError(f"a deck needs at least 1 face of 16 px, asked for {n_faces} of {size_px}")
    house = len(house_files()) > 0
    if style is None:
        shares = {"game": 0.55, "pictures": 0.2, "house": 0.25 if house else 0.0}
        weights = np.array(list(shares.values()))
        style = str(rng.choice(list(shares), p=weights / weights.sum()))
    makers: dict[str, Callable[[np.random.Generator, int, int], tuple[list[Faces], list[int]]]] = {
        "game": _game_faces,
        "pictures": _picture_faces,
        "house": _house_faces,
        "plain": plain_faces,
    }
    if style not in makers or (style == "house" and not house):
        raise ValueError(f"no deck style {style!r} here; known: {', '.join(makers)}")
    faces, family = makers[style](rng, n_faces, size_px)
    return Deck(np.stack(faces), np.asarray(family, np.int64))


# --- a tile game: ground, regions to the edges, roads, icons ---


@dataclass(frozen=True)
class GameStyle:
    """Style that the faces of one drawn tile game share."""

    ground: Faces  # [2s, 2s, 3] a texture to cut from
    regions: tuple[Faces, ...]
    road_bgr: tuple[float, ...]
    road_line_bgr: tuple[float, ...]
    road_width: float  # share of a side
    outline: float
    outline_bgr: tuple[float, ...]
    wobble: float
    region_depth: float
    sprites: tuple[Sprite, ...]
    trees: tuple[Sprite, ...]
    clutter: float
    icon_share: float
    shading: float
    border_px: int
    border_bgr: tuple[float, ...]


def _game_style(rng: np.random.Generator, size_px: int) -> GameStyle:
    colours = palette(rng, 8)
    wide = size_px * 2
    border = round(size_px * rng.choice([0, 0, 0, 0.008, 0.02]))
    return GameStyle(
        ground=texture(rng, colours[0], wide),
        regions=tuple(texture(rng, colours[1 + i], wide) for i in range(int(rng.integers(1, 4)))),
        road_bgr=tuple(map(float, colours[4])),
        road_line_bgr=tuple(map(float, jitter_colour(rng, colours[4], 70))),
        road_width=float(rng.uniform(0.05, 0.16)),
        outline=float(rng.choice([0.0, 0.01, 0.02, 0.035])),
        outline_bgr=tuple(map(float, jitter_colour(rng, colours[5], 30) * rng.uniform(0.2, 1.0))),
        wobble=float(rng.uniform(0.0, 0.05)),
        region_depth=float(rng.uniform(0.15, 0.42)),
        sprites=tuple(random_sprite(rng, "animal") for _ in range(int(rng.integers(4, 8)))),
        trees=tuple(random_sprite(rng, "thing") for _ in range(int(rng.integers(2, 5)))),
        clutter=float(rng.uniform(0, 14)),
        icon_share=float(rng.uniform(0.12, 0.3)),
        shading=float(rng.uniform(0, 0.25)),
        border_px=border,
        border_bgr=tuple(rng.uniform(0, 255, 3)),
    )


def _game_faces(rng: np.random.Generator, n: int, size: int) -> tuple[list[Faces], list[int]]:
    style = _game_style(rng, size)
    family_share = rng.choice([0.1, 0.4, 0.8])
    faces: list[Faces] = []
    family: list[int] = []
    while len(faces) < n:
        base, spots = _game_base(rng, style, size)
        number = family[-1] + 1 if family else 0
        members = int(rng.integers(2, 6)) if rng.random() < family_share else 1
        members = min(members, n - len(faces))
        for face in _icon_variants(rng, style, base, spots, members):
            faces.append(_finish(rng, style, face))
            family.append(number)
    return faces, family


def _icon_variants(
    rng: np.random.Generator, style: GameStyle, base: Faces, spots: list[tuple[float, float]], members: int
) -> list[Faces]:
    """The same face with another animal on one of its spots; on the last maybe none."""
    size = base.shape[0]
    order = rng.permutation(len(style.sprites))
    scale = style.icon_share * size * rng.uniform(0.8, 1.2)
    common = base.copy()
    changing = int(rng.integers(len(spots)))
    for index, spot in enumerate(spots):
        if index != changing and rng.random() < 0.5:
            paste(common, style.sprites[int(rng.integers(len(style.sprites)))], spot, scale, 0.0)
    variants = []
    for member in range(members):
        face = common.copy()
        empty = member == members - 1 and rng.random() < 0.5
        if not empty:
            sprite = style.sprites[int(order[member % len(order)])]
            shift = rng.normal(0, 0.01, 2)
            spot = (spots[changing][0] + float(shift[0]), spots[changing][1] + float(shift[1]))
            paste(face, sprite, spot, scale, float(rng.normal(0, 5)))
            if member >= len(order):  # the deck has run out of animals: a second one tells these apart
                paste(face, sprite, (float(rng.uniform(0.2, 0.8)), float(rng.uniform(0.2, 0.8))), scale, 0.0)
        variants.append(face)
    return variants


def _game_base(
    rng: np.random.Generator, style: GameStyle, size: int
) -> tuple[Faces, list[tuple[float, float]]]:
    face = cut(rng, style.ground, size).copy()
    kinds = rng.choice(3, 4, p=[0.4, 0.3, 0.3])  # ground, road, region
    regions = _joined(rng, np.flatnonzero(kinds == 2))
    spots = [_draw_region(rng, style, face, sides) for sides in regions]
    roads = _joined(rng, np.flatnonzero(kinds == 1), at_most=2)
    for sides in roads:
        spots.extend(_draw_road(rng, style, face, sides))
    for _ in range(rng.poisson(style.clutter)):
        tree = style.trees[int(rng.integers(len(style.trees)))]
        where = rng.uniform(0.05, 0.95, 2)
        paste(
            face,
            tree,
            (float(where[0]), float(where[1])),
            size * rng.uniform(0.06, 0.16),
            float(rng.normal(0, 20)),
        )
    if not spots or rng.random() < 0.3:
        free = rng.uniform(0.2, 0.8, 2)
        spots.append((float(free[0]), float(free[1])))
    return face, spots


def _joined(rng: np.random.Generator, sides: NDArray[np.int64], at_most: int = 4) -> list[list[int]]:
    """Split the sides of one kind into features: some joined across the tile, some alone."""
    groups: list[list[int]] = []
    for side in rng.permutation(sides):
        if groups and len(groups[-1]) < at_most and rng.random() < 0.6:
            groups[-1].append(int(side))
        else:
            groups.append([int(side)])
    return groups


def _region_mask(
    rng: np.random.Generator, style: GameStyle, size: int, sides: list[int]
) -> NDArray[np.uint8]:
    mask = np.zeros((size, size), np.uint8)
    u = np.linspace(0, 1, 24)
    inset = float(rng.choice([0.0, 0.0, 0.12]))
    for side in sides:
        depth = style.region_depth * rng.uniform(0.8, 1.2)
        bulge = np.sin(np.pi * u) ** rng.uniform(0.4, 1.0) * depth + rng.normal(0, style.wobble, 24) * np.sin(
            np.pi * u
        )
        across = inset + (1 - 2 * inset) * u
        line = np.stack([across, np.clip(bulge, 0, 1)], 1)
        for _ in range(side):
            line = np.stack([1 - line[:, 1], line[:, 0]], 1)
        cv2.fillPoly(mask, [np.round(line * (size - 1)).astype(np.int32)], 255, cv2.LINE_AA)
    if len(sides) > 1:
        middle = np.array([0.5, 0.5]) + rng.normal(0, 0.06, 2)
        points = []
        for side in sides:
            along = np.array([1.0, 0.0]) if side % 2 == 0 else np.array([0.0, 1.0])
            half = rng.uniform(0.1, 0.4) * along
            points += [SIDES[side] - half, SIDES[side] + half]
        angles = [np.arctan2(p[1] - middle[1], p[0] - middle[0]) for p in points]
        ring = np.array([points[i] for i in np.argsort(angles)] + ([middle] if len(sides) == 2 else []))
        ring = cv2.convexHull(ring.astype(np.float32)).reshape(-1, 2)
        cv2.fillPoly(mask, [np.round(ring * (size - 1)).astype(np.int32)], 255, cv2.LINE_AA)
    return cv2.GaussianBlur(mask, (0, 0), max(0.3, size * 0.008)).astype(np.uint8)


def _draw_region(
    rng: np.random.Generator, style: GameStyle, face: Faces, sides: list[int]
) -> tuple[float, float]:
    size = face.shape[0]
    mask = _region_mask(rng, style, size, sides)
    fill = cut(rng, style.regions[int(rng.integers(len(style.regions)))], size)
    weight = mask[..., None].astype(np.float32) / 255
    face[:] = (face * (1 - weight) + fill * weight).astype(np.uint8)
    if style.outline > 0:
        contours, _ = cv2.findContours(
            (mask > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
        )
        width = max(1, round(style.outline * size))
        cv2.drawContours(face, contours, -1, style.outline_bgr, width, cv2.LINE_AA)
    middle = SIDES[sides].mean(0) * 0.8 + 0.1
    return float(middle[0]), float(middle[1])


def _draw_road(
    rng: np.random.Generator, style: GameStyle, face: Faces, sides: list[int]
) -> list[tuple[float, float]]:
    size = face.shape[0]
    start = SIDES[sides[0]]
    end = SIDES[sides[1]] if len(sides) > 1 else np.array([0.5, 0.5]) + rng.normal(0, 0.08, 2)
    middle = np.array([0.5, 0.5]) + rng.normal(0, 0.5 * style.wobble + 0.03, 2)
    t = np.linspace(0, 1, 20)[:, None]
    line = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end
    line[1:-1] += rng.normal(0, style.wobble * 0.2, (18, 2))
    points = [np.round(line * size * 8).astype(np.int32)]
    width = max(1, round(style.road_width * size))
    edge = max(0, round(style.outline * size))
    if edge:
        cv2.polylines(face, points, False, style.outline_bgr, width + 2 * edge, cv2.LINE_AA, 3)
    cv2.polylines(face, points, False, style.road_bgr, width, cv2.LINE_AA, 3)
    if rng.random() < 0.6 and width > 5:
        cv2.polylines(face, points, False, style.road_line_bgr, max(1, width // 5), cv2.LINE_AA, 3)
    if len(sides) == 1 and rng.random() < 0.8:
        paste(face, style.trees[0], (float(end[0]), float(end[1])), size * 0.2, 0.0)
    where = line[int(rng.integers(6, 14))]
    return [(float(where[0]), float(where[1]))]


def _finish(rng: np.random.Generator, style: GameStyle, face: Faces) -> Faces:
    """Print-like unevenness that each copy of a face has for itself, and the deck's border."""
    size = face.shape[0]
    if style.shading > 0:
        field = fractal_noise(rng, size, 2, 2)[..., None] * (60 * style.shading) * rng.uniform(0.2, 1)
        face = np.clip(face + field, 0, 255).astype(np.uint8)
    if style.border_px > 0:
        cv2.rectangle(face, (0, 0), (size - 1, size - 1), style.border_bgr, style.border_px)
    return face


# --- pictures of no game ---


def _picture_faces(rng: np.random.Generator, n: int, size: int) -> tuple[list[Faces], list[int]]:
    colours = palette(rng, 6)
    sprites = [random_sprite(rng, str(rng.choice(["animal", "thing"]))) for _ in range(6)]
    family_share = rng.choice([0.0, 0.3])
    faces: list[Faces] = []
    family: list[int] = []
    while len(faces) < n:
        number = family[-1] + 1 if family else 0
        picture = _picture(rng, colours if rng.random() < 0.7 else palette(rng, 6), sprites, size)
        faces.append(picture)
        family.append(number)
        while len(faces) < n and rng.random() < family_share:
            other = picture.copy()
            where = rng.uniform(0.15, 0.85, 2)
            sprite = sprites[int(rng.integers(len(sprites)))]
            paste(other, sprite, (float(where[0]), float(where[1])), size * rng.uniform(0.14, 0.3), 0.0)
            faces.append(other)
            family.append(number)
    return faces, family


def _picture(
    rng: np.random.Generator, colours: NDArray[np.float64], sprites: list[Sprite], size: int
) -> Faces:
    base = texture(rng, colours[0], size)
    if rng.random() < 0.5:  # a soft mix of two textures along a noise field
        weight = (
            1
            / (1 + np.exp(-rng.uniform(1, 12) * fractal_noise(rng, size, int(rng.integers(1, 4)), 3)))[
                ..., None
            ]
        )
        base = (base * weight + texture(rng, colours[1], size) * (1 - weight)).astype(np.uint8)
    for _ in range(int(rng.integers(0, 9))):
        colour = tuple(map(float, jitter_colour(rng, colours[int(rng.integers(len(colours)))], 20)))
        x, y, w, h = rng.uniform(0, 1, 4) * size
        kind = rng.integers(5)
        thick = -1 if rng.random() < 0.6 else max(1, int(rng.uniform(0.01, 0.08) * size))
        if kind == 0:
            axes = (int(w / 3) + 1, int(h / 3) + 1)
            cv2.ellipse(
                base, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, colour, thick, cv2.LINE_AA
            )
        elif kind == 1:
            cv2.fillPoly(
                base,
                [rng.integers(0, size, (int(rng.integers(3, 6)), 2)).astype(np.int32)],
                colour,
                cv2.LINE_AA,
            )
        elif kind == 2:
            letters = "".join(rng.choice(list("ABCDEFGHKLMNPRSTVXYZ0123456789"), int(rng.integers(1, 4))))
            scale = size / 64 * rng.uniform(0.5, 1.6)
            line = max(1, int(scale * rng.uniform(1, 4)))
            cv2.putText(
                base,
                letters,
                (int(x * 0.6), int(y)),
                cv2.FONT_HERSHEY_SIMPLEX,
                scale,
                colour,
                line,
                cv2.LINE_AA,
            )
        elif kind == 3:
            line = max(1, int(rng.uniform(0.01, 0.1) * size))
            cv2.line(base, (int(x), int(y)), (int(w), int(h)), colour, line, cv2.LINE_AA)
        else:
            paste(
                base,
                sprites[int(rng.integers(len(sprites)))],
                (x / size, y / size),
                size * rng.uniform(0.15, 0.5),
                0.0,
            )
    return base


# --- the house deck ---


@lru_cache(maxsize=1)
def house_files() -> tuple[Path, ...]:
    """The house deck's faces, sorted; empty while its art is not drawn."""
    pictures = sorted(p for p in HOUSE_ART.glob("*") if p.suffix in (".png", ".webp"))
    return tuple(p for p in pictures if not p.name.startswith("token-"))


@lru_cache(maxsize=4)
def house_faces(size_px: int) -> Faces:
    """All faces of the house deck, uint8 [n, size_px, size_px, 3] BGR, in the order of `house_files`."""
    faces = []
    for path in house_files():
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError(f"{path}: not a readable picture")
        faces.append(cv2.resize(image, (size_px, size_px), interpolation=cv2.INTER_AREA))
    return np.stack(faces).astype(np.uint8)


def _house_faces(rng: np.random.Generator, n: int, size: int) -> tuple[list[Faces], list[int]]:
    every = house_faces(size)
    tiles = [path.stem.split("-")[0] for path in house_files()]
    names = sorted(set(tiles))
    chosen: list[int] = []
    while len(chosen) < n:  # whole families first: they are the hard part of this deck
        for name in rng.permutation(names):
            chosen += [i for i, tile in enumerate(tiles) if tile == name]
    chosen = chosen[:n]
    gain = np.exp(rng.normal(0, 0.04, 3))  # another printer's inks
    faces = [np.clip(every[i] * gain, 0, 255).astype(np.uint8) for i in chosen]
    return faces, [names.index(tiles[i]) for i in chosen]
