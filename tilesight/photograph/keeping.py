"""Keeping of a photographed board: a table log that starts with it, finished or to be continued."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.game import GameError, IllegalTurn
from engine.games import tile_game_named
from engine.geometry import Cell, turned_corner
from engine.notation import NotationError, write_position
from engine.pack import Pack
from engine.record import header_from_json
from engine.tiles.board import Laid
from engine.tiles.game import GameState, Header
from engine.tiles.pieces import OWNED
from engine.tiles.seen_position import UnseenState
from engine.tiles.tile_game import TileGame
from tilesight.inference.opening.position import ReadPosition, legal_position
from tilesight.inference.opening.reading import table_of
from tilesight.photograph.kept_log import Entries
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import Entry
from tilesight.table_log.log_pack import kept_pack
from vision.board import SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from web.table.access import Access


class KeepError(ValueError):
    """The rules do not allow the board; the message is one line for the user."""


@dataclass(frozen=True)
class Seated:
    """Players of a photographed game: ``names`` by colour in turn order.

    ``to`` is the colour to move (None: derived from the number of tiles), ``scores`` the points before,
    ``rules`` the rule edition (None: the default).
    """

    names: Mapping[str, str]
    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    rules: str | None = None


def kept_entries(
    board: SolvedBoard,
    pack: Pack,
    seated: Seated,
    jpeg: bytes,
    *,
    over: bool,
    keep_labels: bool = False,
) -> Entries:
    """Return the entries of a table log with a board as its first position, and its photograph.

    With ``over`` the game ends there; pieces that the rules do not allow on this board then still score.
    With ``keep_labels``, `tilesight learn` may keep labelled pieces of the photograph.
    Raises KeepError if the rules do not allow the position.
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
    told: list[tuple[EntryKind, Mapping[str, Any]]] = [
        (EntryKind.OPENED, {"header": header, "names": dict(seated.names), **kept_pack(pack)}),
        (
            EntryKind.SET_UP,
            {"header": set_up, "confirmed": True, "keep": 0, "scores_told": bool(seated.scores)},
        ),
    ]
    if over:
        if points := _not_in(state, board, pack, seated):
            told.append((EntryKind.SCORED, {"turn": 0, "points": points}))
        told.append((EntryKind.ENDED, {"by": "people"}))
    if keep_labels:
        told.append((EntryKind.KEYED, Access(keep_labels=True).to_json()))
    now_s = time.time()
    return [
        (Entry(number, kind, now_s, data), {"frame": jpeg} if kind == EntryKind.SET_UP else {})
        for number, (kind, data) in enumerate(told, 1)
    ]


def is_complete(board: SolvedBoard, pack: Pack) -> bool:
    """Whether all tiles of the game lie on the board, so that no turn can follow.

    Of the openings with which the game may have been played, such as with the river, the one counts that has
    most of the board's tiles; of several the one with fewest tiles in all.
    """
    game = tile_game_named(str(pack.game))
    laid = Counter(tile.face.design for tile in board.tiles if tile.face is not None)
    sizes = []
    for fields in _openings(game):
        asked = {
            "tilesight": 1,
            "game": pack.game,
            "pack": pack.id,
            "players": list(game.colors[:2]),
            **fields,
        }
        try:
            header = header_from_json(asked)
            assert isinstance(header, Header)
            start = game.start(header, pack)
        except (IllegalTurn, GameError):
            continue
        deck = Counter(start.whole_bag) + Counter(one.design.id for one in start.board.values())
        sizes.append((-(laid & deck).total(), deck.total()))
    return bool(sizes) and len(board.tiles) >= min(sizes)[1]


def _left_out(board: SolvedBoard, placed: SolvedBoard, state: GameState) -> tuple[Cell, ...]:
    """Return the cells of players' pieces that are missing in ``state`` or on another feature there.

    ``placed`` is the board in the position's frame of reference; the cells are those of ``board``.
    """
    there = {(one.cell, one.kind, one.color, one.feature, one.corner) for one in state.standing}
    return tuple(
        piece.cell
        for piece, own in zip(board.pieces, placed.pieces, strict=True)
        if piece.cell is not None
        and own.reading.kind in OWNED
        and (own.cell, own.reading.kind, own.reading.color, own.feature, own.corner) not in there
    )


def _not_in(state: GameState, board: SolvedBoard, pack: Pack, seated: Seated) -> dict[str, int]:
    """Return the points by colour that ``board`` scores at the end and ``state`` does not; without zeros.

    They are those of pieces that the rules do not allow in a position.
    """
    final = tile_game_named(str(pack.game)).final_seen(pack, board.laid(pack), board.standing(), seated.rules)
    given = Counter[str]()
    for event in state.final().events:
        given[event.player] += event.points
    missing = {color: final.scores.get(color, 0) - given[color] for color in seated.names}
    return {color: points for color, points in missing.items() if points}


def _begun(
    header: Mapping[str, Any], board: SolvedBoard, pack: Pack, seated: Seated, *, over: bool
) -> ReadPosition:
    """Return the legal position that leaves out the fewest pieces of the board.

    The cells of pieces left out are in the board's frame of reference. Raises KeepError if the rules allow
    none.
    """
    game = tile_game_named(str(pack.game))
    # The points that players enter include the tiles in their hands at the end.
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
        raise KeepError(f"the rules do not allow this board: {reason or 'the start tile is missing'}")
    return min(found, key=lambda one: len(one.left_out))


def _by_start(board: SolvedBoard, start: Mapping[Cell, Laid]) -> Iterator[SolvedBoard]:
    """Yield the board in each frame of reference that puts a tile of the start design on the start cell.

    ``start`` is the board at the start of a game. Several tiles can have that design; none gives nothing.
    """
    cell, laid = next(iter(start.items()))
    for tile in board.tiles:
        if tile.face is None or tile.face.design != laid.design.id:
            continue
        turns = (tile.face.rot - laid.rot) // 90 % 4
        # The new origin: the tile's cell, less the offset of the start cell.
        x, y = LatticeFrame((0, 0), turns).lattice_cell(cell)
        yield _in_frame(board, LatticeFrame((tile.cell[0] - x, tile.cell[1] - y), turns))


def _in_frame(board: SolvedBoard, frame: LatticeFrame) -> SolvedBoard:
    """Convert a board to another frame of reference, given by its ``frame`` in the board's cells."""
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
    """Yield the header fields with which the game may have been played.

    First no field, then each value of each choice alone, such as the river.
    """
    yield {}
    for name, values in game.header_choices.items():
        yield from ({name: value} for value in values)
