"""Position of Carcassonne Safari from a table seen during a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from engine.geometry import Vertex, vertex
from engine.pack import Pack
from engine.safari import water
from engine.safari.notation import token_text
from engine.safari.rules import HAND, HOLE
from engine.text_span import cell_text, names_text
from engine.tiles.board import Standing
from engine.tiles.game import Header
from engine.tiles.seen_position import Layer, SeenTable, UnseenState, seen_words
from engine.tiles.turn import UNKNOWN


def position_words(header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
    """Return the words of the notation of a position, from its table.
    ``unseen`` are the values that a picture does not show; hands that it lacks are unknown."""
    turns = len(table.board) - len(pack.start_designs)
    layers = [Layer(lambda laid: laid, table.meeples)]
    words = seen_words(pack, header.players, turns, unseen, table, layers)
    rangers = [cell_text(piece.cell) for piece in table.standing if piece.kind == "ranger"]
    words.append("rangers=" + ";".join(rangers))
    tokens = [token_text(token) for token in tokens_in_order(table.standing)]
    if tokens:
        words.append("holes=" + ";".join(tokens))
    hands = {player: unseen.hands.get(player, (UNKNOWN,) * HAND) for player in header.players}
    return [*words, "hands=" + names_text(hands)]


def tokens_in_order(standing: Sequence[Standing]) -> Iterator[water.Token]:
    """Yield the animal tiles on corners, hole by hole, in a possible laying order where there is one.
    Tiles with a meeple come first where that is possible; an unknown animal is '?'."""
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
    """Return how many animal tiles of a watering hole cannot have been laid after those before in ``order``.
    One that touches another expands the hole, without a meeple and with an animal of its own; any other one
    is dug, and its meeple stays until the hole is full."""
    refused = 0
    for number, token in enumerate(order):
        laid = tuple(order[:number])
        if water.touching(laid, token.cell):
            refused += token.meeple is not None or token.animal in [other.animal for other in laid]
        else:
            refused += token.meeple is None and len(order) < HOLE
    return refused
