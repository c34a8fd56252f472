"""Tracker for tile games: from observations to the likeliest story of the game."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

from engine.game import IllegalTurn
from engine.geometry import EDGES, neighbour
from engine.message import Message, message_of
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.params import QUESTIONS, TILES
from tilesight.inference.stories.asking import Asking
from tilesight.inference.stories.outcomes import table_after
from tilesight.inference.stories.search import Search, SearchedTurn
from tilesight.inference.understanding import Doubt, Unclear, Understanding, UnderstoodTurn, turns_taken
from vision.foreign_faces import UnknownCells
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation

TABLES_KEPT = 200
"""Number of tables after possible turns that are kept while a turn is in doubt."""


class StoryTracker:
    """Follows one game, which starts at ``state``, through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._search = Search(state)
        self._lattice: LatticeFrame | None = None
        self._unknown = UnknownCells()
        self._asking = Asking(self._outcome)
        self._doubt: Doubt | None = None
        self._fixed: list[UnderstoodTurn] = []
        self._finished = False
        self._steps: list[tuple[GameState, Turn, Step]] = []
        self._told: Understanding | None = None
        self._tables: dict[tuple[int, Turn], tuple[GameState, Hashable]] = {}

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
        del self._fixed[self._search.pinned :]
        if self._search.evidence.hidden and self._told is not None:  # a hand may still change the turn
            self._told = replace(self._told, board_seen=True, busy=True, lattice=lattice)
            return self._told
        self._doubt = self._asking.doubt(self._search.turns, observation)
        return self._understanding(board_seen=True, busy=bool(self._search.evidence.hidden))

    def fix(
        self, turns: Sequence[Turn], not_these: Collection[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        """Take ``turns`` as the game's turns so far, for good; return the understanding, with no more turns.

        What was seen stays, and with the next picture the turns after them are told again. ``not_these`` are
        ruled out as the next turn. People ``confirmed`` the first ones, None for all: another last turn is
        taken back if its tile is gone before the next turn. Raises IllegalTurn if they are no legal game.
        """
        known = self._told.turns if self._told is not None else ()
        self._fixed = turns_taken(self._start, turns, known)
        last_open = confirmed is not None and confirmed < len(turns)
        self._search.pin(turns, [turn.seen for turn in not_these], last_open=last_open)
        self._doubt = self._asking.last(self._search.turns) if self._finished else None
        told = self._understanding(board_seen=True, busy=False)
        state = self._fixed[-1].step.state if self._fixed else self._start
        self._told = told.up_to(len(turns), state)
        return self._told

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come, with turns that are still unsure."""
        self._finished = True
        final_sure = self._search.finish()
        self._doubt = self._asking.last(self._search.turns)
        told = self._understanding(board_seen=True, busy=False)
        whole = len(told.turns) == len(self._search.turns) and told.unclear is None
        return replace(told, final_sure=final_sure if whole else None)

    def _outcome(self, number: int, turn: Turn) -> Hashable:
        """Return the table after ``turn`` as turn ``number`` (from 1) of the likeliest story."""
        state = self._search.best.before(number - 1, self._search.root).state
        known = self._tables.get((number, turn))
        if known is None or known[0] is not state:
            if len(self._tables) > TABLES_KEPT:
                self._tables.clear()
            known = self._tables[number, turn] = (state, table_after(state, turn))
        return known[1]

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        """Return the understanding after the latest picture."""
        turns, fixed = self._search.turns, len(self._fixed)
        shown = turns[fixed : self._shown(turns)]
        steps = self._steps_of([one.turn for one in shown])
        told = (*self._fixed, *map(self._understood, shown, steps))
        state = told[-1].step.state if told else self._start
        unclear = self._unclear(turns, len(told), state)
        if unclear is not None:  # people are told what is odd; nobody knows yet what to ask
            self._asking.drop(len(told))
            self._doubt = self._doubt if self._doubt is not None and self._doubt.number <= len(told) else None
        self._told = Understanding(
            told,
            self._settled(turns),
            state,
            board_seen,
            busy,
            unclear,
            self._doubt if self._doubt is not None and self._doubt.number <= len(told) + 1 else None,
            self._lattice if board_seen else None,
        )
        return self._told

    def _settled(self, turns: Sequence[SearchedTurn]) -> int:
        """Return the number of first turns that are not expected to change any more."""
        old = len(turns) - 2 * QUESTIONS.open_turns
        settled = max(len(self._fixed), old)
        while settled < len(turns) - QUESTIONS.open_turns and turns[settled].sure >= QUESTIONS.settled_sure:
            settled += 1
        return settled

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
        alike = self._asking.alike
        told = (n for n, one in enumerate(turns, 1) if n in alike or one.told >= QUESTIONS.ask_below)
        sure = max(told, default=0)
        if sure > len(self._fixed) and sure == len(turns) and turns[-1].look is None:
            sure -= 1
        asked = self._doubt.number - 1 if self._doubt is not None else 0
        return max(sure, len(turns) - QUESTIONS.waiting_turns, asked, len(self._fixed))

    def _steps_of(self, turns: Sequence[Turn]) -> list[Step]:
        """Return the results of the first turns after those that are fixed that the rules allow."""
        state = self._fixed[-1].step.state if self._fixed else self._start
        before, self._steps = self._steps, []
        for turn in turns:
            number = len(self._steps)
            if number < len(before) and before[number][0] is state and before[number][1] == turn:
                step = before[number][2]
            else:
                try:
                    step = state.apply(turn)
                except IllegalTurn:
                    break
            self._steps.append((state, turn, step))
            state = step.state
        return [step for _, _, step in self._steps]

    def _unclear(self, turns: Sequence[SearchedTurn], legal: int, state: GameState) -> Unclear | None:
        """Return the tiles that no legal turn explains after the first ``legal`` ones, up to ``state``.

        None if there are none, or if fewer than ``unclear_after`` pictures show them.
        """
        rest = [one.turn for one in turns[legal:]]
        if rest and not turns[legal].faults:
            # The rules may outweigh what the pictures show: what lies there may be illegal all the same.
            evidence, cell = self._search.evidence, rest[0].cell
            tile, rot = evidence.likeliest_face(cell)
            seen = Turn(state.player, tile, cell, rot)
            is_denied = evidence.face(cell, rest[0].tile, rest[0].rot) < -TILES.turned_nats
            rest = [seen, *rest[1:]] if is_denied and state.faults(seen) else []
        cells = [turn.cell for turn in rest]
        cells += self._search.missing()
        cells = [cell for cell in cells if self._search.evidence.cells[cell].read >= QUESTIONS.unclear_after]
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
