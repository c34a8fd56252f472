"""Position of a game that is seen in the middle: a table without its history, and what people say of it.

The order in which the tiles were laid is not known. Any order will do in which every piece could come with
its tile: what is finished, scored and legal afterwards does not depend on it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.geometry import EDGES, Cell, neighbour
from engine.pack import Pack
from engine.text_span import NotationError, counts_text, name_text
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Landscape
from engine.tiles.notation import board_words
from engine.tiles.turn import Place

SEARCHES = 20
"""Number of searches for an order, each with other pieces first: a bound on work."""
TRIED_AT_MOST = 200
"""Number of tiles tried in one search: a bound on work."""
LATER_AT_MOST = 6
"""Tiles by which a search may put a piece off against one that is nearer."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """The tiles and pieces on a table, start tile included, whatever came before."""

    board: Mapping[Cell, Laid]
    standing: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """Part of a position that people say and no camera sees: whose turn it is (None: as the players sit),
    points so far (none where missing), animal tiles in hand (as at the start of a game where missing), and
    whether it is an extra turn."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool = False


class Layer(NamedTuple):
    """One kind of feature that pieces share: ``as_laid`` is a tile with these features alone (None where it
    has none), ``pieces`` the feature of each cell on which a piece stands."""

    as_laid: Callable[[Laid], Laid | None]
    pieces: Mapping[Cell, str]


def seated(players: tuple[str, ...], turns: int, to: str | None) -> tuple[str, ...]:
    """The players from the one who began, if after so many turns it is ``to``'s; as they are for None."""
    if to is None or to not in players:
        return players
    shift = (players.index(to) - turns) % len(players)
    return players[shift:] + players[:shift]


def seen_words(
    pack: Pack,
    players: tuple[str, ...],
    to: str,
    told: Told,
    table: SeenTable,
    layers: Sequence[Layer],
    first: Sequence[Cell] | None = None,
) -> list[str]:
    """The words of a position that every tile game has, its fields apart from the tiles; then the tiles.
    ``first`` are the cells that were laid before all others, in their order (None: the start tile's).
    NotationError where the start tile is not among the tiles."""
    scores = {player: told.scores.get(player, 0) for player in players}
    pieces = {
        piece.cell: (piece.kind, piece.color or "", piece.feature)
        for piece in table.standing
        if piece.feature is not None and piece.color is not None
    }
    start = [cell for cell, _ in pack.start_designs]
    if not all(cell in table.board for cell in start):
        raise NotationError("the tile with which the game begins is not on the table")
    order = laying_order(table.board, start if first is None else first, layers)
    board = {cell: table.board[cell] for cell in order}
    fields = [f"pack={name_text(pack.id)}", f"players={counts_text(scores)}", f"to={name_text(to)}"]
    return [*fields, *board_words(pack, board, pieces)]


def laying_order(board: Mapping[Cell, Laid], start: Sequence[Cell], layers: Sequence[Layer]) -> list[Cell]:
    """An order in which the tiles could have been laid, ``start`` first, each piece on a feature on which
    none stood then. Where there is none, or it is not found, any order from the start tile outwards."""
    known = dict.fromkeys(start)
    for number in range(SEARCHES):
        search = _Orders(board, layers, number)
        landscapes: Landscapes | None = tuple(Landscape({}) for _ in layers)
        for cell in start:
            landscapes = None if landscapes is None else search.laid(landscapes, cell)
        found = None if landscapes is None else search.grown(known, landscapes)
        if found is not None:
            return found
    order = list(known)
    while beside := search.beside(dict.fromkeys(order)):
        order += beside
    return order


Landscapes = tuple[Landscape, ...]


class _Orders:
    """Search for an order. Few tiles leave more of it open than many: the way to the nearest piece that is
    still to come goes first, and once all are there the rest may come as it likes."""

    def __init__(self, board: Mapping[Cell, Laid], layers: Sequence[Layer], number: int) -> None:
        """``number`` 0 puts no piece off, others some at random."""
        self._board = board
        self._layers = layers
        self._left = TRIED_AT_MOST
        rng = random.Random(number)
        pieces = sorted({cell for layer in layers for cell in layer.pieces if cell in board})
        self._later = {cell: rng.randint(0, LATER_AT_MOST) if number else 0 for cell in pieces}
        self._tried: set[frozenset[Cell]] = set()

    def beside(self, known: Mapping[Cell, None]) -> list[Cell]:
        """The tiles that touch those known, those on the way to the nearest piece to come first."""
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

    def grown(self, known: Mapping[Cell, None], landscapes: Landscapes) -> list[Cell] | None:
        """The order that begins with ``known``; None where there is none."""
        if len(known) == len(self._board):
            return list(known)
        for cell in self.beside(known):
            self._left -= 1
            if self._left < 0:
                return None
            after = self.laid(landscapes, cell)
            more = {**known, cell: None}
            if after is None or frozenset(more) in self._tried or self._is_dead(more, after):
                continue
            self._tried.add(frozenset(more))
            found = self.grown(more, after)
            if found is not None:
                return found
        return None

    def laid(self, landscapes: Landscapes, cell: Cell) -> Landscapes | None:
        """The landscapes with one tile more and its piece; None where the piece may not come there."""
        after = []
        for layer, landscape in zip(self._layers, landscapes, strict=True):
            laid = layer.as_laid(self._board[cell])
            if laid is not None:
                landscape, mine = landscape.lay(cell, laid)
                region = mine.get(layer.pieces.get(cell, ""))
                if region is not None:
                    if region.meeples:
                        return None
                    landscape, _ = landscape.with_meeple(region, "piece", (cell, layer.pieces[cell]))
            after.append(landscape)
        return tuple(after)

    def _is_dead(self, known: Mapping[Cell, None], landscapes: Landscapes) -> bool:
        """Whether some piece can no longer come with its tile: its feature has one already, or will by the
        time, for two are still to come to it."""
        for layer, landscape in zip(self._layers, landscapes, strict=True):
            awaited: set[Place] = set()
            for cell, feature in layer.pieces.items():
                if cell in known or not any(neighbour(cell, edge) in known for edge in EDGES):
                    continue
                laid = layer.as_laid(self._board[cell])
                region = None if laid is None else landscape.lay(cell, laid)[1].get(feature)
                if region is None:
                    continue
                others = {place for place in region.places if place[0] != cell}
                if region.meeples or awaited & others:
                    return True
                awaited |= others
        return False
