"""Past game: a log opened as a read-only table, and its summary for the library."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.game import GameError, Opening
from engine.games import game_named, tile_game_named
from engine.jsonvalue import FieldError
from engine.pack import Pack, PackError
from engine.record import header_from_json
from engine.squares_game import SquareGame
from engine.tiles.game import Header
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.lobby.game_index import told_plainly
from tilesight.settings import SettingsError, pack_by_id
from tilesight.table_log.event_fold import GameLedger, empty_ledger, folded
from tilesight.table_log.event_store import StoreError, TableStore, format_of
from tilesight.table_log.log_pack import pack_of
from vision.tiles.gallery import GalleryError
from web.api.boards import SQUARES, TILES, BoardKind
from web.past_games import PastGame, PastPlayer
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.lobby")
PastTable = tuple[TileTable | SquaresTable, BoardKind]
"""A past game as a read-only table, and the kind of its board."""
UNREADABLE = (StoreError, GameError, FieldError, PackError, SettingsError, GalleryError, KeyError, TypeError)
"""Errors of a log that cannot be shown."""
NOT_BEGUN = PastGame("", "", "", 0.0, 0.0, 0, False, (), False)
"""Summary of a log that holds no game yet."""


def past_table(store: TableStore, known: Callable[[str], Pack] = pack_by_id) -> PastTable:
    """Return the game of a log that was opened read-only, as a table.

    ``known`` finds a pack by its id. Raises one of `UNREADABLE`.
    """
    entries = store.entries()
    return table_of(folded(empty_ledger(entries), entries), store, known)


def table_of(ledger: GameLedger[Any], store: TableStore, known: Callable[[str], Pack]) -> PastTable:
    """Return a game as a read-only table.

    ``ledger`` is the fold of the entries of ``store``; ``known`` finds a pack by its id. Raises one of
    `UNREADABLE`.
    """
    header = dict(ledger.header)
    pack = pack_of(ledger, known)
    names = {color: ledger.names.get(color, color) for color in header["players"]}
    game = game_named(str(header["game"]))
    if isinstance(game, SquareGame):
        players, position = tuple(header["players"]), header.get("position")
        opening = Opening(game.name, pack.id, players, header.get("rules"), position=position)
        return SquaresTable(game, pack, opening, names, store), SQUARES
    value = dict(ledger.set_up or header)
    begun = header_from_json(value)
    assert isinstance(begun, Header)
    start = tile_game_named(begun.game).start(begun, pack)
    title = ", ".join(names.values())
    return TileTable(start, names, store, title=title, game=begun.game, header_line=value), TILES


def summary_of(path: Path) -> PastGame:
    """Return the summary of the game in a log, `NOT_BEGUN` if the log holds no game yet.

    A malicious log may raise any Exception.
    """
    if format_of(path) is None:
        return NOT_BEGUN
    with TableStore(path, read_only=True) as store:
        entries = store.entries()
        if not entries:
            return NOT_BEGUN
        table, board = past_table(store)
        ledger = table.game.journal.ledger
        state = board.state_json(table.state(), (), 0)
        kept = (ledger.set_up_entry, *ledger.entry_of)
        pictured = any(store.picture(entry, "frame") is not None for entry in kept)
    final = state["final"]
    points: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for event in (*state["events"], *(final["events"] if final else ())):
        points[event["player"]][event["kind"]] += event["points"]
    scores = {one["color"]: one["score"] for one in state["players"]}
    if final is not None:
        scores.update(final["scores"])
    game = PastGame(
        id=path.stem,
        game=state["game"],
        pack=state["pack"],
        began_s=entries[0].at_s,
        changed_s=entries[-1].at_s,
        turns=len(state["turns"]),
        over=ledger.ended,
        players=tuple(
            PastPlayer(
                one["color"],
                one["name"],
                scores[one["color"]],
                one["color"] in (final["winners"] if final else ()),
                {kind: n for kind, n in points[one["color"]].items() if n},
            )
            for one in state["players"]
        ),
        pictured=pictured,
    )
    return told_plainly(game)


def readable_summary(path: Path) -> PastGame | None:
    """Return the summary of the game in a log; None if it cannot be read."""
    try:
        return summary_of(path)
    except Exception as error:
        log.info("%s: cannot be read (%s: %s)", path, type(error).__name__, error)
        return None


def last_photo(table: TileTable | SquaresTable) -> bytes | None:
    """Return the photograph (JPEG) of the latest turn that has one, else of the opening position.

    None if there is no photograph.
    """
    for turn in range(len(table.state().played), -1, -1):
        try:
            return table.photo(turn)
        except Refusal:
            continue
    return None
