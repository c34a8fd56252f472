"""`python -m tests.crowds phones`: many phones at one table, and what they cost the recogniser.

How long an update takes to reach them all, and how much they slow the recogniser.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.record import header_to_json
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.capture import Lost
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import Observe, watch
from tilesight.recordings.tile_replay import start_of
from tilesight.server.dashboard import Dashboard
from tilesight.sessions.session import Session, read_session
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Frame, Observation

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
LOOK_TURNS, LOOK_TURN_S = 4, 5.0
"""Turns over which the recogniser is measured, and seconds for each."""
LOOKED_AT = 12
"""Pictures of the session that are looked at again and again."""
WAIT_S = 20.0
"""Seconds after which an update that has not come counts as not delivered."""
BLANK = Frame(np.zeros((72, 128, 3), np.uint8))
"""A frame that shows nothing."""
NOTHING_SEEN = Observation(0, 0.0, None, (), {}, ())
"""Input of a `Scripted` tracker."""


@dataclass(slots=True)
class Phone:
    """One phone: it hears the events and, as the dashboard does, fetches the state after each."""

    port: int
    heard: dict[int, float] = field(default_factory=dict)
    """Seconds from the picture to the event, by the event's id."""
    came_s: dict[int, float] = field(default_factory=dict)
    """Seconds since 1970 at which the event came, by its id."""
    shown: dict[int, float] = field(default_factory=dict)
    """Seconds from the picture to the state that holds the event."""
    listening: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        """Hear everything until the table closes."""
        reader, writer = await self._connect()
        fresh: asyncio.Queue[tuple[int, float] | None] = asyncio.Queue()
        fetching = asyncio.create_task(self._fetch(fresh))
        try:
            _ask(writer, "/api/events")
            while (await reader.readline()).strip():  # the answer's head: the table has taken this phone up
                pass
            self.listening.set()
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    since_s = event["t_frame_s"] or event["t_sent_s"]  # what no picture brought about
                    self.came_s[event["id"]] = time.time()
                    self.heard[event["id"]] = self.came_s[event["id"]] - since_s
                    fresh.put_nowait((event["id"], since_s))
            fresh.put_nowait(None)
            with suppress(ConnectionError, asyncio.IncompleteReadError):  # closed with a state on its way
                await fetching
        finally:
            fetching.cancel()
            writer.close()

    async def _fetch(self, fresh: asyncio.Queue[tuple[int, float] | None]) -> None:
        """The state once for all that came while the last one was on its way."""
        reader, writer = await self._connect()
        try:
            while (first := await fresh.get()) is not None:
                waiting = [first]
                while not fresh.empty() and (following := fresh.get_nowait()) is not None:
                    waiting.append(following)
                try:
                    await _state(reader, writer)
                except (ConnectionError, asyncio.IncompleteReadError):  # idle for long, it was closed
                    writer.close()
                    reader, writer = await self._connect()
                    await _state(reader, writer)
                # The table has an event's state before it tells the event.
                self.shown.update({number: time.time() - since_s for number, since_s in waiting})
        finally:
            writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)


async def _state(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    _ask(writer, "/api/state")
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(LENGTH.findall(head)[0]))


def _ask(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode())


def phones_command(
    phones: Annotated[int, typer.Option(min=1, help="how many phones")] = 100,
    turns: Annotated[int, typer.Option(min=1, help="how many turns of a generated game are told")] = 30,
    every_s: Annotated[float, typer.Option(min=0.0, help="seconds from turn to turn")] = 0.5,
    session: Annotated[
        Path | None,
        typer.Option(help="a session that is watched meanwhile: how much do the phones slow that?"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Many phones at one table: is every update delivered, and how fast."""
    watched = None if session is None else read_session(session)  # one that is none is said before all else
    result = asyncio.run(measure(phones, turns, every_s, quiet=as_json))
    if watched is not None:
        result |= slowdown(watched, partial(_crowd, phones))
    if as_json:
        print(json.dumps({"tilesight": 1, "phones": result}))
        return
    print(f"{phones} phones, {result['updates']} updates each: {result['delivered']:.2%} delivered")
    for what, said in (("event", "an event is heard"), ("state", "the new state is there")):
        p50, p95 = result[f"{what}_ms_p50"], result[f"{what}_ms_p95"]
        print(f"from the picture until {said}: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
    if watched is not None:
        alone, among = result["looks_per_s_alone"], result["looks_per_s_among"]
        print(f"pictures looked at in a second: {alone:.2f} alone, {among:.2f} among {phones} phones")


def slowdown(session: Session, come: Callable[[int, Any], None], within_s: float = WAIT_S) -> dict[str, Any]:
    """Pictures a second that the recogniser looks at, without guests and among them; a turn is told
    every five seconds. The guests are a process of their own: ``come`` is called in it with the table's port
    and the event that says they are there, ``within_s``."""
    start, observe = start_of(session, None)
    frames = itertools.cycle([file.read() for file in session.frames[:LOOKED_AT]])
    record = random_game(start.pack, len(start.players), 1, turns=2 * LOOK_TURNS + 2, hands_seen=False)
    assert isinstance(record.header, Header)
    first = tile_game_named(record.header.game).start(record.header, start.pack)
    table = TileTable(
        first, {}, title="bench", game=record.header.game, tracker=Scripted(first, record.turns)
    )
    process = multiprocessing.get_context("spawn")
    with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
        for _ in range(LOOKED_AT):
            observe(next(frames))  # warm
        alone, free_alone = _looks_per_s(observe, frames, table)
        listening = process.Event()
        crowd = process.Process(target=come, args=(dashboard.port, listening))
        crowd.start()
        if not listening.wait(within_s):
            raise RuntimeError("the guests did not come")
        among, free_among = _looks_per_s(observe, frames, table)
    crowd.join(WAIT_S)
    return {
        "looks_per_s_alone": round(alone, 3),
        "looks_per_s_among": round(among, 3),
        "looks_per_free_s_alone": round(free_alone, 3),
        "looks_per_free_s_among": round(free_among, 3),
        "slowed": round(1 - among / alone, 4),
    }


class Scripted:
    """Tracker (tilesight.inference.protocols.Tracker) that knows the game: each picture adds one of
    ``turns``."""

    def __init__(self, start: GameState, turns: Sequence[Turn]) -> None:
        self._state, self._turns = start, list(turns)
        self._told: tuple[UnderstoodTurn, ...] = ()

    def see(self, observation: Observation) -> Understanding:
        """The next turn was played."""
        number = len(self._told)
        step = self._state.apply(self._turns[number])
        self._state = step.state
        self._told = (*self._told, UnderstoodTurn(self._turns[number], step, number, None, 1.0))
        return self.finish()

    def fix(
        self, turns: Sequence[Turn], not_these: Sequence[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        """Do nothing: the turns are known and not corrected."""
        return self.finish()

    def finish(self) -> Understanding:
        """The turns played so far."""
        return Understanding(self._told, len(self._told), self._state, board_seen=True, busy=False)


class _Telling:
    """A watched game that takes a picture into account every ``LOOK_TURN_S`` seconds; the others are only
    looked at. ``looks`` counts them all."""

    def __init__(self, table: TileTable) -> None:
        self._table = table
        self._told, self.looks, self._began_s = 0, 0, time.monotonic()

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        """One picture was looked at."""
        self.looks += 1
        if time.monotonic() - self._began_s >= self._told * LOOK_TURN_S:
            self._told += 1
            self._table.game.see(observation, frame, arrived_s)
        return self.finish()

    def lost(self, message: str) -> None:
        """Nothing: the pictures are in memory."""

    def finish(self) -> Understanding:
        """The turns reported so far; the first picture reports one."""
        assert self._table.game.understood is not None
        return self._table.game.understood


class _AgainAndAgain:
    """A source (tilesight.live.sources.Source): pictures in memory, over and over, for some seconds."""

    def __init__(self, frames: Iterator[Frame], seconds: float) -> None:
        self._frames, self._seconds = frames, seconds
        self.dropped, self.unreadable, self.complete = 0, 0, False
        self.overdue_s = 0.0

    def frames(self) -> Iterator[Frame | Lost]:
        """One picture after the other."""
        end_s = time.monotonic() + self._seconds
        while time.monotonic() < end_s:
            yield next(self._frames)
        self.complete = True

    def close(self) -> None:
        """Nothing to let go of."""


def _looks_per_s(observe: Observe, frames: Iterator[Frame], table: TileTable) -> tuple[float, float]:
    """Pictures a second, and pictures a second in which no other thread or program had the processor that the
    recogniser was ready for."""
    telling, began_s, waited_s = _Telling(table), time.monotonic(), _waited_s()
    watch(_AgainAndAgain(frames, LOOK_TURNS * LOOK_TURN_S), observe, telling)
    took_s, waited_s = time.monotonic() - began_s, _waited_s() - waited_s
    return telling.looks / took_s, telling.looks / max(took_s - waited_s, 1e-3)


def _waited_s() -> float:
    """Seconds that this thread was ready and waited for a processor so far; 0 where the system does not say
    (only Linux does)."""
    try:
        said = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return 1e-9 * int(said.split()[1])


def _crowd(phones: int, port: int, listening: Any) -> None:
    """The phones, in a process of their own, until the table closes."""

    async def all_of_them() -> None:
        crowd = [Phone(port) for _ in range(phones)]
        tasks = [asyncio.create_task(phone.listen()) for phone in crowd]
        await asyncio.gather(*(phone.listening.wait() for phone in crowd))
        await asyncio.sleep(0.5)
        listening.set()
        await asyncio.wait(tasks)

    asyncio.run(all_of_them())


async def measure(phones: int, turns: int, every_s: float, *, quiet: bool = True) -> dict[str, Any]:
    """Tell a generated game to that many phones; shares and milliseconds, as ``--json`` writes them."""
    pack = load_pack("savanna")
    record = random_game(pack, 3, 1, turns=turns, style=Style(greedy=0.6), hands_seen=False)
    assert isinstance(record.header, Header)
    start = tile_game_named(record.header.game).start(record.header, pack)
    table = TileTable(
        start,
        {},
        title="bench",
        game=record.header.game,
        header_line=header_to_json(record.header),
        tracker=Scripted(start, record.turns),
    )
    crowd: list[Phone] = []
    with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
        crowd = [Phone(dashboard.port) for _ in range(phones)]
        listening = [asyncio.create_task(phone.listen()) for phone in crowd]
        await asyncio.gather(*(phone.listening.wait() for phone in crowd))
        await asyncio.sleep(0.5)  # the streams are open once the server has taken the requests up
        for number, _ in enumerate(track(record.turns, "Playing", disable=quiet, console=_aside())):
            table.game.see(NOTHING_SEEN, replace(BLANK, index=number), time.time())
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
