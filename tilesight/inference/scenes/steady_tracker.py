"""Steady tracker: keeps the turns of a game, whatever happens to the scene.

Only pictures that show the known board are evidence of turns (`tilesight.inference.scenes.scene`). No
picture makes the game shorter: a turn that was told stays until another takes its place, or people take it
back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.geometry import Cell
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.protocols import Tracker
from tilesight.inference.scenes.scene import Face, SceneMemory
from tilesight.inference.understanding import Understanding
from vision.observation import Observation


class SteadyTracker:
    """Follows one game, which starts at ``state``, with the tracker that ``inner`` makes."""

    def __init__(self, state: GameState, inner: Callable[[GameState], Tracker[Understanding]]) -> None:
        self._start, self._make = state, inner
        self._inner = inner(state)
        self._memory = SceneMemory()
        self._told = Understanding((), 0, state, board_seen=False, busy=True)

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it."""
        told = self._told
        last = told.turns[-1].turn.cell if told.turns else None
        look = self._memory.look(observation, told.state.board, last)
        if look.observation is None:
            self._told = replace(
                told, board_seen=look.lattice is not None, busy=True, lattice=look.lattice, scene=look.scene
            )
            return self._told
        return self._tell(replace(self._inner.see(look.observation), scene=look.scene))

    def fix(
        self, turns: Sequence[Turn], not_these: Sequence[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        """Take ``turns`` as the game's turns so far, with certainty; return the understanding.

        ``not_these`` are ruled out as the next turn. If one of them is of the player to move, it was taken
        back: its tile lays no other turn either, until it is gone from there. Otherwise they are options of a
        question, whose tiles may lie there for another turn. People ``confirmed`` the first turns, None
        for all: another last one may still be moved. Raises IllegalTurn if ``turns`` are not a legal game.
        """
        told = self._inner.fix(turns, not_these, confirmed=confirmed)
        taken_back: dict[Cell, Face] = {}
        state = told.turns[len(turns) - 1].step.state if turns else self._start
        if sum(turn.player == state.player for turn in not_these) == 1:
            taken_back = {turn.cell: (turn.tile, turn.rot) for turn in not_these}
            self._inner = self._make(self._start)  # what it has seen there is void
            told = self._inner.fix(turns, not_these, confirmed=confirmed)
        self._told = told
        self._memory.keep(told.state.board, taken_back)
        return told

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come."""
        return self._tell(replace(self._inner.finish(), scene=self._told.scene))

    def _tell(self, understood: Understanding) -> Understanding:
        """Return an understanding with at least the turns that were told before."""
        told = self._told
        if len(understood.turns) < len(told.turns):
            understood = replace(
                understood,
                turns=told.turns,
                settled=told.settled,
                state=told.state,
                doubt=told.doubt,
                final_sure=None,
            )
        self._told = understood
        return understood
