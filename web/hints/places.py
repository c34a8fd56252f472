"""Tiles left with the chance of each, and the places of a tile by the points that it gains at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.geometry import Cell
from engine.tiles.game import GameState
from engine.tiles.turn import Turn

PLACES_AT_MOST = 12
"""Number of places that are told at most, the best first."""
TURNS_A_PLACEMENT = 60
"""Number of turns of one placement that are tried at most, the plainest first."""
TURNS_AT_MOST = 4000
"""Number of turns that are tried for one tile: about half a second of one core."""


@dataclass(frozen=True)
class Left:
    """A design of which tiles are left: their number, and the probability that the next tile is one."""

    tile: str
    left: int
    chance: float


@dataclass(frozen=True)
class Best:
    """The best turn on a cell, and the points that its player gains at once."""

    turn: Turn
    points: int


@dataclass(frozen=True)
class Places:
    """The cells on which a tile may be laid: their number, and those on which its player gains points at
    once, most points first."""

    tile: str
    player: str
    fits: int
    best: tuple[Best, ...]


def tiles_left(state: GameState) -> tuple[Left, ...]:
    """The designs from which the next tile is drawn, those of which most are left first."""
    whole = sum(state.bag.values())
    by_number = sorted(state.bag.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Left(tile, number, number / whole) for tile, number in by_number if number)


def best_places(state: GameState, tile: str) -> Places:
    """The places of a tile that is left, by the points of the turn alone: what a feature may still bring
    counts nothing, nor do animal tiles that players might add from their hands. GameError where the game has
    no such tile."""
    placements = state.placements(tile)
    found: dict[Cell, Best] = {}
    for turn in islice(_turns(state, tile, placements), TURNS_AT_MOST):
        points = sum(event.points for event in state.apply(turn).events if event.player == state.player)
        if points > 0 and (turn.cell not in found or points > found[turn.cell].points):
            found[turn.cell] = Best(turn, points)
    best = sorted(found.values(), key=lambda one: -one.points)
    return Places(tile, state.player, len({cell for cell, _ in placements}), tuple(best[:PLACES_AT_MOST]))


def _turns(state: GameState, tile: str, placements: tuple[tuple[Cell, int], ...]) -> Iterator[Turn]:
    """The turns that are tried, without animal tiles."""
    for cell, rot in placements:
        turns = state.turns_for(tile, cell, rot, corners=())
        plain = (turn for turn in turns if all(put.animal is None for put in turn.puts))
        yield from islice(plain, TURNS_A_PLACEMENT)
