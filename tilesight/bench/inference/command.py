"""`tilesight bench inference`: the tracker, measured on simulated observations of whole games."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.games import game_named, tile_game_names
from tilesight.bench.inference.game import MakeTracker, Row, SimulationTask, simulate
from tilesight.bench.inference.scenario import PACES
from tilesight.grading.reliability import SureAndRight, bins_json, calibration_error
from tilesight.inference.opening import OpeningTracker
from tilesight.settings import SettingsError

LEAST_CHANCE = 1e-4
"""Lower bound of a probability in the log score."""
CAUSES_SHOWN = 12


def bench_inference_command(
    games: Annotated[int, typer.Option(min=1, help="number of games")] = 30,
    seed: Annotated[int, typer.Option(help="the same seed gives the same games and readings")] = 1,
    game: Annotated[str | None, typer.Option(help="only this tile game; default: all, in rotation")] = None,
    pace: Annotated[
        str | None,
        typer.Option(help=f"only this pace of pictures ({', '.join(PACES)}); default: all, in rotation"),
    ] = None,
    turns: Annotated[
        int, typer.Option(min=1, help="end each game after this many turns; 100 plays whole games")
    ] = 20,
    hardness: Annotated[
        float, typer.Option(min=0.0, help="rate of misreadings, as a multiple of the measured one")
    ] = 1.0,
    only: Annotated[
        int | None, typer.Option(min=0, help="only the game of this number; print each wrong turn")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="number of games followed in parallel")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Follow whole tile games on simulated observations; measure how well confidences are calibrated."""
    if game is not None and game not in tile_game_names():
        raise SettingsError(
            f"bench inference simulates tile games ({', '.join(tile_game_names())}), "
            f"not {game_named(game).name!r}"
        )
    if pace is not None and pace not in PACES:
        raise SettingsError(f"--pace takes {', '.join(PACES)}, not {pace!r}")
    numbers = range(games) if only is None else [only]
    chosen = next((one for one in PACES if one == pace), None)
    tasks = [SimulationTask(number, seed, game, chosen, turns, hardness) for number in numbers]
    rows: list[Row] = []
    found = simulated(tasks, jobs)
    for row in track(
        found, description="Playing", total=len(tasks), console=Console(stderr=True), disable=as_json
    ):
        rows.append(row)
        if not as_json:
            print(row, flush=True)
            for wrong in row.wrong if only is not None else ():
                print(wrong)
    if as_json:
        print(json.dumps({"tilesight": 1, "inference": summary(rows)}))
    else:
        print("\n".join(lines_of(rows)))


def simulated(
    tasks: Sequence[SimulationTask], jobs: int, make: MakeTracker = OpeningTracker
) -> Iterator[Row]:
    """Run the tasks in ``jobs`` processes; yield their results in the order of the tasks.

    With one job or one task, they run in this process.
    """
    play = partial(simulate, make=make)
    if min(jobs, len(tasks)) == 1:
        yield from map(play, tasks)
        return
    # Spawn: the threads of the networks' runtime do not survive a fork.
    with get_context("spawn").Pool(min(jobs, len(tasks))) as pool:
        yield from pool.imap(play, tasks)


def log_score(told: Sequence[SureAndRight]) -> float:
    """Mean log-probability, in nats, that the confidences gave to the outcome; 0 is best.

    Each probability is at least `LEAST_CHANCE`. Parameters are fitted to maximise this score.
    """
    chances = (confidence if right else 1.0 - confidence for confidence, right in told)
    return math.fsum(math.log(max(chance, LEAST_CHANCE)) for chance in chances) / max(len(told), 1)


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of ``--json`` over all games (docs/formats.md, 'Output of bench')."""
    told = [one for row in rows for one in row.told]
    finals = [row.final for row in rows]
    in_gaps = [one for row in rows for one in row.told_in_gaps]
    return {
        "games": len(rows),
        "turns": sum(row.turns for row in rows),
        "turns_exact": sum(row.exact for row in rows),
        "final_exact": sum(row.final_exact for row in rows),
        "silent": sum(len(row.silent) for row in rows),
        "silent_first": sum(not one.follows for row in rows for one in row.silent),
        "left_out": sum(len(row.left_out) for row in rows),
        "left_out_first": sum(not one.follows for row in rows for one in row.left_out),
        "questions_per_game": sum(len(row.asked) for row in rows) / max(len(rows), 1),
        "reliability": bins_json(told),
        "calibration_error": calibration_error(told) or 0.0,
        "log_score": log_score(told),
        "gaps": {
            "turns": len(in_gaps),
            "reliability": bins_json(in_gaps),
            "calibration_error": calibration_error(in_gaps) or 0.0,
            "log_score": log_score(in_gaps),
        },
        "finals": {
            "reliability": bins_json(finals),
            "calibration_error": calibration_error(finals) or 0.0,
            "log_score": log_score(finals),
        },
        "each": [row.to_json() for row in rows],
    }


def lines_of(rows: Sequence[Row]) -> list[str]:
    """Return the figures as lines of text: reliability, results by game and pace, causes of wrong turns."""
    total = summary(rows)
    lines = []
    parts = (
        ("all turns", "turns", total),
        ("turns in gaps", "turns", total["gaps"]),
        ("finals", "games", total["finals"]),
    )
    for title, counted, part in parts:
        lines.append(
            f"{title}: error of the confidence {part['calibration_error']:.3f}, "
            f"log score {part['log_score']:.3f}"
        )
        lines += [
            f"  told {one['confidence']:.3f}, right {one['right']:.3f}, {one['count']} {counted}"
            for one in part["reliability"]
        ]
    for name, chosen in _groups(rows):
        one = summary(chosen)
        lines.append(
            f"{name}: {one['turns_exact']} of {one['turns']} turns, {one['silent']} silent "
            f"({one['silent_first']} after no other error), {one['left_out']} left out "
            f"({one['left_out_first']}), {one['final_exact']} of {one['games']} finals, "
            f"{one['questions_per_game']:.1f} questions a game, error {one['calibration_error']:.3f}, "
            f"in gaps {one['gaps']['calibration_error']:.3f}"
        )
    for title, wrong in (
        ("silent", [one for row in rows for one in row.silent]),
        ("left out", [one for row in rows for one in row.left_out]),
    ):
        causes = Counter(f"{one.how}: {one.cause}" for one in wrong if not one.follows)
        lines += [f"{title} {count} times: {cause}" for cause, count in causes.most_common(CAUSES_SHOWN)]
    return lines


def _groups(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for name in dict.fromkeys(row.game for row in rows):
        yield name, [row for row in rows if row.game == name]
    for pace in PACES:
        chosen = [row for row in rows if row.pace == pace]
        if chosen:
            yield pace, chosen
    yield "together", list(rows)
