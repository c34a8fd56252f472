"""Which turns are doubtful."""

from __future__ import annotations

from web.table.doubts import doubtful_turns, is_doubtful


def test_a_turn_below_nine_in_ten_is_doubtful_as_it_is_shown() -> None:
    shown = {None: False, 0.34: True, 0.8999: True, 0.89996: False, 0.9: False, 1.0: False}
    assert {confidence: is_doubtful(confidence) for confidence in shown} == shown
    assert doubtful_turns([0.9, None, 0.34]) == {3: 0.34}
