"""Weight and paint of a table's page on a slow connection: ``python -m tests.web.paint [SESSION]``.

A recorded session is replayed, then its page is opened in Chromium over a connection of ``LATENCY_MS`` and
``BITS_PER_S``, first by a phone that was never there, then by one that was. Printed as JSON: seconds to the
first paint, to the table being live, to the last byte; requests and bytes.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from playwright import sync_api

from tests.web.browser import LAPTOP, PHONE, chromium
from tilesight.recordings.command import open_recording, read_any_session
from tilesight.server.dashboard import Dashboard

LATENCY_MS, BITS_PER_S = 200, 4e6
"""The connection: time that each request waits, and bits a second each way."""
STILL_S = 1.5
"""Seconds without a byte after which everything is there."""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


def opened(page: sync_api.Page, url: str) -> dict[str, Any]:
    """Figures of opening a page."""
    ends: dict[str, tuple[float, int]] = {}
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    line = {"latency": LATENCY_MS, "downloadThroughput": BITS_PER_S / 8, "uploadThroughput": BITS_PER_S / 8}
    session.send("Network.emulateNetworkConditions", {"offline": False, **line})
    session.on(
        "Network.loadingFinished",
        lambda end: ends.update({end["requestId"]: (time.monotonic(), int(end["encodedDataLength"]))}),
    )
    began_s = time.monotonic()
    page.goto(url)
    page.wait_for_selector('#connection[data-link="live"]')
    live_s = time.monotonic() - began_s
    while time.monotonic() - max(at_s for at_s, _ in ends.values()) < STILL_S:
        page.wait_for_timeout(100)
    sent = [size for _, size in ends.values() if size]
    return {
        "first_paint_s": round(page.evaluate(FIRST_PAINT), 2),
        "live_s": round(live_s, 2),
        "all_s": round(max(at_s for at_s, _ in ends.values()) - began_s, 2),
        "requests": len(sent),
        "kb": round(sum(sent) / 1000),
    }


def main(folder: Path) -> None:
    """Replay the session and print the figures of its page."""
    recording = open_recording(read_any_session(folder))
    recording.watch()
    with Dashboard(recording.table, host="127.0.0.1", port=0) as dashboard, chromium() as browser:
        for name, (width, height), density in (("phone", PHONE, 3), ("laptop", LAPTOP, 1)):
            context = browser.new_context(
                viewport={"width": width, "height": height}, device_scale_factor=density
            )
            page = context.new_page()
            figures = {"first visit": opened(page, dashboard.url)}
            page.evaluate("async () => { await navigator.serviceWorker.ready; }")
            opened(page, dashboard.url)  # the app on the home screen takes up the files
            figures["again"] = opened(page, dashboard.url)
            print(json.dumps({name: figures}), flush=True)
            context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("samples/first-light"))
