"""What a command works with: the pack it was given and the faces it knows of it."""

from __future__ import annotations

import os
from pathlib import Path

from calibration.cameras import camera_file, read_camera
from engine.pack import Pack, load_pack
from models import load
from vision.camera import Camera
from vision.gallery import Gallery, gallery_of_pack, load_gallery

DEFAULT_PACK = "savanna"
NO_PACK = "none"


class SettingsError(ValueError):
    """Settings that contradict each other or lack something; one line for the user."""


def home_folder() -> Path:
    """Where Tilesight keeps what it learned: ``$TILESIGHT_HOME``, else ``~/.local/share/tilesight``."""
    return Path(os.environ.get("TILESIGHT_HOME") or Path.home() / ".local" / "share" / "tilesight")


def enrolled_gallery(pack_id: str) -> Path:
    """Where the gallery of a printed edition is kept once enrolled."""
    return home_folder() / "galleries" / f"{pack_id}.gallery"


def camera_path(name: str) -> Path:
    """Where what was learned of a camera is kept (`tilesight calibrate`)."""
    return camera_file(home_folder() / "calibration", name)


def known_camera(name: str | None, given: Path | None = None) -> Camera:
    """What is known of the camera of that name: from the file given, else as learned at home, else nothing.

    Raises CalibrationError where the file cannot be read.
    """
    if given is not None:
        return read_camera(given)
    path = camera_path(name) if name else None
    if name is None or path is None or not path.is_file():
        return Camera(name or "")
    found = read_camera(path)
    return found if found.name == name else Camera(name)


def session_camera(folder: Path) -> Camera:
    """What a recorded session says of its camera (its ``calibration.json``), if it does."""
    path = folder / "calibration.json"
    return known_camera(None, path if path.is_file() else None)


def live_camera(source: str) -> Camera:
    """What is known of the camera that ``--camera`` names: learned at home, or told by the session."""
    return session_camera(Path(source)) if Path(source).is_dir() else known_camera(source)


def open_pack(pack: str | None, gallery: Path | None) -> tuple[Pack | None, Gallery | None]:
    """The pack and gallery a command uses (FORMATS, 'Gallery').

    The pack is the one asked for, else the gallery's, else ``savanna``; ``none`` only locates. The
    gallery is the file given, else the enrolled one, else made from the pack's own art. Raises
    SettingsError where the two disagree or the pack has neither art nor gallery.
    """
    if pack == NO_PACK:
        if gallery is not None:
            raise SettingsError("--pack none reads no faces and takes no --gallery")
        return None, None
    descriptor = load("descriptor")
    given = load_gallery(gallery, descriptor) if gallery is not None else None
    if pack is None:
        pack = given.pack_id if given is not None else DEFAULT_PACK
    chosen = load_pack(pack)
    if given is not None and given.pack_id != chosen.id:
        raise SettingsError(f"the gallery {gallery} is of pack {given.pack_id!r}, not of {chosen.id!r}")
    if given is None and enrolled_gallery(chosen.id).is_file():
        given = load_gallery(enrolled_gallery(chosen.id), descriptor)
    if given is not None:
        unknown = [name for name in given.designs if name not in chosen.designs]
        if unknown:
            raise SettingsError(
                f"the gallery shows {unknown[0]!r}, which the pack {chosen.id!r} does not have"
            )
        return chosen, given
    if not any(chosen.art_path(name) for name in chosen.designs):
        raise SettingsError(
            f"the pack {chosen.id!r} ships no pictures; show its tiles once: "
            f"tilesight enrol --pack {chosen.id} --images FOLDER"
        )
    return chosen, gallery_of_pack(chosen, descriptor)
