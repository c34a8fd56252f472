"""Filter for tile games: from observations to the posterior over histories of legal turns.

Every look updates the appearance of the table (`tilesight.inference.histories.appearances`), by which the
legal histories are weighed (`tilesight.inference.histories.beam`). A turn is settled once hardly any history
contradicts it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from engine.tiles.game import GameState
from engine.tiles.pieces import OWNED
from engine.tiles.turn import Turn
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.histories.appearances import Appearances
from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.growth import Growth
from tilesight.inference.histories.history import Node, root_at
from tilesight.inference.histories.look import Hands, TableLook, look_of
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.posterior import HistoryPosterior, open_turn_index
from tilesight.inference.occlusion_history import Prints
from tilesight.inference.params import PARAMS as INFERENCE
from tilesight.inference.questions import QuestionDebouncer, unclear_from
from tilesight.inference.understanding import Doubt, Unclear, Understanding, UnderstoodTurn, turns_taken
from vision.foreign_faces import UnknownCells
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation


class HistoryFilter:
    """Follows one game, which starts at ``state``, through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._seen = Appearances()
        self._beam = Beam(state, self._seen)
        self._growth = Growth(self._beam)
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._hands = Hands()
        self._prints = Prints.of(state.pack)
        self._unknown = UnknownCells()
        self._unclear: Unclear | None = None
        self._doubt: Doubt | None = None
        self._debouncer = QuestionDebouncer()
        self._finished = False
        self._changed_s = self._weighed_s = 0.0
        self._there = HistoryPosterior(self._beam, there=True)

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it.

        A picture in which the board is not recognised, or a hand is over it, changes no turns; it counts as
        busy.
        """
        beam = self._beam
        lattice = None
        if observation.pose is not None:
            lattice = fit_lattice(observation, beam.leader().board, self._lattice)
        if lattice is None:
            return self._understanding(board_seen=False, busy=True)
        self._lattice = lattice
        observation = self._unknown.read(observation, lattice, beam.leader().board)
        state = beam.root.state
        look = look_of(
            len(self._seen.times),
            observation,
            lattice,
            state.players,
            self._prints,
            self._hands.usual,
        )
        if self._hands.over(look, state.board):
            return self._understanding(board_seen=True, busy=True)
        if self._seen.note(look, beam.leader().board):
            self._changed_s = look.t_s
        beam.lift_refusals()
        if self._is_due(look.t_s):
            self._weighed_s = look.t_s
            self._changed_s = min(self._changed_s, look.t_s)
            self._growth.update()
            self._settle()
            self._there = HistoryPosterior(beam, there=True)
        self._prints.note(
            look.cells, lattice, [one.xy for one in look.pieces if one.reading.kind in OWNED], look.t_s
        )
        self._unclear = self._unexplained_tiles(look)
        place = open_turn_index(self._there, beam.leader())
        self._doubt = self._debouncer.question(self._there, place, len(self._settled), observation)
        return self._understanding(board_seen=True, busy=False)

    def _is_due(self, t_s: float) -> bool:
        """Whether to weigh the histories again.

        They are weighed when something has changed, then at growing intervals: after rests each half as long
        again, up to ``restless_s`` seconds.
        """
        rested_s = t_s - self._changed_s
        return rested_s <= 0.0 or (
            rested_s < PARAMS.restless_s and rested_s >= 1.5 * (self._weighed_s - self._changed_s)
        )

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` as the game's turns so far, with certainty: a player answered, corrected or undid a
        turn, or a log was read after a crash.

        The board's place and all appearances are kept. ``not_these`` are ruled out as the next turn until the
        cell of such a turn's tile is seen empty. Raises IllegalTurn if ``turns`` is not a legal game.
        """
        understood, node = self._followed(turns)
        if node is None:
            state = understood[-1].step.state if understood else self._start
            node = root_at(state)
        self._settled = understood
        self._beam.put_root(node)
        self._beam.refuse([turn.seen for turn in not_these])
        self._doubt, self._debouncer, self._unclear = None, QuestionDebouncer(), None
        self._changed_s = math.inf  # other histories follow, whether or not the table changes
        self._there = HistoryPosterior(self._beam, there=True)
        return self._understanding(board_seen=True, busy=False)

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come, with turns that are still unsure."""
        self._finished = True
        return self._understanding(board_seen=True, busy=False)

    def _followed(self, turns: Sequence[Turn]) -> tuple[list[UnderstoodTurn], Node | None]:
        """Return ``turns`` as understood turns, and the node that ends with the last of them.

        The node is None if no history in the beam consists of these turns. Raises IllegalTurn.
        """
        beam = self._beam
        posterior = HistoryPosterior(beam)
        known = [*self._settled, *self._understood(beam.leader().path(), posterior)]
        understood, same = turns_taken(self._start, turns, known)
        if same < len(self._settled):
            return understood, None
        node: Node | None = beam.root
        for turn in turns[len(self._settled) :]:
            if node is not None:
                node = next((child for child in node.children if child.turn == turn), None)
        return understood, node

    def _settle(self) -> None:
        """Move the root past turns that hardly any history contradicts; they become settled turns."""
        beam = self._beam
        while True:
            path = beam.leader().path()
            if len(path) <= PARAMS.open_turns:
                return
            posterior = HistoryPosterior(beam)
            if posterior.passing(path[0]) < PARAMS.settled_share and len(path) <= 3 * PARAMS.open_turns:
                return
            self._settled += self._understood(path[:1], posterior)
            beam.put_root(path[0])
            self._seen.forget(path[0].at.first)

    def _understood(self, path: Sequence[Node], posterior: HistoryPosterior) -> list[UnderstoodTurn]:
        """Return the turns of ``path``, which starts right after the root, as understood turns."""
        told = []
        for number, node in enumerate(path, 1):
            assert node.turn is not None and node.step is not None
            look = self._finished_at(node)
            others = [turn for turn, _ in posterior.turns(number)[:4] if turn != node.turn]
            told.append(
                UnderstoodTurn(
                    turn=node.turn,
                    step=node.step,
                    frame_index=None if look is None else self._seen.frames[look],
                    t_s=None if look is None else self._seen.times[look],
                    confidence=posterior.probability(number, node.turn),
                    alternatives=tuple(others[:3]),
                )
            )
        return told

    def _finished_at(self, node: Node) -> int | None:
        """Return the number of the first look that shows a turn finished; None before that.

        It is finished when its pieces are placed and scored pieces have gone home.
        """
        if node.parent is None:
            return node.at.first
        return self._beam.pieces.finished_at(
            node.at, node.parent.standing, node.standing, node.gone, node.board
        )

    def _shown(self, path: Sequence[Node], posterior: HistoryPosterior) -> list[Node]:
        """Return the part of ``path`` to report; after the last picture all of it.

        Reported are turns that are sure, that lead to a sure position, or that three others have followed,
        and all before an open question.
        """
        if self._finished:
            return list(path)
        sure = 0
        for number, node in enumerate(path, 1):
            assert node.turn is not None
            chances = (posterior.probability(number, node.turn), posterior.same_position(number, node))
            if max(chances) >= INFERENCE.ask_below:
                sure = number
        if sure and sure == len(path) and self._finished_at(path[-1]) is None:
            sure -= 1
        before = self._doubt.number - 1 - len(self._settled) if self._doubt is not None else 0
        return list(path[: max(sure, len(path) - 3, before, 0)])

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        """Return the understanding after the latest picture, with its ``board_seen`` and ``busy``."""
        posterior = HistoryPosterior(self._beam)
        shown = self._shown(self._beam.leader().path(), self._there)
        state = shown[-1].state if shown else self._beam.root.state
        return Understanding(
            (*self._settled, *self._understood(shown, posterior)),
            len(self._settled),
            state,
            board_seen,
            busy,
            self._unclear,
            self._doubt,
            self._lattice if board_seen else None,
        )

    def _unexplained_tiles(self, look: TableLook) -> Unclear | None:
        """Return the tiles that no history explains, once ``unclear_after`` looks show them; else None."""
        state = self._beam.leader().state
        lacking = [
            cell
            for cell, memory in self._seen.cells.items()
            if memory.lies
            and cell not in state.board
            and memory.tile is not None
            and sum(
                min(b, look.number) - max(a, memory.tile.first) + 1
                for a, b in memory.shown
                if b >= memory.tile.first
            )
            >= INFERENCE.unclear_after
        ]
        return unclear_from(state, lacking, lambda cell: self._beam.tiles.likely_faces(cell)[0])
