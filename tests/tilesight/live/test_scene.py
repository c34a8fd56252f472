"""A table at which more happens than turns: what its page says and asks, and that its log keeps the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.pack import load_pack
from tests.tilesight.synthetic import CLEAN, Camera, film, plain_game
from tilesight.live.tiles.table import TileTable
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation

TURNS = 6


class Watched:
    """A live table after some turns; every picture shows a colour of its own."""

    def __init__(self, path: Path) -> None:
        self.store = TableStore(path)
        self.store.append(EntryKind.OPENED, {"header": {"game": "carcassonne"}, "names": {}})
        self.start, turns = plain_game(load_pack("bastide"), 5, TURNS + 1)
        self.turns, self.next = turns[:TURNS], turns[TURNS]
        self.table = self.opened()
        self.camera = Camera(self.start, CLEAN, 5)
        self.pictures = 0
        for _, seen in film(self.start, self.turns, replace(CLEAN, hand=0.0), 5, self.camera):
            self.see(seen)
        self.state = self.start
        for turn in self.turns:
            self.state = self.state.apply(turn).state
        self.show(self.as_it_is)
        assert self.told == list(self.turns)

    def opened(self) -> TileTable:
        """The table of the log as after a start of the program."""
        return TileTable(self.start, {}, self.store, title="test", game="carcassonne")

    def see(self, seen: Observation) -> None:
        self.pictures += 1
        image = np.full((72, 128, 3), self.pictures % 250, np.uint8)
        self.table.game.see(seen, Frame(image, seen.t_s, index=self.pictures), 0.0)

    def show(self, picture: Callable[[], Observation], looks: int = 4) -> None:
        for _ in range(looks):
            self.see(picture())

    def as_it_is(self) -> Observation:
        return self.camera.frame(self.state.board, self.state.standing)

    def away(self) -> Observation:
        """The board is not there."""
        return replace(self.as_it_is(), pose=None, cells={}, pieces=())

    def last_gone(self) -> Observation:
        board = dict(list(self.state.board.items())[:-1])
        return self.camera.frame(board, [one for one in self.state.standing if one.cell in board])

    @property
    def told(self) -> list[object]:
        """The turns of the page, which are those of the log."""
        told = [one.turn for one in self.table.state().played]
        assert told == list(folded(Ledger(), self.store.entries()).turns)
        return list(told)

    def asked(self) -> str:
        """The id of the one open question."""
        (question,) = self.table.questions()
        return question.id


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path / "one.table")
    with made.store:
        yield made


def test_a_board_that_is_gone_is_asked_about_and_ended_by_people(watched: Watched) -> None:
    finished = watched.pictures
    watched.show(watched.away, 4)
    assert watched.table.questions() == ()
    watched.show(watched.away, 12)
    assert [option.id for option in watched.table.questions()[0].options] == ["go-on", "end", "undo"]
    watched.table.answer(watched.asked(), "end")
    state = watched.table.state()
    assert state.phase == "over" and state.final == watched.state.final()
    watched.show(watched.away)
    picture = watched.table.picture()
    assert picture is not None and picture.frame == finished  # the board as it was finished
    ended = watched.store.entries()[-1]
    assert ended.kind == EntryKind.ENDED and watched.store.picture(ended.number, "frame") is not None
    assert watched.told == list(watched.turns)


def test_people_who_go_on_are_not_asked_again_before_the_board_was_seen(watched: Watched) -> None:
    watched.show(watched.away, 16)
    watched.table.answer(watched.asked(), "go-on")
    watched.show(watched.away, 16)
    assert watched.table.questions() == ()
    watched.show(watched.as_it_is)
    assert watched.table.state().camera.seeing == "watching"
    watched.show(watched.away, 16)
    assert watched.table.questions() != ()
    assert watched.told == list(watched.turns)


def test_a_turn_that_is_gone_is_taken_back_by_people_alone(watched: Watched) -> None:
    watched.show(watched.last_gone, 16)
    assert watched.told == list(watched.turns)
    watched.table.answer(watched.asked(), "back")
    assert watched.told == list(watched.turns[:-1])
    watched.show(watched.last_gone, 8)
    assert watched.table.questions() == () and watched.told == list(watched.turns[:-1])
    watched.table.undo()
    assert watched.told == list(watched.turns)


@pytest.mark.parametrize("again", [False, True])
def test_an_undone_turn_stays_away_in_any_form_and_can_be_brought_back(
    watched: Watched, *, again: bool
) -> None:
    watched.table.undo()
    if again:
        watched.table = watched.opened()
    watched.show(watched.as_it_is, 8)
    assert watched.told == list(watched.turns[:-1])
    watched.table.redo()
    watched.show(watched.as_it_is)
    assert watched.told == list(watched.turns)


@pytest.mark.parametrize("again", [False, True])
def test_an_end_taken_back_stays_back_until_another_turn_is_played(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    monkeypatch.setattr(type(watched.state), "over", property(lambda state: len(state.board) > TURNS))
    watched.show(watched.as_it_is)
    assert watched.table.state().phase == "over"
    watched.table.undo()
    if again:
        watched.table = watched.opened()
    watched.show(watched.as_it_is, 8)
    assert watched.table.state().phase == "playing"
    watched.table.redo()
    assert watched.table.state().phase == "over"


def test_covered_tiles_are_named_and_the_camera_counts_as_watching_after(watched: Watched) -> None:
    hidden = list(watched.state.board)[1:3]

    def covered() -> Observation:
        seen = watched.as_it_is()
        return replace(seen, cells={at: one for at, one in seen.cells.items() if at not in hidden})

    watched.show(covered, 8)
    camera = watched.table.state().camera
    assert (camera.seeing, camera.message, camera.cells) == (
        "unclear",
        "2 tiles are covered",
        tuple(sorted(hidden)),
    )
    watched.show(watched.as_it_is)
    assert watched.table.state().camera.seeing == "watching"
