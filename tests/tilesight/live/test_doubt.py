"""Doubt about a turn stays visible until a correction or further pictures settle it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.message import Message
from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, film, plain_game
from tilesight.inference.understanding import Doubt, Understanding, UnderstoodTurn, turns_taken
from tilesight.live.tiles.table import TileTable
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation
from web.table.correction import RemoveTurn, ReorderTurns, ReplaceTurn
from web.views.tile_json import state_json

START, TURNS = plain_game(load_pack("savanna"), 5, 7)
FRAME = Frame(np.zeros((72, 128, 3), np.uint8))
Events = list[tuple[str, Mapping[str, Any]]]


def another(number: int) -> Turn:
    """Another legal turn with the same tile in the same place as turn ``number``."""
    before: GameState = START
    for turn in TURNS[: number - 1]:
        before = before.apply(turn).state
    told = TURNS[number - 1]
    return next(turn for turn in before.turns_for(told.tile, told.cell, told.rot) if turn != told)


class Scripted:
    """A tracker that understands what it is told, and takes turns for certain as the real ones do."""

    def __init__(self) -> None:
        self.now = Understanding((), 0, START, True, False)
        self.ruled_out: tuple[Turn, ...] = ()

    def show(self, sure: Sequence[float], *, settled: int = 0, doubt: Doubt | None = None) -> None:
        """Understand the first turns from the next picture on, each with this confidence."""
        told, state = list[UnderstoodTurn](), START
        for number, (turn, confidence) in enumerate(zip(TURNS, sure, strict=False), 1):
            step = state.apply(turn)
            others = (another(number),) if confidence < 0.9 else ()
            told.append(UnderstoodTurn(turn, step, number, float(number), confidence, others))
            state = step.state
        self.now = Understanding(tuple(told), settled, state, True, False, doubt=doubt)

    def see(self, observation: Observation) -> Understanding:
        return self.now

    def fix(
        self, turns: Sequence[Turn], not_these: Collection[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        taken = turns_taken(START, turns, self.now.turns)
        state = taken[-1].step.state if taken else START
        self.now = Understanding(tuple(taken), len(taken), state, True, False)
        self.ruled_out = tuple(not_these)
        return self.now

    def finish(self) -> Understanding:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


class Live:
    """A table whose tracker understands what the test says."""

    def __init__(self, store: TableStore) -> None:
        self.tracker, self.events = Scripted(), Events()
        self.table = TileTable(
            START,
            {},
            store,
            title="t",
            game="safari",
            tracker=self.tracker,
            sink=lambda *event: self.events.append(event),
        )

    def see(self, *sure: float, settled: int = 0, doubt: Doubt | None = None) -> None:
        """One more picture."""
        self.tracker.show(sure, settled=settled, doubt=doubt)
        self.again()

    def again(self) -> None:
        """One more picture, understood as the tracker is set."""
        self.table.game.see(Observation(0, 0.0, None, (), {}, ()), FRAME, 0.0)

    @property
    def sure(self) -> list[float]:
        """How sure each turn is told to be."""
        return [turn["confidence"] for turn in self.state["turns"]]

    @property
    def state(self) -> dict[str, Any]:
        """What phones get."""
        return state_json(self.table.state(), self.table.questions(), 0)


@pytest.fixture
def live(store: TableStore) -> Live:
    return Live(store)


def doubt(number: int) -> Doubt:
    options = ((TURNS[number - 1], 0.6), (another(number), 0.3))
    return Doubt(number, options, (TURNS[number - 1].cell,), 7, Message("why"))


def test_a_doubtful_turn_is_told_with_what_else_it_was_until_pictures_settle_it(live: Live) -> None:
    live.see(1.0, 0.5, 0.95)
    told = live.state["turns"][1]
    assert told["alternatives"] == [{"line": another(2).to_json(), "probability": None}]
    assert [(one["turn"], one["why"]) for one in live.state["to_check"]] == [(2, "doubtful")]
    assert live.events[-1] == ("question", {"questions": [], "closed": [], "doubtful": [2], "frame": 0})
    live.see(1.0, 0.97, 0.95)
    assert live.sure == [1.0, 0.97, 0.95] and live.state["to_check"] == []
    assert "alternatives" not in live.state["turns"][1]
    assert live.events[-1][1]["doubtful"] == [], "phones hear that the mark goes"


def test_a_doubt_outlives_a_restart(live: Live, store: TableStore) -> None:
    live.see(1.0, 0.5, 0.95)
    again = Live(store)
    assert again.sure == [1.0, 0.5, 1.0]
    assert [data["confidence"] for kind, data in again.events if kind == "turn"] == again.sure
    assert again.state["turns"][1]["alternatives"][0]["line"] == another(2).to_json()
    assert again.table.choices(2).likely == (another(2),)


def test_a_correction_of_one_turn_leaves_the_others_as_doubtful_as_they_were(live: Live) -> None:
    live.see(0.5, 0.6, 0.95, 0.7)
    live.table.correct(ReplaceTurn(1, another(1).to_json()))
    assert live.sure[:4] == [1.0, 0.6, 1.0, 0.7]
    live.table.undo()
    assert live.sure == [0.5, 0.6, 1.0, 0.7]


def test_a_turn_that_is_said_to_be_right_is_sure_and_no_other(live: Live) -> None:
    live.see(1.0, 0.5, 0.6, 0.8, settled=3)
    live.table.correct(ReplaceTurn(2, TURNS[1].to_json()))
    assert live.sure == [1.0, 1.0, 0.6, 0.8]
    live.see(1.0, 0.5, 0.6, 0.8, 0.99, settled=3)
    assert live.sure == [1.0, 1.0, 0.6, 0.8, 0.99], "people know better than the pictures"


def test_a_question_stays_open_when_later_turns_come_and_its_answer_keeps_them(live: Live) -> None:
    live.see(1.0, doubt=doubt(2))
    [asked] = live.table.questions()
    live.see(1.0, 0.6, 0.95, 0.95, 0.95, settled=3)
    [question] = live.table.questions()
    assert question.id == asked.id and live.state["closed"] == []
    assert [one["question"] for one in live.state["to_check"]] == [asked.id]
    other = next(option.id for option in question.options if option.turn == another(2))
    live.table.answer(question.id, other)
    played = [one.turn for one in live.table.state().played]
    assert played[1] == another(2) and live.sure[1] == 1.0 and len(played) > 2
    assert [(one["turn"], one["why"]) for one in live.state["closed"]] == [(2, "answered")]
    [closed] = next(data for kind, data in reversed(live.events) if kind == "question")["closed"]
    said = {"template": "why", "args": {}}
    assert closed == {"id": asked.id, "text": "why", "said": said, "turn": 2, "why": "answered"}


@pytest.mark.parametrize(
    ("sure", "why"), [((1.0, 0.98, 0.95), "settled"), ((1.0,), "moot")], ids=["settled", "moot"]
)
def test_a_question_says_why_it_closes(live: Live, sure: Sequence[float], why: str) -> None:
    live.see(1.0, doubt=doubt(2))
    live.see(*sure)
    assert live.table.questions() == ()
    assert [(one["turn"], one["why"]) for one in live.state["closed"]] == [(2, why)]


def test_the_log_notes_a_doubt_once_and_not_with_every_picture(live: Live, store: TableStore) -> None:
    for share in (0.5, 0.51, 0.5, 0.49):
        live.see(1.0, share, 0.95)
    assert [entry.kind for entry in store.entries()].count(EntryKind.DOUBTED) == 1
    assert live.sure[1] == 0.49, "phones see it as it is"


def test_the_word_that_a_turn_is_right_leaves_a_real_tracker_on_its_way(store: TableStore) -> None:
    pictures = [seen for _, seen in film(START, TURNS, CLEAN, 3)]
    table = TileTable(START, {}, store, title="t", game="safari")
    half = len(pictures) // 2
    for picture in pictures[:half]:
        table.game.see(picture, FRAME, 0.0)
    told = [one.turn for one in table.state().played]
    for number in (1, len(told)):
        table.correct(ReplaceTurn(number, told[number - 1].to_json()))
        assert [one.turn for one in table.state().played] == told
    for picture in pictures[half:]:
        table.game.see(picture, FRAME, 0.0)
    table.game.finish()
    assert [one.turn for one in table.state().played] == list(TURNS)


def test_an_order_that_is_answered_late_closes_its_question_and_makes_its_turns_sure(live: Live) -> None:
    elsewhere = Doubt(2, ((TURNS[1], 0.6), (TURNS[3], 0.3)), (), 7, Message("which came first"))
    live.see(1.0, 0.6, 0.6, doubt=elsewhere)
    assert live.table.questions()[0].order == (2, 3)
    live.see(1.0, 0.6, 0.6, 0.95, 0.95, settled=4)
    assert len(live.table.questions()) == 1
    live.table.correct(ReorderTurns(2, (2, 3)))
    assert live.sure[:3] == [1.0, 1.0, 1.0] and live.table.questions() == ()
    assert [one["why"] for one in live.state["closed"]] == ["answered"]


def test_a_turn_removed_while_it_is_asked_about_is_ruled_out(live: Live) -> None:
    live.see(1.0, 1.0, 0.6, doubt=doubt(3))
    assert [question.turn_no for question in live.table.questions()] == [3]
    live.table.correct(RemoveTurn(3))
    assert live.tracker.ruled_out == (TURNS[2],), "its tile may still lie there"
