"""The fast listing of legal turns against a slow one that checks every cell, edge and feature."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.games import tile_game_named
from engine.geometry import EDGES, OPPOSITE, ROTS, Cell, neighbour, turned_edge
from engine.pack import Design, load_pack
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from tests.engine.carcassonne.flood import Map
from tests.engine.symmetry import steps
from tilesight.simulation.tile_games import random_game

few = settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
GAMES = ("safari", "hunters-gatherers", "carcassonne")


def on_edges(laid: Laid) -> dict[str, str]:
    """Landscapes on the board's edges, from the tile's own."""
    return {turned_edge(edge, laid.rot): kind for edge, kind in laid.design.tile.edges.items()}


def slow_placements(board: Mapping[Cell, Laid], design: Design) -> set[tuple[Cell, int]]:
    """Every empty cell beside a tile, with every turn that meets all tiles around it."""
    free = {neighbour(cell, edge) for cell in board for edge in EDGES} - board.keys()
    found = set()
    for cell in free:
        for rot in ROTS:
            mine = on_edges(Laid(design, rot))
            around = ((edge, board.get(neighbour(cell, edge))) for edge in EDGES)
            if all(laid is None or on_edges(laid)[OPPOSITE[edge]] == mine[edge] for edge, laid in around):
                found.add((cell, rot))
    return found


def slow_regions(state: GameState) -> set[frozenset[tuple[Cell, str]]]:
    """Every unfinished feature that reaches an edge, as its places."""
    flood = Map(state.board)
    return {flood.whole(node) for node in flood.open}


@pytest.mark.parametrize("game", GAMES)
@few
@given(seed=st.integers(0, 10_000))
def test_placements_and_regions_are_those_of_the_slow_listing(game: str, seed: int) -> None:
    pack = load_pack(tile_game_named(game).default_pack)
    record = random_game(pack, 2, seed, turns=24)
    for number, (_, step) in enumerate(steps(record, pack)):
        if number % 4:
            continue
        state = step.state
        for name in list(state.bag)[:8]:
            listed = state.placements(name)
            assert len(set(listed)) == len(listed)
            assert set(listed) == slow_placements(state.board, pack.designs[name])
        regions = {frozenset(region.places) for region in state.landscape.regions}
        assert regions == slow_regions(state)
