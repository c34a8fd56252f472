"""The stage on which whole games are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from engine.pack import load_pack
from engine.tiles.board import Laid
from models.train import table_stage
from models.train.table_stage import Stage

DAZZLING = {19: 250, 71004: 225}
"""Rooms whose camera would show the tiles white, and from where on it shows them so: the second one's film
has little contrast."""


def white_share(room: int) -> float:
    """How much of the picture is white; the tiles fill most of it."""
    pack = load_pack("savanna")
    board = {cell: Laid(design, 0) for cell, design in pack.start_designs}
    image = Stage(pack, set(board), room, (480, 270)).picture(board, ())
    return float(((image >= DAZZLING[room]).sum(axis=2) >= 2).mean())


@pytest.mark.parametrize("room", DAZZLING)
def test_the_stage_lowers_its_cameras_exposure_in_a_dazzling_room(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_set = white_share(room)
    monkeypatch.setattr(table_stage, "DARKER_MOST", 0)
    assert as_set < 0.5 * white_share(room)


def test_the_same_seed_draws_the_same_pictures() -> None:
    pack = load_pack("savanna")
    board = {cell: Laid(design, 0) for cell, design in pack.start_designs}
    one, two = (Stage(pack, set(board), 5, (640, 360)).picture(board, ()) for _ in range(2))
    assert np.array_equal(one, two)
