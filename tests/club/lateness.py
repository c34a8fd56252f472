"""Lateness of events at spectators, from what `tests.club.watchers` noted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.club.tables import SLOW_CLOCK

BIN_S = 0.01
"""Width of a histogram's bin."""
BINS = 12_000
"""Two minutes; what is later counts as that late."""

Span = tuple[float, float]
"""A time from and to, seconds since 1970."""


@dataclass
class Late:
    """Histogram of lateness."""

    counts: NDArray[np.int64]

    @staticmethod
    def none() -> Late:
        """No arrival yet."""
        return Late(np.zeros(BINS, np.int64))

    def add(self, late: NDArray[np.int64], by_s: float = 0.0) -> None:
        """Add a histogram, every arrival of it later by that."""
        by = min(BINS - 1, max(0, round(by_s / BIN_S)))
        self.counts[by:] += late[: BINS - by]
        self.counts[-1] += late[BINS - by :].sum()

    def to_json(self) -> dict[str, float | None]:
        """Its percentiles in seconds; None where nothing arrived."""
        total = np.cumsum(self.counts)
        if not total[-1]:
            return {"p50_s": None, "p95_s": None, "max_s": None}
        at = [int(np.searchsorted(total, share * total[-1])) for share in (0.5, 0.95, 1.0)]
        p50, p95, most = (round((n + 1) * BIN_S, 2) for n in at)
        return {"p50_s": p50, "p95_s": p95, "max_s": most}


def lateness(files: Sequence[Path], disturbed: Sequence[Span] = ()) -> dict[str, Any]:
    """What all spectators heard: how late from the hub's post (``told_s`` in each event), and from the moment
    at which a table wrote the entry that changed its card, with and without the spans that were disturbed."""
    posted, written, calm = Late.none(), Late.none(), Late.none()
    sums: dict[str, int] = {}
    unread: list[NDArray[np.float32]] = []
    delivered = events = entries = 0
    for file in files:
        with np.load(file) as noted:
            told = json.loads(str(noted["told"]))
            which, came_s = noted["which"].astype(np.int64), noted["came_s"]
            unread.append(noted["unread_s"])
        for name in ("opened", "cut_off", "expected", "out_of_order"):
            sums[name] = sums.get(name, 0) + told[name]
        delivered += len(which)
        bodies = [json.loads(body) for body in told["events"]]
        told_s = np.array([body["told_s"] for body in bodies])
        late = np.clip(((came_s - told_s[which]) / BIN_S).astype(np.int64), 0, BINS - 1)
        order = np.argsort(which, kind="stable")
        cuts = np.searchsorted(which[order], np.arange(len(bodies) + 1))
        latest: dict[str, float] = {}
        events, entries = max(events, len(bodies)), 0
        for number, body in enumerate(bodies):
            heard = np.bincount(late[order[cuts[number] : cuts[number + 1]]], minlength=BINS)
            posted.add(heard)
            for at_s in _fresh(body, latest):
                entries += 1
                by_s = body["told_s"] - at_s
                written.add(heard, by_s)
                if not any(begin <= at_s <= end for begin, end in disturbed):
                    calm.add(heard, by_s)
    behind = np.concatenate(unread) if unread else np.zeros(1, np.float32)
    told = {**sums, "delivered": delivered, "events": events, "from_post": posted.to_json()}
    if entries:
        told |= {"entries": entries, "from_entry": written.to_json(), "from_entry_calm": calm.to_json()}
    return {
        **told,
        "client_behind_p95_s": round(float(np.percentile(behind, 95)), 3) if len(behind) else None,
    }


def last_heard(file: Path) -> dict[str, Any]:
    """The latest card of each table that spectators heard of, by the table's id."""
    with np.load(file) as noted:
        events = json.loads(str(noted["told"]))["events"]
    return {table["id"]: table for event in events for table in json.loads(event)["tables"]}


def _fresh(body: dict[str, Any], latest: dict[str, float]) -> list[float]:
    """When the entries were written that an event tells first: the newest of each of its tables."""
    found = []
    for table in body.get("tables", ()):
        if table["id"] == f"t{SLOW_CLOCK}":
            continue
        known = latest.get(table["id"])
        if known is None or table["changed_s"] > known:
            latest[table["id"]] = table["changed_s"]
            if known is not None:  # the first event may tell old games
                found.append(table["changed_s"])
    return found
