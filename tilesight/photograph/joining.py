"""Joining of several photographs of one board.

Each photograph is read separately. Tiles that two of them have in common give the rotation and shift between
their frames of reference. The evidence for each cell and piece is then added up in the lattice of the first
photograph, and the board is solved once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from engine.geometry import Cell
from engine.message import Message
from engine.pack import Pack
from engine.tiles.pieces import OTHER
from vision.board import SolvedBoard, see_board
from vision.geometry.homography import apply_homography
from vision.geometry.lattice import cell_quad
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Frame, Observation, PieceReading, size_of
from vision.probability import log_sum_exp, logit, sigmoid

FURTHER = 0.38
"""Weight of a further photograph's evidence for a tile or piece against the one that shows it best.

It is below 1 as the errors of several looks are correlated. Measured on webcam pictures, where three looks
have 1.34 times the information of one."""
ALIKE_AT_LEAST = 3
"""Minimum number of tiles on which two photographs must agree."""
ALIKE_SHARE = 0.5
"""Minimum share of their common tiles on which two photographs must agree."""
SAME_PIECE_SIDES = 0.3
"""Maximum distance, in tile sides, between two readings of the same piece."""
NOT_SEEN = 0.1
"""Probability of a piece by a photograph that shows its cell but not the piece, which may be hidden."""
T = TypeVar("T")


class JoinError(ValueError):
    """Photographs cannot be joined; the message is one line for the user."""


@dataclass(frozen=True, eq=False)
class Look:
    """One photograph: its observation, the game's frame of reference in its lattice, its size in pixels."""

    observation: Observation
    frame: LatticeFrame
    size_wh: tuple[int, int]

    @classmethod
    def alone(cls, observation: Observation, frame: LatticeFrame, picture: Frame) -> Look:
        """Return the look of one photograph that was read alone; ``picture`` gives its size."""
        return cls(observation, frame, size_of(picture.image))


def joined(looks: Sequence[Look], pack: Pack | None) -> tuple[tuple[Look, ...], SolvedBoard]:
    """Join looks of one board; return them with their frames in the joint board, and that board solved.

    The first look's lattice is kept. Raises JoinError if a look does not show the same board, or without a
    pack.
    """
    if pack is None:
        raise JoinError("photographs are only joined where their tiles are known: name the pack")
    first, *others = looks
    board = see_board(first.observation, pack)
    together, placed = first.observation, [first]
    for number, look in enumerate(others, 2):
        frame = _frame_of(board, see_board(look.observation, pack), look.frame)
        if frame is None:
            raise JoinError(
                Message("photograph {number} does not show the same board as the first", number=number)
            )
        moved = _moved(look.observation, frame, first)
        together = _together(together, moved)
        placed.append(replace(look, frame=frame))
        board = see_board(together, pack)
    # If only a later photograph shows the start tile, the board's frame of reference has changed.
    return tuple(replace(look, frame=_under(look.frame, first.frame, board.frame)) for look in placed), board


def _frame_of(board: SolvedBoard, other: SolvedBoard, frame: LatticeFrame) -> LatticeFrame | None:
    """Return the frame of ``board`` in the lattice of ``other``; None if the boards do not match.

    ``frame`` is the frame of ``other`` in its own lattice. At least `ALIKE_AT_LEAST` common tiles must agree.
    """
    votes: Counter[tuple[int, Cell]] = Counter()
    for tile in board.tiles:
        for twin in other.tiles:
            if tile.face is None or twin.face is None or tile.face.design != twin.face.design:
                continue
            turns = (twin.face.rot - tile.face.rot) // 90 % 4
            x, y = LatticeFrame((0, 0), turns).cell(twin.cell)
            votes[turns, (tile.cell[0] - x, tile.cell[1] - y)] += 1
    mine = {tile.cell: tile.face for tile in board.tiles if tile.face is not None}
    for (turns, shift), _ in votes.most_common(4):
        turned = LatticeFrame((0, 0), turns)
        shared = alike = 0
        for tile in other.tiles:
            x, y = turned.cell(tile.cell)
            face = mine.get((x + shift[0], y + shift[1]))
            if face is not None and tile.face is not None:
                shared += 1
                alike += face.design == tile.face.design and face.rot == turned.rot(tile.face.rot)
        if alike >= ALIKE_AT_LEAST and alike >= ALIKE_SHARE * shared:
            # The cell of the other frame that is (0, 0) of the first's.
            back = LatticeFrame((0, 0), -turns % 4).cell((-shift[0], -shift[1]))
            return LatticeFrame(frame.lattice_cell(back), (frame.quarter_turns + turns) % 4)
    return None


def _under(frame: LatticeFrame, before: LatticeFrame, after: LatticeFrame) -> LatticeFrame:
    """Return a look's frame of reference, adapted to the change of the first look's.

    That changed from ``before`` to ``after``.
    """
    if before == after:
        return frame
    origin = frame.lattice_cell(before.cell(after.origin))
    return LatticeFrame(origin, (frame.quarter_turns + after.quarter_turns - before.quarter_turns) % 4)


def _moved(observation: Observation, frame: LatticeFrame, first: Look) -> Observation:
    """Return an observation in the lattice and pixels of the first photograph.

    ``frame`` is the first board's frame of reference in the observation's own lattice.
    """
    pose = first.observation.pose
    assert pose is not None and observation.pose is not None  # both have tiles
    turns = (first.frame.quarter_turns - frame.quarter_turns) % 4

    def to(cell: Cell) -> Cell:
        return first.frame.lattice_cell(frame.cell(cell))

    cells = {}
    for cell, reading in observation.cells.items():
        here = to(cell)
        cells[here] = replace(reading.turned(turns), cell=here, corners_px=cell_quad(pose, here))

    def piece(one: PieceReading) -> PieceReading:
        at = first.frame.lattice_point(frame.point(one.lattice_xy))
        x, y = apply_homography(pose.H_px_from_lattice, np.array([at]))[0]
        return replace(one, lattice_xy=at, point_px=(float(x), float(y)))

    return replace(
        observation,
        pose=replace(
            pose,
            quads={to(cell): cell_quad(pose, to(cell)) for cell in observation.pose.quads},
            occupied={to(cell): p for cell, p in observation.pose.occupied.items()},
        ),
        cells=cells,
        pieces=tuple(piece(one) for one in observation.pieces),
        hints=tuple(piece(one) for one in observation.hints),
        unknown={to(cell): p for cell, p in observation.unknown.items()},
    )


def _together(one: Observation, other: Observation) -> Observation:
    """Merge two observations with the same lattice into one; what only one of them shows is kept."""
    assert one.pose is not None and other.pose is not None
    cells = dict(other.cells)
    for cell, reading in one.cells.items():
        cells[cell] = _both(reading, cells[cell]) if cell in cells else reading
    unknown = {**other.unknown, **one.unknown}
    for cell in one.unknown.keys() & other.unknown.keys():
        unknown[cell] = min(one.unknown[cell], other.unknown[cell])
    pieces = _pieces(one, other)
    return replace(
        one,
        pose=replace(
            one.pose,
            quads={**other.pose.quads, **one.pose.quads},
            occupied={**other.pose.occupied, **one.pose.occupied},
        ),
        cells=cells,
        unknown={cell: p for cell, p in unknown.items() if cell not in cells or cells[cell].log_tile <= 0},
        pieces=tuple(piece for piece in pieces if piece.confidence >= 0.5),
        hints=tuple(piece for piece in pieces if piece.confidence < 0.5),
    )


def _both(one: CellReading, other: CellReading) -> CellReading:
    """Merge two readings of a cell; the less hidden one has full weight, the other `FURTHER`."""
    best, further = sorted((one, other), key=lambda reading: (reading.covered, -reading.print_known))
    logs = np.asarray(best.log_probs, np.float64) + FURTHER * np.asarray(further.log_probs, np.float64)
    logs -= log_sum_exp(logs)
    return replace(
        best,
        corners_px=one.corners_px,
        log_probs=logs.astype(np.float32),
        log_tile=best.log_tile + FURTHER * further.log_tile,
        print_known=max(one.print_known, other.print_known),
    )


def _pieces(one: Observation, other: Observation) -> list[PieceReading]:
    """Merge the pieces and hints (pieces below one half) of two observations.

    Readings of one piece are combined; a piece that only one has loses confidence if the other shows its
    cell.
    """
    left = [*other.pieces, *other.hints]
    found = []
    for piece in (*one.pieces, *one.hints):
        same = min(
            (twin for twin in left if _may_be_one(piece, twin)),
            key=lambda twin: math.dist(piece.lattice_xy, twin.lattice_xy),
            default=None,
        )
        if same is not None:
            left.remove(same)
            found.append(_both_pieces(piece, same))
        else:
            found.append(_alone(piece, other))
    return [*found, *(_alone(piece, one) for piece in left)]


def _may_be_one(piece: PieceReading, twin: PieceReading) -> bool:
    near = math.dist(piece.lattice_xy, twin.lattice_xy) <= SAME_PIECE_SIDES
    return near and (piece.kind == "token") == (twin.kind == "token")


def _both_pieces(piece: PieceReading, twin: PieceReading) -> PieceReading:
    """Merge two readings of one piece; the more confident has full weight, the other `FURTHER`."""
    best, further = sorted((piece, twin), key=lambda one: -one.confidence)
    colors = _added(best.color_probs, further.color_probs)
    alike = (best.kind == OTHER) == (further.kind == OTHER)
    sorts = _added(best.sort_probs, further.sort_probs) if alike else best.sort_probs
    kind, pose = max(sorts, key=lambda sort: sorts[sort]) if sorts else (best.kind, best.pose)
    return replace(
        best,
        kind=kind,
        pose=pose,
        point_px=piece.point_px,
        color=max(colors, key=lambda color: colors[color]) if colors else best.color,
        color_probs=colors,
        sort_probs=sorts,
        confidence=_weighed(best.confidence, further.confidence),
    )


def _alone(piece: PieceReading, other: Observation) -> PieceReading:
    """Return a piece that ``other`` lacks, with lower confidence if ``other`` shows the piece's cell."""
    if other.pose is None or piece.cell not in other.pose.quads:
        return piece
    return replace(piece, confidence=_weighed(piece.confidence, NOT_SEEN))


def _weighed(best: float, further: float) -> float:
    """Combine two probabilities by their log-odds; the second has the weight `FURTHER`."""
    first, second = (logit(min(max(p, 1e-6), 1.0 - 1e-6)) for p in (best, further))
    return sigmoid(first + FURTHER * second)


def _added(best: Mapping[T, float], further: Mapping[T, float]) -> dict[T, float]:
    """Combine two distributions over the keys of the first; the second has the weight `FURTHER`.

    If one is empty, the other is returned.
    """
    if not best or not further:
        return dict(best or further)
    shares = {key: p * max(further.get(key, 0.0), 1e-6) ** FURTHER for key, p in best.items()}
    total = sum(shares.values())
    return {key: share / total for key, share in shares.items()} if total > 0 else dict(best)
