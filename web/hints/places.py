"""Computation of hints: chances of the remaining tiles, and the places where a tile scores at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.geometry import Cell
from engine.tiles.game import GameState
from engine.tiles.turn import Turn

PLACES_AT_MOST = 12
"""Maximum number of places in a hint."""
TURNS_A_PLACEMENT = 60
"""Maximum number of turns that are tried per placement, the simplest first."""
TURNS_AT_MOST = 4000
"""Maximum number of turns that are tried for one tile: about half a second of one core."""


@dataclass(frozen=True)
class TileOdds:
    """A design with remaining tiles: their number, and the probability that the next tile is one of them."""

    tile: str
    left: int
    chance: float


@dataclass(frozen=True)
class BestTurn:
    """The best turn on a cell, and the points that its player gains at once."""

    turn: Turn
    points: int


@dataclass(frozen=True)
class TilePlaces:
    """The places for a tile.

    ``fits`` counts the cells where it may be laid. ``best`` has those where the player gains points at once,
    most points first.
    """

    tile: str
    player: str
    fits: int
    best: tuple[BestTurn, ...]


def tiles_left(state: GameState) -> tuple[TileOdds, ...]:
    """Return the designs from which the next tile is drawn, those with most remaining tiles first."""
    whole = sum(state.bag.values())
    by_number = sorted(state.bag.items(), key=lambda item: (-item[1], item[0]))
    return tuple(TileOdds(tile, number, number / whole) for tile, number in by_number if number)


def best_places(state: GameState, tile: str) -> TilePlaces:
    """Return the places for a tile, ranked by the points that the turn itself scores.

    Future points and animal tiles from hands do not count. Raises GameError if the game has no such tile.
    """
    placements = state.placements(tile)
    found: dict[Cell, BestTurn] = {}
    for turn in islice(_turns(state, tile, placements), TURNS_AT_MOST):
        points = sum(event.points for event in state.apply(turn).events if event.player == state.player)
        if points > 0 and (turn.cell not in found or points > found[turn.cell].points):
            found[turn.cell] = BestTurn(turn, points)
    best = sorted(found.values(), key=lambda one: -one.points)
    return TilePlaces(tile, state.player, len({cell for cell, _ in placements}), tuple(best[:PLACES_AT_MOST]))


def _turns(state: GameState, tile: str, placements: tuple[tuple[Cell, int], ...]) -> Iterator[Turn]:
    """Yield the turns to try, without animal tiles."""
    for cell, rot in placements:
        turns = state.turns_for(tile, cell, rot, corners=())
        plain = (turn for turn in turns if all(put.animal is None for put in turn.puts))
        yield from islice(plain, TURNS_A_PLACEMENT)
