"""Choices of the lobby's form: editions of all games, and this computer's cameras and samples."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.games import game_named, game_names, tile_game_named, tile_game_names
from engine.pack import Pack, load_pack, pack_ids
from engine.record import header_from_json
from engine.tiles.game import Header
from tilesight.sessions.samples import DEMOS, SamplesError, sample_folder
from tilesight.sessions.session import SESSION_FILE
from tilesight.settings import PASSED_OVER, enrolled_galleries, enrolled_gallery, pack_of_gallery, pictured
from web.lobby_app import CameraChoice, Edition

USB_CAMERAS = Path("/sys/class/video4linux")
"""Folder in which Linux lists its cameras."""


def editions() -> tuple[Edition, ...]:
    """Return the editions of the shipped packs and of enrolled galleries.

    Editions that can be recognised come first.
    """
    packs = {name: load_pack(name) for name in pack_ids()}
    for path in enrolled_galleries():
        with contextlib.suppress(*PASSED_OVER):  # one bad gallery must not hide the others
            pack = pack_of_gallery(path)
            packs.setdefault(pack.id, pack)
    found = (edition for pack in packs.values() for edition in _editions_of(pack))
    return tuple(sorted(found, key=lambda edition: (not edition.ready, edition.pack.title)))


def _editions_of(pack: Pack) -> Iterator[Edition]:
    """Yield the edition of a pack, nothing if its game is not supported."""
    if pack.game in game_names():
        game = game_named(pack.game)
        ready = pack.ships_faces or enrolled_gallery(pack.id).is_file()
        yield Edition(pictured(pack), game.name, game.colors, game.presets, ready, _fields_of(pack))


def _fields_of(pack: Pack) -> Mapping[str, tuple[str, ...]]:
    """Return the header fields with which a pack's game may be varied, each with its allowed values."""
    if pack.game not in tile_game_names():
        return {}
    game = tile_game_named(pack.game)
    asked = {"tilesight": 1, "game": game.name, "pack": pack.id, "players": list(game.colors[:2])}

    def goes(name: str, value: str) -> bool:
        header = header_from_json({**asked, name: value})
        return isinstance(header, Header) and not game.header_faults(header, pack)

    choices = {
        name: tuple(value for value in values if goes(name, value))
        for name, values in game.header_choices.items()
    }
    return {name: values for name, values in choices.items() if values}


def cameras(usb: Path = USB_CAMERAS) -> tuple[CameraChoice, ...]:
    """Return the connected cameras, then the sample sessions."""
    return (*_usb_cameras(usb), *_samples())


def _usb_cameras(folder: Path) -> Iterator[CameraChoice]:
    """Yield the USB cameras that Linux lists."""
    if not sys.platform.startswith("linux"):
        yield CameraChoice("0", "0")  # other systems list cameras only by opening them
        return
    for device in sorted(folder.glob("video*")):
        with contextlib.suppress(OSError):
            # Further devices of a camera deliver metadata, not pictures.
            if (device / "index").read_text("ascii", "replace").strip() == "0":
                name = (device / "name").read_text("utf-8", "replace").strip()
                yield CameraChoice(device.name.removeprefix("video"), name or device.name)


def _samples() -> Iterator[CameraChoice]:
    """Yield the sample sessions."""
    for name in DEMOS:
        with contextlib.suppress(SamplesError, OSError, ValueError, KeyError):
            folder = sample_folder(name)
            told = json.loads((folder / SESSION_FILE).read_text("utf-8"))
            players = tuple((one["color"], one["name"]) for one in told["players"])
            yield CameraChoice(str(folder), told.get("title", name), told["pack"], players)


def is_recorded(camera: str) -> bool:
    """Whether a camera is a recorded session, such as a sample: its players are not the people here."""
    return bool(camera) and (Path(camera) / SESSION_FILE).is_file()
