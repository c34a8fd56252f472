"""Renders `samples/taiga-boards` and `samples/bastide-boards`: twenty boards each of a house deck.

    cd <repository>; <python with bpy 4.5> -m samples.render.decks taiga [--only taiga-07]

Rooms, cameras and clutter are drawn from a seed; the games are in `games/taiga-NN.game.jsonl` (see
`choosetaiga`, `choosebastide`). Boards that exist are not rendered again.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from engine.record import read_record

from .boards import HERE, Shot, command
from .house import LIGHTS, drawn_shot

SAMPLES = 4
BOARDS = 20
LARGE_FROM_TURNS = 33
"""Boards of so many turns and more are taken at 1080p, as are a few others."""
DECKS = {
    "taiga": (20261122, (
        "oak", "marble", "navy", "pine", "check", "felt", "walnut", "stone", "linen", "confetti", "teak",
        "cutting-mat", "leaves",
    )),
    "bastide": (20261123, (
        "walnut", "linen", "painted", "pine", "navy", "oak", "felt", "marble", "teak", "check", "stone",
        "ash", "blanket",
    )),
}  # fmt: skip
"""The seed and the table tops of each deck's boards."""


def shots(deck: str) -> tuple[Shot, ...]:
    """The twenty of a deck, always the same."""
    seed, tops = DECKS[deck]
    rng = np.random.default_rng(seed)
    out = []
    for number in range(1, BOARDS + 1):
        name = f"{deck}-{number:02d}"
        turns = len(read_record(HERE / "games" / f"{name}.game.jsonl").turns)
        top, light = tops[number % len(tops)], LIGHTS[(number * 2 + number // 5) % len(LIGHTS)]
        large = turns >= LARGE_FROM_TURNS or number % 8 == 3
        out.append(replace(drawn_shot(name, top, light, large, rng), backs=True))
    return tuple(out)


if __name__ == "__main__":
    asked = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if asked not in DECKS:
        raise SystemExit(f"which deck: {', '.join(DECKS)}?")
    raise SystemExit(command(__doc__, HERE.parent / f"{asked}-boards", asked, shots(asked), SAMPLES))
