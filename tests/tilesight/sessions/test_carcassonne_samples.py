"""The samples of Carcassonne: what their folders promise, and how they are read."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import read_record
from engine.tiles.actions import Meeple
from tests.tile_records import start_of
from tilesight.app import app

pytestmark = pytest.mark.long

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
SESSION, RIVER, BOARDS = SAMPLES / "hill-town", SAMPLES / "mill-stream", SAMPLES / "bastide-boards"
run = CliRunner()


@pytest.mark.parametrize("folder", [SESSION, RIVER, BOARDS], ids=lambda folder: folder.name)
def test_the_manifest_names_every_file(folder: Path) -> None:
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert set(listed) == set(there) - {"manifest.json", "README.md"}
    for name, entry in listed.items():
        assert hashlib.sha256(there[name].read_bytes()).hexdigest() == entry["sha256"], name


def test_the_session_shows_farmers_and_every_kind_of_scoring() -> None:
    record = read_record(SESSION / "truth.game.jsonl")
    pack = load_pack(record.header.pack)
    state = start_of(record, pack)
    put: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for turn in record.turns:
        step = state.apply(turn)
        if isinstance(turn.action, Meeple):
            feature = pack.designs[turn.tile].tile.feature(turn.action.feature)
            assert feature is not None
            put[feature.kind] += 1
        for kind in {event.kind for event in step.events if event.points}:
            scored[kind] += 1
        state = step.state
    assert put["field"] >= 4
    assert min(put[kind] for kind in ("city", "road", "monastery")) >= 1
    assert min(scored[kind] for kind in ("city", "road")) >= 2
    assert {event.kind for event in state.final().events} == {"city", "road", "monastery", "field"}


def test_the_river_session_begins_with_the_whole_river_and_has_farmers_beside_it() -> None:
    record = read_record(RIVER / "truth.game.jsonl")
    pack = load_pack(record.header.pack)
    decks = [pack.designs[turn.tile].tile.deck for turn in record.turns]
    rivers = decks.count("river")
    assert rivers == 11
    assert set(decks[:rivers]) == {"river"}
    actions = [(pack.designs[turn.tile].tile, turn.action) for turn in record.turns[:rivers]]
    put = [tile.feature(act.feature) for tile, act in actions if isinstance(act, Meeple)]
    assert {feature.kind for feature in put if feature is not None} >= {"field", "city", "monastery"}


@pytest.mark.parametrize("folder", [SESSION, RIVER], ids=lambda folder: folder.name)
def test_every_turn_of_the_session_and_its_final_score_are_exact(folder: Path) -> None:
    result = run.invoke(app, ["replay", str(folder), "--json"])
    assert result.exit_code == 0, result.output
    replay = json.loads(result.stdout)
    reference = (folder / "truth.game.jsonl").read_text("utf-8").splitlines()
    frames = [line["frame"] for line in map(json.loads, reference) if "frame" in line]
    compared = replay["compare"]
    assert compared["turns"] == compared["turns_exact"] == len(frames)
    assert compared["final_exact"] is True
    assert replay["asked"] == []


def test_the_boards_show_every_sort_of_piece_and_of_board() -> None:
    truth = json.loads((BOARDS / "truth.json").read_text("utf-8"))
    pack = load_pack("bastide")
    sorts: Counter[tuple[str, str]] = Counter()
    rivers = 0
    for entry in truth:
        laid = {tuple(tile["cell"]): pack.designs[tile["tile"]].tile for tile in entry["tiles"]}
        rivers += any(tile.deck == "river" for tile in laid.values())
        for piece in (piece for piece in entry["pieces"] if piece["cell"] is not None):
            feature = laid[tuple(piece["cell"])].feature(piece["feature"])
            assert feature is not None
            sorts[piece["pose"], feature.kind] += 1
    tiles = [len(entry["tiles"]) for entry in truth]
    assert (min(tiles), max(tiles), rivers) == (4, 48, 4)
    assert set(sorts) == {("lying", "field"), *(("standing", kind) for kind in ("city", "road", "monastery"))}
    assert min(sorts.values()) >= 10
