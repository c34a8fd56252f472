"""Attack: lose a deleted game, bring back another one than was deleted, or end the library with its index.

The second deleted game of a name overwrote the first, an old write-ahead file (`-wal`) in the trash was read
into the wrong game, and random bytes in `library.sqlite` gave 500 for good. Held: each deleted log has a
name of its own and is moved with its side files, and the index is made anew where it cannot be read.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from random import Random

import pytest

from tests.attacks.logs import play
from tilesight.home import home_folder, tables_folder
from tilesight.lobby import trash
from tilesight.lobby.library import Library
from tilesight.lobby.trash import move
from tilesight.table_log.event_store import Entry, TableStore
from tilesight.table_log.sqlite_log import files_of


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    tables_folder().mkdir(parents=True)
    return Library()


def _entries(path: Path) -> tuple[Entry, ...]:
    with TableStore(path, read_only=True) as store:
        return store.entries()


def test_two_deleted_games_of_a_name_are_both_kept(library: Library) -> None:
    log = tables_folder() / "one.table"
    first = _entries(play(log, 2))
    library.remove("one")
    os.utime(tables_folder() / "trash" / "one.table", ns=(1, time.time_ns() - 60_000_000_000))
    second = _entries(play(log, 4))
    library.remove("one")
    kept = sorted((tables_folder() / "trash").glob("*.table"))
    assert sorted(len(_entries(path)) for path in kept) == sorted((len(first), len(second)))
    library.restore("one")  # the one that was deleted last
    assert _entries(log) == second
    log.unlink()
    library.restore("one")
    assert _entries(log) == first


def test_a_log_takes_its_unwritten_turns_along(library: Library, tmp_path: Path) -> None:
    log = tables_folder() / "one.table"
    with TableStore(play(log, 3)) as store:
        store.append("seat", {"color": "red", "name": "Zoe"})
        for file in files_of(log):  # as after a kill: the last entry is in the write-ahead file
            if file.exists():
                shutil.copy(file, tmp_path / file.name)
    log.unlink()
    for file in files_of(tmp_path / "one.table"):
        if file.exists():
            shutil.move(file, log.with_name(file.name))
    assert files_of(log)[1].stat().st_size
    library.remove("one")
    assert not [path for path in tables_folder().glob("one.table*") if not path.name.endswith("-lock")]
    play(log, 2, seed=5)
    library.remove("one")
    play(log, 1, seed=6).unlink()
    files_of(log)[1].write_bytes(b"left by another game" * 300)
    (tables_folder() / "trash" / "one.table").touch()
    library.restore("one")
    assert _entries(log)[-1].data == {"color": "red", "name": "Zoe"}


@pytest.mark.parametrize("seed", range(8))
def test_an_index_of_random_bytes_is_made_anew(library: Library, seed: int) -> None:
    play(tables_folder() / "one.table")
    games = library.games()
    assert [game.id for game in games] == ["one"]
    index, rng = home_folder() / "library.sqlite", Random(seed)
    content = bytearray(index.read_bytes())
    begin = (0, 20, 100, 100, 2000, 4096, 4096, 8000)[seed]
    content[begin:] = rng.randbytes(len(content) - begin)
    index.write_bytes(content)
    for one in (library, Library()):
        assert one.games() == games
    index.unlink()
    index.mkdir()
    assert Library().games() == games


def test_a_kill_in_the_middle_of_a_deletion_loses_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game of last year, moved to the trash as the lobby was killed, is kept for a month all the same."""
    log = play(tables_folder() / "old.table")
    os.utime(log, (1, 1))

    def moved_and_killed(path: Path, to: Path) -> None:
        move(path, to)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trash, "move", moved_and_killed)
        library.remove("old")
    play(tables_folder() / "new.table")
    library.remove("new")
    library.restore("old")
    assert log.is_file()
