"""Programs killed at random moments, then started again: nothing is lost, and nothing is left behind.

    python -m tests.attacks.kills [--kills 100] [--seed 1] [--act import ...]

SIGKILL comes while games are imported, while the library's index is made anew, while games go to the trash
and back, while an edition is enrolled, while a log of an old format is migrated or repaired, and while a
table is played at: it looks at pictures, people answer, correct scores and edit the history. Every change
that was acknowledged must be there afterwards, once and in order, and no file that is not needed.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.attacks.kill_answers import AnswerKills
from tests.attacks.kill_edits import Edited
from tests.attacks.kill_enrol import EnrolKills
from tests.attacks.kill_library import LibraryKills
from tests.attacks.kill_play import Mix
from tests.attacks.outcome import Outcome
from tests.tilesight.kills import ROOT
from tilesight.sessions.session import read_session

SESSION = ROOT / "samples" / "first-light"
ACTS: Mapping[str, tuple[float, Callable[[Path, int, int], Outcome]]] = {
    "library": (0.45, lambda folder, seed, kills: LibraryKills(folder, seed).run(kills)),
    "enrol": (0.16, lambda folder, seed, kills: EnrolKills(folder, seed).run(kills)),
    "play": (0.24, lambda folder, seed, kills: Mix(read_session(SESSION), folder, seed).run(kills)),
    "edits": (0.08, lambda folder, seed, kills: Edited(folder, seed).run(kills)),
    "answers": (0.07, lambda folder, seed, kills: AnswerKills(folder, seed).run(kills)),
}
"""Share of the kills, and the function that does them in a folder: seed and number are given."""


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--act", choices=ACTS, action="append", help="only these acts, in the same shares")
    args = parser.parse_args()
    total = Outcome()
    for act in args.act or ACTS:
        share, kill = ACTS[act]
        began_s = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
            os.environ["TILESIGHT_HOME"] = scratch  # no kill touches the user's own data
            outcome = kill(Path(scratch), args.seed, max(1, round(share * args.kills)))
        took_s = time.monotonic() - began_s
        print(
            f"{act}: {outcome.kills.total()} kills in {took_s:.0f} s, {len(outcome.wrong)} faults", flush=True
        )
        total.add(outcome)
    print(json.dumps(vars(total), indent=1))
    return 1 if total.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
