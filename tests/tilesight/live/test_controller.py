"""A live game in its log: turns and commands are kept, taken back, corrected, and survive a crash."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.message import Message
from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.inference.understanding import Understanding
from tilesight.live.board import Order
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import advise
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry, NotKeptError, TableStore
from tilesight.table_log.log_files import table_access
from vision.observation import Frame, Observation
from web.limits.keys import KeyGuard
from web.table.access import SPEAKER, Access, Speaker
from web.table.correction import Correction, Overrule, RemoveTurn, ReplaceTurn, SetOpening, SetScores, SetUp
from web.table.question import Option, Question
from web.table.refusal import NotKept, Refusal

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
        opened.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


def table_of(start: GameState, store: TableStore) -> TileTable:
    return TileTable(start, {}, store, title="test", game="safari")


def watch(table: TileTable, pictures: Sequence[Observation]) -> None:
    for picture in pictures:
        table.game.see(picture, BLANK, 0.0)


def state_of(table: TileTable) -> GameState:
    assert table.game.understood is not None
    return table.game.understood.state


def told(table: TileTable) -> list[Turn]:
    assert table.game.understood is not None
    return [turn.turn for turn in table.game.understood.turns]


def test_every_open_question_has_its_picture_also_when_it_is_settled(
    played: Game, store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    asked = [
        Question(f"q{n}", Message("What?"), (Option("0", Message("this")),), ((0, 0),)) for n in range(3)
    ]
    open_now = [tuple(asked[:2]), (asked[2],), ()]
    for picture, questions in zip(pictures, open_now, strict=False):
        monkeypatch.setattr(table.game.board, "questions", lambda *_, now=questions: now)
        watch(table, [picture])
        for question in questions:
            assert table.question_crop(question.id).startswith(b"\xff\xd8")
    for question in asked:
        assert table.question_crop(question.id).startswith(b"\xff\xd8")
    with pytest.raises(Refusal, match="not open"):
        table.question_crop("q9")


def test_a_turn_that_was_seen_is_in_the_log_with_its_picture(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    table.game.finish()
    assert told(table) == list(turns) == list(folded(Ledger(), store.entries()).turns)
    last = store.entries()[-1]
    assert (store.picture(last.number, "frame") or b"").startswith(b"\xff\xd8")


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_after_a_crash_the_game_goes_on_from_its_log(played: Game, store: TableStore, at: float) -> None:
    start, turns, pictures = played
    half = int(len(pictures) * at)
    first = table_of(start, store)
    watch(first, pictures[:half])
    known = folded(Ledger(), store.entries()).turns
    second = table_of(start, store)  # the first was killed: nothing but the log is left
    if known:
        assert told(second) == list(known)
    watch(second, pictures[half:])
    second.game.finish()
    assert told(second) == list(turns)


def test_a_full_disk_ends_no_game(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    third = len(pictures) // 3
    watch(table, pictures[:third])
    known = list(folded(Ledger(), store.entries()).turns)
    [pages] = store._base.execute("PRAGMA page_count").fetchone()
    store._base.execute(f"PRAGMA max_page_count = {pages}")
    refused, rng = 0, np.random.default_rng(1)
    for picture in pictures[third : 2 * third]:
        another = Frame(rng.integers(0, 255, (72, 128, 3), np.uint8))
        try:
            table.game.see(picture, another, 0.0)
        except NotKept:
            refused += 1
    assert refused
    with pytest.raises(NotKept):
        for n in range(200):
            table.seat("red", f"Name {n} that takes some room on the disk" * 9)
    assert (
        list(folded(Ledger(), store.entries()).turns) == known == [one.turn for one in table.state().played]
    )
    assert [one.turn for one in table.state().played] == known
    store._base.execute("PRAGMA max_page_count = 1000000")
    watch(table, pictures[2 * third :])
    table.game.finish()
    assert told(table) == list(turns) == list(folded(Ledger(), store.entries()).turns)


def test_turns_seen_on_a_full_disk_are_kept_later_without_another_picture(
    played: Game, store: TableStore
) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures[: len(pictures) // 2])
    [pages] = store._base.execute("PRAGMA page_count").fetchone()
    store._base.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(NotKept):
        for _ in range(2000):
            table.game.journal.write(EntryKind.LOOKED, {}, {})  # no other entry is smaller
    known = len(folded(Ledger(), store.entries()).turns)
    for picture in pictures[len(pictures) // 2 :]:
        with contextlib.suppress(NotKept):
            table.game.see(picture, BLANK, 0.0)
    table.game.lost(Message("no picture comes"))
    assert "disk takes nothing more" in table.state().camera.message
    assert len(folded(Ledger(), store.entries()).turns) == known < len(turns)
    for command in (table.game.finish, table.game.close_with_source):
        with pytest.raises(NotKept):
            command()
    assert table.state().phase == "playing"
    store._base.execute("PRAGMA max_page_count = 1000000")
    table.game.lost(Message("no picture comes"))
    assert table.state().camera.message == "no picture comes"
    assert told(table) == list(turns) == list(folded(Ledger(), store.entries()).turns)
    table.game.finish()
    table.game.close_with_source()
    assert table.state().phase == "over" and folded(Ledger(), store.entries()).ended


def test_undo_and_redo_are_entries_and_the_camera_does_not_undo_them(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, [*pictures, *pictures[-1:] * 3])
    assert told(table) == list(turns)
    table.undo()
    assert told(table) == list(turns[:-1])
    watch(table, pictures[-1:] * 3)
    assert told(table) == list(turns[:-1]), "the tile still lies there, but people took the turn back"
    table.redo()
    assert told(table) == list(turns)
    assert [entry.kind for entry in store.entries()][-2:] == ["undo", "redo"]
    assert told(table_of(start, store)) == list(turns)


def test_a_correction_changes_a_turn_and_keeps_what_still_follows(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    number, turn = next((i, t) for i, t in enumerate(turns, 1) if t.action is not None and i > 1)
    line = {key: value for key, value in turn.to_json().items() if key != "action"}
    table.correct(ReplaceTurn(number, line))
    corrected = told(table)
    assert corrected[number - 1].action is None
    assert corrected[: number - 1] == list(turns[: number - 1])
    assert told(table_of(start, store))[:number] == corrected[:number]
    table.undo()
    assert told(table)[number - 1] == turn


def test_an_illegal_correction_is_refused_and_changes_nothing(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    before, entries = told(table), len(store.entries())
    with pytest.raises(Refusal) as refused:
        table.correct(ReplaceTurn(1, {**turns[0].to_json(), "cell": [9, 9]}))
    assert refused.value.code == "illegal"
    with pytest.raises(Refusal, match="cannot be read"):
        table.correct(ReplaceTurn(1, {"player": 3}))
    assert (told(table), len(store.entries())) == (before, entries)


def test_the_end_can_be_told_and_taken_back(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    table.end()
    assert table.game.ended and folded(Ledger(), store.entries()).ended
    with pytest.raises(Refusal, match="over"):
        table.end()
    table.undo()
    assert not table.game.ended


def test_a_choice_for_a_turn_is_legal_and_can_replace_it(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    choices = table.choices(4)
    assert turns[3] in choices.turns and choices.tiles[0] == turns[3].tile
    other = next(turn for turn in choices.turns if turn.action != turns[3].action)
    table.correct(ReplaceTurn(4, other.to_json()))
    assert told(table)[3] == other
    with pytest.raises(Refusal, match="there is no turn 12"):
        table.choices(12)


def test_a_turn_removed_stays_away_though_its_tile_lies_there(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, [*pictures, *pictures[-1:] * 3])
    table.correct(RemoveTurn(len(turns)))
    watch(table, pictures[-1:] * 3)
    assert told(table) == list(turns[:-1]) == list(folded(Ledger(), store.entries()).turns)


def test_a_turn_removed_stays_away_after_other_corrections(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, [*pictures, *pictures[-1:] * 3])
    table.correct(RemoveTurn(len(turns)))
    table.correct(SetScores({start.players[0]: 99}))
    watch(table, pictures[-1:] * 3)
    assert told(table) == list(turns[:-1])
    table.undo()
    table.undo()
    table.redo()
    watch(table, pictures[-1:] * 3)
    assert told(table) == list(turns[:-1])


def test_a_recording_is_shown_to_its_end_and_refuses_every_command(played: Game) -> None:
    start, turns, pictures = played
    table = TileTable(start, {}, title="test", game="safari")
    watch(table, pictures)
    table.game.finish()
    for command in (table.undo, table.redo, table.end, lambda: table.choices(1)):
        with pytest.raises(Refusal, match="recording"):
            command()
    table.game.close_with_source()
    assert table.state().phase == "over" and told(table) == list(turns)
    assert table.crop(len(turns)).startswith(b"\xff\xd8")
    assert len(table.export().content.splitlines()) == len(turns) + 2


def test_every_turn_keeps_the_part_of_the_picture_that_shows_it(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    again = table_of(start, store)  # after a crash the log has them
    for number in range(1, len(turns) + 1):
        shot = again.game.journal.shot(number)
        assert shot is not None and shot.H_px_from_board is not None
        assert again.crop(number).startswith(b"\xff\xd8")
    assert again.game.journal.shot(len(turns) + 1) is None
    with pytest.raises(Refusal):
        again.crop(len(turns) + 1)


def test_undo_takes_exactly_one_thing_back(played: Game, store: TableStore) -> None:
    """The latest first, whether people said it or the camera saw it."""
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures[: len(pictures) * 2 // 3])
    known = told(table)
    table.correct(RemoveTurn(len(known)))
    table.correct(ReplaceTurn(len(known), known[-1].to_json()))
    added = next(turn for turn in turns if turn not in known)
    table.correct(ReplaceTurn(len(known) + 1, added.to_json()))
    seen = [told(table)]
    for _ in range(3):
        table.undo()
        seen.append(told(table))
    assert seen == [[*known, added], known, known[:-1], known]


@pytest.mark.parametrize("what", ["undo", "redo"])
def test_two_quick_steps_from_two_phones_are_one(played: Game, store: TableStore, what: str) -> None:
    start, turns, _ = played
    table = table_of(start, store)
    table.game.say(turns[:5])
    for number in range(5, 1, -1):
        table.correct(RemoveTurn(number))
    step: Callable[[int | None], None] = getattr(table, what)
    if what == "redo":
        for _ in range(4):
            table.undo()
    before, shown = len(told(table)), table.state().entry
    table.seat("red", "Mia")  # a name, a doubt or a pause moves no turn
    table.pause(True)
    table.pause(False)
    step(shown)
    after = len(told(table))
    with pytest.raises(Refusal, match="changed meanwhile") as refused:
        step(shown)
    assert refused.value.code == "changed" and len(told(table)) == after == before + (
        1 if what == "undo" else -1
    )
    step(table.state().entry)  # who has seen the first step may take a second one
    step(None)
    assert abs(len(told(table)) - before) == 3


def test_an_undo_of_what_the_camera_has_moved_on_from_is_refused(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures[: len(pictures) // 2])
    shown, known = table.state().entry, len(told(table))
    watch(table, pictures[len(pictures) // 2 :])
    assert known < len(told(table)) == len(turns)
    with pytest.raises(Refusal, match="changed meanwhile"):
        table.undo(shown)
    with pytest.raises(Refusal, match="changed meanwhile"):
        table.undo(table.state().entry + 1)  # an entry of another log
    assert told(table) == list(turns)


def test_undo_takes_a_turn_seen_after_a_correction_back_before_it(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    half = len(pictures) // 2
    watch(table, pictures[:half])
    known = told(table)
    color = start.players[0]
    table.correct(SetScores({color: table.scores()[color] + 5}))
    watch(table, pictures[half:])
    assert told(table) == list(turns)
    for number in range(len(turns) - 1, len(known) - 1, -1):
        table.undo()
        assert told(table) == list(turns[:number])
    by_hand = [event for event in table.state().events if event.kind == "by_hand"]
    assert [event.points for event in by_hand] == [5]
    table.undo()
    assert told(table) == known
    assert not [event for event in table.state().events if event.kind == "by_hand"]


def test_a_name_is_kept(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    table.seat(start.players[0], "Ana")
    table.undo()
    table.redo()
    assert folded(Ledger(), store.entries()).names == {start.players[0]: "Ana"}
    with pytest.raises(Refusal):
        table.seat("mauve", "M")


def test_scores_set_by_hand_are_an_entry_and_can_be_taken_back(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    color = start.players[0]
    before = table.scores()
    table.correct(SetScores({color: before[color] + 5}))
    assert table.scores() == {**before, color: before[color] + 5}
    assert table.state().events[-1].points == 5
    again = table_of(start, store)
    assert again.scores()[color] - state_of(again).scores[color] == 5
    again.end()
    final = again.state().final
    assert final is not None
    assert final.scores[color] == state_of(again).final().scores[color] + 5
    again.undo()
    again.undo()
    assert again.scores() == state_of(again).scores
    with pytest.raises(Refusal, match="nobody plays pink"):
        again.correct(SetScores({"pink": 3}))


def test_points_set_by_hand_are_in_the_record(played: Game, store: TableStore) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    color = start.players[0]
    table.correct(SetScores({color: table.scores()[color] + 5}))
    table.correct(RemoveTurn(10))
    assert [json.loads(line) for line in table.export().content.splitlines()][-1] == {"by_hand": {color: 5}}


def test_a_redo_of_the_end_shows_the_turns_of_the_log(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    while len(told(table)) > 4:
        table.undo()
    table.end()
    table.undo()
    table.game.understood = table.game.board.tracker.fix(turns)  # the pictures show the later turns again

    def fix(
        known: Sequence[Turn], not_these: Sequence[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        return seen(turns)

    seen = table.game.board.tracker.fix
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table.game.board.tracker, "fix", fix)
        table.redo()
    assert table.state().phase == "over"
    assert (
        told(table) == [turn.turn for turn in table.state().played] == list(table.game.journal.ledger.turns)
    )
    assert table.state().state == table.state().played[-1].after


def test_an_error_after_the_log_was_written_leaves_the_page_at_the_log(
    played: Game, store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    fix, failed = table.game.board.tracker.fix, list[int]()

    def fail_once(*args: Sequence[Turn]) -> Understanding:
        if not failed:
            failed.append(1)
            raise RuntimeError("a fault of the program")
        return fix(*args)

    monkeypatch.setattr(table.game.board.tracker, "fix", fail_once)
    with pytest.raises(RuntimeError):
        table.correct(SetScores({start.players[0]: 50}))
    assert table.scores()[start.players[0]] == 50
    assert table.state().entry == store.entries()[-1].number == table.export().entry


def test_a_command_holds_although_what_follows_it_cannot_be_kept(
    played: Game, store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures)
    before = len(told(table))
    later: Order[Understanding] = Order(EntryKind.UNDONE, track=lambda: again)
    again, full = table.game.board.tracker.fix(told(table)), store.append

    def append_once(kind: str, *args: object, **more: object) -> Entry:
        if kind == EntryKind.UNDONE:
            return full(kind, *args, **more)  # type: ignore[arg-type]
        raise NotKeptError("full")

    monkeypatch.setattr(store, "append", append_once)
    table.game.carry_out(later)  # its tracker sees the turn again at once
    assert len(told(table)) == len(table.game.journal.ledger.turns) == before - 1


def test_corrections_for_other_kinds_of_board_are_refused(played: Game, store: TableStore) -> None:
    table = table_of(played[0], store)
    refused: list[tuple[Correction, str]] = [
        (SetUp(("..",), ()), "tiles have no set-up"),
        (Overrule(), "tiles have no set-up"),
        (SetOpening(extra=True), "followed from its beginning"),
    ]
    for correction, why in refused:
        with pytest.raises(Refusal, match=why):
            table.correct(correction)


def test_the_log_names_the_speaker_of_a_command_and_none_for_the_camera(
    played: Game, store: TableStore
) -> None:
    start, _, pictures = played
    table = table_of(start, store)
    watch(table, pictures[: len(pictures) // 2])
    assert not any("who" in entry.data for entry in store.entries())
    speaking = SPEAKER.set(Speaker("player", "Ana"))
    table.undo()
    SPEAKER.reset(speaking)
    last = store.entries()[-1]
    assert last.kind == EntryKind.UNDONE
    assert last.data["who"] == {"role": "player", "name": "Ana"}


def test_the_keys_are_kept_in_the_log_and_their_change_is_told(played: Game, store: TableStore) -> None:
    table = table_of(played[0], store)
    guard = KeyGuard(table_access(store, "BAOBABS"), keep=table.game.keep_access)
    access = guard.change(Access.with_new_key)
    assert table_access(store, "BAOBABS") == access and access.player != "BAOBABS"
    last = table.watch().since(0)[-1]
    assert last.type == "access" and "BAOBABS" not in last.body and access.player not in last.body


def test_faults_of_the_picture_are_told_until_the_game_ends(
    played: Game, store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.live.album.ADVISED_EVERY_S", 0.0)
    start, _, pictures = played
    table = table_of(start, store)
    for picture in pictures:  # of a black table
        table.game.see(picture, BLANK, 0.0)
        advise(table.game)
    camera = table.state().camera
    assert camera.framing is not None and "dark" in camera.framing.faults
    assert "no_tiles" not in camera.framing.faults
    events = [json.loads(event.body) for event in table.watch().since(0) if event.type == "camera"]
    told = [body for body in events if "faults" in body]
    assert len(told) < len(pictures) and "dark" in told[-1]["faults"]
    table.game.lost(Message("no picture comes"))
    assert table.state().camera.framing is None, "nothing is known of it any more"
    table.game.see(pictures[-1], BLANK, 0.0)
    advise(table.game)
    assert table.state().camera.framing is not None
    table.game.end("people")
    assert table.state().camera.framing is None
    advise(table.game)
    assert table.state().camera.framing is None


@pytest.mark.long
def test_nothing_is_told_while_the_game_is_paused(played: Game, store: TableStore) -> None:
    start, turns, pictures = played
    table = table_of(start, store)
    third = len(pictures) // 3
    watch(table, pictures[:third])
    known = told(table)
    assert 0 < len(known) < len(turns)
    table.pause(True)
    watch(table, pictures[third:-3])
    assert told(table) == known and table.state().paused and table.picture() is not None
    # It stays so after a restart; people may still correct.
    again = table_of(start, store)
    assert again.state().paused
    again.undo()
    assert len(told(again)) == len(known) - 1 and again.state().paused
    again.redo()
    again.pause(False)
    watch(again, [*pictures[-3:], pictures[-1], pictures[-1]])
    assert len(told(again)) > len(known) and not again.state().paused
    kinds = [entry.kind for entry in store.entries()]
    assert kinds.count(EntryKind.PAUSED) == 2
    again.end()
    with pytest.raises(Refusal, match="over"):
        again.pause(True)
