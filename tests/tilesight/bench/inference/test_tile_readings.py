"""Simulated readings of tiles."""

from __future__ import annotations

import numpy as np

from engine.pack import Pack, load_pack
from engine.tiles.board import Laid
from tilesight.bench.inference.params import PARAMS
from tilesight.bench.inference.tile_readings import SimulatedTiles, rivals_of


def readings(pack: Pack, hardness: float = 1.0) -> SimulatedTiles:
    return SimulatedTiles(pack, np.random.default_rng(1), hardness, PARAMS)


def test_every_other_face_is_a_rival_of_one_class() -> None:
    pack = load_pack("bastide")
    for members in rivals_of(pack).values():
        assert sum(map(len, members)) == 4 * len(pack.designs) - 1


def test_the_same_look_gives_the_same_error_and_a_piece_another() -> None:
    pack = load_pack("bastide")
    laid = Laid(pack.designs["BC-U"], 90)
    one = readings(pack)
    assert one.face((2, 3), laid, occupied=False) is one.face((2, 3), laid, occupied=False)
    assert one.face((2, 3), laid, occupied=True).lead != one.face((2, 3), laid, occupied=False).lead
    assert one.face((2, 4), laid, occupied=False).lead != one.face((2, 3), laid, occupied=False).lead


def test_the_share_of_misread_faces_is_the_measured_one_and_none_without_hardness() -> None:
    pack = load_pack("bastide")
    names = list(pack.designs)
    for hardness, least, most in ((1.0, 0.01, 0.08), (0.0, 0.0, 0.0)):
        one = readings(pack, hardness)
        leads = [
            one.face((n, 0), Laid(pack.designs[names[n % len(names)]], 0), occupied=False).lead
            for n in range(400)
        ]
        assert least <= np.mean(np.array(leads) < 0) <= most


def test_the_lead_is_that_of_the_reading() -> None:
    pack = load_pack("savanna")
    name = next(iter(pack.designs))
    one = readings(pack)
    for n in range(20):
        face = one.face((n, 0), Laid(pack.designs[name], 180), occupied=False)
        row = list(pack.designs).index(name)
        others = face.logs.copy()
        others[row, 2] = -np.inf
        assert face.logs[row, 2] == 0.0
        assert np.isclose(-others.max(), face.lead)
