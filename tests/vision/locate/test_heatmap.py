"""The heat map's own arithmetic: views, tile shapes, reading peaks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from models.train.locator.samples import shape_of
from vision.locate.heatmap import NET_WH, STRIDE, UNIT_PX, Heat, look, sides_of, view_of
from vision.observation import Sight


@pytest.mark.parametrize(
    "size_wh", [(1920, 1080), (1280, 720), (1080, 1920), (3840, 2160), (640, 384), (80, 70)]
)
def test_view_carries_points_there_and_back(size_wh: tuple[int, int]) -> None:
    frame = np.zeros((size_wh[1], size_wh[0], 3), np.uint8)
    view = view_of(frame)
    corners = np.array([[0.0, 0.0], [size_wh[0], 0.0], [size_wh[0], size_wh[1]], [0.0, size_wh[1]]])
    inside = view.to_net(corners)
    assert view.picture.shape == (NET_WH[1], NET_WH[0], 3)
    assert inside.min() >= -1e-6
    assert (inside.max(axis=0) <= np.array(NET_WH) + 1e-6).all()
    assert view.to_frame(inside) == pytest.approx(corners, abs=1e-6)


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1080, 1920), (3840, 2160)])
def test_view_shows_a_spot_where_it_says(size_wh: tuple[int, int]) -> None:
    frame = np.zeros((size_wh[1], size_wh[0], 3), np.uint8)
    spot = np.array([0.7 * size_wh[0], 0.3 * size_wh[1]]).astype(int)
    radius = max(size_wh) // 60
    frame[spot[1] - radius : spot[1] + radius + 1, spot[0] - radius : spot[0] + radius + 1] = 255
    view = view_of(frame)
    rows, cols = np.nonzero(view.picture[..., 0] > 127)
    assert view.to_net(spot[None].astype(float))[0] == pytest.approx([cols.mean(), rows.mean()], abs=0.6)


def test_sides_come_back_from_their_shape_numbers() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=200) + 1j * rng.normal(size=200)
    b = a * np.exp(1j * rng.uniform(0.9, 2.2, 200)) * rng.uniform(0.5, 2.0, 200)
    got_a, got_b = sides_of(*shape_of(a, b))
    wanted = np.sort_complex(np.stack([a**2, b**2], axis=1))
    assert np.sort_complex(np.stack([got_a**2, got_b**2], axis=1)) == pytest.approx(wanted, abs=1e-9)
    assert ((got_a.conjugate() * got_b).imag >= 0).all()


def test_shape_numbers_do_not_care_which_side_is_first() -> None:
    a, b = np.array([1.0 + 0.2j]), np.array([-0.1 + 0.7j])
    for other in ((b, a), (-a, b), (b, -a)):
        assert np.concatenate(shape_of(*other)) == pytest.approx(np.concatenate(shape_of(a, b)))


def bump(heat: NDArray[np.float32], x: float, y: float, height: float) -> None:
    """A peak at a net pixel, half cells included."""
    grid_y, grid_x = np.mgrid[: heat.shape[0], : heat.shape[1]]
    at_x, at_y = (x - 1.5) / STRIDE, (y - 1.5) / STRIDE
    drawn = height * np.exp(-((grid_x - at_x) ** 2 + (grid_y - at_y) ** 2) / (2 * 0.8**2))
    np.maximum(heat, drawn.astype(np.float32), out=heat)


def side(px: complex) -> NDArray[np.complex128]:
    """A tile's side in the network's unit."""
    return np.array([px / UNIT_PX], np.complex128)


def drawn_maps(with_corners: bool) -> NDArray[np.float32]:
    maps = np.zeros((9, NET_WH[1] // STRIDE, NET_WH[0] // STRIDE), np.float32)
    bump(maps[0], 283.0, 160.0, 0.9)
    maps[2, 35:46, 65:76] = 1.0
    p, q = shape_of(side(40.0 + 8.0j), side(-6.0 + 36.0j))
    maps[5:] = np.array([p[0].real, p[0].imag, q[0].real, q[0].imag])[:, None, None]
    if with_corners:
        for x, y in ((-17, -22), (23, -14), (17, 22), (-23, 14), (57, 30), (63, -6)):
            bump(maps[1], 283.0 + x, 160.0 + y, 0.7)
    return maps


@pytest.mark.parametrize(("with_corners", "score"), [(True, 0.9), (False, 0.45)])
def test_a_peak_becomes_a_quad_in_frame_pixels(with_corners: bool, score: float) -> None:
    frame = np.zeros((768, 1280, 3), np.uint8)
    heat = look(Sight(frame), lambda _: drawn_maps(with_corners)[None])
    quads, scores = heat.proposed
    assert scores[0] == pytest.approx(score, rel=0.3)
    around = np.array([[-17.0, -22.0], [23.0, -14.0], [17.0, 22.0], [-23.0, 14.0]])
    wanted = 2 * (around + np.array([283.0, 160.0]))
    errors = [np.abs(np.roll(quads[0], turn, axis=0) - wanted).max() for turn in range(4)]
    assert min(errors) < 3.0


def test_no_peaks_no_quads() -> None:
    quads, scores = look(
        Sight(np.zeros((200, 300, 3), np.uint8)), lambda _: np.zeros((1, 9, 96, 160), np.float32)
    ).proposed
    assert quads.shape == (0, 4, 2)
    assert scores.shape == (0,)


def test_a_quad_shows_as_much_of_a_face_as_the_map_says_inside_it() -> None:
    maps = np.zeros((9, 96, 160), np.float32)
    maps[2, :, :80] = 1.0  # the left half of the view
    heat = Heat(view_of(np.zeros((384, 640, 3), np.uint8)), maps)
    left, across, right = (
        np.array([[x, 100], [x + 80, 100], [x + 80, 180], [x, 180.0]]) for x in (100, 280, 500)
    )
    assert heat.face_shares(np.stack([left, across, right])) == pytest.approx([1.0, 0.5, 0.0], abs=0.11)
    assert heat.face_shares(np.zeros((0, 4, 2))).shape == (0,)


def test_face_share_is_zero_outside_the_view() -> None:
    heat = Heat(view_of(np.zeros((384, 640, 3), np.uint8)), drawn_maps(False))
    inside, outside = np.array([[70 * 4 + 1.5, 40 * 4 + 1.5]]), np.array([[-500.0, 9e9]])
    assert heat.face_at(np.concatenate([inside, outside])) == pytest.approx([1.0, 0.0])


def test_a_closer_look_shows_nothing_new_of_a_frame_no_larger_than_the_networks_picture() -> None:
    def blank(_: object) -> np.ndarray:
        return np.zeros((1, 9, 96, 160), np.float32)

    assert look(Sight(np.zeros((96, 128, 3), np.uint8)), blank).resolved
    assert not look(Sight(np.zeros((720, 1280, 3), np.uint8)), blank).resolved
