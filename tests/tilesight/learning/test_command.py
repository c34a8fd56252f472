"""`tilesight learn` from the command line: consent, undo, forgetting, and errors in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from models import load
from tests.tilesight.learning.test_labels import JPEG, label
from tilesight.app import app
from tilesight.learning.labels import SetHeader, write_labels
from tilesight.learning.shelf import sets_folder
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from vision.tiles.gallery import build_gallery
from vision.tiles.gallery_file import load_gallery

run = CliRunner()
SHARED = Path(__file__).resolve().parents[4] / "shared"
REAL = SHARED / "photos" / "real" / "game"


def learn(*words: object) -> dict[str, Any]:
    """Run the command; return its JSON document."""
    result = run.invoke(app, ["learn", *map(str, words), "--json"])
    assert result.exit_code == 0, result.output or result.exception
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def refused(*words: object) -> str:
    result = run.invoke(app, ["learn", *map(str, words)])
    assert isinstance(result.exception, ValueError)
    return str(result.exception)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    return tmp_path


def table(home: Path, name: str, *agreed: bool) -> Path:
    """A table's log without turns, whose host set the switch to each of ``agreed`` in turn."""
    path = home / "tables" / f"{name}.table"
    header = {"tilesight": 1, "game": "carcassonne", "pack": "bastide", "players": ["red", "blue"]}
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": header, "names": {}, "camera": "0"})
        for keep_labels in agreed:
            store.append(EntryKind.KEYED, {"key": "K", "keep_labels": keep_labels})
    return path


def labels_of(name: str) -> None:
    header = SetHeader(labels=name, game="carcassonne", pack="bastide", at_s=1.0)
    write_labels(sets_folder() / name, header, [(label(1), JPEG)])


def test_without_labels_it_says_how_to_get_some() -> None:
    assert learn() == {"tilesight": 1, "gathered": [], "lessons": [], "files": [], "written": False}
    assert "--keep-labels" in run.invoke(app, ["learn"]).stdout


def test_only_tables_that_agreed_are_read(home: Path) -> None:
    table(home, "silent")
    table(home, "refused", True, False)
    table(home, "agreed", True)
    assert [one["labels"] for one in learn()["gathered"]] == ["agreed"]
    for name in ("silent", "refused"):
        assert "does not keep labels" in refused(name)
    assert "no such table" in refused("nowhere")


def test_labels_of_a_table_that_takes_its_consent_back_are_deleted(home: Path) -> None:
    labels_of("monday")
    labels_of("tuesday")  # its log is gone: the labels stay
    table(home, "monday", True, False)
    assert [one["labels"] for one in learn()["gathered"]] == ["tuesday"]


def test_few_labels_change_nothing_and_are_counted(home: Path) -> None:
    labels_of("monday")
    told = learn()
    assert told["gathered"][0]["tiles"] == 1 and told["files"] == []
    assert all("passed_over" in one and not one["kept"] for one in told["lessons"])
    assert "only 1 tiles so far" in run.invoke(app, ["learn"]).stdout


def test_forgetting_deletes_every_label(home: Path) -> None:
    labels_of("monday")
    assert learn("--forget") == {"tilesight": 1, "forgotten": 1}
    assert learn()["gathered"] == [] and list(sets_folder().iterdir()) == []


def test_a_damaged_set_is_passed_over(home: Path) -> None:
    labels_of("monday")
    labels_of("tuesday")
    (sets_folder() / "tuesday" / "labels.jsonl").write_text("{", "utf-8")
    assert [one["labels"] for one in learn()["gathered"]] == ["monday"]
    assert "tuesday" in run.invoke(app, ["learn"]).output


def test_a_damaged_set_of_a_log_that_is_there_is_gathered_again(home: Path) -> None:
    table(home, "tuesday", True)
    learn()
    (sets_folder() / "tuesday" / "labels.jsonl").write_text("{", "utf-8")
    assert [one["labels"] for one in learn()["gathered"]] == ["tuesday"]


def test_an_undo_of_nothing_and_conflicting_options_are_refused(home: Path) -> None:
    assert "nothing that was learned" in refused("--undo")
    assert "given alone" in refused("--undo", "--forget")
    assert "given alone" in refused("--forget", "--measure-only")


def test_labels_of_a_pack_whose_faces_are_not_known_are_passed_over(home: Path) -> None:
    header = SetHeader(labels="monday", game="carcassonne", pack="carcassonne", at_s=1.0)
    write_labels(sets_folder() / "monday", header, [(label(1), JPEG)])
    labels_of("tuesday")
    told = learn()["lessons"]
    assert "enrol" in next(one["passed_over"] for one in told if one["of"] == "carcassonne")
    assert "only 1 tiles" in next(one["passed_over"] for one in told if one["of"] == "bastide")


def test_a_gallery_is_not_used_for_tables_of_another_pack(home: Path) -> None:
    table(home, "agreed", True)
    other = home / "savanna.gallery"
    build_gallery("savanna", [("CS1", np.zeros((256, 256, 3), np.uint8))], load("descriptor")).save(other)
    assert learn("--gallery", other)["gathered"] == []
    assert [one["labels"] for one in learn()["gathered"]] == ["agreed"]


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/photos/real/game")
def test_half_of_a_real_game_teaches_the_colours_of_its_print(home: Path) -> None:
    """The tiles laid in the first half of a real game improve the reading of those laid later."""
    gallery, scans = home / "c1.gallery", SHARED / "art" / "carcassonne-c1"
    enrolled = run.invoke(
        app, ["enrol", "--pack", "carcassonne", "--images", str(scans), "--out", str(gallery)]
    )
    assert enrolled.exit_code == 0
    before = gallery.read_bytes()
    told = learn(REAL, "--gallery", gallery)
    look = next(one for one in told["lessons"] if one["lesson"] == "colours of the print")
    assert look["kept"] and look["after"]["log_loss"] < 0.7 * look["before"]["log_loss"]
    assert look["after"]["wrong_and_sure"] < look["before"]["wrong_and_sure"]
    learned = load_gallery(gallery, load("descriptor"))
    assert learned.look is not None and np.isfinite(learned.look).all()
    bench = run.invoke(
        app, ["bench", "tiles", str(sets_folder() / "session-game"), "--gallery", str(gallery), "--json"]
    )
    assert json.loads(bench.stdout)["labels"]["readings"] == told["gathered"][0]["tiles"]
    assert learn("--undo")["undone"] == [str(gallery)]
    assert gallery.read_bytes() == before
