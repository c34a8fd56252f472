"""Attack: a small picture that takes minutes to decode, put into the camera's folder, sent by a phone with
the camera's key, uploaded to the lobby, or inside of a brought game.

A progressive JPEG of 4 MB that repeats an empty scan 20 000 times stopped the game, also after a restart.
Held: its scans are counted before it is decoded; what else may be heavy is decoded in a process with limits;
the pictures after it are seen.
"""

from __future__ import annotations

import contextlib
import io
import os
import sqlite3
import threading
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import vision.image.decode as decoding
from tests.attacks.logs import play
from tests.attacks.targets import Target
from tests.web.fake_table import photograph
from tilesight.club.membership import ClubMembership
from tilesight.home import tables_folder
from tilesight.live.capture import Lost, ThreadedSource
from tilesight.live.folder import PictureFolder, WatchedFiles, picture_folder
from tilesight.live.phone_source import PhoneSource
from tilesight.lobby.library import Library
from tilesight.lobby.memory import LobbyMemory
from tilesight.photograph.report import plain_jpeg
from vision.image.decode import decode_image, read_frame
from vision.image.decoder import HeavyError
from vision.image.decoder_process import DecoderProcess
from vision.image.jpeg_structure import is_cheap_jpeg
from vision.observation import Frame
from web.table.refusal import Refusal

SOON_S = 20.0
"""Seconds within which a refusal or the next picture comes; the picture itself takes minutes."""


def repeated(scans: int, size_wh: tuple[int, int] = (4000, 3000)) -> bytes:
    """A progressive grey JPEG whose last scan, which is almost empty, is there this number of times."""
    file = io.BytesIO()
    Image.new("L", size_wh, 128).save(file, "JPEG", progressive=True)
    jpeg = file.getvalue()
    last = jpeg.rindex(b"\xff\xda")
    return jpeg[:last] + jpeg[last:-2] * scans + jpeg[-2:]


BOMB = repeated(20_000)


def test_the_scans_of_a_picture_are_counted_before_it_is_decoded() -> None:
    began_s = time.monotonic()
    with pytest.raises(HeavyError, match="scans"):
        decode_image(BOMB)
    assert time.monotonic() - began_s < SOON_S
    assert not is_cheap_jpeg(BOMB)


def test_a_decoding_that_takes_too_long_is_ended_and_the_next_one_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    process = DecoderProcess()
    monkeypatch.setattr(decoding, "_PROCESS", process)
    file = io.BytesIO()
    Image.new("RGB", (80, 70), "red").save(file, "PNG")
    try:
        assert decode_image(file.getvalue())[5, 5].tolist() == [0, 0, 255]
        monkeypatch.setattr("vision.image.decoder_process.WITHIN_S", 0.2)
        with pytest.raises(HeavyError, match="takes too much time or memory"):
            decode_image(repeated(90))
        monkeypatch.undo()
        assert np.array_equal(process.decode(file.getvalue(), "next", None)[5, 5], [0, 0, 255])
    finally:
        process.close()


def test_a_picture_in_the_folder_does_not_stop_the_game(target: Target) -> None:
    (target.camera / "0.jpg").write_bytes(BOMB)
    time.sleep(1.0)  # it is found first
    target.show()
    until_s = time.monotonic() + SOON_S
    while "tilesight_pictures_seen_total 0" in (told := target.ask("/metrics").text):
        assert time.monotonic() < until_s, told
        time.sleep(0.1)


def test_a_picture_that_stalled_is_not_tried_again_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither one that is too heavy, nor one at which the capturing thread stood still."""
    folder, listed, tried, free = tmp_path / "camera", tmp_path / "watched", [], threading.Event()
    folder.mkdir()
    for number, content in enumerate((BOMB, photograph(), photograph())):
        (folder / f"{number}.jpg").write_bytes(content)
        os.utime(folder / f"{number}.jpg", (1e9 + number, 1e9 + number))

    def read(path: Path, **how: Any) -> Frame:
        tried.append(path.name)
        if path.name == "1.jpg":
            free.wait(60)
        return read_frame(path, **how)

    monkeypatch.setattr(picture_folder, "read_frame", read)
    for expected in (["0.jpg", "1.jpg", "2.jpg"], ["2.jpg"]):
        tried.clear()
        watched = PictureFolder(folder, (), WatchedFiles(folder, listed))
        source = ThreadedSource(watched.name, watched.capture, stalled_after_s=0.3)
        until_s = time.monotonic() + SOON_S
        for got in source.frames():
            assert time.monotonic() < until_s
            if isinstance(got, Frame):
                assert got.mark is not None and got.mark[1] == "2.jpg"
                break
        assert tried == expected
        source.close()
    free.set()


def test_a_picture_in_a_brought_game_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    path = play(tables_folder() / "brought.table", turns=1)
    assert Library().photo("brought")
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE pictures SET jpeg = ?, sum = ?", (BOMB, zlib.crc32(BOMB)))
    began_s = time.monotonic()
    with pytest.raises(Refusal):
        Library().photo("brought")
    assert b"<html" in Library().replay("brought")[:300]
    assert time.monotonic() - began_s < SOON_S


def test_a_picture_from_a_phone_does_not_stop_the_game() -> None:
    phone = PhoneSource()
    frames = phone.frames()
    try:
        assert isinstance(next(frames), Lost)
        phone.push(BOMB)
        until_s = time.monotonic() + SOON_S
        while isinstance(next(frames), Lost):
            phone.push(photograph())
            assert time.monotonic() < until_s
    finally:
        phone.close()
    assert phone.unreadable == 1


def test_uploads_to_the_lobby_are_bounded(tmp_path: Path) -> None:
    began_s = time.monotonic()
    with pytest.raises(Refusal):
        ClubMembership(LobbyMemory(tmp_path / "lobby.json")).read_code(BOMB)
    with pytest.raises(HeavyError):
        plain_jpeg(BOMB)
    assert time.monotonic() - began_s < SOON_S
