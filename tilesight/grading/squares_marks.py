"""Marks of photographs of boards of squares, for `tilesight bench vision`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tilesight.grading.reliability import calibration_error
from tilesight.grading.squares_truth import TrueSquares
from tilesight.grading.truth import mean_side_px
from vision.squares.parts import ACROSS
from vision.squares.reading import SeenSquares


@dataclass(slots=True)
class SquareMarks:
    """The marks of one photograph; counts, so that photographs can be summed."""

    corner_errors: list[float] = field(default_factory=list)
    """Each corner's distance over the mean side of a part; 1.0 where no board was found."""
    located: bool = False
    squares: int = 0
    terrain_right: int = 0
    animals: int = 0
    animals_exact: int = 0
    animals_false: int = 0
    pawns: int = 0
    pawns_exact: int = 0
    pawns_false: int = 0
    board_right: bool = False
    told: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence of every animal reported, and whether it was right."""
    wrong: list[str] = field(default_factory=list)


def mark_squares(truth: TrueSquares, seen: SeenSquares | None, corner_tol: float) -> SquareMarks:
    """Return the marks of one photograph's board ``seen`` (None: not found) against the truth.

    ``corner_tol`` is the distance of a corner, as a share of the mean side of a part, up to which the board
    counts as located.
    """
    marks = SquareMarks(
        squares=sum(map(len, truth.terrain)), animals=len(truth.animals), pawns=len(truth.pawns)
    )
    if seen is None:
        marks.corner_errors = [1.0] * 4
        marks.wrong.append("no board is seen")
        return marks
    side = mean_side_px(truth.corners_px) / ACROSS
    marks.corner_errors = (np.linalg.norm(seen.corners_px - truth.corners_px, axis=1) / side).tolist()
    marks.located = max(marks.corner_errors) <= corner_tol
    marks.terrain_right = sum(
        a == b
        for row, true in zip(seen.terrain, truth.terrain, strict=False)
        for a, b in zip(row, true, strict=False)
    )
    animals, pawns = set(), set()
    for one in seen.figures:
        figure = one.figure
        if figure.facing is None:
            pawns.add((figure.name, figure.square))
        else:
            animals.add((figure.name, figure.square, figure.facing))
            right = (figure.name, figure.square, figure.facing) in truth.animals
            marks.told.append((one.reading.confidence, right))
    marks.animals_exact = len(animals & truth.animals)
    marks.animals_false = len(animals - truth.animals)
    marks.pawns_exact = len(pawns & truth.pawns)
    marks.pawns_false = len(pawns - truth.pawns)
    marks.board_right = (
        marks.terrain_right == marks.squares and animals == truth.animals and truth.pawns <= pawns
    )
    marks.wrong += [f"{' '.join(one)} missed" for one in sorted(truth.animals - animals)]
    marks.wrong += [f"{' '.join(one)} read" for one in sorted(animals - truth.animals)]
    marks.wrong += [f"{' '.join(one)} camera missed" for one in sorted(truth.pawns - pawns)]
    if marks.terrain_right < marks.squares:
        marks.wrong.append(f"{marks.squares - marks.terrain_right} squares of terrain wrong")
    return marks


def square_figures(marks: Sequence[SquareMarks]) -> dict[str, float | int | None]:
    """Return the figures over many photographs, named as for tiles where they mean the same.

    Shares are 0 to 1; None where nothing was counted.
    """

    def share(part: int, whole: int) -> float | None:
        return round(part / whole, 4) if whole else None

    corners = [error for mark in marks for error in mark.corner_errors]
    reported = sum(mark.pawns_exact + mark.pawns_false for mark in marks)
    error = calibration_error([one for mark in marks for one in mark.told])
    return {
        "images": len(marks),
        "located": share(sum(mark.located for mark in marks), len(marks)),
        "corner_p50": round(float(np.percentile(corners, 50)), 4) if corners else None,
        "corner_p95": round(float(np.percentile(corners, 95)), 4) if corners else None,
        "terrain": share(sum(m.terrain_right for m in marks), sum(m.squares for m in marks)),
        "animals": share(sum(m.animals_exact for m in marks), sum(m.animals for m in marks)),
        "animals_false": sum(m.animals_false for m in marks),
        "boards_right": share(sum(mark.board_right for mark in marks), len(marks)),
        "pieces_found": share(sum(m.pawns_exact for m in marks), sum(m.pawns for m in marks)),
        "pieces_false": share(sum(m.pawns_false for m in marks), reported),
        "calibration_error": None if error is None else round(error, 4),
    }
