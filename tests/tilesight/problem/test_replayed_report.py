"""A report's pictures, put back into whole ones, are read as those of the table were."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.record import header_to_json
from tilesight.app import app
from tilesight.live.tiles.table import TileTable
from tilesight.recordings.tile_replay import start_of
from tilesight.sessions.session import read_session
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore

run = CliRunner()
SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "first-light"
PICTURES = 45
"""Pictures of the sample that are watched: ten turns."""


@pytest.mark.long
def test_turns_of_an_unpacked_report_are_read_as_at_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    session = read_session(SAMPLE)
    start, observe = start_of(session, None)
    path = tmp_path / "evening.table"
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": header_to_json(session.header), "names": session.names})
        table = TileTable(start, session.names, store, title="t", game=session.header.game)
        for file in session.frames[:PICTURES]:
            frame = file.read()
            table.game.see(observe(frame), frame, 0.0)
        table.game.close_with_source()
        turns = [turn.to_json() for turn in folded(Ledger(), store.entries()).turns]
    assert len(turns) >= 9
    archive, out = tmp_path / "out.zip", tmp_path / "out"
    words = ["report-problem", str(path), "-o", str(archive), "--turn", "3", "--turn", "8", "--yes"]
    assert run.invoke(app, words).exit_code == 0
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(out)
    replay = json.loads(run.invoke(app, ["replay", str(out), "--json"]).stdout)
    before = len(read_session(out).turns_before)
    assert before == 1
    assert len(replay["turns"]) == 9 - before
    for line, turn in zip(replay["turns"], turns[before:9], strict=True):
        assert {key: line.get(key) for key in turn} == turn
