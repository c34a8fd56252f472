"""`python -m tests.crowds crowd`: a session watched live among many guests, most of whom mean no good.

Whether every turn is still understood, how long an event takes to the readers, and what the guests cost the
recogniser. The guests are processes of their own on the same machine: those that read, to time the events,
and the others at the lowest priority, since in life they have processors of their own.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from engine.record import header_to_json
from tests.crowds.guests import Crowd, CrowdSize
from tests.crowds.phones import slowdown
from tilesight.live.sources import SessionSource
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import watch
from tilesight.recordings.tile_replay import TileReplay, start_of
from tilesight.server.dashboard import Dashboard
from tilesight.sessions.session import Session, SessionError, read_session
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from web.table.feed import Feed, FeedEvent

THERE_WITHIN_S = 90.0
"""Seconds within which every reader must listen."""
EVENT_WITHIN_MS = 500.0
"""Milliseconds after being told within which 95 % of the events are wanted at the readers."""
SHARE_WANTED = 0.9
"""Share of the recogniser's rate without guests that is wanted among them."""


def crowd_command(
    session: Annotated[Path, typer.Argument(metavar="SESSION", help="a session with its record")],
    readers: Annotated[int, typer.Option(min=1, help="guests that follow the game")] = 200,
    silent: Annotated[int, typer.Option(min=0, help="guests that never read")] = 100,
    idle: Annotated[int, typer.Option(min=0, help="guests that never end a request")] = 1100,
    greedy: Annotated[int, typer.Option(min=0, help="guests that ask for reports all the time")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Watch a session live among many guests: turns, delay of events, and the recogniser's rate.

    Exit 1 where a turn is not exact, an event is lost or late, or the recogniser is slowed too much.
    """
    watched = read_session(session)
    if watched.reference is None:
        raise SessionError(f"{session}: has no record to compare with")
    size = CrowdSize(readers, silent, idle, greedy)
    result = {**among(watched, size), **slowdown(watched, partial(_guests, size), THERE_WITHIN_S)}
    result["wanted"] = (
        result["turns_exact"] == result["turns"]
        and result["final_exact"]
        and result["delivered"] == 1.0
        and result["told_ms_p95"] < EVENT_WITHIN_MS
        and result["slowed"] <= 1 - SHARE_WANTED
    )
    if as_json:
        print(json.dumps({"tilesight": 1, "crowd": result}))
    else:
        _say(result)
    raise typer.Exit(0 if result["wanted"] else 1)


def _say(result: dict[str, Any]) -> None:
    print("{readers} readers, {silent} that never read, {idle} idle, {greedy} greedy".format(**result))
    print(
        "turns exact {turns_exact} of {turns}, scores after {scores_exact}, final {final}; "
        "{dropped} pictures dropped".format(**result, final="exact" if result["final_exact"] else "wrong")
    )
    print(
        "{events} events: {delivered:.2%} delivered, p95 {told_ms_p95:.0f} ms after the table told them "
        "(wanted under {wanted_ms:.0f}); after the picture, recognising included, p50 {event_ms_p50:.0f} ms, "
        "p95 {event_ms_p95:.0f} ms".format(**result, wanted_ms=EVENT_WITHIN_MS)
    )
    print(f"greedy guests got {result['answers']} answers; {result['cut_off']} connections were cut off")
    print(
        "pictures looked at in a second: {looks_per_s_alone:.2f} alone, {looks_per_s_among:.2f} among them: "
        "{share:.0%} (wanted {wanted_share:.0%})".format(
            **result, share=1 - result["slowed"], wanted_share=SHARE_WANTED
        )
    )
    print(
        "in the time in which a processor was free for it: {looks_per_free_s_alone:.2f} alone, "
        "{looks_per_free_s_among:.2f} among them".format(**result)
    )


def among(session: Session, size: CrowdSize) -> dict[str, Any]:
    """A session watched at its own pace among guests: figures as ``--json`` writes them."""
    start, observe = start_of(session, None)
    replay = TileReplay(start, session)
    source = SessionSource(session.played_with(start.pack), "real")
    process = multiprocessing.get_context("spawn")
    there, (heard, tell) = process.Event(), process.Pipe(duplex=False)
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-") as scratch,
        TableStore(Path(scratch) / "bench.table") as store,
    ):
        header = header_to_json(session.header)
        store.append(EntryKind.OPENED, {"header": header, "names": dict(session.names)})
        table = TileTable(start, session.names, store, title=session.title, game=session.header.game)
        with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
            crowd = process.Process(target=_guests, args=(size, dashboard.port, there, tell), name="guests")
            crowd.start()
            observe(session.frames[0].read())  # networks warm up before people play
            if not there.wait(THERE_WITHIN_S):
                raise RuntimeError("the guests did not come")
            first, told_s = table.watch().last_id, _telling(table.watch())
            watch(source, observe, table.game, [replay.take], keep_going=True)
            table.game.close_with_source()
            replay.understood = table.game.understood
            last = table.watch().last_id
            time.sleep(3.0)  # what is still on its way
        told = heard.recv()
        crowd.join(THERE_WITHIN_S)
    replay.compare()
    assert replay.compared is not None
    return {
        **{name: getattr(size, name) for name in CrowdSize.__slots__},
        **replay.compared.to_json(),
        "dropped": source.dropped,
        **_delays(told["heard"], range(first + 1, last + 1)),
        "told_ms_p95": _percentile_ms(_since(told["came_s"], told_s), 95),
        "answers": told["answers"],
        "cut_off": told["cut_off"],
    }


def _delays(heard: list[dict[int, float]], events: range) -> dict[str, Any]:
    """Figures of the readers' delays, in seconds by the event's id."""
    seconds = [phone[number] for phone in heard for number in events if number in phone]
    p50, p95 = (_percentile_ms(seconds, share) for share in (50, 95))
    delivered = len(seconds) / max(len(heard) * len(events), 1)
    return {"events": len(events), "delivered": delivered, "event_ms_p50": p50, "event_ms_p95": p95}


def _telling(feed: Feed) -> dict[int, float]:
    """Seconds since 1970 at which each event is told from now on, by its id; filled as they are told."""
    told_s: dict[int, float] = {}

    def note(event: FeedEvent | None) -> None:
        if event is not None:
            told_s[event.id] = time.time()

    feed.listen(note)
    return told_s


def _percentile_ms(seconds: list[float], share: float) -> float:
    return round(1e3 * float(np.percentile(seconds or [0.0], share)), 1)


def _since(came_s: list[dict[int, float]], told_s: dict[int, float]) -> list[float]:
    """Seconds from an event's being told by the table until each reader had it."""
    return [at_s - told_s[number] for phone in came_s for number, at_s in phone.items() if number in told_s]


def _guests(size: CrowdSize, port: int, there: Any, tell: Any = None) -> None:
    """The readers, until the table closes, and the others in a process of their own; ``tell`` is then sent
    their figures."""
    _many_descriptors()
    process = multiprocessing.get_context("spawn")
    figures, tell_others = process.Pipe(duplex=False)
    others_there, over = process.Event(), process.Event()
    others = process.Process(target=_others, args=(size, port, others_there, over, tell_others))

    async def until_closed() -> dict[str, Any]:
        crowd = Crowd(port, CrowdSize(size.readers, 0, 0, 0))
        await crowd.come()
        others.start()
        await asyncio.to_thread(others_there.wait, THERE_WITHIN_S)
        there.set()
        await crowd.readers_gone()
        return {
            "heard": [phone.heard for phone in crowd.phones],
            "came_s": [phone.came_s for phone in crowd.phones],
        }

    try:
        heard = asyncio.run(until_closed())
    finally:
        over.set()
    told = figures.recv()
    others.join()
    if tell is not None:
        tell.send({**heard, **told})


def _others(size: CrowdSize, port: int, there: Any, over: Any, tell: Any) -> None:
    """The guests that do not follow the game, until ``over``."""
    if hasattr(os, "nice"):
        os.nice(19)

    async def until_over() -> Crowd:
        crowd = Crowd(port, replace(size, readers=0))
        await crowd.come()
        there.set()
        await asyncio.to_thread(over.wait)
        await crowd.leave()
        return crowd

    crowd = asyncio.run(until_over())
    tell.send({"answers": crowd.answers, "cut_off": crowd.cut_off})


def _many_descriptors() -> None:
    """Let this process open as many connections as the system allows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
