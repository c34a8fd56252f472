"""Health and counts of a table, as an operator reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from tests.web.conftest import running
from tests.web.fake_table import FakeTable
from web.app import create_app
from web.table.vitals import DISK_LOW_BYTES, PICTURE_WITHIN_S, Latency, Vitals

WELL = Vitals(
    picture_age_s=1.5,
    threads={"camera": True, "recogniser": True},
    disk_free_bytes=10 * DISK_LOW_BYTES,
    log_writable=True,
    pictures_seen=7,
    pictures_dropped=3,
    pictures_unreadable=2,
    latency=Latency(((0.5, 6), (float("inf"), 7)), 2.5),
)


class Watched:
    def __init__(self) -> None:
        self.now = WELL
        self.table = FakeTable()
        self.url = ""

    def vitals(self) -> Vitals:
        return self.now


@pytest.fixture
def watched() -> Iterator[Watched]:
    table = Watched()
    with running(create_app(table.table, key="SAVANNA7", vitals=table.vitals)) as url:
        table.url = url
        yield table
        table.table.feed.close()


def test_a_table_that_works_says_so_without_a_key(watched: Watched) -> None:
    answer = httpx.get(f"{watched.url}/healthz")
    assert answer.status_code == 200
    assert answer.json() == {
        "ok": True,
        "wrong": [],
        "picture_age_s": 1.5,
        "threads": {"camera": True, "recogniser": True},
        "disk_free_bytes": 10 * DISK_LOW_BYTES,
        "log_writable": True,
        "clients": 0,
    }


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"picture_overdue_s": PICTURE_WITHIN_S + 1}, ["picture"]),
        ({"threads": {"camera": False, "recogniser": True}}, ["thread:camera"]),
        ({"disk_free_bytes": DISK_LOW_BYTES - 1}, ["disk"]),
        ({"log_writable": False, "disk_free_bytes": 0}, ["disk", "log"]),
    ],
)
def test_a_fault_of_the_table_is_named(
    watched: Watched, changes: dict[str, object], wrong: list[str]
) -> None:
    watched.now = replace(WELL, **changes)  # type: ignore[arg-type]
    answer = httpx.get(f"{watched.url}/healthz")
    assert (answer.status_code, answer.json()["ok"], answer.json()["wrong"]) == (503, False, wrong)
    assert "tilesight_healthy 0.0" in httpx.get(f"{watched.url}/metrics").text


def test_a_recording_has_no_log_and_is_well() -> None:
    table = FakeTable()
    with running(create_app(table, key="SAVANNA7")) as url:
        answer = httpx.get(f"{url}/healthz")
        assert answer.status_code == 200 and answer.json()["log_writable"] is None
        assert "tilesight_disk_free_bytes" not in httpx.get(f"{url}/metrics").text


def test_prometheus_reads_the_counts(watched: Watched) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    watched.table.play(1)
    with httpx.stream("GET", f"{watched.url}/api/events?last_event_id=0", timeout=60) as events:
        lines = events.iter_lines()  # held: the stream closes with it
        next(lines)
        text = httpx.get(f"{watched.url}/metrics").text
    told = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert told["tilesight_pictures_seen_total",] == 7
    assert told["tilesight_pictures_dropped_total",] == 3
    assert told["tilesight_pictures_unreadable_total",] == 2
    assert told["tilesight_picture_latency_seconds_bucket", "0.5"] == 6
    assert told["tilesight_picture_latency_seconds_count",] == 7
    assert told["tilesight_picture_latency_seconds_sum",] == 2.5
    assert told["tilesight_clients",] == 1
    assert told["tilesight_events_total",] == watched.table.feed.last_id > 0
    assert told["tilesight_thread_up", "camera"] == 1
    assert told["tilesight_picture_age_seconds",] == 1.5
