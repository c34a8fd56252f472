"""Messages: English sentences that keep their template and arguments."""

from __future__ import annotations

import copy
import pickle

from engine.fault import Fault
from engine.game import GameError, IllegalTurn
from engine.message import Message, counted, message_of, plain

EDGE = Message("the {edge} at {cell} is {kind}", edge=Message("north edge"), cell=(3, -2), kind="trail")


def test_a_message_is_its_english_sentence() -> None:
    assert EDGE == "the north edge at [3, -2] is trail"
    assert f"{EDGE}!" == "the north edge at [3, -2] is trail!"
    assert Message("{parts}", parts=[Message("a"), "b", 3]) == "a, b, 3"
    assert Message("{faults}", faults=("a", "b")) == "a; b"
    assert Message("{x} and {{x}}") == "{x} and {{x}}", "a template without arguments is the text itself"


def test_template_and_arguments_go_out_as_json() -> None:
    assert EDGE.to_json() == {
        "template": "the {edge} at {cell} is {kind}",
        "args": {"edge": {"template": "north edge", "args": {}}, "cell": [3, -2], "kind": "trail"},
    }


def test_copies_and_other_processes_keep_the_parts() -> None:
    for same in (copy.deepcopy(EDGE), pickle.loads(pickle.dumps(EDGE)), Message.told(EDGE, EDGE.to_json())):
        assert (same, same.to_json()) == (EDGE, EDGE.to_json())
    assert Message.told("old {text}", None).to_json()["args"] == {"text": "old {text}"}


def test_a_number_chooses_its_form() -> None:
    assert [counted(n, "{number} tile", "{number} tiles") for n in (0, 1, 2)] == [
        "0 tiles",
        "1 tile",
        "2 tiles",
    ]


def test_an_error_gives_the_message_that_it_was_raised_with() -> None:
    one, other = Fault("a", EDGE), Fault("b", plain("second"))
    assert message_of(IllegalTurn([one])) is EDGE
    assert message_of(IllegalTurn([one, other])) == f"{EDGE}; second"
    assert message_of(GameError("in plain words")).template == "{text}"
