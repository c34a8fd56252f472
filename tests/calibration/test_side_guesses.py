"""Guesses by sides, on the drawn faces of our own decks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.face_sides import FEWEST_NAMED, guessed_by_sides
from engine.geometry import EDGES
from engine.pack import load_pack

Guesses = dict[int, tuple[tuple[str, int], ...]]


def faces_of(pack_id: str, light: float = 1.0) -> tuple[list[NDArray[np.uint8]], list[tuple[str, int]]]:
    """The pictures of every design of a pack, each turned another way; and what they are."""
    pack, rng = load_pack(pack_id), np.random.default_rng(5)
    truth, faces = [], []
    for name in pack.designs:
        art = pack.art(name)
        assert art is not None
        whole = cv2.imread(str(art))
        assert whole is not None
        picture = cv2.resize(whole, (128, 128), interpolation=cv2.INTER_AREA)
        turn = int(rng.integers(4))
        # A picture that lies `turn` quarters clockwise from the design's own north.
        face = np.rot90(picture, -turn) * light + rng.normal(0, 4, picture.shape)
        faces.append(np.clip(face, 0, 255).astype(np.uint8))
        truth.append((name, turn))
    return faces, truth


def guesses_of(pack_id: str, faces: list[NDArray[np.uint8]], named: dict[int, tuple[str, int]]) -> Guesses:
    return guessed_by_sides(faces, [1] * len(faces), named, load_pack(pack_id))


def edges_as_shown(pack_id: str, design: str, turn: int) -> list[str]:
    edges = load_pack(pack_id).designs[design].tile.edges
    return [edges[EDGES[(at - turn) % 4]] for at in range(4)]


@pytest.mark.parametrize("pack_id", ["bastide", "taiga"])
def test_a_few_names_tell_what_the_others_may_be(pack_id: str) -> None:
    faces, truth = faces_of(pack_id, 0.9)
    named = {number: truth[number] for number in range(0, len(truth), 4)}
    told = guesses_of(pack_id, faces, named)
    assert told.keys() == set(range(len(truth))) - named.keys()
    first = [edges_as_shown(pack_id, *told[n][0]) == edges_as_shown(pack_id, *truth[n]) for n in told]
    among = [truth[n][0] in {design for design, _ in told[n]} for n in told]
    assert np.mean(first) > 0.55, f"edges right of {np.mean(first):.2f}"
    assert np.mean(among) > 0.6, f"design among the guesses of {np.mean(among):.2f}"


def test_used_up_designs_are_not_guessed_and_too_few_names_give_no_guess() -> None:
    faces, truth = faces_of("bastide")
    counts = {name: design.count for name, design in load_pack("bastide").designs.items()}
    named = dict(enumerate(truth[:12]))
    gone = {design for design, _ in named.values() if counts[design] == 1}
    assert gone
    for some in guesses_of("bastide", faces, named).values():
        assert not gone & {design for design, _ in some} and len(some) > 1
    assert guesses_of("bastide", faces, dict(enumerate(truth[: FEWEST_NAMED - 1]))) == {}
    assert guesses_of("bastide", [], {}) == {}
