"""Simulated play: the tiles and pieces on the table at each moment, and the times of the pictures."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.geometry import Cell
from engine.tiles.board import Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.bench.inference.params import PARAMS, SimulationParams
from tilesight.bench.inference.tables import Rng

PicturePace = Literal["film", "seconds", "turn", "minute"]
"""Pace of the pictures: one per second, one every two seconds, one per turn, one every half minute.

More than one picture per second would add nothing, because equal observations of a table at rest count once.
"""
PACES: tuple[PicturePace, ...] = get_args(PicturePace)
STEP_S: dict[PicturePace, float] = {"film": 1.0, "seconds": 2.0, "minute": 30.0}
"""Seconds between two pictures, by pace."""
REST_LOOKS = 4
"""Number of pictures of an unchanged table. Further ones are left out until something changes."""
LONGEST_HOLE = 6
"""Maximum number of turns in one hole."""
HAND_S = (1.0, 0.4)
"""Seconds for which a hand is over the board before and after it lays or places something."""


@dataclass(slots=True)
class Change:
    """Pieces that are placed on the table and removed from it at one time."""

    t_s: float
    came: tuple[Standing, ...] = ()
    gone: tuple[Standing, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The table when a picture is taken: number of turns laid, pieces, and the cells under a hand."""

    t_s: float
    turns: int
    standing: tuple[Standing, ...]
    hand: frozenset[Cell]


@dataclass(slots=True)
class Play:
    """Timeline of one game; times in seconds from its start.

    Per turn: the rules' ``steps``, the times at which the tile was ``laid`` and its piece ``placed``, and
    ``notes`` on anything unusual. ``changes`` are sorted by time. ``fleeting`` maps a turn (from 0) whose
    piece scored at once to the times at which the piece came and went.
    """

    start: GameState
    turns: Sequence[Turn]
    params: SimulationParams
    steps: list[Step] = field(default_factory=list)
    laid: list[float] = field(default_factory=list)
    placed: list[float] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    fleeting: dict[int, tuple[float, float]] = field(default_factory=dict)
    notes: list[set[str]] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        """Time at which the scenario ends, 8 s after the last change."""
        return max([*self.placed, *(change.t_s for change in self.changes), 0.0]) + 8.0

    def moments(self, times: Sequence[float]) -> Iterator[Moment]:
        """Yield the table at each of these times, which must be ascending."""
        standing, number = list(self.start.standing), 0
        early: list[Standing] = []  # pieces whose departure is listed before their arrival
        for t_s in times:
            while number < len(self.changes) and self.changes[number].t_s <= t_s:
                change = self.changes[number]
                for piece in change.gone:
                    (standing.remove if piece in standing else early.append)(piece)
                for piece in change.came:
                    (early.remove if piece in early else standing.append)(piece)
                number += 1
            yield Moment(t_s, bisect_right(self.laid, t_s), tuple(standing), self._hand(t_s))

    def _hand(self, t_s: float) -> frozenset[Cell]:
        before, after = HAND_S
        near = [
            self.turns[i].cell
            for i in range(len(self.turns))
            if any(-before <= t_s - at <= after for at in (self.laid[i], self.placed[i]))
        ]
        lying = bisect_right(self.laid, t_s)
        board = (self.steps[lying - 1].state if lying else self.start).board
        return frozenset(
            cell for cell in board for x, y in near if abs(cell[0] - x) <= 1 and 0 <= cell[1] - y <= 1
        )


def play(start: GameState, turns: Sequence[Turn], rng: Rng, params: SimulationParams = PARAMS) -> Play:
    """Draw the timeline of a game, with quick turns, late pieces, and scored pieces that return home late.

    Their rates are those of ``params``.
    """
    played = Play(start, turns, params)
    state, t_s = start, 3.0
    for turn in turns:
        notes = set[str]()
        pause_s = 6.0 + float(rng.gamma(3.0, params.think_s / 3.0))
        if played.steps and rng.random() < params.pair:
            pause_s = float(rng.uniform(1.5, 4.0))
            notes.add("follows soon")
        t_s += pause_s
        after_s = 0.8 + float(rng.exponential(1.5))
        if rng.random() < params.late:
            after_s = 2.0 + float(rng.exponential(params.late_s))
            notes.add(f"piece {after_s:.0f} s late")
        played.steps.append(state.apply(turn))
        played.laid.append(t_s)
        played.placed.append(t_s + after_s)
        played.notes.append(notes)
        state, t_s = played.steps[-1].state, t_s + min(after_s, 6.0)
    played.changes = sorted(_changes(played, rng), key=lambda change: change.t_s)
    return played


def _changes(played: Play, rng: Rng) -> Iterator[Change]:
    before = played.start.standing
    for number, step in enumerate(played.steps):
        rest, at_s, placed_s = step.state.standing, played.laid[number], played.placed[number]
        displaced = _left(
            [piece for piece in before if piece.kind in OUTSIDE and piece.cell == played.turns[number].cell],
            (),
        )
        if displaced:
            yield Change(at_s, gone=displaced)
        came, moved = _left(step.laid, before), _left(_left(before, step.laid), displaced)
        if came or moved:
            yield Change(placed_s, came, moved)
        back = _left(rest, step.laid)
        if back:
            yield Change(placed_s + 0.5, came=back)
        home = _left(step.laid, rest)
        if home:
            home_s = _home_s(played, number, rng)
            if set(home) & set(came):
                played.fleeting[number] = (placed_s, home_s)
            yield Change(home_s, gone=home)
        before = rest


def _home_s(played: Play, number: int, rng: Rng) -> float:
    """Time in seconds at which the scored pieces of turn ``number`` (from 0) return home."""
    soon_s = played.placed[number] + 1.0 + float(rng.exponential(4.0))
    if rng.random() >= played.params.forgotten:
        return soon_s
    turns = int(rng.integers(1, 6))
    for later in range(number, min(number + turns + 1, len(played.notes))):
        played.notes[later].add(f"scored pieces of turn {number + 1} stay")
    last = number + turns
    return played.placed[last] + 1.0 if last < len(played.placed) else played.placed[-1] + 4.0


def _left(pieces: Collection[Standing], others: Collection[Standing]) -> tuple[Standing, ...]:
    """Multiset difference: ``pieces`` without ``others``, in order."""
    rest = list(others)
    left = []
    for piece in pieces:
        if piece in rest:
            rest.remove(piece)
        else:
            left.append(piece)
    return tuple(left)


def picture_times(played: Play, rng: Rng, pace: PicturePace) -> list[float]:
    """Draw the times in seconds at which pictures are taken, with holes; note the holes in ``played``."""
    times = _turn_times(played, rng) if pace == "turn" else _regular_times(played, rng, STEP_S[pace])
    holes = list(_holes(played, rng))
    for first, last in holes:
        for number in range(first, last + 1):
            played.notes[number].add(f"camera away for {last - first + 1} turns")
    away = [(played.laid[first] - HAND_S[0], played.placed[last] - 0.2) for first, last in holes]
    times = [t_s for t_s in times if not any(a <= t_s <= b for a, b in away)]
    for number, (came_s, home_s) in played.fleeting.items():
        seen = any(came_s <= t_s < home_s for t_s in times)
        played.notes[number].add("scores at once" if seen else "comes and goes unseen")
    return times


def _turn_times(played: Play, rng: Rng) -> list[float]:
    """Return one time after each turn, before the next tile is laid; some turns get none."""
    times = [0.0]
    nexts = [*played.laid[1:], played.end_s]
    for number, (placed_s, next_s) in enumerate(zip(played.placed, nexts, strict=True)):
        first_s, last_s = placed_s + 0.5, next_s - 1.0
        last = number == len(played.placed) - 1
        if first_s < last_s and (last or rng.random() >= played.params.skipped):
            times.append(float(rng.uniform(first_s, last_s)))
    return [*times, played.end_s]


def _regular_times(played: Play, rng: Rng, step_s: float) -> list[float]:
    """Return times ``step_s`` apart, without most of those at which nothing has changed."""
    marks = sorted([0.0, *played.laid, *played.placed, *(change.t_s for change in played.changes)])
    times, t_s = [0.0], float(rng.uniform(0.3, 1.0)) * step_s
    while t_s < played.end_s + step_s:
        since_s = t_s - marks[bisect_right(marks, t_s) - 1]
        ahead = bisect_left(marks, t_s)
        soon = ahead < len(marks) and marks[ahead] - t_s <= HAND_S[0]
        if since_s <= REST_LOOKS * step_s or soon or t_s >= played.end_s:
            times.append(t_s)
        t_s += step_s
    return times


def _holes(played: Play, rng: Rng) -> Iterator[tuple[int, int]]:
    """Yield the first and last turn (from 0) of each random hole."""
    number = 1
    while number < len(played.laid) - 1:
        if rng.random() < played.params.hole:
            last = min(number + int(rng.integers(0, LONGEST_HOLE)), len(played.laid) - 2)
            yield number, last
            number = last + 2
        number += 1


def turns_in_gaps(pictures: Sequence[int], turns: int) -> frozenset[int]:
    """Numbers (from 1) of the turns without one picture directly before and one directly after them.

    ``pictures`` are the numbers of turns laid in each picture that shows no hand.
    """
    seen = set(pictures)
    return frozenset(n for n in range(1, turns + 1) if not {n - 1, n} <= seen)
