"""Corrections of a photographed board."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from tests.tilesight.photograph.test_score import QUAD, board, meeple, tile
from tilesight.photograph.editing import EditError, PieceEdit, TileEdit, choices_at, edited, place_of
from tilesight.photograph.score import score_photograph
from vision.joint.belief_propagation import Face
from vision.observation import Quad

PACK = load_pack("carcassonne")


def quad(cell: Cell) -> Quad:
    return QUAD + 60 * np.array(cell, np.float32)


def test_a_tile_is_another_one_for_certain() -> None:
    seen = board(tile("BC-N", ("BC-M", 0.3)), meeple("red", "c0"))
    said = edited(seen, [TileEdit((0, 0), Face("BC-M", 0))], PACK, quad)
    assert [(one.face, one.confidence, one.alternatives) for one in said.tiles] == [
        (Face("BC-M", 0), 1.0, ())
    ]
    score = score_photograph(said, PACK, None)
    assert (score.points, score.hangs_on) == ({"red": 2}, ())
    assert [(one.player, one.points, one.why) for one in score.events] == [("red", 2, "1 tile, 1 pennant")]


def test_a_tile_is_added_and_taken_away() -> None:
    seen = board(tile("BC-D"), meeple("red", "c0"))
    more = edited(seen, [TileEdit((1, 0), Face("BC-E", 0))], PACK, quad)
    assert [one.cell for one in more.tiles] == [(0, 0), (1, 0)]
    none = edited(more, [TileEdit((0, 0), None)], PACK, quad)
    assert [one.cell for one in none.tiles] == [(1, 0)]
    assert none.pieces[0].cell is None
    # The tile comes back, and the piece stands on it again.
    assert edited(none, [TileEdit((0, 0), Face("BC-D", 0))], PACK, quad).pieces[0].feature == "c0"


def test_a_piece_gets_another_colour_and_place() -> None:
    seen = board(tile("BC-D"), meeple("blue", "c0", blue=0.8, black=0.2))
    at = place_of(seen, seen.pieces[0])
    said = edited(seen, [PieceEdit(at, "meeple", "black", "standing", None, "r0")], PACK, quad)
    assert score_photograph(said, PACK, None).points == {"black": 1}
    assert said.pieces[0].color_confidence == 1.0
    assert edited(said, [PieceEdit(at, None)], PACK, quad).pieces == ()


def test_an_other_piece_becomes_a_meeple_by_a_tap_and_scores_only_then() -> None:
    seen = board(tile("BC-D"), meeple("blue", "c0", blue=1.0))
    at = place_of(seen, seen.pieces[0])
    other = edited(seen, [PieceEdit(at, "other", "blue", "lying", (0, 0), "r0")], PACK, quad)
    assert score_photograph(other, PACK, None).points == {}
    said = edited(other, [PieceEdit(at, "meeple", "blue", "standing", None, "r0")], PACK, quad)
    assert score_photograph(said, PACK, None).points == {"blue": 1}


def test_a_piece_that_was_missed_is_put_on_its_feature() -> None:
    said = edited(board(tile("BC-D")), [PieceEdit(None, "meeple", "red", "lying", (0, 0), "f1")], PACK, quad)
    assert [(p.cell, p.feature, p.reading.pose) for p in said.pieces] == [((0, 0), "f1", "lying")]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (TileEdit((0, 0), Face("BC-Z", 0)), "no tile 'BC-Z'"),
        (PieceEdit(None, "meeple", "red", "standing", (5, 5), "c0"), "a known tile"),
        (PieceEdit(None, "meeple", "red", "standing", (0, 0), "c7"), "no feature 'c7'"),
        (PieceEdit(None, "hut", "red", "standing", (0, 0), "c0"), "no such piece"),
    ],
)
def test_an_invalid_correction_is_refused_with_its_reason(edit: TileEdit | PieceEdit, why: str) -> None:
    with pytest.raises(EditError, match=why):
        edited(board(tile("BC-D")), [edit], PACK, quad)


def test_every_doubt_has_the_correction_that_settles_it() -> None:
    piece = meeple("blue", "c0", sure=0.9, blue=0.8, black=0.2)
    missed = meeple("red", "r0", sure=0.4)
    seen = board(tile("BC-N", ("BC-M", 0.3)), piece, unlikely=(missed,))
    for doubt in score_photograph(seen, PACK, None).hangs_on:
        say = dict(doubt.say)
        if "tile" in say:
            edit: TileEdit | PieceEdit = TileEdit((0, 0), Face(say["tile"]["tile"], say["tile"]["rot"]))
        else:
            told = say["piece"]
            at = None if told["number"] is None else place_of(seen, seen.pieces[told["number"]])
            where = {"cell": (0, 0), "feature": told.get("feature")} if told["kind"] else {}
            edit = PieceEdit(at, told["kind"], told.get("color"), told.get("pose", "standing"), **where)
        assert score_photograph(edited(seen, [edit], PACK, quad), PACK, None).points == doubt.points


def test_the_choices_of_a_cell_begin_with_what_the_reader_thought_of() -> None:
    seen = edited(board(tile("BC-N", ("BC-M", 0.3))), [], PACK, quad)
    told = choices_at(seen, (0, 0), PACK)
    assert [(one["tile"], one["probability"]) for one in told[:2]] == [("BC-N", 0.7), ("BC-M", 0.3)]
    # Beside it lies what fits its eastern edge.
    (east,) = {PACK.designs["BC-N"].tile.edges["e"]}
    first = choices_at(seen, (1, 0), PACK)[0]
    assert all(Face(first["tile"], rot) for rot in first["rots"])
    assert first["rots"] and east in PACK.designs[first["tile"]].tile.edges.values()
