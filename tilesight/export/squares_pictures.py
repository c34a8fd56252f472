"""Labels of a picture of a game on squares, with the squares as the game names them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.geometry import EDGES
from engine.pack import Pack
from engine.squares_game import SquarePosition, square_name
from tilesight.export.labels import Label
from tilesight.export.photographs import labels_of_squares
from tilesight.grading.squares_photo import seen_squares
from tilesight.live.album import Homography
from vision.geometry.homography import apply_homography
from vision.observation import Observation
from vision.squares.parts import ACROSS


def labels_of_position(
    observation: Observation,
    pack: Pack,
    position: SquarePosition,
    H_px_from_board: Homography | None,
    stated: bool,
) -> list[Label]:
    """Return the labels of a picture of a game on squares in ``position``; [] if no board is found in it.

    ``H_px_from_board`` (3 × 3) maps the game's squares, from the north-west, to pixels; without it the names
    of this picture's own reading are kept. With ``stated``, people said where the figures of the game are:
    they are "corrected", the others "read".
    """
    assert observation.pose is not None or not observation.cells
    seen = seen_squares(observation, pack)
    if seen is None or observation.pose is None:
        return []
    read = list(labels_of_squares(seen, observation.pose.image_size_wh))
    if H_px_from_board is None:
        return read
    board_from_px = np.linalg.inv(H_px_from_board)
    points = {f"{one.figure.name} {one.figure.kind}": one.reading.point_px for one in seen.figures}
    known = {f"{one.name} {one.kind}": one for one in position.figures}
    quarter = _quarter_turns(seen.corners_px, board_from_px, seen.squares)
    labels = []
    for label in read:
        if label.sort == "tile":
            middle = np.mean(label.corners_px, axis=0)
            x, y = (int(at * ACROSS // seen.squares) for at in apply_homography(board_from_px, middle))
            rot = (label.about["rot"] + 90 * quarter) % 360
            labels.append(replace(label, about={"cell": [x, y], "rot": rot}))
            continue
        figure = known.get(label.name)
        about = dict(label.about)
        if "facing" in about:
            about["facing"] = EDGES[(EDGES.index(about["facing"]) + quarter) % 4]
        if figure is None or not stated:
            column, row = (int(at) for at in apply_homography(board_from_px, np.array(points[label.name])))
            square = square_name(column, row, seen.squares)
            labels.append(replace(label, about={**about, "square": square, "in_game": figure is not None}))
            continue
        facing = {} if figure.facing is None else {"facing": figure.facing}
        about |= {"square": figure.square, **facing, "in_game": True}
        labels.append(replace(label, confidence=None, about=about))
    return labels


def _quarter_turns(corners_px: np.ndarray, board_from_px: np.ndarray, squares: int) -> int:
    """Return the clockwise quarter turns from the reading's naming of the board to the game's.

    ``corners_px`` (4, 2) are the reading's nw, ne, se, sw.
    """
    x, y = apply_homography(board_from_px, np.asarray(corners_px[0], np.float64)) > squares / 2
    return {(False, False): 0, (True, False): 1, (True, True): 2, (False, True): 3}[bool(x), bool(y)]
