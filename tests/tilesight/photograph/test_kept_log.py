"""One photograph is one game: kept twice, by two, otherwise, or after its game went on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tilesight.photograph.test_keeping import PACK, SEATS, board, state_of
from tests.tilesight.photograph.test_score import meeple
from tilesight.photograph.keeping import Seated, kept_entries
from tilesight.photograph.kept_log import Entries, keep_log, kept_path
from tilesight.table_log.event_fold import EntryKind, labels_kept
from tilesight.table_log.event_store import Entry, TableStore
from web.table.refusal import Refusal

JPEG = b"\xff\xd8\xff"


def entries(seats: Seated = SEATS, *, over: bool = True, keep_labels: bool = False) -> Entries:
    seen = board({(0, 0): "BC-D", (1, 0): "BC-U"}, meeple("red", "r0", cell=(1, 0)))
    return kept_entries(seen, PACK, seats, JPEG, over=over, keep_labels=keep_labels)


def names_of(path: Path) -> list[str]:
    return [one["name"] for one in state_of(path)["players"]]  # type: ignore[attr-defined]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    return kept_path("carcassonne", JPEG)


def test_a_board_that_is_kept_twice_is_one_game(path: Path) -> None:
    keep_log(path, entries())
    content = path.read_bytes()
    keep_log(path, entries())
    assert path.read_bytes() == content  # nothing was written, also no other time
    assert [file.name for file in path.parent.glob("*.table")] == [path.name]
    assert kept_path("carcassonne", JPEG) == path != kept_path("carcassonne", b"another")
    with TableStore(path, read_only=True) as store:
        assert [entry.kind for entry in store.entries()] == [
            EntryKind.OPENED, EntryKind.SET_UP, EntryKind.ENDED,
        ]  # fmt: skip
        assert store.picture(2, "frame") == JPEG


def test_another_reading_of_a_photograph_replaces_its_game_when_it_is_kept_again(path: Path) -> None:
    keep_log(path, entries())
    with TableStore(path):  # leaves the log as SQLite's side files need it
        pass
    content = path.read_bytes()
    others = [
        entries(replace(SEATS, names={"red": "Cleo", "blue": "Bo"})),
        entries(replace(SEATS, scores={"red": 8})),
        entries(over=False),
        entries(keep_labels=True),
    ]
    for other in others:
        with pytest.raises(Refusal, match="keep it again to replace that") as told:
            keep_log(path, other)
        assert told.value.code == "kept_before" and path.read_bytes() == content
    keep_log(path, others[0], again=True)
    assert names_of(path) == ["Cleo", "Bo"]
    keep_log(path, others[-1], again=True)
    assert names_of(path) == ["Ana", "Bo"]
    with TableStore(path, read_only=True) as store:
        assert labels_kept(store.entries())
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}-lock"]


def test_a_game_that_goes_on_is_answered_and_never_replaced(path: Path) -> None:
    keep_log(path, entries(over=False))
    with TableStore(path) as store:
        keep_log(path, entries(over=False))  # it is watched: sent twice
        with pytest.raises(Refusal, match="a game goes on from this photograph already"):
            keep_log(path, entries(), again=True)
        store.append(EntryKind.SEATED, {"color": "red", "name": "Cleo"})
    keep_log(path, entries(over=False))
    with pytest.raises(Refusal) as told:
        keep_log(path, entries(), again=True)
    assert told.value.code == "goes_on" and names_of(path) == ["Cleo", "Bo"]


def test_a_log_that_cannot_be_read_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no log")
    with pytest.raises(Refusal, match="this game cannot be read"):
        keep_log(path, entries(), again=True)
    assert path.read_bytes() == b"no log"


def test_what_is_kept_is_numbered_from_one() -> None:
    kept: list[Entry] = [entry for entry, _ in entries(keep_labels=True)]
    assert [entry.number for entry in kept] == [1, 2, 3, 4]
