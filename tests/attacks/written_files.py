"""Every kind of file that a command or the lobby writes, in two versions, for `tests.attacks.kill_files`."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import cv2
import numpy as np

from calibration.cameras import write_camera
from calibration.growth import keep_former
from models import load
from tests.attacks.kill_files import Kind, tree
from tests.attacks.logs import play
from tests.tilesight.kills import ROOT
from tests.tilesight.learning.test_labels import HEADER, JPEG, label
from tests.tilesight.toy_pack import gallery_of, toy_values, write_pack
from tilesight.archive.store import ArchiveStore
from tilesight.bench.report import VisionReport
from tilesight.commands import photo
from tilesight.commands.print_sheets import print_command
from tilesight.export import command as exporting
from tilesight.export.command import Format, export_command
from tilesight.export.photographs import read_pictures
from tilesight.home import write_privately
from tilesight.learning import changes
from tilesight.learning.labels import write_labels
from tilesight.photograph.desk import PhotoDesk
from tilesight.photograph.reading import PhotoReading, ReadingOptions, read_photographs
from tilesight.problem.command import report_problem_command
from tilesight.sessions.recorder import SessionRecorder
from tilesight.sessions.session import SESSION_FILE
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from vision.image.camera_profile import Camera
from vision.tiles.gallery_file import load_gallery
from web.lobby_photo import PhotoPlayers

PHOTO = ROOT / "samples" / "house-boards" / "house-26.jpg"
BOARD = ROOT / "samples" / "taiga-boards" / "taiga-07.jpg"


@functools.cache
def photographs() -> list[Path]:
    """Two photographs of one board, the second brighter."""
    picture = cv2.imread(str(PHOTO))
    assert picture is not None
    paths = [Path(f"photo-{which}.jpg").absolute() for which in range(2)]
    for which, path in enumerate(paths):
        cv2.imwrite(str(path), cv2.add(picture, np.full_like(picture, 12 * which)))
    return paths


@functools.cache
def logs() -> list[Path]:
    """Two logs of other lengths."""
    folder = Path("logs").absolute()
    played = [play(folder / f"game-{which}.old{SUFFIX}", 3 + which, ended=True) for which in range(2)]
    for path in played:  # a log in write-ahead mode can only be read where something can be written
        back_up(path, path.with_name(path.name.replace(".old", "")))
    return [path.with_name(path.name.replace(".old", "")) for path in played]


@functools.cache
def the_reading() -> PhotoReading:
    """What is read on the first photograph."""
    return read_photographs(photographs()[:1], ReadingOptions(pack="savanna"))


def undated(place: Path) -> object:
    """Return the content of a PDF without the time at which it was made; None if there is none."""
    content = tree(place)
    if not isinstance(content, bytes):
        return None
    return re.sub(rb"/CreationDate \([^)]*\)|/ID \[.*?\]", b"", content, flags=re.DOTALL)


def entries_of(place: Path) -> object:
    """Return what the log in a file says, or every log in a folder by name; None if there is none."""
    if place.is_dir():
        return {path.name: entries_of(path) for path in place.glob(f"*{SUFFIX}")} or None
    if not place.exists():
        return None
    try:
        with TableStore(place, read_only=True) as store:
            told = [(one.kind, dict(one.data)) for one in store.entries() if one.kind != "key"]
            return [*told, *(sorted(store.pictures(number + 1)) for number in range(len(told)))]
    except StoreError as error:
        return str(error)


def members(place: Path) -> object:
    """Return the members of an archive that do not depend on the time; None if there is none."""
    if not place.exists():
        return None
    with zipfile.ZipFile(place) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist() if name.endswith((".json", ".jsonl"))}


def photo_kind(name: str, place: Path, content: Callable[[Path], object] = tree) -> Kind:
    """An output of `tilesight photo`, whose reading is made before."""
    paths, reading = photographs(), the_reading()

    def write(which: int) -> None:
        given = {"pack": "savanna", "gallery": None, "rules": None, "calibration": None}
        lang = ("en", "de")[which]
        words: dict[str, Any] = {**given, "overlay": None, "report": None, "lang": lang, "as_json": True}
        with mock.patch.object(photo, "read_photographs", lambda *_: reading):
            photo.photo_command([paths[which]], **{**words, name: place})

    return Kind(name, place, write, content)


def export_kind(format_: Format, place: Path) -> Kind:
    """An export of a game, or of a photograph."""
    if format_ in exporting.WRITERS:
        pictures = list(read_pictures(photographs()[:1], ReadingOptions(pack="savanna")))

        def write(which: int) -> None:
            named = [replace(one, name=f"{which}.jpg") for one in pictures]
            with mock.patch.object(exporting, "read_pictures", lambda *_: iter(named)):
                export_command(str(photographs()[0]), place, None, format_, None, as_json=True)

    else:
        games = logs()

        def write(which: int) -> None:
            export_command(str(games[which]), place, None, format_, None, as_json=True)

    return Kind(format_, place, write, fresh=True)


def gallery_kind(place: Path) -> Kind:
    """The gallery of a printed edition, with its former one beside it."""
    packs = [write_pack(place.parent / f"set-{n}", toy_values("toy"), seed=20 + n) for n in range(2)]
    descriptor = load("descriptor")
    galleries = [
        load_gallery(gallery_of(pack, pack / "one.gallery", carries=bool(n)), descriptor)
        for n, pack in enumerate(packs)
    ]

    def write(which: int) -> None:
        keep_former(place)
        galleries[which].save(place)

    for which in (0, 1):  # there is a former one from the beginning
        write(which)
    return Kind("gallery", place, write)


def record_kind(place: Path) -> Kind:
    """A session to which a picture is added."""
    picture = np.full((90, 120, 3), 90, np.uint8)

    def write(which: int) -> None:
        SessionRecorder(place, {"title": "evening"}).keep(picture + which, 1.0)

    def before() -> None:
        shutil.rmtree(place, ignore_errors=True)
        SessionRecorder(place, {"title": "evening"}).keep(picture, 0.0)

    def content(folder: Path) -> object:
        if not (folder / SESSION_FILE).exists():
            return None
        frames = json.loads((folder / SESSION_FILE).read_text("utf-8"))["frames"]
        return [(folder / frame["file"]).read_bytes() for frame in frames]

    return Kind("record", place, write, content, before=before)


def keep_kind(name: str, place: Path, *, again: bool) -> Kind:
    """A photograph that two phones keep at once as a game; ``again`` with another name than before."""
    os.environ["TILESIGHT_HOME"] = str(place.parent)
    desk = PhotoDesk()
    told = desk.add(None, BOARD.read_bytes(), "taiga", None)
    colors = list(told["if_ended_now"])[:2]

    def write(which: int) -> None:
        players = PhotoPlayers({color: f"{'AB'[which]} {color}" for color in colors})
        with ThreadPoolExecutor(2) as phones:
            ids = phones.map(lambda _: desk.keep(told["id"], players, over=True, again=again), range(2))
            assert len(set(ids)) == 1

    def before() -> None:
        if not again:
            shutil.rmtree(place, ignore_errors=True)
        place.mkdir(exist_ok=True)

    return Kind(name, place, write, entries_of, before=before)


def stored(place: Path) -> Kind:
    """A result of an archive."""
    store, path = ArchiveStore(place), place / "results" / "s" / "g.u.json"
    return Kind("archive", path, lambda which: store.keep_result("s", "g", "u", {"turns": which}))


def profile(place: Path) -> Kind:
    """A camera's profile."""
    return Kind("profile", place, lambda which: write_camera(place, Camera(f"camera {which}")))


def learned(place: Path) -> Kind:
    """A file that `tilesight learn` changes, with its former content in a folder of changes."""
    folder = place.parent.parent / "changes"

    def write(which: int) -> None:
        changes.keep(folder, {place: bytes([which]) * 5000}, [])

    return Kind("learned", place, write, before=lambda: shutil.rmtree(folder, ignore_errors=True))


def labels(place: Path) -> Kind:
    """A set of labels with its crops."""
    crops = [[(label(number), JPEG) for number in range(3 + which)] for which in range(2)]
    return Kind("labels", place, lambda which: write_labels(place, HEADER, crops[which]), may_be_gone=True)


def printed(place: Path) -> Kind:
    """A PDF of `tilesight print`."""
    return Kind(
        "print", place, lambda which: print_command("mat", place, sheets=f"1x{1 + which}"), undated
    )  # fmt: skip


def problem(place: Path) -> Kind:
    """The archive of a problem."""
    games = logs()

    def write(which: int) -> None:
        report_problem_command(str(games[which]), place, None, yes=True, as_json=True)

    return Kind("problem", place, write, members, fresh=True)


def backup(place: Path) -> Kind:
    """A copy of a table's log."""
    games = logs()
    return Kind("backup", place, lambda which: back_up(games[which], place), entries_of, fresh=True)


def page(place: Path) -> Kind:
    """The page of `tilesight bench vision`."""
    return Kind("page", place, lambda which: VisionReport(f"run {which}", None).write(place, {}, []))


def played(place: Path) -> Kind:
    """A game that a program saves."""
    from tilesight.public.rules import play as play_game

    games = [play_game("carcassonne", seed=seed) for seed in range(2)]
    return Kind("play", place, lambda which: games[which].save(place))


KINDS: Mapping[str, Callable[[Path], Kind]] = {
    "overlay": lambda folder: photo_kind("overlay", folder / "overlay.png"),
    "report": lambda folder: photo_kind("report", folder / "score.html"),
    "report-pdf": lambda folder: photo_kind("report", folder / "score.pdf", undated),
    "print": lambda folder: printed(folder / "mat.pdf"),
    **{
        f"export-{format_}": functools.partial(
            lambda format_, folder: export_kind(format_, folder / "out"), format_
        )
        for format_ in Format
    },
    "backup": lambda folder: backup(folder / "copy.table"),
    "problem": lambda folder: problem(folder / "problem.zip"),
    "gallery": lambda folder: gallery_kind(folder / "files" / "toy.gallery"),
    "profile": lambda folder: profile(folder / "one.camera.json"),
    "record": lambda folder: record_kind(folder / "session"),
    "labels": lambda folder: labels(folder / "monday"),
    "learned": lambda folder: learned(folder / "files" / "one.gallery"),
    "archive": lambda folder: stored(folder / "store"),
    "bench-page": lambda folder: page(folder / "page.html"),
    "play": lambda folder: played(folder / "game.jsonl"),
    "private": lambda folder: Kind(
        "private", folder / "lobby.json",
        lambda which: write_privately(folder / "lobby.json", "ab"[which] * 5000),
    ),
    "keep": lambda folder: keep_kind("keep", folder / "tables", again=False),
    "keep-again": lambda folder: keep_kind("keep-again", folder / "tables", again=True),
}  # fmt: skip
"""Kinds by name; each is made for a folder of its own."""
