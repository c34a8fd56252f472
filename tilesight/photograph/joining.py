"""Joining of several photographs of one board: what one hides the other shows.

Each photograph is read by itself. Tiles that both read give the turn and the shift from one frame of
reference to the other. Then the evidence of every cell and piece is added up in the lattice of the first
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
from engine.pack import Pack
from vision.board import SolvedBoard, see_board
from vision.geometry.homography import apply_homography
from vision.geometry.lattice import cell_quad
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Frame, Observation, PieceReading, size_of
from vision.probability import log_sum_exp, logit, sigmoid

FURTHER = 0.38
"""Weight of what a further photograph says of a tile or piece, against the one that shows it best: looks at
one print or piece err together. Measured on webcam pictures, where three looks tell 1.34 of one look."""
ALIKE_AT_LEAST = 3
"""Tiles on which two photographs must agree, at least."""
ALIKE_SHARE = 0.5
"""Share of the tiles that both show on which they must agree."""
SAME_PIECE_SIDES = 0.3
"""Tile sides within which two readings of pieces may be of the same one."""
NOT_SEEN = 0.1
"""Probability of a piece that a photograph of its cell does not show: others may hide it."""
T = TypeVar("T")


class JoinError(ValueError):
    """Photographs that cannot be joined; one line for the user."""


@dataclass(frozen=True, eq=False)
class Look:
    """One photograph: what it showed, the game's frame of reference in its lattice, its size in pixels."""

    observation: Observation
    frame: LatticeFrame
    size_wh: tuple[int, int]

    @classmethod
    def alone(cls, observation: Observation, frame: LatticeFrame, picture: Frame) -> Look:
        """The look that one photograph gives by itself."""
        return cls(observation, frame, size_of(picture.image))


def joined(looks: Sequence[Look], pack: Pack | None) -> tuple[tuple[Look, ...], SolvedBoard]:
    """The looks in one frame of reference, the first one's, and the board that all of them show.

    JoinError where one of them does not show the same board.
    """
    if pack is None:
        raise JoinError("photographs are only joined where their tiles are known: name the pack")
    first, *others = looks
    board = see_board(first.observation, pack)
    together, placed = first.observation, [first]
    for number, look in enumerate(others, 2):
        frame = _frame_of(board, see_board(look.observation, pack), look.frame)
        if frame is None:
            raise JoinError(f"photograph {number} does not show the same board as the first")
        moved = _moved(look.observation, frame, first)
        together = _together(together, moved)
        placed.append(replace(look, frame=frame))
        board = see_board(together, pack)
    # The start tile may have been read by another photograph alone: the frames follow it.
    return tuple(replace(look, frame=_under(look.frame, first.frame, board.frame)) for look in placed), board


def _frame_of(board: SolvedBoard, other: SolvedBoard, frame: LatticeFrame) -> LatticeFrame | None:
    """The game's frame of ``board`` in the lattice of ``other``, whose own is ``frame``; None where the two
    are not alike."""
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
    """A look's frame after the first look's changed from ``before`` to ``after``."""
    if before == after:
        return frame
    origin = frame.lattice_cell(before.cell(after.origin))
    return LatticeFrame(origin, (frame.quarter_turns + after.quarter_turns - before.quarter_turns) % 4)


def _moved(observation: Observation, frame: LatticeFrame, first: Look) -> Observation:
    """Reading of a photograph in the lattice and the pixels of the first one."""
    pose = first.observation.pose
    assert pose is not None and observation.pose is not None  # both have tiles
    turns = (first.frame.quarter_turns - frame.quarter_turns) % 4

    def to(cell: Cell) -> Cell:
        return first.frame.lattice_cell(frame.cell(cell))

    cells = {}
    for cell, reading in observation.cells.items():
        here = to(cell)
        cells[here] = replace(
            reading,
            cell=here,
            corners_px=cell_quad(pose, here),
            log_probs=np.roll(reading.log_probs, turns, axis=1),
            hidden=np.rot90(reading.hidden, -turns),
        )

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
    """Two observations in one lattice as one."""
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
    """A cell as two looks show it: the one that hides less of it counts as a whole."""
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
    """The pieces of two looks, each once."""
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
    """A piece that two looks show."""
    best, further = sorted((piece, twin), key=lambda one: -one.confidence)
    colors = _added(best.color_probs, further.color_probs)
    sorts = _added(best.sort_probs, further.sort_probs)
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
    """A piece that the other look does not show, though it may show its cell."""
    if other.pose is None or piece.cell not in other.pose.quads:
        return piece
    return replace(piece, confidence=_weighed(piece.confidence, NOT_SEEN))


def _weighed(best: float, further: float) -> float:
    """Probability by two looks."""
    first, second = (logit(min(max(p, 1e-6), 1.0 - 1e-6)) for p in (best, further))
    return sigmoid(first + FURTHER * second)


def _added(best: Mapping[T, float], further: Mapping[T, float]) -> dict[T, float]:
    """Probabilities by two looks; a look without any says nothing."""
    if not best or not further:
        return dict(best or further)
    shares = {key: p * max(further.get(key, 0.0), 1e-6) ** FURTHER for key, p in best.items()}
    total = sum(shares.values())
    return {key: share / total for key, share in shares.items()} if total > 0 else dict(best)
