"""Outcomes: turns as they are played, with the pieces that stand meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.candidates.differences import Choice, choices_of


class Stages(NamedTuple):
    """The pieces that stand at the stages ``bare``, ``mid`` (one set for each way to get there) and ``rest``
    of a turn. ``scored_away`` is true where a laid piece is gone again at rest."""

    bare: frozenset[Standing] = frozenset()
    mid: tuple[frozenset[Standing], ...] = ()
    rest: frozenset[Standing] = frozenset()
    scored_away: bool = False

    @property
    def passing(self) -> frozenset[Standing]:
        """The pieces that stand at some moment between bare and rest."""
        return frozenset().union(*self.mid)

    def exchanged(self, others: Mapping[Standing, Standing]) -> Stages:
        """The same with other pieces of those that the turn lays."""
        mid = tuple(_exchanged(pieces, others) for pieces in self.mid)
        return Stages(self.bare, mid, _exchanged(self.rest, others), self.scored_away)


def _exchanged(pieces: frozenset[Standing], others: Mapping[Standing, Standing]) -> frozenset[Standing]:
    there = [old for old in others if old in pieces]
    return (pieces - set(there)) | {others[old] for old in there} if there else pieces


class Outcome:
    """A turn played after ``before``: its ``stages``, and the board with its tile. The ``step``, with the
    points and the position after it, is worked out when it is first asked for, unless it is given."""

    __slots__ = ("_before", "_chosen", "_step", "_turn", "board", "stages")

    def __init__(
        self,
        before: GameState,
        turn: Turn,
        board: Mapping[Cell, Laid],
        stages: Stages,
        step: Step | None = None,
    ) -> None:
        self.board = board
        self.stages = stages
        self._before = before
        self._turn = turn
        self._step = step
        self._chosen: dict[Choice, Standing] | None = None

    @property
    def step(self) -> Step:
        """Result of the turn."""
        if self._step is None:
            self._step = self._before.apply(self._turn)
        return self._step

    def of_variant(self, turn: Turn) -> Outcome:
        """The outcome of ``turn``, which is alike in all but its choices (`but_choices`): they change the
        points, but nothing else that stands anywhere."""
        chosen = choices_of(self._turn)
        if self._chosen is None:
            self._chosen = self._pieces_of(chosen)
        others = {
            piece: piece._replace(cell=new.cell, animal=new.animal)
            for old, new in zip(chosen, choices_of(turn), strict=True)
            if old != new and (piece := self._chosen.get(old)) is not None
        }
        return Outcome(self._before, turn, self.board, self.stages.exchanged(others))

    def _pieces_of(self, choices: Collection[Choice]) -> dict[Choice, Standing]:
        found = {}
        for piece in self.stages.passing | self.stages.rest:
            if piece.kind == "token" or piece.kind in OUTSIDE:
                choice = Choice(piece.kind, piece.cell, piece.feature, piece.corner, piece.animal)
                if choice in choices:
                    found[choice] = piece
        return found


def outcome_of(state: GameState, standing: frozenset[Standing], turn: Turn) -> Outcome:
    """``turn`` played in ``state``, whose pieces are ``standing``. IllegalTurn where it is not legal."""
    step = state.apply(turn)
    return Outcome(state, turn, step.state.board, _stages(step, standing, turn), step)


def _stages(step: Step, standing: frozenset[Standing], turn: Turn) -> Stages:
    rest = frozenset(step.state.standing)
    laid = frozenset(step.laid)
    displaced = {p for p in standing if p.cell == turn.cell and p.kind in OUTSIDE}
    bare = standing - displaced if displaced else standing
    returned = frozenset(p for p in rest - laid if p.kind in OUTSIDE)
    mid = tuple({_dug(turn, laid), laid, laid | returned} - {rest})
    return Stages(bare, mid, rest, bool(laid - bare - rest))


def _dug(turn: Turn, laid: frozenset[Standing]) -> frozenset[Standing]:
    """Pieces laid before one is put on the animal tile just laid; all laid pieces in other turns."""
    put = None if turn.action is None else turn.action.put
    if put is None or not put.covered:
        return laid
    return frozenset(p for p in laid if p.kind == put.kind or (p.cell, p.corner) != (put.cell, put.corner))
