"""How a token's picture fits the animals of a pack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.pack import Pack
from models import load
from vision.observation import Sight
from vision.tokens.templates import TokenFaces

SIDE_PX = 200
QUAD = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * SIDE_PX - np.float32(0.5)
HERE = ((0.0, 0.0),)


def tile_with(pack: Pack, animal: str, at_px: int) -> np.ndarray:
    """Printed ground with a token whose north-west corner is ``at_px`` from the tile's, both ways."""
    patches = np.random.default_rng(3).integers(60, 220, (12, 12, 3)).astype(np.uint8)
    image = cv2.resize(patches, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    art = cv2.imread(str(pack.art_path(f"token-{animal}")), cv2.IMREAD_UNCHANGED)
    assert art is not None and pack.token_mm is not None
    size = round(SIDE_PX * pack.token_mm / pack.tile_mm)
    art = cv2.resize(art, (size, size), interpolation=cv2.INTER_AREA).astype(np.float32)
    there = image[at_px : at_px + size, at_px : at_px + size]
    there += art[..., 3:] / 255 * (art[..., :3] - there)
    return np.asarray(image, np.uint8)


def test_the_animal_the_turn_and_the_place_that_fit_are_found(pack: Pack, faces: TokenFaces) -> None:
    image = tile_with(pack, "lion", 100)
    fit = faces.fit(Sight(image), QUAD, (0.64, 0.7), (0, 90), ((0.0, 0.0), (0.15, 0.0), (-0.15, 0.0)))
    assert fit.uv == pytest.approx((0.7, 0.7), abs=0.001)
    assert fit.turn_deg == 0
    askew = faces.fit(Sight(image), QUAD, (0.7, 0.7), (90,), HERE)
    assert askew.mean < fit.mean - 1


def test_where_none_lies_none_fits(pack: Pack, faces: TokenFaces) -> None:
    there = faces.fit(Sight(tile_with(pack, "zebra", 60)), QUAD, (0.5, 0.5), (0,), HERE)
    bare = faces.fit(Sight(tile_with(pack, "zebra", 120)), QUAD, (0.2, 0.2), (0,), HERE)
    assert bare.mean < 2 < there.mean


def test_pixels_outside_a_tokens_outline_do_not_count(pack: Pack, faces: TokenFaces) -> None:
    image = tile_with(pack, "giraffe", 60)
    before = faces.fit(Sight(image), QUAD, (0.5, 0.5), (0,), HERE)
    image[60:72, 60:72] = (0, 0, 255)
    after = faces.fit(Sight(image), QUAD, (0.5, 0.5), (0,), HERE)
    assert after.mean == pytest.approx(before.mean, rel=0.1)


def test_a_pack_without_pictures_of_animal_tiles_has_no_faces(pack: Pack, tmp_path: Path) -> None:
    bare = replace(pack, folder=tmp_path)
    assert TokenFaces.of(bare, load("descriptor"), tmp_path) is None
    for animal in pack.tokens:
        art = pack.art_path(f"token-{animal}")
        assert art is not None and pack.folder is not None
        copy = tmp_path / art.relative_to(pack.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(b"no picture")
    assert TokenFaces.of(bare, load("descriptor"), tmp_path) is None


def test_token_faces_are_cached_and_a_damaged_cache_is_made_anew(pack: Pack, tmp_path: Path) -> None:
    first = TokenFaces.of(pack, load("descriptor"), tmp_path)
    (kept,) = tmp_path.iterdir()
    again = TokenFaces.of(pack, load("descriptor"), tmp_path)
    assert first is not None and again is not None
    assert np.array_equal(first.references, again.references)
    assert np.array_equal(first.inside, again.inside)
    assert np.array_equal(first.pictures, again.pictures)
    whole = kept.read_bytes()
    for damaged in (b"no such file", b"", whole[: len(whole) // 2]):
        kept.write_bytes(damaged)
        anew = TokenFaces.of(pack, load("descriptor"), tmp_path)
        assert anew is not None and np.array_equal(anew.references, first.references)
        assert kept.stat().st_size == len(whole)
