"""`tilesight bench live`: rendered whole games, followed through the live path.

The development program `models.train.render_record` renders random legal games in a separate process, in
rooms that are not used for training. Two trackers follow each game: one without answers, one with players who
answer its questions.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.games import tile_game_names
from engine.pack import load_pack
from engine.record import read_record
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.turn import Turn
from tilesight.bench.rendering import render_record
from tilesight.grading.reliability import SureAndRight, bins_json, calibration_error, reliability
from tilesight.inference.opening.tracker import OpeningTracker
from tilesight.inference.params import QUESTIONS
from tilesight.inference.understanding import Doubt, Understanding, UnderstoodTurn
from tilesight.live.sources import SessionSource
from tilesight.live.watching import watch
from tilesight.recordings.tile_replay import start_of
from tilesight.sessions.comparison import compare, seen_part, told_of
from tilesight.sessions.samples import sample_of
from tilesight.sessions.session import Session, read_session
from tilesight.settings import SettingsError
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Frame, Observation

STYLE = Style(greedy=0.6, span=(11, 8))
"""Play style of the random players."""
FRAMES_AT_REST = 2
"""Number of pictures rendered of each table at rest."""
SIZE = "1920x1080"
"""Width and height of the pictures in pixels. At 1280 pixels, animal tiles on a wide board would have only
20."""
SEEDS_APART = 1000
"""Difference of the first seeds of two runs (``--seed`` 1 and 2)."""
MOST_PLAYERS = 5
"""Maximum number of players in one game."""


@dataclass(frozen=True, slots=True)
class FollowedGame:
    """Result of following one game.

    ``exact`` says whether the final score is right without answers, ``helped`` with them. ``asked`` are the
    numbers of the turns asked about; ``told`` pairs each turn's confidence with whether it is right, both
    without answers.
    """

    seed: int
    turns: int
    turns_exact: int
    exact: bool
    helped: bool
    asked: tuple[int, ...]
    told: tuple[SureAndRight, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return one row of ``--json`` (docs/formats.md, 'Output of bench')."""
        return {
            "seed": self.seed,
            "turns": self.turns,
            "turns_exact": self.turns_exact,
            "final_exact": self.exact,
            "final_exact_with_answers": self.helped,
            "asked": list(self.asked),
        }

    def to_line(self) -> dict[str, Any]:
        """Return one line of ``--log``: the row of ``--json``, and ``told``."""
        return {**self.to_json(), "told": [list(one) for one in self.told]}

    @staticmethod
    def of_line(line: Mapping[str, Any]) -> FollowedGame:
        """Parse a line of ``to_line``. Raises KeyError, TypeError or ValueError if it is malformed."""
        return FollowedGame(
            int(line["seed"]),
            int(line["turns"]),
            int(line["turns_exact"]),
            bool(line["final_exact"]),
            bool(line["final_exact_with_answers"]),
            tuple(int(number) for number in line["asked"]),
            tuple((float(confidence), bool(right)) for confidence, right in line["told"]),
        )


def logged(log: Path, seeds: Container[int]) -> list[FollowedGame]:
    """Read the games with these seeds from a log; an empty list if the file does not exist.

    Raises SettingsError if the file is not such a log.
    """
    if not log.exists():
        return []
    try:
        lines = log.read_text(encoding="utf-8").splitlines()
        found = [FollowedGame.of_line(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{log}: no log of games ({error})") from None
    return [played for played in found if played.seed in seeds]


def bench_live_command(
    games: Annotated[int, typer.Option(min=1, help="number of games")] = 30,
    game: Annotated[
        str, typer.Option(help="which game; it is rendered with the deck of its sample session")
    ] = "safari",
    seed: Annotated[int, typer.Option(help="the same seed gives the same games and pictures")] = 1,
    turns: Annotated[int | None, typer.Option(min=1, help="end each game after this many turns")] = None,
    keep: Annotated[Path | None, typer.Option(help="keep the rendered sessions in this folder")] = None,
    log: Annotated[
        Path | None,
        typer.Option(help="append each game's result to this file (JSON Lines); skip games already in it"),
    ] = None,
    calm: Annotated[bool, typer.Option("--calm", help="render no mishaps")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="number of games followed in parallel")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Render whole tile games and follow them through the live path."""
    console = Console(stderr=True)
    if game not in tile_game_names():
        raise SettingsError(f"bench live renders tile games ({', '.join(tile_game_names())}), not {game!r}")
    pack = read_session(sample_of(game)).header.pack
    results = [] if log is None else logged(log, range(SEEDS_APART * seed, SEEDS_APART * seed + games))
    known = {played.seed - SEEDS_APART * seed for played in results}
    left = [number for number in range(games) if number not in known]
    play = partial(_play, pack=pack, seed=seed, turns=turns, keep=keep, calm=calm)
    # Spawn: the threads of the networks' runtime do not survive a fork.
    with get_context("spawn").Pool(min(jobs, max(len(left), 1))) as pool:
        playing = pool.imap_unordered(play, left)
        for played in track(
            playing, description="Playing", total=len(left), console=console, disable=as_json
        ):
            results.append(played)
            if log is not None:
                with log.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(played.to_line()) + "\n")
            if not as_json:
                print(told(played), flush=True)
    if as_json:
        print(json.dumps({"tilesight": 1, "live": summary(results)}))
        return
    total = summary(results)
    for line in reliability_lines([one for played in results for one in played.told]):
        print(line)
    print(
        f"{total['final_exact']} of {games} final scores exact alone, {total['final_exact_with_answers']} "
        f"with answers; {total['questions_per_game']:.2f} questions a game; "
        f"error of the confidence {total['calibration_error']:.3f}"
    )


def reliability_lines(told: Sequence[SureAndRight]) -> list[str]:
    """Return one line of text for each confidence bin: mean confidence, share right, number of turns."""
    bins = [one for one in reliability(told) if one.count]
    return [f"told {one.confidence:.3f}, right {one.right:.3f}, {one.count} turns" for one in bins]


def told(played: FollowedGame) -> str:
    """Describe a game's result in one line of text."""
    alone = "exact" if played.exact else "WRONG"
    helped = "exact" if played.helped else "WRONG"
    asked = f", asked about {', '.join(map(str, played.asked))}" if played.asked else ""
    return (
        f"game {played.seed}: {played.turns_exact} of {played.turns} turns, "
        f"final {alone}, with answers {helped}{asked}"
    )


def _play(
    number: int, pack: str, seed: int, turns: int | None, keep: Path | None, *, calm: bool
) -> FollowedGame:
    """Render game ``number`` unless ``keep`` already holds it, then follow it."""
    own = SEEDS_APART * seed + number
    with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
        folder = (keep or Path(scratch)) / f"game-{seed}-{number:02d}"
        if not (folder / "session.json").is_file():
            draw_game(folder, pack, own, 2 + number % (MOST_PLAYERS - 1), turns, calm=calm)
        return follow(own, folder)


def summary(results: Sequence[FollowedGame]) -> dict[str, Any]:
    """Return the figures of ``--json`` over all games (docs/formats.md, 'Output of bench')."""
    told = [one for played in results for one in played.told]
    return {
        "games": len(results),
        "turns": sum(played.turns for played in results),
        "turns_exact": sum(played.turns_exact for played in results),
        "final_exact": sum(played.exact for played in results),
        "final_exact_with_answers": sum(played.helped for played in results),
        "questions_per_game": sum(len(played.asked) for played in results) / len(results),
        "reliability": bins_json(told),
        "calibration_error": calibration_error(told) or 0.0,
        "each": [played.to_json() for played in results],
    }


def draw_game(
    folder: Path, pack_id: str, seed: int, players: int, turns: int | None, *, calm: bool = False
) -> None:
    """Render a random legal game as the session ``folder``, with players' mishaps unless ``calm``.

    ``turns`` ends the game early. Raises SettingsError if the rendering program fails or is not installed.
    """
    pack = load_pack(pack_id)
    record = random_game(pack, players, seed, turns=turns, style=STYLE, hands_seen=False)
    words = ["--frames", str(FRAMES_AT_REST), "--size", SIZE]
    render_record(folder, record, seed, *words, *([] if calm else ["--disturbed"]))


def follow(seed: int, folder: Path) -> FollowedGame:
    """Follow a rendered game, both without answers and with players who answer.

    Each picture is read once, for both trackers.
    """
    session = read_session(folder)
    start, observe = start_of(session, None)
    alone = SideBySide(start, true_turns(session))
    understood = watch(SessionSource(session, "fast", strict=True), observe, alone)
    by_itself = compared(session, start, understood.turns)
    helped = compared(session, start, alone.helped.finish().turns)
    return FollowedGame(
        seed,
        by_itself.turns,
        by_itself.turns_exact,
        by_itself.final_exact,
        helped.final_exact,
        alone.helped.asked,
        told_of(by_itself, understood.turns),
    )


def true_turns(session: Session) -> list[tuple[Turn, int]]:
    """Return the turns played in a session as (turn, index of the first frame that shows it finished)."""
    assert session.reference is not None
    lines = read_record(session.reference).lines
    return [(line.event, line.frame or 0) for line in lines if isinstance(line.event, Turn)]


def compared(session: Session, start: GameState, turns: Sequence[UnderstoodTurn]) -> Any:
    """Compare the turns understood with the session's record (`compare`)."""
    assert session.reference is not None
    state = turns[-1].step.state if turns else start
    return compare(session.reference, start, turns, state.final().scores)


class SideBySide:
    """Two trackers on the same observations: one without answers, and ``helped``, with players who answer.

    `see` and `finish` return the understanding of the first one. ``doubted`` are the numbers of the turns
    that it asked about.
    """

    def __init__(self, start: GameState, truth: Sequence[tuple[Turn, int]]) -> None:
        self.helped = Asking(start, truth)
        self.doubted: set[int] = set()
        self._alone = OpeningTracker(start)

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        """Pass one picture to both trackers; return the understanding of the one without answers."""
        self.helped.see(observation)
        understood = self._alone.see(observation)
        if understood.doubt is not None:
            self.doubted.add(understood.doubt.number)
        return understood

    def lost(self, message: str) -> None:
        """Do nothing: a recorded picture is never lost."""

    def finish(self) -> Understanding:
        """End both games after the last picture; return the first tracker's result."""
        self.helped.finish()
        return self._alone.finish()


class Asking:
    """A tracker with simulated players, who answer each question once and correctly.

    ``truth`` are the turns played, each with the index of the first frame that shows it finished.
    """

    def __init__(self, start: GameState, truth: Sequence[tuple[Turn, int]]) -> None:
        self._tracker = OpeningTracker(start)
        self._truth = truth
        self._asked: list[int] = []

    @property
    def asked(self) -> tuple[int, ...]:
        """Numbers of the turns asked about, in the order of asking."""
        return tuple(self._asked)

    def see(self, observation: Observation) -> Understanding:
        """Process one picture; answer a new question at once. Return the understanding after that."""
        understood = self._tracker.see(observation)
        if understood.doubt is not None and understood.doubt.number not in self._asked:
            self._asked.append(understood.doubt.number)
            understood = self._answer(understood, understood.doubt)
        return understood

    def finish(self) -> Understanding:
        """End the game after the last picture; return the final understanding, all questions answered."""
        understood = self._tracker.finish()
        while understood.doubt is not None and understood.doubt.number not in self._asked:
            self._asked.append(understood.doubt.number)
            self._answer(understood, understood.doubt)
            understood = self._tracker.finish()
        return understood

    def _answer(self, understood: Understanding, doubt: Doubt) -> Understanding:
        before = [turn.turn for turn in understood.turns[: doubt.number - 1]]
        # Earlier turns of low confidence were not seen either: the players correct them in the same answer.
        for number, turn in enumerate(understood.turns[: min(doubt.number - 1, len(self._truth))]):
            if turn.confidence < QUESTIONS.sure:
                before[number] = self._truth[number][0]
        options = [option for option, _ in doubt.options]
        told = None
        if doubt.number <= len(self._truth):
            played, finished = self._truth[doubt.number - 1]
            # The turn already lies on the table one picture before it counts as finished.
            told = played if doubt.frame_index >= finished - 1 else None
        if told is not None:
            # Prefer the option that looks the same: it leaves hidden parts, such as drawn animals, open.
            told = next((option for option in options if seen_part(option) == seen_part(told)), told)
        fix: Callable[[], Understanding] = (
            (lambda: self._tracker.fix(before, options))
            if told is None
            else (lambda: self._tracker.fix([*before, told]))
        )
        try:
            return fix()
        except IllegalTurn:  # an earlier turn is wrong without having been asked about
            return understood
