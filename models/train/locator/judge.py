"""Judge of the locator on own scenes that no network has seen, with and without a gallery of their deck.

    python -m models.train.locator.judge unknown --scenes 90     # nobody knows the art; half are plain
    python -m models.train.locator.judge known --scenes 48       # with a gallery of the deck
    python -m models.train.locator.judge known --scenes 64 --first 8100000
    python -m models.train.locator.judge drifting --scenes 40    # nobody knows the art, the board is no sheet

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
from models.train.locator.stored_scenes import SIZES_WH, packed, random_table, unpacked
from models.train.scenes import (
    Layout,
    Scene,
    lay_in_turn,
    make_scene,
    random_cells,
    random_room,
    render_layout,
)
from models.train.scenes.layout import random_pieces
from vision.locate.locator import Locator, locate
from vision.observation import Frame, Quad, Sight, mean_sides_px
from vision.pipeline import Pipeline
from vision.tiles.gallery import build_gallery

IN_FRAME, SMALLEST_PX = 0.98, 30.0
FOUND_WITHIN = 0.33
JPEG_QUALITY = 92
TILE_MM = 45.0
"""Side of a tile, millimetres."""
PHONE_WH = ((1920, 1440), (1600, 1200), (1440, 1920))
"""Sizes of a phone's photographs, pixels."""

Quads = Mapping[Cell, Quad]
Image = NDArray[np.uint8]


@dataclass
class Tally:
    """Results of some scenes; corner errors in tile sides."""

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
        sides = mean_sides_px(true)
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
    """A table of unknown art; for odd seeds one of plain faces."""
    return random_table(np.random.default_rng([seed, 1905]), plain=seed % 2 == 1), None


def known_scene(seed: int) -> tuple[Scene, NDArray[np.uint8]]:
    """A table, and the faces of its deck."""
    rng = np.random.default_rng([seed, 1905])
    size_wh = (1920, 1080) if seed % 2 else SIZES_WH[int(rng.integers(len(SIZES_WH)))]
    deck = make_deck(rng, 40, 256).faces
    return make_scene(rng, size_wh, deck, int(rng.integers(6, 50))), deck


def drifting_scene(seed: int) -> tuple[Scene, NDArray[np.uint8]]:
    """A board of 30 to 85 tiles, each laid beside its neighbours, from a phone at any height; and the faces
    of its deck that a gallery has, two thirds of all."""
    rng = np.random.default_rng([seed, 1906])
    deck = make_deck(rng, 48, 192, "game" if rng.random() < 0.7 else None).faces
    cells = random_cells(rng, int(rng.integers(30, 86)))
    faces = rng.integers(len(deck), size=len(cells))
    plan = [(cell, int(rng.integers(4)) * 90, int(face)) for cell, face in zip(cells, faces, strict=True)]
    slip, turn_deg = float(rng.choice([0.0, 0.01, 0.025])), float(rng.choice([0.2, 0.6, 1.0]))
    tiles, pitch_mm = lay_in_turn(rng, plan, TILE_MM, slip, turn_deg)
    pieces = random_pieces(rng, tiles, TILE_MM, pitch_mm, 0, float(rng.uniform(0.1, 0.4)))
    layout = Layout(tiles, pieces, TILE_MM, pitch_mm, float(rng.uniform(1.6, 2.4)))
    lowest_deg = float(rng.choice([18.0, 25.0, 40.0]))
    room = random_room(rng, elevation_range=(lowest_deg, 72.0), partly_out=0.1)
    size_wh = PHONE_WH[int(rng.integers(len(PHONE_WH)))]
    known = [face for number, face in enumerate(deck) if (7 * number + seed) % 3]
    return render_layout(layout, room, rng, deck, size_wh), np.stack(known)


def found_alone(image: Image, _: NDArray[np.uint8] | None) -> Quads:
    """The tiles by their outlines."""
    pose = locate(Sight(image), Locator.load())[0]
    return {} if pose is None else pose.quads


def found_by_faces(image: Image, deck: NDArray[np.uint8] | None) -> Quads:
    """The tiles that a gallery of the deck knows."""
    assert deck is not None
    named = [(f"D{n:02d}", face) for n, face in enumerate(deck)]
    observation = Pipeline(build_gallery("judged", named, load("descriptor"))).observe(Frame(image))
    return {cell: reading.corners_px for cell, reading in observation.cells.items() if reading.log_tile > 0}


@dataclass(frozen=True)
class Exam:
    """Scenes from ``first`` on, by what their tiles are found, and what must be seen of one that should be;
    ``kinds`` names those of even and of odd seeds."""

    first: int
    make: Callable[[int], tuple[Scene, NDArray[np.uint8] | None]]
    find: Callable[[Image, NDArray[np.uint8] | None], Quads]
    visible: float
    kinds: tuple[str, str] = ("any", "any")


EXAMS = {
    "unknown": Exam(7_000_000, unknown_scene, found_alone, 0.6, ("any", "plain")),
    # Who knows a tile's face should know it by less.
    "known": Exam(8_000_000, known_scene, found_by_faces, 0.35),
    "drifting": Exam(9_100_000, drifting_scene, found_alone, 0.6),
}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("art", choices=list(EXAMS))
    parser.add_argument("--scenes", type=int, default=48)
    parser.add_argument("--first", type=int, help="first seed")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    exam = EXAMS[arguments.art]
    first = exam.first if arguments.first is None else arguments.first
    tallies = {kind: Tally() for kind in exam.kinds}
    for count, seed in enumerate(range(first, first + arguments.scenes), start=1):
        scene, deck = exam.make(seed)
        quads = exam.find(unpacked(packed(scene.image, JPEG_QUALITY)), deck)
        tallies[exam.kinds[seed % 2]].add(scene, quads, exam.visible)
        if count % 10 == 0:
            print(f"{count} of {arguments.scenes} scenes", flush=True)
    for kind, tally in tallies.items():
        print(f"{kind}: {tally.told()}")


if __name__ == "__main__":
    main()
