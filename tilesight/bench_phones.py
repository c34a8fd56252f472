"""``tilesight bench phones``: many phones at one table, and how long an update takes to reach them all."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from engine.game import GameState, Header, game_named
from engine.pack import load_pack
from engine.record import header_to_json
from tilesight.dashboard import Dashboard
from tilesight.live import LiveTable
from tilesight.play import Style, random_game
from tilesight.understanding import Understanding, UnderstoodTurn

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
WAIT_S = 20.0
"""What has not come by then was not delivered."""


@dataclass(slots=True)
class Phone:
    """One phone: it hears the events and, as the dashboard does, fetches the state after each."""

    port: int
    heard: dict[int, float] = field(default_factory=dict)
    """Seconds from the picture to the event, by the event's id."""
    shown: dict[int, float] = field(default_factory=dict)
    """Seconds from the picture to the state that holds the event."""
    listening: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Hear everything until the table closes."""
        reader, writer = await self._connect()
        _ask(writer, "/api/events")
        self.listening.set()
        fresh: asyncio.Queue[tuple[int, float] | None] = asyncio.Queue()
        fetching = asyncio.create_task(self._fetch(fresh))
        while line := await reader.readline():
            if line.startswith(b"data: "):
                event = json.loads(line[6:])
                self.heard[event["id"]] = time.time() - event["t_frame_s"]
                fresh.put_nowait((event["id"], event["t_frame_s"]))
        fresh.put_nowait(None)
        await fetching
        writer.close()

    async def _fetch(self, fresh: asyncio.Queue[tuple[int, float] | None]) -> None:
        """The state once for all that came while the last one was on its way."""
        reader, writer = await self._connect()
        while (first := await fresh.get()) is not None:
            waiting = [first]
            while not fresh.empty() and (following := fresh.get_nowait()) is not None:
                waiting.append(following)
            _ask(writer, "/api/state")
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(LENGTH.findall(head)[0]))
            # The table has an event's state before it tells the event.
            self.shown.update({number: time.time() - t_frame_s for number, t_frame_s in waiting})
        writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)


def _ask(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode())


def bench_phones_command(
    phones: Annotated[int, typer.Option(min=1, help="how many phones")] = 100,
    turns: Annotated[int, typer.Option(min=1, help="how many turns of a generated game are told")] = 30,
    every_s: Annotated[float, typer.Option(min=0.0, help="seconds from turn to turn")] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Many phones at one table: is every update delivered, and how fast."""
    result = asyncio.run(measure(phones, turns, every_s, quiet=as_json))
    if as_json:
        print(json.dumps({"tilesight": 1, "phones": result}))
        return
    print(f"{phones} phones, {result['updates']} updates each: {result['delivered']:.2%} delivered")
    for what, said in (("event", "an event is heard"), ("state", "the new state is there")):
        p50, p95 = result[f"{what}_ms_p50"], result[f"{what}_ms_p95"]
        print(f"from the picture until {said}: p50 {p50:.0f} ms, p95 {p95:.0f} ms")


async def measure(phones: int, turns: int, every_s: float, *, quiet: bool = True) -> dict[str, Any]:
    """Tell a generated game to that many phones; shares and milliseconds, as ``--json`` writes them."""
    pack = load_pack("savanna")
    record = random_game(pack, 3, 1, turns=turns, style=Style(greedy=0.6), hands_seen=False)
    assert isinstance(record.header, Header)
    start = game_named("safari").start(record.header, pack)
    table = LiveTable(start, {}, title="bench", game="safari", header_line=header_to_json(record.header))
    crowd: list[Phone] = []
    with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
        crowd = [Phone(dashboard.port) for _ in range(phones)]
        listening = [asyncio.create_task(phone.listen()) for phone in crowd]
        await asyncio.gather(*(phone.listening.wait() for phone in crowd))
        await asyncio.sleep(0.5)  # the streams are open once the server has taken the requests up
        state: GameState = start
        told: tuple[UnderstoodTurn, ...] = ()
        for number, turn in enumerate(track(record.turns, "Playing", disable=quiet, console=_aside())):
            step = state.apply(turn)
            state = step.state
            told = (*told, UnderstoodTurn(turn, step, number, None, 1.0))
            understood = Understanding(told, len(told), state, board_seen=True, busy=False)
            table.take(understood, number, time.time())
            await asyncio.sleep(every_s)
        updates = table.watch().last_id
        deadline_s = time.monotonic() + WAIT_S
        while any(len(phone.shown) < updates for phone in crowd) and time.monotonic() < deadline_s:
            await asyncio.sleep(0.05)
    await asyncio.wait(listening, timeout=WAIT_S)
    heard = np.array([seconds for phone in crowd for seconds in phone.heard.values()])
    shown = np.array([seconds for phone in crowd for seconds in phone.shown.values()])
    return {
        "phones": phones,
        "updates": updates,
        "delivered": len(heard) / (phones * updates),
        "event_ms_p50": round(1e3 * float(np.percentile(heard, 50)), 1),
        "event_ms_p95": round(1e3 * float(np.percentile(heard, 95)), 1),
        "state_ms_p50": round(1e3 * float(np.percentile(shown, 50)), 1),
        "state_ms_p95": round(1e3 * float(np.percentile(shown, 95)), 1),
    }


def _aside() -> Console:
    return Console(stderr=True)
