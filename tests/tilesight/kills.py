"""Kill test: `tilesight live` is killed at random moments and started again each time.

    python -m tests.tilesight.kills [SESSION] [--kills 50] [--seed 1]

After every kill the log must open, make sense, and hold every turn that was told; at the end the game must
be what the session's record says.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.record import read_record
from engine.tiles.turn import Turn
from tilesight.sessions.comparison import seen_part
from tilesight.sessions.session import Session, read_session
from tilesight.sessions.squares_session import SquareSession, is_square_session, read_square_session
from tilesight.table_log.event_fold import GameLedger, folded
from tilesight.table_log.event_store import TableStore

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 8.0
"""A run is killed within this time, unless it ends before."""


@dataclass(frozen=True)
class Outcome:
    """What came of it: how many runs were killed, how many ended by themselves, what the log told wrong,
    and whether the game came out as it was played."""

    killed: int
    ended: int
    wrong: tuple[str, ...]
    exact: bool


def live_words(session: Session | SquareSession, table: Path) -> list[str]:
    """The command line that watches ``session`` and keeps its log in ``table``."""
    header = session.header
    players = ",".join(f"{color}={name}" for color, name in session.names.items())
    words = [sys.executable, "-m", "tilesight.app", "live", "--game", header.game]
    words += ["--pack", header.pack, "--rules", header.rules or "", "--players", players]
    words += ["--camera", str(session.folder), "--pace", "fast", "--exit-at-end"]
    return [*words, "--host", "127.0.0.1", "--port", "0", "--table", str(table), "--json"]


def ledger_of(session: Session | SquareSession, table: Path) -> GameLedger[Any]:
    """What the log comes to; StoreError where it is damaged."""
    ledger: GameLedger[Any] = GameLedger()
    if isinstance(session, SquareSession):
        ledger = GameLedger(read_turn=session.game.records.read_line)
    with TableStore(table) as store:
        return folded(ledger, store.entries())


def played_in(session: Session | SquareSession) -> list[Any]:
    """The turns that were really played, as far as a camera sees them."""
    assert session.reference is not None
    turns = [line.event for line in read_record(session.reference).lines if hasattr(line.event, "player")]
    return [seen_part(turn) if isinstance(turn, Turn) else turn for turn in turns]


def told_in(out: str) -> int:
    """How many turns a run had told when it was killed; a line that was cut short is none."""
    turns = 0
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if event.get("type") == "turn":
            turns = int(event["turn"])
    return turns


def kill_again_and_again(folder: Path, scratch: Path, kills: int, seed: int) -> Outcome:
    """Watch a session in runs that are killed ``kills`` times in all, then to its end."""
    square = is_square_session(folder)
    session = read_square_session(folder) if square else read_session(folder)
    rng = random.Random(seed)
    wrong: list[str] = []
    killed = ended = games = 0
    table = scratch / "game-0.table"
    while killed < kills:
        with subprocess.Popen(
            live_words(session, table), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT
        ) as run:
            time.sleep(rng.uniform(0.2, LONGEST_S))
            over = run.poll() is not None
            if not over:
                os.kill(run.pid, signal.SIGKILL)
            assert run.stdout is not None
            told = told_in(run.stdout.read())
        killed, ended = killed + (not over), ended + over
        if not table.exists():
            continue
        ledger = ledger_of(session, table)
        if told > len(ledger.turns):
            wrong.append(f"kill {killed}: {told} turns were told, {len(ledger.turns)} are in the log")
        if ledger.ended:
            games += 1
            table = scratch / f"game-{games}.table"
    subprocess.run(live_words(session, table), stdout=subprocess.DEVNULL, check=True, cwd=ROOT)
    logged = ledger_of(session, table).turns
    exact = [seen_part(turn) if isinstance(turn, Turn) else turn for turn in logged] == played_in(session)
    return Outcome(killed, ended, tuple(wrong), exact)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("session", type=Path, nargs="?", default=ROOT / "samples" / "first-light")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
        outcome = kill_again_and_again(args.session, Path(scratch), args.kills, args.seed)
    print(outcome)
    return 0 if outcome.exact and not outcome.wrong else 1


if __name__ == "__main__":
    raise SystemExit(main())
