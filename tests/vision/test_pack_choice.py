"""Recognition of the pack: the one that explains the cells is chosen; others are opened only if needed."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import pytest

from engine.pack import Pack, load_pack, read_pack
from models import load
from tests.tilesight.photograph.no_boards import photographed
from tests.tilesight.toy_pack import CELLS, toy_values
from tests.vision.toy_boards import toy_board, toy_faces
from vision.observation import Frame, Observation
from vision.pack_choice import PackCandidate, PackChooser
from vision.pipeline import Pipeline
from vision.tiles.gallery import Gallery, build_gallery


@lru_cache
def known(name: str, seed: int) -> tuple[Pack, Gallery]:
    """A pack with twelve faces of its own."""
    faces = [(f"T{n}", face) for n, face in enumerate(toy_faces(seed, 12, 256))]
    return read_pack(toy_values(name), None), build_gallery(name, faces, load("descriptor"))


def photo(seed: int) -> Frame:
    """A board of the pack of that seed."""
    return Frame(toy_board(4, CELLS, faces=toy_faces(seed, 12, 256)).image)


class Packs:
    """Candidates that remember which of them were opened."""

    def __init__(self, *names: tuple[str, int]) -> None:
        self.opened: list[str] = []
        self.candidates = [PackCandidate(name, partial(self._open, name, seed)) for name, seed in names]

    def _open(self, name: str, seed: int) -> tuple[Pack, Gallery] | None:
        self.opened.append(name)
        return None if seed < 0 else known(name, seed)


def test_the_first_one_is_read_as_if_it_were_alone() -> None:
    packs = Packs(("first", 4), ("second", 9))
    others = iter(packs.candidates)
    chooser = PackChooser(others)
    seen = chooser.observe(photo(4))
    assert [one.name for one in others] == ["second"]  # nobody asked for it
    pack, faces = known("first", 4)
    alone = Pipeline(faces, pack).observe(photo(4))
    assert packs.opened == ["first"]
    assert chooser.choice.recognised and chooser.choice.pack is pack
    assert set(seen.cells) == set(alone.cells) and "choose" not in seen.timing_ms
    for cell, reading in alone.cells.items():
        assert np.array_equal(seen.cells[cell].log_probs, reading.log_probs)


def test_another_one_is_taken_where_it_explains_the_board() -> None:
    packs = Packs(("first", 4), ("broken", -1), ("second", 9), ("third", 11))
    chooser = PackChooser(packs.candidates)
    seen = chooser.observe(photo(11))
    choice = chooser.choice
    assert choice.pack is not None and choice.recognised
    assert choice.pack.id == "third"
    assert set(choice.scores) == {"first", "second", "third"}  # what cannot be opened is passed over
    assert choice.scores["third"] > 0.9 > 0.3 > max(choice.scores["first"], choice.scores["second"])
    assert seen.designs == tuple(f"T{n}" for n in range(12)) and len(seen.cells) == 12


@pytest.mark.long
def test_a_board_of_an_unknown_pack_keeps_the_first_pack() -> None:
    chooser = PackChooser(Packs(("first", 4), ("second", 9)).candidates)
    chooser.observe(photo(11))
    assert chooser.choice.pack is not None and not chooser.choice.recognised
    assert chooser.choice.pack.id == "first"


def test_where_no_pack_can_be_opened_nothing_is_seen() -> None:
    chooser = PackChooser(Packs(("broken", -1)).candidates)
    assert chooser.observe(photo(4)).pose is None
    assert chooser.choice.pack is None


def test_a_glance_is_what_is_seen_or_nothing() -> None:
    pack, faces = known("first", 4)
    assert Pipeline(faces, pack).glance(photo(9)) is None
    assert Pipeline(faces, pack).glance(replace(photo(4), image=np.full((480, 640, 3), 90, np.uint8))) is None


@pytest.mark.long
def test_boards_of_parts_are_tried_too() -> None:
    squares = load_pack("tricky-safari")
    faces = zip(squares.designs, toy_faces(20, 4, 256), strict=True)
    gallery = build_gallery(squares.id, faces, load("descriptor"))
    opened = {"toy": known("toy", 4), squares.id: (squares, gallery)}
    candidates = [PackCandidate(name, partial(opened.get, name)) for name in opened]
    chooser = PackChooser(candidates)
    chooser.observe(photo(9))
    assert chooser.choice.scores[squares.id] == 0.0
    assert set(chooser.choice.scores) == set(opened)


def test_no_pack_of_tiles_is_read_where_a_pattern_is_outlined(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> Observation:
        raise AssertionError("a pack is read in vain")

    monkeypatch.setattr(Pipeline, "observe", never)
    chooser = PackChooser(Packs(("first", 4), ("second", 9)).candidates)
    assert chooser.observe(Frame(photographed("calendar", 1))).pose is None
    assert chooser.choice.pack is None and set(chooser.choice.scores) == {"first", "second"}
    assert len(chooser.galleries) == 2


def test_of_an_outlined_board_only_packs_are_read_that_its_tiles_resemble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    observe = Pipeline.observe

    def counted(self: Pipeline, frame: Frame) -> Observation:
        read.append(self._pack.id if self._pack is not None else "")
        return observe(self, frame)

    monkeypatch.setattr(Pipeline, "observe", counted)
    packs = ("first", 4), ("second", 9), ("third", 11)
    known_one = PackChooser(Packs(*packs).candidates, outlined=True)
    known_one.observe(photo(11))
    assert known_one.choice.recognised and read == ["third"]
    unknown = PackChooser(Packs(*packs[:2]).candidates, outlined=True)
    unknown.observe(photo(11))
    assert unknown.choice.pack is None and read == ["third"]
