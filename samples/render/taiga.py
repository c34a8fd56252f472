"""Renders `samples/taiga-boards`: twenty boards of Hunters and Gatherers with the pack `taiga`.

    cd <repository>; <python with bpy 4.5> -m samples.render.taiga [--only taiga-07]

Rooms, cameras and clutter are drawn from a seed; the games are in `games/taiga-NN.game.jsonl` (see
`choosetaiga`). Boards that exist are not rendered again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.record import read_record

from .boards import HERE, Shot, command
from .house import LIGHTS, drawn_shot

OUT = HERE.parent / "taiga-boards"
PACK = "taiga"
SEED = 20261122
SAMPLES = 4
BOARDS = 20
LARGE_FROM_TURNS = 33
"""Boards of at least this many turns, and a few others, are rendered at 1080p."""
TOPS = (
    "oak", "marble", "navy", "pine", "check", "felt", "walnut", "stone", "linen", "confetti", "teak",
    "cutting-mat", "leaves",
)  # fmt: skip


def board_name(number: int) -> str:
    """What board ``number`` (from 1) is called."""
    return f"taiga-{number:02d}"


def shots() -> tuple[Shot, ...]:
    """The twenty, always the same."""
    rng = np.random.default_rng(SEED)
    out = []
    for number in range(1, BOARDS + 1):
        turns = len(read_record(HERE / "games" / f"{board_name(number)}.game.jsonl").turns)
        top, light = TOPS[number % len(TOPS)], LIGHTS[(number * 2 + number // 5) % len(LIGHTS)]
        large = turns >= LARGE_FROM_TURNS or number % 8 == 3
        out.append(replace(drawn_shot(board_name(number), top, light, large, rng), backs=True))
    return tuple(out)


if __name__ == "__main__":
    raise SystemExit(command(__doc__, OUT, PACK, shots(), SAMPLES))
