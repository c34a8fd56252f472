"""Chooses the games that are rendered: seeded random play of the engine, kept if it shows enough.

Runs in the project's own environment (it needs no Blender):

    python -m samples.render.choose session > samples/render/games/first-light.game.jsonl
    python -m samples.render.choose board SEED PLAYERS TURNS > samples/render/games/NAME.game.jsonl
    python -m samples.render.choose house        # writes the forty samples/render/games/house-NN.game.jsonl
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from engine.games import tile_game_named
from engine.pack import Pack, load_pack
from engine.record import Record, write_record
from engine.safari.actions import MoveRanger, RangerBack
from engine.tiles.actions import Meeple
from engine.tiles.game import Header
from tilesight.simulation.tile_games import Style, random_game

SPAN = (8, 7)
PLAIN = ("meeple", "ranger")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a watcher of a game gets to see."""

    going_home: int
    home_at_once: int
    ranger_moves: int
    displaced: int
    lying: int
    kinds: frozenset[str]
    pictures: int
    left_standing: int


def shown(record: Record, pack: Pack) -> Shown:
    """Play the record through and count."""
    header: Header = record.header
    state = tile_game_named(header.game).start(header, pack)
    home = at_once = moves = displaced = lying = 0
    kinds: set[str] = set()
    pictures = 1
    for turn in record.turns:
        before = state.standing
        step = state.apply(turn)
        gone = [p for p in step.laid if p.kind == "meeple" and p not in step.state.standing]
        home += bool(gone)
        pictures += 2 if gone else 1
        at_once += any(p.cell == turn.cell and p not in before for p in gone)
        moves += isinstance(turn.action, MoveRanger)
        displaced += bool(turn.parts_of(RangerBack))
        if isinstance(turn.action, Meeple):
            design = pack.designs[turn.tile]
            kinds.add(design.tile.feature(turn.action.feature).kind)
        lying += any(p.pose == "lying" and p not in before for p in step.state.standing)
        state = step.state
    left = sum(p.kind == "meeple" for p in state.standing)
    return Shown(home, at_once, moves, displaced, lying, frozenset(kinds), pictures, left)


def good(s: Shown) -> bool:
    """Whether the game shows everything that the sample session promises."""
    return (
        4 <= s.going_home <= 8
        and 1 <= s.home_at_once <= 4
        and 1 <= s.ranger_moves <= 8
        and 1 <= s.displaced <= 8
        and s.lying >= 1
        and s.kinds >= {"trail", "bush", "baobab"}
        and 4 <= s.left_standing <= 9
    )


def session_game(pack: Pack, turns: int = 25) -> tuple[int, Record, Shown]:
    """The first seed whose game of red and blue shows enough."""
    style = Style(allow=PLAIN, greedy=0.4, idle=0.3, span=SPAN)
    for seed in range(1, 3000):
        record = random_game(pack, ("red", "blue"), seed, turns=turns, style=style, hands_seen=False)
        seen = shown(record, pack)
        if good(seen):
            return seed, record, seen
    raise SystemExit("no seed gives such a game")


HOUSE_TURNS = (2, 5, 8, 12, 16, 21, 26, 31, 38, 44)
HOUSE_PLAYERS = (
    ("red", "blue"), ("yellow", "green", "black"), ("blue", "yellow"), ("green", "red", "black", "yellow"),
)  # fmt: skip


def house_game(pack: Pack, number: int) -> Record:
    """The game of board ``number`` (from 1): of six, the one that leaves most animal tiles and meeples."""
    style = Style(greedy=0.25, idle=0.1, span=(9, 8))
    best: tuple[int, Record] | None = None
    for seed in range(1000 * number, 1000 * number + 6):
        turns, players = HOUSE_TURNS[(number - 1) % 10], HOUSE_PLAYERS[number % 4]
        record = random_game(pack, players, seed, turns=turns, style=style)
        state = tile_game_named(record.header.game).start(record.header, pack)
        for turn in record.turns:
            state = state.apply(turn).state
        worth = sum({"token": 2, "meeple": 1}.get(piece.kind, 0) for piece in state.standing)
        if best is None or worth > best[0]:
            best = (worth, record)
    assert best is not None
    return best[1]


def main(args: list[str]) -> int:
    """Print one record, or write the forty of the house boards."""
    pack = load_pack("savanna")
    if args[:1] == ["house"]:
        for number in range(1, 41):
            path = Path(__file__).parent / "games" / f"house-{number:02d}.game.jsonl"
            path.write_text(write_record(house_game(pack, number)), "utf-8")
        return 0
    if args[:1] == ["session"]:
        seed, record, seen = session_game(pack)
        print(f"seed {seed}: {seen}", file=sys.stderr)
    else:
        seed, players, turns = int(args[1]), args[2].split(","), int(args[3])
        style = Style(allow=PLAIN, greedy=0.4, idle=0.1, span=(10, 8) if turns > 22 else SPAN)
        record = random_game(pack, tuple(players), seed, turns=turns, style=style, hands_seen=False)
        print(shown(record, pack), file=sys.stderr)
    print(write_record(record), end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
