"""Limits of the time that serving takes, and values that are made once for many requests."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from tests.web.conftest import Shown
from web.api import reports
from web.api.cache import Memo
from web.limits.pace import (
    CPU_METER,
    GUESTS_THREADS,
    HOLDS_KEY,
    STILL_THERE,
    PaceMiddleware,
    in_thread,
    metered,
)
from web.report.job import ReportError, pdf_in_subprocess


class Clock:
    """Time and processor time that pass as told."""

    def __init__(self) -> None:
        self.now_s = self.spent_s = 0.0
        self.served: list[str] = []

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.served.append(scope["client"][0])
        self.spent_s += 0.1


def test_requests_wait_for_their_share_and_addresses_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    pace = PaceMiddleware(
        clock.app, share=0.1, saved_s=0.35, clock=lambda: clock.now_s, spent=lambda: clock.spent_s
    )
    sleep = asyncio.sleep

    async def passing(seconds: float) -> None:
        clock.now_s += seconds
        await sleep(0)

    monkeypatch.setattr("web.limits.pace.asyncio.sleep", passing)

    async def ask(address: str) -> None:
        await pace({"type": "http", "client": (address, 1)}, None, None)  # type: ignore[arg-type]

    async def greedy_and_polite() -> None:
        greedy = [asyncio.create_task(ask("greedy")) for _ in range(20)]
        await sleep(0)
        await asyncio.gather(*greedy, asyncio.create_task(ask("polite")))

    asyncio.run(greedy_and_polite())
    assert len(clock.served) == 21
    assert clock.served.index("polite") <= 6
    assert clock.now_s >= (clock.spent_s - 0.35 - 0.1) / 0.1


def test_work_in_threads_counts() -> None:
    @metered
    def work(seconds: float) -> str:
        until_s = time.thread_time() + seconds
        while time.thread_time() < until_s:
            pass
        return "done"

    before_s = CPU_METER.spent_s
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(work, [0.05, 0.05])) == ["done", "done"]
    assert CPU_METER.spent_s - before_s >= 0.1


def test_a_memo_makes_a_value_once_for_many_threads() -> None:
    made, at_once, most = [], [0], [0]

    def make() -> int:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        time.sleep(0.05)
        at_once[0] -= 1
        made.append(threading.get_ident())
        return len(made)

    kept = Memo[tuple[int, ...], int]()
    with ThreadPoolExecutor(8) as threads:
        values = list(threads.map(lambda _: kept.made("en", (1, 2), make), range(16)))
    assert values == [1] * 16 and most == [1]
    assert kept.made("en", (1, 3), make) == 2


@pytest.mark.long
def test_many_who_want_the_report_get_one(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    shown.table.play(2)
    made = []

    def make(report: object) -> bytes:
        made.append(report)
        return pdf_in_subprocess(report)  # type: ignore[arg-type]

    monkeypatch.setattr(reports, "pdf_in_subprocess", make)

    def ask(_: int) -> bytes:
        return httpx.get(f"{shown.url}/api/report.pdf?lang=de", timeout=60).content

    with ThreadPoolExecutor(6) as guests:
        pdfs = set(guests.map(ask, range(12)))
    assert len(made) == 1
    [pdf] = pdfs
    assert pdf.startswith(b"%PDF")
    seen = shown.table.view.camera
    shown.table.say(seen)  # another view of the same game
    ask(0)
    assert len(made) == 1
    shown.table.play(1)
    ask(0)
    assert len(made) == 2


def test_a_report_that_cannot_be_made_is_said(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.report.job.sys.executable", "/nowhere/python")
    with pytest.raises(ReportError, match="could not be made"):
        pdf_in_subprocess(None)  # type: ignore[arg-type]
    answer = httpx.get(f"{shown.url}/api/report.pdf", timeout=60)
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "no_report"


def test_a_holder_of_a_key_does_not_wait_with_guests_and_who_left_waits_no_more() -> None:
    clock, there = Clock(), [True]
    pace = PaceMiddleware(
        clock.app,
        knows_key=lambda key: key == "RIGHT",
        share=0.1,
        saved_s=0.05,
        clock=lambda: clock.now_s,
        spent=lambda: clock.spent_s,
    )

    async def ask(client: str, key: str = "") -> None:
        extensions = {STILL_THERE: lambda: there[0]}
        headers = [(b"x-table-key", key.encode())]
        scope = {"type": "http", "client": (client, 1), "headers": headers, "extensions": extensions}
        await pace(scope, None, None)  # type: ignore[arg-type]

    async def among_guests() -> None:
        guests = [asyncio.create_task(ask("guest", "WRONG")) for _ in range(5)]
        await asyncio.sleep(0)
        assert clock.served == ["guest"]
        for _ in range(3):
            await ask("holder", "RIGHT")
        there[0] = False
        await asyncio.wait_for(asyncio.gather(*guests), 5)

    asyncio.run(among_guests())
    assert clock.served == ["guest", "holder", "holder", "holder"]


def test_guests_leave_threads_to_holders_and_their_time_is_told_apart() -> None:
    at_once, most, before_s = [0], [0], CPU_METER.holders_s

    @in_thread
    def work(seconds: float) -> None:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        until_s = time.thread_time() + seconds
        while time.thread_time() < until_s:
            pass
        at_once[0] -= 1

    async def hold() -> None:
        HOLDS_KEY.set(True)
        await CPU_METER.holders(work(0.05))

    async def all_of_them() -> None:
        guests = [asyncio.create_task(work(0.02)) for _ in range(8)]
        await asyncio.sleep(0)
        await asyncio.create_task(hold())
        await asyncio.gather(*guests)

    asyncio.run(all_of_them())
    assert most[0] <= GUESTS_THREADS + 1
    assert 0.05 <= CPU_METER.holders_s - before_s < 0.1
