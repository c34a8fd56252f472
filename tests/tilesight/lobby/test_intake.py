"""Import of games: an export comes back exactly, anything else is refused."""

from __future__ import annotations

import contextlib
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.tiles.game import Header
from tests.web.fake_table import photograph, played_turn
from tilesight.home import tables_folder
from tilesight.lobby.brought import intake
from tilesight.lobby.library import Library
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import SUFFIX, TableStore
from web.library import ImportResult
from web.table.refusal import Refusal

NAMES = {"red": "Ana", "blue": "Bo"}
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(NAMES)}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    tables_folder().mkdir(parents=True)
    return Library()


def _play(name: str, turns: int = 3, pack_name: str = "savanna") -> Path:
    """A game of some turns in a log."""
    pack, rng = load_pack("savanna"), Random(turns)
    state = tile_game_named("safari").start(Header("safari", pack.id, tuple(NAMES)), pack)
    path = tables_folder() / f"{name}{SUFFIX}"
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": {**HEADER, "pack": pack_name}, "names": NAMES})
        for number in range(turns):
            turn = played_turn(state, rng)
            state = state.apply(turn).state
            seen = {"keep": number, "lines": [turn.to_json()], "frames": [number]}
            store.append(EntryKind.SEEN, seen, {"frame": photograph()})
    return path


def _content(path: Path) -> tuple[object, bytes | None]:
    with TableStore(path, read_only=True) as store:
        return store.entries(), store.picture(2, "frame")


def test_exported_games_are_imported_exactly(library: Library, tmp_path: Path) -> None:
    paths = [_play("one"), _play("two", 2)]
    before, told = [_content(path) for path in paths], library.games()
    packed = library.export(tmp_path)
    try:
        assert library.import_file(packed, "games.zip") == ImportResult(0, 2, 0)
        for path in paths:
            path.unlink()
        assert not library.games()
        assert library.import_file(packed, "games.zip") == ImportResult(2, 0, 0)
    finally:
        packed.unlink()
    assert [_content(path) for path in paths] == before
    again = {game.id: game for game in library.games()}
    assert again == {game.id: game for game in told}


def test_a_log_that_comes_alone_takes_a_name_that_is_free(library: Library, tmp_path: Path) -> None:
    alone = _play("one").rename(tmp_path / "upload")
    _play("one", 2)
    assert library.import_file(alone, "../../one.table") == ImportResult(1, 0, 0)
    assert {game.id: game.turns for game in library.games()} == {"one": 2, "one-2": 3}


def _zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


def _with(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with sqlite3.connect(path) as base:
            base.execute(statement)
        base.close()

    return change


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])


@pytest.mark.parametrize(
    "change",
    [
        _cut,
        _with("CREATE VIEW more AS SELECT 1"),
        _with("CREATE TRIGGER more AFTER INSERT ON entries BEGIN DELETE FROM pictures; END"),
        _with("CREATE TABLE more (a)"),
        _with("UPDATE entries SET data = '{}'"),
        _with("DELETE FROM entries"),
        lambda path: path.write_bytes(b"no log"),
        lambda path: path.write_bytes(b""),
    ],
)
def test_a_damaged_or_altered_log_is_refused(
    library: Library, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    log = _play("one").rename(tmp_path / "upload")
    change(log)
    with pytest.raises(Refusal, match="no game"):
        library.import_file(log, "one.table")
    with pytest.raises(Refusal, match="no game"):
        library.import_file(_zip(tmp_path / "z", {"one.table": log.read_bytes()}), "z.zip")
    assert not list(tables_folder().glob(f"*{SUFFIX}"))


def test_a_log_that_names_a_folder_as_its_pack_is_refused(library: Library, tmp_path: Path) -> None:
    pack = load_pack("savanna")
    log = _play("one", pack_name=str(pack.folder) if hasattr(pack, "folder") else "/nowhere/savanna")
    with pytest.raises(Refusal, match="no game"):
        library.import_file(log.rename(tmp_path / "upload"), "one.table")


def test_a_later_entry_that_names_a_folder_as_its_pack_is_refused(library: Library, tmp_path: Path) -> None:
    log = _play("one")
    with TableStore(log) as store:
        store.append(EntryKind.OPENED, {"header": {**HEADER, "pack": "/etc/pack"}, "names": NAMES})
    with pytest.raises(Refusal, match="no game"):
        library.import_file(log.rename(tmp_path / "upload"), "one.table")


def test_a_log_with_a_time_without_end_is_refused(library: Library, tmp_path: Path) -> None:
    log = _play("one")
    with contextlib.closing(sqlite3.connect(log)) as base, base:
        base.execute("UPDATE entries SET at_s = 9e999 WHERE number = 4")
    with pytest.raises(Refusal, match="no game"):
        library.import_file(log.rename(tmp_path / "upload"), "one.table")


def test_names_in_a_zip_file_never_lead_out_of_the_folder(library: Library, tmp_path: Path) -> None:
    log = _play("one").rename(tmp_path / "upload").read_bytes()
    names = (
        "../out.table",
        "/tmp/out.table",
        "a/b.table",
        "..\\out.table",
        ".table",
        "note.txt",
        "C:x.table",
    )
    with pytest.raises(Refusal, match="no game"):
        library.import_file(_zip(tmp_path / "z", dict.fromkeys(names, log)), "z.zip")
    assert (
        library.import_file(_zip(tmp_path / "y", {"../a.table": log, "b.table": log}), "y.zip").brought == 1
    )
    assert [path.name for path in tables_folder().glob(f"*{SUFFIX}")] == ["b.table"]
    assert not list(tmp_path.rglob("out.table"))


def test_a_zip_file_that_is_too_large_or_lies_about_its_size_is_refused(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = _zip(tmp_path / "bomb", {f"{n}.table": b"\0" * 600_000 for n in range(3)})
    assert bomb.stat().st_size < 20_000
    monkeypatch.setattr(intake, "IMPORT_LIMIT_BYTES", 1_000_000)
    with pytest.raises(Refusal, match="too much"):
        library.import_file(bomb, "z.zip")
    monkeypatch.setattr(intake, "LOGS_AT_MOST", 2)
    with pytest.raises(Refusal, match="too much"):
        library.import_file(_zip(tmp_path / "many", {f"{n}.table": b"x" for n in range(3)}), "z.zip")
    # What says of itself that it is small is copied no further than that.
    lying = bytearray(_zip(tmp_path / "lying", {"a.table": b"\0" * 600_000}).read_bytes())
    at = lying.rindex((600_000).to_bytes(4, "little"))
    lying[at : at + 4] = (10).to_bytes(4, "little")
    (tmp_path / "lying").write_bytes(lying)
    with pytest.raises(Refusal):
        library.import_file(tmp_path / "lying", "z.zip")
    monkeypatch.setattr(intake, "SPARE_BYTES", 1 << 60)
    with pytest.raises(Refusal, match="no room"):
        library.import_file(_play("one"), "one.table")
    assert not [path for path in tables_folder().iterdir() if path.is_dir()]
