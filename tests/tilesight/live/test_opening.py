"""A live table whose game was under way when the camera came: its position is asked, told, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.notation import read_position
from engine.record import check, read_record
from engine.tiles.turn import Turn
from tests.tilesight.inference.opening.test_opening_tracker import Cut, cut_game, visible
from tests.tilesight.synthetic import CLEAN, Camera, film
from tilesight.live.tiles.seating import start_of
from tilesight.live.tiles.table import TileTable
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation
from web.table.correction import Correction, SetOpening
from web.table.refusal import Refusal
from web.table.seats import Seat

BLANK = Frame(np.zeros((72, 128, 3), np.uint8))


@pytest.fixture(scope="module")
def cut() -> Cut:
    return cut_game("savanna", 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        yield opened


def table_of(cut: Cut, store: TableStore) -> TileTable:
    header = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(cut.before.players)}
    if not store.entries():
        store.append(EntryKind.OPENED, {"header": header, "names": {}})
    return TileTable(cut.before, {}, store, title="test", game="safari", header_line=header)


def pictures(cut: Cut) -> tuple[list[Observation], list[Observation]]:
    """The table before the next turn, and the turns after it."""
    camera = Camera(cut.before, CLEAN, 1)
    looks = [camera.frame(cut.start.board, cut.start.standing) for _ in range(3)]
    return looks, [seen for _, seen in film(cut.start, cut.turns, CLEAN, 1, camera)]


def watch(table: TileTable, seen: list[Observation]) -> None:
    for picture in seen:
        table.game.see(picture, BLANK, 0.0)


def told(cut: Cut) -> Correction:
    hands = {player: tuple(hand) for player, hand in cut.start.hands.items()}
    return SetOpening(cut.start.player, dict(cut.start.scores), hands)


def turns_of(table: TileTable) -> list[Turn]:
    return [played.turn for played in table.state().played]


def test_a_game_under_way_is_asked_about_and_goes_on_once_people_say_more(
    cut: Cut, store: TableStore
) -> None:
    table = table_of(cut, store)
    looks, rest = pictures(cut)
    watch(table, looks[:1])
    assert table.questions() == () and turns_of(table) == []
    watch(table, looks[1:])
    [question] = table.questions()
    number = cut.start.turn_no
    assert (question.id, turns_of(table)) == ("opening", [])
    assert question.text == f"{number} tiles are on the table: does the game go on from here?"
    table.correct(told(cut))
    assert table.questions() == () and table.state().confirmed
    assert visible(table.state().state) == visible(cut.start) == visible(table.state().start)
    watch(table, rest)
    table.game.finish()
    assert len(turns_of(table)) == len(cut.turns)
    assert [event.turn for event in table.state().events] == sorted(e.turn for e in table.state().events)
    assert all(1 <= event.turn <= len(cut.turns) for event in table.state().events)
    text = table.export().content.decode()
    checked = check(read_record(text), cut.start.pack)
    assert checked.valid and dict(checked.scores) == dict(table.state().state.scores)


def test_a_late_player_joins_at_a_new_table_with_the_same_board(cut: Cut, store: TableStore) -> None:
    players = (*cut.before.players, "green")
    header = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(players)}
    store.append(EntryKind.OPENED, {"header": header, "names": {}})
    table = TileTable(
        start_of(header, cut.before.pack), {}, store, title="", game="safari", header_line=header
    )
    watch(table, pictures(cut)[0])
    assert [question.id for question in table.questions()] == ["opening"]
    table.correct(SetOpening("green", {**cut.start.scores, "green": 0}, {}))
    state = table.state().state
    assert (state.board.keys(), state.player) == (cut.start.board.keys(), "green")
    assert dict(state.scores) == {**cut.start.scores, "green": 0}
    with pytest.raises(Refusal) as refused:
        table.seats([Seat(color, color) for color in players[1:]])
    assert refused.value.code == "under_way"


@pytest.mark.parametrize("confirmed", [False, True])
def test_the_position_survives_a_restart(cut: Cut, store: TableStore, confirmed: bool) -> None:
    first = table_of(cut, store)
    looks, rest = pictures(cut)
    watch(first, looks)
    if confirmed:
        first.correct(told(cut))
    watch(first, rest[: len(rest) // 2])
    known = turns_of(first)
    second = table_of(cut, store)  # the first was killed: nothing but the log is left
    assert second.state().opening == first.state().opening
    assert turns_of(second) == known and second.state().confirmed == confirmed
    assert [question.id for question in second.questions()] == ([] if confirmed else ["opening"])
    if confirmed:
        watch(second, rest[len(rest) // 2 :])
        second.game.finish()
        assert len(turns_of(second)) == len(cut.turns)


def test_an_answer_confirms_the_position_or_has_the_table_read_again(cut: Cut, store: TableStore) -> None:
    table = table_of(cut, store)
    looks, _ = pictures(cut)
    watch(table, looks)
    table.answer("opening", "again")
    assert table.questions() == ()
    watch(table, looks)
    table.answer("opening", "yes")
    assert table.questions() == () and folded(Ledger(), store.entries()).confirmed
    entry: Any = [entry for entry in store.entries() if entry.kind == EntryKind.SET_UP][-1]
    line = entry.data["header"]["position"]
    assert read_position(line, cut.start.pack).turn_no == cut.start.turn_no


def test_a_correction_of_the_position_must_fit_it(cut: Cut, store: TableStore) -> None:
    table = table_of(cut, store)
    with pytest.raises(Refusal, match="from its beginning"):
        table.correct(told(cut))
    watch(table, pictures(cut)[0])
    for opened, said in (
        (SetOpening(to="pink"), "nobody plays pink"),
        (SetOpening(hands={cut.start.player: ("unicorn",)}), "there is no animal tile unicorn"),
    ):
        with pytest.raises(Refusal, match=said):
            table.correct(opened)
    assert len(table.questions()) == 1


def test_a_colour_of_a_game_under_way_is_corrected(cut: Cut, store: TableStore) -> None:
    table = table_of(cut, store)
    looks, rest = pictures(cut)
    watch(table, looks)
    table.correct(told(cut))
    watch(table, rest)
    table.game.finish()
    before, scores = turns_of(table), dict(table.state().state.scores)
    first, *others = cut.before.players
    new = next(color for color in ("green", "black") if color not in cut.before.players)
    table.seats([Seat(new, "Ana"), *(Seat(color, color) for color in others)], {first: new})
    for one in (table, table_of(cut, store)):
        assert [turn.player for turn in turns_of(one)] == [
            new if turn.player == first else turn.player for turn in before
        ]
        assert dict(one.state().state.scores) == {
            new if color == first else color: points for color, points in scores.items()
        }
        assert [seat.color for seat in one.state().seats] == [new, *others] and one.state().confirmed
        assert check(read_record(one.export().content.decode()), cut.start.pack).valid
    table.undo()
    assert turns_of(table) == before and dict(table.state().state.scores) == scores
    with pytest.raises(Refusal):
        table.seats([Seat(color, color) for color in reversed(cut.before.players)])
