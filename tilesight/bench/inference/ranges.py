"""`tilesight bench ranges`: how often the range of a photograph's points contains the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer

from engine.games import game_named, tile_game_named, tile_game_names
from tilesight.bench.inference.camera import SimulatedCamera
from tilesight.bench.inference.game import SEEDS_APART, drawn_game
from tilesight.photograph.score import score_photograph
from tilesight.settings import SettingsError
from vision.board import see_board

FEWEST_TURNS, MOST_TURNS = 15, 75
"""Number of turns of a simulated game; games that end sooner are whole."""


@dataclass(frozen=True, slots=True)
class RangedBoard:
    """Score of one board: whether all points are ``exact``, and the ``probability`` told for that.

    ``inside`` says for each colour whether the truth is in its range, ``widths`` are the ranges' in points.
    """

    exact: bool
    probability: float
    inside: tuple[bool, ...]
    widths: tuple[int, ...]


def bench_ranges_command(
    boards: Annotated[int, typer.Option(min=1, help="number of boards of each game")] = 200,
    seed: Annotated[int, typer.Option(help="the same seed gives the same boards and readings")] = 1,
    game: Annotated[str | None, typer.Option(help="only this tile game; default: all")] = None,
    worn: Annotated[
        bool, typer.Option(help="prints of all games are read as badly as photographed ones")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Score simulated readings of boards; measure how often the ranges of the points contain the truth."""
    if game is not None and game not in tile_game_names():
        known = ", ".join(tile_game_names())
        raise SettingsError(f"bench ranges simulates tile games ({known}), not {game_named(game).name!r}")
    names = tile_game_names() if game is None else (game,)
    figures = {name: figures_of(list(ranged_boards(name, boards, seed, worn=worn))) for name in names}
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
        colors = list(dict.fromkeys([*truth, *score.points, *score.ranges]))
        spans = [score.ranges.get(color, (0, 0)) for color in colors]
        yield RangedBoard(
            exact=all(score.points.get(color, 0) == truth.get(color, 0) for color in colors),
            probability=score.probability,
            inside=tuple(a <= truth.get(color, 0) <= b for color, (a, b) in zip(colors, spans, strict=True)),
            widths=tuple(b - a for a, b in spans),
        )


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
