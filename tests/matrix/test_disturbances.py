"""No picture makes a game shorter: what happens at a table besides turns, in every game.

The beginning of the game's sample session is watched, then the disturbance, then the table as before and the
next turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.matrix.disturbances import DISTURBANCES, EVERY_S, Stage, still
from tests.matrix.games import Kit
from tests.matrix.test_tables import played
from tilesight.recordings.command import open_recording, read_any_session
from tilesight.recordings.replay import Recording
from vision.image.decode import read_frame
from vision.observation import Frame, Image, Observation

TURNS = 6
SHORT = ("phone on an old tile", "another table")
"""Disturbances of the short tests; the others are long."""


@dataclass(frozen=True)
class Beginning:
    """The pictures of a game's first turns as they were observed, the pictures of the next, and the stage."""

    observed: Sequence[tuple[Frame, Observation]]
    following: Sequence[tuple[Image, float]]
    stage: Stage


def opened(kit: Kit) -> Recording[Any]:
    """A table of the game that has seen nothing yet."""
    return open_recording(read_any_session(kit.session))


def picture(kit: Kit, at: int) -> tuple[Image, float]:
    """A picture of the sample session, and its time in seconds."""
    frame = kit.header["frames"][at]
    return read_frame(kit.session / frame["file"]).image, float(frame["t_s"])


@pytest.fixture(scope="module")
def beginning(kit: Kit) -> Beginning:
    ends = [line["frame"] for line in kit.lines[: TURNS + 2]]
    recording, observed = opened(kit), []
    for at in range(ends[TURNS]):
        image, t_s = picture(kit, at)
        frame = Frame(image, t_s, index=at)
        observed.append((frame, recording.observe(frame)))
        understood = recording.watcher.see(observed[-1][1], frame, 0.0)
    seen = observed[-1][1]
    assert seen.pose is not None
    lattice = getattr(understood, "lattice", None)
    board = [] if lattice is None else [lattice.lattice_cell(cell) for cell in understood.state.board]
    other = read_frame(kit.photo).image
    rests = [picture(kit, end - 1)[0] for end in ends[: TURNS + 1]]
    stage = Stage(rests, seen.pose, board or sorted(seen.pose.quads), other)
    following = [picture(kit, at) for at in range(ends[TURNS], ends[TURNS + 1])]
    return Beginning(observed, following, stage)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in SHORT else pytest.mark.long) for name in DISTURBANCES]
)
def test_the_turns_stay_and_the_game_goes_on(kit: Kit, beginning: Beginning, name: str) -> None:
    recording = opened(kit)
    see, stage = recording.watcher.see, beginning.stage
    for frame, observation in beginning.observed:
        understood = see(observation, frame, 0.0)
    before = [turn.turn for turn in understood.turns]
    frame = beginning.observed[-1][0]
    index, began_s = frame.index, frame.t_s
    recording.observe(frame)  # so that the camera knows the board
    t_s = began_s
    for image in (*DISTURBANCES[name](stage), *still(stage.now, 4)):
        index, t_s = index + 1, t_s + EVERY_S
        frame = Frame(image, t_s, index=index)
        understood = see(recording.observe(frame), frame, 0.0)
        assert [turn.turn for turn in understood.turns][: len(before)] == before
        assert len(understood.turns) <= TURNS
    away_s = t_s - began_s
    for image, at_s in beginning.following:
        index += 1
        frame = Frame(image, at_s + away_s, index=index)
        see(recording.observe(frame), frame, 0.0)
    turns = recording.watcher.finish().turns[: TURNS + 1]
    assert [played(turn.turn.to_json()) for turn in turns] == [played(one) for one in kit.lines[: TURNS + 1]]
