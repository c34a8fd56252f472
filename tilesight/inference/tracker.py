"""Tracker for tile games: from observations to the legal turns that explain them best.

The legal turns from the last known position are the hypotheses, every picture is evidence, and the hypothesis
that explains all pictures best wins (`tilesight.inference.hypothesis_tree`). A turn that a few
others have followed is settled; what stays open is asked (`tilesight.inference.questions`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.geometry import Cell
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.hypothesis import Hypothesis
from tilesight.inference.hypothesis_tree import HypothesisTree, root_at
from tilesight.inference.likelihood import places_of
from tilesight.inference.occlusion_history import Prints
from tilesight.inference.params import PARAMS
from tilesight.inference.questions import Doubting, GivenUp, Posterior, open_place, what_is_unclear
from tilesight.inference.revision import animals_seen_at_last, tile_seen_at_last, transplanted
from tilesight.inference.understanding import Doubt, Unclear, Understanding, UnderstoodTurn, turns_taken
from tilesight.inference.view import PERSONS, Acquaintance, View, view_of
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation


class TurnTracker:
    """Follows one game through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._tree = HypothesisTree(state)
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._known = Acquaintance(prints=Prints.of(state.pack))
        self._last_s = math.inf
        self._unclear: Unclear | None = None
        self._doubt: Doubt | None = None
        self._doubting = Doubting()
        self._given_up = GivenUp()

    def see(self, observation: Observation) -> Understanding:
        """Take one picture into account."""
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
        self._known.settled_tokens = places_of(state, {"token"})
        self._known.settled_persons = places_of(state, PERSONS)
        # One turn more is left open: people may lay a piece before the last one's have gone home.
        ended_s = [turn.t_s for turn in self._settled[:-1] if turn.t_s is not None]
        self._known.settled_s = ended_s[-1] if ended_s else -math.inf
        observation = self._known.unknown.read(observation, lattice, tree.leader().board)
        view = view_of(observation, lattice, state.board, state.players, self._known)
        if not view.busy:
            tree.allow_again(view)
            tree.grow(view, self._known)
            tree.second_thoughts(view)
        tree.weigh(view, elapsed_s)
        if not view.busy:
            if tree.grow(view, self._known):
                tree.weigh_again(view, elapsed_s)
            tree.forget_a_little()
        tree.prune()
        self._settle()
        if not view.busy:
            self._see_at_last(view)
            state = tree.leader().state
            self._known.note(view, _outside(state), state.board)
            self._unclear = what_is_unclear(tree, view, self._known.looks)
            posterior = Posterior(tree, there=True)
            place = open_place(posterior, tree.leader())
            self._doubt = self._doubting.question(posterior, place, len(self._settled), observation)
        return self._understanding(board_seen=True, busy=view.busy)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` for the game's turns so far, for certain: a player answered a question,
        corrected or undid a turn, or a log was read after a crash.

        What was seen after the last of them still counts where it was followed; where the board lies and
        how its tiles look stays known. ``not_these`` are not supposed to come next, until the place where
        such a turn lays its tile is seen empty. IllegalTurn where ``turns`` is no legal game.
        """
        understood, hypothesis = self._followed(turns)
        if hypothesis is None:
            state = understood[-1].step.state if understood else self._start
            hypothesis = root_at(state)
            self._known.forget(state.board)
        self._settled = understood
        self._given_up = GivenUp()
        if understood:
            step = understood[-1].step
            lingering = frozenset(step.laid)
            hypothesis.lingering = () if lingering == hypothesis.stages.rest else (lingering,)
        self._tree.put_root(hypothesis)
        hypothesis.refuse([replace(turn, draws={}) for turn in not_these])
        self._doubt, self._doubting = None, Doubting()
        self._unclear = None
        return self._understanding(board_seen=True, busy=False)

    def finish(self) -> Understanding:
        """Final understanding, once no more pictures come."""
        self._tree.finished = True
        return self._understanding(board_seen=True, busy=False)

    def _followed(self, turns: Sequence[Turn]) -> tuple[list[UnderstoodTurn], Hypothesis | None]:
        """The turns as understood turns, and the hypothesis that ends with the last of them, if any."""
        known = [*self._settled, *self._told_of(self._tree.leader())]
        understood, same = turns_taken(self._start, turns, known)
        if not same >= len(self._settled) <= len(turns):
            return understood, None
        hypothesis: Hypothesis | None = self._tree.root
        for turn in turns[len(self._settled) :]:
            if hypothesis is not None:
                hypothesis = next((child for child in hypothesis.children if child.turn == turn), None)
        return understood, hypothesis

    def _told_of(self, leader: Hypothesis) -> list[UnderstoodTurn]:
        return self._understood(leader.path(), self._tree.frames(leader), Posterior(self._tree))

    def _settle(self) -> None:
        """Move the root forward: a turn that others have followed for a while stays as it is."""
        tree = self._tree
        while True:
            leader = tree.leader()
            path = leader.path()
            posterior = Posterior(tree) if len(path) > PARAMS.open_turns else None
            if posterior is None or not self._may_settle(path, posterior):
                return
            lost = 1.0 - posterior.passing(path[0])
            self._settled += self._understood(path[:1], tree.frames(leader), posterior)
            tree.put_root(path[0])
            self._given_up.settle(len(self._settled) - 1, posterior, Posterior(tree), lost)

    def _may_settle(self, path: Sequence[Hypothesis], posterior: Posterior) -> bool:
        """Whether it is sure where the first turn of ``path`` laid its tile, or turns have been played since
        that follow whatever the order was, or that has been open for long."""
        first = path[0].turn
        assert first is not None
        sure = math.fsum(share for turn, share in posterior.turns(1) if turn.cell == first.cell)
        if sure >= PARAMS.ask_below or len(path) > PARAMS.doubtful_turns:
            return True
        return any(
            posterior.same_position(number, path[number - 1]) >= PARAMS.ask_below
            for number in range(2, len(path) - PARAMS.open_turns + 1)
        )

    def _see_at_last(self, view: View) -> None:
        """Settled turns may have to be told otherwise after all."""
        otherwise = animals_seen_at_last(self._start, self._settled, view) or tile_seen_at_last(
            self._start, self._settled, view, self._tree.leader()
        )
        if otherwise is not None:
            self._settled = otherwise
            self._tree.root = transplanted(self._tree.root, root_at(otherwise[-1].step.state))

    def _shown(self, leader: Hypothesis, posterior: Posterior) -> list[Hypothesis]:
        """The turns of the best hypothesis that are sure enough to be told, or that led to a position that
        is, or that others have followed for a while: at the end all of them."""
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
        # What is asked about follows what is told: people choose among the turns after that.
        before = self._doubt.number - 1 - len(self._settled) if self._doubt is not None else 0
        return path[: max(sure, len(path) - PARAMS.open_turns, before, 0)]

    def _understood(
        self,
        path: Sequence[Hypothesis],
        frames: Sequence[tuple[int, float] | None],
        posterior: Posterior,
    ) -> list[UnderstoodTurn]:
        """The turns of ``path``, the first after the root."""
        told = []
        for number, (hypothesis, frame) in enumerate(zip(path, frames, strict=False), 1):
            assert hypothesis.turn is not None and hypothesis.step is not None
            frame_index, t_s = frame if frame is not None else (None, None)
            share = posterior.probability(number, hypothesis.turn)
            others = [turn for turn, _ in posterior.turns(number)[:4] if turn != hypothesis.turn]
            told.append(
                UnderstoodTurn(
                    turn=hypothesis.turn,
                    step=hypothesis.step,
                    frame_index=frame_index,
                    t_s=t_s,
                    confidence=self._given_up.told(len(self._settled) + number, hypothesis.turn, share),
                    alternatives=tuple(others[:3]),
                )
            )
        return told

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        leader = self._tree.leader()
        posterior = Posterior(self._tree)
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
    """The spaces beside the tiles on which pieces stand."""
    return frozenset(piece.cell for piece in state.standing if piece.kind in OUTSIDE)
