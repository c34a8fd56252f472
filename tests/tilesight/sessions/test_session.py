"""Reading a session's folder: valid sessions, and one-line errors for invalid ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.tilesight.toy_pack import edition, gallery_of
from tilesight.recordings.tile_replay import start_of
from tilesight.sessions.session import SessionError, read_session
from tilesight.settings import SettingsError, enrolled_gallery
from vision.image.decoder import FrameError

GOOD: dict[str, Any] = {
    "tilesight": 1,
    "game": "safari",
    "pack": "savanna",
    "rules": "zman",
    "players": [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}],
    "frames": [{"file": "frames/0000.jpg", "t_s": 0.0}, {"file": "frames/0001.jpg", "t_s": 1.5}],
    "rangers": [[-2, 0], [2, 0]],
}


def write_session(folder: Path, source: object) -> Path:
    (folder / "frames").mkdir(parents=True)
    picture = np.full((80, 120, 3), 90, np.uint8)
    for name in ("0000.jpg", "0001.jpg"):
        cv2.imwrite(str(folder / "frames" / name), picture)
    (folder / "session.json").write_text(source if isinstance(source, str) else json.dumps(source), "utf-8")
    return folder


def test_a_good_session_is_read(tmp_path: Path) -> None:
    session = read_session(write_session(tmp_path / "evening", GOOD))
    assert session.header.players == ("red", "blue")
    assert session.header.rangers == ((-2, 0), (2, 0))
    assert session.names == {"red": "Ana", "blue": "Bo"}
    assert session.title == "evening"
    assert session.reference is None
    assert [frame.t_s for frame in session.frames] == [0.0, 1.5]
    assert session.frames[1].read().image.shape == (80, 120, 3)


def test_a_record_so_far_is_played_first(tmp_path: Path) -> None:
    folder = write_session(tmp_path / "s", {**GOOD, "record_so_far": "start.game.jsonl"})
    header = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": ["red", "blue"]}
    turn = {"player": "red", "tile": "CS7-G", "cell": [0, -1], "rot": 270, "action": None}
    (folder / "start.game.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(turn)}\n", "utf-8")
    assert [turn.tile for turn in read_session(folder).turns_before] == ["CS7-G"]


def test_a_session_without_a_pack_is_seen_with_the_game_s_own_or_an_enrolled_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    session = read_session(write_session(tmp_path / "s", {k: v for k, v in GOOD.items() if k != "pack"}))
    assert not session.names_pack
    assert start_of(session, None)[0].pack.id == session.header.pack == "savanna"
    gallery_of(edition(tmp_path, "printed"), enrolled_gallery("printed"))
    start, _ = start_of(session, None)
    assert start.pack.id == session.played_with(start.pack).header.pack == "printed"
    named = read_session(write_session(tmp_path / "named", GOOD))
    assert start_of(named, None)[0].pack.id == "savanna"
    other = gallery_of(edition(tmp_path, "other"), tmp_path / "other.gallery")
    assert start_of(session, other)[0].pack.id == "other"
    with pytest.raises(SettingsError, match="is of pack 'other', not of 'savanna'"):
        start_of(named, other)


def test_a_record_so_far_may_be_of_a_pack_that_only_a_gallery_has(tmp_path: Path) -> None:
    printed = {**GOOD, "pack": "printed"}
    folder = write_session(tmp_path / "s", {**printed, "record_so_far": "start.game.jsonl"})
    header = {"tilesight": 1, "game": "safari", "pack": "printed", "players": ["red", "blue"]}
    turn = {"player": "red", "tile": "CS7-G", "cell": [0, -1], "rot": 270, "action": None}
    path = gallery_of(edition(tmp_path, "printed"), tmp_path / "printed.gallery")
    for player, legal in (("red", True), ("blue", False)):
        lines = (json.dumps(header), json.dumps({**turn, "player": player}))
        (folder / "start.game.jsonl").write_text("\n".join(lines), "utf-8")
        if legal:
            assert len(start_of(read_session(folder), path)[0].board) == 4
        else:
            with pytest.raises(SessionError, match="it is red's turn"):
                start_of(read_session(folder), path)


@pytest.mark.parametrize(
    ("name", "players", "player", "said"),
    [
        ("start.game.jsonl", ["red", "blue"], "blue", "start.game.jsonl, line 2: it is red's turn"),
        ("start.game.jsonl", ["red", "green"], "red", "a game of safari by red, green, not this one"),
        ("../start.game.jsonl", ["red", "blue"], "red", "lies outside the session's folder"),
    ],
)
def test_a_record_so_far_that_is_none(
    tmp_path: Path, name: str, players: list[str], player: str, said: str
) -> None:
    folder = write_session(tmp_path / "s", {**GOOD, "record_so_far": name})
    header = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players}
    turn = {"player": player, "tile": "CS7-G", "cell": [0, -1], "rot": 270, "action": None}
    (folder / name).write_text(f"{json.dumps(header)}\n{json.dumps(turn)}\n", "utf-8")
    with pytest.raises(SessionError, match=r"session\.json: record_so_far: ") as caught:
        read_session(folder)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tilesight": 2}, "tilesight: must be 1"),
        ({"game": 7}, "game: must be a text"),
        ({"players": "red"}, "players: must be a list"),
        ({"players": [{"name": "Ana"}]}, "players[0].color: is missing"),
        ({"players": [{"color": "red"}, {"color": "red"}]}, "players[1].color: red is there twice"),
        ({"frames": []}, "frames: is empty"),
        ({"frames": [{"file": "frames/0000.jpg"}]}, "frames[0].t_s: is missing"),
        ({"frames": [{"file": "frames/9.jpg", "t_s": 0}]}, "frames[0].file: there is no"),
        ({"frames": [{"file": "../x.jpg", "t_s": 0}]}, "lies outside the session"),
        (
            {"frames": [{"file": "frames/0000.jpg", "t_s": 2}, {"file": "frames/0001.jpg", "t_s": 1}]},
            "frames[1].t_s: is before the frame above it",
        ),
        ({"rangers": [[0]]}, "rangers[0]"),
    ],
)
def test_an_invalid_session_file_is_reported_with_file_and_field(
    tmp_path: Path, change: Any, said: str
) -> None:
    folder = write_session(tmp_path / "s", {**GOOD, **change})
    with pytest.raises(SessionError) as caught:
        read_session(folder)
    message = str(caught.value)
    assert said in message
    assert "session.json" in message
    assert "\n" not in message


def test_folders_that_hold_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="the folder is empty"):
        read_session(tmp_path)
    with pytest.raises(SessionError, match="no such folder"):
        read_session(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("x", "utf-8")
    with pytest.raises(SessionError, match=r"there is no session\.json"):
        read_session(tmp_path)
    with pytest.raises(SessionError, match="is no folder"):
        read_session(tmp_path / "notes.txt")


def test_a_session_file_that_is_not_json(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="not JSON"):
        read_session(write_session(tmp_path / "s", "{"))


def test_a_truncated_picture_is_said_when_it_is_reached(tmp_path: Path) -> None:
    folder = write_session(tmp_path / "s", GOOD)
    path = folder / "frames" / "0001.jpg"
    path.write_bytes(path.read_bytes()[:200])
    session = read_session(folder)
    with pytest.raises(FrameError, match=r"0001\.jpg"):
        session.frames[1].read()
