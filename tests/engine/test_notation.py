"""Notation of turns and positions: round trips, and an error for every kind of damage."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.game import GameError, OpenGame
from engine.games import game_named, game_names, tile_game_names
from engine.hunters_gatherers.actions import Hut
from engine.notation import (
    NotationError,
    game_of,
    read_position,
    read_turn,
    write_position,
    write_turn,
)
from engine.pack import Pack, load_pack
from engine.record import End, Record
from engine.safari.actions import Bonus, Dig, Expand, MoveRanger
from engine.tiles.actions import Meeple
from engine.tiles.record import ByHand, Line, Unplaceable
from engine.tiles.turn import Turn
from engine.tricky_safari.state import Move
from tests.engine.lab import parts
from tilesight.simulation.open_games import random_open_game
from tilesight.simulation.tile_games import Style, random_game

GAMES = game_names()
TILE_GAMES = tile_game_names()
few = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
many = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


@lru_cache
def pack_of(name: str) -> Pack | None:
    """The pack that records of random games name, loaded once: states are equal only with one pack."""
    game = game_named(name)
    return None if isinstance(game, OpenGame) else load_pack(game.default_pack)


@lru_cache
def some_game(name: str, seed: int) -> Record:
    game, pack = game_named(name), pack_of(name)
    if isinstance(game, OpenGame):
        return random_open_game(game, 2, seed, greedy=(seed % 3) / 2)
    assert pack is not None
    style = Style(greedy=0.2 * (seed % 2), idle=0.05)
    rules = game.presets[seed % len(game.presets)]
    river = {"river": ("c1", "c3")[seed % 2]} if name == "carcassonne" and seed % 3 else {}
    return random_game(
        pack, 2 + seed % 4, seed, rules=rules, style=style, hands_seen=seed % 3 == 0, opening=river
    )


def positions(name: str, record: Record) -> Iterator[Any]:
    game = game_named(name)
    state = game.start(record.header, pack_of(name))
    yield state
    for line in record.lines:
        if not isinstance(line.event, End):
            state, _ = game.records.play(state, line.event)
            yield state


@pytest.mark.parametrize("game", GAMES)
@few
@given(seed=seeds)
def test_every_position_of_a_game_reads_back_equal(game: str, seed: int) -> None:
    found = list(positions(game, some_game(game, seed)))
    for state in (*found[seed % 7 :: 7], found[-1]):
        line = write_position(game, state)
        assert line.isascii() and "\n" not in line
        assert game_of(line) == game
        assert read_position(line, pack_of(game)) == state


@pytest.mark.parametrize("game", GAMES)
@few
@given(seed=seeds)
def test_every_turn_of_a_game_reads_back_as_its_record_line(game: str, seed: int) -> None:
    records = game_named(game).records
    for line in some_game(game, seed).lines:
        word = write_turn(game, line.event)
        assert word.isascii() and len(word.split()) == 1
        assert read_turn(game, word) == line.event
        if not isinstance(line.event, End):
            assert records.read_line(line.event.to_json()) == read_turn(game, word)


@pytest.mark.parametrize("game", GAMES)
def test_a_position_survives_what_copying_does_to_white_space(game: str) -> None:
    state = list(positions(game, some_game(game, 3)))[12]
    line = write_position(game, state)
    wrapped = "\n  " + line.replace(" ", "\r\n\t") + "\xa0\n"
    assert read_position(wrapped, pack_of(game)) == state
    first, *words = line.split()
    fields = [word for word in words if "@" not in word.partition("=")[0]]
    assert read_position(" ".join((first, *reversed(fields), *words[len(fields) :])), pack_of(game)) == state


@pytest.mark.parametrize("game", TILE_GAMES)
def test_a_pack_that_is_not_given_is_loaded(game: str) -> None:
    state = list(positions(game, some_game(game, 2)))[20]
    line = write_position(game, state)
    assert write_position(game, read_position(line)) == line
    other = next(name for name in TILE_GAMES if name != game)
    with pytest.raises(NotationError, match="is of pack"):
        read_position(line, pack_of(other))


names = st.text(min_size=1, max_size=8).filter(str.isprintable) | st.sampled_from(
    ["pass", "end", "?", "a/b=c"]
)
cells = st.tuples(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000))
corners = st.sampled_from(["nw", "ne", "se", "sw"])
actions = (
    st.none()
    | st.builds(Meeple, names)
    | st.builds(Hut, names)
    | st.builds(MoveRanger, cells, cells)
    | st.builds(Dig, cells, corners, names)
    | st.builds(Expand, cells, corners, names)
)
turns = st.builds(
    Turn,
    player=names,
    tile=names,
    cell=cells,
    rot=st.sampled_from([0, 90, 180, 270]),
    action=actions,
    parts=st.builds(
        parts,
        displaced_to=st.none() | cells,
        bonus=st.lists(st.builds(Bonus, names, cells, names, names), max_size=3),
        draws=st.dictionaries(names, st.lists(names, max_size=3).map(tuple), max_size=2),
        sent_home=st.none() | st.tuples(cells, names),
    ),
)
moves = st.builds(Move, names, st.none() | names, st.booleans())


@many
@given(
    turns
    | st.builds(Unplaceable, names)
    | st.builds(ByHand, st.dictionaries(names, st.integers(-999, 999), max_size=3))
)
def test_a_turn_of_a_tile_game_with_any_names_reads_back_equal(event: Line) -> None:
    word = write_turn("safari", event)
    assert word.isascii() and len(word.split()) == 1
    assert read_turn("safari", word) == event


@many
@given(moves)
def test_a_move_with_any_names_reads_back_equal(event: Move) -> None:
    word = write_turn("tricky-safari", event)
    assert word.isascii() and len(word.split()) == 1
    assert read_turn("tricky-safari", word) == event


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("safari/", "chess/", "no rules for a game"),
        ("/zman", "/mine", "there is no edition"),
        ("pack=savanna ", "", "pack= is missing"),
        ("pack=savanna", "pack=nowhere", "nowhere"),
        ("pack=savanna", "pack=savanna pack=savanna", "stands here twice"),
        ("pack=savanna", "pakc=savanna", "is not known here"),
        ("red:0,blue:0", "red:0", "2 to 5 players"),
        ("red:0,blue:0", "red:0,red:0", "twice"),
        ("red:0,blue:0", "red:0,blue:x", "whole number"),
        ("to=blue", "to=red", "it is blue's turn"),
        ("-2,0;2,0", "-2,0", "2 rangers"),
        ("-2,0;2,0", "-2,0;9,9", "beside a tile"),
        ("blue:?,?", "blue:?,hippo", "no animal tile hippo"),
        (";blue:?,?", "", "hand is missing"),
        ("red:?,?", "red:" + ",".join(["lion"] * 11), "only 10"),
        ("hands=", "discards=lion:11 hands=", "only 10"),
        ("CS7-G@0,-1w", "CS7-G@0,-1n", "but the tile beyond has"),
        ("CS7-G@0,-1w", "CS7-G@5,5w", "touches no tile"),
        ("CS7-G@0,-1w", "CS7-G@0,0w", "a tile at"),
        ("CS7-G@", "CS99@", "no tile CS99 to draw"),
        ("CS7-G@", "CSS-C@", "no tile CSS-C to draw"),
        ("red,t0", "green,t0", "no player"),
        ("red,t0", "red,t9", "no feature t9"),
        ("hands=", "aside=CS7-G:9 hands=", "cannot have been put aside"),
        ("hands=", "holes=lion,se@0,-1 hands=", "its meeple stays"),
        ("hands=", "holes=lion,red,se@9,9 hands=", "no tile at"),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_pointed_at(old: str, new: str, message: str) -> None:
    line = (
        "safari/zman pack=savanna players=red:0,blue:0 to=blue rangers=-2,0;2,0 hands=red:?,?;blue:?,?"
        " CS7-G@0,-1w/meeple=red,t0"
    )
    read_position(line)
    assert old in line
    changed = line.replace(old, new, 1)
    with pytest.raises(NotationError) as error:
        read_position(changed)
    assert message in str(error.value)
    assert error.value.text == changed
    assert error.value.column is not None and 1 <= error.value.column <= len(changed) + 1


def test_no_piece_stands_where_none_can() -> None:
    """Illegal meeples: on finished features, a seventh one, or on an occupied feature."""
    head = "hunters-gatherers/2020 pack=hunters-gatherers-2020 players=yellow:0,red:0"
    board = "HG48@0,-1s/meeple=yellow,m2 HG03@-1,-1n/hut=red,l8"
    pack = pack_of("hunters-gatherers")
    read_position(f"{head} to=yellow {board}", pack)
    for to, words, message in (
        ("yellow", board.replace("hut=red,l8", "hut=red,m0"), "huts stand on rivers"),
        ("yellow", board.replace("hut=red,l8", "meeple=red,l8"), "only huts stand on lakes"),
        ("yellow", board.replace("meeple=yellow", "hut=yellow"), "huts stand on rivers"),
        ("red", board, "it is yellow's turn"),
        ("red", f"extra=yes {board}", ""),
        ("red", f"extra=no {board}", "extra= is yes"),
        ("yellow", f"covered=m9@0,0 {board}", "no grassland"),
        ("yellow", f"{board} HG48@1,0s", "not so many tiles"),
    ):
        if not message:
            read_position(f"{head} to={to} {words}", pack)
            continue
        with pytest.raises(NotationError, match=message):
            read_position(f"{head} to={to} {words}", pack)


def test_meeples_that_would_be_home_are_refused() -> None:
    """A line with a meeple more, on every tile of a game, is either another position or refused."""
    record = some_game("safari", 4)
    pack = pack_of("safari")
    state = list(positions("safari", record))[50]
    words = write_position("safari", state).split()
    refused: set[str] = set()
    for i, word in enumerate(words):
        if "@" in word and "=" not in word:
            for feature in pack.designs[word.split("@")[0]].tile.features if pack else ():
                line = " ".join((*words[:i], f"{word}/meeple=yellow,{feature.id}", *words[i + 1 :]))
                try:
                    other = read_position(line, pack)
                except NotationError as error:
                    refused.add(error.message)
                else:
                    assert other != state
    assert {"this tile finishes a trail, whose meeples went home"} <= refused


def test_writing_a_position_or_turn_of_another_game_is_refused() -> None:
    states = {game: next(positions(game, some_game(game, 1))) for game in GAMES}
    for game in GAMES:
        for other in GAMES:
            if other != game:
                with pytest.raises(NotationError):
                    write_position(game, states[other])
    for game in ("safari", "tricky-safari"):
        rules = replace(states[game].rules, **({"moves": 3} if game == "tricky-safari" else {"name": "mine"}))
        with pytest.raises(NotationError, match="no edition"):
            write_position(game, replace(states[game], rules=rules))
    turn = Turn("red", "CS1", (0, -1), 0)
    with pytest.raises(NotationError):
        write_turn("tricky-safari", turn)
    with pytest.raises(NotationError):
        write_turn("safari", Move("red", "c4"))
    for broken in (replace(turn, rot=45), replace(turn, player=""), replace(turn, tile="\ud800")):
        with pytest.raises(NotationError):
            write_turn("safari", broken)
    for call in (lambda: write_turn("chess", turn), lambda: read_turn("chess", "e4")):
        with pytest.raises(GameError):
            call()


@lru_cache
def examples(game: str) -> tuple[list[str], list[str]]:
    """Lines and words of two games."""
    lines, words = [], []
    for seed in (1, 2):
        record = some_game(game, seed)
        lines += [write_position(game, state) for state in list(positions(game, record))[3::11]]
        words += [write_turn(game, line.event) for line in record.lines[::4]]
    return lines, words


def damaged(text: str, rng: random.Random) -> str:
    """The text with a few signs or words lost, doubled, moved or replaced."""
    for _ in range(rng.randint(1, 3)):
        at, to = sorted(rng.choices(range(len(text) + 1), k=2))
        if rng.random() < 0.5:
            to = min(to, at + 3)
        kind = rng.randrange(4)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:to] + text[at:]
        elif kind == 2:
            signs = "0123456789abz@=/,;:?%-+. \n\x00éΩ²٣FLnesw"
            text = text[:at] + "".join(rng.choices(signs, k=rng.randint(1, 3))) + text[at + 1 :]
        else:
            words = text.split(" ")
            rng.shuffle(words)
            text = " ".join(words)
    return text


@pytest.mark.parametrize("game", GAMES)
@many
@given(rng=st.randoms(use_true_random=False))
def test_a_damaged_position_is_another_or_a_notation_error(game: str, rng: random.Random) -> None:
    text = damaged(rng.choice(examples(game)[0]), rng)
    pack = pack_of(game)
    try:
        state = read_position(text, pack)
    except NotationError as error:
        assert "\n" not in str(error) and error.column is not None
        assert 1 <= error.column <= len(text) + 1
    else:
        assert read_position(write_position(game, state), pack) == state


@pytest.mark.parametrize("game", GAMES)
@many
@given(rng=st.randoms(use_true_random=False))
def test_a_damaged_turn_is_another_or_a_notation_error(game: str, rng: random.Random) -> None:
    text = damaged(rng.choice(examples(game)[1]), rng)
    try:
        event = read_turn(game, text)
    except NotationError as error:
        assert "\n" not in str(error)
    else:
        assert read_turn(game, write_turn(game, event)) == event


@many
@given(st.text(max_size=80))
def test_no_text_raises_anything_but_a_notation_error(text: str) -> None:
    for game in GAMES:
        for line in (text, f"{game}/{text}", f"{game}/{game_named(game).presets[0]} {text}"):
            with pytest.raises(NotationError):
                read_position(line)
    for game in GAMES:
        try:
            read_turn(game, text)
        except NotationError as error:
            assert "\n" not in str(error)


def test_a_line_of_endless_length_is_not_looked_at() -> None:
    with pytest.raises(NotationError, match="too long"):
        read_position("safari/zman " + "x" * 200_000)
    with pytest.raises(NotationError):
        read_position("safari/zman pack=" + "x" * 5_000 + " players=red:0,blue:0")
    with pytest.raises(NotationError):
        read_turn("safari", "red:CS1@" + "9" * 5_000 + ",0n")
