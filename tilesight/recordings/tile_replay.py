"""Replays of tile games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from engine.games import tile_game_named
from engine.message import Message
from engine.notation import write_position
from engine.pack import Pack
from engine.record import header_to_json
from engine.tiles.foreign import MARK
from engine.tiles.game import Final, GameState
from engine.tiles.seen_position import UnseenState
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.publication import EventSink
from tilesight.live.tiles.board import events_of
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
    """Result so far of the replay of a tile game.

    ``session`` is None for a game without a record. ``compared`` is the comparison with the record, None
    before `compare`.
    """

    def __init__(self, start: GameState, session: Session | None = None) -> None:
        super().__init__()
        self._start = start
        self.compared: Comparison | None = None
        self._session = session
        self._doubted: set[int] = set()

    def take(self, seen: WatchedFrame[Understanding]) -> None:
        """Add the result of one picture, and note the turn that it asks about, if any."""
        super().take(seen)
        if seen.understood.doubt is not None:
            self._doubted.add(seen.understood.doubt.number)

    @property
    def start(self) -> GameState:
        """Position before the first turn; the one read from the table if a game was under way."""
        opening = self.understood.opening if self.understood is not None else None
        return self._start if opening is None else opening.state

    @property
    def turns(self) -> tuple[UnderstoodTurn, ...]:
        """The turns as understood so far."""
        return self.understood.turns if self.understood is not None else ()

    @property
    def state(self) -> GameState:
        """Position after the turns so far; the start before the first picture."""
        return self.understood.state if self.understood is not None else self.start

    @property
    def final(self) -> Final:
        """Final scoring as if the game ended now."""
        return self.state.final()

    def compare(self) -> None:
        """Compare with the session's record, if it has one, and set ``self.compared``.

        Raises RecordError if it cannot be read.
        """
        session = self._session
        if session is not None and session.reference is not None:
            self.compared = compare(session.reference, self.start, self.turns, self.final.scores)

    def figures(self) -> Figures:
        """Return the agreement with the record. `compare` must have been called, and found a record."""
        assert self.compared is not None
        return Figures(
            self.compared.turns,
            self.compared.turns_exact,
            self.compared.scores_exact,
            self.compared.final_exact,
            tuple(number for number, _ in self.asked()),
        )

    @property
    def final_sure(self) -> float | None:
        """Probability that the final scores are right; None before the last picture."""
        return None if self.understood is None else self.understood.final_sure

    def to_json(self) -> dict[str, Any]:
        """Return the document of `replay --json`."""
        final = self.final
        value: dict[str, Any] = {
            "tilesight": 1,
            **self._opening(),
            "turns": list(self._lines()),
            "events": [event.to_json() for event in (*events_of(self.turns), *final.events)],
            "scores": dict(self.state.scores),
            "final": dict(final.scores),
            **({} if self.final_sure is None else {"final_sure": round(self.final_sure, 4)}),
            "asked": [*(_question(number, turn) for number, turn in self.asked()), *self._open()],
        }
        if self.compared is not None:
            value["compare"] = self.compared.to_json()
        value["timing_ms"] = self.timing()
        return value

    def asked(self) -> Iterator[tuple[int, UnderstoodTurn]]:
        """Yield (number from 1, turn) for each turn about which a question was asked."""
        for number, turn in enumerate(self.turns, 1):
            if number in self._doubted:
                yield number, turn

    def _open(self) -> Iterator[dict[str, Any]]:
        """Yield, as JSON, the questions that are about no turn's alternatives.

        They are about tiles of another set, and about tiles that no turn explains at the end.
        """
        for turn in self.turns:
            if turn.turn.tile == MARK:
                x, y = turn.turn.cell
                text = f"a tile of another set at [{x}, {y}]: what is on it?"
                yield {"text": text, "cells": [[x, y]], "options": []}
        unclear = self.understood.unclear if self.understood is not None else None
        if unclear is not None:
            yield {"text": unclear.message, "cells": [list(cell) for cell in unclear.cells], "options": []}

    def _opening(self) -> dict[str, Any]:
        """Return the field ``position`` if the game was under way at the first picture, else {}."""
        if self.start is self._start:
            return {}
        return {"position": write_position(str(self.start.pack.game), self.start)}

    def _lines(self) -> Iterator[dict[str, Any]]:
        before = self.start
        doubts = {} if self.understood is None else self.understood.doubted
        for number, turn in enumerate(self.turns, 1):
            line = turn_line(before, turn)
            before = turn.step.state
            about: dict[str, Any] = {"frame": turn.frame_index, "confidence": round(turn.confidence, 4)}
            if is_doubtful(turn.confidence) and (others := doubts[number].to_json(number)["others"]):
                about["alternatives"] = others
            yield {**line, **about}


class TileNarrator:
    """Prints the replay of a tile game on a terminal."""

    def __init__(self, session: Session, replay: TileReplay, console: Console) -> None:
        self._replay = replay
        self._console = console
        self._opening_said = False
        self._narrator = Narrator(session, replay.start, console)

    def begin(self) -> None:
        """Print the session's title and players."""
        self._narrator.begin()

    def take(self, seen: WatchedFrame[Understanding]) -> None:
        """Print new and changed turns."""
        self._say_opening()
        self._narrator.tell(seen.understood.turns)

    def _say_opening(self) -> None:
        understood = self._replay.understood
        if understood is None or understood.opening is None or self._opening_said:
            return
        self._opening_said = True
        start = understood.opening.state
        tiles = len(start.board) - len(start.pack.start_designs)
        scores = ", ".join(f"{player} {points}" for player, points in start.scores.items())
        self._console.print(
            f"{tiles} tiles were on the table at the first picture; the game goes on from there ({scores}; "
            f"{start.player} to play)",
            soft_wrap=True,
        )

    def end(self) -> None:
        """Print the final scoring, doubtful turns, the comparison, and milliseconds per frame."""
        replay = self._replay
        self._narrator.end(replay.turns, replay.final, replay.compared, list(replay.asked()))
        p50, p95 = replay.percentile_ms(50), replay.percentile_ms(95)
        if p50 is not None:
            self._console.print(
                f"[dim]{len(replay.frame_ms)} frames, p50 {p50:.0f} ms, p95 {p95:.0f} ms each[/dim]"
            )


class WithPeople:
    """A watched game that also gets the players' answers which the session recorded.

    It satisfies `tilesight.live.watching.Watcher`.
    """

    def __init__(self, game: WatchedGame[Understanding, Any, Any], said: Sequence[Said]) -> None:
        self._game = game
        self._said = said

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        """Process one picture, then the answers recorded after it; return the understanding.

        ``arrived_s`` is the picture's arrival (seconds since 1970).
        """
        understood = self._game.see(observation, frame, arrived_s)
        for said in self._said:
            if said.frame_index == frame.index:
                understood = self._game.say(said.turns, said.not_these)
        return understood

    def lost(self, message: Message) -> None:
        """Report that no pictures arrive for now; ``message`` says why."""
        self._game.lost(message)

    def finish(self) -> Understanding:
        """Log, publish and return the final understanding, after the last picture."""
        return self._game.finish()


def turn_line(before: GameState, understood: UnderstoodTurn) -> dict[str, Any]:
    """Return the record line of a turn played in position ``before``, with the animal tiles drawn.

    Unseen draws are written as "?".
    """
    line = understood.turn.to_json()
    draws = before.drawn(understood.turn, understood.step.state)
    if draws:
        line.setdefault("draws", {player: list(animals) for player, animals in draws.items()})
    return line


def start_of(session: Session, gallery: Path | None) -> tuple[GameState, Observe]:
    """Return the position before the first frame, and the function that makes the observation of a frame.

    Raises SessionError if the pack is of another game or the turns before the first frame are illegal,
    PackError or GalleryError if it cannot be opened.
    """
    header = session.header
    pack, faces = open_pack(header.pack if session.names_pack else None, gallery, header.game)
    if pack is None or pack.game != header.game:
        named = pack.id if pack is not None else header.pack
        raise SessionError(f"{session.folder}: the pack {named!r} is not of the game {header.game!r}")
    return begun(session, pack), session_camera(session.folder).through(Pipeline(faces, pack).observe)


def begun(session: Session, pack: Pack) -> GameState:
    """Return the position before the first frame: the start, and ``session.turns_before`` applied.

    Raises SessionError if these turns are illegal.
    """
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
    """Open a session of a tile game for replay.

    ``sink`` receives every event; ``told`` gives scores, hands and the next player of a game under way.
    Raises the errors of `start_of`.
    """
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
