"""`tilesight export` writes files for other programs, with names of the truth, the game and corrections."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image
from pycocotools import mask
from pycocotools.coco import COCO
from typer.testing import CliRunner

from tilesight.app import app
from tilesight.photograph.keeping import Seated, kept_entries
from tilesight.photograph.reading import ReadingOptions, read_photographs
from tilesight.table_log.event_store import write_log

run = CliRunner()
SAMPLES = Path(__file__).resolve().parents[3] / "samples"
PHOTO = SAMPLES / "house-boards" / "house-26.jpg"
TRUTH = next(
    one for one in json.loads((PHOTO.parent / "truth.json").read_text("utf-8")) if one["file"] == PHOTO.name
)


def export(*words: str | Path) -> dict[str, Any]:
    """Run the command; return its JSON document."""
    result = run.invoke(app, ["export", *map(str, words), "--json"])
    assert result.exit_code == 0, result.output or result.exception
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The photograph with a place and a camera's name in its EXIF."""
    exif = Image.Exif()
    exif[0x0110] = "Secret Camera 3000"
    exif[0x8825] = {1: "N", 2: (48.0, 8.0, 0.0)}
    path = tmp_path_factory.mktemp("photos") / PHOTO.name
    with Image.open(PHOTO) as picture:
        picture.save(path, quality=95, exif=exif)
    assert b"Secret Camera" in path.read_bytes()
    return path


def loaded(out: Path) -> Any:
    """Load an export with pycocotools, and check what every annotation must be."""
    coco: Any = COCO(out / "annotations.json")
    for image in coco.loadImgs(coco.getImgIds()):
        picture = cv2.imread(str(out / "images" / image["file_name"]))
        assert picture is not None and picture.shape[1::-1] == (image["width"], image["height"])
    annotations = coco.loadAnns(coco.getAnnIds())
    assert len({one["id"] for one in annotations}) == len(annotations) > 0
    assert coco.getAnnIds(iscrowd=True) == []
    for one in annotations:
        image = coco.loadImgs(one["image_id"])[0]
        x, y, width, height = one["bbox"]
        assert 0 <= x <= x + width <= image["width"] + 0.01 and 0 <= y <= y + height <= image["height"] + 0.01
        covered = float(mask.area(coco.annToRLE(one)))
        assert abs(covered - one["area"]) <= 0.03 * one["area"] + 2 * (width + height)
        told = one["attributes"]
        assert ("confidence" in told) == (told["provenance"] == "read")
    return coco


def named(coco: Any, sort: str) -> list[tuple[str, dict[str, Any]]]:
    """Names and annotations of tiles or pieces."""
    ids = coco.getAnnIds(catIds=[one for one, kind in coco.cats.items() if kind["supercategory"] == sort])
    return [(coco.cats[one["category_id"]]["name"], one) for one in coco.loadAnns(ids)]


def test_coco_has_the_tiles_and_pieces_of_a_photograph(photo: Path, tmp_path: Path) -> None:
    told = export(photo, "-o", tmp_path / "out", "--format", "coco")
    assert told["pictures"] == 1
    coco = loaded(tmp_path / "out")
    corners = {tuple(one["cell"]): (one["tile"], np.array(one["corners_px"])) for one in TRUTH["tiles"]}
    tiles = named(coco, "tile")
    assert len(tiles) == len(corners)
    for name, one in tiles:
        true_name, true_corners = corners[tuple(one["attributes"]["cell"])]
        got = np.array(one["segmentation"][0]).reshape(4, 2)
        assert name == true_name and np.abs(got - np.clip(true_corners, 0, (1280, 720))).max() < 6
    colors = [name for name, _ in named(coco, "piece") if name.endswith("meeple")]
    meeples = [one["attributes"] for name, one in named(coco, "piece") if name.endswith("meeple")]
    seen = [f"{one['color']} meeple" for one in TRUTH["pieces"] if one["kind"] == "meeple"]
    assert not Counter(colors) - Counter(seen) and len(colors) >= len(seen) - 1
    stands = {(*one["cell"], one["feature"]) for one in TRUTH["pieces"] if one.get("feature")}
    told_at = {(*about["cell"], about["feature"]) for about in meeples if "feature" in about}
    assert told_at <= stands and len(told_at) >= len(stands) - 1
    assert {"bush", "baobab"} <= {about.get("role") for about in meeples}
    for file in (tmp_path / "out" / "images").iterdir():
        assert b"Secret Camera" not in file.read_bytes() and b"Exif" not in file.read_bytes()


def test_yolo_and_label_studio_say_the_same_as_coco(photo: Path, tmp_path: Path) -> None:
    formats = ("coco", "yolo", "yolo-obb", "label-studio")
    for name in formats:
        export(photo, tmp_path / name, "--format", name)
    coco = loaded(tmp_path / "coco")
    annotations = coco.loadAnns(coco.getAnnIds())
    lines = {
        name: [
            [float(word) for word in line.split()]
            for line in (tmp_path / name / "labels" / "house-26.txt").read_text().splitlines()
        ]
        for name in ("yolo", "yolo-obb")
    }
    classes = json.loads(
        "{"
        + ",".join(
            f'"{key.strip()}":{value}'
            for key, value in (
                line.split(":", 1)
                for line in (tmp_path / "yolo" / "data.yaml").read_text().splitlines()
                if line.startswith("  ")
            )
        )
        + "}"
    )
    with (tmp_path / "yolo" / "attributes.csv").open(newline="", encoding="utf-8") as file:
        about = list(csv.DictReader(file))
    [task] = json.loads((tmp_path / "label-studio" / "tasks.json").read_text("utf-8"))
    [prediction] = task["predictions"]
    config = ET.parse(tmp_path / "label-studio" / "labeling-config.xml").getroot()
    tags = {one.get("name"): one for one in config if one.get("name")}
    assert len(lines["yolo"]) == len(lines["yolo-obb"]) == len(about) == len(annotations)
    assert task["data"]["image"] == "/data/local-files/?d=label-studio/images/house-26.jpg"
    assert (tmp_path / "label-studio" / "images" / "house-26.jpg").is_file()
    size = np.array([1280, 720])
    for i, one in enumerate(annotations):
        name, corners = coco.cats[one["category_id"]]["name"], np.array(one["segmentation"][0]).reshape(4, 2)
        x, y, width, height = one["bbox"]
        got, quad = lines["yolo"][i], lines["yolo-obb"][i]
        assert classes[str(int(got[0]))] == classes[str(int(quad[0]))] == name == about[i]["class"]
        middle = np.array([x + width / 2, y + height / 2]) / size
        assert np.allclose(got[1:], [*middle, width / 1280, height / 720], atol=2e-5)
        assert np.allclose(np.reshape(quad[1:], (4, 2)) * size, corners, atol=0.01)
        assert about[i]["provenance"] == "read" and 0 <= float(about[i]["confidence"]) <= 1
        region = prediction["result"][i]
        kind, value = region["type"], region["value"]
        assert value[kind] == [name] and (region["original_width"], region["original_height"]) == (1280, 720)
        tag = tags[region["from_name"]]
        assert tag.tag.lower() == kind and tag.get("toName") == region["to_name"] == "image"
        assert name in {label.get("value") for label in tag}
        if kind == "polygonlabels":
            assert np.allclose(np.array(value["points"]) / 100 * size, corners, atol=0.01)
        else:
            box = [value["x"] * 12.8, value["y"] * 7.2, value["width"] * 12.8, value["height"] * 7.2]
            assert value["rotation"] == 0 and np.allclose(box, one["bbox"], atol=0.02)


def test_an_invalid_export_is_refused_with_its_reason_and_writes_nothing(tmp_path: Path) -> None:
    for words, why in (
        ([PHOTO, tmp_path / "a", "--format", "csv"], "no turns"),
        ([PHOTO, tmp_path / "a"], "no turns"),
        ([SAMPLES / "hill-town", tmp_path / "a"], "a session already"),
        ([PHOTO], "one place"),
        ([tmp_path, tmp_path / "a", "--format", "coco"], "no session and no photographs"),
        (["no-such-table", tmp_path / "a", "--format", "coco"], "no such table"),
    ):
        result = run.invoke(app, ["export", *map(str, words)])
        assert isinstance(result.exception, ValueError) and why in str(result.exception)
        assert not (tmp_path / "a").exists()
    (tmp_path / "there.csv").write_text("mine")
    result = run.invoke(app, ["export", str(SAMPLES / "hill-town"), str(tmp_path / "there.csv"), "-f", "csv"])
    assert isinstance(result.exception, ValueError) and (tmp_path / "there.csv").read_text() == "mine"


def beginning(sample: str, folder: Path, turns: int) -> tuple[Path, list[dict[str, Any]]]:
    """The beginning of a sample session, up to the last picture of its first ``turns`` turns, and these."""
    source = SAMPLES / sample
    session = json.loads((source / "session.json").read_text("utf-8"))
    lines = [json.loads(line) for line in (source / "truth.game.jsonl").read_text("utf-8").splitlines()[1:]]
    played = [line for line in lines if "player" in line]
    folder.mkdir()
    (folder / "frames").symlink_to(source / "frames")
    session["frames"] = session["frames"][: played[turns - 1]["frame"] + 2]
    (folder / "session.json").write_text(json.dumps(session), encoding="utf-8")
    return folder, played[:turns]


@pytest.mark.long
@pytest.mark.parametrize("sample", ["first-light", "menhir-creek", "hill-town", "camera-hunt"])
def test_a_session_of_every_game_gives_pictures_turns_and_record(sample: str, tmp_path: Path) -> None:
    folder, played = beginning(sample, tmp_path / "session", 2)
    told = export(folder, "-o", tmp_path / "out", "-f", "coco")
    assert told["turns"] == len(played) == 2
    coco = loaded(tmp_path / "out")
    turn_of = {image["id"]: image["turn"] for image in coco.loadImgs(coco.getImgIds())}
    last = max(turn_of, key=lambda image: turn_of[image])
    assert turn_of[last] == 2
    tiles, pieces = (
        [(name, one["attributes"]) for name, one in named(coco, sort) if one["image_id"] == last]
        for sort in ("tile", "piece")
    )
    if "tile" in played[0]:
        laid = {tuple(about["cell"]): name for name, about in tiles}
        assert all(laid[tuple(line["cell"])] == line["tile"] for line in played)
    else:
        assert {line["to"] for line in played} <= {about["square"] for _, about in pieces}
        assert len(tiles) == 4
    assert all(one["attributes"]["in_game"] for _, one in named(coco, "piece"))
    with (tmp_path / "out" / "turns.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["player"] for row in rows] == [line["player"] for line in played]
    assert run.invoke(app, ["check", str(tmp_path / "out" / "game.game.jsonl")]).exit_code == 0


@pytest.mark.long
def test_corrected_tiles_and_turns_are_marked_as_corrected(tmp_path: Path) -> None:
    folder, played = beginning("hill-town", tmp_path / "session", 2)
    turns = [{key: value for key, value in line.items() if key not in ("expect", "frame")} for line in played]
    turns[0]["action"] = {"type": "meeple", "feature": "f0"}
    session = json.loads((folder / "session.json").read_text("utf-8"))
    session["said"] = [{"frame": len(session["frames"]) - 1, "turns": turns}]
    (folder / "session.json").write_text(json.dumps(session), encoding="utf-8")
    export(folder, "-o", tmp_path / "out", "-f", "coco")
    coco = loaded(tmp_path / "out")
    corrected = {
        (name, one["attributes"].get("role"))
        for sort in ("tile", "piece")
        for name, one in named(coco, sort)
        if one["attributes"]["provenance"] == "corrected"
    }
    assert {(played[0]["tile"], None), (f"{played[0]['player']} meeple", "field")} <= corrected
    read = {name for name, one in named(coco, "tile") if one["attributes"]["provenance"] == "read"}
    assert "BC-D" in read
    for name in ("csv", "record"):
        export(folder, "-o", tmp_path / f"game.{name}", "-f", name)
    rows = list(csv.DictReader((tmp_path / "game.csv").read_text("utf-8").splitlines()))
    assert rows[0]["provenance"] == "corrected" and rows[0]["feature"] == "f0"
    header, first, *_ = map(json.loads, (tmp_path / "game.record").read_text("utf-8").splitlines())
    assert header["game"] == "carcassonne" and first["action"]["feature"] == "f0"


def test_a_kept_photograph_has_the_tiles_that_people_confirmed(tmp_path: Path) -> None:
    file = SAMPLES / "bastide-boards" / "bastide-08.jpg"
    reading = read_photographs([file], ReadingOptions(pack="bastide"))
    assert reading.pack is not None
    board, colors = reading.board, sorted({str(one.reading.color) for one in reading.board.pieces})
    path = tmp_path / "kept.table"
    write_log(
        path,
        kept_entries(board, reading.pack, Seated({one: one for one in colors}), file.read_bytes(), over=True),
    )
    export(path, tmp_path / "out", "-f", "coco")
    coco = loaded(tmp_path / "out")
    tiles = named(coco, "tile")
    assert sorted(name for name, _ in tiles) == sorted(one.face.design for one in board.tiles if one.face)
    assert {one["attributes"]["provenance"] for _, one in tiles} == {"corrected"}
    assert run.invoke(app, ["check", str(tmp_path / "out" / "game.game.jsonl")]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nowhere.jpg", "out", "--format", "coco"], "no such photograph"),
        (["board.jpg", "out"], "name one of coco, yolo, yolo-obb, label-studio"),
        (["board.jpg", "nowhere/out.csv", "--format", "csv"], "there is no folder nowhere"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_read(
    words: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("board.jpg").touch()
    result = run.invoke(app, ["export", *words])
    assert result.exit_code != 0 and why in str(result.exception)
