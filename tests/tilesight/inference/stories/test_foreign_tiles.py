"""Tiles of another set: laid as unknown, described by players, and play continues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import EDGES, Cell
from engine.pack import load_pack
from engine.tile import Tile
from engine.tiles.foreign import MARK, Foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Observation

STRANGE = 3
"""Turn, from 0, whose tile is of another set."""


def strange(seen: Observation, cell: Cell) -> Observation:
    """The observation in which the tile at a cell looks like no face of the pack."""
    reading = seen.cells[cell]
    none = np.full_like(reading.log_probs, -np.log(reading.log_probs.size))
    unlike = replace(reading, log_probs=none, log_tile=-5.0, covered=0.8)
    return replace(seen, cells={**seen.cells, cell: unlike}, unknown={cell: 0.9})


@pytest.fixture
def game() -> tuple[GameState, list[Turn], list[tuple[int, Observation]]]:
    """Eight turns without pieces, one of them with a tile of another set, and their observations."""
    pack = load_pack("bastide")
    record = random_game(pack, 2, 5, turns=8, style=Style(allow=()))
    start, turns = start_of(record, pack), list(record.turns)
    cell = turns[STRANGE].cell
    seen = [
        (done, strange(observation, cell) if done > STRANGE else observation)
        for done, observation in film(start, turns, replace(CLEAN, frames=24), 1)
    ]
    return start, turns, seen


def test_a_tile_that_no_face_explains_is_laid_in_a_turn(
    game: tuple[GameState, list[Turn], list[tuple[int, Observation]]],
) -> None:
    start, turns, seen = game
    tracker = StoryTracker(start)
    for _, observation in seen:
        understood = tracker.see(observation)
        assert understood.unclear is None
    turns[STRANGE] = replace(turns[STRANGE], tile=MARK, rot=0)
    assert [told.turn for told in tracker.finish().turns] == turns


def test_a_thing_that_soon_goes_away_is_no_tile(
    game: tuple[GameState, list[Turn], list[tuple[int, Observation]]],
) -> None:
    start, turns, seen = game
    tracker = StoryTracker(start)
    first = [strange(observation, turns[STRANGE].cell) for done, observation in seen if done == STRANGE + 1]
    calm = [observation for done, observation in seen if done == STRANGE]
    before = [observation for done, observation in seen if done < STRANGE]
    for observation in (*before, *calm, *first[:3], *later(calm, first)):
        understood = tracker.see(observation)
    assert [told.turn for told in understood.turns] == turns[:STRANGE]


def later(calm: list[Observation], after: list[Observation]) -> Iterator[Observation]:
    """The same pictures once more, at later times."""
    for number, observation in enumerate(calm):
        yield replace(observation, t_s=after[2].t_s + 1 + number / 2)


def test_the_game_goes_on_with_what_people_say_of_it(
    game: tuple[GameState, list[Turn], list[tuple[int, Observation]]],
) -> None:
    start, turns, seen = game
    tracker = StoryTracker(start)
    for _, observation in (one for one in seen if one[0] <= STRANGE + 1):
        understood = tracker.see(observation)
    assert understood.turns[-1].turn.tile == MARK
    n, e, s, w = around(start.pack.designs[turns[STRANGE].tile].tile, turns[STRANGE].rot)
    turns[STRANGE] = replace(turns[STRANGE], tile=Foreign((n, e, s, w)).name, rot=0)
    tracker.fix(turns[: STRANGE + 1])
    for _, observation in (one for one in seen if one[0] > STRANGE + 1):
        assert not tracker.see(observation).busy
    assert [told.turn for told in tracker.finish().turns] == turns


def around(tile: Tile, rot: int) -> list[str]:
    """The landscapes of a tile's edges as it lies."""
    return [tile.edges[EDGES[(i - rot // 90) % 4]] for i in range(4)]
