"""Legal position of a table that was read while its game was under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

from engine.geometry import EDGES, Cell, neighbour, vertex
from engine.pack import Pack
from engine.text_span import NotationError
from engine.tiles.board import Laid, Standing
from engine.tiles.features import occupied_regions
from engine.tiles.game import GameState, Header
from engine.tiles.pieces import OUTSIDE
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.tile_game import TileGame
from tilesight.inference.opening.reading import ReadTable
from tilesight.inference.params import OPENING
from vision.pieces.feature_assignment import outside_of


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """A position that can occur in a game.

    ``left_out`` are the cells of pieces that were read but are not in it, or are on another feature of their
    tile.
    """

    state: GameState
    left_out: tuple[Cell, ...] = ()


def legal_position(
    game: TileGame, header: Header, pack: Pack, table: ReadTable, told: UnseenState
) -> ReadPosition:
    """Return the legal position nearest to a read table: as few pieces as possible changed or left out.

    The least sure pieces are tried first. ``told`` is what players add that no picture shows. Raises
    NotationError if no game can reach such a table.
    """

    def state_with(pieces: Sequence[Standing]) -> GameState:
        standing = _with_all_outside(_with_animals(pieces, pack.tokens), table.board, pack)
        return game.position_seen(header, pack, SeenTable(table.board, standing), told)

    try:
        return ReadPosition(state_with([piece.standing for piece in table.pieces]))
    except NotationError as error:
        state_with(())  # raises if the tiles alone are not legal
        first = error
    for pieces, left_out in _choices(table):
        with suppress(NotationError):
            return ReadPosition(state_with(pieces), left_out)
    raise first


def _choices(table: ReadTable) -> Iterator[tuple[list[Standing], tuple[Cell, ...]]]:
    """Yield alternatives to the pieces read, each with the cells of the pieces changed or left out.

    First one piece moves to another feature, then one or two pieces are left out.
    """
    pieces = table.pieces
    read = [piece.standing for piece in pieces]
    ranked = sorted(_suspects(table), key=lambda i: pieces[i].confidence)
    for other in (0, 1):
        for i in ranked:
            if len(pieces[i].others) > other:
                yield [*read[:i], pieces[i].others[other], *read[i + 1 :]], (read[i].cell,)
    for number in (1, 2):
        for gone in combinations(ranked[: len(ranked) if number == 1 else OPENING.dropped_from], number):
            kept = [standing for i, standing in enumerate(read) if i not in gone]
            yield kept, tuple(read[i].cell for i in gone)


def _suspects(table: ReadTable) -> list[int]:
    """Return the indices of the pieces of ``table`` that the rules may not allow.

    These share a feature with others, are on a finished feature or on one that reaches no edge, or may be on
    an animal tile.
    """
    places = {
        (piece.standing.cell, piece.standing.feature): i
        for i, piece in enumerate(table.pieces)
        if piece.standing.kind == "meeple" and piece.standing.feature is not None
    }
    on = [(table.pieces[i].standing.color or "", (cell, name or "")) for (cell, name), i in places.items()]
    alone = {
        places[place]
        for region in occupied_regions(table.board, on)
        if len(region.meeples) == 1 and not region.finished
        for _, place in region.meeples
    }
    either = {i for i in alone if any(other.corner is not None for other in table.pieces[i].others)}
    return [i for i in range(len(table.pieces)) if i not in alone or i in either]


def _with_animals(pieces: Sequence[Standing], tokens: Mapping[str, int]) -> list[Standing]:
    """Return the pieces, with a plausible animal on each animal tile whose animal was not read.

    ``tokens`` is the game's number of each animal. The animal is one with many tiles left, and if possible
    not at that watering hole yet.
    """
    left = Counter(tokens)
    left.subtract(piece.animal for piece in pieces if piece.kind == "token" and piece.animal is not None)
    told = [piece for piece in pieces if piece.kind != "token" or piece.animal is not None]
    for piece in pieces:
        if piece.kind == "token" and piece.animal is None and piece.corner is not None:
            hole = vertex(piece.cell, piece.corner)
            near = {
                other.animal
                for other in told
                if other.kind == "token" and other.corner and vertex(other.cell, other.corner) == hole
            }
            free = [animal for animal in tokens if animal not in near] or list(tokens)
            animal = max(free, key=lambda name: left[name])
            left[animal] -= 1
            told.append(piece._replace(animal=animal))
    return told


def _with_all_outside(
    pieces: Sequence[Standing], board: Mapping[Cell, Laid], pack: Pack
) -> tuple[Standing, ...]:
    """Return the pieces with the game's full number beside the tiles: missing ones get some free space.

    Pieces read beside no tile are left out.
    """
    spaces = sorted({neighbour(cell, edge) for cell in board for edge in EDGES} - board.keys())
    standing = list(pieces)
    for kind, number in outside_of(pack).items():
        there = {piece.cell for piece in standing if piece.kind == kind}
        free = [cell for cell in spaces if cell not in there]
        standing += [Standing(kind, "white", cell) for cell in free[: max(number - len(there), 0)]]
    return tuple(piece for piece in standing if piece.kind not in OUTSIDE or piece.cell in spaces)
