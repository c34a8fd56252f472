"""From the wheel to the first live score: ``python -m tests.web.stopwatch [--camera SESSION]``.

The wheel is built (not counted) and installed with pip into an empty environment from the package index.
`tilesight` is started there, and its lobby is driven in Chromium by taps alone, on a phone's screen, until
somebody has points. The camera is a sample session of the lobby's list, or with ``--camera`` a folder that is
typed in. Printed as JSON Lines: seconds and taps of each step, then of all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright import sync_api

from tests.tilesight.test_wheel import INNER, OF_THE_BUILD, TREE
from tests.web.browser import PHONE, chromium
from tilesight.sessions.samples import DEMOS

PATIENCE_MS = 600_000
"""Longest time that a step may take."""
SCORED = "() => [...document.querySelectorAll('.score-points')].some((one) => parseInt(one.textContent) > 0)"
"""Whether the table's page shows points."""


class Stopwatch:
    """Steps with their seconds and taps, printed as they are done."""

    def __init__(self) -> None:
        self._began_s = self._last_s = time.monotonic()
        self._taps = self._last_taps = 0

    def tap(self, what: sync_api.Locator) -> None:
        """Tap something; waiting until it can be tapped counts."""
        what.click(timeout=PATIENCE_MS)
        self._taps += 1

    def done(self, step: str) -> None:
        """A step is done."""
        now_s = time.monotonic()
        said = {"step": step, "s": round(now_s - self._last_s, 1), "taps": self._taps - self._last_taps}
        print(json.dumps(said), flush=True)
        self._last_s, self._last_taps = now_s, self._taps

    def total(self) -> None:
        """All steps together."""
        said = {"step": "all", "s": round(time.monotonic() - self._began_s, 1), "taps": self._taps}
        print(json.dumps(said), flush=True)


def built_wheel(home: Path) -> Path:
    """The wheel of this tree, built from a copy: a build leaves its folder behind."""
    source = home / "source"
    source.mkdir()
    for name in OF_THE_BUILD:
        shutil.copyfile(TREE / name, source / name)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (*(*INNER, "tilesight"), *(f"samples/{name}" for name in DEMOS)):
        shutil.copytree(TREE / folder, source / folder, ignore=left_out)
    build = [sys.executable, "-m", "pip", "wheel", str(source), "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(home / "wheel")], check=True, stdout=subprocess.DEVNULL)
    (built,) = (home / "wheel").glob("*.whl")
    return built


@contextmanager
def started(program: Path, home: Path) -> Iterator[str]:
    """The lobby of an installed `tilesight`: its address with the key."""
    words = [str(program), "lobby", "--host", "127.0.0.1", "--port", "0", "--no-browser", "--json"]
    told = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd=home, env={**told, "TILESIGHT_HOME": str(home / "kept")}
    ) as lobby:
        try:
            assert lobby.stdout is not None
            ready = json.loads(lobby.stdout.readline())
            yield f"{ready['url']}/#key={ready['key']}"
        finally:
            lobby.terminate()  # as Ctrl-C: its tables are stopped with it
            lobby.wait(60)


def play(watch: Stopwatch, page: sync_api.Page, camera: Path | None) -> None:
    """From the lobby to the first score."""
    form = page.locator("#form")
    watch.tap(page.locator("#new:not([disabled])"))
    if camera is None:
        watch.tap(form.locator(".lobby-choice", has_text="Sample game").first)
    else:
        pack = json.loads((camera / "session.json").read_text("utf-8"))["pack"]
        watch.tap(form.locator(f'.lobby-edition:has(input[value="{pack}"])'))
        watch.tap(form.locator(".lobby-choice").last)
        watch.tap(form.locator("#form-where"))
        form.locator("#form-where").fill(str(camera.resolve()))
    watch.tap(form.locator("[type=submit]"))
    watch.done("new table: game, players, camera")
    watch.tap(page.get_by_role("link", name="Open"))
    page.wait_for_selector('#connection[data-link="live"]', timeout=PATIENCE_MS)
    watch.done("the table starts and is opened")
    page.wait_for_function(SCORED, timeout=PATIENCE_MS)
    watch.done("the first score")


def main(camera: Path | None) -> None:
    """Run the steps and print them."""
    with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch, chromium() as browser:
        home = Path(scratch)
        wheel = built_wheel(home)
        watch = Stopwatch()
        venv.create(home / "venv", with_pip=True)
        programs = home / "venv" / "bin"
        pip = [str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, str(wheel)], check=True)
        watch.done("installed with pip")
        with started(programs / "tilesight", home) as address:
            watch.done("tilesight started")
            page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]}, locale="en-GB")
            page.goto(address)
            watch.done("the lobby is open")
            play(watch, page, camera)
            watch.total()


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--camera", type=Path, help="folder of a session as the camera")
    main(asked.parse_args().camera)
