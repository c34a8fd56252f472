"""Simulated games without hidden draws, whose legal turns can all be listed."""

from __future__ import annotations

import random
from typing import Any

from engine.game import OpenGame, OpenPosition
from engine.record import End, Line, Record
from engine.tiles.game import GameError


def random_open_game(
    game: OpenGame,
    players: int = 2,
    seed: int = 0,
    *,
    turns: int | None = None,
    rules: str | None = None,
    greedy: float = 0.0,
    expect: bool = False,
) -> Record:
    """Return a random legal game as a record that ends with ``{"end":true}``; deterministic by ``seed``.

    ``turns`` ends the game after that many. ``greedy`` is the share of turns in which the player takes the
    turn with the best gain; the others are uniformly random. With ``expect``, each line has the values that
    `check` verifies (points, scores). Raises GameError if the number of players is invalid.
    """
    if players > len(game.colors):
        raise GameError(f"{game.name} is for at most {len(game.colors)} players, not {players}")
    rng = random.Random(seed)
    header = game.dealt(game.colors[: max(0, players)], rng, rules)
    state = game.start(header, None)
    lines: list[Line] = []
    while not state.over and (turns is None or len(lines) < turns):
        choices = state.turns()
        turn = _best(state, choices, rng) if rng.random() < greedy else rng.choice(choices)
        before, state = state, _after(state, turn)
        lines.append(Line(len(lines) + 2, turn, game.expected(turn, before, state) if expect else {}))
    lines.append(Line(len(lines) + 2, End(), game.expected(None, state, state) if expect else {}))
    return Record(header, tuple(lines), file=f"game {seed}")


def _best(state: OpenPosition, choices: tuple[Any, ...], rng: random.Random) -> Any:
    player = state.player

    def gain(turn: Any) -> float:
        points = _after(state, turn).points
        return 2 * points[player] - sum(points.values()) + rng.random()

    return max(choices, key=gain)


def _after(state: OpenPosition, turn: Any) -> OpenPosition:
    return state.apply(turn).state
