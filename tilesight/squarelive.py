"""`tilesight live`, and `replay --serve`, for games on squares: the watched table, its log, its dashboard."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from engine.pack import Pack
from engine.record import header_from_json, header_to_json
from engine.room import Opening
from engine.squares import SquareGame
from tilesight import ledger as book
from tilesight.dashboard import Dashboard
from tilesight.replay import print_event, say_ready
from tilesight.settings import SettingsError, live_camera, open_pack
from tilesight.sources import Lost, Pace, open_source
from tilesight.squaretracker import SquaresUnderstood, SquareTracker
from tilesight.store import SUFFIX, Entry, StoreError, TableStore, tables_folder
from vision.observation import Observation
from vision.pipeline import Pipeline
from web.feed import EventType, Feed
from web.keys import new_key
from web.squares import create_square_app
from web.squaretable import SquareView
from web.table import CameraStatus, Export, Refusal, Seat, Seeing

SET_UP = "set-up"
"""The kind of entry that holds the header once the set-up was read."""


class SquareLive:
    """A watched game on squares (web.squaretable.SquareTable). Everything is in the log before it is told."""

    def __init__(
        self,
        game: SquareGame,
        pack: Pack,
        opening: Opening,
        names: Mapping[str, str],
        store: TableStore | None = None,
        *,
        title: str = "",
        frames: int | None = None,
        rendered: bool = False,
        as_json: bool = False,
    ) -> None:
        self._lock = threading.RLock()
        self._feed = Feed()
        self._as_json = as_json
        self._store = store
        self._game = game
        self._frames = frames
        kept = _kept(store.entries()) if store is not None else _Kept()
        self._tracker = SquareTracker(game, pack, kept.header or opening)
        self._lines: list[dict[str, Any]] = []
        self._wrong: tuple[str, ...] = ()
        self._set_up_kept = kept.header is not None
        seats = tuple(Seat(color, names.get(color, color)) for color in opening.players)
        self._view = SquareView(
            title or ", ".join(names.values()),
            game.name,
            pack,
            seats,
            camera=CameraStatus(frames=frames),
            rendered=rendered,
        )
        if kept.header is not None:
            turns = [game.records.read_line(line) for line in kept.lines]
            self._lines = list(kept.lines)
            self._show(self._tracker.fix(turns), None, time.time())
        if kept.ended:
            self._finish()

    # -- what the camera shows ------------------------------------------------------------------

    def see(self, observation: Observation, arrived_s: float) -> SquaresUnderstood:
        """Take one picture into account, log what it changes, and tell it."""
        with self._lock:
            understood = self._tracker.see(observation)
            if self._view.phase != "over":
                self._show(understood, observation.frame_index, arrived_s)
                if understood.state is not None and understood.state.over:
                    self._end("rules")
            return understood

    def lost(self, message: str) -> None:
        """No picture comes for the time being."""
        with self._lock:
            self._view = replace(
                self._view, camera=replace(self._view.camera, seeing="lost", message=message)
            )
            self._tell("camera", {"seeing": "lost", "message": message}, None, None)

    def close_with_source(self) -> None:
        """The pictures are at their end, and so is the game."""
        with self._lock:
            if self._view.phase != "over":
                self._end("source")

    def _show(self, understood: SquaresUnderstood, frame: int | None, arrived_s: float) -> None:
        if understood.opening is not None and not self._set_up_kept:
            self._append(SET_UP, {"header": header_to_json(understood.opening)})
            self._set_up_kept = True
        lines = [one.turn.to_json() for one in understood.turns]
        keep = book.common_length(self._lines, lines)
        if lines != self._lines:
            self._append(book.SEEN, {"keep": keep, "lines": lines[keep:]})
        was, self._lines = self._view, lines
        camera = self._camera(understood, frame, arrived_s)
        self._view = replace(
            was,
            state=understood.state,
            phase="waiting" if understood.state is None else "playing",
            turns=tuple(lines),
            events=understood.events,
            guide=tuple(step.to_json() for step in understood.guide),
            misplaced=tuple(one.to_json() for one in understood.misplaced),
            faults=tuple(fault.message for fault in understood.faults),
            missing=understood.missing,
            outcome="" if understood.state is None else self._game.records.outcome(understood.state).text,
            camera=camera,
            can_undo=bool(lines) and self._store is not None,
            can_end=understood.state is not None and self._store is not None,
        )
        self._tell_changes(was, understood, keep, frame, arrived_s)

    def _tell_changes(
        self, was: SquareView, understood: SquaresUnderstood, keep: int, frame: int | None, arrived_s: float
    ) -> None:
        now = self._view
        for number, one in enumerate(understood.turns[keep:], keep + 1):
            data = {"turn": number, "player": one.turn.player, "line": one.turn.to_json()}
            self._tell("turn", {**data, "confidence": round(one.confidence, 4)}, frame, arrived_s)
            for event in one.step.events:
                self._tell("score", event.to_json(), frame, arrived_s)
        if len(now.turns) == keep < len(was.turns):
            self._tell("turn", {"turn": keep, "taken_back": len(was.turns) - keep}, frame, arrived_s)
        if understood.messages != self._wrong:
            self._wrong = understood.messages
            self._tell("fault", {"faults": [{"message": text} for text in self._wrong]}, frame, arrived_s)
        told = (was.camera.seeing, was.missing, was.guide) != (now.camera.seeing, now.missing, now.guide)
        if told:
            self._tell("camera", {"seeing": now.camera.seeing, "message": now.missing}, frame, arrived_s)

    def _camera(self, understood: SquaresUnderstood, frame: int | None, arrived_s: float) -> CameraStatus:
        seeing: Seeing = "watching"
        if not understood.board_seen:
            seeing = "lost"
        elif understood.busy:
            seeing = "moving"
        elif understood.messages:
            seeing = "unclear"
        return CameraStatus(seeing, "", frame, self._frames, arrived_s)

    def _tell(
        self, kind: EventType, data: Mapping[str, Any], frame: int | None, arrived_s: float | None
    ) -> None:
        self._feed.publish(kind, data, frame=frame, t_frame_s=arrived_s)
        if self._as_json:
            print_event(kind, {**data, "frame": frame})

    def _append(self, kind: str, data: Mapping[str, Any]) -> None:
        if self._store is not None:
            self._store.append(kind, data)

    def _end(self, by: str) -> None:
        self._append(book.ENDED, {"by": by})
        self._finish()

    def _finish(self) -> None:
        self._view = replace(self._view, phase="over", guide=(), misplaced=(), faults=(), can_end=False)
        state = self._view.state
        value = {} if state is None else dict(self._game.records.outcome(state).value)
        self._tell("end", {**value, "outcome": self._view.outcome}, self._view.camera.frame, None)

    # -- web.squaretable.SquareTable ------------------------------------------------------------

    def watch(self) -> Feed:
        """The table's feed."""
        return self._feed

    def state(self) -> SquareView:
        """The view now."""
        return self._view

    def undo(self) -> None:
        """Take back the last turn; it counts again once the table shows it anew."""
        with self._lock:
            if self._store is None:
                raise Refusal("recording", "this table replays a recording, which cannot be changed")
            if not self._lines or self._view.phase == "over":
                raise Refusal("nothing_to_undo", "there is nothing to take back")
            turns = [self._game.records.read_line(line) for line in self._lines[:-1]]
            self._show(self._tracker.fix(turns), self._view.camera.frame, time.time())

    def end(self) -> None:
        """End the game now."""
        with self._lock:
            if self._store is None or self._view.phase == "over":
                raise Refusal("over", "the game cannot be ended now")
            self._end("people")

    def export(self) -> Export:
        """The record so far."""
        opening = self._tracker.opening
        ended = [{"end": True}] if self._view.phase == "over" else []
        lines = [header_to_json(opening), *self._lines, *ended] if self._view.state is not None else []
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return Export("table.game.jsonl", "application/jsonl", text.encode())


class _Kept:
    """What a log holds of a game on squares."""

    def __init__(self) -> None:
        self.header: Opening | None = None
        self.lines: list[dict[str, Any]] = []
        self.ended = False
        self.asked: Mapping[str, Any] = {}


def _kept(entries: Sequence[Entry]) -> _Kept:
    """The fold of a log's entries. StoreError where one makes no sense."""
    kept = _Kept()
    for entry in entries:
        try:
            if entry.kind == book.OPENED:
                kept.asked = entry.data["header"]
            elif entry.kind == SET_UP:
                kept.header = header_from_json(entry.data["header"])
            elif entry.kind == book.SEEN:
                kept.lines = [*kept.lines[: int(entry.data["keep"])], *entry.data["lines"]]
            elif entry.kind == book.ENDED:
                kept.ended = True
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"entry {entry.number} of the table's log makes no sense ({error})") from None
    return kept


def run_square_live(
    game: SquareGame,
    names: Mapping[str, str],
    camera: str,
    *,
    pack: str | None,
    gallery: Path | None,
    rules: str | None,
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
    if rules is not None and rules not in game.presets:
        raise SettingsError(f"no rules {rules!r} for {game.name} (known: {', '.join(game.presets)})")
    if set(names) != set(game.colors):
        raise SettingsError(f"{game.name} is played by {' and '.join(game.colors)}, not {', '.join(names)}")
    chosen, faces = open_pack(pack or (None if gallery else game.default_pack), gallery)
    if chosen is None or chosen.game != game.name or not chosen.quarters:
        raise SettingsError(f"the pack {chosen.id if chosen else pack!r} is not of the game {game.name!r}")
    opening = Opening(game.name, pack or chosen.id, game.colors, rules or game.presets[0])
    asked = {"game": opening.game, "pack": opening.pack, "rules": opening.rules, "names": dict(names)}
    source = open_source(camera, pace)
    out, aside = Console(file=sys.stdout, highlight=False), Console(stderr=True, highlight=False)
    with TableStore(table or _table_file(asked, new)) as store:
        known = _kept(store.entries())
        if known.asked and known.asked != asked:
            raise StoreError(
                f"{store.path}: keeps another game; begin a new one with --new or another --table"
            )
        if not known.asked:
            store.append(book.OPENED, {"header": asked, "names": dict(names)})
        rendered = bool(getattr(source, "rendered", False))
        live = SquareLive(game, chosen, opening, names, store, rendered=rendered, as_json=as_json)
        observe = live_camera(camera).through(Pipeline(faces, chosen).observe)
        key = key or new_key()
        with Dashboard(
            live, host=host, port=port, key=key, app=create_square_app(live, key=key)
        ) as dashboard:
            say_ready(dashboard, out, aside, as_json=as_json)
            try:
                for got in source.frames():
                    if isinstance(got, Lost):
                        live.lost(got.message)
                        continue
                    live.see(observe(got), time.time())
                live.close_with_source()
            finally:
                source.close()
                view = live.state()
                if as_json:
                    result = {"type": "result", "table": str(store.path), "turns": list(view.turns)}
                    print(json.dumps({**result, "outcome": view.outcome}), flush=True)
                else:
                    out.print(f"{len(view.turns)} turns; {view.outcome or 'no set-up was read'}")
            if not exit_at_end:
                aside.print(f"The dashboard stays at {dashboard.join_url} until Ctrl-C.", soft_wrap=True)
                while True:
                    time.sleep(3600)


def _table_file(asked: Mapping[str, Any], new: bool) -> Path:
    """The latest table of this very game that was broken off, else a new one."""
    folder = tables_folder()
    found = sorted(folder.glob(f"{asked['game']}-*{SUFFIX}"), key=lambda p: p.stat().st_mtime, reverse=True)
    for path in [] if new else found[:5]:
        try:
            with TableStore(path) as store:
                kept = _kept(store.entries())
        except StoreError:
            continue
        if kept.asked == asked and kept.lines and not kept.ended:
            return path
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        path = folder / f"{asked['game']}-{stamp}{f'-{number}' if number else ''}{SUFFIX}"
        if not path.exists():
            return path
    raise StoreError(f"{folder}: too many tables of this second")
