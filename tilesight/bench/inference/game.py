"""One simulated game: played by the engine, observed by the simulated camera, followed by the tracker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.record import Unplaceable
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tilesight.bench.inference.camera import SimulatedCamera
from tilesight.bench.inference.scenario import PACES, PicturePace, picture_times, play, turns_in_gaps
from tilesight.bench.inference.score import Watched, Wrong, wrong_turns
from tilesight.grading.reliability import SureAndRight
from tilesight.inference.opening import OpeningTracker
from tilesight.inference.params import QUESTIONS
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import Understanding
from tilesight.simulation.tile_games import Style, random_game

MakeTracker = Callable[[GameState], Tracker[Understanding]]
"""Factory that makes the tracker of a game from its starting position."""
STYLE = Style(greedy=0.5)
"""Play style of the simulated players."""
SEEDS_APART = 100_000
"""Difference of the first seeds of two runs (``--seed`` 1 and 2)."""
MOST_PLAYERS = 5


@dataclass(frozen=True, slots=True)
class SimulationTask:
    """One game to simulate.

    ``number`` is its number in the run, from 0; it selects game and pace where they are None. ``turns`` ends
    the game early, ``hardness`` scales the rates of misreadings.
    """

    number: int
    seed: int
    game: str | None = None
    pace: PicturePace | None = None
    turns: int | None = None
    hardness: float = 1.0

    @property
    def name(self) -> str:
        """Name of the game that is played."""
        names = tile_game_names()
        return self.game or names[self.number % len(names)]

    @property
    def chosen_pace(self) -> PicturePace:
        """Pace at which pictures are taken."""
        return self.pace or PACES[self.number // len(tile_game_names()) % len(PACES)]


@dataclass(frozen=True, slots=True)
class Row:
    """Result of one game.

    ``told`` pairs each turn's confidence with whether the turn is right; ``told_in_gaps`` are those of the
    turns in gaps (`turns_in_gaps`), ``final`` is that of the final scores. ``asked`` are the numbers of the
    turns asked about or of low confidence. ``opened`` says that the tracker took the table for a game under
    way.
    """

    number: int
    game: str
    pace: PicturePace
    turns: int
    pictures: int
    told: tuple[SureAndRight, ...]
    told_in_gaps: tuple[SureAndRight, ...]
    asked: tuple[int, ...]
    wrong: tuple[Wrong, ...]
    final: SureAndRight
    opened: bool

    @property
    def silent(self) -> tuple[Wrong, ...]:
        """Wrong turns with high confidence that were not asked about."""
        return tuple(one for one in self.wrong if one.silent)

    @property
    def left_out(self) -> tuple[Wrong, ...]:
        """Wrong turns whose true turn is neither an alternative nor an offered answer."""
        return tuple(one for one in self.wrong if one.left_out)

    @property
    def final_exact(self) -> bool:
        """Whether the final scores are exact."""
        return self.final[1]

    @property
    def exact(self) -> int:
        """Number of turns that were understood exactly."""
        return self.turns - sum(one.number <= self.turns for one in self.wrong)

    def to_json(self) -> dict[str, Any]:
        """Return one row of ``--json`` (docs/formats.md, 'Output of bench')."""
        return {
            "number": self.number,
            "game": self.game,
            "pace": self.pace,
            "pictures": self.pictures,
            "turns": self.turns,
            "turns_exact": self.exact,
            "turns_in_gaps": len(self.told_in_gaps),
            "final_exact": self.final_exact,
            "final_sure": self.final[0],
            "asked": list(self.asked),
            "wrong": [one.to_json() for one in self.wrong],
        }

    def __str__(self) -> str:
        final = "exact" if self.final_exact else "WRONG"
        return (
            f"game {self.number} {self.game} {self.pace}: {self.exact} of {self.turns} turns, "
            f"{len(self.silent)} silent, {len(self.left_out)} left out, {len(self.asked)} asked, "
            f"final {final}" + (", opening misread" if self.opened else "")
        )


def simulate(task: SimulationTask, make: MakeTracker = OpeningTracker) -> Row:
    """Play one random game, simulate its observations and follow it; deterministic by the task's seed."""
    own = SEEDS_APART * task.seed + task.number
    rng = np.random.default_rng(own)
    start, turns, final = drawn_game(task.name, own, task.number, task.turns)
    pace = task.chosen_pace
    played = play(start, turns, rng)
    camera, tracker = SimulatedCamera(start, rng, task.hardness), make(start)
    asked: set[int] = set()
    offered: dict[int, tuple[Turn, ...]] = {}
    shown: list[int] = []
    pictures = 0
    for moment in played.moments(picture_times(played, rng, pace)):
        board = (played.steps[moment.turns - 1].state if moment.turns else start).board
        picture = camera.picture(moment.t_s, board, moment.standing, moment.hand)
        pictures += 1
        if picture.pose is not None and not moment.hand:
            shown.append(moment.turns)
        doubt = tracker.see(picture).doubt
        if doubt is not None:
            asked.add(doubt.number)
            offered[doubt.number] = (*offered.get(doubt.number, ()), *(turn for turn, _ in doubt.options))
    understood = tracker.finish()
    told = understood.turns
    asked |= {n for n, one in enumerate(told, 1) if one.confidence < QUESTIONS.ask_below}
    gaps = turns_in_gaps(shown, len(turns))
    wrong = wrong_turns(Watched(told, asked, offered), turns, gaps, played.notes, camera.faults)
    numbers = {one.number for one in wrong}
    judged = [(one.confidence, n not in numbers) for n, one in enumerate(told, 1)]
    return Row(
        task.number,
        task.name,
        pace,
        len(turns),
        pictures,
        tuple(judged),
        tuple(one for n, one in enumerate(judged, 1) if n in gaps),
        tuple(sorted(asked)),
        wrong,
        (understood.final_sure or 0.0, dict(understood.state.final().scores) == final),
        understood.opening is not None,
    )


def drawn_game(
    name: str, seed: int, number: int, most_turns: int | None
) -> tuple[GameState, tuple[Turn, ...], dict[str, int]]:
    """Return a random legal game as (starting position, turns, final scores by player).

    ``number`` selects the number of players and header fields; ``most_turns`` ends the game early. No tile
    of the game is put aside as unplaceable, which no camera sees.
    """
    game = tile_game_named(name)
    pack = load_pack(game.default_pack)
    given = {
        key: values[number // 2 % len(values)] for key, values in game.header_choices.items() if number % 2
    }
    players = 2 + number % (MOST_PLAYERS - 1)
    # Seeds that no game of another number or run begins with.
    records = (
        random_game(
            pack, players, drawn, turns=most_turns, style=STYLE, hands_seen=False, opening=given or None
        )
        for drawn in count(seed, SEEDS_APART * SEEDS_APART)
    )
    record = next(
        one for one in records if not any(isinstance(line.event, Unplaceable) for line in one.lines)
    )
    assert isinstance(record.header, Header)
    start = state = game.start(record.header, pack)
    for turn in record.turns:
        state = state.apply(turn).state
    return start, record.turns, dict(state.final().scores)
