"""A whole club on this machine, with kills and a cut network: ``python -m tests.club`` (`make club-test`).

nginx with Nchan, `tilesight hub` with SQLite or PostgreSQL, a Dask cluster; simulated tables, some with the
link that real ones have, one with a slow clock; a hostile key, a second hub, a full disk. At the end every
entry of every table's log must be in the hub's database once and in order, and the scores there, on the hub's
page, and as spectators heard them last, those of the tables.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.club.club import Plan, played


def takeovers(times: int) -> dict[str, Any]:
    """What comes of a phone's table whose workers are killed (`tests.club.takeover`), after the others."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.club.takeover", "--times", str(times)],
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout:
        return {"wrong": done.stderr.splitlines()[-1:]}
    told: dict[str, Any] = json.loads(done.stdout)
    if done.returncode and not told["wrong"]:
        told["wrong"] = [f"taken over after {told['status_s']['max']} s"]
    return told


def main() -> int:
    """Run it, print one JSON document; exit 1 where anything is missing, doubled, or differs."""
    ask = argparse.ArgumentParser(prog="python -m tests.club", description=__doc__)
    ask.add_argument("--tables", type=int, default=300)
    ask.add_argument("--minutes", type=float, default=10)
    ask.add_argument("--spectators", type=int, default=9000, help="0 leaves them out")
    ask.add_argument("--sessions", type=int, default=12, help="scored again by Dask; 0 leaves it out")
    ask.add_argument("--linked", type=int, default=6, help="tables with a real link")
    ask.add_argument("--takeovers", type=int, default=3, help="of a phone's table; 0 leaves it out")
    ask.add_argument("--postgres", action="store_true", help="a PostgreSQL of its own, in place of SQLite")
    asked = ask.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilesight-club-") as folder:
        plan = Plan(
            folder=Path(folder),
            tables=asked.tables,
            seconds=60 * asked.minutes,
            spectators=asked.spectators,
            sessions=asked.sessions,
            linked=min(asked.linked, asked.tables),
            database=None if asked.postgres else str(Path(folder, "hub.db")),
        )
        told, wrong = played(plan)
    if asked.takeovers:
        told["phone_table"] = takeovers(asked.takeovers)
        wrong += (f"the phone's table: {what}" for what in told["phone_table"].pop("wrong"))
    print(json.dumps({**told, "wrong": wrong[:50]}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
