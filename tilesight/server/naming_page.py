"""Naming page server: serves the page on which enrolled faces are named, until all have names."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

import cv2
import numpy as np
import uvicorn

from calibration.sheet import SheetFace
from engine.pack import Pack
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.dashboard import lan_address, listen, server_config
from web.limits.keys import new_key
from web.naming_app import FaceCard, Named, create_naming_app


class FacesToName:
    """The faces of an enrolment and what was said of them. Requests come in several threads."""

    def __init__(self, pack: Pack, faces: Sequence[SheetFace]) -> None:
        self._pack = pack
        self._faces = tuple(faces)
        self._lock = threading.Lock()
        self._named = [_guess(face) for face in self._faces]
        self.on_finish: Callable[[], None] = lambda: None

    @property
    def pack(self) -> Pack:
        """Pack of the designs."""
        return self._pack

    def faces(self) -> Sequence[FaceCard]:
        """Every face, in a fixed order."""
        with self._lock:
            return [
                FaceCard(len(face.views), named, tuple((g.design, g.turn) for g in face.guesses))
                for face, named in zip(self._faces, self._named, strict=True)
            ]

    def picture(self, number: int) -> bytes:
        """A face's first picture, JPEG."""
        _, code = cv2.imencode(".jpg", np.ascontiguousarray(self._faces[number].views[0]))
        return code.tobytes()

    def name(self, number: int, named: Named) -> None:
        """Say what a face is."""
        with self._lock:
            self._named[number] = named

    def finish(self) -> None:
        """Everything is said."""
        self.on_finish()

    def result(self) -> list[tuple[SheetFace, str, int]]:
        """The faces that have a name somebody confirmed, or that is beyond doubt, with design and turn."""
        with self._lock:
            return [
                (face, named.design, named.turn)
                for face, named in zip(self._faces, self._named, strict=True)
                if named.design is not None and named.sure and not named.dropped
            ]

    @property
    def unnamed(self) -> int:
        """Number of faces that nobody named; what was said to be no tile is none."""
        with self._lock:
            return sum(not named.sure and not named.dropped for named in self._named)


def _guess(face: SheetFace) -> Named:
    if not face.guesses:
        return Named()
    first = face.guesses[0]
    return Named(first.design, first.turn, sure=face.sure is not None)


def serve_naming(naming: FacesToName, host: str, port: int | None, ready: Callable[[str, str], None]) -> None:
    """Serve the page until the players are done with it; ``ready`` is told the address and the key.

    Raises DashboardError where it cannot be served, KeyboardInterrupt when interrupted.
    """
    key = new_key()
    listening = listen(host, port)
    number = listening.getsockname()[1]
    shown = lan_address() if host in ("0.0.0.0", "::", "") else host
    limiter = ConnectionLimiter(max_connections())
    server = uvicorn.Server(server_config(create_naming_app(naming, key=key), limiter))

    def stop() -> None:
        server.should_exit = True

    naming.on_finish = stop
    ready(f"http://{f'[{shown}]' if ':' in shown else shown}:{number}", key)

    async def serve() -> None:
        looking = asyncio.create_task(limiter.keep_looking())
        try:
            await server.serve(sockets=[listening])
        finally:
            looking.cancel()

    try:
        asyncio.run(serve())
    finally:
        listening.close()
