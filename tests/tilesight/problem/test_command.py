"""A report of a failed game holds the board and the log, and no people, keys, addresses or names."""

from __future__ import annotations

import json
import os
import platform
import zipfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from tilesight.app import app
from tilesight.home import tables_folder
from tilesight.live.album import BEFORE, BEFORE_AT, BOARD_AT, FRAME, Shot
from tilesight.lobby.library import Library
from tilesight.problem import excerpt
from tilesight.problem.command import LINES, LOG, PROBLEM
from tilesight.sessions.session import SESSION_FILE, read_session
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import StoreError, TableStore

run = CliRunner()
SIZE_WH = (640, 480)
SIDE_PX = 40.0
BOARD_PX = (300.0, 220.0)
"""Where the north-west corner of the start tile lies in all pictures."""
PERSON_BGR = (40, 200, 240)
TURNS = [
    {
        "player": "red",
        "tile": "BC-U",
        "cell": [1, 0],
        "rot": 180,
        "action": {"type": "meeple", "feature": "r0"},
    },
    {
        "player": "blue",
        "tile": "BC-C",
        "cell": [0, -1],
        "rot": 180,
        "action": {"type": "meeple", "feature": "c0"},
    },
    {"player": "red", "tile": "BC-H", "cell": [1, 1], "rot": 270, "action": None},
    {"player": "blue", "tile": "BC-V", "cell": [2, 0], "rot": 0, "action": None},
]
SECRETS = (
    "sesame1",
    "192.168.7.9",
    "Rosalind",
    "Kunigunde",
    "holiday-of-rosalind",
    "Secret Camera",
    "evening-at-home",
)


def picture(tmp_path: Path, number: int) -> bytes:
    """A grey table with a bright person at its left edge, and with EXIF."""
    image = np.full((SIZE_WH[1], SIZE_WH[0], 3), 90, np.uint8)
    image[:, :60] = PERSON_BGR
    cv2.putText(image, str(number), (310, 250), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 255), 2)
    exif = Image.Exif()
    exif[0x0110] = "Secret Camera 3000"
    path = tmp_path / "one.jpg"
    Image.fromarray(np.ascontiguousarray(image[:, :, ::-1])).save(path, quality=95, exif=exif)
    return path.read_bytes()


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game of Carcassonne, of which turn 3 was corrected; its entries hold what must not leave."""
    for name in [name for name in os.environ if name.startswith("TILESIGHT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TILESIGHT_CAMERA", "rtsp://sesame1@192.168.7.9/door")
    path = tables_folder() / "evening-at-home.table"
    header = {
        "tilesight": 1,
        "game": "carcassonne",
        "pack": "bastide",
        "rules": "third",
        "players": ["red", "blue"],
    }
    at = [SIDE_PX, 0, BOARD_PX[0], 0, SIDE_PX, BOARD_PX[1], 0, 0, 1]
    who = {"role": "player", "name": "Kunigunde", "address": "192.168.7.9"}
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": header, "names": {"red": "Rosalind", "blue": "Bo"}})
        store.append(
            EntryKind.KEYED, {"key": "sesame1", "host_key": "sesame1h", "spectators_see_camera": True}
        )
        for number, line in enumerate(TURNS):
            mark = [number + 1, f"holiday-of-rosalind-{number}.jpg"]
            board = {BOARD_AT: at} if number != 1 else {}
            data = {"keep": number, "lines": [line], "frames": [number], "pictures": [mark], **board}
            pictures = {FRAME: picture(tmp_path, number + 1)}
            if number >= 1:  # in the first of them it is not known where the board lies
                pictures[BEFORE] = picture(tmp_path, 10 + number)
                data |= {BEFORE_AT: at} if number >= 2 else {}
            store.append(EntryKind.SEEN, data, pictures)
            if number == 2:
                said = {"keep": 2, "lines": [line], "sure": [3], "what": "said", "who": who}
                store.append(EntryKind.SAID, {**said, **board}, {"frame": picture(tmp_path, 30)})
        store.append(EntryKind.SEATED, {"color": "blue", "name": "Kunigunde", "who": who})
    return path


def everything_in(archive: Path) -> bytes:
    """All members of an archive, as one text."""
    with zipfile.ZipFile(archive) as packed:
        assert {LOG, LINES, PROBLEM, SESSION_FILE} <= set(packed.namelist())
        return b"".join(packed.read(name) for name in packed.namelist())


def report(table: Path, out: Path, *words: str) -> dict[str, Any]:
    """Run the command without a question; return its JSON document."""
    result = run.invoke(app, ["report-problem", str(table), "-o", str(out), "--yes", "--json", *words])
    assert result.exit_code == 0, result.output or result.exception
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def unpacked(archive: Path) -> Path:
    """The folder of an unpacked archive."""
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(archive.with_suffix(""))
    return archive.with_suffix("")


def shots_of(log: Path) -> list[Shot]:
    """All pictures of a log with the place of the board."""
    at = {FRAME: BOARD_AT, BEFORE: BEFORE_AT}
    with TableStore(log, read_only=True) as store:
        return [
            Shot.kept(jpeg, entry.data, at[name])
            for entry in store.entries()
            for name, jpeg in store.pictures(entry.number).items()
        ]


def test_nothing_leaves_but_the_game_and_the_board(table: Path, tmp_path: Path) -> None:
    told = report(table, tmp_path / "out.zip", "--anonymous")
    content = everything_in(tmp_path / "out.zip")
    for secret in (*SECRETS, str(tmp_path), platform.node() or "?no host name"):
        assert secret.encode() not in content, secret
    assert b"Exif" not in content
    # Turn 3 was corrected. Of its neighbours turn 2 has a picture without a board.
    assert told["turns"] == [3] and told["anonymous"] is True
    left_out = {"of_other_turns": 2, "without_board": 1, "without_room": 0}
    assert told["pictures"] == {"kept": 5, "left_out": left_out}
    out = unpacked(tmp_path / "out.zip")
    found = shots_of(out / LOG)
    assert len(found) == 5
    for shot in found:
        image = shot.image
        assert image.shape[0] < SIZE_WH[1] / 2 and image.shape[1] < SIZE_WH[0] / 2
        distance = np.abs(image.astype(int) - PERSON_BGR).max(axis=2)
        assert distance.min() > 60, "a part of the person is in the picture"
        assert shot.H_px_from_board is not None
        x, y = (int(value) for value in shot.H_px_from_board[:2, 2])
        number = image[y + 15 : y + 35, x + 5 : x + 30].astype(int)
        assert (number[:, :, 2] - number[:, :, 1]).max() > 80, "no board"
    problem = json.loads((out / PROBLEM).read_text("utf-8"))
    assert problem["versions"]["python"] == platform.python_version() and problem["versions"]["models"]
    assert problem["settings"]["variables"] == ["TILESIGHT_CAMERA", "TILESIGHT_HOME"]
    assert problem["game"]["players"] == ["red", "blue"]


def test_the_library_takes_the_archive_and_shows_the_game(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(table, tmp_path / "out.zip")
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "other-home"))
    library = Library()
    assert library.import_file(tmp_path / "out.zip", "out.zip").brought == 1
    [game] = library.games()
    assert game.turns == len(TURNS) and {one.name for one in game.players} == {"Rosalind", "Kunigunde"}
    assert b"<html" in library.replay(game.id)
    with (
        TableStore(table, read_only=True) as mine,
        TableStore(tables_folder() / f"{game.id}.table") as theirs,
    ):
        was, now = (folded(Ledger(), store.entries()) for store in (mine, theirs))
    assert (now.turns, now.sure, now.entry_of) == (was.turns, was.sure, was.entry_of)


def test_it_shows_what_is_inside_and_asks_first(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.zip"
    words = ["report-problem", str(table), "-o", str(out)]
    for answer in ("n\n", ""):
        result = run.invoke(app, words, input=answer)
        assert result.exit_code == 1 and not out.exists()
        assert all(word in result.output for word in (LOG, LINES, PROBLEM, "About turns: 3", "Rosalind"))
    unasked = run.invoke(app, [*words, "--json"])
    assert unasked.exit_code == 1 and json.loads(unasked.stdout)["written"] is False and not out.exists()
    assert run.invoke(app, words, input="y\n").exit_code == 0 and out.is_file()
    before = out.read_bytes()
    again = run.invoke(app, [*words, "--yes"])
    assert isinstance(again.exception, StoreError) and out.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*.begun")] == []


def test_turns_can_be_named(table: Path, tmp_path: Path) -> None:
    told = report(table, tmp_path / "out.zip", "--turn", "1")
    assert told["turns"] == [1] and told["pictures"]["kept"] == 1  # those of turn 2 have no known board
    wrong = run.invoke(app, ["report-problem", str(table), "-o", str(tmp_path / "b.zip"), "--turn", "9"])
    assert isinstance(wrong.exception, StoreError) and "no turn 9" in str(wrong.exception)


def test_the_pictures_at_rest_before_and_after_a_turn_are_in_it_once(table: Path, tmp_path: Path) -> None:
    with TableStore(table) as store:  # a turn before which the table looked as the last turn's picture
        at = [SIDE_PX, 0, BOARD_PX[0], 0, SIDE_PX, BOARD_PX[1], 0, 0, 1]
        line = {"player": "red", "tile": "BC-V", "cell": [2, -1], "rot": 0, "action": None}
        data = {"keep": 4, "lines": [line], "frames": [5], BOARD_AT: at, BEFORE_AT: at}
        pictures = {BEFORE: picture(tmp_path, 4), FRAME: picture(tmp_path, 5)}
        store.append(EntryKind.SEEN, data, pictures)
    report(table, tmp_path / "out.zip", "--turn", "4")
    lines = (unpacked(tmp_path / "out.zip") / LINES).read_text("utf-8").splitlines()
    found = [(one["data"]["keep"], one["pictures"]) for one in map(json.loads, lines) if one["pictures"]]
    assert found == [(2, [FRAME]), (2, [FRAME]), (3, [BEFORE, FRAME]), (4, [FRAME])]


def test_a_report_ends_at_its_size_and_keeps_the_turns_concerned(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(table, tmp_path / "all.zip")
    sizes = []
    with TableStore(unpacked(tmp_path / "all.zip") / LOG, read_only=True) as store:
        for entry in store.entries():
            sizes += [len(jpeg) for jpeg in store.pictures(entry.number).values()]
    monkeypatch.setattr(excerpt, "MOST_BYTES", sum(sizes[:3]))  # turn 3 has the first three
    told = report(table, tmp_path / "out.zip")
    assert told["pictures"]["kept"] == 3 and told["pictures"]["left_out"]["without_room"] == 2
    with TableStore(unpacked(tmp_path / "out.zip") / LOG, read_only=True) as store:
        kept = [entry.data["keep"] for entry in store.entries() if store.pictures(entry.number)]
    assert kept == [2, 2]


def test_cut_pictures_are_put_back_where_they_were(table: Path, tmp_path: Path) -> None:
    report(table, tmp_path / "out.zip")
    session = read_session(unpacked(tmp_path / "out.zip"))
    assert len(session.turns_before) == 2 and len(session.frames) == 5
    for file in session.frames:
        image = file.read().image
        assert image.shape[1::-1] == SIZE_WH
        number = image[235:255, 305:330].astype(int)
        assert (number[:, :, 2] - number[:, :, 1]).max() > 80, "the board is elsewhere"
