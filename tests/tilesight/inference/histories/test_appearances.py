"""Epochs: what counts as one appearance, and what begins another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.pack import load_pack
from engine.tiles.board import Standing
from engine.tiles.foreign import MARK
from engine.tiles.game import GameState
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.histories.appearances import Appearances
from tilesight.inference.histories.look import TableLook, look_of
from tilesight.inference.histories.tile_evidence import TileEvidence
from tilesight.inference.occlusion_history import Prints
from vision.observation import Observation


@pytest.fixture(scope="module")
def start() -> GameState:
    return plain_game(load_pack("savanna"), 2, 1)[0]


def look_at(seen: Observation, start: GameState, number: int) -> TableLook:
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    return look_of(number, seen, lattice, start.players, Prints.of(start.pack), {})


def noted(start: GameState, pictures: Sequence[Observation]) -> Appearances:
    seen = Appearances()
    for number, picture in enumerate(pictures):
        seen.note(look_at(picture, start, number), start.board)
    return seen


def test_a_picture_repeated_600_times_says_what_it_says_three_times(start: GameState) -> None:
    picture = Camera(start, CLEAN, 2).frame(start.board, start.standing)
    few, many = (noted(start, [replace(picture, t_s=0.5 * n) for n in range(k)]) for k in (3, 600))
    for cell in start.board:
        one, other = few.cells[cell].tile, many.cells[cell].tile
        assert one is not None and other is not None
        assert np.array_equal(one.faces, other.faces)
        assert one.log_tile == other.log_tile
    for before, after in zip(few.tracks, many.tracks, strict=True):
        one_piece, other_piece = before.epochs[-1].reading, after.epochs[-1].reading
        assert one_piece.confidence == other_piece.confidence
        assert one_piece.color_probs == other_piece.color_probs


def test_only_what_looks_otherwise_changes_anything(start: GameState) -> None:
    picture = Camera(start, CLEAN, 2).frame(start.board, start.standing)
    seen = Appearances()
    changes = [seen.note(look_at(replace(picture, t_s=float(n)), start, n), start.board) for n in range(6)]
    assert changes == [True, True, True, False, False, False]


def test_a_face_that_later_looks_do_not_know_can_still_be_named(start: GameState) -> None:
    """A tile of another set is seen for a while, and its cell then hidden."""
    picture = Camera(start, CLEAN, 2).frame(start.board, start.standing)
    logs = np.full((len(picture.designs) + 1, 4), -9.0, np.float32)
    logs[-1] = -1.4
    foreign = {cell: replace(reading, log_probs=logs) for cell, reading in picture.cells.items()}
    other = replace(picture, designs=(*picture.designs, MARK), cells=foreign)
    nothing = replace(picture, cells={}, t_s=1.0)
    lattice, seen = fit_lattice(picture, start.board), Appearances()
    assert lattice is not None
    for number, one in enumerate((other, nothing)):
        seen.note(look_of(number, one, lattice, start.players, Prints.of(start.pack), {}), start.board)
    for cell in start.board:
        assert TileEvidence(seen).likely_faces(cell)[0][0] == MARK


def with_meeple(start: GameState, camera: Camera, *, color: str) -> Observation:
    feature = start.board[0, 0].design.tile.features[0].id
    piece = Standing("meeple", color, (0, 0), feature)
    return camera.frame(start.board, (*start.standing, piece))


def test_a_piece_that_is_missed_for_an_instant_is_the_same_piece(start: GameState) -> None:
    camera = Camera(start, CLEAN, 2)
    red = [with_meeple(start, camera, color="red") for _ in range(2)]
    nothing = camera.frame(start.board, start.standing)
    seen = noted(start, [red[0], nothing, red[1]])
    track = next(t for t in seen.tracks if t.epochs[0].reading.kind == "meeple")
    assert len(track.epochs) == 1 and track.now


def test_a_piece_that_went_home_ends_its_epoch(start: GameState) -> None:
    camera = Camera(start, replace(CLEAN, every_s=20.0), 2)
    red, nothing = with_meeple(start, camera, color="red"), camera.frame(start.board, start.standing)
    seen = noted(start, [red, nothing])
    track = next(t for t in seen.tracks if t.epochs[0].reading.kind == "meeple")
    assert (track.epochs[-1].last, track.epochs[-1].gone, track.now) == (0, 1, False)


def test_another_colour_in_the_same_place_is_another_piece(start: GameState) -> None:
    camera = Camera(start, CLEAN, 2)
    pictures = [with_meeple(start, camera, color=color) for color in start.players[:2]]
    track = next(t for t in noted(start, pictures).tracks if t.epochs[0].reading.kind == "meeple")
    assert [epoch.reading.color for epoch in track.epochs] == list(start.players[:2])


def test_a_tile_that_looked_like_bare_table_before_was_laid_just_now(start: GameState) -> None:
    camera = Camera(start, CLEAN, 2)
    bare = camera.frame(start.board, start.standing)
    lattice = fit_lattice(bare, start.board)
    assert lattice is not None
    cell = next(c for c in bare.cells if lattice.cell(c) not in start.board)
    weak, plain = (
        replace(bare, cells={**bare.cells, cell: replace(bare.cells[cell], log_tile=nats)})
        for nats in (1.0, 12.0)
    )
    seen = noted(start, [bare, weak, weak, plain])
    tile = seen.cells[lattice.cell(cell)].tile
    assert tile is not None
    assert (tile.earliest, tile.first) == (1, 3), "between the last look that shows it bare, and now"
