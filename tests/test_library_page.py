"""docs/library.md and the notebooks: their lines are run, in order, and come to what they promise."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, ROOT

BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (DOCS / "library.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
pytestmark = pytest.mark.long


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a program in an empty folder, with the samples that the pages name."""
    for folder in ("samples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    return {}


def test_the_lines_of_the_page_work(space: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    for number, block in enumerate(BLOCKS):
        exec(compile(block, f"docs/library.md, block {number}", "exec"), space)
    told = capsys.readouterr().out
    assert "24 tiles" in told
    assert "True {'yellow': 61, 'green': 66}" in told
    assert space["replayed"].compare["turns_exact"] == space["replayed"].compare["turns"]
    assert Path("seen.png").is_file()


def test_the_first_block_is_five_lines() -> None:
    assert len(BLOCKS[0].splitlines()) == 5
    assert f"```python\n{BLOCKS[0]}```" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_cells_of_a_notebook_work(path: Path, space: dict[str, Any]) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert notebook["nbformat"] == 4
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "a notebook is kept without its outputs"
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), space)
