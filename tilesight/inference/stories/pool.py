"""Pool: the stories that were weighed at one look, and the doubts about turns that they raise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell, neighbour
from tilesight.inference.params import SEARCH
from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.outcomes import Outcomes
from tilesight.inference.stories.proposals import Proposals
from tilesight.inference.stories.story import Scales, Story

MOST_NATS = 10.0
"""Evidence above which more makes no difference to what should be tried."""
REMEMBERED = 4
"""States of the turn on one cell that are remembered."""
Window = tuple[int, int]
"""First and last look at which a tile may have been laid."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnState:
    """State of a turn, on which its alternatives depend: values that are equal, numbers that may differ."""

    exact: tuple[Any, ...]
    faces: NDArray[np.float64]
    numbers: NDArray[np.float64]

    def is_like(self, other: TurnState) -> bool:
        """Whether two states differ too little to look into the turn again."""
        if self.exact != other.exact or self.faces.shape != other.faces.shape:
            return False
        if self.numbers.shape != other.numbers.shape:
            return False
        faces = float(np.abs(self.faces - other.faces).max(initial=0.0))
        numbers = float(np.abs(self.numbers - other.numbers).max(initial=0.0))
        return faces < SEARCH.changed_nats and numbers < SEARCH.changed_piece_nats


class Doubt(NamedTuple):
    """Odds of the likeliest story with another move in a turn's place.

    ``telling`` is 0 if that story ends with the same table and points, else the odds.
    """

    odds: float
    telling: float


Doubts = dict[Move, Doubt]
NO_DOUBT = Doubt(0.0, 0.0)


class Pool:
    """Weighed stories, and what is known of the turns that were looked into.

    ``pinned`` are the first moves of every story: people have confirmed them. ``refused`` are moves that no
    story may have as the next one after those. ``void`` are cells whose tile belongs to no turn.
    """

    def __init__(self, scales: Scales, proposals: Proposals) -> None:
        self.scales = scales
        self.proposals = proposals
        self.root = scales.moves.root
        self.pinned: tuple[Move, ...] = ()
        self.refused: frozenset[Move] = frozenset()
        self.void: frozenset[Cell] = frozenset()
        self.stories: dict[tuple[Move, ...], Story] = {}
        self.tried: list[Story] = []
        self._best = -math.inf
        self.outcomes = Outcomes(scales.moves)
        self._windows: dict[Cell, Window] = {}
        self._known: dict[Cell, list[tuple[TurnState, Doubts]]] = {}

    def ranked(self) -> list[Story]:
        """Return the stories, likeliest first."""
        return sorted(self.stories.values(), key=lambda story: -story.score)

    def restart(self, kept: Sequence[Story]) -> None:
        """Weigh the stories to go on with again, after a look; drop all others."""
        self._windows, self.tried, self.stories = {}, [], {}
        base: Story | None = None
        for story in kept:
            again = self.scales.weigh(story.moves, base)
            self.stories[story.moves] = again
            base = base or again
        self._best = max(story.score for story in self.stories.values())

    def add(self, moves: tuple[Move, ...], base: Story) -> Story | None:
        """Weigh a story, unless it is known; return it.

        None if people have ruled it out, or if the turns in which it differs from ``base`` make it unlikely.
        """
        known = self.stories.get(moves)
        if known is None:
            least = self._best - SEARCH.within_nats - SEARCH.slack_nats
            if not self.allows(moves) or self.scales.most(moves, base) < least:
                return None
            known = self.stories[moves] = self.scales.weigh(moves, base)
            self._best = max(self._best, known.score)
        self.tried.append(known)
        return known

    def lift(self, is_bare: Callable[[Cell], bool]) -> bool:
        """Allow what people ruled out on cells that are seen without a tile; return if moves are among it."""
        self.void = frozenset(cell for cell in self.void if not is_bare(cell))
        left = frozenset(move for move in self.refused if not is_bare(move.cell))
        lifted, self.refused = left != self.refused, left
        return lifted

    def allows(self, moves: tuple[Move, ...]) -> bool:
        """Whether people have not ruled out a story."""
        number = len(self.pinned)
        if moves[:number] != self.pinned:
            return False
        return len(moves) == number or moves[number] not in self.refused

    def keep(self, number: int) -> None:
        """Drop all but the likeliest stories."""
        self.stories = {story.moves: story for story in self.ranked()[:number]}

    # -- turns that were looked into

    def window(self, cell: Cell) -> Window:
        """Return between which looks the tile on a cell may have been laid."""
        if cell not in self._windows:
            nats = self.scales.evidence.arrival(cell).nats
            near = np.flatnonzero(nats > nats.max() - SEARCH.order_within_nats)
            self._windows[cell] = (int(near[0]), int(near[-1]))
        return self._windows[cell]

    def states(self, story: Story) -> list[TurnState]:
        """Return the states of a story's turns."""
        return [self._state(story, number) for number in range(len(story.moves))]

    def _state(self, story: Story, number: int) -> TurnState:
        """Return the state of one turn."""
        move, board = story.moves[number], story.end(self.root).state.board
        around = tuple(
            None if (laid := board.get(neighbour(move.cell, edge))) is None else (laid.design.id, laid.rot)
            for edge in EDGES
        )
        faces, tracks, lies = self._stamp(move.cell)
        numbers, keys = [lies, story.gain(number), *tracks.values()], [tuple(tracks)]
        uses = (move.action, *move.parts) if move.action is not None else move.parts
        for cell in dict.fromkeys(use.put.cell for use in uses if use.put is not None):
            _, more, _ = self._stamp(cell)
            keys.append(tuple(more))
            numbers += more.values()
        loose: tuple[int, ...] = ()
        if self.proposals.outside is not None:
            loose = tuple(track.number for track in self.proposals.arriving(story, number))
        ends = tuple(story.ends.get((number, piece)) for piece in story.positions[number].put)
        before = story.before(number, self.root).state
        exact = (move, before.player, number, around, self.window(move.cell), ends, tuple(keys), loose)
        return TurnState(exact, faces, np.array(numbers))

    def _stamp(self, cell: Cell) -> tuple[NDArray[np.float64], dict[int, float], float]:
        """Return how a cell's face, the tracks near it and its tile are read, for comparison."""
        return self.scales.evidence.once(self._stamped, cell)

    def _stamped(self, cell: Cell) -> tuple[NDArray[np.float64], dict[int, float], float]:
        """Compute `_stamp`."""
        seen, pieces = self.scales.evidence, self.scales.pieces
        logs = seen.faces(cell)
        close = np.zeros(0) if logs is None else np.maximum(logs, logs.max() - SEARCH.within_nats)
        tracks = {
            track.number: min(pieces.gain(track, 0, seen.number), MOST_NATS)
            for track in seen.near(cell)
            if track.worth > 0
        }
        return close, tracks, min(seen.arrival(cell).most, MOST_NATS)

    def is_known(self, move: Move, state: TurnState) -> bool:
        """Whether a turn was looked into in this state."""
        return any(known.is_like(state) for known, _ in self._known.get(move.cell, ()))

    def forget(self) -> None:
        """Forget which turns were looked into, so that all are looked into again."""
        self._known = {}

    def remember(self, story: Story, tried: Iterable[Story], states: Sequence[TurnState]) -> None:
        """Note the doubts about a story's turns that others raise, for as long as nothing changes."""
        fresh: list[Doubts] = [{} for _ in story.moves]
        for other in tried:
            gap = min(other.score - story.score, 0.0)
            if gap <= -SEARCH.within_nats or other is story:
                continue
            odds, telling = math.exp(gap), None
            for number, doubts in enumerate(fresh[: len(other.moves)]):
                its = other.moves[number]
                if story.moves[number] is not its:
                    if telling is None:
                        telling = 0.0 if self.outcomes.same(story, other) else odds
                    doubts[its] = _more(doubts.get(its, NO_DOUBT), Doubt(odds, telling))
        for move, state, doubts in zip(story.moves, states, fresh, strict=True):
            known = self._known.setdefault(move.cell, [])
            entry = next((one for before, one in known if before.is_like(state)), None)
            if entry is None:
                known.append((state, doubts))
                del known[:-REMEMBERED]
            else:
                for its, doubt in doubts.items():
                    entry[its] = _more(entry.get(its, NO_DOUBT), doubt)

    def doubts(self, story: Story, states: Sequence[TurnState]) -> list[Doubts]:
        """Return the doubts about each turn of a story whose turns are in these states."""
        return [
            next((one for known, one in self._known.get(move.cell, ()) if known.is_like(state)), {})
            for move, state in zip(story.moves, states, strict=True)
        ]


def _more(one: Doubt, other: Doubt) -> Doubt:
    """Return the doubt of the likelier story; of equally likely ones, the one with less consequence."""
    return max(one, other, key=lambda doubt: (round(doubt.odds, 6), -doubt.telling))
