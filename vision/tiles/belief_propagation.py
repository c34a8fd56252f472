"""Belief propagation over the whole board: joint posterior of the faces of all cells.

The readings of single tiles are combined with constraints: adjacent edges show the same kind of land, each
design has a limited number of copies, and a start tile of several cells is one piece (its inner edges match
nothing else). The constraints are soft, because a real table may hold an illegal board or tiles of two sets:
a mismatched edge costs ``mismatch_nats`` and a surplus copy ``surplus_nats``; sure readings prevail and are
reported as faults.

Each cell has one more state for a tile that no face explains (of another set). Its likelihood was measured,
its prior is estimated from the board itself, and its edges may show any land, with the pack's frequencies. So
a face that fits all its neighbours is accepted on a weaker reading than one that fits none.

Sum-product belief propagation runs on the graph of cells (Pearl 1988; Yedidia, Freeman and Weiss 2003 for
graphs with loops). The compatibility of neighbours only depends on the two land kinds that meet, so a message
has one number per *kind*, not per design and rotation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell, neighbour
from engine.pack import Pack
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading
from vision.probability import log_sum_exp, sigmoid
from vision.tiles.params import PARAMS

BROKEN_SEAM_NATS = 30.0
"""Cost, in nats, of a split start tile; more than any reading."""
MOST_ROUNDS = 12
"""Maximum number of message rounds; boards without long loops converge in fewer."""
SHARE_ROUNDS = 4
"""Number of rounds in the estimate of the share of unexplained tiles."""
LEAST_DOUBT = 1e-5
"""Minimum of 1 - ``print_known``; the likelihood was fitted with it."""
ALTERNATIVES = 5
"""Number of alternative faces that are reported."""
SURELY = 0.999
"""Minimum probability of a face that is not drawn."""
LEAST_CHANCE = 1e-4
"""Minimum probability of a face that is drawn."""
SWEEPS = 20
"""Number of times that each doubtful cell is drawn."""
EXCLUDED_NATS = 1000.0
"""Cost, in nats, of the other states of a cell whose state is given."""

Logs = NDArray[np.float64]
Lands = tuple[NDArray[np.int64], NDArray[np.bool_], Logs]
"""Arguments ``kinds``, ``seams`` and ``lands`` of `_propagate`."""


@dataclass(frozen=True, slots=True)
class Face:
    """A design and its clockwise rotation in degrees."""

    design: str
    rot: int


@dataclass(frozen=True, slots=True)
class SolvedCell:
    """The likeliest face of one cell with its probability, and alternatives, likeliest first.
    ``unexplained`` is the probability that no face explains the tile."""

    face: Face
    confidence: float
    alternatives: tuple[tuple[Face, float], ...]
    unexplained: float = 0.0


def solve_board(
    readings: Mapping[Cell, CellReading], designs: tuple[str, ...], pack: Pack
) -> dict[Cell, SolvedCell]:
    """Solve the faces of all cells jointly, in the lattice's frame; {} without readings.

    Each reading's ``log_probs`` has a row per name in ``designs``; all must be in ``pack``.
    """
    if not readings:
        return {}
    _, beliefs, _, _ = _settled(readings, designs, pack, {})
    return {cell: _solved(belief, designs) for cell, belief in beliefs.items()}


def sample_board(
    readings: Mapping[Cell, CellReading],
    designs: tuple[str, ...],
    pack: Pack,
    known: Mapping[Cell, Face],
    number: int,
    rng: np.random.Generator,
) -> list[dict[Cell, Face | None]]:
    """Draw ``number`` boards from the joint posterior of all faces, in the lattice's frame.

    A cell's face is None if the draw leaves it unexplained. ``known`` are the faces of ``readings`` that are
    certain; for the other arguments see `solve_board`. The doubtful cells of a draw are drawn one after the
    other, each next to those before: given the faces of these, and by the messages of cells not drawn yet.
    That is exact on graphs without loops; for the others a few sweeps of Gibbs sampling follow.
    """
    if not readings:
        return [{} for _ in range(number)]
    evidence, beliefs, messages, lands = _settled(readings, designs, pack, known)
    heard = _heard_states(lands)
    ways = np.vstack([lands[0], np.full(4, len(lands[1]))])  # kinds by edge; last the unexplained state
    drawn = {cell: np.full(number, int(belief.argmax())) for cell, belief in beliefs.items()}
    order = _drawing_order({c: float(b.max()) for c, b in beliefs.items() if b.max() < np.log(SURELY)})
    given = set(drawn) - set(order)
    for _ in range(SWEEPS if order else 0):
        for cell in order:
            states = np.flatnonzero(beliefs[cell] > np.log(LEAST_CHANCE))
            logs = evidence[cell][states] + rng.gumbel(size=(number, len(states)))
            for k, edge in enumerate(EDGES):
                other = neighbour(cell, edge)
                if other in given:
                    logs += heard[k][drawn[other]][:, ways[states, k]]
                elif other in drawn:
                    logs += _with_any(messages[cell][None, k], lands)[:, ways[states, k]]
            drawn[cell] = states[logs.argmax(axis=1)]
            given.add(cell)
    faces = [*(Face(name, 90 * turn) for name in designs for turn in range(4)), None]
    return [{cell: faces[int(each[row])] for cell, each in drawn.items()} for row in range(number)]


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
    """Return, for each edge of a cell, the messages (faces + 1, kinds + 1) of a neighbour in each state.
    The last column is the unexplained state's."""
    kinds, seams, shares = lands
    agree = _agreement(seams)
    anything = log_sum_exp(agree + shares[:, None], axis=0)
    return [_with_any(np.vstack([agree[kinds[:, (k + 2) % 4]], anything]), lands) for k in range(4)]


def _with_any(said: Logs, lands: Lands) -> Logs:
    """Return messages (n, kinds) with one more column, for a cell that may show any land."""
    return np.column_stack([said, log_sum_exp(said + lands[2], axis=1)])


def _only(own: Logs, state: int) -> Logs:
    """Return a cell's evidence (faces + 1,), given that it is in one state."""
    only = own - EXCLUDED_NATS
    only[state] = own[state]
    return only


def _settled(
    readings: Mapping[Cell, CellReading], designs: tuple[str, ...], pack: Pack, known: Mapping[Cell, Face]
) -> tuple[dict[Cell, Logs], dict[Cell, Logs], dict[Cell, Logs], Lands]:
    """Return the evidence by cell after the penalties of surplus copies, beliefs and messages, and the lands.
    ``known`` are faces that are certain; for the other arguments see `solve_board`."""
    kinds, seams = _edge_kinds(designs, pack)
    counts = np.array([max(pack.designs[name].count, 1) for name in designs])
    lands = kinds, seams, _land_shares(kinds, seams, counts)
    evidence = _evidence(readings, counts)
    for cell, face in known.items():
        evidence[cell] = _only(evidence[cell], 4 * designs.index(face.design) + face.rot // 90)
    surplus: set[tuple[Cell, int]] = set()
    for _ in range(len(readings)):
        beliefs, messages = _propagate(evidence, *lands)
        overfull = set(_cells_over_count(beliefs, counts)) - surplus
        if not overfull:
            break
        surplus |= overfull
        for cell, design in overfull:
            evidence[cell][:-1].reshape(-1, 4)[design] -= PARAMS.surplus_nats
    return evidence, beliefs, messages, lands


def _evidence(readings: Mapping[Cell, CellReading], counts: NDArray[np.int64]) -> dict[Cell, Logs]:
    """Return unnormalised log-probabilities (designs · 4 + 1,) of each cell by itself.
    They are over design × rotation, and last the unexplained state. ``counts`` are the copies of each
    design."""
    explained = {cell: _explained_nats(reading) for cell, reading in readings.items()}
    odds = np.array(list(explained.values()))
    share = PARAMS.unexplained_share
    for _ in range(SHARE_ROUNDS):
        unexplained = float(sigmoid(np.log(share / (1.0 - share)) - odds).sum())
        told = PARAMS.unexplained_tiles
        share = (PARAMS.unexplained_share * told + unexplained) / (told + len(odds))
    prior = float(np.log((1.0 - share) / share))
    evidence = {}
    for cell, reading in readings.items():
        faces = (np.asarray(reading.log_probs, np.float64) + np.log(counts)[:, None]).reshape(-1)
        faces -= log_sum_exp(faces, axis=0)
        evidence[cell] = np.append(faces + explained[cell] + prior, 0.0)
    return evidence


def _explained_nats(reading: CellReading) -> float:
    """Log-likelihood ratio of a reading: tile with a known face against unexplained tile."""
    alone = -np.log(max(1.0 - reading.print_known, LEAST_DOUBT))
    nats = PARAMS.explained_nats + PARAMS.explained_print * alone + PARAMS.explained_tile * reading.log_tile
    return float(nats)


def frame_of_board(
    pose: BoardPose,
    cells: Iterable[Cell],
    solved: Mapping[Cell, SolvedCell] | None = None,
    pack: Pack | None = None,
    start: Mapping[str, Cell] | None = None,
) -> LatticeFrame:
    """Return the game's frame: the cell ``[0, 0]``, and north (docs/formats.md, 'Frame of reference').

    It follows from the start tile if ``solved`` has one; else north is the lattice direction nearest the
    image's up, and ``[0, 0]`` is the one of ``cells`` of least y, then least x. ``start`` maps faces that
    count as start tiles to their cells; if several tiles have such a face, one is chosen consistently.
    """
    votes: dict[LatticeFrame, float] = {}
    for cell, one in (solved or {}).items():
        start_cell = pack.designs[one.face.design].tile.start_cell if pack is not None else None
        if start is not None:
            start_cell = start.get(one.face.design, start_cell)
        if start_cell is None:
            continue
        turns = one.face.rot // 90
        shift = LatticeFrame((0, 0), turns).lattice_cell(start_cell)
        frame = LatticeFrame((cell[0] - shift[0], cell[1] - shift[1]), turns)
        votes[frame] = votes.get(frame, 0.0) + one.confidence
    upright = LatticeFrame((0, 0), _turns_to_image_up(pose))
    if votes:
        sure = [frame for frame in votes if votes[frame] >= PARAMS.believed_face]
        if start is not None and sure:  # the same choice in every picture
            return min(sure, key=lambda frame: upright.cell(frame.origin)[::-1])
        return max(votes, key=lambda frame: votes[frame])
    first = min((upright.cell(cell) for cell in cells), key=lambda c: (c[1], c[0]), default=(0, 0))
    return LatticeFrame(upright.lattice_cell(first), upright.quarter_turns)


def _turns_to_image_up(pose: BoardPose) -> int:
    """Clockwise quarter turns from lattice north to the lattice direction nearest the image's up."""
    cells = list(pose.quads) or [(0, 0)]
    middle = np.mean([(x + 0.5, y + 0.5) for x, y in cells], axis=0)
    steps = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], dtype=np.float64) * 0.5
    points = np.vstack([middle[None], middle + steps])
    homogeneous = np.column_stack([points, np.ones(5)]) @ pose.H_px_from_lattice.T
    px = homogeneous[:, :2] / homogeneous[:, 2:]
    toward = px[1:] - px[0]
    upness = -toward[:, 1] / np.linalg.norm(toward, axis=1)
    return int(np.argmax(upness))


def _edge_kinds(designs: tuple[str, ...], pack: Pack) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the land kind, as an index, on each board edge (n e s w) of each face, (designs · 4, 4).
    A face is a design × rotation. The second value is a mask (kinds,) of the seams inside a start tile."""
    names: dict[str, int] = {}
    inner = _inner_start_edges(pack)
    table = np.zeros((len(designs), 4, 4), dtype=np.int64)
    for row, name in enumerate(designs):
        tile = pack.designs[name].tile
        own = [names.setdefault(inner.get((tile.id, edge), tile.edges[edge]), len(names)) for edge in EDGES]
        for turn in range(4):
            for k in range(4):
                table[row, turn, (k + turn) % 4] = own[k]
    is_seam = np.array([name.startswith(_SEAM) for name in names], dtype=np.bool_)
    return table.reshape(-1, 4), is_seam


_SEAM = "seam "


def _inner_start_edges(pack: Pack) -> dict[tuple[str, str], str]:
    """The inner edges of a start tile of several cells, by (tile id, edge), each with a unique land kind."""
    at = {tile.start_cell: tile for tile in pack.start if tile.start_cell is not None}
    seams: dict[tuple[str, str], str] = {}
    for cell, tile in at.items():
        for edge in EDGES:
            other = at.get(neighbour(cell, edge))
            if other is not None:
                seams[(tile.id, edge)] = _SEAM + " ".join(sorted((tile.id, other.id)))
    return seams


def _propagate(
    evidence: Mapping[Cell, Logs], kinds: NDArray[np.int64], seams: NDArray[np.bool_], lands: Logs
) -> tuple[dict[Cell, Logs], dict[Cell, Logs]]:
    """Run belief propagation; return by cell the normalised log-beliefs (faces + 1,), and the incoming
    messages (4, kinds).

    Beliefs are over design × rotation and the unexplained state, as ``evidence`` is (`_evidence`). ``kinds``
    and ``seams`` are those of `_edge_kinds`, ``lands`` is the log-probability of each kind on an unexplained
    tile's edge."""
    n_kinds, agree = len(seams), _agreement(seams)
    cells = list(evidence)
    row = {cell: index for index, cell in enumerate(cells)}
    near = np.array([[row.get(neighbour(cell, edge), -1) for edge in EDGES] for cell in cells])
    own = np.stack([evidence[cell] for cell in cells])
    of_kind = np.stack([np.eye(n_kinds)[kinds[:, k]] for k in range(4)])  # (4, faces, kinds)
    damping = PARAMS.message_damping
    arrived = np.zeros((len(cells), 4, n_kinds))  # messages to a cell's four edges

    def heard_at(k: int) -> Logs:
        """Incoming messages at edge ``k`` for each state (cells, faces + 1)."""
        said = arrived[:, k]
        return np.column_stack([said[:, kinds[:, k]], log_sum_exp(said + lands, axis=1)])

    for _ in range(MOST_ROUNDS):
        heard = [heard_at(k) for k in range(4)]
        beliefs = own + np.sum(heard, axis=0)
        fresh = arrived.copy()
        for k in range(4):
            senders = np.flatnonzero(near[:, k] >= 0)
            sent = beliefs[senders] - heard[k][senders]
            by_kind = np.logaddexp(_log_sum_exp_by(sent[:, :-1], of_kind[k]), sent[:, -1:] + lands)
            said = log_sum_exp(by_kind[:, :, None] + agree, axis=1)
            said -= said.max(axis=1, keepdims=True)
            there = near[senders, k], (k + 2) % 4
            fresh[there] = damping * arrived[there] + (1 - damping) * said
        change = float(np.abs(fresh - arrived).max())
        arrived = fresh
        if change < 1e-3:
            break
    total = own + np.sum([heard_at(k) for k in range(4)], axis=0)
    beliefs = total - log_sum_exp(total, axis=1)[:, None]
    return dict(zip(cells, beliefs, strict=True)), dict(zip(cells, arrived, strict=True))


def _agreement(seams: NDArray[np.bool_]) -> Logs:
    """Return the log-compatibility (kinds, kinds) of lands that meet; ``seams`` is that of `_edge_kinds`."""
    agree = np.full((len(seams), len(seams)), -PARAMS.mismatch_nats)
    agree[seams, :] = agree[:, seams] = -BROKEN_SEAM_NATS
    np.fill_diagonal(agree, 0.0)
    return agree


def _cells_over_count(beliefs: Mapping[Cell, Logs], counts: NDArray[np.int64]) -> list[tuple[Cell, int]]:
    """Return the surplus (cell, design) of designs that are the best of more cells than there are copies.
    Of such a design's cells they are those with the smallest margin in ``beliefs`` (`_propagate`). ``counts``
    are the copies of each design."""
    claims: dict[int, list[tuple[float, Cell]]] = {}
    for cell, belief in beliefs.items():
        by_design = belief[:-1].reshape(-1, 4).max(axis=1)
        best = int(by_design.argmax())
        rest = np.delete(by_design, best)
        margin = float(by_design[best] - rest.max()) if rest.size else float("inf")
        if by_design[best] > belief[-1]:
            claims.setdefault(best, []).append((margin, cell))
    over = []
    for design, held in claims.items():
        surplus = len(held) - int(counts[design])
        over += [(cell, design) for margin, cell in sorted(held)[: max(surplus, 0)] if np.isfinite(margin)]
    return over


def _land_shares(kinds: NDArray[np.int64], seams: NDArray[np.bool_], counts: NDArray[np.int64]) -> Logs:
    """Return the log frequency of each land kind on the edges of the pack's tiles.
    Seams inside a start tile are left out. ``kinds`` and ``seams`` are those of `_edge_kinds`, ``counts`` are
    the copies of each design."""
    weight = np.repeat(counts, 16).astype(np.float64)
    share = np.bincount(kinds.reshape(-1), weight, minlength=len(seams)) * ~seams
    return np.asarray(np.log(np.maximum(share / share.sum(), 1e-9)))


def _solved(belief: Logs, designs: tuple[str, ...]) -> SolvedCell:
    """Convert a cell's log-beliefs (faces + 1,) to a `SolvedCell`."""
    order = np.argsort(belief[:-1])[::-1][: ALTERNATIVES + 1]
    ranked = [(Face(designs[int(i) // 4], 90 * (int(i) % 4)), float(np.exp(belief[i]))) for i in order]
    (face, confidence), *others = ranked
    return SolvedCell(face, min(confidence, 1.0), tuple(others), min(float(np.exp(belief[-1])), 1.0))


def _log_sum_exp_by(values: Logs, of_group: Logs) -> Logs:
    """Return the log-sum-exp (n, g) of each row's values (n, v) by group; very low for empty groups.
    ``of_group`` (v, g) is 1 if a value belongs to a group, else 0."""
    top = values.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.maximum(np.exp(values - top) @ of_group, 1e-30)) + top)
