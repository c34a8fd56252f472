"""Random decks and made-up views: shapes, seeds, variety."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.decks import house_files, make_deck, random_deck
from models.train.descriptor.views import random_look, reference_set, table_crop, view


@pytest.mark.parametrize("seed", range(6))
def test_decks_are_seeded(seed: int) -> None:
    one = random_deck(np.random.default_rng(seed), 5, 64)
    two = random_deck(np.random.default_rng(seed), 5, 64)
    assert one.shape == (5, 64, 64, 3)
    assert one.dtype == np.uint8
    assert np.array_equal(one, two)


@pytest.mark.parametrize("style", ["game", "pictures"])
def test_faces_differ_and_families_look_alike(style: str) -> None:
    near: list[float] = []
    far: list[float] = []
    for seed in range(8):
        deck = make_deck(np.random.default_rng(seed), 12, 64, style)
        assert len(deck.family) == 12
        for i in range(12):
            for j in range(i):
                gap = float(np.abs(deck.faces[i].astype(int) - deck.faces[j]).mean())
                (near if deck.family[i] == deck.family[j] else far).append(gap)
    assert np.median(near) < 0.5 * np.median(far)


def test_plain_faces_have_hardly_a_seam() -> None:
    """Two faces of one ground side by side: the step over their seam is nearly that inside a face."""
    seams, inside = [], []
    for seed in range(6):
        deck = make_deck(np.random.default_rng(seed), 20, 64, "plain")
        faces = deck.faces.astype(int)
        for one, two in zip(range(19), range(1, 20), strict=True):
            if deck.family[one] == deck.family[two]:
                seams.append(np.abs(faces[one][:, -1] - faces[two][:, 0]).mean())
                inside.append(np.abs(faces[one][:, 31] - faces[one][:, 32]).mean())
    assert np.median(seams) < 8
    assert np.median(inside) < 5


def test_house_deck_where_drawn() -> None:
    if not house_files():
        pytest.skip("the house deck's art is not drawn yet")
    deck = make_deck(np.random.default_rng(0), 10, 64, "house")
    assert deck.faces.shape == (10, 64, 64, 3)


def test_unknown_style_and_size_are_refused() -> None:
    with pytest.raises(ValueError, match="no deck style 'cubist'"):
        make_deck(np.random.default_rng(0), 3, 64, "cubist")
    with pytest.raises(ValueError, match="at least 1 face of 16 px"):
        random_deck(np.random.default_rng(0), 0, 64)


def test_views_show_the_face() -> None:
    rng = np.random.default_rng(3)
    faces = random_deck(rng, 6, 128)
    scans = reference_set(rng, faces, 96)
    look = random_look(rng, hardness=0.1)
    crop, shown = view(rng, faces[2], faces, look, 96, 12)
    assert crop.shape == (96, 96, 3)
    assert shown.shape == (12, 12)
    assert shown.mean() > 0.5
    gaps = [float(np.abs(crop.astype(int) - scan).mean()) for scan in scans]
    assert int(np.argmin(gaps)) == 2
    assert table_crop(rng, look, 96).shape == (96, 96, 3)
