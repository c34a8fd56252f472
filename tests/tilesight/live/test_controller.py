"""A live game in its log: what is seen and said is kept, taken back, corrected, and survives a crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.live.controller import Steward
from tilesight.live.table import LiveTable
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import OPENED, fold
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation
from web.tables.table import Correction, NotKept, Refusal

BLANK = Frame(np.zeros((72, 128, 3), np.uint8))
Game = tuple[GameState, tuple[Turn, ...], list[Observation]]


@pytest.fixture(scope="module")
def played() -> Game:
    """Ten turns, and every picture of them."""
    pack = load_pack("savanna")
    style = Style(allow=("meeple", "ranger"), greedy=0.6)
    record = random_game(pack, 2, 7, turns=10, style=style, hands_seen=False)
    start = start_of(record, pack)
    return start, record.turns, [seen for _, seen in film(start, record.turns, CLEAN, 3)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


def steward_of(start: GameState, store: TableStore) -> Steward:
    table = LiveTable(start, {}, title="test", game="safari")
    steward = Steward(start, store, fold(store.entries()), table)
    TABLES[steward] = table
    return steward


TABLES: WeakKeyDictionary[Steward, LiveTable] = WeakKeyDictionary()


def steward_table(steward: Steward) -> LiveTable:
    return TABLES[steward]


def watch(steward: Steward, pictures: Sequence[Observation]) -> None:
    for picture in pictures:
        steward.see(picture, BLANK, 0.0)


def state_of(steward: Steward) -> GameState:
    assert steward.understood is not None
    return steward.understood.state


def told(steward: Steward) -> list[Turn]:
    assert steward.understood is not None
    return [turn.turn for turn in steward.understood.turns]


def test_what_is_seen_is_in_the_log_with_its_picture(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    steward.last_look()
    assert told(steward) == list(turns) == list(fold(store.entries()).turns)
    last = store.entries()[-1]
    assert (store.picture(last.number, "frame") or b"").startswith(b"\xff\xd8")


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_after_a_crash_the_game_goes_on_from_its_log(played: Game, store: TableStore, at: float) -> None:
    start, turns, pictures = played
    half = int(len(pictures) * at)
    first = steward_of(start, store)
    watch(first, pictures[:half])
    known = fold(store.entries()).turns
    second = steward_of(start, store)  # the first was killed: nothing but the log is left
    if known:
        assert told(second) == list(known)
    watch(second, pictures[half:])
    second.last_look()
    assert told(second) == list(turns)


def test_a_full_disk_ends_no_game(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    third = len(pictures) // 3
    watch(steward, pictures[:third])
    known = list(fold(store.entries()).turns)
    [pages] = store._base.execute("PRAGMA page_count").fetchone()
    store._base.execute(f"PRAGMA max_page_count = {pages}")
    refused = 0
    for picture in pictures[third : 2 * third]:
        try:
            steward.see(picture, BLANK, 0.0)
        except NotKept:
            refused += 1
    assert refused
    with pytest.raises(NotKept):
        for _ in range(200):
            steward.seat("red", "A name that takes some room on the disk" * 9)
    assert (
        list(fold(store.entries()).turns)
        == known
        == [one.turn for one in steward_table(steward).state().played]
    )
    assert [one.turn for one in steward_table(steward).state().played] == known
    store._base.execute("PRAGMA max_page_count = 1000000")
    watch(steward, pictures[2 * third :])
    steward.last_look()
    assert told(steward) == list(turns) == list(fold(store.entries()).turns)


def test_undo_and_redo_are_entries_and_the_camera_does_not_undo_them(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, [*pictures, *pictures[-1:] * 3])
    assert told(steward) == list(turns)
    steward.undo()
    assert told(steward) == list(turns[:-1])
    watch(steward, pictures[-1:] * 3)
    assert told(steward) == list(turns[:-1]), "the tile still lies there, but people took the turn back"
    steward.redo()
    assert told(steward) == list(turns)
    assert [entry.kind for entry in store.entries()][-2:] == ["undo", "redo"]
    assert told(steward_of(start, store)) == list(turns)


def test_a_correction_changes_a_turn_and_keeps_what_still_follows(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    number, turn = next((i, t) for i, t in enumerate(turns, 1) if t.action is not None and i > 1)
    line = {key: value for key, value in turn.to_json().items() if key != "action"}
    steward.correct(Correction(number, line, None))
    corrected = told(steward)
    assert corrected[number - 1].action is None
    assert corrected[: number - 1] == list(turns[: number - 1])
    assert told(steward_of(start, store))[:number] == corrected[:number]
    steward.undo()
    assert told(steward)[number - 1] == turn


def test_an_illegal_correction_is_refused_and_changes_nothing(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    before, entries = told(steward), len(store.entries())
    with pytest.raises(Refusal) as refused:
        steward.correct(Correction(1, {**turns[0].to_json(), "cell": [9, 9]}, None))
    assert refused.value.code == "illegal"
    with pytest.raises(Refusal, match="cannot be read"):
        steward.correct(Correction(1, {"player": 3}, None))
    assert (told(steward), len(store.entries())) == (before, entries)


def test_the_end_can_be_told_and_taken_back(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    steward.end()
    assert steward.ended and fold(store.entries()).ended
    with pytest.raises(Refusal, match="over"):
        steward.end()
    steward.undo()
    assert not steward.ended


def test_what_a_turn_may_have_been_is_legal_and_may_be_said(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    choices = steward.choices(4, None, None, None)
    assert turns[3] in choices.turns and choices.tiles[0] == turns[3].tile
    other = next(turn for turn in choices.turns if turn.action != turns[3].action)
    steward.correct(Correction(4, other.to_json()))
    assert told(steward)[3] == other
    with pytest.raises(Refusal, match="there is no turn 12"):
        steward.choices(12, None, None, None)


def test_a_turn_removed_stays_away_though_its_tile_lies_there(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, [*pictures, *pictures[-1:] * 3])
    steward.correct(Correction(len(turns), remove=True))
    watch(steward, pictures[-1:] * 3)
    assert told(steward) == list(turns[:-1]) == list(fold(store.entries()).turns)


def test_every_turn_keeps_the_part_of_the_picture_that_shows_it(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    table = LiveTable(start, {}, title="test", game="safari")
    again = Steward(start, store, fold(store.entries()), table)  # after a crash the log has them
    for number in range(1, len(turns) + 1):
        shot = again.turn_shot(number)
        assert shot is not None and shot.H_px_from_board is not None
        assert table.crop(number).startswith(b"\xff\xd8")
    assert again.turn_shot(len(turns) + 1) is None
    with pytest.raises(Refusal):
        table.crop(len(turns) + 1)


def test_undo_takes_exactly_one_thing_back(played: Game, store: TableStore) -> None:
    """The latest first, whether people said it or the camera saw it."""
    start, turns, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures[: len(pictures) * 2 // 3])
    known = told(steward)
    steward.correct(Correction(len(known), remove=True))
    steward.correct(Correction(len(known), known[-1].to_json()))
    added = next(turn for turn in turns if turn not in known)
    steward.correct(Correction(len(known) + 1, added.to_json()))
    seen = [told(steward)]
    for _ in range(3):
        steward.undo()
        seen.append(told(steward))
    assert seen == [[*known, added], known, known[:-1], known]


def test_undo_takes_a_turn_seen_after_a_correction_back_before_it(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    steward = steward_of(start, store)
    half = len(pictures) // 2
    watch(steward, pictures[:half])
    known = told(steward)
    color = start.players[0]
    steward.correct(Correction(None, None, {color: steward_table(steward).scores()[color] + 5}))
    watch(steward, pictures[half:])
    assert told(steward) == list(turns)
    for number in range(len(turns) - 1, len(known) - 1, -1):
        steward.undo()
        assert told(steward) == list(turns[:number])
    by_hand = [event for event in steward_table(steward).state().events if event.kind == "by_hand"]
    assert [event.points for event in by_hand] == [5]
    steward.undo()
    assert told(steward) == known
    assert not [event for event in steward_table(steward).state().events if event.kind == "by_hand"]


def test_a_name_is_kept(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    steward.seat(start.players[0], "Ana")
    steward.undo()
    steward.redo()
    assert fold(store.entries()).names == {start.players[0]: "Ana"}
    with pytest.raises(Refusal):
        steward.seat("mauve", "M")


def test_scores_set_by_hand_are_an_entry_and_can_be_taken_back(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    steward = steward_of(start, store)
    watch(steward, pictures)
    table = steward_table(steward)
    color = start.players[0]
    before = table.scores()
    steward.correct(Correction(None, None, {color: before[color] + 5}))
    assert table.scores() == {**before, color: before[color] + 5}
    assert table.state().events[-1].points == 5
    again = steward_of(start, store)
    assert steward_table(again).scores()[color] - state_of(again).scores[color] == 5
    again.end()
    final = steward_table(again).state().final
    assert final is not None
    assert final.scores[color] == state_of(again).final().scores[color] + 5
    again.undo()
    again.undo()
    assert steward_table(again).scores() == state_of(again).scores
    with pytest.raises(Refusal, match="nobody plays pink"):
        again.correct(Correction(None, None, {"pink": 3}))
