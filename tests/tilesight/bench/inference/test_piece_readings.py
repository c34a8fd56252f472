"""Simulated readings of pieces."""

from __future__ import annotations

import math

import numpy as np

from engine.pack import load_pack
from engine.tiles.board import Laid, Standing
from tilesight.bench.inference.params import PARAMS
from tilesight.bench.inference.piece_readings import SimulatedPieces

PACK = load_pack("bastide")
BOARD = {(n, 0): Laid(PACK.designs["BC-U"], 0) for n in range(300)}
PLAYERS = ("yellow", "red", "blue")


def readings(hardness: float) -> SimulatedPieces:
    return SimulatedPieces(PACK, PLAYERS, np.random.default_rng(2), hardness, PARAMS)


def meeple(n: int) -> Standing:
    return Standing("meeple", "red", (n, 0), "f0", pose="lying")


def test_without_hardness_every_piece_is_read_as_it_is_and_nothing_else() -> None:
    one = readings(0.0)
    for n in range(50):
        seen = one.piece(meeple(n), BOARD, under=False)
        assert seen is not None and seen.faults == ()
        reading = seen.reading
        assert (reading.kind, reading.pose, reading.color) == ("meeple", "lying", "red")
        assert reading.confidence > 0.97
        assert one.prints((n, 0), BOARD[n, 0], ()) == []


def test_pieces_are_missed_as_often_as_was_measured_and_always_the_same_ones() -> None:
    one = readings(1.0)
    missed = [one.always(meeple(n), BOARD, under=False) is None for n in range(300)]
    assert 0.01 < np.mean(missed) < 0.08
    assert missed == [one.always(meeple(n), BOARD, under=False) is None for n in range(300)]


def test_a_print_that_looks_like_a_piece_does_so_until_one_stands_on_it() -> None:
    one = readings(1.0)
    prints = [seen for n in range(300) for seen in one.prints((n, 0), BOARD[n, 0], ())]
    assert 5 < len(prints) < 60
    seen = prints[0]
    cell = (math.floor(seen.xy[0]), math.floor(seen.xy[1]))
    assert len(one.prints(cell, BOARD[cell], ())) == 1
    assert one.prints(cell, BOARD[cell], [seen.xy]) == []
