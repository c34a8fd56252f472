"""Replay and demo from the command line, with observations that stand in for the recogniser's."""

from __future__ import annotations

import json
import re
import socket
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import Record, write_record
from engine.tiles.game import GameState
from tests import tile_records
from tests.tilesight.synthetic import CLEAN, film
from tilesight.app import app
from tilesight.commands import demo
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import Observe
from tilesight.recordings import tile_replay as replay
from tilesight.server.dashboard import Dashboard, DashboardError
from tilesight.sessions.session import Session
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Frame, Observation

run = CliRunner()


@dataclass(frozen=True)
class Filmed:
    """A session's folder, and a recogniser's observation of each of its frames."""

    folder: Path
    record: Record
    start: GameState
    seen: list[Observation]


@pytest.fixture
def filmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Filmed:
    pack = load_pack("savanna")
    record = random_game(
        pack, 2, 21, turns=8, style=Style(allow=("meeple", "ranger"), greedy=0.8), hands_seen=False
    )
    start = tile_records.start_of(record, pack)
    seen = [observation for _, observation in film(start, record.turns, replace(CLEAN, hand=0.3), 1)]
    folder = tmp_path / "evening"
    (folder / "frames").mkdir(parents=True)
    picture = cv2.imencode(".jpg", np.full((64, 64, 3), 90, np.uint8))[1].tobytes()
    frames = []
    for i in range(len(seen)):
        (folder / "frames" / f"{i:04}.jpg").write_bytes(picture)
        frames.append({"file": f"frames/{i:04}.jpg", "t_s": 0.5 * i})
    session = {
        "tilesight": 1,
        "game": "safari",
        "pack": "savanna",
        "players": [{"name": "Ana", "color": start.players[0]}, {"name": "Bo", "color": start.players[1]}],
        "frames": frames,
    }
    (folder / "session.json").write_text(json.dumps(session), "utf-8")
    (folder / "truth.game.jsonl").write_text(write_record(record), "utf-8")

    def observe(frame: Frame) -> Observation:
        return seen[frame.index]

    def start_of(session: Session, gallery: Path | None) -> tuple[GameState, Observe]:
        return start, observe

    monkeypatch.setattr(replay, "start_of", start_of)
    return Filmed(folder, record, start, seen)


def test_replay_as_json(filmed: Filmed) -> None:
    result = run.invoke(app, ["replay", str(filmed.folder), "--json"])
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["compare"]["turns"] == document["compare"]["turns_exact"] == 8
    assert document["compare"]["final_exact"] is True
    assert [line["tile"] for line in document["turns"]] == [turn.tile for turn in filmed.record.turns]
    assert all(line["frame"] > 0 and 0.9 < line["confidence"] <= 1 for line in document["turns"])
    assert document["asked"] == []
    assert document["timing_ms"]["per_frame_p50"] > 0
    again = "".join(
        json.dumps(line) + "\n"
        for line in (
            {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(filmed.start.players)},
            *document["turns"],
            {"end": True, "expect": {"final": document["final"]}},
        )
    )
    checked = run.invoke(app, ["check", "-"], input=again)
    assert checked.exit_code == 0, checked.output


def test_replay_for_people(filmed: Filmed) -> None:
    result = run.invoke(app, ["replay", str(filmed.folder)])
    assert result.exit_code == 0, result.stderr
    for turn in filmed.record.turns:
        assert turn.tile in result.stdout
    assert "Ana" in result.stdout
    assert "8/8 turns exact, final scores exact" in result.stdout
    assert re.search(r"p50 \d+ ms, p95 \d+ ms", result.stdout)


def test_a_wrong_record_is_told_apart(filmed: Filmed) -> None:
    lines = (filmed.folder / "truth.game.jsonl").read_text("utf-8").splitlines()
    shorter = [*lines[:-2], lines[-1]]
    (filmed.folder / "truth.game.jsonl").write_text("\n".join(shorter), "utf-8")
    document = json.loads(run.invoke(app, ["replay", str(filmed.folder), "--json"]).stdout)
    assert document["compare"]["turns"] == 7
    assert document["compare"]["turns_exact"] == 7
    text = run.invoke(app, ["replay", str(filmed.folder)]).stdout
    assert "on record no turn" in text


def test_interrupted_tells_what_is_known(filmed: Filmed, monkeypatch: pytest.MonkeyPatch) -> None:
    def start_of(session: Session, gallery: Path | None) -> tuple[GameState, Observe]:
        def observe(frame: Frame) -> Observation:
            if frame.index == len(filmed.seen) - 2:
                raise KeyboardInterrupt
            return filmed.seen[frame.index]

        return filmed.start, observe

    monkeypatch.setattr(replay, "start_of", start_of)
    result = run.invoke(app, ["replay", str(filmed.folder), "--json"])
    assert result.exit_code == 130
    assert len(json.loads(result.stdout)["turns"]) >= 7


def test_the_demo_serves_the_growing_board_and_ends(filmed: Filmed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "sample_of", lambda game: filmed.folder)
    monkeypatch.setattr(demo, "TURN_S", 0.0)
    result = run.invoke(app, ["demo", "--exit-at-end", "--json", "--host", "127.0.0.1", "--port", "0"])
    assert result.exit_code == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[0]["ready"] is True
    assert lines[0]["url"].startswith("http://127.0.0.1:")
    assert lines[0]["key"]
    assert sum(line.get("type") == "turn" for line in lines) >= 8
    assert [line["type"] for line in lines[1:]][-2:] == ["end", "result"]
    assert lines[-1]["compare"]["turns_exact"] == 8


def test_the_demo_for_people_prints_a_code_and_the_address(
    filmed: Filmed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "sample_of", lambda game: filmed.folder)
    monkeypatch.setattr(demo, "TURN_S", 0.0)
    result = run.invoke(app, ["demo", "--exit-at-end", "--host", "127.0.0.1", "--port", "0"])
    assert result.exit_code == 0, result.stderr
    assert "█" in result.stdout
    assert re.search(r"^ready http://127\.0\.0\.1:\d+$", result.stdout, re.MULTILINE)


@pytest.fixture
def table(filmed: Filmed) -> TileTable:
    return TileTable(filmed.start, {}, title="t", game="safari")


def test_the_dashboard_shows_the_table(table: TileTable) -> None:
    with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
        with urllib.request.urlopen(f"{dashboard.url}/api/state", timeout=60) as answer:
            state: dict[str, Any] = json.load(answer)
        assert state["phase"] == "waiting"
        assert dashboard.key in dashboard.join_url
        assert dashboard.key not in dashboard.url
    assert not [thread for thread in threading.enumerate() if thread.name == "dashboard"]


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


def test_a_port_in_use_is_said_or_passed_over(
    table: TileTable, taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DashboardError, match=f"port {taken_port}"):
        Dashboard(table, host="127.0.0.1", port=taken_port)
    monkeypatch.setattr("tilesight.server.dashboard.DEFAULT_PORT", taken_port)
    with Dashboard(table, host="127.0.0.1") as dashboard:
        assert taken_port < dashboard.port <= taken_port + 20


@pytest.mark.parametrize("command", [["replay"], ["replay", "--json"]])
def test_an_empty_folder_is_one_line_and_two(tmp_path: Path, command: list[str]) -> None:
    from tilesight.sessions.session import SessionError

    result = run.invoke(app, [*command, str(tmp_path)])
    assert isinstance(result.exception, SessionError)
    assert result.stdout == ""
