"""`tilesight bench tiles`: close-ups of single tiles, read and compared with their file names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from tilesight.settings import SettingsError, open_pack

PICTURES = (".jpg", ".jpeg", ".png", ".webp")
"""File suffixes of pictures."""


def bench_tiles_command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="close-ups, named DESIGN.jpg or DESIGN_ANYTHING.jpg")
    ],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack, if no gallery is given")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read every close-up of DIR and compare the design with the file name."""
    from models import load  # late: these load the networks' runtime
    from vision.image.decode import read_frame
    from vision.tiles.closeup import read_closeup
    from vision.tiles.gallery import load_gallery

    descriptor = load("descriptor")
    # A gallery is enough, as only the names of designs are compared.
    faces = load_gallery(gallery, descriptor) if gallery is not None else open_pack(pack, None)[1]
    if faces is None:
        raise SettingsError("a gallery is needed to name tiles: give --gallery or --pack")
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
