"""Messages between tables, workers and hub: bounded, versioned, and without the table's keys."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tilesight.club.frames import (
    BATCH_BYTES,
    ENTRIES_AT_MOST,
    FRAME_BYTES,
    Entries,
    batches,
    from_hub,
    from_table,
    from_worker,
    picture_frame,
    picture_of,
    to_worker,
)
from tilesight.club.messages import LogEntry, MessageError
from tilesight.table_log.event_fold import EntryKind, labels_kept
from tilesight.table_log.event_store import Entry
from web.table.access import Access


def test_an_entry_comes_back_as_it_was() -> None:
    entry = Entry(3, "seat", 1700000000.25, {"color": "red", "name": "Zoë"})
    frame = from_table(Entries(game="g", entries=[LogEntry.of(entry)]).text())
    assert isinstance(frame, Entries) and frame.entries[0].entry() == entry


def test_no_key_leaves_the_table() -> None:
    told = LogEntry.of(Entry(2, EntryKind.KEYED, 1.0, {"key": "SECRET", "host": "HOSTKEY", "camera": "CAM"}))
    assert json.loads(told.encoded())["data"] == {"spectators_see_camera": True}


def test_neither_the_camera_nor_the_consent_to_keep_labels_leaves_the_table() -> None:
    opened = {"header": {"game": "safari"}, "names": {}}
    entries = [
        Entry(1, EntryKind.OPENED, 1.0, {**opened, "camera": "rtsp://192.168.7.9/door"}),
        Entry(2, EntryKind.KEYED, 1.0, Access(keep_labels=True).to_json()),
    ]
    assert labels_kept(entries)
    told = [LogEntry.of(entry).entry() for entry in entries]
    assert told[0].data == opened and not labels_kept(told)


def test_fields_of_a_later_version_are_passed_over_and_another_version_is_refused() -> None:
    later = {"v": 1, "type": "hello", "game": "g", "new": 1}
    assert from_table(json.dumps(later)).type == "hello"
    with pytest.raises(MessageError):
        from_table(json.dumps({**later, "v": 2}))


@pytest.mark.parametrize("read", [from_table, from_hub, from_worker, to_worker])
@pytest.mark.parametrize("text", ["", "\0", "[]", "[" * 100_000, '{"v":1,"type":0}', " " * (FRAME_BYTES + 1)])
def test_an_invalid_frame_is_refused_in_one_line(read: object, text: str) -> None:
    assert callable(read)
    with pytest.raises(MessageError) as said:
        read(text)
    assert "\n" not in str(said.value) and len(str(said.value)) < 300


def test_entries_are_sent_in_lists_that_fit_into_a_frame() -> None:
    small = [LogEntry(number=n, kind="a", at_s=1.0, data={}) for n in range(1, 402)]
    assert [len(one) for one in batches(small)] == [ENTRIES_AT_MOST, ENTRIES_AT_MOST, 1]
    large = [LogEntry(number=n, kind="a", at_s=1.0, data={"x": "x" * (BATCH_BYTES // 2)}) for n in (1, 2, 3)]
    assert [one for batch in batches(large) for one in batch] == large and BATCH_BYTES < FRAME_BYTES
    assert all(len(Entries(game="g", entries=batch).text()) <= FRAME_BYTES for batch in batches(large))
    assert list(batches([])) == []


def test_a_picture_names_its_table() -> None:
    assert picture_of(picture_frame("t-1", b"\xff\xd8\0x")) == ("t-1", b"\xff\xd8\0x")
