"""Child process of a worker: one table, run like `tilesight live`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass

END_S = 15.0
"""Seconds for a table to end, its link's last entries sent."""
LAST_WORD_S = 1.0
"""Seconds for what a table that did not start says last."""
LINE_BYTES = 4 * 1024 * 1024
"""Bytes of a line at most that a table writes: an event with its state."""


class ChildError(Exception):
    """A table did not start; the message is one line."""


@dataclass(frozen=True, slots=True)
class Served:
    """Address of a table on this computer, and its host's key."""

    url: str
    key: str


class Child:
    """A table's process. It ends when this process ends, because its standard input closes."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._reading = [asyncio.create_task(self._read_errors())]
        self.said = ""
        """Its last line on standard error."""

    @classmethod
    async def waiting(cls) -> Child:
        """Start a process that does its imports and waits for its table."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tilesight.table_process"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LINE_BYTES,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # as the command itself sets it
            start_new_session=os.name == "posix",  # Ctrl-C is the worker's to hear
        )
        child = cls(process)
        assert process.stdout is not None
        await process.stdout.readline()  # or its end, which is told when it is to begin
        return child

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.returncode is None

    async def begin(self, arguments: Sequence[str]) -> Served:
        """Start the table, and return its address once it answers. Raises ChildError if it ends instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(list(arguments)).encode() + b"\n")
            await self._process.stdin.drain()
        try:
            told = json.loads(await self._process.stdout.readline())
            served = Served(told["url"], told["host_key"])
        except (ValueError, KeyError, TypeError):
            await self._process.wait()
            await asyncio.wait(self._reading, timeout=LAST_WORD_S)
            raise ChildError(self.said or f"it ended with {self._process.returncode}") from None
        self._reading.append(asyncio.create_task(self._drain()))
        return served

    async def ended(self) -> int:
        """Wait for its end and return the exit code."""
        return await self._process.wait()

    async def end(self) -> None:
        """Interrupt it, like Ctrl-C: it sends the rest of its log."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self.ended(), END_S)
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """Kill it."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self.ended()

    async def _drain(self) -> None:
        """Discard standard output until it ends."""
        assert self._process.stdout is not None
        while await self._process.stdout.read(65536):
            pass

    async def _read_errors(self) -> None:
        """Keep the last line of standard error until it ends."""
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            self.said = line.decode(errors="replace").strip()[:300] or self.said


class Reserve:
    """A child started in advance, because importing a table's program takes longest."""

    def __init__(self) -> None:
        self._next: asyncio.Task[Child] | None = None

    @property
    def ready(self) -> bool:
        """Whether one is ready."""
        return self._next is not None and self._next.done()

    def prepare(self) -> None:
        """Start one unless there is one."""
        if self._next is None:
            self._next = asyncio.create_task(Child.waiting())

    async def take(self) -> Child:
        """Return the prepared child, once it is ready."""
        waiting, self._next = self._next, None
        child = await (waiting or Child.waiting())
        return child if child.runs else await Child.waiting()

    async def close(self) -> None:
        """End the prepared child."""
        if self._next is not None:
            await (await self.take()).kill()
