"""The synthetic table says the truth about itself, the same every time."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.train.scenes import (
    Layout,
    PieceSpec,
    Scene,
    TileSpec,
    lay_by_hand,
    look_at,
    make_scene,
    random_cells,
    random_room,
    render_layout,
)
from models.train.scenes import __main__ as command
from models.train.scenes.layout import SIDES
from models.train.scenes.lights import Lamp, Lights
from models.train.scenes.objects.solids import Canvas, draw_solid, rounded_prism
from models.train.scenes.objects.stand_ins import SHAPES, random_stand_in, stand_in_solid
from models.train.scenes.tabletops import paint_table

SIZE = (480, 270)


def faces(n: int = 6, size: int = 64) -> np.ndarray:
    """Plain faces, each in one colour, so that a pixel tells the face."""
    tones = np.linspace(40, 220, n).astype(np.uint8)
    out = np.zeros((n, size, size, 3), np.uint8)
    out[:] = tones[:, None, None, None]
    return out


def test_the_same_seed_gives_the_same_scene() -> None:
    one, two = (make_scene(np.random.default_rng(5), SIZE, faces()) for _ in range(2))
    assert np.array_equal(one.image, two.image)
    assert one.pieces == two.pieces
    assert np.array_equal(one.owner, two.owner)


@pytest.mark.parametrize("seed", range(8))
def test_labels_of_a_scene_are_within_bounds(seed: int) -> None:
    scene = make_scene(np.random.default_rng(seed), SIZE, faces())
    assert scene.image.shape == (SIZE[1], SIZE[0], 3)
    assert scene.image.dtype == np.uint8
    for tile in scene.tiles:
        assert 0 <= tile.visible <= 1
        assert 0 <= tile.in_frame <= 1
        assert tile.visible <= tile.in_frame + 0.1
    for piece in scene.pieces:
        assert 0 <= piece.visible <= 1


@pytest.mark.parametrize("n", [1, 2, 7, 30, 60])
def test_boards_hang_together(n: int) -> None:
    for seed in range(5):
        cells = random_cells(np.random.default_rng(seed), n)
        assert len(set(cells)) == len(cells)
        seen, todo = {cells[0]}, [cells[0]]
        while todo:
            x, y = todo.pop()
            for dx, dy in SIDES:
                c = (x + dx, y + dy)
                if c in cells and c not in seen:
                    seen.add(c)
                    todo.append(c)
        assert len(seen) == len(cells)


def test_hands_leave_small_gaps_and_turns() -> None:
    plan = [((x, y), 0, 0) for x in range(8) for y in range(8)]
    tiles, pitch = lay_by_hand(np.random.default_rng(0), plan, 45.0, 0.0)
    assert 45.0 < pitch < 46.5
    assert max(abs(t.turn_deg) for t in tiles) <= 2.0


def test_corners_and_contact_points_are_where_the_camera_sees_them() -> None:
    camera = look_at(np.zeros(2), 500.0, 50.0, 0.0, 0.0, 500.0, (0.0, 0.0), (239.5, 134.5), SIZE)
    tiles = (TileSpec((0, 0), 90, 3, (0.0, 0.0), 0.0),)
    piece = PieceSpec("meeple", "red", "standing", (0, 0), (0.5, 0.5))
    room = random_room(np.random.default_rng(1), camera=camera, hands=0.0, clutter=0.0)
    scene = render_layout(Layout(tiles, (piece,)), room, np.random.default_rng(1), faces(), SIZE)
    (tile,) = scene.tiles
    # Turned clockwise by 90 degrees the drawing's north-west corner lies in the north-east.
    north_east = camera.project(np.array([22.5, -22.5, 2.0]))
    assert np.allclose(tile.corners_px[0], north_east, atol=1e-6)
    (got,) = [p for p in scene.pieces if p.cell is not None]
    assert np.allclose(got.point_px, camera.project(np.array([0.0, 0.0, 2.0])), atol=1e-6)
    x0, y0, x1, y1 = got.bbox_px
    assert x0 <= got.point_px[0] <= x1
    assert y0 < got.point_px[1] <= y1 + 8
    assert got.visible > 0.95
    assert np.count_nonzero(scene.owner >= 2000) > 20


def test_pixels_to_the_plane_and_back() -> None:
    camera = look_at(
        np.array([30.0, -20.0]), 600.0, 40.0, 70.0, 3.0, 420.0, (-0.08, 0.02), (238.0, 136.0), SIZE
    )
    gx, gy = camera.plane_maps(2.0)
    for y, x in ((40, 60), (135, 240), (250, 400)):
        there = camera.project(np.array([gx[y, x], gy[y, x], 2.0]))
        assert np.allclose(there, (x, y), atol=0.15)


def test_the_command_writes_pictures_and_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "argv", ["scenes", str(tmp_path), "--n", "2", "--seed", "4", "--size", "320x180"]
    )
    command.main()
    entries = json.loads((tmp_path / "truth.json").read_text())
    assert [e["file"] for e in entries] == ["s4_0000.jpg", "s4_0001.jpg"]
    for e in entries:
        image = cv2.imread(str(tmp_path / e["file"]))
        assert image is not None
        assert [image.shape[1], image.shape[0]] == e["size_wh"]
        assert all(len(t["corners_px"]) == 4 for t in e["tiles"])


def test_a_room_says_how_many_huts_there_are_and_how_dark_the_picture_is() -> None:
    def taken(**fixed: object) -> Scene:
        rng = np.random.default_rng(6)
        room = random_room(rng, hands=0.0, clutter=0.0, quality=0.9, partly_out=0.0, **fixed)
        return make_scene(rng, (480, 270), None, 6, True, 1.0, room)

    huts = taken(huts=1.0)
    assert {piece.kind for piece in huts.pieces if piece.cell and not piece.corner} <= {
        "hut",
        "ranger",
        "token",
    }
    assert any(piece.kind == "hut" for piece in huts.pieces)
    usual, dark, low = taken(), taken(exposure=0.3), taken(low_lamp=True)
    assert dark.image.mean() < 0.8 * usual.image.mean()
    assert low.pieces == usual.pieces
    assert (low.image != usual.image).any()


def test_a_room_says_which_pieces_are_grey_how_dark_the_dyes_are_and_how_warm_the_light() -> None:
    def taken(**fixed: object) -> Scene:
        rng = np.random.default_rng(6)
        room = random_room(rng, table="wood", hands=0.0, clutter=0.0, quality=0.9, partly_out=0.0, **fixed)
        return make_scene(rng, (480, 270), None, 6, True, 1.0, room)

    usual = taken()
    one = next(p.color for p in usual.pieces if p.color and p.color != "white")
    grey = taken(grey=one)
    assert [p.color for p in grey.pieces] == ["grey" if p.color == one else p.color for p in usual.pieces]
    changed = np.abs(grey.image.astype(int) - usual.image).max(axis=2) > 8
    assert 0.0 < changed.mean() < 0.1, "nothing else has changed"
    assert taken(dye=0.3).image.mean() < usual.image.mean()
    blue, _, red = taken(warmth=1.5).image.reshape(-1, 3).mean(axis=0)
    usual_blue, _, usual_red = usual.image.reshape(-1, 3).mean(axis=0)
    assert red / blue > 1.1 * usual_red / usual_blue


def test_players_who_have_lost_their_meeples_have_other_pieces_in_their_colour() -> None:
    def taken(**fixed: object) -> Scene:
        rng = np.random.default_rng(6)
        room = random_room(rng, table="wood", hands=0.0, clutter=0.0, quality=0.9, partly_out=0.0, **fixed)
        return make_scene(rng, (480, 270), None, 6, True, 1.0, room)

    usual, lost = taken(), taken(stand_ins=1.0)
    there = [p for p in usual.pieces if p.kind == "meeple"]
    others = [p for p in lost.pieces if p.kind == "other"]
    assert len(others) >= 3
    assert {p.color for p in others} <= {p.color for p in there}
    assert not any(p.kind == "meeple" and p.cell for p in lost.pieces)


@pytest.mark.parametrize("shape", sorted(set(SHAPES)))
def test_a_stand_in_is_a_closed_body_on_its_place(shape: str) -> None:
    one = random_stand_in(np.random.default_rng(3), shape)
    solid = stand_in_solid(one, np.full(3, 0.4, np.float32), 30.0, np.array([10.0, 20.0, 2.0]))
    low, high = solid.cloud_mm.min(axis=0), solid.cloud_mm.max(axis=0)
    assert low[2] == pytest.approx(2.0, abs=0.01)
    assert (low[:2] + high[:2]) / 2 == pytest.approx((10.0, 20.0), abs=0.3)
    middle = (low + high) / 2
    sides = [f for f in solid.faces if shape != "pawn" or f.cap]  # a pawn has a waist
    assert all((f.points_mm.mean(axis=0) - middle) @ f.normal > 0 for f in sides), "normals point outwards"
    assert bool(solid.clear) == (shape == "glass")


def test_glass_lets_what_lies_behind_it_show() -> None:
    def lit(ground: float, clear: float) -> float:
        canvas = Canvas(np.full((80, 80, 3), ground, np.float32), np.zeros((80, 80), np.int16))
        camera = look_at(np.zeros(2), 300.0, 0.0, 89.0, 0.0, 400.0, (0.0, 0.0), (40.0, 40.0), (80, 80))
        one = replace(random_stand_in(np.random.default_rng(3), "glass"), clear=clear, gloss=0.0)
        solid = stand_in_solid(one, np.array([0.5, 0.2, 0.1], np.float32), 0.0, np.zeros(3))
        lamp = Lamp(np.array([0.0, 0.0, 900.0]), np.ones(3, np.float32), 50.0)
        lights = Lights((lamp,), np.full(3, 0.3, np.float32))
        draw_solid(canvas, camera, solid, lights, 2000, np.random.default_rng(1))
        return float(canvas.light[36, 40].mean())

    assert lit(0.9, 0.8) > 1.5 * lit(0.1, 0.8)
    assert lit(0.9, 0.0) == pytest.approx(lit(0.1, 0.0))


def test_a_rounded_prism_has_the_outline_and_height_of_a_plain_one() -> None:
    square = 4.0 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    paint = np.full(3, 0.4, np.float32)
    for outline in (square, square[::-1]):
        faces = rounded_prism(outline, 6.0, 0.8, paint, paint)
        cloud = np.concatenate([f.points_mm for f in faces])
        assert cloud.min(axis=0) == pytest.approx((-4, -4, -3))
        assert cloud.max(axis=0) == pytest.approx((4, 4, 3))
        assert all(f.points_mm.mean(axis=0) @ f.normal > 0 for f in faces), "normals point outwards"
        top = next(f for f in faces if f.cap and f.normal[2] > 0)
        assert np.abs(top.points_mm[:, :2]).max() == pytest.approx(3.2, abs=0.3), "its rim is cut off"


def test_a_checked_cloth_is_white_in_a_quarter_of_its_squares_or_in_half_of_them() -> None:
    x, y = np.meshgrid(*2 * (np.arange(0, 600, 1.5, dtype=np.float32),))
    shares = []
    for seed in range(8):
        cloth = paint_table(np.random.default_rng(seed), x, y, "checked").mean(axis=2)
        low, high = np.percentile(cloth, (2, 98))
        shares.append(float((cloth > 0.25 * low + 0.75 * high).mean()))
    assert all(0.15 < share < 0.6 for share in shares)
    assert min(shares) < 0.35, "gingham"
    assert max(shares) > 0.38, "squares"
