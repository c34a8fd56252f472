"""Training pictures for the choice between animal tiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.train.array_cache import load_arrays, save_arrays
from models.train.tokens.tokens_data import Choices, TokenTables, painted_tokens
from vision.tokens.crops import SIDE_PX, TOKEN_PX, expectations

RIM = (SIDE_PX - TOKEN_PX) // 2


@pytest.fixture(scope="module")
def table() -> Choices:
    return TokenTables(5).choices(1)


def test_a_table_has_places_with_animal_tiles_and_bare_ones(table: Choices) -> None:
    n = len(table.label)
    assert n > 10
    assert set(np.unique(table.label)) <= set(range(6))
    assert (table.label == 0).any()
    assert (table.label > 0).any()
    assert table.seen.shape == table.bare.shape == (n, SIDE_PX, SIDE_PX, 3)
    assert (table.visible > 0).all()


def test_a_visible_animal_tile_agrees_best_with_its_own_picture(table: Choices) -> None:
    clear = np.flatnonzero((table.visible > 0.95) & table.known.any(axis=(1, 2)))
    inner = slice(RIM, SIDE_PX - RIM)
    off = []
    for k in clear:
        pictures = expectations(table.seen[k].astype(np.float32), table.bare[k], table.known[k], table.tokens)
        there = pictures[0, 6, inner, inner] > 0
        differs = np.abs(pictures[:, :3] - pictures[:, 3:6])[..., inner, inner].sum(axis=1)
        off.append(int(differs[:, there].mean(axis=1).argmin()) == table.label[k])
    assert len(off) > 3
    assert np.mean(off) > 0.8


def test_a_table_is_the_same_each_time_and_survives_the_disk(table: Choices, tmp_path: Path) -> None:
    save_arrays(table, tmp_path / "t.npz")
    for again in (load_arrays(Choices, tmp_path / "t.npz"), TokenTables(5).choices(1)):
        for name in Choices.__dataclass_fields__:
            assert np.array_equal(getattr(again, name), getattr(table, name))


def test_painted_animal_tiles_differ() -> None:
    tokens = painted_tokens(np.random.default_rng(2)).astype(int)
    assert min(np.abs(a - b).mean() for i, a in enumerate(tokens) for b in tokens[:i]) > 3
