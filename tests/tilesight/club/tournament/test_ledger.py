"""Ledger of a tournament: changes fold to the same tournament again, and invalid ones are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tilesight.club.tournament.event import Result, Tournament, TournamentError
from tilesight.club.tournament.ledger import (
    bound,
    coded,
    created,
    entered,
    fold,
    fold_one,
    paired,
    renamed,
    reported,
    swapped,
    unbound,
    unpaired,
    withdrew,
)


def _four() -> list[dict[str, Any]]:
    changes = [
        created(" Spring  cup ", Tournament(2)),
        *(entered(name) for name in ("Ana", "Bo", "Chi", "Dee")),
    ]
    return [*changes, paired(fold(changes))]


def test_changes_survive_json_and_come_to_the_same() -> None:
    changes = _four()
    seats = changes[-1]["seats"]
    changes.append(reported((1, 1), Result(dict.fromkeys(seats[0], 20), frozenset(seats[0][:1])), "hall/3"))
    changes.append(withdrew(4))
    told = fold(json.loads(json.dumps(changes)))
    assert told == fold(changes)
    assert told.name == "Spring cup"
    assert told.sources == {(1, 1): "hall/3"}
    assert told.event.entry(4).until_round == 1
    assert fold([*_four(), unpaired()]).event.rounds == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (entered("ana"), "has entered already"),
        ({"kind": "entered", "name": "  "}, "1 to 60 characters"),
        (created("Again", Tournament(1)), "made once"),
        ({"kind": "sunk"}, "cannot be read"),
        ({"kind": "reported", "place": 1}, "cannot be read"),
        ({"kind": "paired", "seats": [[1, 2]]}, "waits for the results"),
    ],
)
def test_an_invalid_change_is_refused(change: dict[str, Any], words: str) -> None:
    told = fold(_four())
    with pytest.raises(TournamentError, match=words):
        fold_one(told, change)


def test_it_begins_with_its_name() -> None:
    with pytest.raises(TournamentError, match="begins with its name"):
        fold([])
    with pytest.raises(TournamentError, match="begins with its name"):
        fold([entered("Ana")])


def test_a_binding_is_kept_with_the_names_that_its_table_got() -> None:
    changes = [*_four(), bound((1, 1), "hall-1", None, "log-0"), bound((1, 1), "hall-1", "log-1", "log-0")]
    changes += [coded((1, 2), "secret"), renamed(1, "Anna"), withdrew(4)]
    told = fold(json.loads(json.dumps(changes)))
    seats = changes[5]["seats"]
    assert told.bindings[1, 1].log == "log-1" and told.codes == {(1, 2): "secret"}
    assert list(told.bindings[1, 1].names) == seats[0] and "Ana" in told.bindings[1, 1].names.values()
    one, other = seats[0][0], seats[1][0]
    swapped_seats = fold_one(told, swapped(1, one, other))
    assert set(swapped_seats.bindings[1, 1].names) == {other, seats[0][1]}
    assert fold_one(told, unbound((1, 1))).bindings == {}
    undone = fold_one(told, unpaired())
    assert (undone.bindings, undone.codes) == ({}, {})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (bound((1, 2), "hall-1", None, ""), "hall-1 is taken by table 1"),
        (bound((2, 1), "hall-2", None, ""), "of the last round"),
        (bound((1, 9), "hall-2", None, ""), "no table 9"),
        (coded((2, 1), "secret"), "of the last round"),
    ],
)
def test_a_binding_that_cannot_be_is_refused(change: dict[str, Any], words: str) -> None:
    told = fold([*_four(), bound((1, 1), "hall-1", None, "")])
    with pytest.raises(TournamentError, match=words):
        fold_one(told, change)
