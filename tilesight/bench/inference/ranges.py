"""`tilesight bench ranges`: how often the range of a photograph's points contains the truth.

The boards are those of random games, either with simulated readings, or rendered and read as photographs are.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from engine.games import game_named, tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.tiles.game import Header
from tilesight.bench.inference.camera import SimulatedCamera
from tilesight.bench.inference.game import MOST_PLAYERS, SEEDS_APART, STYLE, drawn_game
from tilesight.bench.rendering import render_record
from tilesight.photograph.reading import ReadingOptions, read_photographs
from tilesight.photograph.score import PhotoScore, score_photograph
from tilesight.sessions.samples import sample_of
from tilesight.sessions.session import read_session
from tilesight.settings import SettingsError
from tilesight.simulation.tile_games import random_game
from vision.board import see_board

FEWEST_TURNS, MOST_TURNS = 15, 75
"""Number of turns of a game; games that end sooner are whole."""
SIZE = "1600x1200"
"""Width and height of rendered photographs in pixels."""
HANDS = 0.3
"""Share of the rendered photographs with a hand over a tile."""


@dataclass(frozen=True, slots=True)
class RangedBoard:
    """Score of one board: whether all points are ``exact``, and the ``probability`` told for that.

    ``inside`` says for each colour whether the truth is in its range, ``widths`` are the ranges' in points.
    """

    seed: int
    exact: bool
    probability: float
    inside: tuple[bool, ...]
    widths: tuple[int, ...]

    @staticmethod
    def of(seed: int, score: PhotoScore, truth: Mapping[str, int]) -> RangedBoard:
        """Compare a score with the true points by colour."""
        colors = list(dict.fromkeys([*truth, *score.points, *score.ranges]))
        spans = [score.ranges.get(color, (0, 0)) for color in colors]
        return RangedBoard(
            seed,
            exact=all(score.points.get(color, 0) == truth.get(color, 0) for color in colors),
            probability=score.probability,
            inside=tuple(a <= truth.get(color, 0) <= b for color, (a, b) in zip(colors, spans, strict=True)),
            widths=tuple(b - a for a, b in spans),
        )

    @staticmethod
    def of_line(line: Mapping[str, Any]) -> RangedBoard:
        """Parse a line of ``--log``. Raises KeyError, TypeError or ValueError if it is malformed."""
        inside = tuple(bool(one) for one in line["inside"])
        widths = tuple(int(one) for one in line["widths"])
        return RangedBoard(int(line["seed"]), bool(line["exact"]), float(line["probability"]), inside, widths)


def bench_ranges_command(
    boards: Annotated[int, typer.Option(min=1, help="number of boards of each game")] = 200,
    seed: Annotated[int, typer.Option(help="the same seed gives the same boards and readings")] = 1,
    game: Annotated[str | None, typer.Option(help="only this tile game; default: all")] = None,
    worn: Annotated[
        bool, typer.Option(help="prints of all games are read as badly as photographed ones")
    ] = True,
    rendered: Annotated[
        bool, typer.Option("--rendered", help="render worn prints and read their photographs")
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option(help="append each rendered board's result to this file; skip boards already in it"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Score readings of boards; measure how often the ranges of the points contain the truth."""
    if game is not None and game not in tile_game_names():
        known = ", ".join(tile_game_names())
        raise SettingsError(f"bench ranges plays tile games ({known}), not {game_named(game).name!r}")
    names = tile_game_names() if game is None else (game,)
    figures = {}
    for name in names:
        if rendered:
            rows = list(rendered_boards(name, boards, seed, log))
        else:
            rows = list(ranged_boards(name, boards, seed, worn=worn))
        figures[name] = figures_of(rows)
    if as_json:
        print(json.dumps({"tilesight": 1, "ranges": figures}))
        return
    for name, one in figures.items():
        print(
            f"{name}: {one['boards']:.0f} boards, all points in their ranges in {one['covered']:.1%} "
            f"(of colours {one['colors_covered']:.1%}), "
            f"exact in {one['exact']:.1%} (told {one['probability']:.1%}), "
            f"mean width {one['width_mean']:.1f} points, of the widest {one['widest_mean']:.1f}"
        )


def ranged_boards(name: str, number: int, seed: int, *, worn: bool) -> Iterator[RangedBoard]:
    """Yield the scores of ``number`` simulated boards of a game; those that the camera loses are left out."""
    game = tile_game_named(name)
    for own in range(SEEDS_APART * seed, SEEDS_APART * seed + number):
        rng = np.random.default_rng(own)
        turns = int(rng.integers(FEWEST_TURNS, MOST_TURNS))
        start, played, _ = drawn_game(name, own, own % SEEDS_APART, turns)
        state = start
        for turn in played:
            state = state.apply(turn).state
        seen = SimulatedCamera(start, rng, worn=worn).picture(0.0, state.board, state.standing)
        if seen.pose is None:
            continue
        truth = game.final_seen(start.pack, state.board, state.standing).scores
        score = score_photograph(see_board(seen, start.pack), start.pack, None)
        yield RangedBoard.of(own, score, truth)


def rendered_boards(name: str, number: int, seed: int, log: Path | None = None) -> Iterator[RangedBoard]:
    """Yield the scores of ``number`` rendered boards of a game, those in ``log`` first.

    The results of others are appended to ``log``. A board that is not
    found is told to have no points. Raises SettingsError if ``log`` is not such a file, or if the rendering
    program fails.
    """
    seeds = range(SEEDS_APART * seed, SEEDS_APART * seed + number)
    known = {row.seed: row for row in logged(log, name) if row.seed in seeds}
    yield from known.values()
    left = [own for own in seeds if own not in known]
    for own in track(left, description=name, console=Console(stderr=True)):
        with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
            row = rendered_board(name, own, Path(scratch) / name)
        if log is not None:
            with log.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps({"game": name, **asdict(row)}) + "\n")
        yield row


def rendered_board(name: str, seed: int, folder: Path) -> RangedBoard:
    """Render the board of a random game, with the deck of the game's sample session, as ``folder``; read its
    photograph and score it."""
    game = tile_game_named(name)
    pack = load_pack(read_session(sample_of(name)).header.pack)
    turns = int(np.random.default_rng(seed).integers(FEWEST_TURNS, MOST_TURNS))
    players = 2 + seed % (MOST_PLAYERS - 1)
    record = random_game(pack, players, seed, turns=turns, style=STYLE, hands_seen=False)
    render_record(folder, record, seed, "--photograph", "--size", SIZE, "--hands", str(HANDS))
    reading = read_photographs([folder / "frames" / "0000.jpg"], ReadingOptions(pack=pack.id))
    assert isinstance(record.header, Header)
    state = game.start(record.header, pack)
    for turn in record.turns:
        state = state.apply(turn).state
    truth = game.final_seen(pack, state.board, state.standing).scores
    return RangedBoard.of(seed, score_photograph(reading.board, reading.pack, None), truth)


def logged(log: Path | None, name: str) -> list[RangedBoard]:
    """Read the boards of a game from a log; an empty list if there is no file.

    Raises SettingsError if the file is not such a log.
    """
    if log is None or not log.exists():
        return []
    try:
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        return [RangedBoard.of_line(line) for line in lines if line["game"] == name]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{log}: no log of boards ({error})") from None


def figures_of(rows: Sequence[RangedBoard]) -> dict[str, float]:
    """Return the figures of ``--json`` for one game (docs/formats.md, 'Output of bench')."""
    inside = [one for row in rows for one in row.inside]
    return {
        "boards": float(len(rows)),
        "exact": float(np.mean([row.exact for row in rows])),
        "probability": float(np.mean([row.probability for row in rows])),
        "covered": float(np.mean([all(row.inside) for row in rows])),
        "colors_covered": float(np.mean(inside)),
        "width_mean": float(np.mean([np.mean(row.widths) for row in rows])),
        "widest_mean": float(np.mean([max(row.widths) for row in rows])),
    }
