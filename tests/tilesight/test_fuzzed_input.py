"""Fuzzed input: pictures of every make, damaged files and wrong values, drawn from fixed seeds.

Each gets an answer, or one line and an exit code; never a traceback.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from models import ModelError, load
from tests.fuzz import altered, damaged, one_line
from tests.vision.plain_descriptor import plain_descriptor
from tests.vision.toy_boards import toy_board
from tilesight import app as command_line
from tilesight.grading.marks import mark_photo
from tilesight.grading.truth import TruthError, read_photo_folder
from tilesight.sessions.session import SessionError, read_session
from vision.board import see_board
from vision.image.decode import decode_image
from vision.image.decoder import LARGEST_SIDE_PX, FrameError
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.gallery import GalleryError, build_gallery
from vision.tiles.gallery_file import load_gallery

TABLE = (90 + np.add.outer(np.arange(96), np.arange(128))[..., None] / (2, 3, 5)).astype(np.uint8)
TABLE += np.random.default_rng(5).integers(0, 5, TABLE.shape, np.uint8)


def saved(picture: Image.Image, form: str, **how: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, form, **how)
    return buffer.getvalue()


@lru_cache
def makes() -> dict[str, bytes]:
    """The same picture as cameras, scanners and programs write it; every one can be read."""
    picture = Image.fromarray(TABLE)
    turned = picture.getexif()
    turned[274] = 6
    deep = (TABLE[..., 0].astype(np.uint16) << 8) + 7
    return {
        "plain.jpg": saved(picture, "JPEG"),
        "progressive.jpg": saved(picture, "JPEG", progressive=True),
        "grey.jpg": saved(picture.convert("L"), "JPEG"),
        "cmyk.jpg": saved(picture.convert("CMYK"), "JPEG"),
        "turned.jpg": saved(picture, "JPEG", exif=turned),
        "is-a-png.jpg": saved(picture, "PNG"),
        "deep.png": saved(Image.fromarray(deep), "PNG"),
        "palette.png": saved(picture.convert("P"), "PNG"),
        "two-colours.png": saved(picture.convert("1"), "PNG"),
        "transparent.png": saved(picture.convert("RGBA"), "PNG"),
        "animated.png": saved(picture, "PNG", save_all=True, append_images=[picture]),
        "animated.webp": saved(picture, "WEBP", save_all=True, append_images=[picture.rotate(9)]),
        "animated.bmp": saved(picture, "GIF", save_all=True, append_images=[picture.rotate(9)]),
        "floats.tif": saved(Image.fromarray(TABLE[..., 0].astype(np.float32)), "TIFF"),
        "lab.tif": saved(picture.convert("LAB"), "TIFF"),
    }


WRECKS = (
    "half.jpg", "empty.png", "text.jpg", "one-pixel.png", "narrow.png", "endless.png", "bomb.png",
)  # fmt: skip


@lru_cache
def wrecks() -> dict[str, bytes]:
    """What cannot be used: exit 2, and a line that names the file."""
    whole = makes()["plain.jpg"]
    made = {
        "half.jpg": whole[: len(whole) // 2],
        "empty.png": b"",
        "text.jpg": b"this is no picture\n" * 9,
        "one-pixel.png": saved(Image.new("RGB", (1, 1)), "PNG"),
        "narrow.png": saved(Image.new("RGB", (63, 400)), "PNG"),
        "endless.png": saved(Image.new("1", (LARGEST_SIDE_PX + 1, 64)), "PNG"),
        "bomb.png": saved(Image.new("1", (30_000, 30_000)), "PNG"),
    }
    assert tuple(made) == WRECKS
    return made


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the program: its exit code, output and messages. The home is an empty one."""
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))

    def program(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tilesight", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return program


def refused(answer: tuple[int, str, str], name: str) -> bool:
    """Whether this is exit 2 with one line that names the file."""
    code, out, err = answer
    return code == 2 and not out and err.startswith("tilesight: ") and err.count("\n") == 1 and name in err


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", list(makes()))
def test_every_make_of_picture_is_read(run: Run, tmp_path: Path, name: str) -> None:
    folder = write(tmp_path, {name: makes()[name]})
    code, out, _ = run("photo", folder / name, "--pack", "none", "--json")
    assert code == 1
    assert json.loads(out)["image"]["size_wh"] == ([96, 128] if name == "turned.jpg" else [128, 96])


@pytest.mark.parametrize(
    "name", [WRECKS[0], *(pytest.param(name, marks=pytest.mark.long) for name in WRECKS[1:])]
)
def test_every_command_reports_an_unreadable_picture_in_one_line(run: Run, tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "pictures", {name: wrecks()[name]}) / name
    assert refused(run("photo", path, "--pack", "none", "--json"), name)
    assert refused(run("enrol", "--pack", "savanna", "--images", path.parent, "--json"), name)
    assert refused(run("enrol", "--pack", "savanna", "--sheet", path, "--yes", "--json"), name)
    assert refused(run("bench", "tiles", path.parent, "--json"), name)
    (path.parent / "truth.json").write_text(json.dumps([{"file": name, "tiles": []}]), "utf-8")
    assert refused(run("bench", "vision", path.parent, "--pack", "none", "--json"), name)
    session = session_of(path.parent, [name])
    assert refused(run("replay", session, "--json"), name)


def test_a_live_table_says_what_it_cannot_read_and_goes_on(run: Run, tmp_path: Path) -> None:
    files = {"a.jpg": makes()["plain.jpg"], **wrecks(), "z.jpg": makes()["grey.jpg"]}
    session = session_of(write(tmp_path / "pictures", files), list(files))
    asked = ("--game", "safari", "--players", "red=Ana,blue=Bo", "--camera", session, "--pace", "fast")
    code, out, _ = run("live", *asked, "--host", "127.0.0.1", "--port", 0, "--exit-at-end", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert lines[-1]["turns"] == []
    told = " ".join(line.get("message", "") for line in lines if line.get("type") == "camera")
    assert all(name in told for name in WRECKS)


@pytest.mark.long
def test_a_long_thin_picture_has_no_board(run: Run, tmp_path: Path) -> None:
    for size in ((LARGEST_SIDE_PX, 64), (64, 9000)):
        path = write(tmp_path, {"thin.png": saved(Image.new("L", size, 90), "PNG")}) / "thin.png"
        assert run("photo", path, "--pack", "none", "--json")[0] == 1


def test_damaged_pictures_decode_or_say_so() -> None:
    rng = random.Random(11)
    for _ in range(60):
        for name, data in makes().items():
            try:
                image = decode_image(damaged(data, rng), name=name)
            except FrameError as error:
                assert one_line(error)
                assert str(error).startswith(f"{name}: ")
            else:
                assert image.dtype == np.uint8
                assert image.ndim == 3


# -- galleries and models --------------------------------------------------------------------------


@lru_cache
def gallery_fields() -> dict[str, np.ndarray]:
    """What a gallery file holds."""
    faces = [TABLE[:, :96], TABLE[::-1, :96]]
    gallery = build_gallery("toy", zip(("A", "B"), faces, strict=True), plain_descriptor())
    with np.load(io.BytesIO(gallery.to_bytes())) as file:
        return {name: file[name] for name in file.files}


def gallery_file(path: Path, fields: dict[str, Any]) -> Path:
    with path.open("wb") as file:
        np.savez(file, **fields)
    return path


def test_damaged_galleries_say_so(tmp_path: Path) -> None:
    rng = random.Random(12)
    whole = gallery_file(tmp_path / "whole.gallery", gallery_fields()).read_bytes()
    path = tmp_path / "toy.gallery"
    said = 0
    for _ in range(150):
        path.write_bytes(damaged(whole, rng))
        try:
            load_gallery(path, plain_descriptor())
        except GalleryError as error:
            assert one_line(error)
            assert str(path) in str(error)
            said += 1
    assert said > 100


FIELDS: tuple[Any, ...] = (
    np.array(0), np.array(2.5), np.array("x"), np.zeros(0), np.zeros((2, 3)), np.array(["A"]),
    np.array(["A", "B", "C"]), np.array([0, 5]), np.array([-1, 0]), np.array([0, 10**12]),
    np.full((2, 4, 144, 12), np.nan, np.float16), np.zeros((2, 4, 100, 12), np.float16),
    np.zeros(9, "datetime64[s]"), np.zeros(300, np.uint8),
)  # fmt: skip


def test_galleries_of_wrong_values_say_so_or_are_described_anew(tmp_path: Path) -> None:
    path = tmp_path / "toy.gallery"
    for name in gallery_fields():
        for value in (None, *FIELDS):
            fields = {**gallery_fields(), name: value}
            if value is None:
                del fields[name]
            gallery_file(path, fields)
            try:
                gallery = load_gallery(path, plain_descriptor())
            except GalleryError as error:
                assert one_line(error)
            else:
                assert gallery.descriptors.shape == (2, 4, 144, 12)
                assert np.isfinite(gallery.descriptors).all()
                assert gallery.model_sha256 == "plain"


def test_a_gallery_of_another_network_is_described_anew_and_a_broken_one_is_exit_2(
    run: Run, tmp_path: Path
) -> None:
    picture = write(tmp_path, {"table.jpg": makes()["plain.jpg"]}) / "table.jpg"
    fields = {**gallery_fields(), "pack": np.array("savanna"), "designs": np.array(["CSS-W", "CSS-E"])}
    other = gallery_file(tmp_path / "other.gallery", {**fields, "model_sha256": np.array("0" * 64)})
    assert run("photo", picture, "--gallery", other, "--json")[0] == 1
    strange = gallery_file(tmp_path / "strange.gallery", {**fields, "designs": np.array(["HG1", "HG2"])})
    assert refused(run("photo", picture, "--gallery", strange, "--json"), "HG1")
    asked = ("enrol", "--pack", "savanna", "--sheet", picture, "--yes", "--json", "--out")
    assert refused(run(*asked, strange), "HG1")
    for name, data in (("cut", other.read_bytes()[:-200]), ("picture", makes()["plain.jpg"]), ("none", b"")):
        path = tmp_path / f"{name}.gallery"
        path.write_bytes(data)
        assert refused(run("photo", picture, "--gallery", path, "--json"), path.name)
        assert refused(run("bench", "tiles", tmp_path, "--gallery", path, "--json"), path.name)
        assert refused(run(*asked, path), path.name)  # what was enrolled before is not thrown away unasked
        assert path.read_bytes() == data


def test_models_that_are_not_what_the_manifest_says(tmp_path: Path) -> None:
    rng = random.Random(13)
    network = b"not a network at all"
    entry = {
        "file": "toy.onnx",
        "sha256": hashlib.sha256(network).hexdigest(),
        "inputs": [{"name": "x", "shape": [None, 3], "dtype": "float32"}],
        "outputs": [{"name": "y", "shape": [None, 3], "dtype": "float32"}],
    }
    for number in range(120):
        folder = write(tmp_path / str(number), {"toy.onnx": network})
        document = altered({"tilesight": 1, "models": {"toy": entry}}, rng)
        text = json.dumps(document)
        (folder / "manifest.json").write_text(text[: rng.randrange(len(text))] if number % 5 == 0 else text)
        with pytest.raises(ModelError) as caught:
            load("toy", folder=folder)
        assert one_line(caught.value)


# -- sessions and answers --------------------------------------------------------------------------


def session_of(folder: Path, files: list[str]) -> Path:
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    frames = [{"file": name, "t_s": 0.2 * number} for number, name in enumerate(files)]
    session = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players, "frames": frames}
    (folder / "session.json").write_text(json.dumps(session), "utf-8")
    return folder


def test_sessions_of_wrong_values_say_so(tmp_path: Path) -> None:
    rng = random.Random(14)
    folder = session_of(write(tmp_path, {"a.jpg": makes()["plain.jpg"]}), ["a.jpg", "a.jpg"])
    path = folder / "session.json"
    session = json.loads(path.read_text())
    session |= {"rules": "zman", "title": "x", "rangers": [[-2, 0]], "hands": {"red": ["lion"]}}
    whole = json.dumps(session).encode()
    said = 0
    for number in range(300):
        data = damaged(whole, rng) if number % 4 == 0 else json.dumps(altered(session, rng)).encode()
        path.write_bytes(data)
        try:
            read_session(folder)
        except SessionError as error:
            assert one_line(error)
            assert "session.json" in str(error)
            said += 1
    assert said > 150


def test_a_session_against_the_rules_is_one_line(run: Run, tmp_path: Path) -> None:
    folder = session_of(write(tmp_path, {"a.jpg": makes()["plain.jpg"]}), ["a.jpg"])
    session = json.loads((folder / "session.json").read_text())
    changes: tuple[dict[str, Any], ...] = (
        {"pack": "none"}, {"pack": "tricky-safari"}, {"pack": "nowhere"}, {"rules": "house"},
        {"game": "ludo"}, {"players": []}, {"hands": {"red": ["dog"]}}, {"game": None},
        {"record_so_far": "none.jsonl"},
        {"record_so_far": "session.json"}, {"calibration": 3},
    )  # fmt: skip
    for change in changes:
        (folder / "session.json").write_text(json.dumps({**session, **change}))
        code, _, err = run("replay", folder, "--json")
        assert (code == 1) if "calibration" in change else refused((code, "", err), "")


def test_answers_of_wrong_values_say_so_or_can_be_compared_with(tmp_path: Path) -> None:
    rng = random.Random(15)
    board = toy_board(3, [(0, 0), (1, 0), (0, 1)])
    write(tmp_path, {"a.png": saved(Image.fromarray(np.ascontiguousarray(board.image[:, :, ::-1])), "PNG")})
    tiles = [
        {"tile": "A", "cell": list(cell), "rot": 90, "corners_px": quad.tolist(), "in_frame": 1, "visible": 1}
        for cell, quad in board.quads.items()
    ]
    piece = {"kind": "hut", "color": "red", "pose": "lying", "cell": [0, 0], "feature": "b0"}
    entry = {"file": "a.png", "tiles": tiles, "pieces": [{**piece, "point_px": [9, 9], "visible": 1}]}
    observation = Pipeline(None).observe(Frame(board.image))
    seen = see_board(observation, None)
    assert seen.tiles
    said = 0
    for number in range(300):
        whole = json.dumps([entry]).encode()
        data = damaged(whole, rng) if number % 4 == 0 else json.dumps([altered(entry, rng)]).encode()
        (tmp_path / "truth.json").write_bytes(data)
        try:
            (photo, *_) = read_photo_folder(tmp_path)
        except TruthError as error:
            assert one_line(error)
            assert "truth.json" in str(error)
            said += 1
        else:
            mark_photo(photo, observation, seen)
    assert said > 100
