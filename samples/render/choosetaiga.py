"""Chooses the games of `menhir-creek` and `taiga-boards`: play of the engine, kept if it shows enough.

Runs in the project's own environment (it needs no Blender):

    python -m samples.render.choosetaiga session    # writes samples/render/games/menhir-creek.game.jsonl
    python -m samples.render.choosetaiga boards     # writes the twenty games/taiga-NN.game.jsonl

The boards are seeded random play. In the session's game the tiles come in an order that lets much happen: of
a few tiles that might be drawn the one is taken whose turn shows most; the turns are as legal as any.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from engine.games import tile_game_named
from engine.hunters_gatherers.actions import Hut, SentHome
from engine.hunters_gatherers.rules import PIT_TRAP, RAFT, SHAMAN, WILDFIRE
from engine.hunters_gatherers.water import FOREST, GRASSLAND, RIVER, SYSTEM, power_on
from engine.pack import Pack, load_pack
from engine.record import End, Line, Record, write_record
from engine.tiles.actions import Meeple
from engine.tiles.game import GameState, Header, Step
from engine.tiles.turn import Turn
from tilesight.simulation.tile_games import Style, random_game

GAMES = Path(__file__).parent / "games"
PACK = "taiga"
SESSION, COLORS, TURNS, SPAN = "menhir-creek", ("red", "blue", "yellow"), 33, (8, 7)
PICTURES = 50
"""States of the table that the session may have at most."""
DRAWN = 4
"""Tiles looked at when one is to be drawn."""
LISTED = 60
"""Turns looked at for one of them."""
POWERS = (SHAMAN, PIT_TRAP, WILDFIRE, RAFT)
"""What the first extra turns draw, in this order."""
HUTS_EACH = 2
"""Huts wanted on lakes, and as many on rivers."""
IDLE = 0.25
"""Share of turns that put no piece."""


@dataclass
class Shown:
    """What a watcher gets to see of a game: counts by name, and the states of the table."""

    seen: Counter[str] = field(default_factory=Counter)
    pictures: int = 1

    def turn(self, turn: Turn, step: Step, pack: Pack, extra: bool) -> None:
        """Count one turn."""
        self.seen["extra turn"] += extra
        self.seen["shaman"] += bool(turn.parts_of(SentHome))
        tile = pack.designs[turn.tile].tile
        power = power_on(tile)
        if power is not None:
            self.seen[f"tile {power[0]}"] += 1
        if isinstance(turn.action, Hut | Meeple):
            feature = tile.feature(turn.action.feature)
            what = "hut" if isinstance(turn.action, Hut) else "meeple"
            self.seen[f"{what} on {feature.kind if feature else ''}"] += 1
        self.seen["two at once"] += len(scored(step)) >= 2
        gone = [piece for piece in step.laid if piece not in step.state.standing]
        self.seen["home at once"] += any(piece.cell == turn.cell for piece in gone)
        self.seen["going home"] += bool(gone)
        self.pictures += 2 if gone else 1

    def end(self, state: GameState) -> None:
        """Count what the end scores."""
        for event in state.final().events:
            self.seen[f"end {event.kind}"] += event.points > 0
            for word in ("raft", "doubled", "wildfire", "eaten"):
                self.seen[f"end {word}"] += event.points > 0 and word in event.why

    @property
    def enough(self) -> bool:
        """Whether this is a game for the session."""
        wanted = (
            "extra turn", "shaman", "two at once", "home at once",
            f"meeple on {FOREST}", f"meeple on {RIVER}", f"meeple on {GRASSLAND}",
            f"end {SYSTEM}", f"end {GRASSLAND}", "end raft", "end doubled", "end eaten",
        )  # fmt: skip
        huts = min(self.seen["hut on lake"], self.seen["hut on river"])
        return huts >= HUTS_EACH and all(self.seen[name] for name in wanted) and self.pictures <= PICTURES


def scored(step: Step) -> set[tuple[str, str | None]]:
    """The forests and rivers that a turn finished and for which a player scored."""
    return {(event.kind, event.feature) for event in step.events if event.kind in (FOREST, RIVER)}


def room_for(state: GameState, span: tuple[int, int]) -> tuple[range, range]:
    """The columns and rows in which a tile may lie so that the board keeps within ``span``."""
    columns, rows = ([cell[i] for cell in state.board] for i in (0, 1))
    return (
        range(max(columns) - span[0] + 1, min(columns) + span[0]),
        range(max(rows) - span[1] + 1, min(rows) + span[1]),
    )


def turns_with(state: GameState, tile: str, rng: random.Random, *, idle: bool) -> Iterator[Turn]:
    """A few turns with that tile, in any order; ``idle`` ones put no piece."""
    columns, rows = room_for(state, SPAN)
    places = [place for place in state.placements(tile) if place[0][0] in columns and place[0][1] in rows]
    turns = [turn for place in places for turn in state.turns_for(tile, *place)]
    if idle:
        turns = [turn for turn in turns if turn.action is None] or turns
    rng.shuffle(turns)
    return islice(turns, LISTED)


def worth(state: GameState, turn: Turn, pack: Pack, seen: Counter[str], rng: random.Random) -> float:
    """How much a turn adds to the session: points for who plays it, and what was not seen yet."""
    step = state.apply(turn)
    before, after = state.final().scores, step.state.final().scores
    gain = float(after[turn.player] - before[turn.player])
    if step.state.player == turn.player:  # a menhir forest closed: an extra turn follows
        gain += 14.0 if seen["extra turn"] < len(POWERS) else -3.0
    if len(scored(step)) >= 2 and not seen["two at once"]:
        gain += 30.0
    if turn.parts_of(SentHome):
        gain += 12.0
    if isinstance(turn.action, Hut):
        feature = pack.designs[turn.tile].tile.feature(turn.action.feature)
        gain += 5.0 if feature is not None and seen[f"hut on {feature.kind}"] < HUTS_EACH else 0.0
    if any(p.cell == turn.cell and p.kind == "meeple" and p.pose == "standing" for p in step.state.standing):
        gain += 3.0  # it may score more later, and is seen for longer
    return gain + rng.uniform(0, 3)


def draws(state: GameState, pack: Pack, rng: random.Random, extra: bool) -> list[str]:
    """Tiles that might be drawn now, in any order; in an extra turn the first of `POWERS` still there."""
    left = [tile for tile, number in state.bag.items() for _ in range(number)]
    rng.shuffle(left)
    if extra:
        powers = {tile: power_on(pack.designs[tile].tile) for tile in left}
        for wanted in POWERS:
            found = [tile for tile, power in powers.items() if power is not None and power[0] == wanted]
            if found and state.placements(found[0]):
                return found
    return [tile for tile in dict.fromkeys(left) if state.placements(tile)][:DRAWN]


def session_game(pack: Pack, seed: int) -> tuple[Record, Shown] | None:
    """The game of that seed, or None where it gets stuck."""
    rng = random.Random(seed)
    game = tile_game_named(pack.game or "")
    header = Header(game.name, pack.id, COLORS, game.presets[0])
    state = game.start(header, pack)
    shown = Shown()
    lines: list[Line] = []
    last = ""
    while len(lines) < TURNS:
        extra = state.player == last and len(lines) > 0
        idle = rng.random() < IDLE and not extra
        drawn = draws(state, pack, rng, extra)
        turns = [turn for tile in drawn for turn in turns_with(state, tile, rng, idle=idle)]
        if not turns:
            return None
        turn = max(turns, key=lambda one: worth(state, one, pack, shown.seen, rng))
        step = state.apply(turn)
        shown.turn(turn, step, pack, extra)
        lines.append(Line(len(lines) + 2, turn))
        last, state = turn.player, step.state
    shown.end(state)
    lines.append(Line(len(lines) + 2, End()))
    return Record(header, tuple(lines), file=SESSION), shown


BOARD_TURNS = (3, 5, 7, 9, 11, 13, 15, 18, 20, 22, 24, 26, 28, 31, 33, 36, 39, 42, 45, 47)
"""How many turns each of the boards shows; the start tile lies there too."""
BOARD_COLORS = (
    ("red", "blue"), ("yellow", "green", "violet"), ("blue", "violet"), ("green", "red", "blue", "yellow"),
    ("violet", "yellow", "red", "green", "blue"),
)  # fmt: skip


def board_game(pack: Pack, number: int, turns: int) -> Record:
    """The game of board ``number`` (from 1): of eight, the one that leaves most pieces."""
    style = Style(greedy=0.25, idle=0.05, span=(9, 8))
    records = [
        random_game(pack, BOARD_COLORS[number % len(BOARD_COLORS)], seed, turns=turns, style=style)
        for seed in range(1000 * number, 1000 * number + 8)
    ]
    return max(records, key=lambda record: _left(record, pack))


def _left(record: Record, pack: Pack) -> int:
    state = tile_game_named(record.header.game).start(record.header, pack)
    for turn in record.turns:
        state = state.apply(turn).state
    return len(state.standing)


def main(args: list[str]) -> int:
    """Write the session's record, or those of the boards."""
    pack = load_pack(PACK)
    if args == ["boards"]:
        for number, turns in enumerate(BOARD_TURNS, start=1):
            path = GAMES / f"taiga-{number:02d}.game.jsonl"
            path.write_text(write_record(board_game(pack, number, turns)), "utf-8")
        return 0
    for seed in range(1, 500):
        found = session_game(pack, seed)
        if found is not None and found[1].enough:
            (GAMES / f"{SESSION}.game.jsonl").write_text(write_record(found[0]), "utf-8")
            print(f"seed {seed}: {found[1].pictures} pictures, {dict(found[1].seen)}")
            return 0
    raise SystemExit("no seed gives such a game")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
