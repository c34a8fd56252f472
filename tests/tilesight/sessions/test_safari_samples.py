"""The sample session of Safari in another drawing: what its folder promises, and how it is read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.geometry import vertex
from engine.pack import load_pack
from engine.record import read_record
from engine.safari.actions import Bonus, Dig, Expand, MoveRanger
from engine.safari.state import SafariState
from tests.tile_records import start_of
from tilesight.app import app

SESSION = Path(__file__).resolve().parents[3] / "samples" / "dry-river"
run = CliRunner()


def test_the_manifest_names_every_file() -> None:
    listed = json.loads((SESSION / "manifest.json").read_text("utf-8"))["files"]
    there = {path.relative_to(SESSION).as_posix(): path for path in SESSION.rglob("*") if path.is_file()}
    assert set(listed) == set(there) - {"manifest.json", "README.md"}
    for name, entry in listed.items():
        assert hashlib.sha256(there[name].read_bytes()).hexdigest() == entry["sha256"], name


def test_the_game_shows_what_is_hard_to_see() -> None:
    record = read_record(SESSION / "truth.game.jsonl")
    state = start_of(record, load_pack(record.header.pack))
    digs = completed = elsewhere = 0
    moves = dict.fromkeys(state.rangers, 0) if isinstance(state, SafariState) else {}
    for turn in record.turns:
        step = state.apply(turn)
        assert isinstance(step.state, SafariState)
        if isinstance(turn.action, MoveRanger):
            moves[turn.action.to] = moves.pop(turn.action.start) + 1
        elif set(moves) != set(step.state.rangers):  # the tile came where one stood
            (before,), (after,) = set(moves) - {*step.state.rangers}, {*step.state.rangers} - set(moves)
            moves[after] = moves.pop(before)
        digs += isinstance(turn.action, Dig)
        if isinstance(turn.action, Expand):
            completed += len(step.state.holes[vertex(turn.action.cell, turn.action.corner)]) == 4
        elsewhere += sum(bonus.cell != turn.cell for bonus in turn.parts_of(Bonus))
        state = step.state
    assert len(record.turns) >= 24
    assert (digs, completed) == (3, 1)
    assert elsewhere >= 4
    assert max(moves.values()) >= 6


def test_a_meeple_hides_half_of_an_animal_tile_that_was_added_to_another_tile() -> None:
    turns = read_record(SESSION / "truth.game.jsonl").turns
    added = {
        (number, bonus.cell, bonus.feature)
        for number, turn in enumerate(turns, start=1)
        for bonus in turn.parts_of(Bonus)
        if bonus.cell != turn.cell
    }
    shares = {}
    for entry in json.loads((SESSION / "truth.json").read_text("utf-8")):
        for piece in entry["pieces"]:
            key = (entry["turn"] + 1, tuple(piece["cell"] or ()), piece["feature"])
            if piece["kind"] == "token" and entry["at_rest"] and key in added:
                shares[key] = piece["visible"]
    assert set(shares) == added
    assert sum(0.4 < share < 0.6 for share in shares.values()) == 1


def test_the_drawing_has_every_face_and_animal_tile_of_the_pack_and_is_another() -> None:
    pack = load_pack("savanna")
    for stem in (*pack.designs, *(f"token-{animal}" for animal in pack.tokens)):
        drawn = [path for path in (SESSION / "faces").glob(f"{stem}.*") if path.stem == stem]
        shipped = pack.art(stem)
        assert len(drawn) == 1
        assert shipped is not None
        assert drawn[0].read_bytes() != shipped.read_bytes()


@pytest.mark.long
def test_every_turn_of_the_session_and_its_final_score_are_exact(tmp_path: Path) -> None:
    gallery = tmp_path / "dry-river.gallery"
    faces = str(SESSION / "faces")
    enrolled = run.invoke(app, ["enrol", "--pack", "savanna", "--images", faces, "--out", str(gallery)])
    assert enrolled.exit_code == 0, enrolled.output
    result = run.invoke(app, ["replay", str(SESSION), "--gallery", str(gallery), "--json"])
    assert result.exit_code == 0, result.output
    replay = json.loads(result.stdout)
    compared = replay["compare"]
    assert compared["turns"] == compared["turns_exact"] == 30
    assert compared["final_exact"] is True
    assert replay["asked"] == []
