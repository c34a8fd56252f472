"""Laws of the house edition of Tricky Safari: any arrangement of its quarters is a board to play on."""

import json
from itertools import product
from pathlib import Path

import pytest

from engine.pack import load_pack
from engine.tricky_safari.rules import FOREST, GROUND, LAKE, SPECIES
from samples.artwork.tricky.quarters import QUARTERS, SQUARES, pack
from samples.artwork.tricky.tokens import token

PACK_JSON = Path(__file__).parents[2] / "engine" / "packs" / "tricky-safari" / "pack.json"


def _turned(rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(column) for column in zip(*rows[::-1], strict=True))


@pytest.mark.parametrize("name", QUARTERS)
def test_every_corner_of_a_quarter_is_ground_for_a_camera_to_start_on(name: str) -> None:
    rows = QUARTERS[name]
    assert len(rows) == SQUARES and all(len(row) == SQUARES for row in rows)
    assert {rows[y][x] for x, y in product((0, -1), repeat=2)} == {GROUND}
    assert set("".join(rows)) == {GROUND, FOREST, LAKE}


def test_no_quarter_looks_like_another_or_like_itself_turned() -> None:
    seen = set()
    for rows in QUARTERS.values():
        for _ in range(4):
            assert rows not in seen
            seen.add(rows)
            rows = _turned(rows)


def test_the_shipped_pack_is_what_the_drawing_says() -> None:
    assert json.loads(PACK_JSON.read_text("utf-8")) == pack()
    opened = load_pack("tricky-safari")
    assert opened.quarters == QUARTERS and set(opened.designs) == set(QUARTERS)
    assert opened.animals == SPECIES
    assert all(opened.art_path(name) for name in opened.designs)
    assert all(opened.art_path(f"token-{animal}") for animal in opened.animals)


def test_an_animal_points_north() -> None:
    """Its front is narrow and pale, its back wide: the facing is plain from its outline alone."""
    face = token("lion", 128)
    solid = face[..., 3] > 0.5
    assert solid[2].sum() < 16 and solid[-3].sum() > 110
    assert (solid ^ solid[:, ::-1]).sum() < 128
