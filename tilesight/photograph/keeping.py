"""Keeping of a photographed board: a table log that begins with it, as a finished game or to go on from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.game import GameError, IllegalTurn
from engine.games import TileGame, tile_game_named
from engine.notation import NotationError, write_position
from engine.pack import Pack
from engine.record import header_from_json
from engine.tiles.game import Header
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
    """Begin the log ``path`` with a board and its photograph. ``over`` ends the game there.

    Raises KeepError where the rules allow no such position, StoreError where the log cannot be written.
    """
    header: dict[str, Any] = {
        "tilesight": 1,
        "game": pack.game,
        "pack": pack.id,
        "players": list(seated.names),
        **({} if seated.rules is None else {"rules": seated.rules}),
    }
    begun = _begun(header, board, pack, seated)
    with TableStore(path) as store:
        opened = {"header": header, "names": dict(seated.names), **kept_pack(pack)}
        store.append(event_fold.OPENED, opened)
        told = {"header": begun, "confirmed": True, "keep": 0, "scores_told": bool(seated.scores)}
        store.append(event_fold.SET_UP, told, {"frame": jpeg})
        if over:
            store.append(event_fold.ENDED, {"by": "people"})


def _begun(header: Mapping[str, Any], board: SolvedBoard, pack: Pack, seated: Seated) -> dict[str, Any]:
    """The header of a game that begins with the board."""
    game = tile_game_named(str(pack.game))
    table = table_of(board, pack, tuple(seated.names))
    told, reason = Told(seated.to, seated.scores), ""
    for fields in _openings(game):
        try:
            asked = header_from_json({**header, **fields})
            assert isinstance(asked, Header)
            if found := game.header_faults(asked, pack):
                reason = reason or found[0].message
                continue
            state = position_of(game, asked, pack, table, told).state
        except (NotationError, IllegalTurn, GameError) as error:
            reason = reason or getattr(error, "message", str(error))
            continue
        line = write_position(str(pack.game), state)
        return {**header, "players": list(state.players), "position": line}
    raise KeepError(f"no game can stand so: {reason}")


def _openings(game: TileGame) -> Iterator[Mapping[str, str]]:
    """Fields of a header that say with which tiles a game was played: none, then each that there is."""
    yield {}
    for name, values in game.header_choices.items():
        yield from ({name: value} for value in values)
