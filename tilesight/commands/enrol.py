"""`tilesight enrol`: gallery of a printed edition, from flat pictures or photographs of loose tiles."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from calibration.enrolment import EnrolmentError, corrected, enrol_pictures
from calibration.face_sides import OtherSides, sides_of_gallery
from calibration.growth import keep_former
from calibration.sheet import SheetFace, group_faces, named_views, sides_of_named, tiles_of
from engine.pack import Pack
from models import OnnxModel, load
from tilesight.output import check_no_input
from tilesight.server.addresses import DEFAULT_HOST
from tilesight.settings import SettingsError, box_of, enrolled_gallery, house_deck, known_pack, pictured
from vision.image.decode import read_frame
from vision.image.decoder import FrameError
from vision.locate.locator import Locator
from vision.tiles.gallery import PICTURES, Carried, Gallery, with_views
from vision.tiles.gallery_file import gallery_of_pack, load_gallery
from vision.tiles.gallery_pack import carried_of, carrying


def enrol_command(
    pack: Annotated[str, typer.Option(help="id or folder of the edition's pack")],
    images: Annotated[
        Path | None, typer.Option(help="folder of flat pictures, named DESIGN.jpg or DESIGN_2.jpg")
    ] = None,
    sheet: Annotated[
        list[Path] | None, typer.Option(help="photos of loose tiles laid out on a table (or a folder)")
    ] = None,
    photos: Annotated[list[Path] | None, typer.Argument(help="more photos for --sheet")] = None,
    out: Annotated[Path | None, typer.Option(help="the gallery file to write")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="ask nothing: keep surely named tiles, turn them as their sides fit")
    ] = False,
    host: Annotated[str, typer.Option(help="address to serve the page on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve the page on")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Learn a printed edition from pictures of its designs or photos of its tiles; correct what is known."""
    if images is not None and sheet:
        raise SettingsError("give either --images FOLDER or --sheet PHOTO…")
    if photos and not sheet:
        raise SettingsError("photos need --sheet")
    if yes and images is None and not sheet:
        raise SettingsError("--yes needs --images FOLDER or --sheet PHOTO…")
    chosen = known_pack(pack) if out is not None else box_of(known_pack(pack))
    if out is not None:
        check_no_input(
            out, "gallery", [images, *(sheet or ()), *(photos or ()), Path(pack, "pack.json"), pack]
        )
    path = out or enrolled_gallery(chosen.id)
    descriptor = load("descriptor")
    if images is not None:
        scanned = enrol_pictures(chosen, images, descriptor)
        gallery, told = _of_scans(scanned, chosen, yes=yes, asks=not as_json)
    else:
        reader = _Reader(chosen, _known_faces(path, chosen, descriptor), descriptor)
        faces = reader.faces(_pictures([*(sheet or ()), *(photos or ())]), as_json=as_json) if sheet else ()
        named = _sure(reader, faces) if yes else _asked(reader, faces, host, port, as_json=as_json)
        if named.kept is None and not named.faces:
            raise EnrolmentError(
                f"{named.found} faces were found, none has a name: name them on the page (without --yes)"
            )
        gallery = with_views(named.kept, chosen.id, named_views(named.faces), descriptor)
        gallery = replace(gallery, carried=Carried(carried_of(chosen).source, named.others))
        told = named.to_json()
    carried = gallery.carried.pictures if gallery.carried is not None else {}
    missing = [name for name in chosen.designs if name not in gallery.designs]
    missing += [stem for stem in chosen.other_stems if f"{stem}.png" not in carried]
    try:
        former = keep_former(path)
        gallery.save(path)
    except OSError as error:
        raise SettingsError(f"{path}: the gallery cannot be written ({error.strerror})") from None
    told |= {"missing": missing, "animals": len(carried)}
    if as_json:
        answer = {"tilesight": 1, "pack": chosen.id, "gallery": str(path), "designs": len(gallery.designs)}
        print(json.dumps(answer | {"pictures": len(gallery.faces)} | told), flush=True)
        return
    _print_enrolled(gallery, chosen, path, former, told, yes=yes)


def _of_scans(gallery: Gallery, pack: Pack, *, yes: bool, asks: bool) -> tuple[Gallery, dict[str, Any]]:
    """Return a gallery of flat pictures, turned as their sides fit if the user wants that, and what to tell.

    With ``yes`` the user wants it; with ``asks`` a user at a terminal is asked.
    """
    wrong = sides_of_gallery(gallery, pack)
    _say_sides(wrong, turns=yes)
    some = any(one.turn for one in wrong)
    turns = _turns(wrong) if yes or (some and asks and _may_turn()) else {}
    told = {"turned": len(turns), "sides": [one.to_json() for one in wrong]}
    names = [
        (gallery.designs[design], -turns.get(number, 0) % 4)
        for number, design in enumerate(gallery.face_design)
    ]
    return corrected(gallery, names) or gallery, told


def _print_enrolled(
    gallery: Gallery, pack: Pack, path: Path, former: Path | None, told: dict[str, Any], *, yes: bool
) -> None:
    """Print the size of the gallery, the number of unnamed faces, and the missing designs."""
    animals = f" and {told['animals']} of {len(pack.other_stems)} animals" if pack.other_stems else ""
    counted = f"{len(gallery.designs)} of {len(pack.designs)} designs{animals}"
    print(f"{len(gallery.faces)} pictures of {counted} of {pack.id} -> {path}")
    if former is not None:
        print(f"The former gallery is kept as {former}")
    if "tiles" in told:
        print(f"{told['tiles']} tiles found, {told['faces']} faces; {told['named_tiles']} tiles have a name.")
    if told.get("foreign"):
        print(f"{told['foreign']} of {told['faces']} faces are of no design of this pack and were left out.")
    if told.get("unnamed"):
        hint = ": name them on the page, without --yes" if yes else ""
        print(f"{told['unnamed']} of {told['faces']} faces have no name and were left out{hint}.")
    if told.get("missing"):
        print(f"Missing: {', '.join(told['missing'])}. Photograph these and enrol again to add them.")


def _say_sides(wrong: Sequence[OtherSides], *, turns: bool) -> None:
    """Say on stderr which pictures have other sides than their name, and with ``turns`` which are turned."""
    for one in wrong:
        print(f"tilesight: {one}{': turned' if turns and one.turn else ''}", file=sys.stderr)


def _may_turn() -> bool:
    """Return whether the user wants the pictures turned; False without a terminal, where --yes is named."""
    if sys.stdin.isatty():
        return typer.confirm("Turn these pictures as their sides fit?", default=True, err=True)
    print("tilesight: these pictures stay as they are; enrol with --yes to turn them", file=sys.stderr)
    return False


def _turns(wrong: Sequence[OtherSides]) -> dict[int, int]:
    """Return the clockwise quarter turns after which the wrongly turned faces fit, by number."""
    return {one.number: one.turn for one in wrong if one.turn}


def _pictures(given: Sequence[Path]) -> list[Path]:
    """Return the photos; for a folder, all its pictures."""
    files: list[Path] = []
    for path in given:
        if path.is_dir():
            files += sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES)
        else:
            files.append(path)
    if not files:
        raise SettingsError(f"{given[0]}: holds no pictures")
    return files


def _known_faces(path: Path, pack: Pack, descriptor: OnnxModel) -> Gallery | None:
    """Return the gallery that new pictures are added to: the enrolled one, else the pack's own.

    None if there is neither. Raises SettingsError if the enrolled one is of another pack.
    """
    if path.is_file():
        before = load_gallery(path, descriptor)
        if before.pack_id != pack.id:
            raise SettingsError(f"the gallery {path} is of pack {before.pack_id!r}, not of {pack.id!r}")
        unknown = [name for name in before.designs if name not in pack.designs]
        if unknown:
            raise SettingsError(f"the gallery {path} shows {unknown[0]!r}, which {pack.id!r} does not have")
        return carrying(before, pack)
    if all(pack.art_path(name) for name in pack.designs):
        return carrying(gallery_of_pack(pack, descriptor), pack)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    """Reads photographs of loose tiles of ``pack``; ``known`` is the gallery that they are added to."""

    pack: Pack
    known: Gallery | None
    descriptor: OnnxModel
    locator: Locator = field(default_factory=Locator.load)

    def faces(self, files: Sequence[Path], *, as_json: bool = False) -> tuple[SheetFace, ...]:
        """Find the tiles in all photos and group them; return their distinct faces.

        Prints progress per photo on stderr. Raises EnrolmentError if there are no tiles.
        """
        aside = Console(stderr=True)
        looking = track(files, description="Looking", console=aside, disable=not aside.is_terminal)
        tiles = []
        for looked, path in enumerate(looking, 1):
            tiles.append(tiles_of(read_frame(path).sight, self.locator))
            if as_json:
                print(json.dumps({"looked": looked, "of": len(files)}), file=sys.stderr, flush=True)
        bare = [str(path) for path, found in zip(files, tiles, strict=True) if not len(found)]
        if len(bare) == len(files):
            where = ", ".join(bare)
            raise EnrolmentError(
                f"no tiles are seen in {where}: lay them out face up, a finger's breadth apart"
            )
        for name in bare:
            print(f"tilesight: no tiles are seen in {name}", file=sys.stderr)
        return self.grouped(np.concatenate(tiles))

    def grouped(self, tiles: NDArray[np.uint8]) -> tuple[SheetFace, ...]:
        """Group rectified tiles by face, with guesses of their names: by the known faces, else by those of
        the house deck, which are drawn differently but may be what the user printed."""
        counts = {name: design.count for name, design in self.pack.designs.items()}
        known = self.known
        if known is None and (deck := house_deck(self.pack)) is not None:
            known = gallery_of_pack(deck, self.descriptor)
        return group_faces(tiles, self.descriptor, known, counts)

    def read(self, photograph: bytes) -> tuple[SheetFace, ...]:
        """Return the distinct faces on a photograph (JPEG or PNG); none if it cannot be read as one."""
        with TemporaryDirectory(prefix="tilesight-enrol-") as folder:
            path = Path(folder, "photo.png" if photograph.startswith(b"\x89PNG") else "photo.jpg")
            path.write_bytes(photograph)
            try:
                return self.grouped(tiles_of(read_frame(path).sight, self.locator))
            except FrameError:
                return ()


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """Named faces of a sheet as (face, design, quarter turns), and the numbers of faces that are left out.

    ``unnamed`` faces have no name, ``foreign`` ones are of no design of the pack. ``turned`` faces were
    turned as their sides fit; ``wrong`` are those whose sides were not those of their name. ``kept`` is what
    is left of the known gallery, ``others`` are the pictures of animals by file name. ``found`` is the number
    of faces, ``tiles`` that of tiles.
    """

    faces: Sequence[tuple[SheetFace, str, int]]
    found: int
    unnamed: int
    wrong: Sequence[OtherSides]
    kept: Gallery | None
    others: Mapping[str, bytes]
    foreign: int = 0
    turned: int = 0
    tiles: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the numbers and the wrong sides as a JSON object."""
        return {
            "tiles": self.tiles,
            "faces": self.found,
            "named_tiles": sum(len(face.views) for face, _, _ in self.faces),
            "named": len(self.faces),
            "unnamed": self.unnamed,
            "foreign": self.foreign,
            "turned": self.turned,
            "sides": [one.to_json() for one in self.wrong],
        }


def _sure(reader: _Reader, faces: Sequence[SheetFace]) -> _Named:
    """Return the surely named faces that have the sides of their design, turned if these fit another turn."""
    named = [(face, guess.design, guess.turn) for face in faces if (guess := face.sure) is not None]
    strange = sum(face.strange for face in faces)
    wrong = sides_of_named(named, reader.pack)
    turns, foreign = _turns(wrong), {one.number for one in wrong if one.fits}
    _say_sides([one for one in wrong if one.turn], turns=True)
    kept = [
        (face, design, (turn - turns.get(number, 0)) % 4)
        for number, (face, design, turn) in enumerate(named)
        if number not in foreign
    ]
    return _Named(
        kept,
        len(faces),
        len(faces) - len(named) - strange,
        wrong,
        reader.known,
        {} if reader.known is None or reader.known.carried is None else reader.known.carried.pictures,
        len(foreign) + strange,
        len(turns),
        sum(len(face.views) for face in faces),
    )


def _asked(
    reader: _Reader, faces: Sequence[SheetFace], host: str, port: int | None, *, as_json: bool
) -> _Named:
    """Serve the page of the box until it is saved.

    Say on stderr which of the named faces have other sides than their name: the page has said so, too.
    """
    from tilesight.server.naming_page import (  # late: the web server is only needed here
        FacesToName,
        serve_naming,
    )

    naming = FacesToName(pictured(reader.pack), faces, reader.known, reader.read)

    def ready(url: str, key: str) -> None:
        if as_json:
            print(json.dumps({"ready": True, "url": url, "key": key, "faces": len(faces)}), flush=True)
            return
        if faces:
            print(f"{len(faces)} faces found. Name them at {url}/#key={key}", flush=True)
        else:
            print(f"Look at the box at {url}/#key={key}", flush=True)
        print("and press 'Save' there; Ctrl-C leaves without saving.", flush=True)

    serve_naming(naming, host, port, ready)
    box = naming.result()
    _say_sides(box.wrong, turns=False)
    kept = None if reader.known is None else corrected(reader.known, box.known)
    tiles = sum(len(face.views) for face in naming.photographed)
    return _Named(box.faces, len(naming.photographed), box.unnamed, box.wrong, kept, box.others, tiles=tiles)
