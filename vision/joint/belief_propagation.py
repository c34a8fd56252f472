"""Belief propagation over the whole board: joint posterior of the faces of all cells.

The readings of single tiles are combined with constraints: adjacent edges show the same kind of land, each
design has a limited number of copies, and a start tile of several cells is one piece (its inner edges match
nothing else). The constraints are soft, because a real table may hold an illegal board or tiles of two sets:
a mismatched edge costs ``mismatch_nats`` and a surplus copy ``surplus_nats``; sure readings prevail and are
reported as faults.

Each cell has one more state for a tile that no face explains. Its likelihood was measured, its prior is
estimated from the board itself, and its edges may show any land, with the pack's frequencies. So a face that
fits all its neighbours is accepted on a weaker reading than one that fits none.

If the sides of such a tile were read (`vision.joint.sides`), that state is divided: the tile is another
drawing of one of the pack's designs, or it is of another set. Other sets have similar tiles, so sides only
tell the two apart if no design has them; the number of unexplained tiles on the board tells more.

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
from vision.joint.edge_kinds import edge_kinds, nats_of_faces
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
OTHER_SETS = np.linspace(0.01, 0.5, 50)
"""Shares of other sets' tiles on a board that has any, equally probable."""
EXCLUDED_NATS = 1000.0
"""Cost, in nats, of the other faces of a cell whose face is given."""

Logs = NDArray[np.float64]


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
    return joint_posterior(readings, designs, pack, {}).solved(designs)


@dataclass(frozen=True, slots=True, eq=False)
class Lands:
    """Land on the edges of faces.
    ``kinds`` (designs · 4, 4) and ``seams`` (kinds,) are those of `edge_kinds`, ``shares`` (kinds,) are
    log-probabilities of each kind on the edge of any other tile."""

    kinds: NDArray[np.int64]
    seams: NDArray[np.bool_]
    shares: Logs

    def agreement(self) -> Logs:
        """Return the log-compatibility (kinds, kinds) of lands that meet."""
        agree = np.full((len(self.seams), len(self.seams)), -PARAMS.mismatch_nats)
        agree[self.seams, :] = agree[:, self.seams] = -BROKEN_SEAM_NATS
        np.fill_diagonal(agree, 0.0)
        return agree


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior:
    """Joint posterior of the faces of a board, by cell.

    ``states`` (faces + 1,) are log-probabilities of a cell's states: tiles with the edges of a face, of the
    pack or of another set, and last any other tile. ``messages`` (4, kinds) are those that have come to its
    edges, ``evidence`` is its own.
    """

    evidence: Mapping[Cell, Evidence]
    states: Mapping[Cell, Logs]
    messages: Mapping[Cell, Logs]
    lands: Lands

    def faces_of(self, cell: Cell) -> Logs:
        """Return a cell's log-probabilities (faces + 1,): of each face, and last that none explains it."""
        states, evidence = self.states[cell], self.evidence[cell]
        per_face = states[:-1] - np.logaddexp(evidence.pack, evidence.alike)
        unexplained = np.logaddexp(states[-1], np.logaddexp.reduce(per_face + evidence.alike))
        return np.append(per_face + evidence.pack, unexplained)

    def solved(self, designs: tuple[str, ...]) -> dict[Cell, SolvedCell]:
        """Return the likeliest faces of all cells; ``designs`` are those of the readings."""
        return {cell: _solved(self.faces_of(cell), designs) for cell in self.states}


def joint_posterior(
    readings: Mapping[Cell, CellReading], designs: tuple[str, ...], pack: Pack, known: Mapping[Cell, Face]
) -> JointPosterior:
    """Return the joint posterior of a board; ``known`` are faces of ``readings`` that are certain.
    The other arguments are those of `solve_board`."""
    kinds, seams = edge_kinds(designs, pack, seams=True)
    counts = np.array([max(pack.designs[name].count, 1) for name in designs])
    lands = Lands(kinds, seams, _land_shares(kinds, seams, counts))
    if not readings:
        return JointPosterior({}, {}, {}, lands)
    evidence = _evidence(readings, counts)
    if any(reading.sides.size for reading in readings.values()):
        first = _propagated(evidence, lands)
        unexplained = float(sum(np.exp(first.faces_of(cell)[-1]) for cell in readings))
        other_set = _other_set(unexplained, len(readings))
        on_sides, _ = edge_kinds(designs, pack, seams=False)
        for cell, reading in readings.items():
            if reading.sides.size:
                evidence[cell] = evidence[cell].with_sides(reading.sides, on_sides, counts, other_set)
    for cell, face in known.items():
        evidence[cell] = evidence[cell].given(4 * designs.index(face.design) + face.rot // 90)
    surplus: set[tuple[Cell, int]] = set()
    joint = _propagated(evidence, lands)
    for _ in range(len(readings)):
        beliefs = {cell: joint.faces_of(cell) for cell in readings}
        overfull = set(_cells_over_count(beliefs, counts)) - surplus
        if not overfull:
            break
        surplus |= overfull
        for cell, design in overfull:
            evidence[cell].pack.reshape(-1, 4)[design] -= PARAMS.surplus_nats
        joint = _propagated(evidence, lands)
    return joint


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence of one cell by itself, as unnormalised log-probabilities.

    ``pack`` (designs · 4,) is over the faces of the pack, each in whatever drawing; ``alike`` (designs · 4,)
    is over tiles of other sets with the same land on their sides as that face; ``other`` is any other tile
    that no face explains.
    """

    pack: Logs
    alike: Logs
    other: float

    @property
    def states(self) -> Logs:
        """The evidence (faces + 1,) of the states of `JointPosterior`."""
        return np.append(np.logaddexp(self.pack, self.alike), self.other)

    def given(self, face: int) -> Evidence:
        """Return the evidence of a cell whose face, an index into ``pack``, is certain."""
        pack = self.pack - EXCLUDED_NATS
        pack[face] = self.pack[face]
        return Evidence(pack, self.alike - EXCLUDED_NATS, self.other - EXCLUDED_NATS)

    def with_sides(
        self,
        sides: NDArray[np.floating],
        kinds: NDArray[np.int64],
        counts: NDArray[np.int64],
        other_set: float,
    ) -> Evidence:
        """Return the evidence with the unexplained state divided by ``sides``, those of a reading.

        ``kinds`` (designs · 4, 4) index their columns for each face, ``counts`` are the copies of each
        design, ``other_set`` is the probability that an unexplained tile is of another set.
        """
        told = nats_of_faces(sides, kinds)
        known = self.pack + PARAMS.face_sides * (told - told.max())
        designs = np.repeat(np.log(counts / counts.sum() / 4), 4) + told
        redrawn = designs + np.log1p(-other_set)
        alike = designs + np.log(other_set * PARAMS.similar_sets)
        other = np.log(other_set * (1.0 - PARAMS.similar_sets))
        # The print that denied all faces has these sides: they divide its probability, they add none.
        shared = self.other - log_sum_exp(np.concatenate([redrawn, alike, [other]]))
        return Evidence(np.logaddexp(known, redrawn + shared), alike + shared, float(other + shared))


def _other_set(unexplained: float, tiles: int) -> float:
    """Return the probability that an unexplained tile is of another set, not another drawing.

    ``unexplained`` of the board's ``tiles`` are: a binomial number if they are other drawings alone, or if
    there are also tiles of other sets, whose share is unknown. Both are equally probable before.
    """
    redrawn = PARAMS.redrawn_share
    share = np.append(0.0, OTHER_SETS)
    lost = share + redrawn * (1.0 - share)
    weight = np.append(1.0, np.full(len(OTHER_SETS), 1.0 / len(OTHER_SETS)))
    nats = unexplained * np.log(lost) + (tiles - unexplained) * np.log1p(-lost) + np.log(weight)
    posterior = np.exp(nats - log_sum_exp(nats, axis=0))
    return float(np.clip((posterior * share / lost).sum(), LEAST_DOUBT, 1.0 - LEAST_DOUBT))


def _evidence(readings: Mapping[Cell, CellReading], counts: NDArray[np.int64]) -> dict[Cell, Evidence]:
    """Return the evidence of each cell's face by itself, without its sides.
    ``counts`` are the copies of each design."""
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
        evidence[cell] = Evidence(faces + explained[cell] + prior, np.full(len(faces), -np.inf), 0.0)
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


def _propagated(evidence: Mapping[Cell, Evidence], lands: Lands) -> JointPosterior:
    """Run belief propagation.

    Messages depend on the kinds of land alone, so a face and other sets' tiles like it are one state.
    """
    kinds, n_kinds, agree = lands.kinds, len(lands.seams), lands.agreement()
    cells = list(evidence)
    row = {cell: index for index, cell in enumerate(cells)}
    near = np.array([[row.get(neighbour(cell, edge), -1) for edge in EDGES] for cell in cells])
    own = np.stack([evidence[cell].states for cell in cells])
    of_kind = np.stack([np.eye(n_kinds)[kinds[:, k]] for k in range(4)])  # (4, faces, kinds)
    damping = PARAMS.message_damping
    arrived = np.zeros((len(cells), 4, n_kinds))  # messages to a cell's four edges

    def heard_at(k: int) -> Logs:
        """Incoming messages at edge ``k`` for each state (cells, faces + 1)."""
        said = arrived[:, k]
        return np.column_stack([said[:, kinds[:, k]], log_sum_exp(said + lands.shares, axis=1)])

    for _ in range(MOST_ROUNDS):
        heard = [heard_at(k) for k in range(4)]
        beliefs = own + np.sum(heard, axis=0)
        fresh = arrived.copy()
        for k in range(4):
            senders = np.flatnonzero(near[:, k] >= 0)
            sent = beliefs[senders] - heard[k][senders]
            by_kind = np.logaddexp(_log_sum_exp_by(sent[:, :-1], of_kind[k]), sent[:, -1:] + lands.shares)
            said = log_sum_exp(by_kind[:, :, None] + agree, axis=1)
            said -= said.max(axis=1, keepdims=True)
            there = near[senders, k], (k + 2) % 4
            fresh[there] = damping * arrived[there] + (1 - damping) * said
        change = float(np.abs(fresh - arrived).max())
        arrived = fresh
        if change < 1e-3:
            break
    total = own + np.sum([heard_at(k) for k in range(4)], axis=0)
    states = total - log_sum_exp(total, axis=1)[:, None]
    told, messages = (dict(zip(cells, rows, strict=True)) for rows in (states, arrived))
    return JointPosterior(evidence, told, messages, lands)


def _cells_over_count(beliefs: Mapping[Cell, Logs], counts: NDArray[np.int64]) -> list[tuple[Cell, int]]:
    """Return the surplus (cell, design) of designs that are the best of more cells than there are copies.
    Of such a design's cells they are those with the smallest margin in ``beliefs``
    (`JointPosterior.faces_of`). ``counts`` are the copies of each design."""
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
    Seams inside a start tile are left out. ``kinds`` and ``seams`` are those of `edge_kinds`, ``counts`` are
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
