"""Names that nothing uses are found by vulture; what it is told to ignore is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def reported(*words: str) -> set[str]:
    """The names that vulture reports."""
    command = [sys.executable, "-m", "vulture", *words]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said.returncode in (0, 3), said.stderr
    return set(re.findall(r": unused \w+ '(\w+)'", said.stdout))


def test_nothing_is_ignored_that_is_used_or_gone() -> None:
    ignored = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["vulture"]["ignore_names"]
    names = reported("--ignore-names", "")
    assert [one for one in ignored if not any(fnmatchcase(name, one) for name in names)] == []


def test_a_name_that_nothing_uses_is_reported(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("def forgotten() -> None: ...\n", "utf-8")
    assert reported(str(tmp_path)) == {"forgotten"}
