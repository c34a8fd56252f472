"""`tilesight enrol --sheet` end to end: from photos of loose tiles to a gallery that other commands find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.pack import load_pack
from models import load
from tests.pictures import read_picture
from tests.tilesight.toy_pack import bare_table, toy_values, write_pack, write_photo
from tests.vision.toy_sheet import toy_sheet
from tilesight import app as command_line
from vision.tiles.gallery_file import load_gallery

NAMES = ("CS1", "CS3-E", "CS3-G", "CS4-L", "CS7-Z", "CS12-Z", "CS15-ME", "CS23-MEE")


def sheet(path: Path) -> Path:
    """A photo of eight tiles of the house deck and two more of the same faces."""
    pack = load_pack("savanna")
    faces = []
    for name in (*NAMES, NAMES[1], NAMES[5]):
        art = read_picture(pack.art_path(name))
        faces.append(cv2.resize(art, (160, 160), interpolation=cv2.INTER_AREA))
    cv2.imwrite(str(path), toy_sheet(9, np.stack(faces))[0])
    return path


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path, *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setenv("TILESIGHT_HOME", str(home))
    monkeypatch.setattr(sys, "argv", ["tilesight", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


@pytest.mark.long
def test_tiles_that_are_known_are_named_by_themselves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    photo = sheet(tmp_path / "sheet.jpg")
    asked = ("enrol", "--pack", "savanna", "--yes", "--json", "--sheet", photo)
    code, out, _ = run(monkeypatch, capsys, tmp_path / "home", *asked)
    said = json.loads(out)
    assert code == 0
    assert (said["named"], said["unnamed"], said["pack"]) == (len(NAMES), 0, "safari")
    assert "CS33-G" in said["missing"] and "token-lion" in said["missing"]
    assert not (tmp_path / "home" / "galleries" / "savanna.gallery").exists(), "the house deck is hidden"
    path = tmp_path / "home" / "galleries" / "safari.gallery"
    gallery = load_gallery(path, load("descriptor"))
    counts = dict(zip(gallery.designs, np.bincount(gallery.face_design), strict=True))
    assert all(counts[name] == 1 for name in NAMES if name not in (NAMES[1], NAMES[5]))
    assert counts[NAMES[1]] == counts[NAMES[5]] == 2  # two tiles of one face


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sheet nowhere.jpg", "nowhere.jpg: no such file"),
        ("--sheet .", "holds no pictures"),
        ("--sheet table.png", "no tiles are seen"),
        ("--yes", "--yes needs --images FOLDER or --sheet"),
        ("--images . --sheet table.png", "give either --images FOLDER"),
        ("--images . other.jpg", "photos need --sheet"),
    ],
)
def test_wrong_use_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "table" in words:
        cv2.imwrite("table.png", np.full((240, 320, 3), 90, np.uint8))
    code, out, err = run(monkeypatch, capsys, tmp_path / "home", "enrol", "--pack", "savanna", *words.split())
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]


@pytest.mark.long
def test_tiles_of_a_pack_without_art_are_named_on_the_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tilesight.app", "enrol", "--pack", "hunters-gatherers-2020", "--sheet"]
    command += [str(sheet(tmp_path / "sheet.jpg")), "--host", "127.0.0.1", "--port", "0", "--json"]
    env = {**os.environ, "TILESIGHT_HOME": str(tmp_path / "home")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as program:
        assert program.stdout is not None
        ready = json.loads(program.stdout.readline())

        def ask(path: str, body: Any = None) -> Any:
            request = urllib.request.Request(
                ready["url"] + path,
                None if body is None else json.dumps(body).encode(),
                {"X-Table-Key": ready["key"], "Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())

        try:
            told = ask("/api/faces")
            ask("/api/faces/0", {"design": "HG01", "turn": 1})
            ask("/api/faces/1", {"design": "HG02"})
            ask("/api/faces/2", {"dropped": True})
            ask("/api/finish", {})
            out, err = program.communicate(timeout=60)
        finally:
            program.kill()
    assert len(told["faces"]) == len(NAMES)
    assert all(face["design"] is None for face in told["faces"])
    assert program.returncode == 0
    assert [json.loads(line) for line in err.splitlines()] == [{"looked": 1, "of": 1}]
    said = json.loads(out)
    assert (said["named"], said["unnamed"], said["designs"]) == (2, len(NAMES) - 3, 2)
    assert "HG03" in said["missing"]
    gallery = tmp_path / "home" / "galleries" / "hunters-gatherers-2020.gallery"
    assert load_gallery(gallery, load("descriptor")).designs == ("HG01", "HG02")


@pytest.mark.long
def test_a_gallery_of_a_folder_carries_the_pack_for_every_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home, pack, path = tmp_path / "home", write_pack(tmp_path / "toy"), tmp_path / "toy.gallery"
    ask = partial(run, monkeypatch, capsys, home)
    assert ask("enrol", "--pack", pack, "--images", pack, "--out", path)[0] == 0
    (tmp_path / "photos").mkdir()
    photo = write_photo(tmp_path / "photos" / "T0_board.png")
    pack.rename(tmp_path / "gone")  # nothing but the gallery is left
    code, out, err = ask("photo", photo, "--gallery", path, "--json")
    said = json.loads(out)
    assert (code, said["pack"], "pack_chosen" in said) == (0, "toy", False)
    assert "has faces but no rules" in err
    assert sorted(tile["tile"] for tile in said["tiles"]) == sorted(f"T{n}" for n in range(12))
    assert ask("bench", "tiles", tmp_path / "photos", "--gallery", path)[0] == 0
    truth = [{"file": photo.name, "size_wh": [1280, 720], "pack": "toy", "tiles": [], "pieces": []}]
    (tmp_path / "photos" / "truth.json").write_text(json.dumps(truth))
    code, out, _ = ask("bench", "vision", tmp_path / "photos", "--gallery", path, "--json")
    assert (code, json.loads(out)["vision"]["images"]) == (0, 1)
    code, _, err = ask("photo", photo, "--gallery", path, "--pack", "savanna")
    assert (code, err) == (2, f"tilesight: the gallery {path} is of pack 'toy', not of 'savanna'\n")


@pytest.mark.long
def test_a_photograph_is_read_with_the_enrolled_gallery_that_knows_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home, pack = tmp_path / "home", write_pack(tmp_path / "toy")
    ask = partial(run, monkeypatch, capsys, home)
    photo = write_photo(tmp_path / "photo.png")
    code, out, err = ask("photo", photo, "--json")
    unknown = json.loads(out)
    assert (code, unknown["pack"], unknown["pack_recognised"]) == (0, None, False)
    assert len(unknown["tiles"]) == 12 and not any(one["tile"] for one in unknown["tiles"])  # only located
    assert "no known pack" in err
    assert all(word in err for word in ("--pack", "--gallery", "tilesight enrol", "--pack none"))
    assert ask("enrol", "--pack", pack, "--images", pack)[0] == 0
    (home / "galleries" / "damaged.gallery").write_bytes(b"damaged")
    code, out, err = ask("photo", photo, "--json")
    said = json.loads(out)
    assert (code, said["pack"], said["pack_chosen"], said["pack_recognised"]) == (0, "toy", True, True)
    scores = {one["pack"]: one["score"] for one in said["packs_tried"]}
    assert scores["toy"] > 0.9 > 0.3 > scores["savanna"]
    assert len(said["tiles"]) == 12 and said["timing_ms"]["choose"] > 0
    assert "read as toy" in err and "damaged.gallery" in err


def test_no_board_names_what_would_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sand = np.random.default_rng(1).integers(0, 256, (480, 640, 3)).astype(np.uint8)
    table = tmp_path / "table.png"
    cv2.imwrite(str(table), sand)
    code, out, err = run(monkeypatch, capsys, tmp_path / "home", "photo", table, "--pack", "savanna")
    assert (code, out) == (1, "")
    assert "no board found" in err and "savanna" in err and "--pack none" in err
    code, out, err = run(monkeypatch, capsys, tmp_path / "home", "photo", table, "--pack", "none")
    assert (code, err) == (1, f"tilesight: no board found in {table}\n")
    table = bare_table(tmp_path / "bare.png")
    code, out, err = run(monkeypatch, capsys, tmp_path / "home", "photo", table)
    assert (code, out) == (1, "")
    assert "hardly any detail" in err and err.count("\n") == 1


def test_scans_of_animal_tiles_may_lie_beside_those_of_the_faces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    values = toy_values(count=2) | {"tokens": {"animals": {"lion": 2}, "mm": 20}}
    pack = write_pack(tmp_path / "toy", values)
    cv2.imwrite(str(pack / "token-lion.png"), np.full((64, 64, 3), 77, np.uint8))
    path = tmp_path / "toy.gallery"
    asked = ("enrol", "--pack", pack, "--images", pack, "--out", path)
    assert run(monkeypatch, capsys, tmp_path / "home", *asked)[0] == 0
    carried = load_gallery(path, load("descriptor")).carried
    assert carried is not None
    assert carried.pictures == {"token-lion.png": (pack / "token-lion.png").read_bytes()}
