"""Evidence of a picture for and against hypothetical pieces."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.pack import Pack, load_pack
from engine.tiles.board import Standing
from engine.tiles.game import GameState
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.likelihood import PieceScene
from tilesight.inference.params import PARAMS
from tilesight.inference.view import ReadingHistory, view_of
from vision.observation import Observation, PieceReading


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def scene_of(seen: Observation, start: GameState, kinds: set[str]) -> PieceScene:
    """The pieces of one picture of a game's first position."""
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    view = view_of(seen, lattice, start.board, start.players, ReadingHistory())
    return PieceScene(view, start.board, kinds, start.players, start.pack)


@pytest.mark.parametrize(
    ("away", "cost"),
    [(0.2, PARAMS.missed_behind_nats), (0.6, PARAMS.missed_piece_nats)],
)
def test_an_animal_tile_may_lie_unseen_behind_a_meeple(pack: Pack, away: float, cost: float) -> None:
    start, _ = plain_game(pack, 2, 1)
    token = Standing("token", None, (0, 0), corner="se", animal="lion")
    meeple = Standing("meeple", "red", (0, 0), corner="se")
    seen = Camera(start, CLEAN, 2).frame(start.board, (*start.standing, meeple))
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    x, y = lattice.lattice_cell((0, 0))
    on_it = next(piece.lattice_xy for piece in seen.pieces if piece.kind == "meeple")
    step = (x + 0.5 - on_it[0], y + 0.5 - on_it[1])
    share = away / math.hypot(*step)
    at = (on_it[0] + share * step[0], on_it[1] + share * step[1])
    pieces = tuple(replace(p, lattice_xy=at) if p.kind == "meeple" else p for p in seen.pieces)
    scene = scene_of(replace(seen, pieces=pieces), start, {"ranger", "token", "meeple"})
    standing = frozenset(start.standing)
    without = scene.evidence(start.board, standing, None)
    assert without - scene.evidence(start.board, standing | {token}, None) == pytest.approx(cost, abs=0.3)


def test_an_animal_tile_plainly_seen_does_not_speak_for_a_meeple(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    token = Standing("token", None, (0, 0), corner="se", animal="lion")
    meeple = Standing("meeple", "red", (0, 0), corner="se")
    seen = Camera(start, CLEAN, 2).frame(start.board, (*start.standing, token))
    plainly = tuple(replace(piece, confidence=0.99) for piece in seen.pieces)
    scene = scene_of(replace(seen, pieces=plainly), start, {"ranger", "token", "meeple"})
    standing = frozenset(start.standing)
    nothing, somebody, a_lion = (
        scene.evidence(start.board, standing | laid, None) for laid in (set(), {meeple}, {token})
    )
    assert somebody < nothing < a_lion


@pytest.mark.parametrize(("beyond", "told"), [(0.05, True), (0.25, False)])
def test_a_meeple_at_the_very_rim_may_stand_on_the_tile(pack: Pack, beyond: float, told: bool) -> None:
    start, _ = plain_game(pack, 2, 1)
    nearest = (min(x for x, _ in start.board), 0)
    seen = Camera(start, CLEAN, 2).frame(start.board, start.standing)
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    x, y = lattice.lattice_cell(nearest)
    x2, y2 = lattice.lattice_cell((nearest[0] - 1, nearest[1]))
    away = 0.5 + beyond
    at = (x + 0.5 + away * (x2 - x), y + 0.5 + away * (y2 - y))
    somebody = PieceReading("meeple", start.players[0], "standing", (0.0, 0.0), at, 0.95)
    without, with_somebody = (
        scene_of(replace(seen, pieces=pieces), start, {"ranger", "meeple"}).evidence(
            start.board, frozenset(start.standing), None
        )
        for pieces in (seen.pieces, (*seen.pieces, somebody))
    )
    assert (with_somebody < without - 1.0) == told


def test_a_faint_reading_beside_its_spot_still_supports_a_piece_after_many_looks(pack: Pack) -> None:
    start, _ = plain_game(pack, 2, 1)
    feature = start.board[0, 0].design.tile.features[0].id
    meeple = Standing("meeple", "red", (0, 0), feature=feature)
    camera, known = Camera(start, CLEAN, 2), ReadingHistory()
    standing = frozenset(start.standing)
    gains = []
    for _ in range(6):
        seen = camera.frame(start.board, (*start.standing, meeple))
        faint = tuple(
            replace(piece, confidence=0.1, lattice_xy=(piece.lattice_xy[0] + 0.12, piece.lattice_xy[1]))
            for piece in seen.pieces
            if piece.kind == "meeple"
        )
        seen = replace(seen, pieces=tuple(p for p in seen.pieces if p.kind != "meeple"), hints=faint)
        lattice = fit_lattice(seen, start.board)
        assert lattice is not None
        view = view_of(seen, lattice, start.board, start.players, known)
        scene = PieceScene(view, start.board, {"ranger", "meeple"}, start.players, start.pack)
        without, with_it = (scene.evidence(start.board, standing | laid, None) for laid in (set(), {meeple}))
        gains.append(with_it - without)
        known.note(view, (), start.board)
    assert min(gains) > 0, "or waiting alone would unsay it"
    assert gains[-1] < 0.3 * gains[0]
