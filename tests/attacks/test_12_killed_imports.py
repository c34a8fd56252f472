"""Attack: kill the lobby in the middle of an import, during the upload or while the games are read.

Folders and uploads of such imports stayed on the disk for good. Held: they lie in a locked workplace, and the
next start removes the workplaces that no process has locked. `tests.attacks.kills` kills imports at random.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.attacks.logs import play, zipped
from tests.attacks.targets import Target, lobby_in
from tilesight.lobby.brought.workplace import PREFIX

GAMES = 12
"""Games of one upload: reading them takes long enough for a kill."""


def _left(home: Path) -> list[str]:
    """The names of all in the folder of tables that no game needs."""
    return sorted(path.name for path in (home / "tables").glob(f"{PREFIX}*"))


def _wait_until(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def _sent(lobby: Target, file: bytes, moment: str) -> Iterator[bytes]:
    """Yield an upload; kill the lobby before the second half of it, or never."""
    yield file[: len(file) // 2]
    _wait_until(lambda: any((lobby.home / "tables").glob(f"{PREFIX}*/upload")))
    if moment == "upload":
        lobby.running.process.kill()
    yield file[len(file) // 2 :]


@pytest.mark.parametrize("moment", ["upload", "check"])
def test_a_killed_import_leaves_nothing_after_the_next_start(tmp_path: Path, moment: str) -> None:
    home = tmp_path / "home"
    games = {f"one-{n}": play(tmp_path / f"one-{n}.table") for n in range(GAMES)}
    file = zipped(tmp_path / "games.zip", **games)
    with lobby_in(home) as lobby:
        address = f"{lobby.url}/api/library/import?name=games.zip"
        headers = {"X-Table-Key": lobby.key}
        with httpx.Client(timeout=0.5 if moment == "check" else 30) as client:
            with contextlib.suppress(httpx.HTTPError):
                client.post(address, content=_sent(lobby, file.read_bytes(), moment), headers=headers)
            if moment == "check":
                _wait_until(lambda: any((home / "tables").glob(f"{PREFIX}*/0.table")))
            assert _left(home)
            lobby.running.process.kill()
            lobby.running.process.wait()
    with lobby_in(home) as lobby:
        assert _left(home) == []
        assert lobby.ask("/api/library", key=lobby.key).status_code == 200
