"""How well boards are found on own scenes that no network has seen, with and without a gallery of their deck.

    python -m models.train.locator_judge unknown --scenes 90     # nobody knows the art; half are plain
    python -m models.train.locator_judge known --scenes 48       # with a gallery of the deck
    python -m models.train.locator_judge known --scenes 64 --first 8100000

Weights of the locator and constants of `vision` are chosen by these figures (see its card); the photographs
that judge are not asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import load
from models.train.decks import make_deck
from models.train.locator_data import SIZES_WH
from models.train.scenes import Scene, make_scene
from vision.gallery import build_gallery
from vision.locate import Locator, locate
from vision.observation import Frame, Quad
from vision.pipeline import Pipeline

UNKNOWN_SEEDS, KNOWN_SEEDS = 7_000_000, 8_000_000
IN_FRAME, SMALLEST_PX = 0.98, 30.0
VISIBLE = {"unknown": 0.6, "known": 0.35}
"""What is seen of a tile that should be found, at least; who knows its face should know it by less."""
FOUND_WITHIN = 0.33
JPEG_QUALITY = 92

Quads = Mapping[Cell, Quad]
Image = NDArray[np.uint8]


@dataclass
class Tally:
    """What came of some scenes; corner errors in tile sides."""

    scenes: int = 0
    tiles: int = 0
    missed: int = 0
    extra: int = 0
    right: int = 0
    close: dict[float, int] = field(default_factory=lambda: {0.03: 0, 0.06: 0})
    corners: list[float] = field(default_factory=list)

    def add(self, scene: Scene, quads: Quads, visible: float) -> None:
        """Marks one scene."""
        true = np.array([tile.corners_px for tile in scene.tiles], np.float64).reshape(-1, 4, 2)
        sides = np.linalg.norm(true - np.roll(true, 1, axis=1), axis=2).mean(axis=1)
        wanted = {
            number
            for number, tile in enumerate(scene.tiles)
            if tile.in_frame > IN_FRAME and tile.visible > visible and sides[number] >= SMALLEST_PX
        }
        off: dict[int, float] = {}
        extra = 0
        for quad in quads.values():
            apart = np.linalg.norm(true.mean(axis=1) - quad.mean(axis=0), axis=1) / sides
            nearest = int(apart.argmin())
            if apart[nearest] < FOUND_WITHIN:
                turns = [np.roll(quad, -turn, axis=0) - true[nearest] for turn in range(4)]
                off[nearest] = min(float(np.linalg.norm(t, axis=1).max()) for t in turns) / sides[nearest]
            else:
                extra += 1
        missed = len(wanted - off.keys())
        errors = [off[number] for number in wanted & off.keys()]
        self.scenes += 1
        self.tiles += len(wanted)
        self.missed += missed
        self.extra += extra
        self.right += missed == 0 and extra == 0
        self.corners += errors
        for limit in self.close:
            self.close[limit] += missed == 0 and max(errors, default=0.0) < limit

    def told(self) -> str:
        """One line."""
        p50, p95, p99 = np.percentile(self.corners or [0.0], [50, 95, 99])
        close = ", ".join(f"{count} within {100 * limit:.0f} %" for limit, count in self.close.items())
        return (
            f"{self.missed} of {self.tiles} tiles missed, {self.extra} extra; {self.right} of {self.scenes} "
            f"boards right, all found and every corner {close}; corners p50 {p50:.4f}, p95 {p95:.4f}, "
            f"p99 {p99:.4f}"
        )


def unknown_scene(seed: int) -> tuple[Scene, None]:
    """A table of art that nobody knows; of odd seeds one of plain faces."""
    rng = np.random.default_rng([seed, 1905])
    size_wh = SIZES_WH[int(rng.integers(len(SIZES_WH)))]
    if seed % 2:
        deck = make_deck(rng, 40, 128, "plain").faces
        return make_scene(rng, size_wh, deck, int(rng.integers(9, 61))), None
    return make_scene(rng, size_wh), None


def known_scene(seed: int) -> tuple[Scene, NDArray[np.uint8]]:
    """A table, and the faces of its deck."""
    rng = np.random.default_rng([seed, 1905])
    size_wh = (1920, 1080) if seed % 2 else SIZES_WH[int(rng.integers(len(SIZES_WH)))]
    deck = make_deck(rng, 40, 256).faces
    return make_scene(rng, size_wh, deck, int(rng.integers(6, 50))), deck


def found_alone(image: Image, _: NDArray[np.uint8] | None) -> Quads:
    """The tiles by their outlines."""
    pose = locate(image, Locator.load())
    return {} if pose is None else pose.quads


def found_by_faces(image: Image, deck: NDArray[np.uint8] | None) -> Quads:
    """The tiles that a gallery of the deck knows."""
    assert deck is not None
    gallery = build_gallery(
        "judged", [(f"D{n:02d}", face) for n, face in enumerate(deck)], load("descriptor")
    )
    observation = Pipeline(gallery).observe(Frame(image, 0.0))
    return {cell: reading.corners_px for cell, reading in observation.cells.items() if reading.log_tile > 0}


def photographed(scene: Scene) -> Image:
    """The scene as a camera would hand it over."""
    code = cv2.imencode(".jpg", np.ascontiguousarray(scene.image), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[
        1
    ]
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)


Maker = Callable[[int], tuple[Scene, NDArray[np.uint8] | None]]
Finder = Callable[[Image, NDArray[np.uint8] | None], Quads]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("art", choices=["unknown", "known"])
    parser.add_argument("--scenes", type=int, default=48)
    parser.add_argument("--first", type=int, help="first seed")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    make: Maker = unknown_scene if arguments.art == "unknown" else known_scene
    find: Finder = found_alone if arguments.art == "unknown" else found_by_faces
    first = arguments.first or (UNKNOWN_SEEDS if arguments.art == "unknown" else KNOWN_SEEDS)
    tallies: dict[str, Tally] = {}
    for seed in range(first, first + arguments.scenes):
        scene, deck = make(seed)
        kind = "plain" if arguments.art == "unknown" and seed % 2 else "any"
        quads = find(photographed(scene), deck)
        tallies.setdefault(kind, Tally()).add(scene, quads, VISIBLE[arguments.art])
        if (seed - first) % 10 == 9:
            print(f"{seed - first + 1} of {arguments.scenes} scenes", flush=True)
    for kind, tally in tallies.items():
        print(f"{kind}: {tally.told()}")


if __name__ == "__main__":
    main()
