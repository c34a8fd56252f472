"""`tilesight live`: watches a camera, keeps the game, and serves it to every phone at the table."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from engine.games import game_named, game_names, tile_game_named
from engine.grid_game import SquareGame
from engine.record import header_from_json, header_to_json
from engine.tiles.game import GameState, Header
from tilesight.commands.grid_live import asked_square_game, run_square_live
from tilesight.live.controller import Steward
from tilesight.live.gallery_learning import Learning
from tilesight.live.phone_source import PhoneSource
from tilesight.live.presentation import JsonLines, say_ready, stay_open
from tilesight.live.sources import Pace, SessionSource, open_source
from tilesight.live.table import LiveTable
from tilesight.live.watching import watch
from tilesight.replay.tile_replay import Replay
from tilesight.server.dashboard import DEFAULT_HOST, Dashboard
from tilesight.settings import SettingsError, live_camera, open_pack
from tilesight.table_log import event_fold as book
from tilesight.table_log.event_fold import Ledger, fold
from tilesight.table_log.event_store import StoreError, TableStore
from tilesight.table_log.log_files import table_file, table_key
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.gallery import Gallery
from web.api.bodies import NAME

PHONE = "phone"
"""The camera is a phone that opens our page."""


def live_command(
    game: Annotated[str, typer.Option(help=f"the game on the table: {', '.join(game_names())}")],
    players: Annotated[str, typer.Option(help="who plays, in turn order: red=Ana,blue=Bo")],
    camera: Annotated[
        str,
        typer.Option(help="camera index, video file, rtsp:// or http:// address, folder, session, or phone"),
    ],
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack")] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    rules: Annotated[str | None, typer.Option(help="a rule edition of the game")] = None,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
    key: Annotated[str | None, typer.Option(help="the table's join key; its own if not given")] = None,
    pace: Annotated[
        str, typer.Option(help="a session's frames at their times (real) or at once (fast)")
    ] = "real",
    table: Annotated[Path | None, typer.Option(help="the file that keeps this table's log")] = None,
    new: Annotated[bool, typer.Option("--new", help="begin a new game, whatever was broken off")] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="add the tiles read beyond doubt to the gallery, for later games")
    ] = False,
    exit_at_end: Annotated[bool, typer.Option("--exit-at-end", help="end when the pictures end")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
) -> None:
    """Watch a camera, record the game, and serve it to every phone at the table."""
    if pace not in ("real", "fast"):
        raise SettingsError(f"--pace is real or fast, not {pace!r}")
    known = game_named(game)
    if isinstance(known, SquareGame):
        if learn:
            raise SettingsError("--learn is for games whose tiles are laid one by one")
        run_square_live(
            asked_square_game(known, _names(players), pack, gallery, rules),
            camera,
            host=host,
            port=port,
            key=key,
            pace="fast" if pace == "fast" else "real",
            table=table,
            new=new,
            exit_at_end=exit_at_end,
            as_json=as_json,
        )
        return
    asked = _asked(game, pack, gallery, rules, players)
    path = table or table_file(game, lambda store: _broken_off(asked, store), new=new)
    with TableStore(path) as store:
        ledger = fold(store.entries())
        if ledger.header and ledger.header != header_to_json(asked.header):
            raise StoreError(f"{path}: keeps another game; begin a new one with --new or another --table")
        if not ledger.header:
            entry = {"header": header_to_json(asked.header), "names": dict(asked.names)}
            ledger = ledger.with_entry(store.append(book.OPENED, entry))
        learning = Learning(asked.faces, gallery, asked.start.pack) if learn and asked.faces else None
        live = _Live(asked, store, ledger, path, learning)
        live.run(
            camera,
            "fast" if pace == "fast" else "real",
            host,
            port,
            table_key(store, key),
            exit_at_end,
            as_json,
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The game that the command line asks for."""

    header: Header
    names: Mapping[str, str]
    start: GameState
    faces: Gallery | None


def _asked(game: str, pack: str | None, gallery: Path | None, rules: str | None, players: str) -> _Asked:
    names = _names(players)
    chosen, faces = open_pack(pack, gallery, game)
    if chosen is None or chosen.game != game:
        raise SettingsError(f"the pack {chosen.id if chosen else pack!r} is not of the game {game!r}")
    value = {"tilesight": 1, "game": game, "pack": pack or chosen.id, "players": list(names)}
    header = header_from_json({**value, **({"rules": rules} if rules else {})})
    assert isinstance(header, Header)
    return _Asked(header, names, tile_game_named(game).start(header, chosen), faces)


def _names(players: str) -> dict[str, str]:
    """What ``--players`` says: each colour's name, in turn order."""
    names: dict[str, str] = {}
    for part in players.split(","):
        color, _, name = part.strip().partition("=")
        if not color or color in names:
            raise SettingsError(f"--players names colours once each, as in red=Ana,blue=Bo, not {players!r}")
        if name and re.fullmatch(NAME, name) is None:
            raise SettingsError("--players takes names without control characters")
        names[color] = name or color
    return names


def _broken_off(asked: _Asked, store: TableStore) -> bool:
    """Whether a log is of this very game, begun and not ended."""
    ledger = fold(store.entries())
    return ledger.header == header_to_json(asked.header) and not ledger.ended


class _Live:
    """One run of the command."""

    def __init__(
        self, asked: _Asked, store: TableStore, ledger: Ledger, path: Path, learning: Learning | None
    ) -> None:
        self._asked = asked
        self._learning = learning
        self._store = store
        self._ledger = ledger
        self._path = path

    def run(
        self, camera: str, pace: Pace, host: str, port: int | None, key: str, exit_at_end: bool, as_json: bool
    ) -> None:
        """Watch until the pictures end, or until Ctrl-C."""
        asked, resumed = self._asked, self._ledger.turns
        last = max((frame for frame in self._ledger.frames if frame is not None), default=-1)
        phone = PhoneSource() if camera == PHONE else None
        source = phone or open_source(camera, pace, skip_to=last + 1 if resumed else 0)
        lines = JsonLines() if as_json else None
        names = {**asked.names, **self._ledger.names}  # a player may have been given another name since
        table = LiveTable(
            asked.start,
            names,
            title=", ".join(names.values()),
            game=asked.header.game,
            rendered=isinstance(source, SessionSource) and source.rendered,
            header_line=header_to_json(asked.header),
            listener=lines.tell if lines is not None else None,
        )
        out, aside = Console(file=sys.stdout, highlight=False), Console(stderr=True, highlight=False)
        if resumed:
            aside.print(f"Going on with {self._path.name} after turn {len(resumed)} (--new begins another).")
        observe = live_camera(camera).through(Pipeline(asked.faces, asked.start.pack).observe)
        replay = Replay(asked.start)
        with Dashboard(table, host=host, port=port, key=key, phone=phone) as dashboard:
            say_ready(dashboard, out, aside, as_json=as_json)
            if lines is not None:
                lines.release()
            steward = Steward(asked.start, self._store, self._ledger, table)

            def see(frame: Frame) -> None:
                arrived_s, began = time.time(), time.perf_counter()
                observation = observe(frame)
                replay.understood = steward.see(observation, frame, arrived_s)
                if self._learning is not None:
                    self._learning.see(frame.image, observation, replay.understood)
                replay.frame_ms.append(1e3 * (time.perf_counter() - began))

            try:
                watch(source, see, steward.lost)
                replay.understood = steward.last_look()
                if source.complete:
                    steward.close_with_source()
            finally:
                source.close()
                self._tell(replay, steward, source.dropped, out, lines)
                if self._learning is not None and (learned := self._learning.save()):
                    aside.print(f"{learned} new pictures of faces -> {self._learning.path}", soft_wrap=True)
            if not exit_at_end:
                stay_open(dashboard, aside)

    def _tell(
        self, replay: Replay, steward: Steward, dropped: int, out: Console, lines: JsonLines | None
    ) -> None:
        replay.understood = steward.understood
        if lines is not None:
            lines.close({"type": "result", "table": str(self._path), "dropped": dropped, **replay.to_json()})
            return
        scores = ", ".join(f"{self._asked.names[c]} {n}" for c, n in replay.final.scores.items())
        out.print(f"{len(replay.turns)} turns; if the game ends here: {scores}")
        out.print(f"[dim]The log is {self._path}; {dropped} pictures dropped[/dim]", soft_wrap=True)
