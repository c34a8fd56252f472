"""docs/library.md: its lines are run, in order, and come to what the page promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from engine.record import read_record
from tests.docs.pages import DOCS, ROOT

BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (DOCS / "library.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
NAMES = re.findall(r"^## (.*)$", (DOCS / "library.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.long
def test_the_lines_of_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("samples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    space: dict[str, Any] = {}
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"docs/library.md, block {number}", "exec"), space)
    told = capsys.readouterr().out
    assert "24 tiles" in told
    played = read_record(ROOT / "samples/staged/hand-resting/truth.game.jsonl")
    assert [turn.turn for turn in space["replay"].turns] == [
        line.event for line in played.lines[: len(played.turns)]
    ]
    assert "True {'yellow': 61, 'green': 66} a watering hole dug with a giraffe" in told
    assert len(space["turns"]) > 1
    assert (tmp_path / "overlay.png").is_file()


def test_each_section_is_short() -> None:
    assert len(BLOCKS) == len(NAMES) + 1, "the imports, and one block for each section"
    assert all(len(block.splitlines()) <= 5 for block in BLOCKS[1:])
