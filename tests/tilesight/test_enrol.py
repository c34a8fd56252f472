"""`tilesight enrol --sheet` as it is used: photos of loose tiles in, a gallery out that is found again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.pack import load_pack
from models import load
from tests.vision.toy_sheet import toy_sheet
from tilesight import app as command_line
from vision.gallery import load_gallery

NAMES = ("CS1", "CS3-E", "CS3-G", "CS4-L", "CS7-Z", "CS12-Z", "CS15-ME", "CS23-MEE")


def sheet(path: Path) -> Path:
    """A photo of eight tiles of the house deck and two more of the same faces."""
    pack = load_pack("savanna")
    faces = []
    for name in (*NAMES, NAMES[1], NAMES[5]):
        art = pack.art_path(name)
        assert art is not None
        faces.append(cv2.resize(cv2.imread(str(art)), (160, 160), interpolation=cv2.INTER_AREA))
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


def test_tiles_that_are_known_are_named_by_themselves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    photo = sheet(tmp_path / "sheet.jpg")
    asked = ("enrol", "--pack", "savanna", "--yes", "--json", "--sheet", photo)
    code, out, _ = run(monkeypatch, capsys, tmp_path / "home", *asked)
    said = json.loads(out)
    assert code == 0
    assert (said["named"], said["unnamed"], said["missing"]) == (len(NAMES), 0, [])
    path = tmp_path / "home" / "galleries" / "savanna.gallery"
    gallery = load_gallery(path, load("descriptor"))
    counts = dict(zip(gallery.designs, np.bincount(gallery.face_design), strict=True))
    assert all(counts[name] == 2 for name in NAMES if name not in (NAMES[1], NAMES[5]))
    assert counts[NAMES[1]] == counts[NAMES[5]] == 3  # two tiles of one face: two more pictures of it
    assert counts["CS33-G"] == 1  # not shown: known by the pack's own art


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sheet nowhere.jpg", "nowhere.jpg: no such file"),
        ("--sheet .", "holds no pictures"),
        ("--sheet table.png", "no tiles are seen"),
        ("", "--images FOLDER or with --sheet"),
        ("--images . --sheet table.png", "one of them"),
        ("--images . other.jpg", "photos belong to --sheet"),
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
            with urllib.request.urlopen(request, timeout=20) as answer:
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
    assert (program.returncode, err) == (0, "")
    said = json.loads(out)
    assert (said["named"], said["unnamed"], said["designs"]) == (2, len(NAMES) - 3, 2)
    assert "HG03" in said["missing"]
    gallery = tmp_path / "home" / "galleries" / "hunters-gatherers-2020.gallery"
    assert load_gallery(gallery, load("descriptor")).designs == ("HG01", "HG02")
