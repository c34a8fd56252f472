"""Renders `samples/bastide-boards`: twenty boards of Carcassonne with the pack `bastide`.

    cd <repository>; <python with bpy 4.5> -m samples.render.bastide [--only bastide-07]

Rooms, cameras and clutter are drawn from a seed; the games are in `games/bastide-NN.game.jsonl` (see
`choosebastide`). Boards that exist are not rendered again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.record import read_record

from .boards import HERE, Shot, command
from .house import LIGHTS, drawn_shot

OUT = HERE.parent / "bastide-boards"
PACK = "bastide"
SEED = 20261123
SAMPLES = 4
BOARDS = 20
LARGE_FROM_TURNS = 33
"""Boards of at least this many turns, and a few others, are rendered at 1080p."""
TOPS = (
    "walnut", "linen", "painted", "pine", "navy", "oak", "felt", "marble", "teak", "check", "stone", "ash",
    "blanket",
)  # fmt: skip


def board_name(number: int) -> str:
    """What board ``number`` (from 1) is called."""
    return f"bastide-{number:02d}"


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
