"""A pack without rules in a folder, its art random faces; galleries, and a photograph of its tiles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.geometry import Cell
from engine.pack import load_pack
from models import load
from tests.vision.toy_boards import toy_board, toy_faces
from vision.tiles.gallery import build_gallery
from vision.tiles.gallery_pack import carried_of

CELLS: list[Cell] = [(x, y) for x in range(4) for y in range(3)]


def toy_values(name: str = "toy", count: int = 12, **changes: Any) -> dict[str, Any]:
    """Content of a ``pack.json`` with ``count`` tiles T0, T1 … of equal edges and one road each."""
    edges = dict.fromkeys("nesw", "field")
    feature = {"id": "f0", "kind": "field", "edges": ["n", "e", "s", "w"], "spot": [0.5, 0.5]}
    tiles = [{"id": f"T{n}", "edges": edges, "features": [feature]} for n in range(count)]
    return {"tilesight": 1, "id": name, "game": None, "title": name, "tiles": tiles, **changes}


def write_pack(
    folder: Path, values: dict[str, Any] | None = None, *, seed: int = 4, art: bool = True
) -> Path:
    """The pack's folder, its pictures beside ``pack.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    values = toy_values(folder.name) if values is None else values
    (folder / "pack.json").write_text(json.dumps(values), "utf-8")
    if art:
        faces = toy_faces(seed, len(values["tiles"]), 256)
        for tile, face in zip(values["tiles"], faces, strict=True):
            cv2.imwrite(str(folder / f"{tile['id']}.png"), face)
    return folder


def gallery_of(folder: Path, path: Path, *, carries: bool = True) -> Path:
    """A gallery of the first faces of a pack; ``carries`` False as earlier versions wrote it."""
    pack = load_pack(folder)
    faces = zip(list(pack.designs)[:2], toy_faces(4, 2, 128), strict=True)
    gallery = build_gallery(pack.id, faces, load("descriptor"))
    (replace(gallery, carried=carried_of(pack)) if carries else gallery).save(path)
    return path


def edition(folder: Path, name: str, game: str = "safari") -> Path:
    """A printed edition of a game: Savanna's structure under another name, without its art."""
    return write_pack(
        folder / name, dict(load_pack("savanna").source) | {"id": name, "game": game}, art=False
    )


def write_photo(path: Path, seed: int = 4) -> Path:
    """Twelve tiles of the pack of that seed, laid out in three rows."""
    cv2.imwrite(str(path), toy_board(seed, CELLS, faces=toy_faces(seed, 12, 256)).image)
    return path


def bare_table(path: Path) -> Path:
    """A table on which nothing lies."""
    cv2.imwrite(str(path), np.full((480, 640, 3), (60, 90, 120), np.uint8))
    return path
