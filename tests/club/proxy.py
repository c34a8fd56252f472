"""TCP proxy that can be cut: the network between tables and hub, as far as TCP sees it."""

from __future__ import annotations

import asyncio
import contextlib


class Proxy:
    """A port of 127.0.0.1 behind which another answers. Cut, it passes nothing on and closes nothing: as a
    network that is gone, and not a server that is."""

    def __init__(self, target: int, port: int = 0) -> None:
        """``target`` is the port behind it."""
        self._target, self.port = target, port
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.passed = 0
        """Bytes passed on."""

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Pass nothing on from now."""
        self._open.clear()

    def mend(self) -> None:
        """Pass on again, also what waited."""
        self._open.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await self._open.wait()
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        try:
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        except asyncio.CancelledError:
            pass  # the run is over
        finally:
            for one in (writer, back):
                one.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
                self.passed += len(data)
        writer.close()
