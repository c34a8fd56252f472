"""Edits of a game's history: turns kept, turns that change their player, turns reported as dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tilesight.live.tiles.table import TileTable
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from web.table.access import SPEAKER, Speaker
from web.table.correction import (
    ChangePlayer,
    Correction,
    InsertTurns,
    LetGo,
    MoveTurn,
    RemoveTurn,
    ReorderTurns,
)
from web.table.refusal import Refusal

TURNS = 12
Game = tuple[GameState, tuple[Turn, ...]]


@pytest.fixture(scope="module")
def game() -> Game:
    """A game of two in which some turns lay a piece."""
    pack = load_pack("savanna")
    style = Style(allow=("meeple",), greedy=0.4)
    record = random_game(pack, 2, 11, turns=TURNS, style=style, hands_seen=False)
    return start_of(record, pack), record.turns


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


@pytest.fixture
def opened(game: Game, store: TableStore) -> Callable[[], TileTable]:
    """Opens the table, at first with all its turns."""
    start, turns = game
    first = TileTable(start, {}, store, title="test", game="safari")
    first.game.say(turns)
    return lambda: TileTable(start, {}, store, title="test", game="safari")


def told(table: TileTable) -> list[Turn]:
    return [played.turn for played in table.state().played]


def placed(turn: Turn) -> tuple[object, ...]:
    return turn.tile, turn.cell, turn.rot


def legal(start: GameState, turns: list[Turn]) -> bool:
    for turn in turns:
        if start.faults(turn):
            return False
        start = start.apply(turn).state
    return True


@pytest.mark.parametrize("number", [1, 4, 7, TURNS])
def test_a_removed_turn_takes_along_what_is_told_with_reasons(
    game: Game, store: TableStore, opened: Callable[[], TileTable], number: int
) -> None:
    start, turns = game
    table = opened()
    table.correct(RemoveTurn(number))
    history = table.state().history or {"unkept": [], "reseated": []}
    kept, lost = told(table), [Turn.from_json(one["line"]) for one in history["unkept"]]  # type: ignore[attr-defined]
    assert legal(start, kept)
    others = [turn for turn in turns if turn != turns[number - 1]]
    assert {placed(turn) for turn in kept} | {placed(turn) for turn in lost} == {placed(t) for t in others}
    assert all(one["faults"] for one in history["unkept"])  # type: ignore[attr-defined]
    assert told(opened()) == kept and opened().state().history == table.state().history
    table.undo()
    assert told(table) == list(turns) and table.state().history is None
    table.redo()
    assert told(table) == kept


def test_a_turn_put_back_where_it_was_brings_the_game_back(
    game: Game, opened: Callable[[], TileTable]
) -> None:
    _, turns = game
    table = opened()
    # The last turns leave no trace in one another: what is taken out can be put back before another.
    table.correct(RemoveTurn(TURNS))
    table.correct(RemoveTurn(TURNS - 1))
    assert told(table) == list(turns[:-2])
    lines = tuple(turn.to_json() for turn in turns[-2:])
    table.correct(InsertTurns(TURNS - 1, lines))
    assert told(table) == list(turns)
    table.undo()
    assert told(table) == list(turns[:-2]), "both came with one command"


def test_a_turn_may_be_inserted_in_the_middle(game: Game, opened: Callable[[], TileTable]) -> None:
    start, turns = game
    table = opened()
    state = start
    for turn in turns[:3]:
        state = state.apply(turn).state
    design = next(one for one in sorted(state.bag) if state.placements(one))
    free = {turn.cell for turn in turns}
    cell, rot = next(place for place in state.placements(design) if place[0] not in free)
    new = Turn(state.player, design, cell, rot)
    table.correct(InsertTurns(4, (new.to_json(),)))
    after = told(table)
    assert after[:4] == [*turns[:3], new] and legal(start, after)
    history = table.state().history
    assert history is not None
    seen = {placed(turn) for turn in after} | {
        placed(Turn.from_json(one["line"]))
        for one in history["unkept"]  # type: ignore[attr-defined]
    }
    assert seen == {placed(turn) for turn in (*turns, new)}
    for one in history["reseated"]:  # type: ignore[attr-defined]
        was = Turn.from_json(one["was"])
        now = after[one["turn"] - 1]
        assert placed(now) == placed(was)
        assert now == replace(was.seen, player=now.player) or now.action is None
        assert now.player != was.player or (now.action is None and was.action is not None)


def test_a_deleted_early_turn_takes_only_those_along_that_lie_on_it(
    game: Game, opened: Callable[[], TileTable]
) -> None:
    start, turns = game
    table = opened()
    for number in range(1, TURNS):
        table.correct(RemoveTurn(number))
        after, history = told(table), table.state().history
        assert history is not None and legal(start, after)
        lost = [Turn.from_json(one["line"]) for one in history["unkept"]]  # type: ignore[attr-defined]
        assert {placed(turn) for turn in (*after, *lost)} == {
            placed(turn) for turn in turns if turn != turns[number - 1]
        }
        why = [{fault["code"] for fault in one["faults"]} for one in history["unkept"]]  # type: ignore[attr-defined]
        assert all("not_adjacent" in codes for codes in why), "a tile that still fits is kept"
        table.undo()
        assert told(table) == list(turns)


def test_turns_change_places_and_players(game: Game, opened: Callable[[], TileTable]) -> None:
    start, turns = game
    table = opened()
    moves = 0
    for number in range(1, TURNS):
        try:
            table.correct(MoveTurn(number, number + 1))
        except Refusal as refusal:
            assert refusal.code == "illegal"
            continue
        moves += 1
        after = told(table)
        assert placed(after[number]) == placed(turns[number - 1])
        assert legal(start, after) and len(after) <= TURNS
        table.undo()
        assert told(table) == list(turns)
    assert moves
    other = next(color for color in start.players if color != turns[-1].player)
    table.correct(ChangePlayer(TURNS, other))
    after = told(table)
    [given] = [turn for turn in after if placed(turn) == placed(turns[-1])]
    assert given.player == other and len(after) == TURNS and legal(start, after)


def test_several_turns_are_put_in_order_at_once(game: Game, opened: Callable[[], TileTable]) -> None:
    start, turns = game
    table = opened()
    done = 0
    for number in range(1, TURNS - 1):
        for order in ((number + 1, number), (number + 2, number + 1, number)):
            try:
                table.correct(ReorderTurns(number, order))
            except Refusal as refusal:
                assert refusal.code == "illegal"
                assert told(table) == list(turns)
                continue
            done += 1
            after = told(table)
            assert [placed(turn) for turn in after[number - 1 :][: len(order)]] == [
                placed(turns[one - 1]) for one in order
            ]
            pieces = {placed(turn): turn.player for turn in after if turn.action is not None}
            assert pieces.items() <= {placed(turn): turn.player for turn in turns}.items()
            assert legal(start, after)
            table.undo()
    assert done and told(table) == list(turns)
    for order in ((1, 1), (2, 3), (1, 3)):
        with pytest.raises(Refusal, match="names each turn from 1 on once"):
            table.correct(ReorderTurns(1, order))


def test_an_invalid_edit_is_refused_and_changes_nothing(
    game: Game, store: TableStore, opened: Callable[[], TileTable]
) -> None:
    _, turns = game
    table, entries = opened(), len(store.entries())
    wrong: list[tuple[Correction, str]] = [
        (InsertTurns(1, ({**turns[0].to_json(), "cell": [9, 9]},)), "illegal"),
        (InsertTurns(1, ({"player": 3},)), "unreadable"),
        (InsertTurns(TURNS + 2, (turns[0].to_json(),)), "unknown_turn"),
        (MoveTurn(TURNS + 1, 1), "unknown_turn"),
        (MoveTurn(1, TURNS + 1), "unknown_turn"),
        (ChangePlayer(1, "mauve"), "illegal"),
    ]
    for correction, code in wrong:
        with pytest.raises(Refusal) as refused:
            table.correct(correction)
        assert refused.value.code == code
    assert told(table) == list(turns) and len(store.entries()) == entries


def test_the_log_says_who_edited_and_what_is_let_go(
    store: TableStore, opened: Callable[[], TileTable]
) -> None:
    table = opened()
    speaking = SPEAKER.set(Speaker("player", "Ana"))
    table.correct(RemoveTurn(1))
    SPEAKER.reset(speaking)
    history = table.state().history
    assert history is not None and history["unkept"]
    assert history["who"] == {"role": "player", "name": "Ana"}
    assert (history["what"], history["turn"]) == ("remove", 1)
    table.correct(LetGo())
    assert table.state().history is None and opened().state().history is None
    assert folded(Ledger(), store.entries()).history is None
    table.undo()
    assert table.state().history == history
