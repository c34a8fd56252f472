"""One picture in the game's frame, with knowledge from earlier pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.geometry import Cell, Point, cell_of
from engine.pack import Pack, load_pack
from engine.tiles.board import Standing
from engine.tiles.pieces import Pose
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.view import ReadingHistory, view_of


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def test_an_animal_tile_that_is_read_alike_counts_less_with_every_look(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    camera = Camera(start, CLEAN, 2)
    token = Standing("token", None, (0, 0), corner="se", animal="lion")
    known = ReadingHistory()
    novelty = []
    for _ in range(3):
        observation = camera.frame(start.board, (*start.standing, token))
        lattice = fit_lattice(observation, start.board)
        assert lattice is not None
        view = view_of(observation, lattice, start.board, start.players, known)
        novelty.append(next(seen.novelty for seen in view.pieces if seen.reading.kind == "token"))
        known.note(view, (), start.board)
    assert novelty == [1.0, 0.5, pytest.approx(1 / 3)]


def test_a_meeple_read_alike_look_after_look_says_less_of_what_it_is_once_its_tile_is_supposed(
    pack: Pack,
) -> None:
    start, _ = plain_game(pack, 2, 1)
    camera, known = Camera(start, CLEAN, 2), ReadingHistory()
    feature = start.board[0, 0].design.tile.features[0].id
    novelty = []
    poses: tuple[Pose, ...] = ("standing", "standing", "standing", "standing", "lying")
    for look, pose in enumerate(poses):
        meeple = Standing("meeple", start.players[0], (0, 0), feature, pose=pose)
        observation = camera.frame(start.board, (*start.standing, meeple))
        lattice = fit_lattice(observation, start.board)
        assert lattice is not None
        view = view_of(observation, lattice, start.board, start.players, known)
        novelty.append(next(seen.novelty for seen in view.pieces if seen.reading.kind == "meeple"))
        known.note(view, (), start.board if look else ())
    assert novelty == [1.0, 1.0, 0.5, pytest.approx(1 / 3), 1.0]


def test_a_stray_ranger_reading_counts_less_the_longer_it_lasts(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    camera = Camera(start, CLEAN, 2)
    stray = Standing("ranger", "white", (0, 1))
    true = frozenset(piece.cell for piece in start.standing if piece.kind == "ranger")
    known = ReadingHistory(outside=true)
    novelty: dict[Cell, list[float]] = {}
    for t_s in (0.0, 4.0, 40.0):
        observation = replace(camera.frame(start.board, (*start.standing, stray)), t_s=t_s)
        pieces = tuple(replace(piece, since_s=0.0) for piece in observation.pieces)
        observation = replace(observation, pieces=pieces)
        lattice = fit_lattice(observation, start.board)
        assert lattice is not None
        view = view_of(observation, lattice, start.board, start.players, known)
        for seen in view.pieces:
            if seen.reading.kind == "ranger":
                novelty.setdefault(cell_of(seen.xy), []).append(seen.novelty)
        known.note(view, true, start.board)
    assert novelty.pop((0, 1)) == [1.0, 0.5, pytest.approx(1 / 11)]
    assert novelty and all(set(counts) == {1.0} for counts in novelty.values()), "true ones count as ever"


@pytest.mark.parametrize(
    ("since_s", "settled_s", "settled", "seen"),
    [
        (3.0, 10.0, (), False),  # it was there before, and was none
        (12.0, 10.0, (), True),  # it came since
        (3.0, 10.0, (((0.8, 0.8), 0.3),), True),  # it was there before, and is one
        (None, 10.0, (), True),  # nobody watched
        (3.0, -math.inf, (), True),  # nothing is settled
    ],
)
def test_an_animal_tile_reading_older_than_a_board_settled_without_it_is_left_out(
    pack: Pack,
    since_s: float | None,
    settled_s: float,
    settled: tuple[tuple[Point, float], ...],
    seen: bool,
) -> None:
    start, _ = plain_game(pack, 2, 1)
    token = Standing("token", None, (0, 0), corner="se", animal="lion")
    observation = Camera(start, CLEAN, 2).frame(start.board, (*start.standing, token))
    pieces = tuple(replace(piece, since_s=since_s) for piece in observation.pieces)
    observation = replace(observation, pieces=pieces, t_s=20.0)
    lattice = fit_lattice(observation, start.board)
    assert lattice is not None
    known = ReadingHistory(settled_tokens=settled, settled_s=settled_s)
    view = view_of(observation, lattice, start.board, start.players, known)
    assert any(one.reading.kind == "token" for one in view.pieces) is seen


def test_a_ranger_that_was_there_when_a_turn_ended_without_it_says_nothing(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    stray = Standing("ranger", "white", (0, 1))
    observation = Camera(start, CLEAN, 2).frame(start.board, (*start.standing, stray))
    pieces = tuple(replace(piece, since_s=1.0) for piece in observation.pieces)
    observation = replace(observation, pieces=pieces, t_s=20.0)
    lattice = fit_lattice(observation, start.board)
    assert lattice is not None
    true = frozenset(piece.cell for piece in start.standing if piece.kind == "ranger")
    known = ReadingHistory(outside=true | {(0, 1)}, settled_outside=true, settled_s=9.0)
    view = view_of(observation, lattice, start.board, start.players, known)
    novelty = {cell_of(one.xy): one.novelty for one in view.pieces if one.reading.kind == "ranger"}
    assert novelty == dict.fromkeys(true, 1.0) | {(0, 1): 0.0}


@pytest.mark.parametrize(
    ("since_s", "settled", "seen"),
    [
        (12.0, (), True),  # it came since a turn ended without it
        (3.0, (), False),  # it was there before, and was none
        (3.0, (((0.5, 0.5), 0.6),), True),  # it was there before, and is one
    ],
)
def test_a_meeple_that_is_hardly_seen_counts_unless_it_looked_so_before(
    pack: Pack, since_s: float, settled: tuple[tuple[Point, float], ...], seen: bool
) -> None:
    start, _ = plain_game(pack, 2, 1)
    cell = (0, 0)
    meeple = Standing("meeple", "red", cell, feature=start.board[cell].design.tile.features[0].id)
    observation = Camera(start, CLEAN, 2).frame(start.board, (meeple,))
    hints = tuple(replace(piece, since_s=since_s, confidence=0.1) for piece in observation.pieces)
    observation = replace(observation, pieces=(), hints=hints, t_s=20.0)
    lattice = fit_lattice(observation, start.board)
    assert lattice is not None
    known = ReadingHistory(settled_owned=settled, settled_s=10.0)
    view = view_of(observation, lattice, start.board, start.players, known)
    assert [one.reading.kind for one in view.pieces] == ["meeple"] * seen
    assert all(one.unexplained_cost > 1.0 for one in view.pieces)


def test_an_object_that_covers_a_tile_for_long_is_no_hand(pack: Pack) -> None:
    start, _ = plain_game(pack, 0, 1)
    camera = Camera(start, CLEAN, 0)
    cell = next(iter(start.board))
    known = ReadingHistory()
    busy = []
    for t_s, covered in ((0.0, 0.0), (0.4, 0.8), (0.8, 0.8), (3.8, 0.8), (4.2, 0.8)):
        o = replace(camera.frame(start.board, ()), t_s=t_s)
        lattice = fit_lattice(o, start.board)
        assert lattice is not None
        at = lattice.lattice_cell(cell)
        o = replace(o, cells={**o.cells, at: replace(o.cells[at], covered=covered)})
        busy.append(view_of(o, lattice, start.board, start.players, known).busy)
    assert busy == [False, True, True, True, False]


def test_print_covered_by_a_new_piece_is_no_hand(pack: Pack) -> None:
    start, _ = plain_game(pack, 0, 1)
    camera = Camera(start, CLEAN, 0)
    cell = next(iter(start.board))
    token = Standing("token", None, cell, corner="nw", animal="lion", pose="lying")
    hides = 0.4

    def seen(standing: Sequence[Standing], known: ReadingHistory) -> bool:
        lattice = fit_lattice(o := camera.frame(start.board, standing), start.board)
        assert lattice is not None
        at = lattice.lattice_cell(cell)
        o = replace(o, cells={**o.cells, at: replace(o.cells[at], covered=hides if known.looks else 0.0)})
        view = view_of(o, lattice, start.board, start.players, known)
        known.note(view, (), start.board)
        return view.busy

    for laid, busy in (((token,), False), ((), True)):
        known = ReadingHistory()
        assert not seen((), known)
        assert seen(laid, known) is busy


def test_an_animal_tile_beside_a_meeple_is_not_that_meeple(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    token = Standing("token", None, (0, 0), corner="se", animal="lion")
    seen = Camera(start, CLEAN, 2).frame(start.board, (*start.standing, token))
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    view = view_of(seen, lattice, start.board, start.players, ReadingHistory())
    (at,) = (piece.xy for piece in view.pieces if piece.reading.kind == "token")
    nearer = frozenset({(at[0] + 0.001, at[1])})
    corner = ((0, 0), "se")
    assert corner in view.signs.token_corners(pack, frozenset(), nearer), "a meeple stands there"
    assert corner not in view.signs.token_corners(pack, nearer, nearer), "it lay there before"


@pytest.mark.parametrize(("unsettled", "busy"), [(4.0, False), (30.0, True)])
def test_hands_beside_the_board_are_hands(pack: Pack, unsettled: float, busy: bool) -> None:
    start, _ = plain_game(pack, 2, 1)
    seen = replace(Camera(start, CLEAN, 2).frame(start.board, start.standing), unsettled=unsettled)
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    assert view_of(seen, lattice, start.board, start.players, ReadingHistory()).busy == busy


@pytest.mark.parametrize(("confidence", "fades"), [(0.1, True), (0.95, False)])
def test_a_faint_reading_counts_less_with_every_look(pack: Pack, confidence: float, fades: bool) -> None:
    start, _ = plain_game(pack, 2, 1)
    meeple = Standing("meeple", "red", (0, 0), feature=start.board[0, 0].design.tile.features[0].id)
    camera, known = Camera(start, CLEAN, 2), ReadingHistory()
    costs = []
    for _ in range(3):
        observation = camera.frame(start.board, (meeple,))
        pieces = tuple(replace(piece, confidence=confidence) for piece in observation.pieces)
        observation = replace(observation, pieces=(), hints=pieces)
        lattice = fit_lattice(observation, start.board)
        assert lattice is not None
        view = view_of(observation, lattice, start.board, start.players, known)
        (seen,) = view.pieces
        costs.append(seen.unexplained_cost)
        known.note(view, (), start.board)
    assert costs == pytest.approx([costs[0] / n for n in (1, 2, 3)] if fades else [costs[0]] * 3)
