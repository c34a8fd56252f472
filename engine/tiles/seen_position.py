"""Position of a game in progress, from its table as seen and from what the players add.

The order in which the tiles were laid is unknown. Any order is valid in which every piece could be put with
its tile: finished features, scores and legal turns afterwards do not depend on it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.geometry import EDGES, Cell, neighbour
from engine.pack import Pack
from engine.text_span import NotationError, counts_text, name_text
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Landscape
from engine.tiles.notation import board_words
from engine.tiles.turn import FeatureRef

SEARCHES = 40
"""Maximum number of searches, each with another order of pieces. Of a thousand tables in the middle of random
games of Carcassonne, 982 needed one, and the hardest needed twelve."""
WASTED_AT_MOST = 30
"""Maximum number of tiles tried in vain in one search: one that backtracks more seldom succeeds."""
LATER_AT_MOST = 6
"""Maximum random delay of a piece after the first search, in tiles of distance."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """The tiles and pieces seen on a table, start tile included."""

    board: Mapping[Cell, Laid]
    standing: tuple[Standing, ...]

    @property
    def meeples(self) -> Mapping[Cell, str]:
        """The features with a meeple, by cell."""
        found = (piece for piece in self.standing if piece.kind == "meeple")
        return {piece.cell: piece.feature for piece in found if piece.feature is not None}


@dataclass(frozen=True, slots=True)
class UnseenState:
    """The part of a position that no camera sees, as the players state it.
    It is the player to move (None: by seating order), points (0 if missing), animal tiles in hand (unknown if
    missing), and whether it is an extra turn."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool = False


class Layer(NamedTuple):
    """One class of features for the search, such as river systems.
    ``as_laid`` maps a tile to a tile with only these features (None if it has none), ``pieces`` maps cells to
    the feature with a piece on it."""

    as_laid: Callable[[Laid], Laid | None]
    pieces: Mapping[Cell, str]


def players_in_turn_order(players: tuple[str, ...], turns: int, to: str | None) -> tuple[str, ...]:
    """Return the seating order, rotated so that ``to`` moves after ``turns`` turns.
    It is unchanged if ``to`` is None or no player."""
    if to is None or to not in players:
        return players
    shift = (players.index(to) - turns) % len(players)
    return players[shift:] + players[:shift]


def seen_words(
    pack: Pack,
    players: tuple[str, ...],
    turns: int,
    unseen: UnseenState,
    table: SeenTable,
    layers: Sequence[Layer],
    first: Sequence[Cell] | None = None,
) -> list[str]:
    """Return the fields common to all tile games, then the tiles in a possible laying order.

    ``turns`` is the number of turns played. ``first`` are the cells laid before all others, in order (None:
    the start tile's); ``layers`` are the features with pieces. Raises NotationError if the start tile is not
    on the table.
    """
    players = players_in_turn_order(players, turns, unseen.to)
    scores = {player: unseen.scores.get(player, 0) for player in players}
    start = [cell for cell, _ in pack.start_designs]
    if not all(cell in table.board for cell in start):
        raise NotationError("the tile with which the game begins is not on the table")
    order = laying_order(table.board, start if first is None else first, layers)
    board = {cell: table.board[cell] for cell in order}
    to = players[turns % len(players)]
    fields = [f"pack={name_text(pack.id)}", f"players={counts_text(scores)}", f"to={name_text(to)}"]
    return [*fields, *board_words(pack, board, table.standing)]


def laying_order(board: Mapping[Cell, Laid], start: Sequence[Cell], layers: Sequence[Layer]) -> list[Cell]:
    """Return a possible laying order: ``start`` first, and each piece put on a feature that had none then.
    If none is found, any order that grows from the start tile. ``layers`` are the features with pieces."""
    known, blamed = dict.fromkeys(start), Counter[Cell]()
    for number in range(SEARCHES):
        search = _OrderSearch(board, layers, number, blamed)
        landscapes: Landscapes | None = tuple(Landscape({}) for _ in layers)
        for cell in start:
            landscapes = None if landscapes is None else search.laid(landscapes, cell)
        found = None if landscapes is None else search.extended(known, landscapes)
        if found is not None:
            return found
        if not search.is_cut_off:
            break
    order = list(known)
    while beside := search.beside(dict.fromkeys(order)):
        order += beside
    return order


Landscapes = tuple[Landscape, ...]


class _OrderSearch:
    """Depth-first search for a laying order.

    It goes to the nearest remaining piece first, because fewer tiles merge fewer features. Once all pieces
    are placed, the order of the rest is free.
    """

    def __init__(
        self, board: Mapping[Cell, Laid], layers: Sequence[Layer], number: int, blamed: Counter[Cell]
    ) -> None:
        """``number`` seeds the random delays of pieces; 0 delays none.

        ``blamed`` counts how often each piece was the one that could not be put, over all searches of a
        table. The search adds to it. A piece that is blamed more is delayed less ("squeaky wheel"
        optimisation: Joslin and Clements, Journal of Artificial Intelligence Research 10, 1999).
        """
        self._board = board
        self._layers = layers
        self._left = len(board) + WASTED_AT_MOST
        self._blamed = blamed
        rng, most = random.Random(number), max(blamed.values(), default=0)
        pieces = sorted({cell for layer in layers for cell in layer.pieces if cell in board})
        patience = {cell: 1 - blamed[cell] / most if most else 1.0 for cell in pieces}
        self._later = {
            cell: rng.randint(0, round(LATER_AT_MOST * patience[cell])) if number else 0 for cell in pieces
        }
        self._tried: set[frozenset[Cell]] = set()

    @property
    def is_cut_off(self) -> bool:
        """Whether the search ended before it had tried all orders."""
        return self._left < 0

    def beside(self, known: Mapping[Cell, None]) -> list[Cell]:
        """Return the tiles adjacent to ``known``, sorted by their distance to the nearest remaining piece."""
        cells = {neighbour(cell, edge) for cell in known for edge in EDGES} - known.keys()
        free = sorted(cell for cell in cells if cell in self._board)
        steps, here, step = dict[Cell, int](), set[Cell](), 0
        while here or step <= LATER_AT_MOST:
            here |= {cell for cell, later in self._later.items() if later == step}
            here -= known.keys() | steps.keys()
            steps.update(dict.fromkeys(here, step))
            around = {neighbour(cell, edge) for cell in here for edge in EDGES}
            here = {cell for cell in around if cell in self._board} - known.keys() - steps.keys()
            step += 1
        return sorted(free, key=lambda cell: steps.get(cell, step))

    def extended(self, known: Mapping[Cell, None], landscapes: Landscapes) -> list[Cell] | None:
        """Return ``known`` extended to a complete order; None if none is found.
        ``landscapes`` are those of the layers after the tiles ``known``."""
        if len(known) == len(self._board):
            return list(known)
        for cell in self.beside(known):
            self._left -= 1
            if self._left < 0:
                return None
            after = self.laid(landscapes, cell)
            more = {**known, cell: None}
            if after is None or frozenset(more) in self._tried or self._is_dead_end(more, after):
                continue
            self._tried.add(frozenset(more))
            found = self.extended(more, after)
            if found is not None:
                return found
        return None

    def laid(self, landscapes: Landscapes, cell: Cell) -> Landscapes | None:
        """Return the landscapes after the tile on ``cell`` is laid with its piece.
        None if the feature under the piece has a meeple already."""
        after = []
        for layer, landscape in zip(self._layers, landscapes, strict=True):
            laid = layer.as_laid(self._board[cell])
            if laid is not None:
                landscape, own_regions = landscape.lay(cell, laid)
                region = own_regions.get(layer.pieces.get(cell, ""))
                if region is not None:
                    if region.meeples:
                        self._blamed[cell] += 1
                        return None
                    landscape, _ = landscape.with_meeple(region, "piece", (cell, layer.pieces[cell]))
            after.append(landscape)
        return tuple(after)

    def _is_dead_end(self, known: Mapping[Cell, None], landscapes: Landscapes) -> bool:
        """Whether some remaining piece can no longer be put, after the tiles ``known`` in ``landscapes``.
        Its feature has a piece already, or two remaining pieces need the same feature."""
        for layer, landscape in zip(self._layers, landscapes, strict=True):
            awaited: dict[FeatureRef, Cell] = {}
            for cell, feature in layer.pieces.items():
                if cell in known or not any(neighbour(cell, edge) in known for edge in EDGES):
                    continue
                laid = layer.as_laid(self._board[cell])
                region = None if laid is None else landscape.lay(cell, laid)[1].get(feature)
                if region is None:
                    continue
                others = [place for place in region.places if place[0] != cell]
                rivals = {awaited[place] for place in others if place in awaited}
                if region.meeples or rivals:
                    self._blamed.update([cell, *rivals])
                    return True
                awaited |= dict.fromkeys(others, cell)
        return False
