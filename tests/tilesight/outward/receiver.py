"""An HTTP receiver of webhooks that fails, is slow, and comes back, as a test says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

from tilesight.outward.options import OutwardOptions, WantedWebhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
HERE = (ip_network("127.0.0.0/8"),)
WITHIN_S = 60.0
"""Seconds for which a test waits for what must come, on a loaded machine."""


@dataclass(frozen=True)
class Got:
    """One request that came."""

    headers: Mapping[str, str]
    body: bytes
    path: str

    @property
    def event(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.body)
        return told

    def is_signed(self, secret: str) -> bool:
        """Whether the signature is right, by the specification of Standard Webhooks."""
        signed = b".".join(
            [self.headers["webhook-id"].encode(), self.headers["webhook-timestamp"].encode(), self.body]
        )
        digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        return self.headers["webhook-signature"] == "v1," + base64.b64encode(digest).decode()


class Receiver:
    """Requests so far; `answer` tells the status (and headers) of the next."""

    def __init__(self, port: int = 0) -> None:
        self.got: list[Got] = []
        self.answer: Callable[[Got], int] = lambda got: 204
        self.location = ""
        self._came = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                receiver.take(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook?token=PATHSECRET"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        got = Got({name.lower(): value for name, value in handler.headers.items()}, body, handler.path)
        status = self.answer(got)
        with self._came:
            self.got.append(got)
            self._came.notify_all()
        handler.send_response(status)
        if self.location:
            handler.send_header("Location", self.location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def wait_for(self, what: Callable[[list[Got]], bool]) -> list[Got]:
        """The requests so far, once they are what a test waits for."""
        with self._came:
            assert self._came.wait_for(lambda: what(self.got), WITHIN_S), [got.event for got in self.got]
            return list(self.got)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(WITHIN_S)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    try:
        yield receiver
    finally:
        receiver.stop()


def sent_to(*urls: str) -> OutwardOptions:
    """Options with these webhooks, which may reach this computer."""
    return OutwardOptions(tuple(WantedWebhook(url, SECRET) for url in urls), HERE)
