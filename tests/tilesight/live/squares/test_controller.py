"""A live game on squares: turns of the camera and corrections, in one log that outlives a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.geometry import EDGES
from engine.record import check, read_record
from engine.squares_game import Figure
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.state import Move, TrickyState
from tests.tilesight.square_seen import OPENING, PACK, header, observed
from tilesight.live.squares.board import AGAIN, SET_UP_QUESTION, YES
from tilesight.live.squares.table import SquaresTable
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import StoreError, TableStore
from vision.observation import Frame
from web.table.correction import Correction, Overrule, RemoveTurn, ReplaceTurn, SetOpening, SetScores, SetUp
from web.table.refusal import Refusal
from web.table.squares import SquareView

NAMES = {"yellow": "Gil", "red": "Hana"}
START = TRICKY_SAFARI.start(header())
IMAGE = np.full((480, 640, 3), 90, np.uint8)


class Live:
    """A table, and the table that its camera sees."""

    def __init__(self, store: TableStore | None) -> None:
        self.table = SquaresTable(TRICKY_SAFARI, PACK, OPENING, NAMES, store)
        self.index = 0

    def show(self, figures: tuple[Figure, ...], times: int = 3) -> SquareView:
        """A table at rest in so many pictures: the first differs from what was before."""
        for i in range(times):
            frame = Frame(IMAGE, 0.4 * self.index, index=self.index)
            self.table.game.see(observed(figures, self.index, 0.1 if i == 0 else 0.0), frame, 0.0)
            self.index += 1
        return self.table.state()

    def play(self, *squares: str) -> SquareView:
        """Those moves, what the animals do done as well."""
        for to in squares:
            state = self.position
            after = state.apply(Move(state.player, to)).state
            self.show(replace(state, cameras=after.cameras).figures)
            self.show(after.figures)
        return self.table.state()

    @property
    def position(self) -> TrickyState:
        """Where everything should stand now."""
        state = self.table.state().state
        assert isinstance(state, TrickyState)
        return state

    @property
    def lines(self) -> list[str | None]:
        """Where the turns so far went."""
        return [turn.line.get("to") for turn in self.table.state().played]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "one.table"


@pytest.fixture
def live(path: Path) -> Iterator[Live]:
    with TableStore(path) as store:
        live = Live(store)
        live.show(START.figures)
        yield live


def kinds(path: Path) -> list[str]:
    with TableStore(path) as store:
        return [entry.kind for entry in store.entries()]


def moved(animal: str, **changes: object) -> tuple[Figure, ...]:
    """The set-up with one animal otherwise."""
    return tuple(replace(one, **changes) if one.name == animal else one for one in START.figures)  # type: ignore[arg-type]


def test_the_set_up_is_asked_about_once_and_confirmed(live: Live) -> None:
    table = live.table
    assert [question.id for question in table.questions()] == [SET_UP_QUESTION]
    assert table.state().phase == "playing"
    assert table.question_crop(SET_UP_QUESTION)
    table.answer(SET_UP_QUESTION, YES)
    assert table.questions() == () and table.state().confirmed
    live.show(moved("lion", facing="w"))
    assert [one["expected"]["name"] for one in table.state().misplaced] == ["lion"]


def test_until_it_is_confirmed_the_table_may_still_be_put_right(live: Live) -> None:
    lion = next(one for one in START.figures if one.name == "lion")
    assert lion.facing is not None
    turned = EDGES[(EDGES.index(lion.facing) + 1) % 4]
    view = live.show(moved("lion", facing=turned))
    assert view.misplaced == ()
    assert next(one for one in live.position.figures if one.name == "lion").facing == turned
    assert [question.id for question in live.table.questions()] == [SET_UP_QUESTION]


def test_an_illegal_first_move_is_told_and_no_other_set_up(live: Live) -> None:
    view = live.show(replace(START, cameras={"yellow": "c3", "red": "j10"}).figures)
    assert view.faults and view.played == ()
    assert live.position.cameras["yellow"] == "a1"


def test_the_first_turn_confirms_it_too(live: Live) -> None:
    assert live.play("a4").confirmed is False
    assert live.table.questions() == ()
    assert live.lines == ["a4"]


def test_read_again_reads_again(live: Live) -> None:
    live.table.answer(SET_UP_QUESTION, AGAIN)
    assert live.table.state().state is None and live.table.questions() == ()
    live.show(START.figures)
    assert [question.id for question in live.table.questions()] == [SET_UP_QUESTION]


def test_a_game_that_was_broken_off_goes_on_where_it_stood(path: Path) -> None:
    with TableStore(path) as store:
        first = Live(store)
        first.show(START.figures)
        first.play("a4")
        state = first.position.apply(Move("red", "j8")).state
        first.show(replace(first.position, cameras=state.cameras).figures)
        assert len(first.table.state().guide) == len(PACK.animals)
    with TableStore(path) as store:  # nothing was said goodbye to
        again = Live(store)
        assert again.lines == ["a4", "j8"]
        assert len(again.table.state().guide) == len(PACK.animals)
        assert again.show(state.figures).guide == ()
        again.play("a5")
        assert again.lines == ["a4", "j8", "a5"]
    assert kinds(path) == [EntryKind.SET_UP, EntryKind.SEEN, EntryKind.SEEN, EntryKind.SEEN]


def test_a_log_that_makes_no_sense_is_said_in_one_line(path: Path) -> None:
    with TableStore(path) as store:
        Live(store).show(START.figures)
        line = {"player": "yellow", "to": "c9"}
        store.append(EntryKind.SEEN, {"keep": 0, "lines": [line], "frames": [3]})
        with pytest.raises(StoreError, match="no straight line"):
            Live(store)


def test_a_turn_taken_back_on_the_phone_does_not_come_again_by_itself(path: Path, live: Live) -> None:
    live.play("a4")
    live.table.undo()
    assert live.lines == [] and live.table.state().can_redo
    standing = replace(START, cameras={"yellow": "a4", "red": "j10"}).figures
    assert live.show(standing).played == ()
    assert live.table.state().misplaced == () and live.table.state().faults == ()
    live.table.redo()
    assert live.lines == ["a4"]
    live.table.undo()
    live.show(START.figures)
    live.show(standing)
    assert live.lines == ["a4"]  # the pawn was put back, and went there once more


def test_a_correction_overrules_the_camera(path: Path, live: Live) -> None:
    live.play("a4")
    live.table.correct(ReplaceTurn(1, {"player": "yellow", "to": "a3"}))
    seen = replace(START, cameras={"yellow": "a4", "red": "j10"}).figures
    assert live.show(seen).faults == ()
    assert live.lines == ["a3"]
    live.play("j8")
    assert live.lines == ["a3", "j8"]
    live.table.undo()
    live.table.undo()
    assert live.lines == ["a4"]


def test_a_turn_is_removed_and_one_that_the_camera_missed_is_added(live: Live) -> None:
    live.play("a4", "j8")
    live.table.correct(RemoveTurn(2))
    assert live.lines == ["a4"]
    live.table.correct(ReplaceTurn(2, {"player": "red", "to": "j9"}))
    assert live.lines == ["a4", "j9"]
    with pytest.raises(Refusal, match="no straight line"):
        live.table.correct(ReplaceTurn(1, {"player": "yellow", "to": "c4"}))
    with pytest.raises(Refusal, match="cannot be read"):
        live.table.correct(ReplaceTurn(1, {"player": "yellow", "to": 4}))
    with pytest.raises(Refusal):
        live.table.correct(ReplaceTurn(4, {"player": "yellow", "to": "a5"}))
    assert live.lines == ["a4", "j9"]


def test_choices_are_the_rules_own(live: Live) -> None:
    live.play("a4")
    moves = live.table.moves(1)
    assert (moves.player, moves.start) == ("yellow", "a1")
    assert {"player": "yellow", "to": "a4"} in moves.lines and {
        "player": "yellow",
        "pass": True,
    } in moves.lines
    assert live.table.moves(2).player == "red"
    with pytest.raises(Refusal):
        live.table.moves(3)


def test_the_set_up_is_put_right_by_hand_and_the_turns_stay(path: Path, live: Live) -> None:
    live.play("a4")
    rows = list(START.terrain)
    rows[0] = "F" + rows[0][1:]
    live.table.correct(SetUp(tuple(rows), moved("lion", facing="w")))
    assert live.lines == ["a4"]
    assert live.position.terrain[0][0] == "F"
    assert next(one for one in live.position.figures if one.name == "lion").facing == "w"
    for wrong in (rows[:5], [*rows[:9], "x" * 10], [row[:4] for row in rows]):
        with pytest.raises(Refusal):
            live.table.correct(SetUp(tuple(wrong), START.figures))
    with pytest.raises(Refusal, match="missing"):
        live.table.correct(SetUp(tuple(rows), START.figures[1:]))
    of_tiles: dict[str, Correction] = {"no_scores": SetScores({"red": 1}), "no_opening": SetOpening()}
    for code, correction in of_tiles.items():
        with pytest.raises(Refusal) as refused:
            live.table.correct(correction)
        assert refused.value.code == code
    again = SquaresTable(TRICKY_SAFARI, PACK, OPENING, NAMES, live.table.game.journal._store)
    assert again.state().confirmed and again.state().state == live.position


def test_people_may_say_that_an_animal_stands_right(live: Live) -> None:
    live.play("a4", "j8")
    right = live.position.figures
    zebra = next(one for one in right if one.name == "zebra")
    assert zebra.facing is not None
    wrong = replace(zebra, facing=EDGES[(EDGES.index(zebra.facing) + 1) % 4])
    seen = tuple(wrong if one == zebra else one for one in right)
    assert "zebra" in live.show(seen).misplaced[0]["message"]
    live.table.correct(Overrule())
    assert live.show(seen).misplaced == ()
    worse = tuple(
        replace(one, facing=zebra.facing, square="a10") if one.name == "zebra" else one for one in seen
    )
    assert "zebra" in live.show(worse).misplaced[0]["message"]


def test_each_turn_keeps_the_part_of_the_picture_it_was_made_from(live: Live) -> None:
    live.play("a4")
    crop = cv2.imdecode(np.frombuffer(live.table.crop(1), np.uint8), cv2.IMREAD_COLOR)
    assert crop is not None and 0 < crop.size < IMAGE.size
    with pytest.raises(Refusal):
        live.table.crop(2)
    picture = live.table.picture()
    assert picture is not None and len(picture.pieces) == len(PACK.animals) + 2


def test_it_ends_with_the_pictures_or_by_people_and_the_record_checks(
    path: Path, live: Live, tmp_path: Path
) -> None:
    live.play("a4", "j8", "a5")
    live.table.end()
    view = live.table.state()
    assert view.phase == "over" and not view.can_end and view.winners == ()
    live.show(START.figures)
    assert live.lines == ["a4", "j8", "a5"]
    record = tmp_path / "one.game.jsonl"
    record.write_bytes(live.table.export().content)
    checked = check(read_record(record))
    assert checked.state is not None and checked.state.turn_no == 3
    live.table.undo()
    assert live.table.state().phase == "playing"
    live.table.seat("yellow", "Anouk")
    assert live.table.state().seats[0].name == "Anouk"
    live.table.game.close_with_source()
    assert live.table.state().phase == "over"


def test_a_recording_is_shown_and_refuses_every_command() -> None:
    live = Live(None)
    live.show(START.figures)
    live.play("a4", "j8")
    table = live.table
    assert table.questions() == ()
    commands = (
        table.undo,
        table.redo,
        table.end,
        lambda: table.correct(Overrule()),
        lambda: table.seat("red", "x"),
        lambda: table.moves(1),
    )
    for command in commands:
        with pytest.raises(Refusal, match="recording"):
            command()
    assert table.crop(2)
    table.game.close_with_source()
    assert table.state().after(1).played[0].line["to"] == "a4"


def test_everything_is_told_once_and_in_order() -> None:
    told: list[tuple[str, str]] = []
    table = SquaresTable(
        TRICKY_SAFARI, PACK, OPENING, NAMES, sink=lambda kind, data: told.append((kind, json.dumps(data)))
    )
    live = Live(None)
    live.table = table
    live.show(START.figures)
    live.play("a4", "j8")
    table.game.close_with_source()
    kinds = [kind for kind, _ in told]
    assert kinds.count("turn") == 2 and kinds[-1] == "end"
    events = table.state().events
    assert kinds.count("score") == len(events)
