"""Games as people really play them: hands everywhere, and a mishap now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.geometry import Cell
from engine.safari.actions import Dig
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from models.train.moments import REACT_S, THINK_S, Moment, tables_of
from models.train.table_stage import PLAIN, Push

PUSH_MM, PUSH_DEG, NUDGE_DEG = (3.0, 8.0), 2.5, (0.7, 2.0)
"""Millimetres by which a sleeve shifts the board, the most degrees by which it turns it, and the degrees by
which a nudge turns the camera."""


@dataclass(frozen=True, slots=True)
class Mishaps:
    """Number of turns of a game with each mishap, at most; ``hands`` is the share of pictures that show one.

    ``late``: the piece comes well after the tile. ``pairs``: two turns between two looks, both of which the
    table still shows. ``swapped``: the tile lies elsewhere first. ``forgotten``: meeples that score stay for
    ``forgotten_for`` turns. ``pushes``: a sleeve shifts and turns the board. ``nudges``: the camera turns.
    """

    hands: float = 1 / 3
    late: int = 4
    pairs: int = 3
    swapped: int = 2
    forgotten: int = 2
    forgotten_for: int = 3
    pushes: int = 2
    nudges: int = 1


MISHAPS = Mishaps()


@dataclass(frozen=True, slots=True)
class Played:
    """One turn of a game and what it did."""

    before: GameState
    turn: Turn
    step: Step

    @property
    def goes_home(self) -> tuple[Standing, ...]:
        """Meeples that score and leave the board."""
        left = set(self.step.state.standing)
        return tuple(p for p in self.step.laid if p not in left and p.kind == "meeple")

    @property
    def puts_a_piece(self) -> bool:
        """Whether a piece is added and none is moved."""
        return set(self.before.standing) < set(self.step.laid)

    @property
    def stays(self) -> bool:
        """Whether the table shows the whole turn for good."""
        whole = set(self.step.laid) == set(self.step.state.standing)
        return whole and not isinstance(self.turn.action, Dig)


@dataclass(frozen=True, slots=True)
class Plan:
    """Mishaps of one game, by the index of their turn; ``forgotten`` says which meeples."""

    late: frozenset[int]
    pairs: frozenset[int]
    swapped: Mapping[int, tuple[Cell, int]]
    forgotten: Mapping[int, tuple[Standing, ...]]
    pushes: frozenset[int]
    nudges: frozenset[int]


def played(start: GameState, turns: Sequence[Turn]) -> tuple[Played, ...]:
    """Every turn with what it did."""
    found = []
    state = start
    for turn in turns:
        step = state.apply(turn)
        found.append(Played(state, turn, step))
        state = step.state
    return tuple(found)


def planned(game: Sequence[Played], rng: np.random.Generator, mishaps: Mishaps) -> Plan:
    """Mishaps that the game has room for, at most one a turn."""
    free = set(range(len(game)))
    order = [int(index) for index in rng.permutation(len(game))]

    def taken(number: int, width: int, fits: Callable[[int], bool]) -> list[int]:
        chosen: list[int] = []
        for index in order:
            span = set(range(index, index + width))
            if len(chosen) < number and span <= free and fits(index):
                chosen.append(index)
                free.difference_update(span)
        return chosen

    def forgettable(index: int) -> bool:
        home = game[index].goes_home
        later = game[index + 1 : index + 1 + mishaps.forgotten_for]
        return bool(home) and all(
            min(one.before.supply[p.color or ""], one.step.state.supply[p.color or ""]) >= len(home)
            and one.turn.cell != p.cell
            for one in later
            for p in home
        )

    elsewhere = {index: _elsewhere(one, rng) for index, one in enumerate(game)}
    forgotten = taken(mishaps.forgotten, 1 + mishaps.forgotten_for, forgettable)
    pairs = taken(mishaps.pairs, 2, lambda index: _shown_by_the_next(game[index : index + 2]))
    swapped = taken(mishaps.swapped, 1, lambda index: elsewhere[index] is not None)
    late = taken(mishaps.late, 1, lambda index: game[index].puts_a_piece)
    return Plan(
        late=frozenset(late),
        pairs=frozenset(pairs),
        swapped={index: at for index in swapped if (at := elsewhere[index]) is not None},
        forgotten={index: game[index].goes_home for index in forgotten},
        pushes=frozenset(order[: mishaps.pushes]),
        nudges=frozenset(order[mishaps.pushes : mishaps.pushes + mishaps.nudges]),
    )


def _shown_by_the_next(two: Sequence[Played]) -> bool:
    """Whether the second turn's table shows the first turn whole."""
    return len(two) == 2 and two[0].stays and set(two[0].step.laid) <= set(two[1].step.laid)


def _elsewhere(one: Played, rng: np.random.Generator) -> tuple[Cell, int] | None:
    """Another legal place of the tile, with no piece on it; None where there is none."""
    held = {piece.cell for piece in one.before.standing} | {one.turn.cell}
    places = [place for place in one.before.placements(one.turn.tile) if place[0] not in held]
    return places[int(rng.integers(len(places)))] if places else None


class Telling:
    """Sequence of tables that the camera sees of a game."""

    def __init__(
        self, start: GameState, rng: np.random.Generator, frames: int, mishaps: Mishaps, plan: Plan
    ) -> None:
        self._rng, self._frames, self._mishaps, self._plan = rng, frames, mishaps, plan
        self._table: tuple[Mapping[Cell, Laid], tuple[Standing, ...]] = (start.board, tuple(start.standing))
        self._done = 0
        self._shot = PLAIN
        self._left: list[tuple[int, Standing]] = []
        """Forgotten meeples, each with the index of the turn before which it goes home."""

    def told(self, game: Sequence[Played]) -> Iterator[Moment]:
        """All of it."""
        yield Moment(*self._table, 0, frames=self._frames, after_s=1.0)
        for index, one in enumerate(game):
            self._disturb(index)
            if index in self._plan.pairs:
                continue
            yield from self._turn(index, one)

    def _turn(self, index: int, one: Played) -> Iterator[Moment]:
        self._left = [(until, piece) for until, piece in self._left if until > index]
        before, after = one.before, one.step.state
        at = one.turn.cell
        if index in self._plan.swapped:
            other, rot = self._plan.swapped[index]
            laid = Laid(after.board[at].design, rot)
            yield from self._shown({**before.board, other: laid}, before.standing, self._done, other)
        if index in self._plan.late:
            yield from self._shown(after.board, before.standing, self._done, at)
        for standing, finished in tables_of(one.turn, one.step):
            if finished and index in self._plan.forgotten:
                until = index + 1 + self._mishaps.forgotten_for
                self._left += [(until, piece) for piece in self._plan.forgotten[index]]
            yield from self._shown(after.board, standing, index + 1 if finished else self._done, at)

    def _shown(
        self, board: Mapping[Cell, Laid], standing: Sequence[Standing], done: int, at: Cell
    ) -> Iterator[Moment]:
        """One table: hands over it as it was or as it comes, then at rest."""
        table = board, (*standing, *(piece for _, piece in self._left))
        share = self._mishaps.hands
        for _ in range(int(self._rng.poisson(self._frames * share / (1 - share)))):
            reach = replace(self._shot, hand_at=at)
            shown, known = (table, done) if self._rng.random() < 0.5 else (self._table, self._done)
            yield Moment(*shown, min(known, self._done), reach, after_s=REACT_S)
        yield Moment(*table, done, self._shot, self._frames, THINK_S)
        self._table, self._done = table, done

    def _disturb(self, index: int) -> None:
        """A push or a nudge before a turn."""
        rng, push = self._rng, self._shot.push
        if index in self._plan.pushes:
            far, way = rng.uniform(*PUSH_MM), rng.uniform(0, 2 * np.pi)
            x, y = push.x_mm + far * np.cos(way), push.y_mm + far * np.sin(way)
            push = Push(float(x), float(y), push.turn_deg + float(rng.uniform(-PUSH_DEG, PUSH_DEG)))
            self._shot = replace(self._shot, push=push)
        if index in self._plan.nudges:
            turn = self._shot.turn_deg + float(rng.choice((-1, 1)) * rng.uniform(*NUDGE_DEG))
            self._shot = replace(self._shot, turn_deg=turn)


def as_disturbed(
    start: GameState, turns: Sequence[Turn], rng: np.random.Generator, *, frames: int, mishaps: Mishaps
) -> Iterator[Moment]:
    """A game as a camera sees it among people who play it carelessly."""
    game = played(start, turns)
    return Telling(start, rng, frames, mishaps, planned(game, rng, mishaps)).told(game)
