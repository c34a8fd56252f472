"""Command `python -m samples.artwork [DESIGN…]`: rewrites our own packs, or the faces named."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from samples.artwork.bastide import designs as bastide
from samples.artwork.bastide.backs import BASTIDE
from samples.artwork.bastide.faces import face as bastide_face
from samples.artwork.bastide.plans import all_plans
from samples.artwork.raster import BACK_QUALITY, QUARTER_QUALITY, Plane, save
from samples.artwork.savanna.backs import SAVANNA
from samples.artwork.savanna.designs import ANIMALS, all_designs, pack
from samples.artwork.savanna.faces import face, token
from samples.artwork.taiga import designs as taiga
from samples.artwork.taiga.backs import TAIGA
from samples.artwork.taiga.faces import face as taiga_face
from samples.artwork.taiga.places import settled
from samples.artwork.taiga.structure import all_tiles
from samples.artwork.tricky import quarters, tokens

PACKS = Path(__file__).resolve().parents[2] / "engine" / "packs"


def pack_text(value: dict[str, object]) -> str:
    """``pack.json`` as text, one tile's feature or design to a line."""
    lines = json.dumps(value, ensure_ascii=False, indent=1)
    return _compact(lines) + "\n"


def _compact(text: str) -> str:
    """Joins lists of numbers and the like onto one line: everything indented by four or more."""
    out: list[str] = []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        closes = line.lstrip(" ")[:1] in ("]", "}")
        if out and (depth > 4 or (depth == 4 and closes)):
            out[-1] += ("" if out[-1][-1] in "[{" or closes else " ") + line.strip()
        else:
            out.append(line)
    return "\n".join(out)


def main(names: list[str]) -> None:
    """Writes pack.json, pictures; `names` are design ids, ``token-<animal>``, ``backs/<x>``; none: all."""
    _write_savanna(PACKS / "savanna", names)
    _write_tricky(PACKS / "tricky-safari", names)
    _write_taiga(PACKS / "taiga", names)
    _write_backs(PACKS / "savanna", SAVANNA, names)
    _write_backs(PACKS / "taiga", TAIGA, names)
    _write_bastide(PACKS / "bastide", names)
    _write_backs(PACKS / "bastide", BASTIDE, names)


def _write_backs(folder: Path, backs: Mapping[str, Callable[[], Plane]], names: list[str]) -> None:
    (folder / "backs").mkdir(parents=True, exist_ok=True)
    for name, draw in backs.items():
        if not names or f"backs/{name}" in names:
            save(draw(), folder / "backs" / f"{name}.webp", BACK_QUALITY)


def _write_savanna(folder: Path, names: list[str]) -> None:
    art = folder / "art"
    art.mkdir(parents=True, exist_ok=True)
    (folder / "pack.json").write_text(pack_text(pack()), encoding="utf-8")
    for design in all_designs():
        if not names or design.id in names:
            save(face(design), art / f"{design.id}.webp")
    for animal in ANIMALS.values():
        if not names or f"token-{animal}" in names:
            save(token(animal), art / f"token-{animal}.png")


def _write_tricky(folder: Path, names: list[str]) -> None:
    art = folder / "art"
    art.mkdir(parents=True, exist_ok=True)
    (folder / "pack.json").write_text(pack_text(quarters.pack()), encoding="utf-8")
    for name in quarters.QUARTERS:
        if not names or name in names:
            save(quarters.quarter(name), art / f"{name}.webp", QUARTER_QUALITY)
    for species in tokens.FIELDS:
        if not names or f"token-{species}" in names:
            save(tokens.token(species), art / f"token-{species}.png")


def _write_taiga(folder: Path, names: list[str]) -> None:
    if names and not {tile.id for tile in all_tiles()} & set(names):
        return  # its layouts take half a minute
    art = folder / "art"
    art.mkdir(parents=True, exist_ok=True)
    (folder / "pack.json").write_text(pack_text(taiga.pack()), encoding="utf-8")
    for name, (layout, places) in settled().items():
        if not names or name in names:
            save(taiga_face(layout, places), art / f"{name}.webp")


def _write_bastide(folder: Path, names: list[str]) -> None:
    art = folder / "art"
    art.mkdir(parents=True, exist_ok=True)
    (folder / "pack.json").write_text(pack_text(bastide.pack()), encoding="utf-8")
    for plan in all_plans():
        if not names or plan.id in names:
            save(bastide_face(plan), art / f"{plan.id}.webp")


if __name__ == "__main__":
    main(sys.argv[1:])
