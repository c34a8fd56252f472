"""Outcomes: turns as they are played, and the pieces on the table at each stage of a turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.candidates.differences import PieceChoice, choices_of


class Stages(NamedTuple):
    """The pieces on the table at three stages of a turn.

    ``bare``: only the tile is laid. ``mid``: its pieces are laid too (one set for each order of moves).
    ``rest``: scored pieces are gone. ``scored_away`` is true if a piece laid in the turn is gone at rest.
    """

    bare: frozenset[Standing] = frozenset()
    mid: tuple[frozenset[Standing], ...] = ()
    rest: frozenset[Standing] = frozenset()
    scored_away: bool = False

    @property
    def passing(self) -> frozenset[Standing]:
        """All pieces that are on the table in one of the ``mid`` stages."""
        return frozenset().union(*self.mid)

    def with_swapped(self, others: Mapping[Standing, Standing]) -> Stages:
        """Return a copy in whose ``mid`` and ``rest`` the keys of ``others`` are replaced by their values."""
        mid = tuple(_with_swapped(pieces, others) for pieces in self.mid)
        return Stages(self.bare, mid, _with_swapped(self.rest, others), self.scored_away)


def _with_swapped(pieces: frozenset[Standing], others: Mapping[Standing, Standing]) -> frozenset[Standing]:
    """Return ``pieces`` with those that are keys of ``others`` replaced by their values."""
    there = [old for old in others if old in pieces]
    return (pieces - set(there)) | {others[old] for old in there} if there else pieces


class TurnOutcome:
    """Outcome of a turn played from ``before``: its ``stages``, and the board with its tile.

    ``step`` (the points and the next position) is computed when first asked for, unless given.
    """

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
        self._chosen: dict[PieceChoice, Standing] | None = None

    @property
    def step(self) -> Step:
        """The points of the turn and the position after it.

        Raises IllegalTurn on access if it is not legal.
        """
        if self._step is None:
            self._step = self._before.apply(self._turn)
        return self._step

    def for_variant(self, turn: Turn) -> TurnOutcome:
        """Return the outcome of ``turn``, which differs only in its choices (`key_without_choices`).

        Choices change the points, but no other piece.
        """
        chosen = choices_of(self._turn)
        if self._chosen is None:
            self._chosen = self._pieces_of(chosen)
        others = {
            piece: piece._replace(cell=new.cell, animal=new.animal)
            for old, new in zip(chosen, choices_of(turn), strict=True)
            if old != new and (piece := self._chosen.get(old)) is not None
        }
        return TurnOutcome(self._before, turn, self.board, self.stages.with_swapped(others))

    def _pieces_of(self, choices: Collection[PieceChoice]) -> dict[PieceChoice, Standing]:
        """Return, for each of ``choices``, the piece that it put on the table.

        Choices without one are omitted.
        """
        found = {}
        for piece in self.stages.passing | self.stages.rest:
            if piece.kind == "token" or piece.kind in OUTSIDE:
                choice = PieceChoice(piece.kind, piece.cell, piece.feature, piece.corner, piece.animal)
                if choice in choices:
                    found[choice] = piece
        return found


def outcome_of(state: GameState, standing: frozenset[Standing], turn: Turn) -> TurnOutcome:
    """Play ``turn`` from ``state`` with the pieces ``standing``. Raises IllegalTurn if it is not legal."""
    step = state.apply(turn)
    return TurnOutcome(state, turn, step.state.board, _stages(step, standing, turn), step)


def _stages(step: Step, standing: frozenset[Standing], turn: Turn) -> Stages:
    """Return the stages of a turn that was played with result ``step``; ``standing`` was there before it."""
    rest = frozenset(step.state.standing)
    laid = frozenset(step.laid)
    displaced = {p for p in standing if p.cell == turn.cell and p.kind in OUTSIDE}
    bare = standing - displaced if displaced else standing
    returned = frozenset(p for p in rest - laid if p.kind in OUTSIDE)
    mid = tuple({_laid_before_cover(turn, laid), laid, laid | returned} - {rest})
    return Stages(bare, mid, rest, bool(laid - bare - rest))


def _laid_before_cover(turn: Turn, laid: frozenset[Standing]) -> frozenset[Standing]:
    """Return ``laid`` without the piece on top of the animal tile that the turn's action lays.

    All of ``laid`` if the action lays none under a player's piece.
    """
    put = None if turn.action is None else turn.action.put
    if put is None or not put.covered:
        return laid
    return frozenset(p for p in laid if p.kind == put.kind or (p.cell, p.corner) != (put.cell, put.corner))
