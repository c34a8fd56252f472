"""Draw the staged sessions: `python -m samples.staged.make [NAME …]`. The fast generator draws them.

Each is a short game in which people do what people do: a few turns, three pictures of each table at rest,
and one thing that is not as the rule book has it. The record says what was played in the end.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2

from engine.geometry import Cell
from engine.pack import load_pack
from engine.record import Record
from engine.safari.actions import RangerBack
from engine.tiles.actions import Meeple
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from models.train.moments import THINK_S, Moment
from models.train.render_record import record_session, start_of
from models.train.table_stage import PLAIN, Shot
from tilesight.simulation.tile_games import Style, random_game

HERE = Path(__file__).parent
SIZE_WH = (960, 540)
FRAMES = 3
STYLE = Style(allow=("meeple", "ranger"), greedy=0.5, idle=0.0, span=(6, 5))
Turns = Sequence[Turn]


@dataclass
class Story:
    """What the camera sees, told table by table."""

    state: GameState
    moments: list[Moment] = field(default_factory=list)
    shot: Shot = PLAIN
    done: int = 0

    def rest(
        self,
        board: Mapping[Cell, Laid] | None = None,
        standing: Sequence[Standing] | None = None,
        frames: int = FRAMES,
    ) -> None:
        """The table stays so for a while; by default as after the last turn."""
        board = self.state.board if board is None else board
        standing = self.state.standing if standing is None else standing
        self.moments.append(Moment(board, standing, self.done, self.shot, frames, THINK_S))

    def finish(self, turn: Turn) -> Step:
        """The turn is over; nothing is shown."""
        step = self.state.apply(turn)
        self.state = step.state
        self.done += 1
        return step

    def play(self, turn: Turn) -> None:
        """A turn as the rule book has it: laid and at rest, then what scores goes home."""
        before = self.done
        step = self.finish(turn)
        if set(step.laid) != set(step.state.standing):
            self.moments.append(Moment(step.state.board, step.laid, before, self.shot, FRAMES, THINK_S))
        self.rest()

    def lay(self, turn: Turn) -> None:
        """The tile lies there for a while as in ``turn``, legal or not, with no piece."""
        laid = Laid(self.state.pack.designs[turn.tile], turn.rot)
        self.rest({**self.state.board, turn.cell: laid})


Telling = Callable[[Story, Turns], None]


def _two_at_once(story: Story, turns: Turns) -> None:
    story.play(turns[0])
    story.finish(turns[1])
    story.finish(turns[2])
    story.rest()
    story.play(turns[3])


def _late(story: Story, turns: Turns) -> None:
    story.play(turns[0])
    story.lay(turns[1])
    story.play(turns[1])
    story.play(turns[2])


def _early(story: Story, turns: Turns) -> None:
    for turn in turns[:-2]:
        story.play(turn)
    story.finish(turns[-2])
    story.rest()
    story.play(turns[-1])


def _second_thought(other: Callable[[GameState, Turn], Iterator[Turn]], *, away: bool) -> Telling:
    """A tile is laid as one of ``other``, perhaps taken ``away``, and then laid as it stays."""

    def tell(story: Story, turns: Turns) -> None:
        story.play(turns[0])
        story.lay(next(other(story.state, turns[1])))
        if away:
            story.rest()
        story.play(turns[1])
        story.play(turns[2])

    return tell


def _elsewhere(state: GameState, turn: Turn) -> Iterator[Turn]:
    for cell, rot in state.placements(turn.tile):
        if cell != turn.cell and cell not in [piece.cell for piece in state.standing]:
            yield replace(turn, cell=cell, rot=rot, action=None)


def _turned(state: GameState, turn: Turn) -> Iterator[Turn]:
    for cell, rot in state.placements(turn.tile):
        if cell == turn.cell and rot != turn.rot:
            yield replace(turn, rot=rot, action=None)


def _wrong(state: GameState, turn: Turn) -> Iterator[Turn]:
    legal = state.placements(turn.tile)
    for rot in (0, 90, 180, 270):
        if (turn.cell, rot) not in legal:
            yield replace(turn, rot=rot, action=None)


def _shot_from_the_middle(shot: Shot) -> Telling:
    def tell(story: Story, turns: Turns) -> None:
        story.play(turns[0])
        story.play(turns[1])
        story.shot = shot
        story.rest()
        story.play(turns[2])
        story.play(turns[3])

    return tell


def _hand(story: Story, turns: Turns) -> None:
    story.play(turns[0])
    beside = max(story.state.board, key=lambda cell: (cell[1], cell[0]))
    story.shot = Shot(hand_at=(beside[0], beside[1] + 2))
    story.rest()
    story.play(turns[1])
    story.play(turns[2])
    story.shot = PLAIN
    story.rest()
    story.play(turns[3])


def _lost(story: Story, turns: Turns) -> None:
    story.play(turns[0])
    story.play(turns[1])
    story.shot = Shot(turn_deg=40.0)
    story.rest()
    story.finish(turns[2])
    story.shot = Shot(turn_deg=-2.0)
    story.rest()
    story.play(turns[3])


def _plain(*numbers: int) -> Callable[[GameState, Turns], bool]:
    """These turns set a meeple that stays, and no ranger is displaced by them."""

    def fits(start: GameState, turns: Turns) -> bool:
        state = start
        for number, turn in enumerate(turns):
            step = state.apply(turn)
            if number in numbers and (
                not isinstance(turn.action, Meeple)
                or turn.parts_of(RangerBack)
                or set(step.laid) != set(step.state.standing)
            ):
                return False
            state = step.state
        return True

    return fits


def _sends_home(start: GameState, turns: Turns) -> bool:
    """The last turn but one sends home a meeple that stood before, and sets none that goes at once."""
    state = start
    for turn in turns[:-2]:
        state = state.apply(turn).state
    step = state.apply(turns[-2])
    gone = set(state.standing) - set(step.state.standing)
    new = set(step.laid) - set(state.standing)
    return bool(gone) and new <= set(step.state.standing) and not turns[-2].parts_of(RangerBack)


def _has(other: Callable[[GameState, Turn], Iterator[Turn]]) -> Callable[[GameState, Turns], bool]:
    def fits(start: GameState, turns: Turns) -> bool:
        state = start.apply(turns[0]).state
        return any(other(state, turns[1])) and _plain(1)(start, turns)

    return fits


@dataclass(frozen=True)
class Case:
    """A staged session: how it is told, of which game, and in which room."""

    title: str
    seed: int
    turns: int
    tell: Telling
    fits: Callable[[GameState, Turns], bool]


CASES: Mapping[str, Case] = {
    "two-turns-at-once": Case("Two turns before the camera looked", 5001, 4, _two_at_once, _plain(1, 2)),
    "late-piece": Case("A meeple put down late", 5002, 3, _late, _plain(1)),
    "early-piece": Case("A meeple taken home before anybody looked", 5003, 6, _early, _sends_home),
    "take-back": Case("A tile taken back", 5004, 3, _second_thought(_elsewhere, away=True), _has(_elsewhere)),
    "turned": Case(
        "A tile turned after a second thought", 5005, 3, _second_thought(_turned, away=False), _has(_turned)
    ),
    "moved": Case("A tile moved", 5006, 3, _second_thought(_elsewhere, away=False), _has(_elsewhere)),
    "illegal": Case("An illegal lay, repaired", 5007, 3, _second_thought(_wrong, away=False), _has(_wrong)),
    "nudge": Case("The camera nudged", 5008, 4, _shot_from_the_middle(Shot(turn_deg=3.0)), _plain(1)),
    "hand-resting": Case("A hand resting in view", 5009, 4, _hand, _plain(1)),
    "stack-moved": Case("The draw stack moved", 5010, 4, _shot_from_the_middle(Shot(stack_at=1)), _plain(1)),
    "lights-dimmed": Case("Lights dimmed", 5011, 4, _shot_from_the_middle(Shot(light=0.35)), _plain(1)),
    "camera-lost": Case("The camera lost and back", 5012, 4, _lost, _plain(1, 2)),
}


def game_for(case: Case) -> Record:
    """The first random game that suits the case."""
    pack = load_pack("savanna")
    for seed in range(case.seed * 100, case.seed * 100 + 100):
        players = ("red", "blue") if case.seed % 2 else ("yellow", "green", "black")
        record = random_game(pack, players, seed, turns=case.turns, style=STYLE, hands_seen=False)
        if len(record.turns) == case.turns and case.fits(start_of(record, pack), record.turns):
            return record
    raise ValueError(f"no game suits {case.title!r}")


def make(name: str, case: Case) -> None:
    """Draw one session anew."""
    pack = load_pack("savanna")
    record = game_for(case)
    story = Story(start_of(record, pack))
    story.rest()
    case.tell(story, record.turns)
    out = HERE / name
    shutil.rmtree(out, ignore_errors=True)
    record_session(out, record, pack, story.moments, case.seed, title=case.title, size_wh=SIZE_WH)


def main(names: Sequence[str]) -> None:
    """Draw those named, or all."""
    cv2.setNumThreads(1)
    for name in names or CASES:
        make(name, CASES[name])
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
