"""`tilesight export`: a game or photographs in a format of other programs, or as a session."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.record import write_record
from tilesight.export.coco import write_coco
from tilesight.export.game import record_of, table_path
from tilesight.export.label_studio import write_label_studio
from tilesight.export.labels import LabelledPicture
from tilesight.export.photographs import PICTURES, photographs_in, read_pictures
from tilesight.export.pictures import KeptGame, kept_game, read_log
from tilesight.export.replayed import write_log_of
from tilesight.export.session import write_session
from tilesight.export.turns import turns_csv
from tilesight.export.yolo import write_yolo
from tilesight.live.presentation import progress_bar
from tilesight.live.watching import WatchedFrame
from tilesight.output import write_output
from tilesight.photograph.reading import ReadingOptions
from tilesight.sessions.session import SESSION_FILE
from tilesight.settings import session_camera
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from vision.image.camera_profile import Camera
from vision.image.whole_file import folder_beside, remove_leftovers


class ExportError(ValueError):
    """Nothing can be exported; the message is one line for the user."""


class Format(StrEnum):
    """Formats of an export."""

    SESSION = "session"
    COCO = "coco"
    YOLO = "yolo"
    YOLO_OBB = "yolo-obb"
    LABEL_STUDIO = "label-studio"
    RECORD = "record"
    CSV = "csv"


WRITERS: dict[Format, Callable[[Sequence[LabelledPicture], Path, str], None]] = {
    Format.COCO: lambda pictures, out, _: write_coco(pictures, out),
    Format.YOLO: lambda pictures, out, _: write_yolo(pictures, out, oriented=False),
    Format.YOLO_OBB: lambda pictures, out, _: write_yolo(pictures, out, oriented=True),
    Format.LABEL_STUDIO: write_label_studio,
}
"""Formats of labelled pictures: each writes into a folder that will have the given name."""
IMAGES, TURNS, RECORD = "images", "turns.csv", "game.game.jsonl"
"""Names in the folder of labelled pictures."""


def export_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="a table's file, its name, or 'last'; a session's folder; a photograph, or a folder of them",
        ),
    ],
    out: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="the folder or file to write; it may not exist yet")
    ] = None,
    output: Annotated[Path | None, typer.Option("--out", "-o", help="OUT, as an option")] = None,
    format_: Annotated[
        Format, typer.Option("--format", "-f", help="what to write (docs/export.md)")
    ] = Format.SESSION,
    gallery: Annotated[
        Path | None, typer.Option(help="the gallery that the game was played with, if only it has the pack")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Write a game or photographs for other programs, or a table's game as a session."""
    place = out or output
    if place is None or (out is not None and output is not None):
        raise ExportError("name one place to write to: OUT, or -o OUT")
    _check_free(place, file=format_ in (Format.RECORD, Format.CSV))
    photographs = _photographs(source)
    if photographs:
        told = _export_photographs(photographs, place, format_, gallery, quiet=as_json)
    else:
        with _log_of(source, gallery, format_, quiet=as_json) as (store, camera):
            told = _export_log(store, place, format_, gallery, camera, quiet=as_json)
    if as_json:
        print(json.dumps({"tilesight": 1, **told}))
    else:
        counts = ", ".join(_counted(told[name], word) for name, word in COUNTED.items() if name in told)
        print(f"{place}: {counts}")


COUNTED = {
    "turns": "turn",
    "frames": "picture",
    "pictures": "picture",
    "labels": "label",
    "left_out": "picture left out (no board found)",
}
"""Words on the terminal for one of each count of an export, by the name of the count."""


def _counted(count: int, word: str) -> str:
    """Return a count in words."""
    noun, _, rest = word.partition(" ")
    return f"{count} {noun}{'' if count == 1 else 's'}{f' {rest}' if rest else ''}"


def _check_free(place: Path, *, file: bool) -> None:
    """Raise StoreError if a place to write to exists, or a file's folder does not; an empty folder is free
    for a folder."""
    if file and not place.parent.is_dir():
        raise StoreError(f"{place}: there is no folder {place.parent}")
    if place.is_dir():
        remove_leftovers(place)
    if place.exists() and (file or not place.is_dir() or any(place.iterdir())):
        raise StoreError(f"{place}: exists already{'' if file else ' and is not empty'}")


def _photographs(source: str) -> list[Path]:
    """Return the photographs that ``SOURCE`` names; [] if it is a table or a session."""
    path = Path(source)
    if path.suffix.lower() in PICTURES and not path.exists():
        raise ExportError(f"{path}: no such photograph")
    if path.is_file() and path.suffix.lower() in PICTURES:
        return [path]
    if path.is_dir() and not (path / SESSION_FILE).is_file():
        found = photographs_in(path)
        if not found:
            raise ExportError(f"{path}: holds no session and no photographs")
        return found
    return []


@contextmanager
def _log_of(
    source: str, gallery: Path | None, format_: Format, *, quiet: bool
) -> Iterator[tuple[TableStore, Camera]]:
    """Open the log of a table; that of a session is made by recognising it, in a folder that is removed."""
    folder = Path(source)
    if not (folder / SESSION_FILE).is_file():
        with TableStore(table_path(source), read_only=True) as store:
            yield store, Camera("")
        return
    if format_ is Format.SESSION:
        raise ExportError(f"{folder}: is a session already; name another --format")
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-") as scratch,
        TableStore(Path(scratch) / f"session{SUFFIX}") as store,
        progress_bar(Console(stderr=True, quiet=quiet)) as progress,
    ):
        task = progress.add_task("watching", total=None)

        def advance(seen: WatchedFrame[Any]) -> None:
            progress.update(task, completed=seen.frame.index + 1)

        write_log_of(folder, store, gallery, advance)
        progress.stop()
        yield store, session_camera(folder)


def _export_photographs(
    paths: Sequence[Path], place: Path, format_: Format, gallery: Path | None, *, quiet: bool
) -> dict[str, Any]:
    """Read photographs and write them. Raises ExportError for a format of games."""
    if format_ not in WRITERS:
        raise ExportError(
            f"photographs have no turns, as --format {format_} needs: name one of {', '.join(WRITERS)}"
        )
    read = read_pictures(paths, ReadingOptions(gallery=gallery))
    pictures = list(_tracked(read, len(paths), quiet=quiet))
    return _write_pictures(pictures, place, format_)


def _export_log(
    store: TableStore, place: Path, format_: Format, gallery: Path | None, camera: Camera, *, quiet: bool
) -> dict[str, Any]:
    """Write the game of a log. Raises StoreError if it has none, or no pictures and needs some."""
    if format_ is Format.SESSION:
        frames, ledger = write_session(store, place, gallery, quiet=quiet)
        return {"session": str(place), "frames": frames, "turns": len(ledger.turns)}
    game = kept_game(store, gallery)
    turns = len(game.ledger.turns)
    if format_ in (Format.RECORD, Format.CSV):
        text = turns_csv(game) if format_ is Format.CSV else write_record(record_of(game.ledger, gallery))
        write_output(place, "export", text.encode())
        return {"out": str(place), "format": str(format_), "turns": turns}
    found = _tracked(read_log(store, game, gallery, camera), len(game.shown), quiet=quiet)
    read = list(found)
    pictures = [picture for picture in read if picture is not None]
    if not pictures:
        raise StoreError(f"{store.path}: contains no picture in which the board is found")
    told = _write_pictures(pictures, place, format_, game, gallery)
    left_out = len(read) - len(pictures)
    return {**told, "turns": turns, **({"left_out": left_out} if left_out else {})}


def _tracked(found: Iterator[Any], total: int, *, quiet: bool) -> Iterator[Any]:
    """Yield what ``found`` yields, with a progress bar on stderr."""
    console = Console(stderr=True)
    return iter(track(found, "Reading", total=total, console=console, disable=quiet, transient=True))


def _write_pictures(
    pictures: Sequence[LabelledPicture],
    place: Path,
    format_: Format,
    game: KeptGame | None = None,
    gallery: Path | None = None,
) -> dict[str, Any]:
    """Write labelled pictures, and the game that they show, as the folder ``place``; return what was
    written."""
    with folder_beside(place) as folder:
        (folder / IMAGES).mkdir()
        for picture in pictures:
            (folder / IMAGES / picture.name).write_bytes(picture.jpeg)
        WRITERS[format_](pictures, folder, place.resolve().name)
        if game is not None:
            (folder / TURNS).write_text(turns_csv(game), encoding="utf-8", newline="")
            record = write_record(record_of(game.ledger, gallery))
            (folder / RECORD).write_text(record, encoding="utf-8")
    labels = sum(len(picture.labels) for picture in pictures)
    return {"out": str(place), "format": str(format_), "pictures": len(pictures), "labels": labels}
