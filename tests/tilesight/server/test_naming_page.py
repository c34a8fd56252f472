"""The server of the page on which tiles are named has the limits of every other."""

from __future__ import annotations

import threading
from queue import Queue

import httpx

from engine.pack import load_pack
from tilesight.server.naming_page import FacesToName, serve_naming


def test_a_foreign_name_and_guessing_under_many_addresses_are_refused() -> None:
    naming = FacesToName(load_pack("savanna"), [])
    ready: Queue[tuple[str, str]] = Queue()
    server = threading.Thread(
        target=serve_naming,
        args=(naming, "127.0.0.1", 0, lambda url, key: ready.put((url, key))),
        daemon=True,
    )
    server.start()
    url, _ = ready.get(timeout=60)
    with httpx.Client(base_url=url) as client:
        assert client.get("/api/faces", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/api/faces").status_code == 200
        statuses = [
            client.post(
                "/api/finish", headers={"X-Table-Key": "WRONG", "X-Forwarded-For": f"10.1.1.{n}"}
            ).status_code
            for n in range(5)
        ]
        assert statuses == [403] * 4 + [429]
    naming.on_finish()
    server.join(10)
    assert not server.is_alive()
