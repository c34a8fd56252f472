"""Colours entered wrongly: pieces of no player are asked about, and the game is scored anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from engine.message import Message
from engine.pack import load_pack
from engine.record import check, header_to_json, read_record
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.export.session import write_session
from tilesight.live.tiles.seating import start_of as start_by
from tilesight.live.tiles.stray_colors import GONE_AFTER_S
from tilesight.live.tiles.table import TileTable
from tilesight.lobby.past import past_table
from tilesight.sessions.session import read_session
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation
from web.table.question import Option, Question
from web.table.refusal import Refusal
from web.table.seats import Seat

BLANK = Frame(np.zeros((72, 128, 3), np.uint8))
PACK = load_pack("savanna")
WRONG = "black"
"""Colour entered for the player who plays the first one."""


class Film(NamedTuple):
    """A game, the pictures of it, and the number of turns that are finished in each."""

    start: GameState
    turns: tuple[Turn, ...]
    header: Header
    pictures: list[Observation]
    finished: list[int]


@pytest.fixture(scope="module")
def played() -> Film:
    record = random_game(PACK, 2, 7, turns=10, style=Style(allow=("meeple",), greedy=0.6), hands_seen=False)
    start = start_of(record, PACK)
    assert isinstance(record.header, Header)
    told = list(film(start, record.turns, CLEAN, 3))
    return Film(start, record.turns, record.header, [seen for _, seen in told], [n for n, _ in told])


@pytest.fixture
def store(tmp_path: Path, played: Film) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": wrong_header(played), "names": names(played)})
        yield opened


def wrong_header(played: Film) -> dict[str, object]:
    first, *others = played.header.players
    assert first != WRONG
    return {**header_to_json(played.header), "players": [WRONG, *others]}


def names(played: Film) -> dict[str, str]:
    return {WRONG: "Dan", played.header.players[1]: "Emi"}


def table_of(played: Film, store: TableStore) -> TileTable:
    line = wrong_header(played)
    start = start_by(line, PACK)
    return TileTable(start, names(played), store, title="Dan, Emi", game="safari", header_line=line)


def watch(table: TileTable, pictures: Sequence[Observation]) -> None:
    for picture in pictures:
        table.game.see(picture, BLANK, 0.0)


def until_asked(table: TileTable, pictures: Sequence[Observation]) -> tuple[int, Question]:
    """The number of pictures that were watched until a question about colours came, and the question."""
    for number, picture in enumerate(pictures, 1):
        watch(table, [picture])
        for question in table.questions():
            if question.id.startswith("stray-"):
                return number, question
    raise AssertionError("nothing was asked")


def told(table: TileTable) -> list[Turn]:
    return [one.turn for one in table.state().played]


def first_piece(played: Film) -> int:
    """Number of the first turn with a piece of the player whose colour is wrong."""
    color = played.header.players[0]
    return next(n for n, turn in enumerate(played.turns, 1) if turn.player == color and turn.action)


def test_a_colour_of_no_player_is_asked_about_and_the_answer_recolours(
    played: Film, store: TableStore
) -> None:
    right, other = played.header.players
    table = table_of(played, store)
    at, question = until_asked(table, played.pictures)
    assert played.finished[at - 1] <= first_piece(played) + 2
    assert question.text == f"there are pieces on the board and nobody plays {right}: whose are they?"
    assert question.options[0] == Option(WRONG, Message("Dan"))
    assert {option.id for option in question.options} == {WRONG, other, "nobody"}
    table.answer(question.id, WRONG)
    assert table.state().seats == (Seat(right, "Dan"), Seat(other, "Emi"))
    assert not table.questions()
    watch(table, played.pictures[at:])
    table.game.finish()
    assert told(table) == list(played.turns)
    ledger = folded(Ledger(), store.entries())
    assert ledger.header["players"] == [right, other]
    again = table_of(played, store)
    assert told(again) == list(played.turns) and again.state().seats == table.state().seats
    assert again.state().state.scores == table.state().state.scores
    assert past_table(store)[0].state().seats == table.state().seats


def test_pieces_confirmed_as_no_player_s_are_not_asked_about_again(played: Film, store: TableStore) -> None:
    table = table_of(played, store)
    at, question = until_asked(table, played.pictures)
    known = told(table)
    table.answer(question.id, "nobody")
    assert told(table) == known and table.state().seats[0] == Seat(WRONG, "Dan")
    again = table_of(played, store)
    for one in (table, again):
        for picture in played.pictures[at:]:
            watch(one, [picture])
            assert not [question for question in one.questions() if question.id.startswith("stray-")]


def test_pieces_that_are_taken_away_are_not_asked_about_any_more(played: Film, store: TableStore) -> None:
    table = table_of(played, store)
    at, _ = until_asked(table, played.pictures)
    last = played.pictures[at - 1]
    bare = [replace(last, pieces=(), t_s=last.t_s + n, frame_index=last.frame_index + n) for n in range(9)]
    watch(table, bare[1:])
    assert table.questions(), "people have a minute to answer"
    watch(table, [replace(bare[-1], t_s=last.t_s + GONE_AFTER_S, frame_index=last.frame_index + 9)])
    assert not table.questions()
    assert [closed.why for closed in table.state().closed][:1] == ["settled"]


def test_a_colour_is_corrected_at_any_time_and_undo_takes_it_back(played: Film, store: TableStore) -> None:
    right, other = played.header.players
    table = table_of(played, store)
    watch(table, played.pictures)
    table.game.finish()
    with pytest.raises(Refusal) as refused:
        table.seats([Seat(other, "Dan"), Seat(other, "Emi")], {WRONG: other})
    assert refused.value.code == "players"
    with pytest.raises(Refusal) as refused:
        table.seats([Seat("mauve", "Dan"), Seat(other, "Emi")], {WRONG: "mauve"})
    assert refused.value.code == "players" and folded(Ledger(), store.entries()).header["players"] == [
        WRONG,
        other,
    ]
    before = told(table)
    table.seats([Seat(right, "Daniel"), Seat(other, "Emi")], {WRONG: right})
    assert told(table) == list(played.turns)
    assert table.state().title == "Daniel, Emi"
    assert table.crop(1).startswith(b"\xff\xd8"), "the turns keep their pictures"
    table.undo()
    assert told(table) == before and table.state().seats[0].color == WRONG
    table.redo()
    assert told(table) == list(played.turns)
    exported = read_record(table.export().content.decode())
    assert exported.header.players == (right, other)
    assert check(exported).valid


def test_a_recoloured_game_is_exported_and_read_as_a_session(
    played: Film, store: TableStore, tmp_path: Path
) -> None:
    right, other = played.header.players
    table = table_of(played, store)
    watch(table, played.pictures)
    table.game.say(told(table))  # people said something in the old colours
    table.seats([Seat(right, "Dan"), Seat(other, "Emi")], {WRONG: right})
    table.undo()
    table.redo()
    write_session(store, tmp_path / "out")
    session = read_session(tmp_path / "out")
    assert session.names == {right: "Dan", other: "Emi"}
    colors = {turn.player for said in session.said for turn in said.turns}
    assert colors == {right, other}


def test_two_players_change_colours(played: Film, store: TableStore) -> None:
    _, other = played.header.players
    table = table_of(played, store)
    watch(table, played.pictures)
    before = told(table)
    swapped = {WRONG: other, other: WRONG}
    table.seats([Seat(other, "Dan"), Seat(WRONG, "Emi")], swapped)
    assert [turn.player for turn in told(table)] == [swapped[turn.player] for turn in before]
    assert [seat.color for seat in table_of(played, store).state().seats] == [other, WRONG]
