"""The body of a correction becomes exactly one correction."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from engine.squares_game import Figure
from web.api.bodies import CorrectBody
from web.table.correction import (
    ChangePlayer,
    Correction,
    InsertTurns,
    LetGo,
    MoveTurn,
    Overrule,
    RemoveTurn,
    ReorderTurns,
    ReplaceTurn,
    SetOpening,
    SetScores,
    SetUp,
)

LINE = {"player": "red"}
ONES: list[tuple[dict[str, Any], Correction]] = [
    ({"turn": 3, "line": LINE}, ReplaceTurn(3, LINE)),
    ({"turn": 3, "remove": True}, RemoveTurn(3)),
    ({"turn": 3, "insert": [LINE, {}]}, InsertTurns(3, (LINE, {}))),
    ({"turn": 3, "order": [4, 3]}, ReorderTurns(3, (4, 3))),
    ({"turn": 3, "move_to": 1}, MoveTurn(3, 1)),
    ({"turn": 3, "player": "blue"}, ChangePlayer(3, "blue")),
    ({"let_go": True}, LetGo()),
    ({"scores": {"red": 0}}, SetScores({"red": 0})),
    ({"scores": {}}, SetScores({})),
    ({"agreed": True}, Overrule()),
    ({"opened": {}}, SetOpening()),
    ({"opened": {"hands": {"red": ["?"]}, "extra": False}}, SetOpening(None, {}, {"red": ("?",)}, False)),
    (
        {"set_up": {"terrain": ["ab"], "figures": [{"kind": "animal", "name": "lion", "cell": "a1"}]}},
        SetUp(("ab",), (Figure("animal", "lion", "a1", None),)),
    ),
]
SAYS_NOTHING = {"remove": False, "let_go": False, "agreed": False, "line": None, "scores": None}


@pytest.mark.parametrize(("body", "correction"), ONES)
def test_each_body_is_one_correction(body: dict[str, Any], correction: Correction) -> None:
    assert CorrectBody.model_validate(body).value() == correction
    assert CorrectBody.model_validate({**SAYS_NOTHING, **body}).value() == correction


def test_two_corrections_at_once_are_refused() -> None:
    for one, _ in ONES:
        for other, _ in ONES:
            if one.keys() - {"turn"} != other.keys() - {"turn"}:
                with pytest.raises(ValidationError, match="say one thing"):
                    CorrectBody.model_validate({**one, **other})


@pytest.mark.parametrize(("body", "correction"), ONES)
def test_a_turn_is_named_for_edits_of_turns_alone(body: dict[str, Any], correction: Correction) -> None:
    wrong = (
        {key: value for key, value in body.items() if key != "turn"}
        if "turn" in body
        else {**body, "turn": 3}
    )
    with pytest.raises(ValidationError, match="turn belongs with"):
        CorrectBody.model_validate(wrong)
