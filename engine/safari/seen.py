"""Position of Carcassonne Safari from a table seen during a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from engine.game import Game
from engine.geometry import Vertex, vertex
from engine.pack import Pack
from engine.safari import water
from engine.safari.notation import HOLE, token_text
from engine.safari.rules import HAND
from engine.safari.state import SafariState
from engine.text_span import cell_text, names_text
from engine.tiles.board import Standing
from engine.tiles.notation import position_of
from engine.tiles.seen_position import Layer, SeenTable, UnseenState, players_in_turn_order, seen_words
from engine.tiles.turn import UNKNOWN


def position_seen(
    game: Game, rules: str, pack: Pack, players: tuple[str, ...], table: SeenTable, unseen: UnseenState
) -> SafariState:
    """The position of a game in progress, from its table; NotationError if no game can reach it."""
    turns = len(table.board) - len(pack.start_designs)
    players = players_in_turn_order(players, turns, unseen.to)
    pieces = {p.cell: p.feature for p in table.standing if p.kind == "meeple" and p.feature is not None}
    words = seen_words(
        pack, players, players[turns % len(players)], unseen, table, [Layer(lambda laid: laid, pieces)]
    )
    rangers = [cell_text(piece.cell) for piece in table.standing if piece.kind == "ranger"]
    words.append("rangers=" + ";".join(rangers))
    tokens = [token_text(token) for token in tokens_in_order(table.standing)]
    if tokens:
        words.append("holes=" + ";".join(tokens))
    words.append("hands=" + names_text({one: unseen.hands.get(one, (UNKNOWN,) * HAND) for one in players}))
    state: SafariState = position_of(game, rules, pack, words)
    return state


def tokens_in_order(standing: Sequence[Standing]) -> Iterator[water.Token]:
    """Iterate over the animal tiles on corners, hole by hole, in a possible laying order where there is one;
    tiles with a meeple first where that is possible."""
    on = {(p.cell, p.corner): p.color for p in standing if p.kind == "meeple" and p.corner is not None}
    holes: dict[Vertex, list[water.Token]] = {}
    for piece in standing:
        if piece.kind == "token" and piece.corner is not None:
            token = water.Token(
                piece.cell, piece.corner, piece.animal or UNKNOWN, on.get((piece.cell, piece.corner))
            )
            holes.setdefault(vertex(piece.cell, piece.corner), []).append(token)
    for hole in holes.values():
        tokens = sorted(hole, key=lambda token: token.meeple is None)
        orders = list(permutations(tokens))
        yield from min(orders, key=_steps_refused)


def _steps_refused(order: Sequence[water.Token]) -> int:
    """Number of animal tiles of a watering hole that cannot have been laid after those before: one that
    touches another expands the hole, without a meeple and with an animal of its own; any other one is dug,
    and its meeple stays until the hole is full."""
    refused = 0
    for number, token in enumerate(order):
        laid = tuple(order[:number])
        if water.touching(laid, token.cell):
            refused += token.meeple is not None or token.animal in [other.animal for other in laid]
        else:
            refused += token.meeple is None and len(order) < HOLE
    return refused
