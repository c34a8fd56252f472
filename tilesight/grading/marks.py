"""Marks of one photograph, its reading held against the truth (docs/formats.md, 'Output of bench')."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.geometry import Cell
from tilesight.grading.truth import PIECE_VISIBLE, TruePhoto, TruePiece, TrueTile, mean_side_px
from vision.board import SeenPiece, SeenTile, SolvedBoard, reported_alternatives
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation

NEAR_SIDES = 1 / 3
"""Maximum distance in tile sides between a tile's centre and the true centre that it matches."""
PIECE_NEAR_SIDES = 0.3
OTHER = "other"
"""Kind of a true piece that the game does not know; it counts neither way."""


@dataclass(slots=True)
class Marks:
    """The marks of one photograph; counts, so that photographs can be summed."""

    tiles: int = 0
    named: int = 0
    """Counted tiles whose design is known; photographs for locating only have none."""
    matched: int = 0
    corner_errors: list[float] = field(default_factory=list)
    """Each counted corner's distance over its tile's mean side; 1.0 for a tile not found."""
    located: bool = False
    single_exact: int = 0
    solved_exact: int = 0
    board_right: bool = False
    pieces: int = 0
    pieces_found: int = 0
    pieces_reported: int = 0
    pieces_false: int = 0
    kind_color_right: int = 0
    features: int = 0
    """Number of found pieces with a reported feature; 0 for a pack without rules."""
    feature_right: int = 0
    told: list[tuple[float, bool]] = field(default_factory=list)
    """For each matched and named tile: confidence, and whether the name is right."""
    told_colors: list[tuple[float, bool]] = field(default_factory=list)
    """For each found piece with an owner: confidence of its colour, and whether it is right."""
    told_poses: list[tuple[float, bool]] = field(default_factory=list)
    """For each found piece of known pose: confidence of its kind and pose, and whether they are right."""
    among_three: int = 0
    """Number of misread tiles whose truth is among the first three alternatives."""
    confused: list[tuple[str, str]] = field(default_factory=list)
    """Confused faces: (true design, read design)."""
    wrong: list[str] = field(default_factory=list)
    """Errors, in words."""


def mark_photo(
    photo: TruePhoto, observation: Observation, board: SolvedBoard, corner_tolerance: float = 0.03
) -> Marks:
    """Return the marks of one photograph: its reading, and the solved ``board``, against its truth.

    ``corner_tolerance`` is the distance of a corner, as a share of the tile's side, up to which a tile counts
    as located.
    """
    marks = Marks()
    counted = [tile for tile in photo.tiles if tile.counted]
    marks.tiles = len(counted)
    marks.named = sum(tile.tile is not None for tile in counted)
    pairs = _matched_tiles(photo.tiles, board.tiles)
    shift = _common_frame(pairs)
    single = _single_readings(observation, board.frame)
    for true in counted:
        seen = pairs.get(true.cell)
        if seen is None:
            marks.corner_errors += [1.0] * 4
            marks.wrong.append(f"{true.tile} at {list(true.cell)} not found")
            continue
        marks.matched += 1
        errors = _corner_errors(true, seen)
        marks.corner_errors += [float(e) for e in errors]
        if true.tile is None:
            continue
        turn_right = _same_way_round(true, seen)
        name = seen.face.design if seen.face else None
        if name in true.alike:
            name, turn_right = true.tile, True  # the turn follows the drawing of the design that was named
        exact = turn_right and name == true.tile and shift.get(true.cell) == seen.cell
        marks.told.append((seen.confidence, exact))
        if exact:
            marks.solved_exact += 1
        else:
            marks.among_three += true.tile in [face.design for face, _ in reported_alternatives(seen)[:3]]
            if name != true.tile:
                marks.confused.append((true.tile, name or "nothing"))
            marks.wrong.append(
                f"{true.tile} at {list(true.cell)} read as {name} (confidence {seen.confidence:.2f})"
            )
        alone = single.get(seen.cell)
        if alone is not None and alone[0] in true.alike:
            marks.single_exact += 1
        elif alone is not None and seen.face is not None and alone[0] == true.tile:
            # The outline's first corner follows the solved turn; the single reading's may differ.
            extra = (alone[1] - seen.face.rot) // 90 % 4
            marks.single_exact += _same_way_round(true, seen, extra)
    phantoms = len(board.tiles) - len({id(seen) for seen in pairs.values()})
    if phantoms:
        marks.wrong.append(f"{phantoms} tiles where there are none")
    marks.located = marks.matched == marks.tiles and all(e <= corner_tolerance for e in marks.corner_errors)
    marks.board_right = marks.matched == marks.tiles and marks.solved_exact == marks.named and not phantoms
    _mark_pieces(photo, board, shift, marks)
    return marks


def _same_place(true: TruePiece, got: SeenPiece) -> bool:
    """Whether a piece was read on its true feature.

    If the truth gives only the feature's kind (``on``), any feature of that kind is right.
    """
    if true.feature is None and true.on is not None:
        return got.feature is not None and got.feature[0] == true.on[0]
    return got.feature == true.feature


def _matched_tiles(true_tiles: Sequence[TrueTile], seen_tiles: Sequence[SeenTile]) -> dict[Cell, SeenTile]:
    """Return, by true cell, the seen tile nearest to the true tile's centre; each is used at most once.

    True tiles without a seen one within `NEAR_SIDES` are left out.
    """
    if not seen_tiles:
        return {}
    seen_centres = np.array([tile.corners_px.mean(axis=0) for tile in seen_tiles])
    pairs: dict[Cell, SeenTile] = {}
    taken: set[int] = set()
    for true in true_tiles:
        distances = np.linalg.norm(seen_centres - true.corners_px.mean(axis=0), axis=1)
        nearest = int(distances.argmin())
        if nearest not in taken and distances[nearest] <= NEAR_SIDES * true.side_px:
            pairs[true.cell] = seen_tiles[nearest]
            taken.add(nearest)
    return pairs


def _corner_errors(true: TrueTile, seen: SeenTile) -> np.ndarray:
    """Return each corner's distance (4,) as a share of the side, under the best of four rotations."""
    options = [np.roll(seen.corners_px, -k, axis=0) - true.corners_px for k in range(4)]
    distances = [np.linalg.norm(option, axis=1) for option in options]
    return np.asarray(min(distances, key=lambda d: float(d.max()))) / mean_side_px(true.corners_px)


def _same_way_round(true: TrueTile, seen: SeenTile, extra_turns: int = 0) -> bool:
    """Whether the tile's own corners are reported in the right order.

    ``extra_turns`` are quarter turns by which the seen corners are rotated first.
    """
    own = np.roll(seen.corners_px, -extra_turns, axis=0)
    distances = np.linalg.norm(own - true.corners_px, axis=1)
    return bool((distances <= NEAR_SIDES * true.side_px).all())


def _common_frame(pairs: Mapping[Cell, SeenTile]) -> dict[Cell, Cell]:
    """Return each true cell's cell in the seen frame, under the shift and rotation that most tiles support.

    ``pairs`` maps true cells to seen tiles. Empty without pairs.
    """
    votes: Counter[LatticeFrame] = Counter()
    for true_cell, seen in pairs.items():
        for turns in range(4):
            x, y = LatticeFrame((0, 0), turns).cell(true_cell)
            votes[LatticeFrame((seen.cell[0] - x, seen.cell[1] - y), turns)] += 1
    if not votes:
        return {}
    best = votes.most_common(1)[0][0]
    turned = LatticeFrame((0, 0), best.quarter_turns)
    shifted = {}
    for true_cell in pairs:
        x, y = turned.cell(true_cell)
        shifted[true_cell] = (x + best.origin[0], y + best.origin[1])
    return shifted


def _single_readings(observation: Observation, frame: LatticeFrame) -> dict[Cell, tuple[str, int]]:
    """Return (design, rot) of each cell's likeliest face by its own reading alone, in the board's frame."""
    alone = {}
    for cell, reading in observation.cells.items():
        best = int(reading.log_probs.argmax())
        alone[frame.cell(cell)] = (observation.designs[best // 4], frame.rot(90 * (best % 4)))
    return alone


def _mark_pieces(photo: TruePhoto, board: SolvedBoard, shift: Mapping[Cell, Cell], marks: Marks) -> None:
    side = float(np.median([tile.side_px for tile in photo.tiles])) if photo.tiles else 0.0
    on_board = [piece for piece in photo.pieces if piece.cell is not None]
    seen = [piece for piece in board.pieces if piece.cell is not None]
    marks.pieces = sum(piece.visible >= PIECE_VISIBLE and piece.kind != OTHER for piece in on_board)
    marks.pieces_reported = len(seen)
    reach = PIECE_NEAR_SIDES * side
    # A meeple and the animal tile under it have the same point: match pieces of the same kind first.
    options = sorted(
        (t.kind != s.reading.kind, distance, i, j)
        for i, t in enumerate(on_board)
        for j, s in enumerate(seen)
        if (distance := math.dist(t.point_px, s.reading.point_px)) <= reach
    )
    partner: dict[int, int] = {}
    used: set[int] = set()
    for _, _, i, j in options:
        if i not in partner and j not in used:
            partner[i] = j
            used.add(j)
    marks.pieces_false = len(seen) - len(used)
    for i, true in enumerate(on_board):
        if true.kind == OTHER:
            marks.pieces_reported -= i in partner
            continue
        if true.visible < PIECE_VISIBLE:
            continue
        if i not in partner:
            marks.wrong.append(f"{true.color} {true.kind} at {list(true.cell or ())} not found")
            continue
        marks.pieces_found += 1
        got = seen[partner[i]]
        same = got.reading.kind == true.kind and (true.color is None or got.reading.color == true.color)
        marks.kind_color_right += same
        if true.color is not None and got.reading.color_probs:
            marks.told_colors.append((got.color_confidence, got.reading.color == true.color))
        if true.pose is not None and got.reading.sort_probs:
            pose_right = (got.reading.kind, got.reading.pose) == (true.kind, true.pose)
            marks.told_poses.append((got.pose_confidence, pose_right))
        if not same:
            marks.wrong.append(f"{true.color} {true.kind} read as {got.reading.color} {got.reading.kind}")
        if true.on is not None and got.feature is None:
            continue
        marks.features += 1
        place_right = got.cell == shift.get(true.cell or (0, 0), got.cell) and _same_place(true, got)
        marks.feature_right += place_right
        if not place_right:
            where = true.feature or true.on
            marks.wrong.append(f"{true.color} {true.kind} on {where} read on {got.feature}")
    if marks.pieces_false:
        marks.wrong.append(f"{marks.pieces_false} pieces where there are none")
