"""Games found under way: the position is read, no turn is invented, and play continues."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from engine.pack import load_pack
from engine.record import Record
from engine.tiles.seen_position import UnseenState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, Camera, Noise, film
from tilesight.inference.opening import OpeningTracker
from tilesight.inference.opening.reading import ReadTable, TableReader
from tilesight.sessions.comparison import seen_part
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Observation

LOOKS = 4
"""Pictures of the table before the next turn."""
TURNS = 5
"""Turns that are played on."""
PACKS = ("savanna", "taiga")


@dataclass
class Cut:
    """A game cut at a random turn, with the position there and the turns after it."""

    record: Record
    before: Any
    start: Any
    turns: tuple[Turn, ...]

    @property
    def told(self) -> UnseenState:
        return UnseenState(
            self.start.player, self.start.scores, self.start.hands, getattr(self.start, "extra", False)
        )


def cut_game(pack_id: str, seed: int) -> Cut:
    pack = load_pack(pack_id)
    style = Style(greedy=0.6, allow=("meeple", "hut", "ranger", "dig", "expand"))
    record = random_game(pack, 2 + seed % 4, seed, turns=45, style=style, hands_seen=False)
    turns = record.turns
    number = random.Random(seed).randrange(6, len(turns) - TURNS)
    before = state = start_of(record, pack)
    for turn in turns[:number]:
        state = state.apply(turn).state
    return Cut(record, before, state, turns[number : number + TURNS])


def take_up(cut: Cut, camera: Camera) -> tuple[OpeningTracker, bool, bool]:
    """A tracker that has seen the table some times, whether it invented a turn, and whether the position is
    right."""
    tracker = OpeningTracker(cut.before, cut.told)
    invented = False
    for _ in range(LOOKS):
        understood = tracker.see(camera.frame(cut.start.board, cut.start.standing))
        invented |= bool(understood.turns)
    return tracker, invented, visible(tracker.start) == visible(cut.start)


def follow(cut: Cut, seed: int) -> tuple[bool, bool, bool]:
    """Whether a turn was invented, the position was right, and the game then went on exactly."""
    camera = Camera(cut.before, CLEAN, seed)
    tracker, invented, right = take_up(cut, camera)
    for _, observation in film(cut.start, cut.turns, CLEAN, seed, camera):
        tracker.see(observation)
    turns = [seen_part(turn.turn) for turn in tracker.finish().turns]
    state = cut.start
    for turn in cut.turns:
        state = state.apply(turn).state
    exact = turns == [seen_part(turn) for turn in cut.turns]
    return invented, right, exact and tracker.finish().state.final().scores == state.final().scores


def visible(state: Any) -> tuple[object, ...]:
    """All of a position that a table and its players know, whatever came before."""
    tiles = frozenset((cell, laid.design.id, laid.rot) for cell, laid in state.board.items())
    hands = {player: len(hand) for player, hand in state.hands.items()}
    return tiles, frozenset(state.standing), dict(state.scores), state.player, hands


@pytest.mark.parametrize("pack", [*PACKS, "bastide"])
def test_a_game_under_way_is_taken_up_and_goes_on_exactly(pack: str) -> None:
    assert follow(cut_game(pack, 3), 3) == (False, True, True)


def river_game(turns: int) -> tuple[Record, Any]:
    """A game of Carcassonne that begins with The River, and its start."""
    record = random_game(load_pack("bastide"), 2, 0, turns=turns, style=Style(), opening={"river": "c1"})
    return record, start_of(record, load_pack("bastide"))


def test_a_game_that_began_with_a_river_is_taken_up_under_way() -> None:
    record, before = river_game(20)
    state = before
    for turn in record.turns[:15]:
        state = state.apply(turn).state
    assert follow(Cut(record, before, state, record.turns[15:]), 1) == (False, True, True)


def test_a_tile_that_looks_like_the_packs_start_tile_is_no_game_under_way() -> None:
    record, before = river_game(30)
    assert "BC-D" in [turn.tile for turn in record.turns]
    tracker = OpeningTracker(before)
    for _, observation in film(before, record.turns, CLEAN, 1):
        tracker.see(observation)
    assert [seen_part(turn.turn) for turn in tracker.finish().turns] == list(map(seen_part, record.turns))
    assert tracker.opening is None


def test_a_tracker_that_follows_turns_keeps_them_and_stops_reading_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0
    read = TableReader.read

    def read_late(reader: TableReader, observation: Observation) -> ReadTable | None:
        nonlocal looks
        looks += 1
        return read(reader, observation) if looks > 30 else None

    monkeypatch.setattr(TableReader, "read", read_late)
    record, before = river_game(14)
    tracker = OpeningTracker(before)
    for _, observation in film(before, record.turns, CLEAN, 1):
        tracker.see(observation)
    assert [seen_part(turn.turn) for turn in tracker.finish().turns] == list(map(seen_part, record.turns))
    assert looks < 30


@pytest.mark.long
def test_of_twenty_boards_one_at_most_is_misread_and_no_turn_is_invented() -> None:
    noise = Noise(lost=0.0)
    cuts = [cut_game(PACKS[seed % 2], seed) for seed in range(20)]
    results = [take_up(cut, Camera(cut.before, noise, seed)) for seed, cut in enumerate(cuts)]
    assert not any(invented for _, invented, _ in results)
    assert sum(right for _, _, right in results) >= 19
