"""The lattice: what fits where, and the faults of boards that were only seen."""

from __future__ import annotations

import pytest

from engine.pack import Pack, load_pack
from engine.tiles.board import Laid, TileGrid, board_faults
from engine.tiles.features import Landscape
from tests.engine.lab import lab_pack

PACK = lab_pack()


def laid(design: str, rot: int = 0) -> Laid:
    return Laid(PACK.designs[design], rot)


@pytest.mark.rule("safari-wiki-2018, safari-wiki-2020", "Use of a Table")
def test_every_turn_of_a_plain_tile_counts_as_a_placement() -> None:
    """docs/formats.md, 'Expectations': every rotation counted, look-alikes too."""
    grid = TileGrid.of({(0, 0): laid("PLAIN")})
    assert len(grid.placements(PACK.designs["PLAIN"])) == 16
    assert len(grid.placements(PACK.designs["END-G"])) == 12


@pytest.mark.rule("safari-zman-2018", "Placing a land tile with an animal trail")
def test_a_tile_must_fit_on_all_its_sides() -> None:
    """zman-2018, 'You must place the tile you drew such that it continues the landscape'."""
    grid = TileGrid.of({(0, 0): laid("START"), (1, 1): laid("PLAIN")})
    faults = grid.faults(PACK.designs["TRAIL-G"], (1, 0), 90)
    assert [(fault.code, fault.edge) for fault in faults] == [("edge_mismatch", "s"), ("edge_mismatch", "w")]
    assert "west" in faults[1].message
    assert grid.faults(PACK.designs["TRAIL-G"], (1, 0), 0) == ()
    assert [f.code for f in grid.faults(PACK.designs["PLAIN"], (-1, 1), 0)] == ["not_adjacent"]
    assert [f.code for f in grid.faults(PACK.designs["PLAIN"], (0, 0), 0)] == ["cell_taken"]


@pytest.mark.rule("safari-zman-2018", "Placing a land tile with an animal trail")
def test_placements_are_exactly_the_cells_without_faults() -> None:
    grid = TileGrid.of({(0, 0): laid("START"), (0, 1): laid("BEND-L"), (1, 1): laid("PLAIN")})
    for design in PACK.designs.values():
        listed = set(grid.placements(design))
        for cell in ((x, y) for x in range(-2, 4) for y in range(-2, 4)):
            for rot in (0, 90, 180, 270):
                assert ((cell, rot) in listed) == (not grid.faults(design, cell, rot))


def test_a_seen_board_tells_each_mismatch_once() -> None:
    board = {(0, 0): laid("START"), (1, 0): laid("PLAIN"), (0, 1): laid("PLAIN")}
    faults = board_faults(PACK, board)
    assert [(f.code, f.cell, f.edge) for f in faults] == [
        ("edge_mismatch", (1, 0), "w"),
        ("edge_mismatch", (0, 1), "n"),
    ]


def test_a_seen_board_may_not_have_more_of_a_face_than_the_pack() -> None:
    pack: Pack = load_pack("savanna")
    face = Laid(pack.designs["CS24-EEL"], 0)
    assert [fault.code for fault in board_faults(pack, {(0, 0): face, (0, 1): face})] == ["too_many"]


def test_a_mismatch_joins_nothing() -> None:
    landscape, _ = Landscape({}).lay((0, 0), laid("START"))
    landscape, mine = landscape.lay((1, 0), laid("BUSH-L", 270))
    assert mine["b0"].cells == ((1, 0),)
    assert {region.kind for region in landscape.regions} == {"trail", "bush"}


def three_of_a_ring() -> Landscape:
    """A bush that runs from [1, 0] around to [0, 1] and is open towards [1, 1] at both ends."""
    landscape = Landscape({})
    for cell, face, rot in (((0, 0), "BEND-L", 90), ((1, 0), "BEND-L", 180), ((0, 1), "BEND-G", 0)):
        landscape, _ = landscape.lay(cell, laid(face, rot))
    return landscape


def test_two_features_of_one_tile_that_meet_elsewhere_are_one_region() -> None:
    landscape, mine = three_of_a_ring().lay((1, 1), laid("PAIR-00", 270))
    assert mine["b0"] is mine["b1"]
    assert mine["b0"].finished
    assert len(mine["b0"].places) == 5
    assert landscape.regions == ()


def test_a_feature_that_meets_itself_is_one_region() -> None:
    landscape = three_of_a_ring()
    landscape, mine = landscape.lay((1, 1), laid("BEND-M", 270))
    ring = mine["b0"]
    assert ring.finished
    assert len(ring.places) == 4
    assert sorted(ring.animals) == ["giraffe", "lion", "lion", "monkey"]
    assert ring.birds == 4
    assert landscape.regions == ()
