"""Outcomes: whether two stories leave the same table and points, so that none need tell them apart."""

from __future__ import annotations

from collections.abc import Mapping

from engine.game import GameError, IllegalTurn
from engine.tiles.game import GameState
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
                state = _applied(state, moves[number])
            self._played[moves[: number + 1]] = state
        return state


def _applied(state: GameState, move: Move) -> GameState | None:
    """Return the position after a move; None if the rules forbid it."""
    try:
        return state.apply(move.by(state.player)).state
    except (IllegalTurn, GameError):
        return None


def _tiles(state: GameState) -> dict[tuple[int, int], tuple[str, int]]:
    """Return the face on each cell."""
    return {cell: (laid.design.id, laid.rot) for cell, laid in state.board.items()}
