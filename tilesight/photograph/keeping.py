"""Keeping of a photographed board: a table log that begins with it, as a finished game or to go on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.game import GameError, IllegalTurn
from engine.games import TileGame, tile_game_named
from engine.geometry import Cell
from engine.notation import NotationError, write_position
from engine.pack import Pack
from engine.record import header_from_json
from engine.tiles.board import Standing
from engine.tiles.game import GameState, Header
from engine.tiles.pieces import OWNED
from engine.tiles.seen_position import Told
from tilesight.inference.opening.position import position_of
from tilesight.inference.opening.reading import table_of
from tilesight.table_log import event_fold
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_pack import kept_pack
from vision.board import SolvedBoard


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
    read = _begun(header, board, pack, seated, over=over)
    left_out = sorted(_pieces(board.standing()) - _pieces(read.standing))
    if left_out and not over:
        cells = ", ".join(f"[{x}, {y}]" for x, y in dict.fromkeys(cell for cell, *_ in left_out))
        raise KeepError(f"the rules allow no piece at {cells} as it was read: correct it first")
    line = write_position(str(pack.game), read)
    begun = {**header, "players": list(read.players), "position": line}
    with TableStore(path) as store:
        opened = {"header": header, "names": dict(seated.names), **kept_pack(pack)}
        store.append(event_fold.OPENED, opened)
        told = {"header": begun, "confirmed": True, "keep": 0, "scores_told": bool(seated.scores)}
        store.append(event_fold.SET_UP, told, {"frame": jpeg})
        if over:
            if points := _not_in(read, board, pack, seated):
                store.append(event_fold.SCORED, {"turn": 0, "points": points})
            store.append(event_fold.ENDED, {"by": "people"})


def _pieces(standing: Iterable[Standing]) -> set[tuple[Cell, str, str, str]]:
    """The players' pieces: cell, kind, colour, and what they stand on."""
    return {
        (piece.cell, piece.kind, piece.color or "", piece.feature or piece.corner or "")
        for piece in standing
        if piece.kind in OWNED
    }


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
) -> GameState:
    """The position with which the game begins."""
    game = tile_game_named(str(pack.game))
    table = table_of(board, pack, tuple(seated.names))
    # What is in hand at the end is among the points that people say.
    hands: dict[str, tuple[str, ...]] = dict.fromkeys(seated.names, ()) if over else {}
    told, reason = Told(seated.to, seated.scores, hands), ""
    for fields in _openings(game):
        try:
            asked = header_from_json({**header, **fields})
            assert isinstance(asked, Header)
            if found := game.header_faults(asked, pack):
                reason = reason or found[0].message
                continue
            return position_of(game, asked, pack, table, told).state
        except (NotationError, IllegalTurn, GameError) as error:
            reason = reason or getattr(error, "message", str(error))
            continue
    raise KeepError(f"no game can stand so: {reason}")


def _openings(game: TileGame) -> Iterator[Mapping[str, str]]:
    """Fields of a header that say with which tiles a game was played: none, then each that there is."""
    yield {}
    for name, values in game.header_choices.items():
        yield from ({name: value} for value in values)
