"""Tracker for tile games: from observations to the likeliest story of the game."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.game import IllegalTurn
from engine.geometry import EDGES, neighbour
from engine.message import Message, message_of
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.params import PARAMS
from tilesight.inference.stories.asking import Asking
from tilesight.inference.stories.search import Search, SearchedTurn
from tilesight.inference.understanding import Doubt, Unclear, Understanding, UnderstoodTurn
from vision.foreign_faces import UnknownCells
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation

OPEN_TURNS = 3
"""Number of last turns that wait until they are sure."""


class StoryTracker:
    """Follows one game, which starts at ``state``, through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._search = Search(state)
        self._lattice: LatticeFrame | None = None
        self._unknown = UnknownCells()
        self._asking = Asking()
        self._doubt: Doubt | None = None
        self._pinned = 0
        self._finished = False
        self._steps: list[tuple[Turn, Step]] = []
        self._told: Understanding | None = None

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it.

        A picture in which the board is not recognised changes nothing; it counts as busy.
        """
        lattice = None
        if observation.pose is not None:
            lattice = fit_lattice(observation, self._search.board, self._lattice)
        if lattice is None:
            return self._understanding(board_seen=False, busy=True)
        self._lattice = lattice
        observation = self._unknown.read(observation, lattice, self._search.board)
        self._search.see(observation, lattice)
        if self._search.evidence.hidden and self._told is not None:  # a hand may still change the turn
            self._told = replace(self._told, board_seen=True, busy=True, lattice=lattice)
            return self._told
        self._doubt = self._asking.doubt(self._search.turns(), observation)
        return self._understanding(board_seen=True, busy=bool(self._search.evidence.hidden))

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` as the game's turns so far, for good; return the understanding.

        What was seen stays, and the turns after them are searched again. ``not_these`` are ruled out as the
        next turn. Raises IllegalTurn if ``turns`` are not a legal game.
        """
        self._steps = []
        self._steps_of([turn.seen for turn in turns], strictly=True)
        self._pinned = len(turns)
        self._search.pin(turns, [turn.seen for turn in not_these])
        self._doubt, self._asking = None, Asking()
        return self._understanding(board_seen=True, busy=False)

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come, with turns that are still unsure."""
        self._finished = True
        self._search.finish()
        return self._understanding(board_seen=True, busy=False)

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        """Return the understanding after the latest picture."""
        turns = self._search.turns()
        shown = self._shown(turns)
        steps = self._steps_of([one.turn for one in turns[:shown]])
        told = tuple(
            self._understood(one, step) for one, step in zip(turns, steps, strict=False)
        )
        state = steps[-1].state if steps else self._start
        self._told = Understanding(
            told,
            self._pinned,
            state,
            board_seen,
            busy,
            self._unclear(turns, len(steps), state),
            self._doubt if self._doubt is not None and self._doubt.number <= len(told) + 1 else None,
            self._lattice if board_seen else None,
        )
        return self._told

    def _understood(self, one: SearchedTurn, step: Step) -> UnderstoodTurn:
        """Return a turn of the story as understood."""
        look = None if one.look is None else self._search.evidence.looks[one.look]
        return UnderstoodTurn(
            one.turn,
            step,
            None if look is None else look.view.frame_index,
            None if look is None else look.first_s,
            one.sure,
            tuple(turn for turn, _ in one.others[:3]),
        )

    def _shown(self, turns: Sequence[SearchedTurn]) -> int:
        """Return how many turns to report; after the last picture all.

        Reported are turns that are sure, that lead to a sure table, or that three others have followed, and
        all before an open question.
        """
        if self._finished:
            return len(turns)
        sure = max((n for n, one in enumerate(turns, 1) if one.told >= PARAMS.ask_below), default=0)
        if sure > self._pinned and sure == len(turns) and turns[-1].look is None:
            sure -= 1
        asked = self._doubt.number - 1 if self._doubt is not None else 0
        return max(sure, len(turns) - OPEN_TURNS, asked, self._pinned)

    def _steps_of(self, turns: Sequence[Turn], *, strictly: bool = False) -> list[Step]:
        """Return the results of the first turns that the rules allow.

        Raises IllegalTurn for the first that they forbid, if ``strictly``.
        """
        same = 0
        while same < min(len(turns), len(self._steps)) and self._steps[same][0] == turns[same]:
            same += 1
        del self._steps[same:]
        state = self._steps[-1][1].state if self._steps else self._start
        for turn in turns[same:]:
            try:
                step = state.apply(turn)
            except IllegalTurn:
                if strictly:
                    raise
                break
            self._steps.append((turn, step))
            state = step.state
        return [step for _, step in self._steps[: len(turns)]]

    def _unclear(self, turns: Sequence[SearchedTurn], legal: int, state: GameState) -> Unclear | None:
        """Return the tiles that no legal turn explains after the first ``legal`` ones, which end in ``state``.

        None if there are none, or if fewer than ``unclear_after`` pictures show them.
        """
        rest = [one.turn for one in turns[legal:]]
        cells = [turn.cell for turn in rest] if rest and turns[legal].faults else []
        cells += self._search.missing()
        cells = [cell for cell in cells if self._search.evidence.cells[cell].read >= PARAMS.unclear_after]
        beside = [cell for cell in cells if any(neighbour(cell, edge) in state.board for edge in EDGES)]
        if not beside:
            return None
        cell = beside[0]
        faces = {turn.cell: (turn.tile, turn.rot) for turn in rest}
        tile, rot = faces.get(cell) or self._search.evidence.likeliest_face(cell)
        faults = state.faults(Turn(state.player, tile, cell, rot))
        if len(cells) > 1:
            message = Message("{number} tiles are not in the game", number=len(cells))
            return Unclear(message, tuple(sorted(cells)), faults)
        why = message_of(IllegalTurn(faults)) if faults else Message("no turn explains what is seen")
        name = Message("a tile of another set") if is_foreign(tile) else tile
        message = Message("{tile} at {cell}: {reason}", tile=name, cell=cell, reason=why)
        return Unclear(message, (cell,), faults)
