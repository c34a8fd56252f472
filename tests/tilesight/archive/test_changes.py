"""Changes against another version's scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilesight.archive.changes import Changes, differences
from tilesight.archive.scoring import Scored


def told(*cells: int, final: int = 10, exact: bool | None = None) -> dict[str, Any]:
    value: dict[str, Any] = {
        "turns": [{"cell": [cell, 0], "frame": 3 * cell, "confidence": 0.5} for cell in cells],
        "final": {"red": final},
    }
    return value if exact is None else {**value, "compare": {"final_exact": exact}}


def test_frames_and_confidences_alone_are_no_change() -> None:
    later = told(1, 2)
    later["turns"][0] |= {"frame": 99, "confidence": 1.0}
    assert differences(told(1, 2), later) == {}


def test_the_first_other_turn_and_the_final_are_named() -> None:
    assert differences(told(1, 2, 3), told(1, 5, final=12)) == {
        "final": {"before": {"red": 10}, "now": {"red": 12}},
        "turn": 2,
        "turns": {"before": 3, "now": 2},
    }
    assert differences(told(1), told(1, 2))["turn"] == 2


def test_the_sum_counts_exact_finals_then_and_now() -> None:
    changes = Changes()
    for name, now, before in (
        ("a", told(1, exact=True), told(2, exact=False)),
        ("b", told(1, exact=True), None),
        ("c", told(1), told(1)),
    ):
        result = {"stage": "pictures", "told": now, "before": before and {"told": before}}
        changes.add(Scored(Path(name), result))
    changes.add(Scored(Path("d"), None, "is no session"))
    value = changes.to_json()
    assert (value["sessions"], value["from"]) == (3, {"pictures": 3})
    assert (value["with_record"], value["final_exact"]) == (2, 2)
    assert (value["compared"], value["final_exact_before"]) == (1, 0)
    assert [one["session"] for one in value["changed"]] == ["a"]
    assert value["failed"] == [{"session": "d", "why": "is no session"}]
