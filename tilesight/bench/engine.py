"""`tilesight bench engine`: number of whole games that the rules replay per second on one core."""

from __future__ import annotations

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from engine.game import OpenGame
from engine.games import game_named, game_names
from engine.pack import load_pack
from engine.record import End, Record, read_record
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.simulation.open_games import random_open_game
from tilesight.simulation.tile_games import random_game

GENERATED_GAMES = 12
"""Random games of each kind that are generated if no records are given."""


class BenchError(ValueError):
    """There is nothing to measure; the message is one line for the user."""


@dataclass(slots=True)
class ReplayTimes:
    """Processor seconds spent on the games of one kind: per whole game, and per list of legal turns."""

    games_s: list[float] = field(default_factory=list)
    listings_s: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Return the number of games, games per second, and milliseconds per listing (median, 95 %)."""
        return {
            "games": len(self.games_s),
            "games_per_s": round(len(self.games_s) / sum(self.games_s), 1),
            "listing_ms_p50": round(1e3 * statistics.median(self.listings_s), 3),
            "listing_ms_p95": round(1e3 * sorted(self.listings_s)[int(0.95 * len(self.listings_s))], 3),
        }


def bench_engine_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="game records; without it, random games")
    ] = None,
    game: Annotated[str | None, typer.Option(help="measure only this game")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Replay whole games and list the legal turns at each step; print games per second."""
    names = game_names() if game is None else (game_named(game).name,)
    made = _records_of(folder) if folder is not None else _made_up(names)
    records = [record for record in made if record.header.game in names]
    if not records:
        raise BenchError(f"{folder}: there are no games of {game}")
    paces: dict[str, ReplayTimes] = defaultdict(ReplayTimes)
    shown = track(records, description="Replaying", console=Console(stderr=True), disable=as_json)
    for record in shown:
        _replay(record, paces[record.header.game])
    figures = {game: pace.figures() for game, pace in sorted(paces.items())}
    if as_json:
        print(json.dumps({"tilesight": 1, "engine": figures}))
        return
    table = Table("game", "games", "games/s", "listing, ms (p50)", "p95")
    for game, one in figures.items():
        table.add_row(
            game,
            f"{one['games']}",
            f"{one['games_per_s']}",
            f"{one['listing_ms_p50']}",
            f"{one['listing_ms_p95']}",
        )
    Console().print(table)


def _records_of(folder: Path) -> list[Record]:
    files = sorted(folder.rglob("*.game.jsonl")) if folder.is_dir() else [folder]
    if not files:
        raise BenchError(f"{folder}: there is no *.game.jsonl file")
    return [read_record(path) for path in files]


def _made_up(names: Iterable[str]) -> Iterable[Record]:
    for name in names:
        game = game_named(name)
        for seed in range(GENERATED_GAMES):
            if isinstance(game, OpenGame):
                yield random_open_game(game, 2, seed)
            else:
                yield random_game(load_pack(game.default_pack), 2 + seed % 3, seed)


def _replay(record: Record, pace: ReplayTimes) -> None:
    """Replay a game: list the legal turns at each step, then apply the one played; times go to ``pace``."""
    game = game_named(record.header.game)
    position: Any = game.start(record.header, game.records.pack(record.header))
    began = time.process_time()
    for line in record.lines:
        listing = time.process_time()
        if isinstance(line.event, Turn):
            _list_tile(position, line.event)
            pace.listings_s.append(time.process_time() - listing)
        elif isinstance(game, OpenGame) and not isinstance(line.event, End):
            position.turns()
            pace.listings_s.append(time.process_time() - listing)
        if not isinstance(line.event, End):
            position, _ = game.records.play(position, line.event)
    pace.games_s.append(time.process_time() - began)


def _list_tile(state: GameState, turn: Turn) -> None:
    state.placements(turn.tile)
    state.actions(turn.tile, turn.cell, turn.rot)
