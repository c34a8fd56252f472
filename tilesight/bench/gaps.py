"""`tilesight bench gaps`: recorded sessions replayed without the pictures of some consecutive turns.

Measures how many turns are then wrong with high confidence, and how well the confidences are calibrated.
"""

from __future__ import annotations

import json
import random
from bisect import bisect_left
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.record import read_record
from engine.tiles.turn import Turn
from tilesight.bench.live import SideBySide, compared, reliability_lines, true_turns
from tilesight.grading.reliability import SureAndRight, bins_json, calibration_error
from tilesight.inference.params import QUESTIONS
from tilesight.live.sources import SessionSource
from tilesight.live.watching import watch
from tilesight.recordings.tile_replay import start_of
from tilesight.sessions.comparison import told_of
from tilesight.sessions.session import FrameFile, Session, SessionError, read_session

LONGEST = 6
"""Maximum number of turns in one hole."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Result for a session with a hole.

    The ``lost`` turns from number ``first`` on are seen only when all of them are laid. ``wrong``, ``silent``
    and ``asked`` are turn numbers; silent turns are wrong, have high confidence and were not asked about.
    ``helped`` says whether the final score is exact if players answer the ``questions`` questions. ``told``
    pairs each turn's confidence with whether the turn is right.
    """

    session: str
    first: int
    lost: int
    turns: int
    wrong: tuple[int, ...]
    silent: tuple[int, ...]
    asked: tuple[int, ...]
    final_exact: bool
    helped: bool
    questions: int
    told: tuple[SureAndRight, ...]

    def to_json(self) -> dict[str, Any]:
        """Return one row of ``--json`` (docs/formats.md, 'Output of bench')."""
        return {
            "session": self.session,
            "first": self.first,
            "lost": self.lost,
            "turns": self.turns,
            "wrong": list(self.wrong),
            "silent": list(self.silent),
            "asked": list(self.asked),
            "final_exact": self.final_exact,
            "final_exact_with_answers": self.helped,
            "questions": self.questions,
        }

    def __str__(self) -> str:
        final, helped = ("exact" if one else "WRONG" for one in (self.final_exact, self.helped))
        return (
            f"{self.session} {self.first}:{self.lost}: {len(self.wrong)} of {self.turns} turns wrong, "
            f"{len(self.silent)} of them silent, {len(self.asked)} unsure, final {final}, "
            f"with answers {helped} after {self.questions} questions"
        )


def bench_gaps_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="SESSION...", help="sessions with their game records")
    ],
    holes: Annotated[int, typer.Option(min=1, help="holes per session")] = 6,
    seed: Annotated[int, typer.Option(help="the same seed gives the same holes")] = 1,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Replay sessions of tile games without the pictures of 1 to 6 turns; count wrong turns by confidence."""
    tasks = [
        (session, hole)
        for session in map(read_session, folders)
        for hole in drawn_holes(len(last_frames(session)), holes, f"{seed} {session.folder.name}")
    ]
    rows: list[Gap] = []
    for session, (first, lost) in track(
        tasks, description="Replaying", console=Console(stderr=True), disable=as_json
    ):
        rows.append(follow(session, first, lost, gallery))
        if not as_json:
            print(rows[-1], flush=True)
    told = [one for row in rows for one in row.told]
    error = calibration_error(told) or 0.0
    if as_json:
        total = {
            "holes": [row.to_json() for row in rows],
            "reliability": bins_json(told),
            "calibration_error": error,
        }
        print(json.dumps({"tilesight": 1, "gaps": total}))
        return
    for line in reliability_lines(told):
        print(line)
    silent, exact = sum(len(row.silent) for row in rows), sum(row.final_exact for row in rows)
    helped = sum(row.helped for row in rows)
    print(
        f"{len(rows)} holes: {silent} silent wrong turns, {exact} finals exact, {helped} with answers; "
        f"error of the confidence {error:.3f}"
    )


def drawn_holes(turns: int, number: int, seed: str) -> list[tuple[int, int]]:
    """Draw up to ``number`` holes in a game of ``turns`` turns.

    A hole is (first lost turn, from 1; number of lost turns). Lengths run through 1 to `LONGEST`, places are
    random by ``seed``; a hole that does not fit is left out.
    """
    rng = random.Random(seed)
    lengths = [1 + i % LONGEST for i in range(number)]
    return [(rng.randint(2, turns - lost), lost) for lost in lengths if turns > lost + 1]


def last_frames(session: Session) -> list[int]:
    """Index of the first frame that shows each turn finished, in turn order.

    Raises SessionError if there is no record, or if it has fewer than `LONGEST` turns or lacks the frames.
    """
    if session.reference is None:
        raise SessionError(f"{session.folder}: has no record to compare with")
    frames = [line.frame for line in read_record(session.reference).lines if isinstance(line.event, Turn)]
    if len(frames) < LONGEST or any(frame is None for frame in frames):
        raise SessionError(f"{session.folder}: its record has too few turns or does not name their frames")
    return [frame for frame in frames if frame is not None]


def with_hole(session: Session, first: int, lost: int) -> Session:
    """Return the session without the pictures taken during ``lost`` turns from turn ``first`` on.

    The picture that shows the last of them finished is kept; frames are numbered anew from 0.
    """
    kept = enumerate(_kept(session, first, lost))
    return replace(session, frames=tuple(replace(file, index=i) for i, file in kept))


def _kept(session: Session, first: int, lost: int) -> list[FrameFile]:
    ends = last_frames(session)
    begins, goes_on = ends[first - 2] + 3, ends[first + lost - 2]
    return [file for file in session.frames if not begins <= file.index < goes_on]


def follow(session: Session, first: int, lost: int, gallery: Path | None = None) -> Gap:
    """Replay a session with a hole, both without answers and with players who answer.

    Each picture is read once, for both trackers.
    """
    holed = with_hole(session, first, lost)
    start, observe = start_of(holed, gallery)
    kept = [session.frames.index(file) for file in _kept(session, first, lost)]
    truth = [(turn, bisect_left(kept, finished)) for turn, finished in true_turns(session)]
    alone = SideBySide(start, truth)
    turns = watch(SessionSource(holed, "fast", strict=True), observe, alone).turns
    one = compared(session, start, turns)
    helped = compared(session, start, alone.helped.finish().turns)
    told = told_of(one, turns)
    wrong = tuple(difference.number for difference in one.differences)
    sure = {number for number, (confidence, _) in enumerate(told, 1) if confidence >= QUESTIONS.sure}
    asked = tuple(n for n in range(1, len(told) + 1) if n not in sure or n in alone.doubted)
    return Gap(
        session.folder.resolve().name,
        first,
        lost,
        len(turns),
        wrong,
        silent=tuple(number for number in wrong if number in sure and number not in alone.doubted),
        asked=asked,
        final_exact=one.final_exact,
        helped=helped.final_exact,
        questions=len(alone.helped.asked),
        told=told,
    )
