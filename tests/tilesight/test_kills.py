"""Live games, killed in the middle of all that they do; `kill_mix` and `kill_edits` kill more often."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.tilesight.kill_edits import kill_edits
from tests.tilesight.kill_mix import kill_mix
from tests.tilesight.kills import ROOT


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_nothing_told_is_lost_whenever_it_is_killed(tmp_path: Path) -> None:
    outcome = kill_mix(ROOT / "samples" / "staged" / "take-back", tmp_path, kills=8, seed=3)
    assert outcome.wrong == []
    assert outcome.exact and outcome.changes
    assert sum(outcome.kills.values()) == 8


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_no_edit_of_the_history_is_lost_whenever_it_is_killed(tmp_path: Path) -> None:
    outcome = kill_edits(tmp_path, kills=4, seed=3)
    assert outcome.wrong == []
    assert sum(outcome.edits.values()) > 4
