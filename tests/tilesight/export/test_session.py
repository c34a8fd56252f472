"""A table's game written as a session gives the same game when it is replayed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.pack import PackError
from engine.record import header_to_json, write_record
from tests.tilesight.commands.test_live import first_rounds
from tests.tilesight.toy_pack import edition, gallery_of
from tilesight.app import app
from tilesight.export.game import record_of
from tilesight.export.session import timeline_of
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.recordings.tile_replay import start_of
from tilesight.sessions.session import read_session
from tilesight.sessions.squares_session import read_square_session
from tilesight.settings import enrolled_gallery, open_pack
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry, StoreError, TableStore
from vision.observation import Observation
from vision.pipeline import Pipeline

run = CliRunner()
STAGED = Path(__file__).resolve().parents[3] / "samples" / "staged"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A played game: a tile is taken back, the last turn is undone and brought back, a point is given."""
    path = tmp_path_factory.mktemp("tables") / "evening.table"
    session = read_session(STAGED / "take-back")
    start, observe = start_of(session, None)
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": header_to_json(session.header), "names": session.names})
        table = TileTable(start, session.names, store, title="t", game="safari")
        for file in session.frames:
            frame = file.read()
            observation: Observation = observe(frame)
            table.game.see(observation, frame, 0.0)
        table.game.finish()
        table.undo()
        table.redo()
        table.game.close_with_source()
    return path


@pytest.mark.long
def test_an_exported_game_replays_to_the_same_result(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "session"
    result = run.invoke(app, ["export", str(table), str(out), "--json"])
    assert result.exit_code == 0, result.output
    with TableStore(table) as store:
        ledger = folded(Ledger(), store.entries())
    assert json.loads(result.stdout)["turns"] == len(ledger.turns) > 0
    replay = json.loads(run.invoke(app, ["replay", str(out), "--json"]).stdout)
    assert replay["compare"]["turns_exact"] == replay["compare"]["turns"] == len(ledger.turns)
    assert replay["compare"]["final_exact"] is True


@pytest.mark.long
def test_a_game_of_a_pack_that_only_a_gallery_has_becomes_a_record(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    path = gallery_of(edition(tmp_path, "printed"), tmp_path / "printed.gallery")
    with TableStore(table) as store:
        ledger = folded(Ledger(), store.entries())
    ledger = replace(ledger, header={**ledger.header, "pack": "printed"})
    record = record_of(ledger, path)
    assert record.header.pack == "printed" and len(record.turns) == len(ledger.turns)
    with pytest.raises(PackError):
        record_of(ledger)
    (tmp_path / "game.jsonl").write_text(write_record(record), "utf-8")
    assert run.invoke(app, ["check", str(tmp_path / "game.jsonl")]).exit_code != 0
    enrolled_gallery("printed").parent.mkdir(parents=True)
    path.rename(enrolled_gallery("printed"))
    assert record_of(ledger) == record
    assert run.invoke(app, ["check", str(tmp_path / "game.jsonl")]).exit_code == 0


@pytest.mark.parametrize(("steps", "now"), [((), "green"), ((EntryKind.UNDONE,), "red")])
def test_what_people_said_has_the_final_colours(steps: tuple[EntryKind, ...], now: str) -> None:
    line = {"player": "red", "tile": "CS13-G", "cell": [0, 1], "rot": 0, "action": None}
    other = {"player": "blue", "tile": "CS7-G", "cell": [0, -1], "rot": 0, "action": None}
    green = {**other, "player": "green"}
    header = {"game": "safari", "pack": "savanna", "players": ["red", "blue"]}
    entries: list[tuple[EntryKind, dict[str, Any]]] = [
        (EntryKind.OPENED, {"header": header, "names": {}}),
        (EntryKind.SEEN, {"keep": 0, "lines": [line]}),
        (EntryKind.SAID, {"keep": 1, "lines": [other]}),
        (
            EntryKind.SAID,
            {
                "keep": 0, "lines": [{**line, "player": "blue"}, green], "players": ["blue", "green"],
                "colors": {"red": "green"}, "names": {"green": "Ana", "blue": "Bo"},
            },
        ),
        *((kind, {}) for kind in steps),
    ]  # fmt: skip
    numbered = [Entry(number, kind, 0.0, data) for number, (kind, data) in enumerate(entries, 1)]
    first, *_ = timeline_of(numbered, lambda number: {"frame"} if number == 2 else ()).said
    assert [turn["player"] for turn in first["turns"]] == [now, "blue"]


def test_nothing_is_overwritten_and_no_table_is_said(table: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    result = run.invoke(app, ["export", str(table), str(tmp_path)])
    assert isinstance(result.exception, StoreError)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    missing = run.invoke(app, ["export", "no-such-table", str(tmp_path / "out")])
    assert isinstance(missing.exception, StoreError)
    assert "no-such-table" in str(missing.exception)


@pytest.mark.long
def test_a_game_on_squares_replays_to_the_same_too(tmp_path: Path) -> None:
    session = read_square_session(first_rounds(tmp_path / "sample", frames=14))
    pack, faces = open_pack(session.header.pack, None)
    assert pack is not None
    observe = Pipeline(faces, pack).observe
    path = tmp_path / "hunt.table"
    opened = {"tilesight": 1, "game": session.header.game, "pack": pack.id, "players": list(session.names)}
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": opened, "names": session.names})
        table = SquaresTable(session.game, pack, session.header, session.names, store)
        for file in session.frames:
            frame = file.read()
            table.game.see(observe(frame), frame, 0.0)
        table.game.close_with_source()
        turns = [turn.line for turn in table.state().played]
    assert len(turns) >= 2
    out = tmp_path / "session"
    assert run.invoke(app, ["export", str(path), str(out)]).exit_code == 0
    replay = json.loads(run.invoke(app, ["replay", str(out), "--json"]).stdout)
    compare = replay["compare"]
    assert compare["turns_exact"] == compare["turns"] == len(turns)
    assert compare["setup_exact"] and compare["events_exact"] and replay["alarms"] == []
