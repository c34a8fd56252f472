"""Attack 14: a table's log, or a part of it, is removed or replaced while the table runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.logs import play
from tests.attacks.targets import Target, table_in
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import GoneError, StoreError, TableStore
from tilesight.table_log.sqlite_log import files_of

ENDS = {"write-ahead": ("-wal",), "main": ("",), "all": ("", "-wal", "-shm")}
"""Endings of the files that are removed."""


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """A live table of its own."""
    with table_in(tmp_path / "home") as running:
        yield running


def remove(log: Path, ends: tuple[str, ...]) -> None:
    """Remove a log's files with these endings."""
    for end in ends:
        log.with_name(log.name + end).unlink()


def kept(log: Path) -> tuple[list[int], Ledger]:
    """The numbers of a log's entries, and their game, as a program reads it after a restart."""
    with TableStore(log, read_only=True) as store:
        entries = store.entries()
    return [entry.number for entry in entries], folded(Ledger(), entries)


@pytest.mark.parametrize("ends", ENDS.values(), ids=ENDS)
def test_a_removed_log_goes_on_beside_it(tmp_path: Path, ends: tuple[str, ...]) -> None:
    """A log that is removed under a table goes on in a new file beside it, with all entries and pictures."""
    path = play(tmp_path / "one.table")
    with TableStore(path) as store:
        store.append(EntryKind.SEATED, {"color": "red", "name": "Ada"})
        remove(path, ends)
        assert not store.intact
        entry = store.append(EntryKind.SEATED, {"color": "red", "name": "Eve"})
        assert store.intact and store.path == tmp_path / "one-2.table"
        assert len(store.entries()) == entry.number
        assert store.picture(entry.number - 2, "frame")
        with pytest.raises(StoreError, match="open"):
            TableStore(store.path)
    numbers, ledger = kept(tmp_path / "one-2.table")
    assert numbers == list(range(1, entry.number + 1))
    assert (ledger.names["red"], len(ledger.turns)) == ("Eve", 3)


def test_a_log_that_is_replaced_is_left_alone(tmp_path: Path) -> None:
    """A file put in the place of a running table's log is neither written nor read."""
    path, other = play(tmp_path / "one.table"), play(tmp_path / "other.table", turns=1, seed=5)
    data = other.read_bytes()
    with TableStore(path) as store:
        other.replace(path)
        store.append(EntryKind.SEATED, {"color": "red", "name": "Eve"})
        assert path.read_bytes() == data
    assert len(kept(tmp_path / "one-2.table")[1].turns) == 3


@pytest.mark.parametrize("step", ["write_log", "locked", "identities"])
def test_nothing_is_acknowledged_where_no_log_can_be_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Where no new log can be begun nothing is acknowledged, and a later try keeps everything."""

    def refuse(at: Path, *_: object) -> tuple[None, None]:
        if at == path:
            return None, None  # the identity of files that are gone
        raise OSError("full")

    path = play(tmp_path / "one.table")
    with TableStore(path) as store:
        before = len(store.entries())
        remove(path, ("-wal",))
        with monkeypatch.context() as patch:
            patch.setattr(f"tilesight.table_log.event_store.{step}", refuse)
            with pytest.raises(GoneError):
                store.append(EntryKind.PAUSED, {"paused": True})
        assert not any(file.exists() for file in files_of(tmp_path / "one-2.table"))
        assert store.append(EntryKind.PAUSED, {"paused": True}).number == before + 1


def test_a_disk_that_never_agrees_fills_no_folder(tmp_path: Path) -> None:
    """A log that is removed again and again is begun anew a few times, not for ever."""
    path = play(tmp_path / "one.table")
    with TableStore(path) as store:
        for _ in range(8):
            store.path.with_name(f"{store.path.name}-wal").unlink()
            store.append(EntryKind.PAUSED, {"paused": True})
        store.path.with_name(f"{store.path.name}-wal").unlink()
        with pytest.raises(GoneError):
            store.append(EntryKind.PAUSED, {"paused": True})
        assert len(list(tmp_path.glob("*.table"))) == 9


def test_a_table_says_that_its_log_is_gone_and_goes_on(target: Target) -> None:
    """A table whose log is removed loses no command; where it cannot go on it answers 503, and says so."""
    target.tell(4)
    folder, away = target.home, target.home.with_name("away")
    folder.rename(away)
    folder.write_text("no folder")
    answer = target.ask("/api/undo", {}, key=target.key)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "log_gone")
    health = target.ask("/healthz")
    assert health.status_code == 503 and "log" in health.json()["wrong"]
    assert len(target.state()["turns"]) == 4
    folder.unlink()
    away.rename(folder)
    assert target.ask("/api/undo", {}, key=target.key).status_code == 200
    assert target.ask("/healthz").json()["wrong"] == []
    remove(target.log, ("-wal",))
    assert "log" in target.ask("/healthz").json()["wrong"]
    assert target.ask("/api/redo", {}, key=target.key).status_code == 200
    assert target.ask("/healthz").json()["wrong"] == []
    target.running.process.kill()
    target.running.process.wait()
    numbers, ledger = kept(target.log.with_name("attacked-2.table"))
    assert len(ledger.turns) == 4 and numbers == list(range(1, numbers[-1] + 1))
    shutil.rmtree(away, ignore_errors=True)
