"""Lobby of one computer: starts, resumes and stops its tables."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.message import Message
from tilesight.camera_option import shown_camera
from tilesight.lobby import choices
from tilesight.lobby.calibration_desk import CalibrationDesk
from tilesight.lobby.camera_desk import CameraDesk
from tilesight.lobby.command_process import TableProcess
from tilesight.lobby.enrolment_desk import EnrolmentDesk
from tilesight.lobby.found_table import FoundTable, found_table
from tilesight.lobby.memory import LobbyMemory
from tilesight.lobby.shelf import Shelf, ShelvedGame
from tilesight.server.addresses import DEFAULT_HOST
from tilesight.settings import is_pack_id
from tilesight.table_log.log_files import log_path, numbered
from web.lobby_app import CameraChoice, Edition, NewTable, TableCard, TablePhase
from web.table.refusal import Refusal

TABLES_AT_MOST = 8
"""Maximum number of tables that are watched at a time. Each takes about half a gigabyte of memory."""
PHONE = "phone"
"""Name of the camera that is a phone. Every table can have a phone of its own, so this camera is never in
use."""
EDITIONS_FOR_S = 5.0
"""Seconds for which the list of editions is cached."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """A table that has a process, started or found at ``since_s`` (seconds since 1970)."""

    asked: NewTable
    game: str
    process: TableProcess | FoundTable
    since_s: float

    @property
    def owned(self) -> bool:
        """Whether the table ends with this lobby: it was started here, or by a process that is gone."""
        return self.process.orphan if isinstance(self.process, FoundTable) else True


class TableLobby:
    """The tables of this computer. Each watched table has a process, and every game has a log.

    Implements `web.lobby_app.Lobby`. Tables that a killed lobby has left are found again, and so are those
    that people started otherwise. As a context manager it stops its own tables at the end; their games can be
    resumed.
    """

    def __init__(self, memory: LobbyMemory, host: str = DEFAULT_HOST) -> None:
        """``host`` is the address on which the tables are served."""
        self._memory = memory
        self._host = host
        self._shelf = Shelf()
        self._watched: dict[str, _Watched] = {}
        self._editions: tuple[float, tuple[Edition, ...]] = (-EDITIONS_FOR_S, ())
        self._lock = threading.RLock()
        self.desk = CameraDesk(self._memory.camera_shown_as)
        self.calibrations = CalibrationDesk(self.desk.stop, self._memory.camera_shown_as)
        self.enrolments = EnrolmentDesk(lambda pack: self._edition(pack).pack, host, self._editions_changed)

    def __enter__(self) -> TableLobby:
        return self

    def __exit__(self, *_: object) -> None:
        self.desk.stop()
        self.enrolments.stop()
        self.calibrations.stop()
        owned = [one.process for one in self._watched.values() if one.owned]
        stopping = [threading.Thread(target=process.stop) for process in owned]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join()

    def editions(self) -> Sequence[Edition]:
        """Return the editions; those that can be recognised come first."""
        with self._lock:
            now_s = time.monotonic()
            if now_s - self._editions[0] >= EDITIONS_FOR_S:
                self._editions = (now_s, choices.editions())
            return self._editions[1]

    def cameras(self) -> Sequence[CameraChoice]:
        """Return the cameras of this computer, and the sample sessions."""
        return choices.cameras()

    def names(self) -> Mapping[str, str]:
        """Return the last player name of each colour."""
        return self._memory.names

    def tables(self) -> Sequence[TableCard]:
        """Return the running tables, then those on the disk, latest first."""
        with self._lock:
            shelved = {game.id: game for game in self._found()}
            running = [
                _card(id_, one, shelved.get(id_)) for id_, one in reversed(list(self._watched.items()))
            ]
            resting = [self._resting_card(game) for id_, game in shelved.items() if id_ not in self._watched]
            return [*running, *resting]

    def begin(self, asked: NewTable) -> TableCard:
        """Start a game at a new table. Raises Refusal."""
        edition = self._edition(asked.pack)
        if not edition.ready:
            raise Refusal(
                "not_enrolled", Message("{title}: its tiles must be enrolled first", title=edition.pack.title)
            )
        colors = [color for color, _ in asked.players]
        if len(set(colors)) < len(colors) or not set(colors) <= set(edition.colors):
            raise Refusal("colors", Message("every player needs a colour of the game, and one of their own"))
        if asked.rules is not None and asked.rules not in edition.presets:
            raise Refusal("unknown_rules", Message("the game has no such rules"))
        if any(value not in edition.fields.get(name, ()) for name, value in asked.fields.items()):
            raise Refusal("unknown_field", Message("the edition is not played with that"))
        game = edition.game
        with self._lock:
            return self._watch(self._new_id(game), asked, game)

    def resume(self, table: str, camera: str) -> TableCard:
        """Resume an interrupted game. Raises Refusal."""
        with self._lock:
            game = next((one for one in self._found() if one.id == table), None)
            if game is None:
                raise Refusal("unknown_table", Message("there is no such table"))
            if not is_pack_id(game.pack):  # --pack would read it as a folder
                raise Refusal("unknown_pack", Message("there is no such edition"))
            if game.over:
                raise Refusal("over", Message("this game is over"))
            known = self._watched.get(table)
            if game.is_watched or (known is not None and known.process.running):
                raise Refusal("watched", Message("this table is being watched already"))
            return self._watch(table, self._asked(game, camera), game.game)

    def stop(self, table: str) -> None:
        """Stop watching a table; its log stays. A failed table is removed from the list. Raises Refusal."""
        with self._lock:
            self._found()
            one = self._watched.get(table)
        if one is None:
            raise Refusal("unknown_table", Message("there is no such table that the lobby watches"))
        one.process.stop()
        with self._lock:
            self._watched.pop(table, None)

    def _found(self) -> list[ShelvedGame]:
        """Return the games on the disk; take up the running tables among them that other processes started,
        and drop those that have ended."""
        for table, one in list(self._watched.items()):
            if isinstance(one.process, FoundTable) and not one.process.running:
                del self._watched[table]
        games = self._shelf.games()
        for game in games:
            known = self._watched.get(game.id)
            if (known is None or not known.process.running) and (found := found_table(game.path)) is not None:
                asked = self._asked(game, self._memory.camera_of(game.id))
                self._watched[game.id] = _Watched(asked, game.game, found, game.changed_s)
        return games

    def _watch(self, table: str, asked: NewTable, game: str) -> TableCard:
        """Start the process of a table."""
        if sum(one.process.running for one in self._watched.values()) >= TABLES_AT_MOST:
            message = Message("{number} tables are watched: stop one of them first", number=TABLES_AT_MOST)
            raise Refusal("too_many_tables", message)
        if any("," in name for _, name in asked.players):
            raise Refusal("names", Message("names without commas, please"))
        asked = replace(asked, camera=self._memory.camera_shown_as(asked.camera))
        path = log_path(table)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._free(asked.camera)
        process = TableProcess([*_arguments(asked, game, path), "--host", self._host], self._memory.hub)
        self._watched[table] = _Watched(asked, game, process, time.time())
        names = {} if choices.is_recorded(asked.camera) else _names_of(asked)
        self._memory.remember(table, asked.camera, names, discs=asked.discs)
        return _card(table, self._watched[table], None)

    def _editions_changed(self) -> None:
        """Drop the cached editions."""
        with self._lock:
            self._editions = (-EDITIONS_FOR_S, ())

    def _free(self, camera: str) -> None:
        """Close a camera that only one process can open.

        Its preview ends, and so do the processes of tables whose games are over.
        """
        self.desk.stop()
        self.calibrations.stop()
        if camera == PHONE or Path(camera).exists():
            return
        over = {game.id for game in self._shelf.games() if game.over}
        for table, one in list(self._watched.items()):
            if table in over and one.asked.camera == camera:
                one.process.stop()
                del self._watched[table]

    def _edition(self, pack: str) -> Edition:
        """Return the edition of a pack. Raises Refusal if there is none."""
        found = next((one for one in self.editions() if one.pack.id == pack), None)
        if found is None:
            raise Refusal("unknown_pack", Message("there is no such edition"))
        return found

    def _new_id(self, game: str) -> str:
        """Return an unused table id: the game's name with the current time."""
        names = numbered(time.strftime(f"{game}-%Y%m%d-%H%M%S"))
        return next(name for name in names if name not in self._watched and not log_path(name).exists())

    def _resting_card(self, game: ShelvedGame) -> TableCard:
        """Return the card of a table without a process."""
        phase: TablePhase = "ended" if game.over else "elsewhere" if game.is_watched else "sleeping"
        asked = self._asked(game, shown_camera(self._memory.camera_of(game.id)))
        of = (game.turns, game.changed_s)
        return TableCard(game.id, asked, game.game, phase, *of, over=game.over, points=game.points)

    def _asked(self, game: ShelvedGame, camera: str) -> NewTable:
        """Return the options with which an interrupted game is resumed."""
        discs = self._memory.has_discs(game.id)
        return NewTable(game.pack, game.players, camera, game.rules, game.fields, discs=discs)


def _names_of(asked: NewTable) -> dict[str, str]:
    """Return the names of a table's players by colour; an unnamed player has the colour as name."""
    return {color: name for color, name in asked.players if name != color}


def _arguments(asked: NewTable, game: str, path: Path) -> Iterator[str]:
    """Yield the options of `tilesight live` for a table.

    Options have the form ``--name=value``, so that no value is parsed as an option.
    """
    yield f"--game={game}"
    yield f"--pack={asked.pack}"
    yield f"--players={','.join(f'{color}={name}' for color, name in asked.players)}"
    yield f"--camera={asked.camera}"
    yield f"--table={path}"
    if asked.rules is not None:
        yield f"--rules={asked.rules}"
    for name, value in asked.fields.items():
        yield f"--with={name}={value}"
    if asked.keep_labels:
        yield "--keep-labels"
    if asked.discs:
        yield "--discs"


def _card(table: str, one: _Watched, game: ShelvedGame | None) -> TableCard:
    """Return the card of a table that has a process; ``game`` is its log's summary."""
    ready, running = one.process.ready, one.process.running
    asked = replace(one.asked, camera=shown_camera(one.asked.camera))
    card = TableCard(
        table,
        asked if game is None else replace(asked, players=game.players),
        one.game,
        "failed" if not running else "running" if ready else "starting",
        0 if game is None else game.turns,
        one.since_s if game is None else game.changed_s,
        over=game is not None and game.over,
        points={} if game is None else game.points,
    )
    if not running:
        return replace(card, message=one.process.reason)
    if not ready:
        return card
    return replace(card, url=f"{ready['url']}/#key={ready['host_key']}", camera_url=ready.get("camera_url"))
