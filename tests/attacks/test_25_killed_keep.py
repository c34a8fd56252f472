"""A lobby is killed while two phones keep one photograph: it is one whole game, or none."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.attacks.targets import Target, lobby_in
from tests.tilesight.kills import ROOT
from tilesight.table_log.event_store import SUFFIX, TableStore

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals"),
]
BOARD = ROOT / "samples" / "taiga-boards" / "taiga-07.jpg"
KEPT_WITHIN_S = 0.5
"""Seconds after the two requests within which the lobby is killed: they take about so long."""
KILLS = 2


def kept(lobby: Target) -> Iterator[str | None]:
    """Photograph the board, keep it from two phones at once, and yield what each is told."""
    read = lobby.ask("/api/photo?pack=taiga", key=lobby.key, content=BOARD.read_bytes()).json()
    players = [{"color": color, "name": f"A {color}"} for color in list(read["if_ended_now"])[:2]]

    def keep(_: int) -> str | None:
        try:
            answer = lobby.ask(f"/api/photo/{read['id']}/keep", {"players": players}, key=lobby.key)
        except httpx.HTTPError:
            return None
        return str(answer.json()["game"]) if answer.status_code == 201 else answer.text

    with ThreadPoolExecutor(2) as phones:
        told = phones.map(keep, range(2))
        yield "begun"
        yield from told


def test_a_photograph_is_one_game_or_none_whenever_the_lobby_is_killed(tmp_path: Path) -> None:
    home, rng, known = tmp_path / "home", random.Random(7), set[str]()
    for _ in range(KILLS):
        with lobby_in(home) as lobby:
            answers = kept(lobby)
            next(answers)
            killer = threading.Timer(rng.uniform(0.0, KEPT_WITHIN_S), lobby.running.process.kill)
            killer.start()
            known |= {answer for answer in answers if answer is not None}
            killer.join()
            lobby.running.process.wait()
        logs = [path.name.removesuffix(SUFFIX) for path in (home / "tables").glob(f"*{SUFFIX}")]
        assert len(logs) <= 1 and known <= set(logs)
        for log in logs:
            with TableStore(home / "tables" / f"{log}{SUFFIX}", read_only=True) as store:
                assert store.entries()[-1].kind == "end"
    with lobby_in(home) as lobby:
        answers = kept(lobby)
        next(answers)
        known |= {str(answer) for answer in answers}
        (game,) = lobby.ask("/api/library", key=lobby.key).json()["games"]
    assert known == {game["id"]}
    assert not list((home / "tables").glob(".*"))
