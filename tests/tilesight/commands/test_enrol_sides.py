"""`tilesight enrol` tells pictures whose sides show other land than their name, and turns them if it may."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.sheet import Guess, SheetFace
from engine.geometry import EDGES
from engine.pack import load_pack
from models import load
from tests.tilesight.commands.test_enrol import run
from tests.tilesight.toy_pack import write_pack
from tests.vision.joint.test_sides import SIDE, picture_of
from tilesight.commands import enrol
from tilesight.public.enrolment import enrol as enrol_here
from vision.tiles.gallery import FACE_PX
from vision.tiles.gallery_file import load_gallery

NAMES = [f"BC-{letter}" for letter in "ADEFIJKLNPUVW"]
Ways = tuple[pytest.MonkeyPatch, pytest.CaptureFixture[str], Path]


def faces() -> dict[str, np.ndarray]:
    row = picture_of(load_pack("carcassonne"), NAMES)
    upright = {name: row[:, at * SIDE : (at + 1) * SIDE] for at, name in enumerate(NAMES)}
    return {
        name: np.asarray(cv2.resize(face, (FACE_PX, FACE_PX)), np.uint8) for name, face in upright.items()
    }


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Designs of Carcassonne as a pack, and their pictures; that of BC-K lies a quarter turn clockwise."""
    designs = load_pack("carcassonne").designs
    tiles = [
        {"id": name, "edges": {edge: designs[name].tile.edges[edge] for edge in EDGES}, "features": []}
        for name in NAMES
    ]
    values = {"tilesight": 1, "id": "toy", "game": None, "title": "Toy", "tiles": tiles}
    folder = write_pack(tmp_path / "toy", values, art=False)
    for name, face in faces().items():
        cv2.imwrite(str(folder / f"{name}.png"), np.rot90(face, -1) if name == "BC-K" else face)
    return folder


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ways:
    return monkeypatch, capsys, tmp_path / "home"


def kept(home: Path) -> np.ndarray:
    """The enrolled picture of BC-K."""
    gallery = load_gallery(home / "galleries" / "toy.gallery", load("descriptor"))
    return np.asarray(gallery.faces[gallery.designs.index("BC-K")])


def test_a_wrong_turn_is_told_and_stays_as_it_is_where_nobody_is_asked(ways: Ways, pack: Path) -> None:
    code, _, err = run(*ways, "enrol", "--pack", pack, "--images", pack)
    assert code == 0
    assert "BC-K: its sides fit after a quarter turn anticlockwise\n" in err and "--yes" in err
    wrong = kept(ways[2])
    code, out, err = run(*ways, "enrol", "--pack", pack, "--images", pack, "--yes", "--json")
    assert (code, err) == (0, "tilesight: BC-K: its sides fit after a quarter turn anticlockwise: turned\n")
    said = json.loads(out)
    assert said["turned"] == 1
    assert [(one["design"], one["turn"], one["fits"]) for one in said["sides"]] == [("BC-K", 3, [])]
    assert np.array_equal(kept(ways[2]), np.rot90(wrong))


@pytest.mark.parametrize("agreed", [True, False])
def test_at_a_terminal_the_turn_is_offered(ways: Ways, pack: Path, agreed: bool) -> None:
    monkeypatch, _, home = ways
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: agreed)
    assert run(*ways, "enrol", "--pack", pack, "--images", pack)[0] == 0
    assert np.array_equal(kept(home), faces()["BC-K"]) == agreed


def test_the_library_returns_the_line(monkeypatch: pytest.MonkeyPatch, pack: Path, tmp_path: Path) -> None:
    told = enrol_here(str(pack), pack, out=tmp_path / "toy.gallery")
    assert told.warnings == ("BC-K: its sides fit after a quarter turn anticlockwise",)
    assert told.to_json()["warnings"] == [*told.warnings]


def test_faces_of_other_sets_are_left_out(ways: Ways, pack: Path) -> None:
    """One face is taken for BC-A but has a city on each side, another is like no known face."""
    shown = faces()
    sheet = [face_of(shown[name], name, 0.99) for name in NAMES]
    stranger = np.full((FACE_PX, FACE_PX, 3), (90, 140, 190), np.uint8)
    sheet += [face_of(stranger, "BC-A", 0.95), face_of(stranger // 2, "BC-A", 0.1)]
    ways[0].setattr(enrol._Reader, "faces", lambda *_, **__: tuple(sheet))
    asked = ("enrol", "--pack", pack, "--sheet", pack, "--yes")
    code, out, err = run(*ways, *asked)
    assert code == 0, err
    assert f"2 of {len(sheet)} faces are of no design of this pack" in out and "have no name" not in out
    said: dict[str, Any] = json.loads(run(*ways, *asked, "--json")[1])
    assert (said["named"], said["unnamed"], said["foreign"]) == (len(NAMES), 0, 2)


def face_of(picture: np.ndarray, design: str, confidence: float) -> SheetFace:
    return SheetFace(picture[None], (Guess(design, 0, confidence),))
