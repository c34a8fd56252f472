"""Logs of earlier formats, databases of other programs, and the repair of damaged logs."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import Record, header_from_json
from tests.tile_records import start_of
from tilesight.app import app
from tilesight.commands.repair import repair
from tilesight.table_log.event_fold import EntryKind, Ledger, folded, labels_kept
from tilesight.table_log.event_store import DamagedError, NoTableError, StoreError, TableStore, format_of
from tilesight.table_log.log_files import find_or_name_log, table_access

run = CliRunner()
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": ["red", "blue"]}
"""Of the game in these tables."""
FORMAT_1 = """
CREATE TABLE entries (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, at_s REAL NOT NULL, data TEXT NOT NULL);
CREATE TABLE pictures (entry INTEGER NOT NULL REFERENCES entries, name TEXT NOT NULL, jpeg BLOB NOT NULL,
 PRIMARY KEY (entry, name));
PRAGMA user_version = 1;
"""


def played() -> list[dict[str, object]]:
    """The turns of a game, as lines of a record."""
    header = header_from_json(HEADER)
    start = start_of(Record(header, ()), load_pack("savanna"))
    state = start
    lines: list[dict[str, object]] = []
    while not state.over and len(lines) < 14:
        turn = next(
            t for d in sorted(state.bag) for c, r in state.placements(d) for t in state.turns_for(d, c, r)
        )
        state = state.apply(turn).state
        lines.append(turn.to_json())
    return lines


LINES = played()


def write(path: Path) -> Path:
    """A table with a game of some turns, each with its picture."""
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": {"red": "Ana", "blue": "Bo"}})
        store.append(EntryKind.LOOKED, {"frame": 0})
        for n, line in enumerate(LINES):
            data = {"keep": n, "lines": [line], "frames": [n]}
            store.append(EntryKind.SEEN, data, {"frame": bytes([n]) * 3000})
    return path


def turns_in(path: Path) -> list[dict[str, object]]:
    with TableStore(path, read_only=True) as store:
        return [turn.to_json() for turn in folded(Ledger(), store.entries()).turns]


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as base:
        base.execute(statement, values)
    base.close()


def test_a_table_of_format_1_is_taken_over_whole(tmp_path: Path) -> None:
    new, old = write(tmp_path / "new.table"), tmp_path / "old.table"
    base = sqlite3.connect(old)
    base.executescript(FORMAT_1)
    base.execute("ATTACH ? AS new", (str(new),))
    base.execute("INSERT INTO entries SELECT number, kind, at_s, data FROM new.entries")
    base.execute("INSERT INTO pictures SELECT entry, name, jpeg FROM new.pictures")
    base.commit()
    base.close()
    before = old.read_bytes()
    assert turns_in(old) == LINES
    assert old.read_bytes() == before and format_of(old) == 1
    with TableStore(old) as taken, TableStore(new) as store:
        assert taken.entries() == store.entries()
        assert taken.picture(5, "frame") == store.picture(5, "frame") == bytes([2]) * 3000
        taken.append(EntryKind.ENDED, {})
    assert format_of(old) == 2
    with TableStore(old) as taken:
        assert folded(Ledger(), taken.entries()).ended


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_others_is_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "foreign.db"
    base = sqlite3.connect(path)
    base.execute(f"PRAGMA journal_mode = {mode}")
    base.execute("CREATE TABLE entries (a)")
    base.commit()
    base.close()
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(NoTableError, match="this is no table's log"):
            TableStore(path, read_only=read_only)
    result = run.invoke(app, ["export", str(path), str(tmp_path / "out")])
    assert isinstance(result.exception, StoreError)
    assert path.read_bytes() == before


def test_a_table_is_for_its_owner_only(tmp_path: Path) -> None:
    path = write(tmp_path / "deep" / "a.table")
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE entries SET data = '{' WHERE number = 9", ()),
        ("UPDATE entries SET data = replace(data, '\"keep\":6', '\"keep\":5') WHERE number = 9", ()),
        ("UPDATE entries SET data = ? WHERE number = 9", (b"\xff\xfe",)),
        ("UPDATE entries SET data = CAST(? AS TEXT) WHERE number = 9", (b"\xff\xfe",)),
        ("UPDATE entries SET kind = 'x' WHERE number = 9", ()),
        ("UPDATE entries SET data = ? WHERE number = 9", ("[" * 100_000,)),
        ("DELETE FROM entries WHERE number = 9", ()),
    ],
)
def test_one_bad_row_is_said_and_what_is_before_it_kept(
    tmp_path: Path, statement: str, values: tuple[object, ...]
) -> None:
    path = write(tmp_path / "a.table")
    change(path, statement, *values)
    with TableStore(path) as store, pytest.raises(DamagedError, match=r"tilesight table repair .*a\.table"):
        store.entries()
    result = run.invoke(app, ["table", "repair", str(path), "--json"])
    told = json.loads(result.stdout)
    assert (told["entries"], told["turns"]) == (8, 6)
    assert turns_in(path) == LINES[:6]
    assert (tmp_path / "a.table.damaged").exists()
    with TableStore(path) as store:
        assert store.picture(8, "frame") == bytes([5]) * 3000


def test_an_entry_on_which_nothing_builds_may_be_lost(tmp_path: Path) -> None:
    path = write(tmp_path / "a.table")
    change(path, "UPDATE entries SET data = '{' WHERE number = 2")
    assert repair(path)[:2] == (len(LINES) + 1, 1)
    assert turns_in(path) == LINES


def said(path: Path, *entries: tuple[str, Mapping[str, object]]) -> None:
    with TableStore(path) as store:
        for kind, data in entries:
            store.append(kind, data)


def test_corrections_after_the_loss_are_kept_where_they_are_legal(tmp_path: Path) -> None:
    path = write(tmp_path / "a.table")
    all_again = {"keep": 3, "lines": LINES[3:], "frames": [None] * len(LINES[3:])}
    points = {"turn": 14, "points": {"red": 3}}
    said(path, (EntryKind.SCORED, points), (EntryKind.SAID, all_again), (EntryKind.ENDED, {}))
    change(path, "UPDATE entries SET data = '{' WHERE number = 9")
    kept, lost, ledger = repair(path)
    assert (kept, lost) == (8 + 3, len(LINES) - 6)
    assert turns_in(path) == LINES
    assert ledger.ended and [given.points for given in ledger.by_hand] == [3]


def test_an_end_or_undo_that_may_mean_what_was_lost_is_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.table")
    name = {"color": "red", "name": "Žofie"}
    said(path, (EntryKind.UNDONE, {}), (EntryKind.SEATED, name), (EntryKind.ENDED, {}))
    change(path, "UPDATE entries SET data = '{' WHERE number = 9")
    _, _, ledger = repair(path)
    assert turns_in(path) == LINES[:6]
    assert not ledger.ended and ledger.names["red"] == "Žofie"


def test_turns_that_are_illegal_without_the_loss_are_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "a.table")
    skips = {"keep": 6, "lines": LINES[7:9], "frames": [7, 8]}
    said(path, (EntryKind.SEEN, skips))
    change(path, "UPDATE entries SET data = '{' WHERE number = 9")
    repair(path)
    assert turns_in(path) == LINES[:6]


@pytest.mark.parametrize("page", [1, 2, 3])
def test_entries_to_which_no_tree_leads_are_kept(tmp_path: Path, page: int) -> None:
    """The file's head, the roots of its trees."""
    path = write(tmp_path / "a.table")
    note = {"note": "x" * 9000}  # goes on on pages of its own
    said(path, *[(EntryKind.LOOKED, note)] * 9)
    data = bytearray(path.read_bytes())
    assert len(data) > 30 * 4096 and data[4096] == 0x05
    data[4096 * (page - 1) : 4096 * page] = bytes(4096)
    path.write_bytes(data)
    assert repair(path)[0] == len(LINES) + 2 + 9
    assert turns_in(path) == LINES


def flipped(data: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 8, 200))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def cut(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data[: rng.randrange(1, len(data))])


def blank(data: bytearray, rng: random.Random) -> bytes:
    at = 4096 * rng.randrange(len(data) // 4096)
    return bytes(data[:at]) + bytes(4096) + bytes(data[at + 4096 :])


@pytest.mark.parametrize("damage", [flipped, cut, blank])
def test_repair_keeps_the_sound_part_of_a_damaged_table(
    tmp_path: Path, damage: Callable[[bytearray, random.Random], bytes]
) -> None:
    whole = write(tmp_path / "whole.table").read_bytes()
    saved = 0
    for seed in range(20):
        path = tmp_path / f"{seed}.table"
        path.write_bytes(damage(bytearray(whole), random.Random(seed)))
        try:
            found = turns_in(path)
        except StoreError:
            pass
        else:
            assert found == LINES[: len(found)]
        try:
            repair(path)
        except StoreError:
            continue
        kept = turns_in(path)
        assert kept == LINES[: len(kept)]
        saved += 1
    assert saved >= 16


def test_the_wal_file_of_a_killed_table_is_read_and_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    live = write(tmp_path / "live.table")
    with TableStore(live) as store:
        store.append(EntryKind.ENDED, {})
        for end in ("", "-wal"):
            shutil.copy(f"{live}{end}", f"{path}{end}")
    assert repair(path)[:2] == (len(LINES) + 3, 0)
    assert not (tmp_path / "a.table-wal").exists()
    assert (tmp_path / "a.table.damaged-wal").exists()
    assert turns_in(path) == LINES


@pytest.mark.parametrize("read_only", [True, False])
def test_a_change_of_format_that_was_killed_is_taken_back(tmp_path: Path, read_only: bool) -> None:
    """Before the write-ahead mode there is a journal, which must be played back before anything is read."""
    path, killed = write(tmp_path / "a.table"), tmp_path / "killed.table"
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = DELETE")
        base.execute("PRAGMA cache_size = 1")
        base.execute("BEGIN IMMEDIATE")
        base.execute("UPDATE entries SET data = 'half done'")
        base.execute("UPDATE pictures SET jpeg = zeroblob(3000)")
        for end in ("", "-journal"):
            shutil.copy(f"{path}{end}", f"{killed}{end}")
        base.rollback()
    assert b"half done" in killed.read_bytes()
    with TableStore(killed, read_only=read_only) as store:
        assert [turn.to_json() for turn in folded(Ledger(), store.entries()).turns] == LINES
        assert store.picture(5, "frame") == bytes([2]) * 3000


@pytest.mark.parametrize("step", range(1, 8))
def test_a_repair_that_is_broken_off_is_done_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    path = write(tmp_path / "a.table")
    change(path, "UPDATE entries SET data = '{' WHERE number = 9")
    taken = 0

    def killed(real: Callable[..., object]) -> Callable[..., object]:
        def call(*what: object, **how: object) -> object:
            nonlocal taken
            taken += 1
            if taken == step:
                raise KeyboardInterrupt
            return real(*what, **how)

        return call

    with monkeypatch.context() as patched:
        for name in ("unlink", "replace"):
            patched.setattr(Path, name, killed(getattr(Path, name)))
        patched.setattr("tilesight.commands.repair.os.link", killed(os.link))
        with contextlib.suppress(KeyboardInterrupt):
            repair(path)
    if turns_or_none(path) != LINES[:6]:
        repair(path)
    assert turns_in(path) == LINES[:6]
    assert (tmp_path / "a.table.damaged").exists()


def turns_or_none(path: Path) -> list[dict[str, object]] | None:
    try:
        return turns_in(path)
    except StoreError:
        return None


# -- which table is gone on with -------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    return tmp_path / "tables"


def never_ended(store: TableStore) -> bool:
    return not folded(Ledger(), store.entries()).ended


def test_a_table_that_is_open_elsewhere_is_said(home: Path) -> None:
    path = write(home / "safari-1.table")
    with TableStore(path):
        with pytest.raises(StoreError, match=r"another Tilesight .*--new"):
            find_or_name_log("safari", never_ended, new=False)
        assert find_or_name_log("safari", never_ended, new=True) != path
        assert find_or_name_log("hunters-gatherers", never_ended, new=False) != path
    assert find_or_name_log("safari", never_ended, new=False) == path


def test_a_damaged_table_is_said_and_no_other_game_begun(home: Path) -> None:
    path = write(home / "safari-1.table")
    change(path, "UPDATE entries SET data = '{' WHERE number = 9")
    with pytest.raises(StoreError, match=r"table repair .*--new"):
        find_or_name_log("safari", never_ended, new=False)
    repair(path)
    assert find_or_name_log("safari", never_ended, new=False) == path


def test_invalid_files_in_the_folder_do_not_hide_the_unfinished_table(home: Path) -> None:
    path = write(home / "safari-1.table")
    (home / "notes.table").write_text("no table at all" * 99)
    (home / "safari-0.table").symlink_to(home / "nowhere")
    (home / "safari-2.table").touch()
    assert find_or_name_log("safari", never_ended, new=False) == path


def test_the_key_belongs_to_the_table(home: Path) -> None:
    path = write(home / "safari-1.table")
    with TableStore(path) as store:
        access = table_access(store, None)
        assert len(access.player) >= 8 and len({access.player, access.host, access.camera}) == 3
    with TableStore(path) as store:
        count = len(store.entries())
        assert table_access(store, None) == access
        assert len(store.entries()) == count
        assert table_access(store, "BAOBABS") == replace(access, player="BAOBABS")
        with pytest.raises(ValueError, match="at least 6"):
            table_access(store, "1")
    with TableStore(path) as store:
        assert table_access(store, None).player == "BAOBABS"
    assert turns_in(path) == LINES


def test_a_key_that_was_replaced_at_the_table_stays_so_though_it_is_given(home: Path) -> None:
    path = write(home / "safari-1.table")
    with TableStore(path) as store:
        replaced = table_access(store, "BAOBABS").with_new_key()
        store.append(EntryKind.KEYED, {**replaced.to_json(), "who": {"role": "host"}})
    with TableStore(path) as store:
        count = len(store.entries())
        assert table_access(store, "BAOBABS") == replaced
        assert len(store.entries()) == count
        assert table_access(store, "GIRAFFES").player == "GIRAFFES"


def test_a_repaired_log_has_no_consent_to_keep_labels_as_a_lost_entry_may_have_withdrawn_it(
    home: Path,
) -> None:
    path = write(home / "safari-1.table")
    with TableStore(path) as store:
        access = table_access(store, None, keep_labels=True)
        assert labels_kept(store.entries())
        lost = store.append(EntryKind.KEYED, replace(access, keep_labels=False).to_json())
    change(path, "UPDATE entries SET data = '{' WHERE number = ?", lost.number)
    repair(path)
    with TableStore(path) as store:
        assert not labels_kept(store.entries())
        assert table_access(store, None) == replace(access, keep_labels=False)


def test_a_log_of_before_the_roles_keeps_its_key_and_gets_the_others(home: Path) -> None:
    path = write(home / "safari-1.table")
    with TableStore(path) as store:
        store.append(EntryKind.KEYED, {"key": "OLDKEY99"})
        access = table_access(store, None)
        assert access.player == "OLDKEY99" and access.spectators_see_camera
        assert table_access(store, None) == access
