"""Differences between an archive's scores and those of another version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tilesight.archive.scoring import Scored
from tilesight.table_log.history import common_length


@dataclass
class Changes:
    """Summary of a run.

    ``stages`` counts sessions by the stage from which they were scored. ``exact`` counts the sessions whose
    final score equals the record's, ``exact_before`` the same for the earlier version, and ``compared`` those
    with a record and results of both versions.
    """

    stages: dict[str, int] = field(default_factory=dict)
    changed: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    exact: int = 0
    with_record: int = 0
    compared: int = 0
    exact_before: int = 0

    def add(self, scored: Scored) -> None:
        """Add one session."""
        result = scored.result
        if result is None:
            self.failed.append({"session": str(scored.session), "why": scored.failed or ""})
            return
        self.stages[result["stage"]] = self.stages.get(result["stage"], 0) + 1
        now, before = result["told"], (result.get("before") or {}).get("told")
        exact = _exact(now)
        if exact is not None:
            self.with_record += 1
            self.exact += exact
        if before is None:
            return
        was_exact = _exact(before)
        if exact is not None and was_exact is not None:
            self.compared += 1
            self.exact_before += was_exact
        differs = differences(before, now)
        if differs:
            self.changed.append({"session": str(scored.session), **differs})

    def to_json(self) -> dict[str, Any]:
        """Return the summary for ``--json``."""
        return {
            "sessions": sum(self.stages.values()),
            "from": dict(sorted(self.stages.items())),
            "with_record": self.with_record,
            "final_exact": self.exact,
            "compared": self.compared,
            "final_exact_before": self.exact_before,
            "changed": self.changed,
            "failed": self.failed,
        }


def differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the fields in which two results of a session differ, empty if they agree.

    The fields are the final scores and the first turn (from 1) that differs, with the numbers of turns.
    """
    found: dict[str, Any] = {}
    if before["final"] != now["final"]:
        found["final"] = {"before": before["final"], "now": now["final"]}
    was, is_now = ([_played(line) for line in told["turns"]] for told in (before, now))
    if was != is_now:
        found["turn"] = common_length(was, is_now) + 1
        found["turns"] = {"before": len(was), "now": len(is_now)}
    return found


def _played(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key not in ("frame", "confidence")}


def _exact(told: dict[str, Any]) -> bool | None:
    compared = told.get("compare")
    return None if compared is None else bool(compared["final_exact"])
