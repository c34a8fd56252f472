"""Replays of games whose tiles are laid edge to edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from engine.games import tile_game_named
from engine.notation import write_position
from engine.pack import Pack
from engine.record import header_to_json
from engine.tiles.foreign import MARK
from engine.tiles.game import Final, GameState, drawn
from engine.tiles.seen_position import UnseenState
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.publication import EventSink
from tilesight.live.tiles.board import events_of
from tilesight.live.tiles.doubts import doubted_turns
from tilesight.live.tiles.table import TileTable
from tilesight.live.watched_game import WatchedGame
from tilesight.live.watching import Observe, WatchedFrame
from tilesight.recordings.replay import Figures, Recording, Replay
from tilesight.sessions.comparison import Comparison, compare
from tilesight.sessions.narration import Narrator
from tilesight.sessions.session import SESSION_FILE, Said, Session, SessionError
from tilesight.settings import open_pack, session_camera
from vision.observation import Frame, Observation
from vision.pipeline import Pipeline
from web.table.doubts import is_doubtful


class TileReplay(Replay[Understanding]):
    """Result so far of the replay of a tile game; ``session`` None is a game without a record.
    ``compared`` is how it agrees with the record."""

    def __init__(self, start: GameState, session: Session | None = None) -> None:
        super().__init__()
        self._start = start
        self.compared: Comparison | None = None
        self._session = session
        self._doubted: set[int] = set()

    def take(self, seen: WatchedFrame[Understanding]) -> None:
        """Take one picture into account, with the turn it leaves open."""
        super().take(seen)
        if seen.understood.doubt is not None:
            self._doubted.add(seen.understood.doubt.number)

    @property
    def start(self) -> GameState:
        """The position before the first turn, the one that was read where a game was under way."""
        opening = self.understood.opening if self.understood is not None else None
        return self._start if opening is None else opening.state

    @property
    def turns(self) -> tuple[UnderstoodTurn, ...]:
        """The turns as understood so far."""
        return self.understood.turns if self.understood is not None else ()

    @property
    def state(self) -> GameState:
        """The position after them."""
        return self.understood.state if self.understood is not None else self.start

    @property
    def final(self) -> Final:
        """The scores as if the game ended now."""
        return self.state.final()

    def compare(self) -> None:
        """Compare with the session's record, if it has one."""
        session = self._session
        if session is not None and session.reference is not None:
            self.compared = compare(session.reference, self.start, self.turns, self.final.scores)

    def figures(self) -> Figures:
        """Agreement of the replay with the record, once it was compared."""
        assert self.compared is not None
        return Figures(
            self.compared.turns,
            self.compared.turns_exact,
            self.compared.scores_exact,
            self.compared.final_exact,
            tuple(number for number, _ in self.asked()),
        )

    def to_json(self) -> dict[str, Any]:
        """The replay as `replay --json` writes it."""
        final = self.final
        value: dict[str, Any] = {
            "tilesight": 1,
            **self._opening(),
            "turns": list(self._lines()),
            "events": [event.to_json() for event in (*events_of(self.turns), *final.events)],
            "scores": dict(self.state.scores),
            "final": dict(final.scores),
            "asked": [*(_question(number, turn) for number, turn in self.asked()), *self._open()],
        }
        if self.compared is not None:
            value["compare"] = self.compared.to_json()
        value["timing_ms"] = self.timing()
        return value

    def asked(self) -> Iterator[tuple[int, UnderstoodTurn]]:
        """The turns about which a person would have been asked, with their numbers from 1."""
        for number, turn in enumerate(self.turns, 1):
            if turn.confidence < PARAMS.ask_below or number in self._doubted:
                yield number, turn

    def _open(self) -> Iterator[dict[str, Any]]:
        """Tiles of another set, of which nobody said what is on them; tiles and pieces on the table at the
        end that no turn explains."""
        for turn in self.turns:
            if turn.turn.tile == MARK:
                x, y = turn.turn.cell
                text = f"a tile of another set at [{x}, {y}]: what is on it?"
                yield {"text": text, "cells": [[x, y]], "options": []}
        unclear = self.understood.unclear if self.understood is not None else None
        if unclear is not None:
            yield {"text": unclear.message, "cells": [list(cell) for cell in unclear.cells], "options": []}

    def _opening(self) -> dict[str, Any]:
        """The position with which a game was found that was under way."""
        if self.start is self._start:
            return {}
        return {"position": write_position(str(self.start.pack.game), self.start)}

    def _lines(self) -> Iterator[dict[str, Any]]:
        before = self.start
        doubts = {} if self.understood is None else doubted_turns(self.understood)
        for number, turn in enumerate(self.turns, 1):
            line = turn_line(before, turn)
            before = turn.step.state
            about: dict[str, Any] = {"frame": turn.frame_index, "confidence": round(turn.confidence, 4)}
            if is_doubtful(turn.confidence) and (others := doubts[number].to_json(number)["others"]):
                about["alternatives"] = others
            yield {**line, **about}


class TileNarrator:
    """Tells the replay of a tile game on a terminal."""

    def __init__(self, session: Session, replay: TileReplay, console: Console) -> None:
        self._replay = replay
        self._console = console
        self._opening_said = False
        self._narrator = Narrator(session, replay.start, console)

    def begin(self) -> None:
        """Say what is replayed, and who plays."""
        self._narrator.begin()

    def take(self, seen: WatchedFrame[Understanding]) -> None:
        """Say which turns are new or changed."""
        self._say_opening()
        self._narrator.told(seen.understood.turns)

    def _say_opening(self) -> None:
        understood = self._replay.understood
        if understood is None or understood.opening is None or self._opening_said:
            return
        self._opening_said = True
        start = understood.opening.state
        tiles = len(start.board) - len(start.pack.start_designs)
        scores = ", ".join(f"{player} {points}" for player, points in start.scores.items())
        self._console.print(
            f"{tiles} tiles are on the table at the first look: the game goes on from there ({scores}; "
            f"{start.player} to play)",
            soft_wrap=True,
        )

    def end(self) -> None:
        """Say the final scoring, what was doubtful, the comparison, and how long a frame took."""
        replay = self._replay
        self._narrator.end(replay.turns, replay.final, replay.compared, list(replay.asked()))
        p50, p95 = replay.percentile_ms(50), replay.percentile_ms(95)
        if p50 is not None:
            self._console.print(
                f"[dim]{len(replay.frame_ms)} frames, p50 {p50:.0f} ms, p95 {p95:.0f} ms each[/dim]"
            )


class WithPeople:
    """A watched game with what a recorded session says that people said in between."""

    def __init__(self, game: WatchedGame[Understanding, Any, Any], said: Sequence[Said]) -> None:
        self._game = game
        self._said = said

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        """Take one picture into account, then what was said after it."""
        understood = self._game.see(observation, frame, arrived_s)
        for said in self._said:
            if said.frame_index == frame.index:
                understood = self._game.say(said.turns, said.not_these)
        return understood

    def lost(self, message: str) -> None:
        """No picture comes for now, and why."""
        self._game.lost(message)

    def finish(self) -> Understanding:
        """No more pictures come: the final understanding."""
        return self._game.finish()


def turn_line(before: GameState, understood: UnderstoodTurn) -> dict[str, Any]:
    """The record line of a turn after ``before``; animal tiles drawn unseen stand as ``"?"``."""
    line = understood.turn.to_json()
    draws = drawn(before, understood.turn, understood.step.state)
    if draws and not understood.turn.draws:
        line["draws"] = {player: list(animals) for player, animals in draws.items()}
    return line


def start_of(session: Session, gallery: Path | None) -> tuple[GameState, Observe]:
    """The position before the first frame, and what sees this session's frames."""
    header = session.header
    pack, faces = open_pack(header.pack if session.names_pack else None, gallery, header.game)
    if pack is None or pack.game != header.game:
        named = pack.id if pack is not None else header.pack
        raise SessionError(f"{session.folder}: the pack {named!r} is not of the game {header.game!r}")
    return begun(session, pack), session_camera(session.folder).through(Pipeline(faces, pack).observe)


def begun(session: Session, pack: Pack) -> GameState:
    """The position before the first frame. SessionError where the session's turns before are not legal."""
    try:
        state = tile_game_named(session.header.game).start(session.played_with(pack).header, pack)
        for turn in session.turns_before:
            state = state.apply(turn).state
    except ValueError as error:
        raise SessionError(f"{session.folder / SESSION_FILE}: {error}") from None
    return state


def open_tiles(
    session: Session, gallery: Path | None, sink: EventSink | None = None, told: UnseenState | None = None
) -> Recording[Understanding]:
    """A session of a tile game, ready to be watched; ``told`` is what people say of a game under way."""
    start, observe = start_of(session, gallery)
    session = session.played_with(start.pack)
    table = TileTable(
        start,
        session.names,
        title=session.title,
        game=session.header.game,
        frames=len(session.frames),
        rendered=session.rendered,
        header_line=header_to_json(session.header),
        sink=sink,
        told=told,
    )
    replay = TileReplay(start, session)
    watcher = WithPeople(table.game, session.said)
    return Recording(
        session,
        start.pack,
        table,
        observe,
        watcher,
        replay,
        lambda console: TileNarrator(session, replay, console),
    )


def _question(number: int, turn: UnderstoodTurn) -> dict[str, Any]:
    return {
        "turn": number,
        "frame": turn.frame_index,
        "player": turn.turn.player,
        "text": f"What was turn {number}?",
        "confidence": round(turn.confidence, 4),
        "options": [option.to_json() for option in (turn.turn, *turn.alternatives)],
    }
