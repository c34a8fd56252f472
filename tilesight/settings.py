"""Settings of a command: the pack that it was given, and the gallery of the pack's faces."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from calibration.cameras import camera_file, read_camera, write_camera
from engine.games import game_named
from engine.pack import Pack, PackError, load_pack, pack_ids
from engine.same_pack import structural_difference
from models import load
from tilesight.camera_option import profile_name
from tilesight.home import cameras_folder, galleries_folder
from vision.image.camera_profile import Camera
from vision.pack_choice import PackCandidate
from vision.tiles.gallery import Carried, Gallery, GalleryError
from vision.tiles.gallery_file import gallery_of_pack, load_gallery, pack_in
from vision.tiles.gallery_pack import carried_pack, with_faces

DEFAULT_PACK = "savanna"
"""Id of the pack that is used if nothing else is named."""
NO_PACK = "none"
"""Value of ``--pack`` with which a board's tiles are only located, not named."""


class SettingsError(ValueError):
    """Settings contradict each other or are incomplete; the message is one line for the user."""


WithOption = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="FIELD=VALUE", help="a field of the record's header, such as river=c3"),
]
DiscsOption = Annotated[
    bool, typer.Option("--discs", help="our meeples are discs, stones, cubes or the like: count them")
]


def opening_given(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """Parse fields of a game's header such as ``river=c3``. Raises SettingsError if one is not ``known``."""
    found = {}
    for item in given:
        name, _, value = item.partition("=")
        if name not in known:
            raise SettingsError(f"a header has no field {name!r} (known: {', '.join(sorted(known))})")
        found[name] = value
    return found


def enrolled_gallery(pack_id: str) -> Path:
    """Return the path of an enrolled edition's gallery."""
    return galleries_folder() / f"{pack_id}.gallery"


def camera_path(name: str) -> Path:
    """Return the path of a camera's profile (`tilesight calibrate`)."""
    return camera_file(cameras_folder(), name)


def known_camera(name: str | None, given: Path | None = None) -> Camera:
    """Return the profile of a named camera: from the file given, else as learned at home, else an empty one.

    Raises CalibrationError if the file cannot be read.
    """
    if given is not None:
        return read_camera(given)
    path = camera_path(name) if name else None
    if name is None or path is None or not path.is_file():
        return Camera(name or "")
    found = read_camera(path)
    return found if found.name == name else Camera(name)


def session_camera(folder: Path) -> Camera:
    """Return the profile of a recorded session's camera (its ``calibration.json``), or an empty one."""
    path = folder / "calibration.json"
    return known_camera(None, path if path.is_file() else None)


def live_camera(source: str) -> Camera:
    """Return the profile of the camera that ``--camera`` names: learned at home, or from the session."""
    if Path(source).is_dir():
        return session_camera(Path(source))
    before, name = camera_path(source), profile_name(source)
    if name != source and before.is_file():  # until November 2026, name and file held the address's secrets
        write_camera(camera_path(name), replace(read_camera(before), name=name))
        before.unlink()
    return known_camera(name)


def open_pack(
    pack: str | None, gallery: Path | None, game: str | None = None
) -> tuple[Pack | None, Gallery | None]:
    """Return the pack and the gallery that a command uses (docs/formats.md, 'Gallery').

    The pack is the one asked for, else the gallery's, else the one of ``game`` whose faces are known
    (`pack_of_game`), else ``savanna``; ``none`` only locates. The gallery is the file given, else the
    enrolled one, else made from the pack's own art. A gallery includes its pack, so either may be given
    alone. Raises SettingsError if the two disagree, or if the pack has neither art nor gallery.
    """
    if pack == NO_PACK:
        if gallery is not None:
            raise SettingsError("--pack none reads no faces and takes no --gallery")
        return None, None
    if pack is None and gallery is None:
        pack, gallery = (DEFAULT_PACK, None) if game is None else pack_of_game(game)
    if gallery is not None:
        return _of_gallery(gallery, pack)
    assert pack is not None
    try:
        chosen = load_pack(pack)
    except PackError:
        if not is_pack_id(pack) or not enrolled_gallery(pack).is_file():
            raise
        return _of_gallery(enrolled_gallery(pack), pack)
    if enrolled_gallery(chosen.id).is_file():
        return _of_gallery(enrolled_gallery(chosen.id), pack)
    if not any(chosen.art_path(name) for name in chosen.designs):
        raise SettingsError(f"the pack {chosen.id!r} ships no pictures; {_how_to_enrol(pack)}")
    return chosen, gallery_of_pack(chosen, load("descriptor"))


def pack_of_game(game: str) -> tuple[str | None, Path | None]:
    """Return the default pack of a game, as (pack id, gallery path), one of them None.

    The one enrolled last as (None, its gallery), else one that ships with its art, the game's default first,
    as (its id, None). Raises SettingsError, which explains enrolment, if there is neither.
    """
    for path in enrolled_galleries():
        try:
            if pack_of_gallery(path).game == game:
                return None, path
        except PASSED_OVER:
            continue  # this gallery was not asked for, so its faults do not matter
    default = game_named(game).default_pack
    for name in sorted(pack_ids(), key=lambda name: name != default):
        shipped = load_pack(name)
        if shipped.game == game and shipped.ships_faces:
            return name, None
    raise SettingsError(f"no pack of the game {game!r} ships pictures; {_how_to_enrol(default)}")


def candidates() -> Iterator[PackCandidate]:
    """Yield the packs that a photograph may show if neither pack nor gallery is named.

    The default pack, the enrolled galleries (last one first), and the packs that ship with their art. Lazy: a
    caller that stops early opens no further files.
    """
    yield PackCandidate(DEFAULT_PACK, partial(_opened, DEFAULT_PACK, None))
    told = {DEFAULT_PACK}
    for path in enrolled_galleries():
        try:
            name, _ = pack_in(path)
        except GalleryError as error:
            print(f"tilesight: {error}; skipped", file=sys.stderr)
            continue
        if name not in told:
            told.add(name)
            yield PackCandidate(name, partial(_opened, None, path))
    for name in pack_ids():
        if name not in told and load_pack(name).ships_faces:
            yield PackCandidate(name, partial(_opened, name, None))


PASSED_OVER = (GalleryError, PackError, SettingsError)
"""Errors for which an enrolled gallery is skipped if it was not asked for by name."""


def _opened(pack: str | None, gallery: Path | None) -> tuple[Pack, Gallery] | None:
    """Open a candidate's pack and gallery; if that fails, print a line on stderr and return None."""
    try:
        chosen, faces = open_pack(pack, gallery)
    except PASSED_OVER as error:
        print(f"tilesight: {error}; skipped", file=sys.stderr)
        return None
    return (chosen, faces) if chosen is not None and faces is not None else None


def enrolled_galleries() -> tuple[Path, ...]:
    """Return the paths of the enrolled galleries, the most recently written first."""
    dated = {path: path.stat().st_mtime for path in galleries_folder().glob("*.gallery")}
    return tuple(sorted(dated, key=lambda path: (-dated[path], path.name)))


def pack_of_gallery(path: Path) -> Pack:
    """Return the pack of a gallery file, without its faces. Raises GalleryError or SettingsError."""
    return _pack_of(path, *pack_in(path))


def known_pack(name: str, gallery: Path | None = None) -> Pack:
    """Return the pack of that id or folder, for callers that need no faces.

    As it ships, else as in ``gallery`` or the enrolled one. Raises PackError, GalleryError or SettingsError
    if there is none.
    """
    if gallery is not None:
        return _agreed(name, gallery, *pack_in(gallery))
    try:
        return load_pack(name)
    except PackError:
        if not is_pack_id(name) or not enrolled_gallery(name).is_file():
            raise
    return pack_of_gallery(enrolled_gallery(name))


def pack_by_id(name: str) -> Pack:
    """Return the pack of that id: as it ships, or the enrolled one. Raises PackError or GalleryError if there
    is none.

    Names in logs come from anywhere, so a folder of that name is never opened.
    """
    if name in pack_ids():
        return load_pack(name)
    if not is_pack_id(name) or not enrolled_gallery(name).is_file():
        raise PackError(f"no pack of that name ships with Tilesight or is enrolled: {name[:40]!r}")
    return pack_of_gallery(enrolled_gallery(name))


def _of_gallery(path: Path, asked: str | None) -> tuple[Pack, Gallery]:
    """Return the pack and faces of a gallery file; ``asked`` is the pack that it should be of."""
    given = load_gallery(path, load("descriptor"))
    chosen = _agreed(asked, path, given.pack_id, given.carried)
    unknown = [name for name in given.designs if name not in chosen.designs]
    if unknown:
        raise SettingsError(
            f"the gallery {path} shows {unknown[0]!r}, which the pack {chosen.id!r} does not have"
        )
    return with_faces(chosen, given), given


def _agreed(asked: str | None, path: Path, pack_id: str, carried: Carried | None) -> Pack:
    """Return the pack of a gallery. Raises SettingsError if it is not the one asked for."""
    if asked is None or (asked == pack_id and asked not in pack_ids() and carried is not None):
        return _pack_of(path, pack_id, carried)
    chosen = load_pack(asked)
    if chosen.id != pack_id:
        raise SettingsError(f"the gallery {path} is of pack {pack_id!r}, not of {chosen.id!r}")
    if carried is None:
        return chosen
    own = carried_pack(pack_id, carried, path)
    differs = structural_difference(chosen, own)
    if differs is not None:
        raise SettingsError(
            f"the gallery {path} and the pack {asked} differ in {differs}: "
            "enrol the pack again, or name only one of them"
        )
    return replace(chosen, pictures=own.pictures)


def _pack_of(path: Path, pack_id: str, carried: Carried | None) -> Pack:
    """Return the pack of a gallery.

    If the same pack ships with the program, that one is used, because its spots for pieces may have been
    improved. Galleries of earlier versions only name their pack.
    """
    if carried is None:
        try:
            return load_pack(pack_id)
        except PackError:
            raise SettingsError(
                f"the gallery {path} does not carry its pack {pack_id!r}, and it does not ship with "
                "Tilesight: name the pack's folder with --pack"
            ) from None
    own = carried_pack(pack_id, carried, path)
    if pack_id in pack_ids():
        shipped = load_pack(pack_id)
        if structural_difference(shipped, own) is None:
            return replace(shipped, pictures=own.pictures)
    return own


def box_of(pack: Pack) -> Pack:
    """Return the pack that people's own tiles are enrolled as: ``pack``, or for a house deck the shipped pack
    of the same tiles without pictures, so that enrolment never hides the house deck."""
    if pack.id not in pack_ids() or not pack.ships_faces:
        return pack
    return next(_printings(pack, ships_faces=False), pack)


def house_deck(pack: Pack) -> Pack | None:
    """Return the shipped pack with pictures of the same tiles as ``pack``; None if there is none."""
    return next(_printings(pack, ships_faces=True), None)


def pictured(pack: Pack) -> Pack:
    """Return the pack with pictures of the house deck for designs of which it ships none: they show what is
    printed on a tile, and which side is its top."""
    deck = house_deck(pack)
    if deck is None or pack.ships_faces:
        return pack
    stems = (*pack.designs, *pack.other_stems)
    return replace(pack, pictures={s: art for s in stems if (art := pack.art(s) or deck.art(s)) is not None})


def _printings(pack: Pack, *, ships_faces: bool) -> Iterator[Pack]:
    """Yield the shipped packs of the same tiles, those with pictures or those without."""
    for other in map(load_pack, pack_ids()):
        if other.ships_faces == ships_faces and structural_difference(pack, other) is None:
            yield other


def is_pack_id(name: str) -> bool:
    """Whether a name is a valid pack id, so that a file may be named after it."""
    return bool(name) and not any(mark in name for mark in "/\\:\0") and not name.startswith(".")


def _how_to_enrol(pack: str) -> str:
    return f"enrol its tiles once: tilesight enrol --pack {pack} --images FOLDER"
