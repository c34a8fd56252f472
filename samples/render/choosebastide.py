"""Chooses the games of `hill-town`, `mill-stream` and `bastide-boards`: random play, kept if it shows enough.

Runs in the project's own environment (it needs no Blender):

    python -m samples.render.choosebastide NAME     # hill-town, mill-stream: games/NAME.game.jsonl
    python -m samples.render.choosebastide boards   # the twenty games/bastide-NN.game.jsonl
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.games import tile_game_named
from engine.geometry import Cell
from engine.pack import Pack, load_pack
from engine.record import Record, write_record
from engine.tiles.game import GameState, Header
from tilesight.simulation.tile_games import Style, random_game

GAMES = Path(__file__).parent / "games"
PACK = "bastide"


@dataclass(frozen=True)
class Wish:
    """A session wanted: its players, length and opening, and how often at least each thing is to be seen."""

    colors: tuple[str, ...]
    turns: int
    span: tuple[int, int]
    wanted: Mapping[str, int]
    pictures: int
    opening: Mapping[str, str] = field(default_factory=dict)


WISHES = {
    "hill-town": Wish(
        ("red", "blue", "yellow"),
        24,
        (7, 6),
        {"meeple on field": 4, "meeple on monastery": 1, "city": 2, "road": 2, "end field": 2},
        31,
    ),
    "mill-stream": Wish(
        ("green", "red"),
        20,
        (9, 8),
        {"meeple on field": 2, "city": 1, "road": 1, "end field": 1},
        27,
        {"river": "c1"},
    ),
}
"""Sessions by name; ``pictures`` is the most states of the table that it may have."""


@dataclass(frozen=True)
class Sequel:
    """How a session that ended early goes on: to so many turns, on ``cells`` that its camera sees free."""

    turns: int
    cells: frozenset[Cell]
    wanted: Mapping[str, int]
    pictures: int


def _row(y: int, *columns: int) -> set[Cell]:
    return {(x, y) for x in columns}


SEQUELS = {
    "hill-town": Sequel(
        40,
        frozenset(
            _row(-2, -4, -3, -1)
            | _row(-1, -5, -4, -3, 1)
            | _row(0, -4, -3, 5)
            | _row(1, -4, -3, -2, -1, 5, 6)
            | _row(2, -4, -3, 5)
            | _row(3, -4, -3, -2, -1, 2, 3, 5)
        ),
        {"meeple on field": 8, "city": 4, "road": 4, "monastery": 1, "end field": 4},
        52,
    )
}
"""What was rendered after the first showing, by the session's name."""


def _start(record: Record, pack: Pack) -> GameState:
    header = record.header
    assert isinstance(header, Header)
    return tile_game_named(header.game).start(header, pack)


def shown(record: Record, pack: Pack) -> tuple[Counter[str], int]:
    """What a watcher gets to see of a game, by name, and the states of the table."""
    seen: Counter[str] = Counter()
    state, pictures = _start(record, pack), 1
    for turn in record.turns:
        step = state.apply(turn)
        new = [piece for piece in step.laid if piece not in state.standing]
        for piece in new:
            feature = pack.designs[turn.tile].tile.feature(piece.feature or "")
            seen[f"meeple on {feature.kind if feature else ''}"] += 1
        for kind, _ in {(event.kind, event.feature) for event in step.events}:
            seen[kind] += 1
        pictures += 1 + any(piece not in step.state.standing for piece in step.laid)
        state = step.state
    for event in state.final().events:
        seen[f"end {event.kind}"] += event.points > 0
    return seen, pictures


def session_game(pack: Pack, wish: Wish) -> Record:
    """The first game, by its seed, that shows what is wanted."""
    style = Style(greedy=0.85, idle=0.2, span=wish.span)
    for seed in range(1, 2000):
        record = random_game(pack, wish.colors, seed, turns=wish.turns, style=style, opening=wish.opening)
        seen, pictures = shown(record, pack)
        enough = all(seen[name] >= least for name, least in wish.wanted.items())
        if enough and pictures <= wish.pictures and len(record.turns) == wish.turns:
            print(f"seed {seed}: {pictures} pictures, {dict(seen)}")
            return record
    raise SystemExit("no seed gives such a game")


def sequel_of(pack: Pack, record: Record, sequel: Sequel) -> Record:
    """The first game, by its seed, that goes on from ``record`` and shows what is wanted."""
    style = Style(greedy=0.85, idle=0.2, cells=sequel.cells)
    colors = record.header.players
    for seed in range(1, 4000):
        longer = random_game(pack, colors, seed, turns=sequel.turns, style=style, begun=record.turns)
        if len(longer.turns) != sequel.turns:
            continue
        seen, pictures = shown(longer, pack)
        if all(seen[name] >= least for name, least in sequel.wanted.items()) and pictures <= sequel.pictures:
            print(f"sequel {seed}: {pictures} pictures, {dict(seen)}")
            return longer
    raise SystemExit("no seed gives such a sequel")


BOARD_TURNS = (3, 5, 7, 9, 11, 13, 15, 18, 20, 22, 24, 26, 28, 31, 33, 36, 39, 42, 45, 47)
"""How many turns each of the boards shows; the start tile lies there too."""
BOARD_COLORS = (
    ("red", "blue"),
    ("yellow", "green", "black"),
    ("blue", "black"),
    ("green", "red", "blue", "yellow"),
    ("black", "yellow", "red", "green", "blue"),
)
RIVER_BOARDS = {6: "c1", 9: "c3", 14: "c1", 18: "c3"}
"""Boards that begin with The River, with its edition."""


def board_game(pack: Pack, number: int, turns: int) -> Record:
    """The game of board ``number`` (from 1): of eight, the one that leaves most pieces."""
    style = Style(greedy=0.25, idle=0.05, span=(9, 8))
    opening = {"river": RIVER_BOARDS[number]} if number in RIVER_BOARDS else {}
    records = [
        random_game(
            pack, BOARD_COLORS[number % len(BOARD_COLORS)], seed, turns=turns, style=style, opening=opening
        )
        for seed in range(1000 * number, 1000 * number + 8)
    ]
    return max(records, key=lambda record: _left(record, pack))


def _left(record: Record, pack: Pack) -> int:
    state = _start(record, pack)
    for turn in record.turns:
        state = state.apply(turn).state
    return len(state.standing)


def main(args: list[str]) -> int:
    """Write the record of a session, or those of the boards."""
    pack = load_pack(PACK)
    if args == ["boards"]:
        for number, turns in enumerate(BOARD_TURNS, start=1):
            path = GAMES / f"bastide-{number:02d}.game.jsonl"
            path.write_text(write_record(board_game(pack, number, turns)), "utf-8")
        return 0
    (name,) = args
    record = session_game(pack, WISHES[name])
    if name in SEQUELS:
        record = sequel_of(pack, record, SEQUELS[name])
    (GAMES / f"{name}.game.jsonl").write_text(write_record(record), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
