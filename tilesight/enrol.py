"""`tilesight enrol`: learn the faces of a printed edition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from calibration.enrolment import enrol_pictures
from engine.pack import load_pack
from models import load
from tilesight.settings import SettingsError, enrolled_gallery


def enrol_command(
    pack: Annotated[str, typer.Option(help="id or folder of the pack whose faces are shown")],
    images: Annotated[Path, typer.Option(help="folder of flat pictures, named DESIGN.jpg or DESIGN_2.jpg")],
    out: Annotated[Path | None, typer.Option(help="the gallery file to write")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Learn a printed edition from one or more pictures per design."""
    chosen = load_pack(pack)
    gallery = enrol_pictures(chosen, images, load("descriptor"))
    path = out or enrolled_gallery(chosen.id)
    try:
        gallery.save(path)
    except OSError as error:
        raise SettingsError(f"{path}: the gallery cannot be written ({error.strerror})") from None
    if as_json:
        answer = {"tilesight": 1, "pack": chosen.id, "gallery": str(path), "designs": len(gallery.designs)}
        print(json.dumps(answer | {"pictures": len(gallery.faces)}))
    else:
        print(f"{len(gallery.faces)} pictures of {len(gallery.designs)} designs of {chosen.id} -> {path}")
