"""Search for the turns on a board of squares that explain where the pawns are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from engine.squares_game import Figure, SquareGame, SquarePlayed, SquarePosition
from tilesight.inference.squares.params import PARAMS
from tilesight.inference.squares.sightings import FigurePlace


def place_of(figure: Figure) -> FigurePlace:
    """Return a figure's square, and the edge that it faces."""
    return (figure.square, figure.facing)


def places(state: SquarePosition, kind: str) -> dict[str, FigurePlace]:
    """Return the places of the figures of a kind in a position, by name."""
    return {figure.name: place_of(figure) for figure in state.figures if figure.kind == kind}


def mostly_done(step: SquarePlayed, walkers: Mapping[str, FigurePlace]) -> bool:
    """Whether more than half of the errands after a turn are done; False without errands.

    Errands are moves of figures that the rules require then. ``walkers`` are the places, by name, of the
    figures seen steadily.
    """
    done = [errand for errand in step.errands if walkers.get(errand.after.name) == place_of(errand.after)]
    return bool(step.errands) and len(done) > len(step.errands) // 2


def fewest_turns(
    game: SquareGame,
    state: SquarePosition,
    moved: Mapping[str, FigurePlace],
    walkers: Mapping[str, FigurePlace],
    not_these: Collection[Any],
) -> list[Any] | None:
    """Return the shortest sequence of legal turns that explains the pawns that moved; None if there is none.

    ``moved`` maps players to the new places of their pawns, ``walkers`` names to the seen places of figures,
    which must confirm the required moves of figures after all turns but the last. Turns in ``not_these`` are
    excluded; at most ``turns_ahead`` turns are tried.
    """
    for length in range(1, PARAMS.turns_ahead + 1):
        for turns in _turns(game, state, moved, walkers, not_these, length):
            return turns
    return None


def _turns(
    game: SquareGame,
    state: SquarePosition,
    moved: Mapping[str, FigurePlace],
    walkers: Mapping[str, FigurePlace],
    not_these: Collection[Any],
    length: int,
) -> Iterator[list[Any]]:
    """Yield the sequences of ``length`` turns from ``state`` that explain the pawns that moved.

    The other arguments are those of `fewest_turns`.
    """
    if state.over:
        return
    player = state.player
    square = moved[player][0] if player in moved else None  # a pawn that was moved did not pass
    turn = game.turn_seen(player, square)
    if state.faults(turn) or turn in not_these:
        return
    step = state.apply(turn)
    left = {name: where for name, where in moved.items() if name != player}
    shown = not step.errands or mostly_done(step, walkers)
    if length > 1:
        if shown:
            following = _turns(game, step.state, left, walkers, not_these, length - 1)
            yield from ([turn, *rest] for rest in following)
    elif not left and (square is not None or (shown and step.errands)):
        yield [turn]
