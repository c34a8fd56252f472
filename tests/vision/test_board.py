"""Pieces of one picture in the game's frame: cells, corners, features."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.pieces import PieceKind
from vision.board import SeenPiece, SolvedBoard, see_board
from vision.observation import BoardPose, CellReading, Observation, PieceReading

PACK = load_pack("savanna")
START = {(x, 0): design.id for (x, _), design in PACK.start_designs}


Placed = tuple[PieceKind, float, float]
"""A piece, and the point of the lattice it touches."""


def seen_board(
    *pieces: Placed, unread: Cell | None = None, hints: dict[tuple[float, float], float] | None = None
) -> SolvedBoard:
    """What becomes of pieces when the start tile lies on the table, of which one cell may not be read.
    ``hints`` are unlikely rangers: where, and how likely."""
    designs = tuple(PACK.designs)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    cells: dict[Cell, CellReading] = {}
    for cell, name in START.items():
        if cell == unread:
            continue
        log_probs = np.full((len(designs), 4), -12.0, np.float32)
        log_probs[designs.index(name), 0] = 0.0
        cells[cell] = CellReading(cell, 100 * (square + np.array(cell, np.float32) + 2), log_probs, 20.0)
    quads = {cell: reading.corners_px for cell, reading in cells.items()}
    H = np.array([[100.0, 0, 200], [0, 100, 200], [0, 0, 1]])
    pose = BoardPose(H, quads, (640, 480), 1.0)
    readings = tuple(
        PieceReading(kind, None, "standing", (100 * x + 200, 100 * y + 200), (x, y), 0.9)
        for kind, x, y in pieces
    )
    unlikely = tuple(
        PieceReading("ranger", "white", "standing", (100 * x + 200, 100 * y + 200), (x, y), sure)
        for (x, y), sure in (hints or {}).items()
    )
    board = see_board(Observation(0, 0.0, pose, designs, cells, readings, hints=unlikely), PACK)
    assert {tile.cell: tile.face.design for tile in board.tiles if tile.face} == START
    return board


def seen_piece(kind: PieceKind, x: float, y: float, *others: Placed) -> SeenPiece:
    """What becomes of one piece."""
    return seen_board((kind, x, y), *others).pieces[0]


@pytest.mark.parametrize(
    ("x", "y", "corner"), [(0.2, 0.2, "nw"), (0.82, 0.19, "ne"), (0.8, 0.75, "se"), (1.2, 0.8, "sw")]
)
def test_an_animal_tile_in_a_corner_covers_it(x: float, y: float, corner: str) -> None:
    piece = seen_piece("token", x, y)
    assert piece.cell == (int(x), 0)
    assert (piece.corner, piece.feature) == (corner, None)


def test_an_animal_tile_away_from_the_corners_lies_on_a_feature() -> None:
    piece = seen_piece("token", 0.5, 0.5)
    assert piece.cell == (0, 0)
    assert piece.corner is None
    assert piece.feature in {feature.id for feature in PACK.designs[START[(0, 0)]].tile.features}


def test_a_meeple_on_an_animal_tile_at_a_corner_stands_on_no_feature() -> None:
    spot = PACK.token_spot("nw")
    alone, above = seen_piece("meeple", *spot), seen_piece("meeple", *spot, ("token", *spot))
    assert (above.cell, above.corner, above.feature) == ((0, 0), "nw", None)
    assert alone.corner == "nw"  # no feature of the tile is anywhere near: the animal tile is hidden
    start = PACK.designs[START[(0, 0)]].tile
    for feature in start.features:
        piece = seen_piece("meeple", *feature.spot, ("token", *spot))
        assert (piece.corner, piece.feature) == (None, feature.id)


@pytest.mark.parametrize("unread", START)
def test_the_start_tile_is_there_as_a_whole(unread: Cell) -> None:
    board = seen_board(unread=unread)
    (rest,) = (tile for tile in board.tiles if tile.cell == unread)
    x, y = 100.0 * unread[0] + 200, 100.0 * unread[1] + 200
    square = [(x, y), (x + 100, y), (x + 100, y + 100), (x, y + 100)]
    np.testing.assert_allclose(rest.corners_px, square, atol=1e-3)


def test_a_meeple_at_a_corner_tells_of_an_unseen_animal_tile_under_it() -> None:
    u, v = PACK.token_spot("se")
    for others in ((), (("token", u, v),)):
        board = seen_board(("meeple", u, v), *others)
        (token,) = (piece for piece in board.pieces if piece.reading.kind == "token")
        assert (token.cell, token.corner, token.feature) == ((0, 0), "se", None)
        assert token.reading.point_px == pytest.approx((100 * u + 200, 100 * v + 200), abs=0.01)


def test_a_ranger_stands_beside_the_tiles_and_what_is_far_away_beside_the_board() -> None:
    assert seen_piece("ranger", 0.5, 1.5).cell == (0, 1)
    assert seen_piece("ranger", 0.5, 0.5).cell is None
    assert seen_piece("meeple", 5.5, 5.5).cell is None


def test_a_ranger_that_is_missing_is_where_one_hint_stands_out() -> None:
    def rangers(*sure: PieceKind, hints: dict[tuple[float, float], float]) -> list[Cell | None]:
        places = ((0.5, -0.5), (1.5, -0.5))
        seen = seen_board(*((kind, x, y) for kind, (x, y) in zip(sure, places, strict=False)), hints=hints)
        return [p.cell for p in seen.pieces if p.reading.kind == "ranger"]

    assert rangers("ranger", hints={(0.5, 1.5): 0.2}) == [(0, -1), (0, 1)]
    assert rangers("ranger", hints={(0.5, 1.5): 0.2, (1.5, 1.5): 0.2}) == [(0, -1)], "none stands out"
    assert rangers("ranger", "ranger", hints={(0.5, 1.5): 0.4}) == [(0, -1), (1, -1)], "there are two"
    assert rangers("ranger", hints={(0.5, 0.5): 0.4}) == [(0, -1)], "on a tile stands none"
    assert rangers("ranger", hints={(0.8, -0.3): 0.4}) == [(0, -1)], "no two on one space"
    twice = {(0.5, 1.5): 0.3, (0.8, 1.2): 0.2}
    assert rangers("ranger", hints=twice) == [(0, -1), (0, 1)], "one thing seen twice is one"


def test_a_ranger_that_others_rival_is_not_told_as_sure() -> None:
    """Of three candidates for the two rangers, at most two are reported, each with less confidence than
    alone."""
    three: list[Placed] = [("ranger", 0.5, -0.5), ("ranger", 1.5, -0.5), ("ranger", 0.5, 1.5)]
    told = [p.reading.confidence for p in seen_board(*three).pieces]
    assert told == pytest.approx([2 / 3, 2 / 3], abs=0.02)
    five = [*three, *(("ranger", x, 1.5) for x in (-0.5, 1.5))]
    told = [p.reading.confidence for p in seen_board(*five).pieces]
    assert told == pytest.approx([2 / 5, 2 / 5], abs=0.02), "guesses, and told as such"
    alone = [p.reading.confidence for p in seen_board(*three[:2]).pieces]
    assert min(alone) > 0.9
    assert [p.cell for p in seen_board(*three[:2]).pieces] == [(0, -1), (1, -1)]


def test_an_other_piece_is_on_a_feature_but_no_piece_of_the_game() -> None:
    board = seen_board(("other", 0.5, 0.4), ("meeple", 1.5, 0.5))
    other = next(piece for piece in board.pieces if piece.reading.kind == "other")
    assert other.cell == (0, 0) and other.feature is not None
    assert [piece.kind for piece in board.standing()] == ["meeple"]
