"""Search for the turns on a board of squares that explain the pawns' present squares."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from engine.squares_game import Figure, SquareGame, SquarePlayed, SquarePosition
from tilesight.inference.squares.params import PARAMS
from tilesight.inference.squares.sightings import Where


def where_is(figure: Figure) -> Where:
    """A figure's square, and the edge that it looks to."""
    return (figure.square, figure.facing)


def places(state: SquarePosition, kind: str) -> dict[str, Where]:
    """Squares of the figures of a kind in a position, by name."""
    return {figure.name: where_is(figure) for figure in state.figures if figure.kind == kind}


def carried_out(step: SquarePlayed, walkers: Mapping[str, Where]) -> bool:
    """Whether the table shows most of what figures had to do after a turn; ``walkers`` are those seen
    steadily, by name."""
    done = [errand for errand in step.errands if walkers.get(errand.after.name) == where_is(errand.after)]
    return bool(step.errands) and len(done) > len(step.errands) // 2


def fewest_turns(
    game: SquareGame,
    state: SquarePosition,
    moved: Mapping[str, Where],
    walkers: Mapping[str, Where],
    not_these: Collection[Any],
) -> list[Any] | None:
    """The fewest legal turns that put the pawns where they stand (``moved``, by player), and the figures no
    farther than they are seen (``walkers``, by name); None where no turns do. None of ``not_these``."""
    for length in range(1, PARAMS.turns_ahead + 1):
        for turns in _turns(game, state, moved, walkers, not_these, length):
            return turns
    return None


def _turns(
    game: SquareGame,
    state: SquarePosition,
    moved: Mapping[str, Where],
    walkers: Mapping[str, Where],
    not_these: Collection[Any],
    length: int,
) -> Iterator[list[Any]]:
    if state.over:
        return
    player = state.player
    square = moved[player][0] if player in moved else None  # a pawn that was moved did not pass
    turn = game.turn_seen(player, square)
    if state.faults(turn) or turn in not_these:
        return
    step = state.apply(turn)
    left = {name: where for name, where in moved.items() if name != player}
    shown = not step.errands or carried_out(step, walkers)
    if length > 1:
        if shown:
            following = _turns(game, step.state, left, walkers, not_these, length - 1)
            yield from ([turn, *rest] for rest in following)
    elif not left and (square is not None or (shown and step.errands)):
        yield [turn]
