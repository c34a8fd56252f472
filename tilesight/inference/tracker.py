"""Tracker for tile games: from observations to the legal turns that explain them best.

The legal turns after the last known position are the hypotheses and every picture is evidence; the hypothesis
that explains all pictures best leads (`tilesight.inference.hypothesis_tree`). A turn is settled once a few
others have followed it; turns that stay doubtful are asked about (`tilesight.inference.questions`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from engine.geometry import Cell
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE, OWNED
from engine.tiles.turn import Turn
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.hypothesis import Hypothesis
from tilesight.inference.hypothesis_tree import HypothesisTree, root_at
from tilesight.inference.occlusion_history import Prints
from tilesight.inference.params import PARAMS
from tilesight.inference.questions import (
    PrunedShares,
    QuestionDebouncer,
    TreePosterior,
    open_turn_index,
    unexplained_tiles,
)
from tilesight.inference.revision import (
    search_circles,
    transplanted,
    with_revealed_animals,
    with_revealed_token,
)
from tilesight.inference.understanding import Doubt, Unclear, Understanding, UnderstoodTurn, turns_taken
from tilesight.inference.view import ReadingHistory, View, view_of
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation


class TurnTracker:
    """Follows one game, which starts at ``state``, through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._tree = HypothesisTree(state)
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._known = ReadingHistory(prints=Prints.of(state.pack))
        self._last_s = math.inf
        self._unclear: Unclear | None = None
        self._doubt: Doubt | None = None
        self._debouncer = QuestionDebouncer()
        self._pruned = PrunedShares()

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it.

        A picture in which the board is not recognised changes nothing; one with a hand starts no new turns.
        """
        tree = self._tree
        lattice = None
        if observation.pose is not None:
            lattice = fit_lattice(observation, tree.leader().board, self._lattice)
        if lattice is None:
            return self._understanding(board_seen=False, busy=True)
        self._lattice = lattice
        elapsed_s = max(observation.t_s - self._last_s, 0.0)
        self._last_s = observation.t_s
        state = tree.root.state
        self._known.settled_outside = _outside(state)
        self._known.settled_tokens = search_circles(state, {"token"})
        self._known.settled_owned = search_circles(state, OWNED)
        # Up to the turn before the last: people may lay a piece before the last turn's have gone home.
        ended_s = [turn.t_s for turn in self._settled[:-1] if turn.t_s is not None]
        self._known.settled_s = ended_s[-1] if ended_s else -math.inf
        observation = self._known.unknown.read(observation, lattice, tree.leader().board)
        view = view_of(observation, lattice, state.board, state.players, self._known)
        if not view.busy:
            tree.lift_refusals(view)
            tree.grow(view, self._known)
            tree.credit_turned_tiles(view)
        tree.weigh(view, elapsed_s)
        if not view.busy:
            if tree.grow(view, self._known):
                tree.weigh_again(view, elapsed_s)
            tree.cap_lead()
        tree.prune()
        self._settle()
        if not view.busy:
            self._revise_settled(view)
            state = tree.leader().state
            self._known.note(view, _outside(state), state.board)
            self._unclear = unexplained_tiles(tree, view, self._known.looks)
            posterior = TreePosterior(tree, there=True)
            place = open_turn_index(posterior, tree.leader())
            self._doubt = self._debouncer.question(posterior, place, len(self._settled), observation)
        return self._understanding(board_seen=True, busy=view.busy)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` as the game's turns so far, with certainty: a player answered, corrected or undid a
        turn, or a log was read after a crash.

        Evidence for turns after the last of them is kept if the tree already follows them; so are the board's
        place and the readings of its tiles. ``not_these`` are ruled out as the next turn until the cell where
        such a turn lays its tile is seen empty. Raises IllegalTurn if ``turns`` is not a legal game.
        """
        understood, hypothesis = self._followed(turns)
        if hypothesis is None:
            state = understood[-1].step.state if understood else self._start
            hypothesis = root_at(state)
            self._known.forget(state.board)
        self._settled = understood
        self._pruned = PrunedShares()
        if understood:
            step = understood[-1].step
            lingering = frozenset(step.laid)
            hypothesis.lingering = () if lingering == hypothesis.stages.rest else (lingering,)
        hypothesis.refuse([turn.seen for turn in not_these])  # first: a new root drops links to what is gone
        self._tree.put_root(hypothesis)
        self._doubt, self._debouncer = None, QuestionDebouncer()
        self._unclear = None
        return self._understanding(board_seen=True, busy=False)

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come, with turns that are still unsure."""
        self._tree.finished = True
        return self._understanding(board_seen=True, busy=False)

    def _followed(self, turns: Sequence[Turn]) -> tuple[list[UnderstoodTurn], Hypothesis | None]:
        """Return ``turns`` as understood turns, and the hypothesis that ends with the last of them.

        The hypothesis is None if the tree does not follow these turns. Raises IllegalTurn.
        """
        known = [*self._settled, *self._understood_path(self._tree.leader())]
        understood, same = turns_taken(self._start, turns, known)
        if not same >= len(self._settled) <= len(turns):
            return understood, None
        hypothesis: Hypothesis | None = self._tree.root
        for turn in turns[len(self._settled) :]:
            if hypothesis is not None:
                hypothesis = next((child for child in hypothesis.children if child.turn == turn), None)
        return understood, hypothesis

    def _understood_path(self, leader: Hypothesis) -> list[UnderstoodTurn]:
        """Return the open turns of the leading hypothesis as understood turns."""
        return self._understood(leader.path(), self._tree.frames(leader), TreePosterior(self._tree))

    def _settle(self) -> None:
        """Move the root past turns that are sure enough, and append them to ``self._settled``."""
        tree = self._tree
        while True:
            leader = tree.leader()
            path = leader.path()
            posterior = TreePosterior(tree) if len(path) > PARAMS.open_turns else None
            if posterior is None or not self._may_settle(path, posterior):
                return
            lost = 1.0 - posterior.passing(path[0])
            self._settled += self._understood(path[:1], tree.frames(leader), posterior)
            tree.put_root(path[0])
            self._pruned.settle(len(self._settled) - 1, posterior, TreePosterior(tree), lost)

    def _may_settle(self, path: Sequence[Hypothesis], posterior: TreePosterior) -> bool:
        """Whether the first turn of ``path`` can be settled.

        It can if its cell is sure, if a later position is sure whatever the order of turns, or if it has been
        open for ``doubtful_turns`` turns.
        """
        first = path[0].turn
        assert first is not None
        sure = math.fsum(share for turn, share in posterior.turns(1) if turn.cell == first.cell)
        if sure >= PARAMS.ask_below or len(path) > PARAMS.doubtful_turns:
            return True
        return any(
            posterior.same_position(number, path[number - 1]) >= PARAMS.ask_below
            for number in range(2, len(path) - PARAMS.open_turns + 1)
        )

    def _revise_settled(self, view: View) -> None:
        """Correct ``self._settled`` if this picture reveals an animal tile that was hidden.

        The tree is then played again from the corrected position.
        """
        otherwise = with_revealed_animals(self._start, self._settled, view) or with_revealed_token(
            self._start, self._settled, view, self._tree.leader()
        )
        if otherwise is not None:
            self._settled = otherwise
            self._tree.root = transplanted(self._tree.root, root_at(otherwise[-1].step.state))

    def _shown(self, leader: Hypothesis, posterior: TreePosterior) -> list[Hypothesis]:
        """Return the part of the leading path to report; after the last picture all of it.

        Reported are turns that are sure, that lead to a sure position, or that ``open_turns`` others have
        followed, and all before an open question.
        """
        path = leader.path()
        if self._tree.finished:
            return path
        sure = 0
        for number, hypothesis in enumerate(path, 1):
            plain = sure == number - 1 and self._tree.margin(hypothesis)[0] >= PARAMS.show_margin_nats
            if plain or posterior.same_position(number, hypothesis) >= PARAMS.ask_below:
                sure = number
        if sure == len(path) and sure and leader.rest.nats < leader.best:
            sure -= 1
        # Report everything before the turn in question, so that people choose among the turns after it.
        before = self._doubt.number - 1 - len(self._settled) if self._doubt is not None else 0
        return path[: max(sure, len(path) - PARAMS.open_turns, before, 0)]

    def _understood(
        self,
        path: Sequence[Hypothesis],
        frames: Sequence[tuple[int, float] | None],
        posterior: TreePosterior,
    ) -> list[UnderstoodTurn]:
        """Return the turns of ``path``, which starts right after the root, as understood turns.

        ``frames`` holds the picture (index, seconds) that shows each finished, or None.
        """
        turns = []
        for number, (hypothesis, frame) in enumerate(zip(path, frames, strict=False), 1):
            assert hypothesis.turn is not None and hypothesis.step is not None
            frame_index, t_s = frame if frame is not None else (None, None)
            share = posterior.probability(number, hypothesis.turn)
            others = [turn for turn, _ in posterior.turns(number)[:4] if turn != hypothesis.turn]
            turns.append(
                UnderstoodTurn(
                    turn=hypothesis.turn,
                    step=hypothesis.step,
                    frame_index=frame_index,
                    t_s=t_s,
                    confidence=self._pruned.corrected(len(self._settled) + number, hypothesis.turn, share),
                    alternatives=tuple(others[:3]),
                )
            )
        return turns

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        """Return the understanding after the latest picture, with its ``board_seen`` and ``busy``."""
        leader = self._tree.leader()
        posterior = TreePosterior(self._tree)
        shown = self._shown(leader, posterior)
        turns = self._understood(shown, self._tree.frames(leader), posterior)
        state = shown[-1].state if shown else self._tree.root.state
        return Understanding(
            (*self._settled, *turns),
            len(self._settled),
            state,
            board_seen,
            busy,
            self._unclear,
            self._doubt,
            self._lattice if board_seen else None,
        )


def _outside(state: GameState) -> frozenset[Cell]:
    """Return the spaces beside the tiles that hold pieces."""
    return frozenset(piece.cell for piece in state.standing if piece.kind in OUTSIDE)
