"""`tilesight live` as a program of its own, killed and started again."""

from __future__ import annotations

from pathlib import Path

from tests.tilesight.kills import ROOT, kill_again_and_again


def test_a_game_survives_being_killed(tmp_path: Path) -> None:
    outcome = kill_again_and_again(ROOT / "samples" / "staged" / "take-back", tmp_path, kills=2, seed=2)
    assert outcome.wrong == ()
    assert outcome.exact
