"""Printed tiles against patterns, by colours and repetition."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.toy_boards import toy_board
from vision.locate.print_likelihood import print_nats
from vision.observation import Sight

SIDE, ACROSS = 64, 4
QUADS = np.array(
    [
        [[x, y], [x + SIDE, y], [x + SIDE, y + SIDE], [x, y + SIDE]]
        for y in range(0, ACROSS * SIDE, SIDE)
        for x in range(0, ACROSS * SIDE, SIDE)
    ],
    np.float64,
)


@pytest.mark.parametrize("cells", [1, 2, 12])
def test_toy_tiles_are_printed(cells: int) -> None:
    board = toy_board(11, [(x, y) for y in range(3) for x in range(4)][:cells])
    quads = np.array([board.quads[cell] for cell in board.quads], np.float64)
    assert print_nats(Sight(board.image), quads) > 5.0
    assert print_nats(Sight((board.image * 0.25).astype(np.uint8)), quads) > 5.0


def test_squares_of_two_colours_are_a_pattern() -> None:
    y, x = np.mgrid[: ACROSS * SIDE, : ACROSS * SIDE]
    checks = np.where(((x // SIDE + y // SIDE) % 2)[..., None] > 0, 200, 60)
    noisy = checks + np.random.default_rng(1).normal(0, 4, (*x.shape, 3))
    assert print_nats(Sight(noisy.clip(0, 255).astype(np.uint8)), QUADS) < -5.0


def test_a_colourful_motif_that_repeats_is_less_likely_than_one_laid_in_all_rotations() -> None:
    rng = np.random.default_rng(2)
    motif = np.kron(rng.integers(0, 256, (8, 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    turns = rng.integers(0, 4, ACROSS * ACROSS)
    rows = [np.hstack([np.rot90(motif, t) for t in turns[i : i + ACROSS]]) for i in range(0, 16, ACROSS)]
    cloth = print_nats(Sight(np.tile(motif, (ACROSS, ACROSS, 1))), QUADS)
    laid = print_nats(Sight(np.vstack(rows)), QUADS)
    assert laid - cloth > 3.0
