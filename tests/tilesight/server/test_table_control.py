"""A running table is found and ended by whoever can read its file, and by nobody else."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tilesight.server.table_control import Control, controlled
from tilesight.table_log.sqlite_log import control_file_of

READY: dict[str, str | bool] = {"ready": True, "url": "http://127.0.0.1:1", "host_key": "K"}
TABLE = """
import sys, time
from pathlib import Path
from tilesight.server.table_control import controlled
with controlled(Path(sys.argv[1]), {"ready": True}):
    print("there", flush=True)
    time.sleep(60)
"""


def test_a_table_says_where_it_is_and_who_has_its_secret_is_answered(tmp_path: Path) -> None:
    log = tmp_path / "one.table"
    assert Control.of(log) is None
    with controlled(log, READY):
        control = Control.of(log)
        assert control is not None and control.ready == READY and control.is_orphan() is False
        assert control_file_of(log).stat().st_mode & 0o777 == 0o600 or sys.platform == "win32"
        assert control.model_copy(update={"secret": "another"}).is_orphan() is None
        assert control.is_orphan() is False  # the table listens on after a wrong secret
    assert Control.of(log) is None and control.is_orphan() is None


def test_a_port_that_another_program_has_by_now_is_no_table() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        control = Control(ready=READY, port=other.getsockname()[1], secret="s")
        assert control.is_orphan() is None
        control.stop()


@pytest.mark.parametrize("text", ["", "{}", "no json", '{"ready": 1, "port": "x", "secret": 2}'])
def test_a_file_that_makes_no_sense_is_none(tmp_path: Path, text: str) -> None:
    control_file_of(tmp_path / "one.table").write_text(text)
    assert Control.of(tmp_path / "one.table") is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_table_ends_as_with_ctrl_c_when_it_is_told_to(tmp_path: Path) -> None:
    log = tmp_path / "one.table"
    words = [sys.executable, "-c", TABLE, str(log)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None and table.stdout.readline() == "there\n"
        control = Control.of(log)
        assert control is not None
        control.stop()
        assert table.wait(10) == -15
