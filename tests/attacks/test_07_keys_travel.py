"""Attack: read a table's keys in what its people share, or enter a table with keys that came with its log.

"Save all games" held the log of every table with its host's key, and a brought game that was taken up
accepted the keys of its sender. Held: no key is in any file that leaves the computer, and a game that comes
in gets new keys.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.logs import KEYS, play
from tilesight.club.messages import LogEntry
from tilesight.commands.repair import backup_command
from tilesight.export.session import write_session
from tilesight.home import tables_folder
from tilesight.lobby.library import Library
from tilesight.table_log.event_fold import access_of
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_files import table_access
from web.library import ImportResult


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    tables_folder().mkdir(parents=True)
    return Library()


def ways_out(library: Library, log: Path, to: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a game that leaves the computer, with its name."""
    packed = library.export(to)
    with zipfile.ZipFile(packed) as members:
        yield "save all games", members.read(log.name)
    packed.unlink()
    yield "replay", library.replay(log.stem)
    backup_command(str(log), to / "backup.table")
    yield "table backup", (to / "backup.table").read_bytes()
    with TableStore(log, read_only=True) as store:
        write_session(store, to / "session")
        yield "the club", b"".join(LogEntry.of(entry).encoded() for entry in store.entries())
    files = [path for path in (to / "session").rglob("*") if path.is_file()]
    yield "export", b"".join(path.read_bytes() for path in files)


def test_no_key_is_in_what_leaves_the_computer(library: Library, tmp_path: Path) -> None:
    log = play(tables_folder() / "one.table")
    assert KEYS[1].encode() in log.read_bytes()
    out = dict(ways_out(library, log, tmp_path))
    assert len(out) == 5 and all(len(content) > 500 for content in out.values())
    held = [(name, key) for name, content in out.items() for key in KEYS if key.encode() in content]
    assert not held


def test_a_copy_that_is_taken_up_gets_new_keys(library: Library, tmp_path: Path) -> None:
    backup_command(str(play(tables_folder() / "one.table")), tmp_path / "copy.table")
    with TableStore(tmp_path / "copy.table") as store:
        assert access_of(store.entries()) is None
        access = table_access(store, None)
        assert access.role_of(access.host) == "host"
        assert [access.role_of(key) for key in KEYS] == [None] * len(KEYS)
        assert table_access(store, None) == access


def test_a_game_that_comes_in_leaves_its_senders_keys_behind(library: Library, tmp_path: Path) -> None:
    log = play(tmp_path / "brought.table")
    assert library.import_file(log, "brought.table").brought == 1
    [came] = tables_folder().glob("*.table")
    assert not [key for key in KEYS if key.encode() in came.read_bytes()]
    with TableStore(came) as store:
        assert access_of(store.entries()) is None


def test_a_game_that_went_out_and_comes_back_is_there_already(library: Library, tmp_path: Path) -> None:
    play(tables_folder() / "one.table")
    packed = library.export(tmp_path)
    assert library.import_file(packed, "all.zip") == ImportResult(0, 1, 0)
    packed.unlink()
