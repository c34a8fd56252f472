"""A table without a camera: it plays a seeded game by itself and answers as the real one does."""

from __future__ import annotations

import itertools
import random
import threading
import time
from dataclasses import replace

from engine.game import GameState, Header, Step, Turn, game_named
from engine.pack import load_pack
from web.feed import Feed
from web.table import (
    CameraStatus,
    Correction,
    Export,
    Option,
    Played,
    Question,
    Refusal,
    Seat,
    TableView,
)

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
        self.before: list[TableView] = []
        pack = load_pack("savanna")
        start = game_named("safari").start(Header("safari", pack.id, players), pack)
        self.view = TableView(
            title="Sunday safari",
            game="safari",
            pack=pack,
            seats=tuple(Seat(color, NAMES[color]) for color in players),
            state=start,
            camera=CameraStatus("watching"),
            rendered=rendered,
            can_end=True,
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
                played=(*self.view.played, Played(turn, frame, now_s, 0.97)),
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
        self.feed.publish("camera", {"seeing": camera.seeing, "message": camera.message})

    def ask(self, text: str = "Which trail is the meeple on?") -> None:
        """Ask the players something."""
        cell = self.view.played[-1].turn.cell if self.view.played else (0, 0)
        number = f"q{self.feed.last_id + 1}"
        options = (Option("a", "The northern trail"), Option("b", "The bush"))
        self.asked = (*self.asked, Question(number, text, options, (cell,)))
        self.feed.publish("question", {"question": number})

    # -- web.table.Table -------------------------------------------------------------------------

    def watch(self) -> Feed:
        return self.feed

    def state(self) -> TableView:
        return self.view

    def questions(self) -> tuple[Question, ...]:
        return self.asked

    def answer(self, question_id: str, option_id: str) -> None:
        question = next((q for q in self.asked if q.id == question_id), None)
        if question is None:
            raise Refusal("unknown_question", "this question is no longer open")
        if option_id not in {option.id for option in question.options}:
            raise Refusal("unknown_option", "this is not one of the answers")
        self.answers.append((question_id, option_id))
        self.asked = tuple(q for q in self.asked if q.id != question_id)
        self.feed.publish("question", {"question": question_id, "answered": option_id})

    def correct(self, correction: Correction) -> None:
        self.corrections.append(correction)

    def undo(self) -> None:
        with self.lock:
            if not self.before:
                raise Refusal("nothing_to_undo", "there is nothing to take back")
            self.undone.append(self.view)
            self.view = replace(self.before.pop(), can_redo=True)
        self.feed.publish("turn", {"undone": True})

    def redo(self) -> None:
        with self.lock:
            if not self.undone:
                raise Refusal("nothing_to_redo", "there is nothing to bring back")
            self.before.append(self.view)
            self.view = self.undone.pop()
        self.feed.publish("turn", {"redone": True})

    def end(self) -> None:
        if self.view.phase == "over":
            raise Refusal("over", "the game is over already")
        final = self.view.state.final()
        self.view = replace(self.view, phase="over", final=final, camera=CameraStatus("ended"))
        self.feed.publish("end", {"final": dict(final.scores)})

    def export(self) -> Export:
        lines = "".join(f"{played.turn.to_json()}\n" for played in self.view.played)
        return Export("table.game.jsonl", "application/x-ndjson", lines.encode())
