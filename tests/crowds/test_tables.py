"""Benchmark of several tables: events are compared with the sessions' records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.crowds.tables import Followed, recorded
from tests.tilesight.kills import ROOT
from tilesight.sessions.session import SessionError

SESSION = ROOT / "samples" / "first-light"


def test_turns_are_exact_and_timed_from_their_first_picture() -> None:
    session = recorded(SESSION)
    followed = Followed(session)
    began_s = 1000.0
    for number, line in enumerate(session.turns, 1):
        told = {key: value for key, value in line.items() if key not in ("frame", "expect", "draws")}
        if number == 3:
            told["rot"] = (told["rot"] + 90) % 360
        followed.lines.append(told)
        due_s = began_s + session.due_s[line["frame"]]
        # The picture in which it was understood came half a second after the first that showed it.
        event = {"turn": number, "line": told, "frame": line["frame"], "t_frame_s": due_s}
        followed.hear({**event, "t_sent_s": due_s + (0.5 if number < 25 else 4.0)})
        followed.hear({**event, "t_sent_s": due_s + 60})
    followed.final = session.final
    told_of = followed.to_json()
    assert (told_of["turns"], told_of["turns_exact"], told_of["final_exact"]) == (25, 24, True)
    assert told_of["p50_s"] == pytest.approx(0.5, abs=0.01) and told_of["p95_s"] < 4
    followed.final = {}
    followed.lines.pop()
    assert (followed.to_json()["turns_exact"], followed.to_json()["final_exact"]) == (23, False)


def test_a_session_without_its_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps({"frames": []}))
    with pytest.raises(SessionError, match="no session with a record"):
        recorded(tmp_path)
