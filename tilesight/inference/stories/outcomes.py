"""Outcomes: whether two stories or turns leave the same table and points, so none need tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from engine.game import GameError, IllegalTurn
from engine.geometry import EDGES, turned_edge
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.stories.moves import Move, Moves
from tilesight.inference.stories.story import Story

KEPT = 4000
"""Number of positions with points that are kept."""


class Outcomes:
    """Compares the ends of stories of one game."""

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self._played: dict[tuple[Move, ...], GameState | None] = {}

    def same(self, one: Story, other: Story) -> bool:
        """Whether two stories end with the same tiles, pieces, supplies, player to move, and points."""
        a, b = (story.end(self._moves.root).state for story in (one, other))
        if a.player != b.player or _tiles(a) != _tiles(b) or set(a.standing) != set(b.standing):
            return False
        scored = [self._scored(story.moves) for story in (one, other)]
        return None not in scored and len({tuple(sorted(scores.items())) for scores in scored if scores}) == 1

    def final(self, moves: tuple[Move, ...]) -> Mapping[str, int] | None:
        """Return the final scores if the game ends after some moves; None if the rules forbid one of them."""
        state = self._state(moves)
        return None if state is None else state.final().scores

    def _scored(self, moves: tuple[Move, ...]) -> Mapping[str, int] | None:
        """Return the points after some moves; None if the rules forbid one of them."""
        state = self._state(moves)
        return None if state is None else state.scores

    def _state(self, moves: tuple[Move, ...]) -> GameState | None:
        """Return the position after some moves, with points; None if the rules forbid one of them."""
        if len(self._played) > KEPT:
            self._played = {}
        known = len(moves)
        while known and moves[:known] not in self._played:
            known -= 1
        state = self._played.get(moves[:known]) if known else self._moves.root.state
        for number in range(known, len(moves)):
            if state is not None:
                state = _applied(state, moves[number].by(state.player))
            self._played[moves[: number + 1]] = state
        return state


def table_after(state: GameState, turn: Turn) -> Hashable:
    """Return the table after a turn, legal or not; it is equal for turns with the same outcome by the rules.

    A face is its sides and what is printed on them, not its name. A piece is on a feature, at whatever spot.
    """
    played = _applied(state, turn)
    after = state.forced(turn)[0].state if played is None else played
    faces = {cell: _printed(laid) for cell, laid in after.board.items()}
    held = Counter(
        (spot.kind, frozenset((cell, faces[cell].get(name, name)) for cell, name in spot.of.places), color)
        for spot in after.spots()
        for color, number in spot.meeples.items()
        for _ in range(number)
    )
    others = Counter(
        (piece.kind, piece.cell, piece.corner, piece.animal)
        for piece in after.standing
        if piece.color is None
    )
    return (
        after.player,
        frozenset((cell, frozenset(face.values())) for cell, face in faces.items()),
        frozenset(held.items()),
        frozenset(others.items()),
        tuple(sorted(after.scores.items())),
        tuple(sorted(after.hands.items())),
    )


def _printed(laid: Laid) -> Mapping[str, Hashable]:
    """Return each feature of a laid tile by id: its kind, its sides on the board, what is printed on it."""
    tile = laid.design.tile
    sides: dict[str, set[tuple[str, int]]] = {feature.id: set() for feature in tile.features}
    for edge in EDGES:
        for slot, name in enumerate(tile.sides[edge]):
            sides[name].add((turned_edge(edge, laid.rot), slot))
    kinds = {feature.id: (feature.kind, frozenset(sides[feature.id])) for feature in tile.features}

    def named(value: Any) -> Hashable:
        """Return what a feature's description says, with the ids of other features replaced."""
        if isinstance(value, list | tuple):
            return frozenset(map(named, value))
        return kinds.get(value, value) if isinstance(value, str) else repr(value)

    return {
        feature.id: (
            *kinds[feature.id],
            feature.birds,
            tuple(sorted(laid.design.animals.get(feature.id, ()))),
            frozenset((key, named(value)) for key, value in feature.extra.items()),
        )
        for feature in tile.features
    }


def _applied(state: GameState, turn: Turn) -> GameState | None:
    """Return the position after a turn; None if the rules forbid it."""
    try:
        return state.apply(turn).state
    except (IllegalTurn, GameError):
        return None


def _tiles(state: GameState) -> dict[tuple[int, int], tuple[str, int]]:
    """Return the face on each cell."""
    return {cell: (laid.design.id, laid.rot) for cell, laid in state.board.items()}
