"""`tilesight bench tiles`: close-ups of single tiles, or the labels of a game, read and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress, track

from tilesight.learning.labels import in_order, is_label_set, read_labels
from tilesight.settings import SettingsError, open_pack

if TYPE_CHECKING:
    from vision.tiles.gallery import Gallery

PICTURES = (".jpg", ".jpeg", ".png", ".webp")
"""File suffixes of pictures."""


def bench_tiles_command(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="close-ups, named DESIGN.jpg or DESIGN_ANYTHING.jpg, or labels of tilesight learn",
        ),
    ],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack, if no gallery is given")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read every close-up of DIR and compare the design with the file name, or with its label."""
    from models import load  # late: these load the networks' runtime
    from vision.image.decode import read_frame
    from vision.tiles.closeup import read_closeup
    from vision.tiles.gallery_file import load_gallery

    descriptor = load("descriptor")
    # A gallery is enough, as only the names of designs are compared.
    faces = load_gallery(gallery, descriptor) if gallery is not None else open_pack(pack, None)[1]
    if faces is None:
        raise SettingsError("a gallery is needed to name tiles: give --gallery or --pack")
    if is_label_set(folder):
        _bench_labels(folder, faces, as_json=as_json)
        return
    files = sorted(p for p in folder.glob("*") if p.suffix.lower() in PICTURES) if folder.is_dir() else []
    if not files:
        raise SettingsError(f"{folder}: holds no pictures")
    wrong = []
    for path in track(files, description="Reading", console=Console(stderr=True), disable=as_json):
        wanted = path.stem.split("_")[0]
        seen = read_closeup(read_frame(path).sight, faces, descriptor)
        if seen.design != wanted:
            wrong.append({"file": path.name, "got": seen.design, "wanted": wanted})
    if as_json:
        tiles = {"images": len(files), "right": len(files) - len(wrong), "wrong": wrong}
        print(json.dumps({"tilesight": 1, "tiles": tiles}))
        return
    print(f"{len(files) - len(wrong)} of {len(files)} right")
    for one in wrong:
        print(f"{one['file']}: read as {one['got']}, is {one['wanted']}")


def _bench_labels(folder: Path, faces: Gallery, *, as_json: bool) -> None:
    """Read the tiles of a label set with the gallery.

    Print how many are named rightly, how many wrongly with high confidence, and the log loss.
    """
    from models import load  # late: these load the networks' runtime
    from tilesight.learning.faces import read_crops, score_of

    labels = [one for one in in_order([read_labels(folder)]) if one.label.sort == "tile"]
    unknown = sum(one.label.name not in faces.designs for one in labels)
    labels = [one for one in labels if one.label.name in faces.designs]
    if not labels:
        raise SettingsError(f"{folder}: holds no tile of the gallery's faces")
    with Progress(console=Console(stderr=True), disable=as_json, transient=True) as progress:
        task = progress.add_task("Reading", total=len(labels))
        seen = read_crops(labels, faces, load("descriptor"), lambda: progress.advance(task))
    score = {**score_of(labels, faces, seen).to_json(), "unknown_names": unknown}
    if as_json:
        print(json.dumps({"tilesight": 1, "labels": score}))
        return
    print(
        f"{score['readings'] - score['wrong']} of {score['readings']} right, {score['wrong_and_sure']} wrong "
        f"and sure, log loss {score['log_loss']:.3f}"
    )
