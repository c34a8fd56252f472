"""Understanding of a watched game, a tracker's output: turns so far, unexplained tables, questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from tilesight.inference.scenes.scene import Scene
from tilesight.table_log.doubts import Doubted
from vision.geometry.lattice_frame import LatticeFrame


@dataclass(frozen=True, slots=True)
class UnderstoodTurn:
    """One turn as understood.

    ``frame_index`` is the first picture that shows it finished and at rest (None if no picture did).
    ``confidence`` is the probability, 0 to 1, over all hypotheses, that this turn was played at its place in
    the game. ``alternatives`` are the other likely turns, likeliest first.
    """

    turn: Turn
    step: Step
    frame_index: int | None
    t_s: float | None
    confidence: float
    alternatives: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Unclear:
    """Tiles at rest that no legal turn explains: what is wrong (in words and as faults), and their cells."""

    message: Message
    cells: tuple[Cell, ...]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question for people: a turn that the pictures leave open between a few options.

    ``number`` counts turns from 1. ``options`` are turns with their probabilities, likeliest first; the
    remaining probability is that of some other turn, or of none. ``cells`` are where the options lay their
    tiles, and ``frame_index`` is the picture to show.
    """

    number: int
    options: tuple[tuple[Turn, float], ...]
    cells: tuple[Cell, ...]
    frame_index: int
    why: Message


@dataclass(frozen=True, slots=True)
class SeenOpening:
    """Opening position read from the table, if the camera found a game under way.

    Turns are followed from ``state``. ``frame_index`` is the picture that shows it. ``left_out`` are the
    cells of pieces that the rules do not allow where they were read; ``doubtful`` are cells of tiles whose
    face is not sure.
    """

    state: GameState
    frame_index: int
    left_out: tuple[Cell, ...] = ()
    doubtful: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """Understanding of the table after one picture.

    ``turns`` are all turns so far. The first ``settled`` of them are final, unless a hidden animal tile comes
    to light. ``state`` is the position after the last turn. ``board_seen`` is false if the known board was
    not found in the picture, ``busy`` true while hands or motion are waited out. ``unclear`` reports tiles
    that no legal turn explains, ``doubt`` the question for people.
    """

    turns: tuple[UnderstoodTurn, ...]
    settled: int
    state: GameState
    board_seen: bool
    busy: bool
    unclear: Unclear | None = None
    doubt: Doubt | None = None
    lattice: LatticeFrame | None = None
    """Lattice of the last picture that showed the board, in the game's frame."""
    opening: SeenOpening | None = None
    """Opening position read from the table; None if the game began in front of the camera."""
    scene: Scene | None = None
    """The difference from the board as before, apart from turns; None without one."""
    final_sure: float | None = None
    """Probability that the final scores are right.

    None before the last picture, if a tile is in no turn, and on boards of squares.
    """

    @property
    def doubted(self) -> dict[int, Doubted[Turn]]:
        """The confidence in each turn and its alternatives, by its number from 1.

        Only the turn in question has probabilities of its alternatives.
        """
        found: dict[int, Doubted[Turn]] = {}
        for number, turn in enumerate(self.turns, 1):
            others: tuple[tuple[Turn, float | None], ...] = tuple((one, None) for one in turn.alternatives)
            if self.doubt is not None and self.doubt.number == number:
                others = tuple((one, share) for one, share in self.doubt.options if one != turn.turn)
            found[number] = Doubted(turn.confidence, others)
        return found

    def up_to(self, count: int, state: GameState) -> Understanding:
        """Return the understanding without the turns after the first ``count``, and without what is open.

        ``state`` is the position after the first ``count``.
        """
        settled = min(self.settled, count)
        return replace(self, turns=self.turns[:count], settled=settled, state=state, unclear=None, doubt=None)


def turns_taken(
    start: GameState, turns: Sequence[Turn], known: Sequence[UnderstoodTurn]
) -> list[UnderstoodTurn]:
    """Return ``turns``, taken as certain, as understood turns.

    The first ones that equal those of ``known`` stay as they are, and all others get confidence 1; so does
    the last one. Raises IllegalTurn if they are not a legal game from ``start``.
    """
    taken: list[UnderstoodTurn] = []
    for turn, seen in zip(turns, known, strict=False):
        if seen.turn != turn:
            break
        taken.append(seen)
    if taken and len(taken) == len(turns):
        # A player named the last turn, or said that none followed it. Those before it may be unchecked.
        taken[-1] = replace(taken[-1], confidence=1.0)
    for turn in turns[len(taken) :]:
        step = (taken[-1].step.state if taken else start).apply(turn)
        taken.append(UnderstoodTurn(turn, step, None, None, 1.0))
    return taken
