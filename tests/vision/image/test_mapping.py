"""Mirror images are observed flipped, and told in their own pixels."""

from __future__ import annotations

import numpy as np

from vision.image.mapping import flipped, through_mirror
from vision.observation import BoardPose, CellReading, Frame, Observation, PieceReading

QUAD = np.array([[10, 20], [30, 20], [30, 40], [10, 40]], np.float32)
H = np.array([[20.0, 0, 10], [0, 20, 20], [0, 0, 1]])


def seen_in(frame: Frame) -> Observation:
    assert frame.image[0, 0, 0] == 9  # flipped: the right-most pixel of the mirror image
    cell = CellReading((0, 0), QUAD, np.zeros((1, 4), np.float32), 5.0)
    piece = PieceReading("meeple", "red", "standing", (12.0, 30.0), (0.1, 0.5), 0.9)
    pose = BoardPose(H, {(0, 0): QUAD}, (100, 80), 0.9)
    return Observation(0, 0.0, pose, ("A",), {(0, 0): cell}, (piece,), hints=(piece,))


def test_a_mirror_image_is_observed_flipped_and_mapped_back() -> None:
    image = np.zeros((80, 100, 3), np.uint8)
    image[0, 99] = 9
    seen = through_mirror(seen_in)(Frame(image))
    wanted = np.array([[89, 20], [69, 20], [69, 40], [89, 40]], np.float32)
    assert seen.pose is not None
    assert np.array_equal(seen.pose.quads[0, 0], wanted)
    assert np.array_equal(seen.cells[0, 0].corners_px, wanted)
    assert seen.pieces[0].point_px == seen.hints[0].point_px == (87.0, 30.0)
    corner = seen.pose.H_px_from_lattice @ [1, 1, 1]
    assert np.allclose(corner[:2] / corner[2], [69, 40])


def test_nothing_in_a_mirror_stays_nothing() -> None:
    def nothing(frame: Frame) -> Observation:
        return Observation(frame.index, frame.t_s, None, (), {}, ())

    assert through_mirror(nothing)(Frame(np.zeros((8, 8, 3), np.uint8))).pose is None


def test_flipped_twice_is_the_same() -> None:
    image = np.random.default_rng(1).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    assert np.array_equal(flipped(flipped(image)), image) and not np.array_equal(flipped(image), image)
