"""Keeping of a photographed board: a table log that begins with it, as a finished game or to go on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.game import GameError, IllegalTurn
from engine.games import TileGame, tile_game_named
from engine.geometry import Cell, turned_corner
from engine.notation import NotationError, write_position
from engine.pack import Pack
from engine.record import header_from_json
from engine.tiles.board import Laid
from engine.tiles.game import GameState, Header
from engine.tiles.pieces import OWNED
from engine.tiles.seen_position import UnseenState
from tilesight.inference.opening.position import ReadPosition, legal_position
from tilesight.inference.opening.reading import table_of
from tilesight.table_log import event_fold
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_pack import kept_pack
from vision.board import SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame


class KeepError(ValueError):
    """A board that no game can have; one line for people."""


@dataclass(frozen=True)
class Seated:
    """Players of a photographed game: ``names`` by colour in turn order, whose turn it is (None: the first
    that the number of tiles allows), the points that each had, and the rule edition (None: the default)."""

    names: Mapping[str, str]
    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    rules: str | None = None


def keep_board(
    path: Path, board: SolvedBoard, pack: Pack, seated: Seated, jpeg: bytes, *, over: bool
) -> None:
    """Begin the log ``path`` with a board and its photograph. ``over`` ends the game there, with the points
    of the board as it was read: pieces that the rules allow on no such board count, too.

    Raises KeepError where the rules allow no such position, StoreError where the log cannot be written.
    """
    header: dict[str, Any] = {
        "tilesight": 1,
        "game": pack.game,
        "pack": pack.id,
        "players": list(seated.names),
        **({} if seated.rules is None else {"rules": seated.rules}),
    }
    begun = _begun(header, board, pack, seated, over=over)
    if begun.left_out and not over:
        cells = ", ".join(f"[{x}, {y}]" for x, y in begun.left_out)
        raise KeepError(f"the rules allow no piece at {cells} as it was read: correct it first")
    state = begun.state
    line = write_position(str(pack.game), state)
    set_up = {**header, "players": list(state.players), "position": line}
    with TableStore(path) as store:
        opened = {"header": header, "names": dict(seated.names), **kept_pack(pack)}
        store.append(event_fold.OPENED, opened)
        told = {"header": set_up, "confirmed": True, "keep": 0, "scores_told": bool(seated.scores)}
        store.append(event_fold.SET_UP, told, {"frame": jpeg})
        if over:
            if points := _not_in(state, board, pack, seated):
                store.append(event_fold.SCORED, {"turn": 0, "points": points})
            store.append(event_fold.ENDED, {"by": "people"})


def _left_out(board: SolvedBoard, placed: SolvedBoard, state: GameState) -> tuple[Cell, ...]:
    """The cells of players' pieces that a position does not have; ``placed`` is the board in its frame."""
    there = {(one.cell, one.kind, one.color, one.feature, one.corner) for one in state.standing}
    return tuple(
        piece.cell
        for piece, own in zip(board.pieces, placed.pieces, strict=True)
        if piece.cell is not None
        and own.reading.kind in OWNED
        and (own.cell, own.reading.kind, own.reading.color, own.feature, own.corner) not in there
    )


def _not_in(state: GameState, board: SolvedBoard, pack: Pack, seated: Seated) -> dict[str, int]:
    """Points of the board as it was read that the position does not give."""
    final = tile_game_named(str(pack.game)).final_seen(pack, board.laid(pack), board.standing(), seated.rules)
    given = Counter[str]()
    for event in state.final().events:
        given[event.player] += event.points
    missing = {color: final.scores.get(color, 0) - given[color] for color in seated.names}
    return {color: points for color, points in missing.items() if points}


def _begun(
    header: Mapping[str, Any], board: SolvedBoard, pack: Pack, seated: Seated, *, over: bool
) -> ReadPosition:
    """The position with which the game begins, with as few pieces left out as can be; the cells of those are
    the board's own."""
    game = tile_game_named(str(pack.game))
    # What is in hand at the end is among the points that people say.
    hands: dict[str, tuple[str, ...]] = dict.fromkeys(seated.names, ()) if over else {}
    told, reason, found = UnseenState(seated.to, seated.scores, hands), "", list[ReadPosition]()
    for fields in _openings(game):
        try:
            asked = header_from_json({**header, **fields})
            assert isinstance(asked, Header)
            start = game.start(asked, pack)
        except (IllegalTurn, GameError) as error:
            reason = reason or str(error)
            continue
        for placed in _by_start(board, start.board):
            table = table_of(placed, pack, tuple(seated.names))
            try:
                state = legal_position(game, asked, pack, table, told).state
            except NotationError as error:
                reason = reason or error.message
                continue
            found.append(ReadPosition(state, _left_out(board, placed, state)))
    if not found:
        raise KeepError(f"no game can stand so: {reason or 'the tile with which it begins is not seen'}")
    return min(found, key=lambda one: len(one.left_out))


def _by_start(board: SolvedBoard, start: Mapping[Cell, Laid]) -> Iterator[SolvedBoard]:
    """The board in each frame of reference in which a tile with the start tile's face lies where a game
    begins: several tiles may have that face."""
    cell, laid = next(iter(start.items()))
    for tile in board.tiles:
        if tile.face is None or tile.face.design != laid.design.id:
            continue
        turns = (tile.face.rot - laid.rot) // 90 % 4
        # The cell that becomes (0, 0): the tile's own, shifted back by the start's place.
        x, y = LatticeFrame((0, 0), turns).lattice_cell(cell)
        yield _in_frame(board, LatticeFrame((tile.cell[0] - x, tile.cell[1] - y), turns))


def _in_frame(board: SolvedBoard, frame: LatticeFrame) -> SolvedBoard:
    """The board in another frame of reference; ``frame`` is that in the cells of the board."""
    tiles = tuple(
        replace(
            tile,
            cell=frame.cell(tile.cell),
            face=None if tile.face is None else replace(tile.face, rot=frame.rot(tile.face.rot)),
        )
        for tile in board.tiles
    )
    pieces = tuple(
        replace(
            piece,
            cell=None if piece.cell is None else frame.cell(piece.cell),
            corner=None if piece.corner is None else turned_corner(piece.corner, frame.rot(0)),
        )
        for piece in board.pieces
    )
    origin = board.frame.lattice_cell(frame.origin)
    turns = (board.frame.quarter_turns + frame.quarter_turns) % 4
    return replace(board, tiles=tiles, pieces=pieces, frame=LatticeFrame(origin, turns))


def _openings(game: TileGame) -> Iterator[Mapping[str, str]]:
    """Fields of a header that say with which tiles a game was played: none, then each that there is."""
    yield {}
    for name, values in game.header_choices.items():
        yield from ({name: value} for value in values)
