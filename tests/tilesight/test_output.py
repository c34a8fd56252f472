"""Files that users name for a command's output: whole or as before, and never one of its inputs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.tilesight.toy_pack import edition, gallery_of, write_pack
from tilesight.app import app
from tilesight.output import OutputError, check_output, write_output

FULL = """
import resource, signal, sys
from pathlib import Path
from tilesight.output import OutputError, write_output

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
try:
    write_output(Path(sys.argv[1]), "report", bytes(1000))
except OutputError as error:
    print(error)
"""
"""A program whose disk takes no more than 500 bytes of a file."""


def spellings(file: Path) -> list[Path]:
    """Other names of a file: relative, by a folder's link, symbolic and hard link."""
    folder = file.parent
    (folder / "link").symlink_to(file)
    (folder / "hard").hardlink_to(file)
    (folder / "folder").symlink_to(folder, target_is_directory=True)
    detour = Path(os.path.relpath(folder)) / ".." / folder.name / file.name
    return [file, detour, folder / "link", folder / "hard", folder / "folder" / file.name]


def told(*words: str | Path) -> str:
    """What a command that is refused says; its exit status must be 2 and its text one line."""
    result = CliRunner().invoke(app, list(map(str, words)))
    error = result.exception
    assert isinstance(error, OutputError) and "\n" not in str(error), (result.output, error)
    return str(error)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_file_that_the_disk_does_not_take_is_as_before(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_output(path, "report", b"old")
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, encoding="utf-8", check=True
    )
    assert run.stdout == f"{path}: the report cannot be written (File too large)\n"
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows needs a right for links")
@pytest.mark.parametrize("number", range(5))
def test_a_photograph_is_not_overwritten_by_its_overlay_or_report(tmp_path: Path, number: int) -> None:
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), np.full((90, 120, 3), 128, np.uint8))
    content, other = photo.read_bytes(), spellings(photo)[number]
    said = told("photo", photo, "--pack", "none", "--overlay", other)
    assert said == f"{other}: is an input of this command; name another file for the overlay"
    assert photo.read_bytes() == content


def test_an_overlay_and_a_report_are_two_files(tmp_path: Path) -> None:
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), np.full((90, 120, 3), 128, np.uint8))
    both = tmp_path / "both.pdf"
    assert "name two files" in told("photo", photo, "--overlay", both, "--report", both)


def test_no_command_overwrites_an_input(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "toy")
    gallery = gallery_of(edition(tmp_path, "print"), tmp_path / "print.gallery")
    picture, page = pack / "T1.png", tmp_path / "red.jpg"
    page.write_bytes(picture.read_bytes())
    profile = tmp_path / "my.camera.json"
    profile.write_text("{}", "utf-8")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    told("photo", page, "--gallery", gallery, "--overlay", gallery)
    told("photo", page, "--calibration", profile, "--overlay", profile)
    told("print", pack, picture)
    told("print", pack, pack / "pack.json")
    told("enrol", "--pack", pack, "--images", pack, "--out", picture)
    told("enrol", "--pack", pack, "--sheet", page, "--out", page)
    told("calibrate", "--images", pack, "--out", picture)
    told("calibrate", "--colors", f"red={page}", "--out", page)
    told("calibrate", "--colors", f"red={pack}", "--gallery", gallery, "--out", gallery)
    (pack / "truth.json").write_text("[]", "utf-8")
    told("bench", "vision", pack, "--report", pack / "truth.json")
    (pack / "truth.json").unlink()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_an_output_of_before_may_lie_among_the_inputs(tmp_path: Path) -> None:
    for name in ("page.html", "one.gallery", "one.camera.json"):
        (tmp_path / name).touch()
        check_output(tmp_path / name, "output", [tmp_path, None, tmp_path / "none"])
