"""Limits of `vision.framing`, measured: own scenes are made worse by steps, and read at each.

`python -m models.train.camera_limits` prints, for each way of making a picture worse, what the check measures
and the share of tiles and pieces read right, of those that are read right in the picture as it is. A limit is
the measure at which the share begins to fall below 97 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.pack import Pack, load_pack
from models import load
from models.train.scenes import Scene, random_room
from models.train.scenes.layout import random_layout
from models.train.scenes.render import render_layout
from vision.framing.picture_check import PictureCheck, check_picture
from vision.observation import Frame, Sight
from vision.pipeline import Pipeline
from vision.tiles.gallery import Gallery
from vision.tiles.gallery_file import gallery_of_pack

U8 = NDArray[np.uint8]
Worse = Callable[[U8, float, np.random.Generator], U8]

SCENES, SEED = 8, 22
"""Tables that are drawn, and their seed."""
SIZE_WH = (1280, 720)
"""Size of a picture, pixels."""
NEAR_TILE, NEAR_PIECE = 0.33, 0.3
"""Distances, in tile sides, within which a reading is that of a true tile or piece."""
LEAST_VISIBLE = 0.35
"""Visible share from which a piece is expected to be read."""
NOISE_LEVELS = 2.0
"""Standard deviation, grey levels, of the noise that stays however little light there is."""


def scenes(pack: Pack) -> Sequence[Scene]:
    """Tables without hands, tiles laid edge to edge."""
    faces = np.stack([_art(pack, name) for name in pack.designs])
    drawn = []
    for number in range(SCENES):
        rng = np.random.default_rng([SEED, number])
        layout = random_layout(rng, len(faces), int(rng.integers(5, 18)), 0, 0.5, 0.0)
        room = random_room(rng, hands=0.0, elevation_range=(45.0, 90.0), partly_out=0.0)
        drawn.append(render_layout(layout, room, rng, faces, SIZE_WH))
    return drawn


def darker(image: U8, gain: float, rng: np.random.Generator) -> U8:
    """Less light on the same sensor: its noise stays."""
    dim = image * gain + rng.normal(0.0, NOISE_LEVELS, image.shape)
    return np.asarray(np.clip(np.round(dim), 0, 255), np.uint8)


def blurred(image: U8, sigma_px: float, _: np.random.Generator) -> U8:
    """Out of focus."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.uint8)


def smaller(image: U8, scale: float, rng: np.random.Generator) -> U8:
    """A camera farther away: fewer pixels, each with the sensor's noise."""
    far = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(np.round(far + rng.normal(0.0, NOISE_LEVELS, far.shape)), 0, 255), np.uint8)


WORSE: Mapping[str, tuple[Worse, Sequence[float]]] = {
    "light": (darker, (0.6, 0.4, 0.3, 0.2, 0.14, 0.1, 0.07)),
    "blur": (blurred, (1.0, 1.5, 2.0, 3.0, 4.0, 5.5)),
    "side_px": (smaller, (0.8, 0.65, 0.5, 0.4, 0.32, 0.25)),
}
"""Ways of making a picture worse, by the measure that tells them, with their steps."""


def read_right(image: U8, scene: Scene, scale: float, gallery: Gallery, pack: Pack) -> set[int]:
    """Numbers of the tiles that are read with their face and turn; -1, -2 and so on for the pieces that are
    read with their kind and colour."""
    seen = Pipeline(gallery, pack).observe(Frame(image))
    names, right = list(pack.designs), set()
    for number, tile in enumerate(scene.tiles):
        corners = tile.corners_px * scale
        side = float(np.linalg.norm(corners[1] - corners[0]))
        for reading in seen.cells.values():
            if np.linalg.norm(reading.corners_px.mean(axis=0) - corners.mean(axis=0)) > NEAR_TILE * side:
                continue
            face, turn = np.unravel_index(reading.log_probs.argmax(), reading.log_probs.shape)
            own = np.linalg.norm(np.roll(reading.corners_px, -int(turn), axis=0) - corners, axis=1).max()
            if reading.log_tile > 0 and names[face] == names[tile.face] and own < NEAR_TILE * side:
                right.add(number)
    side = scale * float(np.linalg.norm(scene.tiles[0].corners_px[1] - scene.tiles[0].corners_px[0]))
    for number, piece in enumerate(scene.pieces):
        for read in seen.pieces:
            near = math.dist(read.point_px, np.array(piece.point_px) * scale) < NEAR_PIECE * side
            same = read.kind == piece.kind and read.color == piece.color and read.confidence >= 0.5
            if near and same and piece.visible > LEAST_VISIBLE:
                right.add(-1 - number)
    return right


def main() -> None:
    """Print the tables."""
    pack = load_pack("savanna")
    gallery = gallery_of_pack(pack, load("descriptor"))
    drawn = scenes(pack)
    plain = [read_right(scene.image, scene, 1.0, gallery, pack) for scene in drawn]
    for measure, (worse, steps) in WORSE.items():
        told: list[tuple[float, bool]] = []
        for step in steps:
            rng = np.random.default_rng(SEED)
            for scene, known in zip(drawn, plain, strict=True):
                image = worse(scene.image, step, rng)
                scale = step if worse is smaller else 1.0
                right = read_right(image, scene, scale, gallery, pack)
                told += [
                    (_measured(measure, image, scene, scale, number), number in right) for number in known
                ]
            latest = [is_right for _, is_right in told[-sum(map(len, plain)) :]]
            print(f"{measure} step {step}: {np.mean(latest):.3f}", flush=True)
        for low, high, share, count in _by_value(told):
            print(f"{measure} {low:.3g} to {high:.3g}: {share:.3f} of {count} tiles right", flush=True)


def _measured(measure: str, image: U8, scene: Scene, scale: float, number: int) -> float:
    quads = np.array([tile.corners_px for tile in scene.tiles]) * scale
    check: PictureCheck = check_picture(
        Sight(image), quads[number : number + 1] if measure == "side_px" and number >= 0 else quads
    )
    return float(getattr(check, measure))


def _by_value(told: Sequence[tuple[float, bool]], parts: int = 12) -> list[tuple[float, float, float, int]]:
    """Share that is right by the measure's value: parts of equal numbers of tiles."""
    values, right = (np.array(column, np.float64) for column in zip(*told, strict=True))
    order = np.array_split(np.argsort(values), parts)
    return [
        (float(values[k].min()), float(values[k].max()), float(right[k].mean()), len(k))
        for k in order
        if len(k)
    ]


def _art(pack: Pack, name: str) -> U8:
    picture = cv2.imread(str(pack.art_path(name)), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(f"{name}: no picture")
    return np.asarray(cv2.resize(picture, (192, 192), interpolation=cv2.INTER_AREA), np.uint8)


if __name__ == "__main__":
    main()
