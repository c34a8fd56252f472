"""Consent to keep labels of a game's pictures: it lasts until it is withdrawn, and then stays withdrawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tilesight.table_log.event_fold import EntryKind, labels_kept
from tilesight.table_log.event_store import Entry, TableStore
from tilesight.table_log.log_files import table_access
from web.table.access import Access


def test_labels_are_kept_only_with_consent() -> None:
    assert not labels_kept([])
    keys = [{"key": "OLDKEY99"}, Access().to_json(), Access(keep_labels=True).to_json(), {"keep_labels": 1}]
    for number, expected in enumerate([False, False, True, False], start=1):
        entries = [Entry(at, EntryKind.KEYED, 0.0, data) for at, data in enumerate(keys[:number], start=1)]
        assert labels_kept(entries) is expected


def test_consent_survives_a_restart_and_a_new_join_key(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    with TableStore(path) as store:
        access = table_access(store, None)
        assert not access.keep_labels
        store.append(EntryKind.KEYED, replace(access, keep_labels=True).to_json())
    with TableStore(path) as store:
        access = table_access(store, "BAOBABS")
        assert access.keep_labels and access.with_new_key().keep_labels
        assert labels_kept(store.entries())


def test_a_table_is_started_with_consent(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    with TableStore(path) as store:
        assert not table_access(store, None).keep_labels
        assert table_access(store, None, keep_labels=True).keep_labels
        assert labels_kept(store.entries())


def test_withdrawn_consent_stays_withdrawn_though_the_table_is_started_with_it_again(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    with TableStore(path) as store:
        access = table_access(store, None, keep_labels=True)
        store.append(EntryKind.KEYED, replace(access, keep_labels=False).to_json())
    with TableStore(path) as store:
        assert not table_access(store, None, keep_labels=True).keep_labels
        assert not labels_kept(store.entries())
