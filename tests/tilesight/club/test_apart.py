"""The club beside a table: not imported by one, and never what a table fails with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tilesight.club.club_parts import until
from tilesight.commands import live_hub
from tilesight.commands.live_hub import HubLink, checked_hub
from tilesight.settings import SettingsError

ROOT = Path(__file__).resolve().parents[3]


def test_a_single_table_imports_nothing_of_the_club() -> None:
    program = (
        "import sys, tilesight.app, tilesight.commands.live, tilesight.commands.lobby\n"
        "club = ('sqlalchemy', 'alembic', 'psycopg', 'tilesight.club')\n"
        "print([name for name in sys.modules if name.startswith(club)])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.stdout.strip() == "[]", run.stderr


def test_without_the_club_installed_its_option_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_hub, "find_spec", lambda name: None)
    assert checked_hub(None) is None
    with pytest.raises(SettingsError, match=r"tilesight\[club\]"):
        checked_hub("https://hub/join#link=x")


class Started(HubLink):
    """A link whose processes are programs of the test, one after the other."""

    def __init__(self, *programs: str) -> None:
        super().__init__("hub", Path("a.table"), "http://127.0.0.1:1")
        self.programs = list(programs)
        self.started = 0

    def _start(self) -> subprocess.Popen[bytes]:
        program = self.programs[min(self.started, len(self.programs) - 1)]
        self.started += 1
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )


def _runs(process: subprocess.Popen[bytes] | None) -> bool:
    return process is not None and process.poll() is None


def test_a_link_that_breaks_off_is_started_again_and_ends_with_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_hub, "AGAIN_S", 0.05)
    with Started("import os; os.abort()", "import sys; sys.stdin.read()") as link:
        until(lambda: link.started == 2 and _runs(link._process))
    assert link._process is not None and link._process.returncode == 0


def test_a_link_with_a_wrong_invitation_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_hub, "AGAIN_S", 0.05)
    with Started(f"import sys; sys.exit({live_hub.WRONG})") as link:
        link._thread.join(20)
        assert not link._thread.is_alive() and link.started == 1


def test_a_table_whose_game_another_worker_went_on_with_ends_at_once() -> None:
    program = (
        "import subprocess, sys, time, pathlib\n"
        "from tilesight.commands.live_hub import HubLink, VOID\n"
        "class Void(HubLink):\n"
        "    def _start(self):\n"
        "        command = [sys.executable, '-c', f'import sys; sys.exit({VOID})']\n"
        "        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "with Void('hub', pathlib.Path('a.table'), 'http://127.0.0.1:1'): time.sleep(60)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=50)
    assert run.returncode == live_hub.VOID


def test_the_state_of_the_link_is_what_its_process_says_last() -> None:
    with Started("import sys; print('away\\nof tomorrow\\nsecond', flush=True); sys.stdin.read()") as link:
        until(lambda: link.state == "second")
    with Started("import sys; print('of tomorrow', flush=True); sys.stdin.read()") as link:
        assert link.state == ""


def test_without_a_hub_nothing_is_started() -> None:
    with HubLink(None, Path("a.table"), "http://127.0.0.1:1") as link:
        assert link._process is None
