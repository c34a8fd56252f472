"""Loose tiles: found wherever they lie and however they are turned, nothing else, in reading order."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.decks import random_deck
from tests.vision.toy_sheet import toy_sheet
from vision.locate.locator import Locator
from vision.loose.tile_shape import TileShape
from vision.loose.tiles import find_loose_tiles
from vision.observation import Sight, mean_sides_px


@pytest.fixture(scope="module")
def locator() -> Locator:
    return Locator.load()


@pytest.mark.long
def test_loose_tiles_are_found_once_each_and_straightened(locator: Locator) -> None:
    faces = random_deck(np.random.default_rng(2), 14, 160)
    photo, corners, _ = toy_sheet(4, faces)
    found = find_loose_tiles(Sight(photo), locator)
    assert len(found.quads) == len(faces)
    for number, (quad, truth) in enumerate(zip(found.quads, corners, strict=True)):  # in reading order
        side = float(mean_sides_px(truth))
        off = [np.linalg.norm(np.roll(quad, k, axis=0) - truth, axis=1).max() / side for k in range(4)]
        assert min(off) < 0.06, number
    crops = found.faces(Sight(photo), 64)
    assert crops.shape == (14, 64, 64, 3)
    assert find_loose_tiles(Sight(np.full((480, 640, 3), 120, np.uint8)), locator).quads.shape == (0, 4, 2)


def test_the_shape_agreed_on_knows_what_is_no_tile() -> None:
    """Forty squares under one slanted camera, thirty false ones: halves, doubles, diamonds between four."""
    rng = np.random.default_rng(5)
    at = rng.uniform(0, 900, (40, 2))
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 30.0

    def seen(middle: np.ndarray, square: np.ndarray, angle: float) -> np.ndarray:
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points = middle + square @ spin.T
        return np.asarray(points * np.array([1.0, 0.7]) * (0.6 + 0.5 * points[:, 1:] / 900))

    tiles = np.array([seen(a, unit, rng.uniform(0, 6)) for a in at])
    false = [seen(a, unit * (1.0, 0.5), 0.0) for a in at[:10]]
    false += [seen(a, unit * (2.0, 1.0), 0.3) for a in at[10:20]]
    false += [seen(a, unit * np.sqrt(2), 0.8) for a in at[20:30]]
    quads = np.concatenate([tiles, np.array(false)])
    shape = TileShape.agreed(quads, np.concatenate([rng.uniform(0.7, 1, 40), rng.uniform(0.5, 0.95, 30)]))
    assert shape is not None
    strange = shape.strangeness(quads)
    assert strange[:40].max() < 0.2
    assert strange[40:].min() > 0.3
    assert TileShape.agreed(quads, np.zeros(70)) is None
    again = shape.squares(tiles[:5].mean(axis=1), np.linspace(0.0, 1.4, 5))
    assert shape.strangeness(again).max() < 0.05
    assert np.abs(shape.turns(again) - np.linspace(0.0, 1.4, 5)).max() < 1e-6
