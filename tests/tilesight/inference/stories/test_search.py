"""Search over stories: changes conserve the tiles, people's pins hold, and no probability is made up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.params import QUESTIONS, SEARCH
from tilesight.inference.stories.moves import Moves
from tilesight.inference.stories.search import Search
from tilesight.inference.stories.story import Scales
from tilesight.simulation.tile_games import Style, random_game

RARE = replace(CLEAN, frames=1, hand=0.0, every_s=20.0)


def game_of(pack_id: str, seed: int, turns: int) -> tuple[GameState, tuple[Turn, ...]]:
    pack = load_pack(pack_id)
    record = random_game(pack, 2, seed, turns=turns, style=Style(idle=0.3))
    return start_of(record, pack), tuple(turn.seen for turn in record.turns)


def searched(start: GameState, turns: Sequence[Turn], seed: int, every: int = 1) -> Search:
    search, lattice = Search(start), None
    for _, seen in list(film(start, turns, RARE, seed))[::every]:
        lattice = fit_lattice(seen, search.board, lattice)
        if lattice is not None:
            search.see(seen, lattice)
    return search


@pytest.mark.parametrize("pack_id", ["bastide", "taiga", "savanna"])
def test_every_story_of_the_pool_lays_each_cell_once_and_no_more_tiles_than_there_are(pack_id: str) -> None:
    start, turns = game_of(pack_id, 4, 9)
    search = searched(start, turns, 4)
    bag = Counter({name: n for stack in start.stacks for name, n in stack.items()})
    for story in search._pool.stories.values():
        cells = [move.cell for move in story.moves]
        assert len(set(cells)) == len(cells)
        surplus = Counter(move.tile for move in story.moves) - bag
        assert not surplus or story.score < search.best.score


@pytest.mark.parametrize("pack_id", ["bastide", "taiga", "savanna"])
def test_a_story_hardly_scores_more_than_the_turns_that_differ_allow(pack_id: str) -> None:
    start, turns = game_of(pack_id, 9, 8)
    search = searched(start, turns, 9, every=2)
    best, scales, compared = search.best, search._scales, 0
    for story in search._pool.stories.values():
        if story is not best and [m.cell for m in story.moves] == [m.cell for m in best.moves]:
            assert scales.most(story.moves, best) > story.score - 2.0
            compared += 1
    assert compared
    assert scales.most(best.moves[:-1], best) == math.inf


@pytest.mark.parametrize("pack_id", ["bastide", "taiga", "savanna"])
def test_stories_that_are_not_weighed_make_no_difference(
    pack_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, turns = game_of(pack_id, 5, 8)
    search = searched(start, turns, 5, every=2)
    monkeypatch.setattr(Scales, "most", lambda *_: math.inf)
    every = searched(start, turns, 5, every=2)
    assert search.weighed < 0.9 * every.weighed
    assert search.best.score == pytest.approx(every.best.score)
    assert [one.turn for one in search.turns] == [one.turn for one in every.turns]
    assert [one.sure for one in search.turns] == pytest.approx([one.sure for one in every.turns], abs=0.005)


@pytest.mark.parametrize(("pack_id", "seed"), [("bastide", 11), ("savanna", 9), ("taiga", 4)])
@pytest.mark.parametrize("log_tile", [1.7, 2.5, 12.0])
def test_the_final_scores_have_a_probability_although_the_last_tile_is_faint(
    pack_id: str, seed: int, log_tile: float
) -> None:
    start, turns = game_of(pack_id, seed, 6)
    search, lattice, last = Search(start), None, turns[-1].cell
    for done, seen in film(start, turns, RARE, seed):
        if done in (2, 4):
            continue
        lattice = fit_lattice(seen, search.board, lattice) or lattice
        assert lattice is not None
        at = lattice.lattice_cell(last)
        if done == len(turns) and at in seen.cells:
            faint = replace(seen.cells[at], log_tile=log_tile)
            seen = replace(seen, cells={**seen.cells, at: faint})
        search.see(seen, lattice)
    sure = search.finish()
    assert sure is not None and 0.0 < sure < 1.0


def test_nothing_is_told_of_the_final_scores_without_a_picture() -> None:
    start, _ = game_of("bastide", 4, 1)
    assert Search(start).finish() is None


def test_turns_can_be_sure_enough_to_settle() -> None:
    assert 1.0 / (1.0 + SEARCH.rest + SEARCH.rest_outside) > QUESTIONS.settled_sure


@pytest.mark.parametrize("pack_id", ["bastide", "taiga", "savanna"])
def test_what_stories_share_is_weighed_alike_from_scratch(pack_id: str) -> None:
    start, turns = game_of(pack_id, 6, 8)
    search = searched(start, turns, 6)
    for story in list(search._pool.stories.values())[:6]:
        again = search._scales.weigh(story.moves)
        assert again.score == pytest.approx(story.score, abs=1e-6)
        assert again.looks == story.looks


def test_a_pinned_turn_stays_though_the_pictures_say_otherwise() -> None:
    start, turns = game_of("bastide", 5, 6)
    search = searched(start, turns, 5)
    other = next(
        turn
        for turn in start.turns_for(turns[0].tile, turns[0].cell, turns[0].rot)
        if turn.action != turns[0].action
    )
    search.pin([other])
    assert search.turns[0].turn == other
    assert search.turns[0].sure == 1.0
    search.finish()
    assert search.turns[0].turn == other
    assert {one.turn.cell for one in search.turns} == {turn.cell for turn in turns}


def test_a_tile_that_people_say_lies_elsewhere_lays_no_other_turn() -> None:
    start, turns = game_of("bastide", 8, 1)
    search = searched(start, turns, 8)
    elsewhere = next(
        Turn(start.player, turns[0].tile, cell, rot)
        for cell, rot in start.placements(turns[0].tile)
        if cell != turns[0].cell
    )
    search.pin([elsewhere])
    assert [one.turn for one in search.turns] == [elsewhere]


def test_an_illegal_turn_that_a_table_accepted_is_part_of_the_story() -> None:
    """The second tile lies on an edge that does not match; the game goes on around it."""
    start, turns = game_of("bastide", 11, 5)
    state = start.apply(turns[0]).state
    bare = replace(turns[1], action=None, parts=())
    wrong = next(
        replace(bare, rot=rot)
        for rot in (0, 90, 180, 270)
        if "edge_mismatch" in {fault.code for fault in state.faults(replace(bare, rot=rot))}
    )
    moves = Moves(start)
    position = moves.after(moves.after(moves.root, moves.of(turns[0])), moves.of(wrong))
    assert "edge_mismatch" in position.faults
    assert position.state.board[wrong.cell].rot == wrong.rot
    assert position.prior < -8.0


def test_positions_that_no_story_needs_are_forgotten() -> None:
    start, turns = game_of("bastide", 2, 6)
    moves = Moves(start)
    told = [moves.of(turn) for turn in turns]
    position = moves.root
    for move in told:
        moves.after(position, moves.move(move.cell, move.tile, move.rot))
        position = moves.after(position, move)
    moves.prune([told])
    assert moves.played == len(told)
    position = moves.root
    for move in told:
        assert list(position.after) == [move]
        position = position.after[move]


def test_the_truth_is_never_impossible() -> None:
    """Whatever is missed or misread, the true story has a finite score near the best one."""
    start, turns = game_of("taiga", 9, 10)
    noisy = replace(CLEAN, frames=2, missed=0.2, phantom=0.2, wrong_color=0.1, twin_gap_nats=2.0)
    search, lattice = Search(start), None
    for _, seen in film(start, turns, noisy, 9):
        lattice = fit_lattice(seen, search.board, lattice)
        if lattice is not None:
            search.see(seen, lattice)
    truth = search._scales.weigh(tuple(search._moves.of(turn) for turn in turns))
    assert truth.score > search.best.score - 25.0
