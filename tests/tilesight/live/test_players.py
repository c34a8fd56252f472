"""Players of a game that has begun: another order, other names, one more in the first round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.record import header_from_json
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tilesight.commands.live_games import asked_game
from tilesight.live.tiles.table import TileTable
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from web.table.refusal import Refusal
from web.table.seats import Seat

HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": ["red", "blue"]}
ANA, BO, CHIDI = Seat("red", "Ana"), Seat("blue", "Bo"), Seat("green", "Chidi")


def start_of(players: list[str]) -> GameState:
    header = header_from_json({**HEADER, "players": players})
    assert isinstance(header, Header)
    return tile_game_named("safari").start(header, load_pack("savanna"))


def bare_turn(state: GameState) -> Turn:
    """A turn without a piece."""
    for design in sorted(state.bag):
        for cell, rot in state.placements(design):
            found = next((t for t in state.turns_for(design, cell, rot) if t.action is None), None)
            if found is not None:
                return found
    raise AssertionError("no tile fits")


def meeple_turn(state: GameState) -> Turn:
    """A turn with a meeple."""
    for design in sorted(state.bag):
        for cell, rot in state.placements(design):
            turns = state.turns_for(design, cell, rot)
            found = next((t for t in turns if t.action and t.action.type == "meeple"), None)
            if found is not None:
                return found
    raise AssertionError("no meeple can be put")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": HEADER, "names": {"red": "Ana", "blue": "Bo"}})
        yield opened


def table_of(store: TableStore) -> TileTable:
    names = {"red": "Ana", "blue": "Bo"}
    return TileTable(
        start_of(["red", "blue"]), names, store, title="Ana, Bo", game="safari", header_line=HEADER
    )


def play(table: TileTable, *kinds: str) -> None:
    state, turns = table.state().state, [one.turn for one in table.state().played]
    for kind in kinds:
        turns.append(bare_turn(state) if kind == "bare" else meeple_turn(state))
        state = state.apply(turns[-1]).state
    table.game.say(turns)


def test_a_player_joins_in_the_first_round_and_undo_takes_it_back(store: TableStore) -> None:
    table = table_of(store)
    play(table, "meeple", "bare")
    table.seats([ANA, BO, CHIDI])
    view = table.state()
    assert view.seats == (ANA, BO, CHIDI) and view.state.player == "green" and len(view.played) == 2
    play(table, "bare")
    assert table.state().state.player == "red" and table.state().played[-1].turn.player == "green"
    ledger = folded(Ledger(), store.entries())
    assert ledger.header["players"] == ["red", "blue", "green"] and ledger.opened == HEADER
    # After a restart it is the same game.
    assert table_of(store).state().seats == (ANA, BO, CHIDI)
    for _ in range(2):
        table.undo()
    view = table.state()
    assert view.seats == (ANA, BO) and view.state.player == "red" and len(view.played) == 2
    table.redo()
    assert table.state().seats == (ANA, BO, CHIDI)


def test_no_player_joins_after_a_players_second_turn(store: TableStore) -> None:
    table = table_of(store)
    play(table, "bare", "bare", "bare")
    with pytest.raises(Refusal, match="before anybody has had a second turn") as refused:
        table.seats([ANA, BO, CHIDI])
    assert refused.value.code == "late" and table.state().seats == (ANA, BO)


def test_another_order_keeps_pieces_and_gives_away_turns_without(store: TableStore) -> None:
    table = table_of(store)
    play(table, "bare", "bare")
    table.seats([BO, ANA])
    view = table.state()
    assert [one.turn.player for one in view.played] == ["blue", "red"] and view.state.player == "blue"
    assert view.history is not None and len(view.history["reseated"]) == 2  # type: ignore[arg-type]
    table.undo()
    play(table, "meeple")
    with pytest.raises(Refusal, match="turn 3") as refused:
        table.seats([BO, ANA])
    assert refused.value.code == "illegal" and table.state().seats == (ANA, BO)


def test_the_same_order_with_other_names_is_no_step_of_undo(store: TableStore) -> None:
    table = table_of(store)
    play(table, "meeple")
    table.seats([Seat("red", "Bo"), Seat("blue", "Ana")])
    assert table.state().title == "Bo, Ana" and table.state().played
    table.undo()
    assert not table.state().played and table.state().seats[0].name == "Bo"


@pytest.mark.parametrize(
    ("players", "colors"),
    [
        ([Seat("green", "Mia"), Seat("blue", "Noah")], {"red": "green"}),
        ([Seat("blue", "Noah"), Seat("green", "Mia")], {"red": "green"}),
        ([Seat("red", "Bo"), Seat("blue", "Ana")], {"red": "blue", "blue": "red"}),
        ([Seat("green", "Mia"), BO, Seat("red", "Chidi")], {"red": "green"}),
    ],
    ids=["colour", "colour and order", "swap", "colour and one more"],
)
def test_a_change_of_colours_and_seats_is_one_entry_and_one_step(
    store: TableStore, players: list[Seat], colors: dict[str, str]
) -> None:
    table = table_of(store)
    play(table, "bare")
    before, entries = table.state(), len(store.entries())
    table.seats(players, colors)
    after = table.state()
    assert list(after.seats) == players and len(store.entries()) == entries + 1
    for again in range(2):
        if again:
            table.redo()
            assert table.state().seats == after.seats and table.state().state == after.state
        assert table_of(store).state().seats == table.state().seats  # after a restart
        table.undo()
        view = table.state()
        assert (view.seats, view.state, view.title) == ((ANA, BO), before.state, before.title)


def test_a_change_of_colours_before_the_first_turn_can_be_undone(store: TableStore) -> None:
    table = table_of(store)
    table.seats([Seat("green", "Ana"), BO], {"red": "green"})
    assert table.state().can_undo
    table.undo()
    assert table.state().seats == (ANA, BO) and not table.state().can_undo


@pytest.mark.parametrize("players", [[ANA, Seat("red", "Bo")], [ANA, Seat("mauve", "Bo")]])
def test_colours_that_do_not_go_are_refused(store: TableStore, players: list[Seat]) -> None:
    with pytest.raises(Refusal) as refused:
        table_of(store).seats(players)
    assert refused.value.code == "players"


def test_a_game_with_a_late_player_is_taken_up_by_its_first_or_present_players(tmp_path: Path) -> None:
    two, three = "red=Ana,blue=Bo", "red=Ana,blue=Bo,green=Chidi"
    asked = {
        players: asked_game("safari", players, None, None, None, learn=False) for players in (two, three)
    }
    with TableStore(tmp_path / "one.table") as store:
        asked[two].begun_in(store)
        run = asked[two].run(store, rendered=False, sink=None)
        run.table.seats([ANA, BO, CHIDI])
        for players in (two, three):
            assert asked[players].broken_off_in(store)
            assert asked[players].begun_in(store).header["players"] == ["red", "blue", "green"]
            again = asked[players].run(store, rendered=False, sink=None)
            assert again.table.state().seats == (ANA, BO, CHIDI)
            assert "Chidi" in again.text()
