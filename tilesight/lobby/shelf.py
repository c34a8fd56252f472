"""Shelf of the lobby: the games of the logs in the folder of tables."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.games import tile_game_named, tile_game_names
from tilesight.lobby.game_index import GameIndex
from tilesight.lobby.past import readable_summary
from tilesight.table_log.event_fold import empty_ledger, folded
from tilesight.table_log.event_store import SUFFIX, TableStore
from tilesight.table_log.log_files import is_locked, latest_logs

log = logging.getLogger("tilesight.lobby")
SHOWN = 60
"""Maximum number of logs that are read, the latest ones."""


@dataclass(frozen=True, slots=True)
class ShelvedGame:
    """Summary of a log's game.

    ``players`` are colours and names in turn order, ``turns`` is the number of turns, ``changed_s`` the log's
    modification time in seconds since 1970. ``fields`` are further fields of the game's header. ``points``
    are by colour, empty until there are any.
    """

    path: Path
    game: str
    pack: str
    rules: str | None
    players: tuple[tuple[str, str], ...]
    turns: int
    over: bool
    changed_s: float
    fields: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The log's name in the folder of tables."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def is_watched(self) -> bool:
        """Whether a process has the log open for writing."""
        return is_locked(self.path)


class Shelf:
    """The logs in the folder of tables. A log is read again only when it has changed."""

    def __init__(self) -> None:
        self._index = GameIndex(readable_summary)
        self._read: dict[Path, tuple[float, ShelvedGame | None]] = {}

    def games(self) -> list[ShelvedGame]:
        """Return the games of the latest logs, latest first, without those that cannot be read."""
        known = {path: self._game(path, changed_s) for changed_s, path in latest_logs()[:SHOWN]}
        self._read = {path: self._read[path] for path in known}
        return [game for game in known.values() if game is not None]

    def _game(self, path: Path, changed_s: float) -> ShelvedGame | None:
        """Return a log's game, from the cache if the log is unchanged."""
        if path not in self._read or self._read[path][0] != changed_s:
            game, told = _read(path, changed_s), self._index.game(path, changed_s)
            if told is None:
                game = None
            elif game is not None and (told.turns or told.over):
                game = replace(game, points={one.color: one.score for one in told.players})
            self._read[path] = (changed_s, game)
        return self._read[path][1]


def _read(path: Path, changed_s: float) -> ShelvedGame | None:
    """Return the summary of a log; None if it cannot be read."""
    try:
        with TableStore(path, read_only=True) as store:
            entries = store.entries()
        ledger = folded(empty_ledger(entries), entries)
        header = ledger.header
        names = ledger.names
        players = tuple((str(color), str(names.get(color, color))) for color in header["players"])
        game, pack = str(header["game"]), str(header["pack"])
        rules = None if header.get("rules") is None else str(header["rules"])
        fields = {name: str(header[name]) for name in _choices(game) if header.get(name) is not None}
    except Exception as error:  # a malicious log may raise any
        log.info("%s: not on the shelf (%s: %s)", path, type(error).__name__, error)
        return None
    return ShelvedGame(path, game, pack, rules, players, len(ledger.turns), ledger.ended, changed_s, fields)


def _choices(game: str) -> Collection[str]:
    """Return the names of the header fields with which a game may be varied."""
    return tile_game_named(game).header_choices if game in tile_game_names() else ()
