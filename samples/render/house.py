"""Renders `samples/house-boards`: forty boards with rangers and animal tiles on tables seen nowhere else.

    cd <repository>; <python with bpy 4.5> -m samples.render.house [--only house-07]

Rooms, cameras and clutter are drawn from a seed; the games are in `games/house-NN.game.jsonl` (see `choose`).
Boards that exist are not rendered again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .boards import FULL, HD, Shot, command
from .rooms import drawn_room

OUT = Path(__file__).parent.parent / "house-boards"
SEED = 20261121
BOARDS = 40
SAMPLES = 4
LARGE_FROM_TURNS = 37
"""Boards of at least this many turns, and a few others, are rendered at 1080p."""
TOPS = (
    "teak", "ash", "marble", "terracotta", "gingham", "blanket", "navy", "cutting-mat", "white-mat",
    "oilcloth", "confetti",
)  # fmt: skip
LIGHTS = ("day", "lamp", "ceiling", "dim", "sun")
THINGS = ("mug", "pencil", "phone", "cards", "sheet", "bowl", "dice", "gamebox")


def turns_of(number: int) -> int:
    """How many turns board ``number`` (from 1) shows: few and many alike."""
    return (2, 5, 8, 12, 16, 21, 26, 31, 38, 44)[(number - 1) % 10]


def drawn_shot(name: str, top: str, light: str, large: bool, rng: np.random.Generator) -> Shot:
    """A board's room, camera and clutter, drawn at random for that table top and light."""
    room = drawn_room(top, light, {"dim": 2.4, "lamp": 1.3}.get(light, 1.0), rng)
    things = rng.choice(THINGS, int(rng.integers(1, 4)), replace=False)
    return Shot(
        name,
        FULL if large else HD,
        room,
        float(rng.uniform(-180, 180)),
        float(rng.uniform(32, 82)),
        float(rng.uniform(52, 76)),
        float(rng.normal(0, 2.5)),
        float(rng.uniform(-0.11, 0.02)),
        float(rng.uniform(70, 150)) * (1.5 if large else 1.0),
        ("stack", *map(str, things)),
        float(rng.uniform(300, 430)),
        (float(rng.normal(0, 50)), float(rng.normal(0, 30))),
        soft_px=float(rng.uniform(0.35, 0.9)),
        sharpen=float(rng.uniform(0.1, 0.5)),
        saturation=float(rng.uniform(0.85, 1.15)),
    )


def shots() -> tuple[Shot, ...]:
    """The forty, always the same."""
    rng = np.random.default_rng(SEED)
    out = []
    for number in range(1, BOARDS + 1):
        top, light = TOPS[number % len(TOPS)], LIGHTS[(number * 3 + number // 5) % len(LIGHTS)]
        large = turns_of(number) >= LARGE_FROM_TURNS or number % 8 == 3
        out.append(drawn_shot(f"house-{number:02d}", top, light, large, rng))
    return tuple(out)


if __name__ == "__main__":
    raise SystemExit(command(__doc__, OUT, "savanna", shots(), SAMPLES))
