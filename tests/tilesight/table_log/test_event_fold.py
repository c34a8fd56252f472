"""Fold of a log: which pictures need not be looked at again after a restart."""

from __future__ import annotations

from typing import Any

from tilesight.table_log import event_fold
from tilesight.table_log.event_fold import Ledger, folded
from tilesight.table_log.event_store import Entry

TURN = {"player": "red", "tile": "CS01-AB", "cell": [1, 0], "rot": 0}
OTHER = {**TURN, "cell": [2, 0]}


def entries(*told: tuple[str, dict[str, Any]]) -> list[Entry]:
    return [Entry(number, kind, 0.0, data) for number, (kind, data) in enumerate(told, 1)]


def test_pictures_after_the_last_turn_in_the_log_are_looked_at_again() -> None:
    first = (event_fold.SEEN, {"keep": 0, "lines": [TURN], "frames": [3], "pictures": [[10, "a.jpg"]]})
    second = (event_fold.SEEN, {"keep": 1, "lines": [OTHER], "frames": [7], "pictures": [[20, "b.jpg"]]})
    assert folded(Ledger(), ()).used_up_to is None
    assert folded(Ledger(), entries(first, second)).used_up_to == (20, "b.jpg")
    # A turn that the camera takes back was none: the next one may be in pictures that came before.
    taken_back = (event_fold.SEEN, {"keep": 1, "lines": [], "frames": [], "pictures": []})
    assert folded(Ledger(), entries(first, second, taken_back)).used_up_to == (10, "a.jpg")


def test_pictures_from_before_people_refused_a_turn_are_not_looked_at_again() -> None:
    seen = (event_fold.SEEN, {"keep": 0, "lines": [TURN], "frames": [3], "pictures": [[10, "a.jpg"]]})
    undo = (event_fold.UNDONE, {"picture": [30, "c.jpg"]})
    assert folded(Ledger(), entries(seen, undo)).used_up_to == (30, "c.jpg")
    said = {"keep": 0, "lines": [OTHER], "not_these": [TURN], "picture": [40, "d.jpg"]}
    assert folded(Ledger(), entries(seen, (event_fold.SAID, said))).used_up_to == (40, "d.jpg")


def test_a_log_without_marks_of_pictures_is_read_as_ever() -> None:
    seen = (event_fold.SEEN, {"keep": 0, "lines": [TURN], "frames": [3]})
    assert folded(Ledger(), entries(seen, (event_fold.UNDONE, {}))).used_up_to is None
