"""Kills of a live table while people answer its question; no answer that was acknowledged is lost or doubled.

Each life watches the beginning of the sample session with a player of another colour, until the table asks
whose the strange pieces are. The answer is sent, and SIGKILL comes at a random moment after that.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.attacks.outcome import Outcome
from tests.attacks.targets import GAME, Target, table_in
from tests.matrix.games import beginning, kit_of
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import Entry, TableStore

TURNS = 12
"""Number of turns of the session: the table asks after five, and the question is closed at the end."""
ANSWERED_WITHIN_S = 0.6
"""Seconds after the answer was sent within which the table is killed: it takes about so long."""
ANSWERS = (EntryKind.STRAY, EntryKind.RECOLORED)
"""Kinds of the entries that an answer writes."""


class AnswerKills:
    """Tables with a question, one for each kill."""

    def __init__(self, scratch: Path, seed: int) -> None:
        self._rng, self._scratch = random.Random(seed), scratch
        self._session = beginning(kit_of(GAME), scratch / "session", TURNS)
        first, second = kit_of(GAME).colors
        self._players = f"{first}=Ana,yellow=Bo"
        self._question = f"stray-{second}"
        self.outcome = Outcome()

    def run(self, kills: int) -> Outcome:
        """Kill so often."""
        for number in range(kills):
            self._kill(self._scratch / f"home-{number}", f"kill {number + 1}")
            self.outcome.kills["answer"] += 1
        return self.outcome

    def _kill(self, home: Path, when: str) -> None:
        """Answer a table's question, kill it, and start it again."""
        answered = False
        with table_in(home, players=self._players, camera=str(self._session)) as table:
            option = self._asked(table)
            process = table.running.process
            killer = threading.Timer(self._rng.uniform(0.0, ANSWERED_WITHIN_S), process.kill)
            killer.start()
            with suppress(httpx.HTTPError):
                body = {"question": self._question, "option": option}
                answered = table.ask("/api/answer", body, key=table.key).status_code == 200
            killer.join()
            process.wait()
        self.outcome.answered["answer"] += answered
        self.outcome.cut_off["answer"] += not answered
        kept = self._answers(table.log)
        if not answered <= len(kept) <= 1:
            self.outcome.wrong.append(f"{when}: answered {answered}, {len(kept)} answers are in the log")
        with table_in(home, players=self._players, camera=str(self._session)) as again:
            open_ids = _ids(again.ask("/api/questions").json()["questions"])
            self._compare(again, kept, open_ids, when)

    def _compare(self, table: Target, kept: list[Entry], open_ids: list[str], when: str) -> None:
        """Compare a table that was started again with the log of before."""
        if kept and self._question in open_ids:
            self.outcome.wrong.append(f"{when}: what was answered is asked again")
        if self._answers(table.log)[: len(kept)] != kept:
            self.outcome.wrong.append(f"{when}: the answer is another after the start")

    def _asked(self, table: Target) -> str:
        """Wait until the table asks, and return a random option of the question."""
        table.running.wait_for(lambda line: self._question in _ids(line.get("questions", ())))
        asked = table.ask("/api/questions").json()["questions"]
        question = next(one for one in asked if one["id"] == self._question)
        return str(self._rng.choice(question["options"])["id"])

    def _answers(self, log: Path) -> list[Entry]:
        with TableStore(log, read_only=True) as store:
            return [entry for entry in store.entries() if entry.kind in ANSWERS]


def _ids(questions: Iterable[dict[str, Any]]) -> list[str]:
    return [question["id"] for question in questions]
