"""The parts of a board of squares, found from the signs that they show."""

from __future__ import annotations

import random

from engine.pack import load_pack
from engine.squares_game import board_rows, parts_laid

PACK = load_pack("tricky-safari")
CELLS = ((0, 0), (1, 0), (0, 1), (1, 1))


def test_the_parts_are_found_from_the_rows_they_make() -> None:
    rng = random.Random(5)
    for _ in range(20):
        faces = rng.sample(sorted(PACK.quarters), len(CELLS))
        laid = {cell: (face, rng.randrange(0, 360, 90)) for cell, face in zip(CELLS, faces, strict=True)}
        rows = board_rows(PACK, laid)
        assert board_rows(PACK, parts_laid(PACK, rows)) == rows
        assert {face for face, _ in parts_laid(PACK, rows).values()} == set(faces)


def test_rows_of_no_part_have_none() -> None:
    assert parts_laid(PACK, ["." * 10] * 10) == {}
    assert parts_laid(PACK, ["." * 3] * 3) == {}
    assert parts_laid(load_pack("savanna"), ["." * 10] * 10) == {}
