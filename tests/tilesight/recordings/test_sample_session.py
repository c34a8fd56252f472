"""The sample session through the real recogniser: `make demo` shows the game that was played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tilesight.app import app
from tilesight.sessions.samples import sample_of
from vision.image.decoder import FrameError

pytestmark = pytest.mark.long

run = CliRunner()
SAMPLE_SESSION = sample_of(None)


def test_every_turn_and_the_final_scores_are_exact() -> None:
    result = run.invoke(app, ["replay", str(SAMPLE_SESSION), "--json"])
    assert result.exit_code == 0, result.output
    replay = json.loads(result.stdout)
    assert replay["compare"]["turns"] >= 24
    assert replay["compare"]["turns_exact"] == replay["compare"]["turns"]
    assert replay["compare"]["final_exact"] is True
    assert replay["asked"] == []
    reference = (SAMPLE_SESSION / "truth.game.jsonl").read_text("utf-8").splitlines()
    frames = [line["frame"] for line in map(json.loads, reference) if "frame" in line]
    # Three pictures show each table at rest; a piece may be made out only in the last of them, or in the
    # picture before, between the fingers that put it down.
    assert all(-1 <= line["frame"] - frame <= 2 for line, frame in zip(replay["turns"], frames, strict=True))


def test_the_record_is_not_looked_at_before_the_end(tmp_path: Path) -> None:
    """Without the record the first turns come out the same; a broken picture ends it with one line."""
    session = json.loads((SAMPLE_SESSION / "session.json").read_text("utf-8"))
    session["frames"] = session["frames"][:15]
    (tmp_path / "frames").mkdir()
    for frame in session["frames"]:
        shutil.copyfile(SAMPLE_SESSION / frame["file"], tmp_path / frame["file"])
    (tmp_path / "session.json").write_text(json.dumps(session), "utf-8")
    replay = json.loads(run.invoke(app, ["replay", str(tmp_path), "--json"]).stdout)
    assert "compare" not in replay
    assert len(replay["turns"]) == 2

    last = tmp_path / session["frames"][-1]["file"]
    last.write_bytes(last.read_bytes()[:5000])
    broken = run.invoke(app, ["replay", str(tmp_path), "--json"])
    assert broken.stdout == ""
    assert isinstance(broken.exception, FrameError)
    with pytest.raises(FrameError, match=last.name):
        raise broken.exception
