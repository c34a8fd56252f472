"""Samples of a board: draws of all faces from their joint posterior."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.geometry import EDGES, Cell, neighbour
from vision.joint.belief_propagation import Face, JointPosterior, Lands, Logs
from vision.probability import log_sum_exp

SURELY = 0.999
"""Minimum probability of a face that is not drawn."""
LEAST_CHANCE = 1e-4
"""Minimum probability of a state that is drawn."""
SWEEPS = 20
"""Number of times that each doubtful cell is drawn."""


def sample_board(
    joint: JointPosterior, designs: tuple[str, ...], number: int, rng: np.random.Generator
) -> list[dict[Cell, Face | None]]:
    """Draw ``number`` boards from the joint posterior of all faces, in the lattice's frame.

    ``designs`` are those of the readings. A cell's face is None if the draw leaves it unexplained. The
    doubtful cells of a draw are drawn one after the other, each next to those before: given the states of
    these, and by the messages of cells not drawn yet. That is exact on graphs without loops; for the others
    a few sweeps of Gibbs sampling follow.
    """
    lands, beliefs = joint.lands, joint.states
    heard = _heard_states(lands)
    ways = np.vstack([lands.kinds, np.full(4, len(lands.seams))])  # kinds by edge; last the other tiles
    drawn = {cell: np.full(number, int(belief.argmax())) for cell, belief in beliefs.items()}
    order = _drawing_order({c: float(b.max()) for c, b in beliefs.items() if b.max() < np.log(SURELY)})
    given = set(drawn) - set(order)
    for _ in range(SWEEPS if order else 0):
        for cell in order:
            states = np.flatnonzero(beliefs[cell] > np.log(LEAST_CHANCE))
            logs = joint.evidence[cell].states[states] + rng.gumbel(size=(number, len(states)))
            for k, edge in enumerate(EDGES):
                other = neighbour(cell, edge)
                if other in given:
                    logs += heard[k][drawn[other]][:, ways[states, k]]
                elif other in drawn:
                    logs += _with_any(joint.messages[cell][None, k], lands)[:, ways[states, k]]
            drawn[cell] = states[logs.argmax(axis=1)]
            given.add(cell)
    faces = [*(Face(name, 90 * turn) for name in designs for turn in range(4)), None]
    boards: list[dict[Cell, Face | None]] = [{} for _ in range(number)]
    for cell, states in drawn.items():
        evidence = joint.evidence[cell]
        alike = np.append(np.exp(evidence.alike - evidence.states[:-1]), 0.0)
        foreign = rng.random(number) < alike[states]
        for board, state, of_other_set in zip(boards, states, foreign, strict=True):
            board[cell] = None if of_other_set else faces[int(state)]
    return boards


def _drawing_order(sure: Mapping[Cell, float]) -> list[Cell]:
    """Return the cells with the most doubtful first, and each next to those before where it can be.
    ``sure`` are the cells' log-probabilities."""
    order: list[Cell] = []
    beside: set[Cell] = set()
    while len(order) < len(sure):
        cell = min(sure.keys() - set(order), key=lambda c: (c not in beside, sure[c], c))
        order.append(cell)
        beside |= {neighbour(cell, edge) for edge in EDGES}
    return order


def _heard_states(lands: Lands) -> list[Logs]:
    """Return, for each edge of a cell, the messages (states, kinds + 1) of a neighbour in each state.
    The last column is for a cell that may show any land."""
    agree = lands.agreement()
    anything = log_sum_exp(agree + lands.shares[:, None], axis=0)
    return [_with_any(np.vstack([agree[lands.kinds[:, (k + 2) % 4]], anything]), lands) for k in range(4)]


def _with_any(said: Logs, lands: Lands) -> Logs:
    """Return messages (n, kinds) with one more column, for a cell that may show any land."""
    return np.column_stack([said, log_sum_exp(said + lands.shares, axis=1)])
