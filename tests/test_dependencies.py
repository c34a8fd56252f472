"""Dependencies: pinned by requirements.lock, and without known vulnerabilities."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"


def test_the_lock_names_all_that_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"], *extras["art"]]
    names = {re.split(r"[\[<>=! ;]", text, maxsplit=1)[0].lower().replace("_", "-") for text in wanted}
    lines = [line for line in LOCK.read_text("utf-8").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[^=\s]+", line) for line in lines)
    locked = [line.partition("==")[0] for line in lines]
    assert names - set(locked) == set(), "run .ci/lock"
    assert locked == sorted(set(locked))


@pytest.mark.long
def test_no_vulnerability_is_known_of_what_is_pinned() -> None:
    pytest.importorskip("pip_audit", reason="pip-audit is not installed: make dev")
    words = [sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), "--no-deps", "--format", "json"]
    run = subprocess.run([*words, "--progress-spinner", "off"], capture_output=True, text=True, timeout=300)
    try:
        found = json.loads(run.stdout)["dependencies"]
    except ValueError:
        said = (run.stderr.strip().splitlines() or ["it says nothing"])[-1]
        pytest.skip(f"no advisories can be looked up here: {said}")
    audited = [one for one in found if "skip_reason" not in one]
    if not audited:
        pytest.skip("the package index that is reached here gives no advisories")
    assert {one["name"]: [v["id"] for v in one["vulns"]] for one in audited if one["vulns"]} == {}
