"""What tables and hub say to each other: bounded, versioned, and without the table's keys."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

from tilesight.club.messages import ENTRY_BYTES, LogEntry, MessageError, read_message
from tilesight.club.subjects import log_id, log_subject, table_id, words_of
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import Entry


def test_an_entry_comes_back_as_it_was() -> None:
    entry = Entry(3, "seat", 1700000000.25, {"color": "red", "name": "Zoë"})
    assert read_message(LogEntry, LogEntry.of(entry).encoded(), ENTRY_BYTES).entry() == entry


def test_no_key_leaves_the_table() -> None:
    told = LogEntry.of(Entry(2, EntryKind.KEYED, 1.0, {"key": "SECRET", "host": "HOSTKEY", "camera": "CAM"}))
    assert json.loads(told.encoded())["data"] == {"spectators_see_camera": True}


def test_fields_of_a_later_version_are_passed_over_and_another_version_is_refused() -> None:
    later = {"v": 1, "number": 1, "kind": "x", "at_s": 1.0, "data": {}, "new": 1}
    assert read_message(LogEntry, json.dumps(later).encode(), ENTRY_BYTES).number == 1
    with pytest.raises(MessageError):
        read_message(LogEntry, json.dumps({**later, "v": 2}).encode(), ENTRY_BYTES)


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"v":1,"number":0}', b" " * (ENTRY_BYTES + 1)]
)
def test_what_is_no_message_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(MessageError) as said:
        read_message(LogEntry, data, ENTRY_BYTES)
    assert "\n" not in str(said.value) and len(str(said.value)) < 300


def test_subjects_name_table_and_game_and_nothing_else() -> None:
    game = log_id(Entry(1, "table", 5.0, {}))
    assert words_of(log_subject("hall-7", game)) == ("hall-7", game)
    assert words_of("table.hall-7.status") == ("hall-7", "")
    for wrong in ("table.a", "table.a.b.c.d", "other.a.b", "table.*.log.x", "table..status"):
        with pytest.raises(ValueError):
            words_of(wrong)
    for wrong in ("", "a.b", "a b", ">", "x" * 65):
        with pytest.raises(ValueError):
            table_id(wrong)
