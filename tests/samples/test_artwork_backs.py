"""Backs of our own decks: each is drawn, looks the same from all sides, and differs from the others."""

import numpy as np
import pytest
from PIL import Image

from engine.pack import PACKS
from samples.artwork.savanna.backs import SAVANNA, savanna_token
from samples.artwork.savanna.designs import BACKS
from samples.artwork.taiga.backs import TAIGA, TAIGA_BACKS

SHIPPED = [*(("savanna", name) for name in SAVANNA), *(("taiga", name) for name in TAIGA)]


def test_every_back_that_a_pack_names_is_drawn() -> None:
    assert set(BACKS.values()) == set(SAVANNA)
    assert set(TAIGA_BACKS.values()) == set(TAIGA)


@pytest.mark.parametrize(("pack", "name"), SHIPPED)
def test_a_back_does_not_tell_how_its_tile_lies(pack: str, name: str) -> None:
    with Image.open(PACKS / pack / "backs" / f"{name}.webp") as picture:
        back = np.asarray(picture.convert("RGB"), np.float32) / 255
    assert back.shape[0] == back.shape[1] >= 512
    for turns in (1, 2, 3):
        # What WebP makes of the same edge in another place of its blocks differs a little.
        assert np.abs(np.rot90(back, turns) - back).mean() < 0.01


def test_a_back_is_exactly_alike_before_it_is_saved() -> None:
    back = savanna_token()
    for turns in (1, 2, 3):
        assert np.abs(np.rot90(back, turns) - back).max() < 1e-5


def test_the_backs_of_a_deck_differ_at_a_glance() -> None:
    """Regular and menhir tiles are sorted by their backs: their mean colours are far apart."""
    means = []
    for name in ("regular", "menhir"):
        with Image.open(PACKS / "taiga" / "backs" / f"{name}.webp") as picture:
            means.append(np.asarray(picture.convert("RGB"), np.float32).mean(axis=(0, 1)))
    assert np.abs(means[0] - means[1]).max() > 40
