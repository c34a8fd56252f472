"""Writers of files, killed or on a full disk; `python -m tests.attacks.kill_files` kills 50 times."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.tilesight.kills import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
QUICK = ("backup", "private")
OTHERS = (
    ("overlay", "report", "print"),
    ("report-pdf",),
    ("export-session", "export-record", "export-csv"),
    ("export-coco", "export-yolo", "export-yolo-obb", "export-label-studio"),
    ("gallery", "profile", "record", "labels", "learned"),
    ("problem", "archive", "bench-page", "play"),
    ("keep", "keep-again"),
)


@pytest.fixture(autouse=True)
def bounded_time() -> None:
    """Let a writer take its time: no server is under attack here, and a loaded machine is slow."""


def killed(kills: int, kinds: tuple[str, ...]) -> None:
    """Kill the writers of these kinds so often; nothing may be half written or left behind."""
    words = [sys.executable, "-m", "tests.attacks.kill_files", "--kills", str(kills)]
    words += [word for kind in kinds for word in ("--kind", kind)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=500)
    told = json.loads(run.stdout[run.stdout.index("\n{") :])
    assert (run.returncode, told["wrong"], run.stderr) == (0, [], "")
    assert told["cut_off"]["kill"] and told["cut_off"]["full disk"]


def test_a_file_is_the_old_or_the_new_one_whenever_its_writer_is_killed() -> None:
    killed(6, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("kinds", OTHERS, ids=lambda kinds: kinds[0])
def test_every_kind_of_file_is_the_old_or_the_new_one(kinds: tuple[str, ...]) -> None:
    killed(4, kinds)


@pytest.mark.long
def test_no_kind_of_file_is_forgotten() -> None:
    from tests.attacks.written_files import KINDS  # late: it imports every writer

    assert sorted(KINDS) == sorted([*QUICK, *(kind for kinds in OTHERS for kind in kinds)])
