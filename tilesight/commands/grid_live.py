"""`tilesight live` for games on squares: the watched table, its log, its dashboard."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from engine.game import Opening
from engine.grid_game import SquareGame
from engine.pack import Pack
from tilesight.live.grid.controller import SquareSteward
from tilesight.live.phone_source import PhoneSource
from tilesight.live.presentation import JsonLines, say_ready, stay_open
from tilesight.live.sources import Pace, SessionSource, open_source
from tilesight.live.watching import watch
from tilesight.server.dashboard import Dashboard
from tilesight.settings import SettingsError, live_camera, open_pack
from tilesight.table_log import event_fold as book
from tilesight.table_log.event_fold import GameLedger, folded
from tilesight.table_log.event_store import StoreError, TableStore
from tilesight.table_log.log_files import table_file, table_key
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.gallery import Gallery
from web.app import create_square_app


@dataclass(frozen=True, slots=True)
class SquareAsked:
    """The game that the command line asks for."""

    game: SquareGame
    pack: Pack
    faces: Gallery | None
    opening: Opening
    names: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """What a log's first entry says, and by which it is known again."""
        opening = self.opening
        header: dict[str, Any] = {
            "tilesight": 1,
            "game": opening.game,
            "pack": opening.pack,
            "rules": opening.rules,
        }
        return {**header, "players": list(opening.players)}


def asked_square_game(
    game: SquareGame, names: Mapping[str, str], pack: str | None, gallery: Path | None, rules: str | None
) -> SquareAsked:
    """The game, with what it needs; SettingsError where that does not go together."""
    if rules is not None and rules not in game.presets:
        raise SettingsError(f"no rules {rules!r} for {game.name} (known: {', '.join(game.presets)})")
    if set(names) != set(game.colors):
        raise SettingsError(f"{game.name} is played by {' and '.join(game.colors)}, not {', '.join(names)}")
    chosen, faces = open_pack(pack, gallery, game.name)
    if chosen is None or chosen.game != game.name or not chosen.quarters:
        raise SettingsError(f"the pack {chosen.id if chosen else pack!r} is not of the game {game.name!r}")
    opening = Opening(game.name, pack or chosen.id, game.colors, rules or game.presets[0])
    return SquareAsked(game, chosen, faces, opening, names)


def run_square_live(
    asked: SquareAsked,
    camera: str,
    *,
    host: str,
    port: int | None,
    key: str | None,
    pace: Pace,
    table: Path | None,
    new: bool,
    exit_at_end: bool,
    as_json: bool,
) -> None:
    """Watch a camera over a game on squares until the pictures end, or until Ctrl-C."""
    out, aside = Console(file=sys.stdout, highlight=False), Console(stderr=True, highlight=False)
    path = table or table_file(asked.game.name, lambda store: _broken_off(asked, store), new=new)
    with TableStore(path) as store:
        kept = _ledger(asked, store)
        if kept.header and kept.header != asked.to_json():
            raise StoreError(f"{path}: keeps another game; begin a new one with --new or another --table")
        if not kept.header:
            store.append(book.OPENED, {"header": asked.to_json(), "names": dict(asked.names)})
        last = max((frame for frame in kept.frames if frame is not None), default=-1)
        phone = PhoneSource() if camera == "phone" else None
        source = phone or open_source(camera, pace, skip_to=last + 1 if kept.turns else 0)
        lines = JsonLines() if as_json else None
        steward = SquareSteward(
            asked.game,
            asked.pack,
            asked.opening,
            asked.names,
            store,
            rendered=isinstance(source, SessionSource) and source.rendered,
            listener=lines.tell if lines is not None else None,
        )
        if kept.turns:
            aside.print(f"Going on with {path.name} after turn {len(kept.turns)} (--new begins another).")
        observe = live_camera(camera).through(Pipeline(asked.faces, asked.pack).observe)
        key = table_key(store, key)
        app = create_square_app(steward, key=key, phone=phone)
        with Dashboard(steward, host=host, port=port, key=key, phone=phone, app=app) as dashboard:
            say_ready(dashboard, out, aside, as_json=as_json)
            if lines is not None:
                lines.release()

            def see(frame: Frame) -> None:
                arrived_s = time.time()
                steward.see(observe(frame), frame, arrived_s)

            try:
                watch(source, see, steward.lost)
                if source.complete:
                    steward.close_with_source()
            finally:
                source.close()
                _tell_result(steward, path, source.dropped, out, lines)
            if not exit_at_end:
                stay_open(dashboard, aside)


def _tell_result(
    steward: SquareSteward, path: Path, dropped: int, out: Console, lines: JsonLines | None
) -> None:
    result = steward.result()
    if lines is not None:
        lines.close({"type": "result", "table": str(path), "dropped": dropped, **result})
        return
    out.print(f"{len(result['turns'])} turns; {result['outcome'] or 'no set-up was read'}")
    out.print(f"[dim]The log is {path}; {dropped} pictures dropped[/dim]", soft_wrap=True)


def _ledger(asked: SquareAsked, store: TableStore) -> GameLedger[Any]:
    return folded(GameLedger(read_turn=asked.game.records.read_line), store.entries())


def _broken_off(asked: SquareAsked, store: TableStore) -> bool:
    """Whether a log is of this very game, begun and not ended."""
    kept = [entry for entry in store.entries() if entry.kind == book.OPENED]
    if not kept or kept[0].data.get("header") != asked.to_json():
        return False
    return not _ledger(asked, store).ended
