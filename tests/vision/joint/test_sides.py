"""The land on the sides of tiles is read from the known tiles of the same picture."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import EDGES, Cell
from engine.pack import Pack, load_pack
from vision.joint.edge_kinds import edge_kinds
from vision.joint.sides import BINS, FEWEST, SideReader, read_sides
from vision.observation import CellReading, Sight

SIDE = 48
LANDS = {"field": (70, 160, 90), "city": (90, 140, 190), "road": (230, 230, 230), "river": (200, 120, 60)}
PAPER = (250, 90, 200)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("carcassonne")


def picture_of(pack: Pack, names: list[str], seed: int = 0) -> np.ndarray:
    """Tiles in a row, each with a band of its lands along its sides, under uneven light and noise."""
    rng = np.random.default_rng(seed)
    tiles = []
    for name in names:
        face = np.full((SIDE, SIDE, 3), (120, 120, 120), np.float32)
        for turn, edge in enumerate(EDGES):
            band = np.full((12, SIDE, 3), LANDS["field"], np.float32)
            land = pack.designs[name].tile.edges[edge]
            band[:, 16:32] = LANDS[land]
            if land == "city":
                band[:] = LANDS["city"]
            np.rot90(face, turn)[:12] = band
        tiles.append(face * rng.uniform(0.9, 1.1))
    image = np.concatenate(tiles, axis=1) + rng.normal(0, 4, (SIDE, SIDE * len(names), 3))
    return np.clip(image, 0, 255).astype(np.uint8)


def readings(designs: tuple[str, ...], names: list[str], doubtful: Cell) -> dict[Cell, CellReading]:
    """Readings of tiles in a row: of ``doubtful`` nothing is known, the others are certain."""
    cells = {}
    for x, name in enumerate(names):
        quad = np.array([(x, 0), (x + 1, 0), (x + 1, 1), (x, 1)], np.float32) * SIDE
        logs = np.full((len(designs), 4), -12.0, np.float32)
        logs[designs.index(name), 0] = 0.0
        if (x, 0) == doubtful:
            logs[:] = -np.log(logs.size)
        cells[x, 0] = CellReading((x, 0), quad, logs, -2.0 if (x, 0) == doubtful else 12.0)
    return cells


KNOWN = [f"BC-{letter}" for letter in "ABDEGHKLNRUVWX"]


@pytest.mark.parametrize("name", ["BC-A", "BC-E", "BC-J", "BC-V", "BC-W"])
def test_an_unknown_drawing_has_the_sides_of_its_design(pack: Pack, name: str) -> None:
    names = [*KNOWN, name]
    cells = readings(tuple(pack.designs), names, (len(KNOWN), 0))
    sight = Sight(picture_of(pack, names))
    read = SideReader(tuple(pack.designs), pack).read(sight, cells, {(len(KNOWN), 0)}, {})
    kinds, _ = edge_kinds(tuple(pack.designs), pack, seams=False)
    told = read[len(KNOWN), 0].sides.argmax(axis=1)
    assert told.tolist() == kinds[4 * list(pack.designs).index(name)].tolist()
    assert read[len(KNOWN), 0].log_tile == cells[len(KNOWN), 0].log_tile
    assert all(not read[x, 0].sides.size for x in range(len(KNOWN)))


def test_a_side_that_a_piece_covers_tells_nothing(pack: Pack) -> None:
    names, asked = [*KNOWN, "BC-V"], (len(KNOWN), 0)
    east = np.zeros((BINS, BINS), np.bool_)
    east[4:7, -3:] = True
    cells = readings(tuple(pack.designs), names, asked)
    sides = SideReader(tuple(pack.designs), pack)
    read = sides.read(Sight(picture_of(pack, names)), cells, {asked}, {asked: east})
    assert (read[asked].sides[1] == 0).all() and (read[asked].sides[[0, 2, 3]].max(axis=1) > 0).all()


def test_paper_in_a_notch_is_no_tile(pack: Pack) -> None:
    names, asked = [*KNOWN, "BC-V"], (len(KNOWN), 0)
    image = picture_of(pack, names)
    image[:, -SIDE:] = PAPER
    cells = readings(tuple(pack.designs), names, asked)
    read = SideReader(tuple(pack.designs), pack).read(Sight(image), cells, {asked}, {})
    assert read[asked].log_tile < cells[asked].log_tile - 3


def test_a_tile_that_the_picture_cuts_off_is_not_read(pack: Pack) -> None:
    names, asked = [*KNOWN, "BC-V"], (len(KNOWN), 0)
    cells = readings(tuple(pack.designs), names, asked)
    sight = Sight(np.ascontiguousarray(picture_of(pack, names)[:, : -SIDE // 3]))
    assert SideReader(tuple(pack.designs), pack).read(sight, cells, {asked}, {}) is cells


def test_few_known_tiles_tell_no_sides(pack: Pack) -> None:
    names, asked = [*KNOWN[: FEWEST - 1], "BC-V"], (FEWEST - 1, 0)
    cells = readings(tuple(pack.designs), names, asked)
    sides = SideReader(tuple(pack.designs), pack)
    assert sides.read(Sight(picture_of(pack, names)), cells, {asked}, {}) is cells


def test_a_still_board_is_read_once(pack: Pack) -> None:
    names, asked = [*KNOWN, "BC-V"], (len(KNOWN), 0)
    cells, sight = readings(tuple(pack.designs), names, asked), Sight(picture_of(pack, names))
    sides = SideReader(tuple(pack.designs), pack)
    assert sides.read(sight, cells, {asked}, {}) is sides.read(sight, cells, {asked}, {})


def test_a_tile_is_not_compared_with_its_own_sides() -> None:
    """The first tile's sides are labelled wrongly, as city in place of field."""
    rng = np.random.default_rng(0)
    strips = rng.normal(np.array([0, 0, 0, 9.0])[:, None, None, None], 0.3, (4, 4, BINS, 3)).astype(
        np.float32
    )
    known, kinds = strips.reshape(-1, BINS, 3), np.repeat([1, 0, 0, 1], 4)
    own = np.repeat(np.eye(4, dtype=np.bool_), 4, axis=1)
    asked = np.repeat(strips[None], 3, axis=0)
    assert (read_sides(asked, known, kinds, 2).nats[0].argmax(axis=1) == 1).all()
    assert (read_sides(asked, known, kinds, 2, own).nats[0].argmax(axis=1) == 0).all()
