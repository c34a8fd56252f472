"""Games that `tilesight live` can start: validates the command line's options and creates the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.game import Opening
from engine.games import game_named, tile_game_named
from engine.pack import Pack
from engine.record import header_from_json, header_to_json, opening_to_json
from engine.squares_game import SquareGame
from engine.tiles.game import GameState, Header
from engine.tiles.seen_position import UnseenState
from tilesight.live.gallery_learning import Learning
from tilesight.live.publication import EventSink
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import WatchedFrame
from tilesight.recordings.tile_replay import TileReplay
from tilesight.sessions.heading import check_squares, names_by_color
from tilesight.sessions.opening_words import UnderWay, check_told, position_line
from tilesight.settings import SettingsError, open_pack, opening_given
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger, folded
from tilesight.table_log.event_store import StoreError, TableStore
from tilesight.table_log.log_pack import kept_pack
from vision.tiles.gallery import Gallery


@dataclass(slots=True)
class AskedGame(ABC):
    """Game that the command line selects: players' names by colour, its pack and gallery."""

    opening: Opening
    names: Mapping[str, str]
    pack: Pack
    faces: Gallery | None

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return the data of a log's first entry, which identifies the game."""

    @abstractmethod
    def run(self, store: TableStore, *, rendered: bool, sink: EventSink | None) -> LiveRun:
        """Create the game's table. ``rendered`` is true for rendered pictures.

        Raises StoreError if the log is inconsistent.
        """

    def learning(self, gallery: Path | None) -> Learning | None:
        """Return the learner that adds certainly identified tiles to the gallery.

        None if the game is played without known faces.
        """
        return None if self.faces is None else Learning(self.faces, gallery, self.pack)

    def ledger(self, store: TableStore) -> GameLedger[Any]:
        """Return the ledger of a log's entries."""
        entries = store.entries()
        return folded(empty_ledger(entries), entries)

    def begun_in(self, store: TableStore, camera: str | None = None) -> GameLedger[Any]:
        """Return the ledger of a log; an empty log gets its first entry.

        That entry names the camera's profile ``camera``, None if the pictures come from files. Raises
        StoreError if the log is of another game.
        """
        kept = self.ledger(store)
        if kept.header and self.header() not in (kept.opened, kept.header):
            path = store.path
            raise StoreError(f"{path}: is of another game; start a new one with --new or another --table")
        if not kept.header:
            entry = {"header": self.header(), "names": dict(self.names), **kept_pack(self.pack)}
            if camera is not None:
                entry["camera"] = camera
            kept = kept.with_entry(store.append(EntryKind.OPENED, entry))
        return kept

    def broken_off_in(self, store: TableStore) -> bool:
        """Whether a log is of this game, started and not ended."""
        opened = [entry for entry in store.entries() if entry.kind == EntryKind.OPENED]
        if not opened:
            return False
        kept = self.ledger(store)
        return self.header() in (kept.opened, kept.header) and not kept.ended


@dataclass(slots=True)
class AskedTiles(AskedGame):
    """Tile game that the command line selects; ``told`` gives scores and hands of a game under way."""

    start: GameState
    told: UnseenState

    def header(self) -> dict[str, Any]:
        """Return the record's header as JSON."""
        return header_to_json(self.opening)

    def run(self, store: TableStore, *, rendered: bool, sink: EventSink | None) -> LiveRun:
        """Create the game's table."""
        names = {**self.names, **self.ledger(store).names}  # the log has later renames
        table = TileTable(
            self.start,
            names,
            store,
            title=", ".join(names.values()),
            game=self.opening.game,
            rendered=rendered,
            header_line=self.header(),
            sink=sink,
            told=self.told,
        )
        return _TileRun(table, self)


class _TileRun:
    def __init__(self, table: TileTable, asked: AskedTiles) -> None:
        self.table = table
        self._asked = asked
        self._replay = TileReplay(asked.start)
        self.take = self._replay.take

    def to_json(self) -> dict[str, Any]:
        return self._shown().to_json()

    def text(self) -> str:
        replay = self._shown()
        names = {**self._asked.names, **self.table.game.journal.ledger.names}
        scores = ", ".join(f"{names.get(c, c)} {n}" for c, n in replay.final.scores.items())
        return f"{len(replay.turns)} turns; if the game ends here: {scores}"

    def _shown(self) -> TileReplay:
        """Return the replay with the latest understanding, including players' corrections."""
        self._replay.understood = self.table.game.understood
        return self._replay


@dataclass(slots=True)
class AskedSquares(AskedGame):
    """Game on a board of squares that the command line selects."""

    game: SquareGame

    def header(self) -> dict[str, Any]:
        """Return the record's header without a set-up, which is read from the table."""
        return opening_to_json(self.opening)

    def run(self, store: TableStore, *, rendered: bool, sink: EventSink | None) -> LiveRun:
        """Create the game's table."""
        table = SquaresTable(
            self.game, self.pack, self.opening, self.names, store, rendered=rendered, sink=sink
        )
        return _SquaresRun(table)


class _SquaresRun:
    def __init__(self, table: SquaresTable) -> None:
        self.table = table
        self.to_json = table.result

    def take(self, seen: WatchedFrame[Any]) -> None:
        pass  # the result comes from the table

    def text(self) -> str:
        result = self.table.result()
        return f"{len(result['turns'])} turns; {result['outcome'] or 'no set-up was read'}"


LiveRun = _TileRun | _SquaresRun
"""A watched table, with the text or JSON that the command prints at its end."""


def asked_game(
    game: str,
    players: str,
    pack: str | None,
    gallery: Path | None,
    rules: str | None,
    given: Sequence[str] = (),
    *,
    learn: bool,
    under_way: UnderWay | None = None,
) -> AskedGame:
    """Validate the command line's options and return the game that they select.

    ``given`` are fields of its header, such as ``river=c3``. Raises SettingsError if the options are invalid
    or contradict each other.
    """
    under_way = under_way or UnderWay(None, UnseenState())
    rules_of_game = game_named(game)
    if learn and isinstance(rules_of_game, SquareGame):
        raise SettingsError("--learn is only for tile games")
    fields = opening_given(given, rules_of_game.records.header_keys)
    names = names_by_color(players)
    check_told(under_way.told, names)
    if isinstance(rules_of_game, SquareGame):
        if fields:
            raise SettingsError("--with is only for tile games")
        return _asked_squares(rules_of_game, names, pack, gallery, rules, under_way.position)
    chosen, faces = _pack_of(game, pack, gallery)
    value: dict[str, Any] = {"tilesight": 1, "game": game, "pack": pack or chosen.id, "players": list(names)}
    value.update(fields)
    if rules:
        value["rules"] = rules
    if under_way.position is not None:
        value["position"] = position_line(under_way.position, chosen)
    header = header_from_json(value)
    assert isinstance(header, Header)
    start = tile_game_named(game).start(header, chosen)
    return AskedTiles(header, names, chosen, faces, start, under_way.told)


def _asked_squares(
    game: SquareGame,
    names: Mapping[str, str],
    pack: str | None,
    gallery: Path | None,
    rules: str | None,
    position: str | None,
) -> AskedSquares:
    check_squares(game, names, rules)
    chosen, faces = _pack_of(game.name, pack, gallery)
    if not chosen.quarters:
        raise SettingsError(f"the pack {chosen.id!r} is not of the game {game.name!r}")
    opening = Opening(game.name, pack or chosen.id, game.colors, rules or game.presets[0])
    if position is not None:
        value = {"tilesight": 1, "game": game.name, "pack": opening.pack, "rules": opening.rules}
        line = position_line(position, chosen)
        opening = header_from_json({**value, "players": list(game.colors), "position": line})
        game.start(opening, chosen)
    return AskedSquares(opening, names, chosen, faces, game)


def _pack_of(game: str, pack: str | None, gallery: Path | None) -> tuple[Pack, Gallery | None]:
    """Return the pack and gallery of a game. Raises SettingsError if the pack named is of another game."""
    chosen, faces = open_pack(pack, gallery, game)
    if chosen is None or chosen.game != game:
        raise SettingsError(f"the pack {chosen.id if chosen else pack!r} is not of the game {game!r}")
    return chosen, faces
