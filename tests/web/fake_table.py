"""A table without a camera: it plays a seeded game by itself and answers as the real one does."""

from __future__ import annotations

import io
import itertools
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from PIL import Image

from engine.games import read_turn, tile_game_named
from engine.geometry import Cell
from engine.jsonvalue import FieldError
from engine.message import Message, plain
from engine.pack import load_pack
from engine.tiles.game import GameState, Header, ScoreEvent, Step, Turn
from web.table.camera_status import CameraStatus
from web.table.choices import Choices, choices_of
from web.table.correction import Correction, RemoveTurn, ReplaceTurn
from web.table.feed import Feed
from web.table.pictures import Picture, PicturePiece, PictureTile
from web.table.question import ClosedQuestion, ClosedWhy, Option, Question
from web.table.refusal import Refusal
from web.table.seats import Seat
from web.table.table import Export
from web.table.view import Alternative, GameSpan, PlayedTurn, TableView

WIDTH, HEIGHT = 640, 360
NAMES = {"red": "Ana", "blue": "Bo", "yellow": "Chidi", "green": "Dana", "black": "Edda"}


def played_turn(state: GameState, rng: random.Random) -> Turn:
    """A legal turn, one with a piece where there is one."""
    while True:
        design = rng.choice(sorted(state.bag))
        placements = state.placements(design)
        if placements:
            break
    # Near the middle, so that features close and there is something to score.
    cell, rot = min(
        rng.sample(placements, min(6, len(placements))), key=lambda p: abs(p[0][0]) + abs(p[0][1])
    )
    choices = list(itertools.islice(state.turns_for(design, cell, rot), 8))
    with_pieces = [turn for turn in choices if turn.action is not None]
    return rng.choice(with_pieces) if with_pieces and rng.random() < 0.7 else choices[0]


def photograph() -> bytes:
    """A picture of a table with nothing on it, as JPEG."""
    file = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), (150, 120, 80)).save(file, "JPEG")
    return file.getvalue()


def _square(cell: Cell) -> tuple[tuple[float, float], ...]:
    """A cell's corners in the picture."""
    x, y = WIDTH / 2 + 40 * cell[0], HEIGHT / 2 + 40 * cell[1]
    return ((x, y), (x + 40, y), (x + 40, y + 40), (x, y + 40))


class FakeTable:
    """Answers web's ``Table``; the test (or a developer) calls :meth:`play` and the ``say_*`` methods."""

    def __init__(
        self, players: tuple[str, ...] = ("red", "blue"), seed: int = 1, *, rendered: bool = True
    ) -> None:
        self.rng = random.Random(seed)
        self.feed = Feed()
        self.lock = threading.RLock()
        self.asked: tuple[Question, ...] = ()
        self.answers: list[tuple[str, str]] = []
        self.corrections: list[Correction] = []
        self.undone: list[TableView] = []
        self.steps: list[int | None] = []  # the entries of undos and redos
        self.before: list[TableView] = []
        pack = load_pack("savanna")
        start = tile_game_named("safari").start(Header("safari", pack.id, players), pack)
        self.view = TableView(
            title="Sunday safari",
            game="safari",
            pack=pack,
            seats=tuple(Seat(color, NAMES[color]) for color in players),
            start=start,
            state=start,
            camera=CameraStatus("watching"),
            rendered=rendered,
            can_end=True,
            can_correct=True,
        )

    def play(self, turns: int = 1) -> None:
        """Play that many turns and tell the phones."""
        for _ in range(turns):
            if self.view.state.over:
                return
            self.lay(played_turn(self.view.state, self.rng))

    def lay(self, turn: Turn) -> Step:
        """Play one given turn and tell the phones."""
        with self.lock:
            step = self.view.state.apply(turn)
            self.before.append(self.view)
            self.undone.clear()
            frame, now_s = step.state.turn_no * 3, time.time()
            self.view = replace(
                self.view,
                state=step.state,
                played=(*self.view.played, PlayedTurn(turn, step.state, frame, 0.97)),
                events=(*self.view.events, *step.events),
                can_undo=True,
                can_redo=False,
            )
        self.feed.publish(
            "turn", {"turn": step.state.turn_no, "line": turn.to_json()}, frame=frame, t_frame_s=now_s
        )
        for event in step.events:
            self.feed.publish("score", event.to_json(), frame=frame, t_frame_s=now_s)
        if step.state.over:
            self.end()
        return step

    def say(self, camera: CameraStatus) -> None:
        """The camera sees something else."""
        self.view = replace(self.view, camera=camera)
        told = {"message": camera.message, "said": camera.message.to_json()}
        self.feed.publish("camera", {"seeing": camera.seeing, **told})

    def ask(self, text: str = "Which trail is the meeple on?") -> None:
        """Ask the players something."""
        cell = self.view.played[-1].turn.cell if self.view.played else (0, 0)
        number = f"q{self.feed.last_id + 1}"
        options = (Option("a", Message("The northern trail")), Option("b", Message("The bush")))
        turn_no = len(self.view.played) + 1
        self.asked = (*self.asked, Question(number, Message(text), options, (cell,), turn_no=turn_no))
        self.feed.publish("question", {"question": number})

    def doubt(self, turn_no: int, confidence: float, *others: Turn) -> None:
        """Say how sure a turn is, and what else it may have been."""
        played = list(self.view.played)
        alternatives = tuple(Alternative(turn) for turn in others)
        played[turn_no - 1] = replace(played[turn_no - 1], confidence=confidence, alternatives=alternatives)
        self.view = replace(self.view, played=tuple(played))
        self.feed.publish("question", {"doubtful": [turn_no]})

    def close(self, question_id: str, why: ClosedWhy) -> None:
        """Ask a question no more, and say why."""
        question = next(one for one in self.asked if one.id == question_id)
        closed = ClosedQuestion(question.id, question.text, question.turn_no, why)
        self.asked = tuple(one for one in self.asked if one is not question)
        self.view = replace(self.view, closed=(closed, *self.view.closed))
        self.feed.publish("question", {"closed": [question_id]})

    # -- web.table.table.Table -------------------------------------------------------------------------

    def watch(self) -> Feed:
        return self.feed

    def state(self) -> TableView:
        return self.view

    def questions(self) -> tuple[Question, ...]:
        return self.asked

    def answer(self, question_id: str, option_id: str) -> None:
        question = next((q for q in self.asked if q.id == question_id), None)
        if question is None:
            raise Refusal("unknown_question", Message("this question is no longer open"))
        if option_id not in {option.id for option in question.options}:
            raise Refusal("unknown_option", Message("this is not one of the answers"))
        self.answers.append((question_id, option_id))
        self.close(question_id, "answered")

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        played = self.view.played
        if not 0 < turn_no <= len(played) + 1:
            raise Refusal("unknown_turn", plain(f"there is no turn {turn_no}"))
        before = played[turn_no - 2].after if turn_no > 1 else self.view.start
        now = played[turn_no - 1].turn if turn_no <= len(played) else None
        likely = [one.turn for one in played[turn_no - 1].alternatives] if now else []
        return choices_of(before, turn_no, now, likely, tile=tile, cell=cell, rot=rot)

    def correct(self, correction: Correction) -> None:
        self.corrections.append(correction)
        if not isinstance(correction, ReplaceTurn | RemoveTurn):
            return
        turns = [played.turn for played in self.view.played]
        if not 0 < correction.turn_no <= len(turns) + isinstance(correction, ReplaceTurn):
            raise Refusal("unknown_turn", plain(f"there is no turn {correction.turn_no}"))
        try:
            line = [read_turn(correction.line)] if isinstance(correction, ReplaceTurn) else []
        except FieldError as error:
            raise Refusal("unreadable", plain(str(error))) from None
        turns[correction.turn_no - 1 : correction.turn_no] = line
        with self.lock:
            before, state = self.view, self.view.start
            played: list[PlayedTurn] = []
            events: list[ScoreEvent] = []
            for turn in turns:
                if state.faults(turn):
                    break
                step = state.apply(turn)
                state = step.state
                events += step.events
                played.append(PlayedTurn(turn, state, state.turn_no * 3, 1.0))
            if line and len(played) < correction.turn_no:
                raise Refusal("illegal", Message("this turn is not legal"))
            self.before.append(before)
            self.view = replace(
                before, state=state, played=tuple(played), events=tuple(events), can_undo=True
            )
        self.feed.publish("turn", {"turn": correction.turn_no, "corrects": True})

    def seat(self, color: str, name: str) -> None:
        if color not in self.view.state.players:
            raise Refusal("unknown_player", plain(f"nobody plays {color}"))
        seats = tuple(Seat(s.color, name) if s.color == color else s for s in self.view.seats)
        self.view = replace(self.view, seats=seats)
        self.feed.publish("seat", {"color": color, "name": name})

    def span(self) -> GameSpan:
        began = datetime(2026, 11, 23, 19, 5).timestamp()
        return GameSpan(began, 83 * 60.0)

    def seats(self, seats: Sequence[Seat], recolored: Mapping[str, str] = MappingProxyType({})) -> None:
        if {seat.color for seat in seats} != set(self.view.state.players):
            raise Refusal("late", Message("nobody can join any more"))
        self.view = replace(self.view, seats=tuple(seats))
        self.feed.publish("seat", {"players": [seat.color for seat in seats]})

    def pause(self, paused: bool) -> None:
        self.view = replace(self.view, paused=paused)
        self.feed.publish("pause", {"paused": paused})

    def picture(self) -> Picture | None:
        state = self.view.state
        tiles = tuple(
            PictureTile(
                cell, _square(cell), laid.design.id, 0.98, laid.design.id if cell != (1, 0) else "CS1"
            )
            for cell, laid in state.board.items()
        )
        pieces = tuple(
            PicturePiece(piece.kind, piece.color, piece.animal, _square(piece.cell)[2], 0.9)
            for piece in state.standing
        )
        return Picture(state.turn_no, (WIDTH, HEIGHT), photograph, tiles, pieces)

    def crop(self, turn_no: int) -> bytes:
        if not 0 < turn_no <= len(self.view.played):
            raise Refusal("unknown_turn", plain(f"there is no turn {turn_no}"))
        return photograph()

    def photo(self, turn_no: int) -> bytes:
        return self.crop(turn_no)

    def question_crop(self, question_id: str) -> bytes:
        if question_id not in {question.id for question in self.asked}:
            raise Refusal("unknown_question", Message("this question is no longer open"))
        return photograph()

    def undo(self, entry: int | None = None) -> None:
        self.steps.append(entry)
        with self.lock:
            if not self.before:
                raise Refusal("nothing_to_undo", Message("there is nothing to take back"))
            self.undone.append(self.view)
            self.view = replace(self.before.pop(), can_redo=True)
        self.feed.publish("turn", {"undone": True})

    def redo(self, entry: int | None = None) -> None:
        self.steps.append(entry)
        with self.lock:
            if not self.undone:
                raise Refusal("nothing_to_redo", Message("there is nothing to bring back"))
            self.before.append(self.view)
            self.view = self.undone.pop()
        self.feed.publish("turn", {"redone": True})

    def end(self) -> None:
        if self.view.phase == "over":
            raise Refusal("over", Message("the game is over already"))
        final = self.view.state.final()
        self.view = replace(self.view, phase="over", final=final, camera=CameraStatus("ended"))
        self.feed.publish("end", {"final": dict(final.scores)})

    def export(self) -> Export:
        lines = "".join(f"{played.turn.to_json()}\n" for played in self.view.played)
        return Export("table.game.jsonl", "application/jsonl", lines.encode())
