"""`tilesight live` as a program of its own, killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tilesight.kills import ROOT, kill_again_and_again

pytestmark = pytest.mark.long


def test_a_game_survives_being_killed(tmp_path: Path) -> None:
    outcome = kill_again_and_again(ROOT / "samples" / "staged" / "take-back", tmp_path, kills=2, seed=2)
    assert outcome.wrong == ()
    assert outcome.exact


def test_a_game_on_squares_survives_it_too(tmp_path: Path) -> None:
    outcome = kill_again_and_again(first_rounds(tmp_path / "session", frames=17), tmp_path, kills=2, seed=5)
    assert outcome.wrong == ()
    assert outcome.exact


def first_rounds(folder: Path, frames: int) -> Path:
    """The beginning of the sample session of a game on squares."""
    sample = ROOT / "samples" / "camera-hunt"
    session = json.loads((sample / "session.json").read_text())
    folder.mkdir()
    (folder / "frames").symlink_to(sample / "frames")
    (folder / "session.json").write_text(json.dumps({**session, "frames": session["frames"][:frames]}))
    header, *lines = map(json.loads, (sample / "truth.game.jsonl").read_text().splitlines())
    kept = [
        {k: v for k, v in line.items() if k != "expect"} for line in lines if line.get("frame", 999) < frames
    ]
    text = "".join(json.dumps(line) + "\n" for line in (header, *kept))
    (folder / "truth.game.jsonl").write_text(text)
    return folder


def ended(run: subprocess.Popen[str]) -> tuple[str, str]:
    """What a program still says until it ends; if it does not, it says where each of its threads is."""
    try:
        return run.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGABRT)
        raise AssertionError(run.communicate()[1]) from None


@pytest.mark.long
def test_a_restart_keeps_the_key_and_goodbye_is_said(tmp_path: Path) -> None:
    (tmp_path / "camera").mkdir()
    words = [
        sys.executable,
        "-m",
        "tilesight.app",
        "live",
        "--game",
        "safari",
        "--players",
        "red=Ana,blue=Bo",
    ]
    words += ["--camera", str(tmp_path / "camera"), "--host", "127.0.0.1", "--port", "0", "--json"]
    keys = []
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
        with subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TILESIGHT_HOME": str(tmp_path), "PYTHONFAULTHANDLER": "1"},
        ) as run:
            assert run.stdout is not None
            keys.append(json.loads(run.stdout.readline())["key"])
            assert json.loads(run.stdout.readline())["type"] == "camera"  # it is watching
            run.send_signal(number)
            told, err = ended(run)
        assert "Traceback" not in err
        if number != signal.SIGKILL:
            assert run.returncode == 130
            assert json.loads(told.splitlines()[-1])["type"] == "result"
    assert len(set(keys)) == 1
    assert len(list((tmp_path / "tables").glob("*.table"))) == 1
