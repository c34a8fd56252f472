"""Programs killed at random moments; `python -m tests.attacks.kills` kills a hundred times."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.attacks.kill_answers import AnswerKills
from tests.attacks.kill_edits import Edited
from tests.attacks.kill_enrol import EnrolKills
from tests.attacks.kill_library import LibraryKills
from tests.attacks.kill_play import Mix
from tests.tilesight.kills import ROOT
from tilesight.sessions.session import read_session

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals"),
]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def test_nothing_told_is_lost_whenever_a_table_is_killed(tmp_path: Path) -> None:
    """A table killed while it looks, is corrected, repaired and migrated loses nothing that it told."""
    session = read_session(ROOT / "samples" / "staged" / "take-back")
    outcome = Mix(session, tmp_path, 3, SIGNALS).run(8)
    assert outcome.wrong == [] and outcome.answered["scores"] and outcome.kills.total() == 8


def test_no_edit_and_no_answer_is_lost_whenever_a_table_is_killed(tmp_path: Path) -> None:
    """A table killed while its history is edited and its question answered keeps what it acknowledged."""
    outcome = Edited(tmp_path / "edits", 3, SIGNALS).run(2)
    assert outcome.wrong == [] and outcome.answered.total() > 2
    assert AnswerKills(tmp_path / "answers", 3).run(1).wrong == []


def test_no_game_is_lost_whenever_a_lobby_is_killed(tmp_path: Path) -> None:
    """A lobby killed while it imports, indexes and moves games lists each once and leaves nothing behind."""
    outcome = LibraryKills(tmp_path, 3).run(3)
    assert outcome.wrong == [] and outcome.kills.total() == 3


def test_no_gallery_is_lost_whenever_enrolment_is_killed(tmp_path: Path) -> None:
    """An enrolment that is killed leaves the old gallery or the new one, and nothing beside it."""
    outcome = EnrolKills(tmp_path, 3).run(2)
    assert outcome.wrong == [] and outcome.kills.total() == 2
