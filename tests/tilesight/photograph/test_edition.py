"""Editions of photographed boards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.pack import load_pack
from tilesight.photograph.edition import no_rules, other_edition, with_rules
from vision.board import SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.image.camera_profile import Camera
from vision.joint.belief_propagation import Face
from vision.observation import BoardPose, Frame, Observation
from vision.pipeline import Pipeline

PACK = load_pack("carcassonne")
PRINTED = Frame(np.random.default_rng(1).integers(0, 256, (60, 80, 3)).astype(np.uint8))
BLANK = Frame(np.zeros((60, 80, 3), np.uint8))
QUAD = np.array([(0, 0), (9, 0), (9, 9), (0, 9)], np.float32)


def test_faces_alone_are_scored_by_the_game_that_has_them() -> None:
    faces = replace(PACK, id="faces", game=None)
    assert with_rules(faces).game == "carcassonne"
    assert with_rules(PACK) is PACK
    fewer = dict(PACK.designs)
    fewer["BC-A"] = replace(fewer["BC-A"], count=9)
    other = replace(faces, designs=fewer)
    assert with_rules(other) is other


def test_faces_alone_that_no_game_has_say_how_to_get_points() -> None:
    said = no_rules(replace(PACK, id="faces", game=None))
    assert said is not None and said.startswith("faces has faces but no rules") and "\n" not in said
    assert "tilesight enrol --images FOLDER --pack bastide or" in said and "tricky-safari" not in said
    assert no_rules(PACK) is None and no_rules(None) is None


def board(named: int) -> SolvedBoard:
    tiles = [SeenTile((k, 0), Face("BC-A", 0), 0.99 if k < named else 0.3, QUAD) for k in range(8)]
    return SolvedBoard(tuple(tiles), (), LatticeFrame((0, 0), 0))


@pytest.mark.parametrize(
    ("named", "outlined", "other"), [(8, 30, False), (1, 30, True), (1, 3, False), (0, 6, True)]
)
def test_a_board_that_hardly_any_face_explains_is_of_another_edition(
    named: int, outlined: int, other: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    quads = {(k, 0): QUAD for k in range(outlined)}
    pose = BoardPose(np.eye(3), quads, (80, 60), 1.0)
    seen = Observation(0, 0.0, pose, (), {}, ())
    monkeypatch.setattr(Pipeline, "observe", lambda *_: seen)
    assert other_edition(BLANK, Camera("a camera"), board(named)) is None  # its squares are no tiles
    told = other_edition(PRINTED, Camera("a camera"), board(named))
    assert (told is not None) is other
    assert told is None or all(tile.face is None for tile in told.tiles)
