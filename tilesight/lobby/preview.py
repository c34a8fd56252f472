"""`tilesight preview`: a camera's pictures with what is recognised in them, as JSON Lines, before any game.

The lobby runs it as a separate process. If a camera driver hangs, the lobby kills the process, which also
frees its memory.
"""

from __future__ import annotations

import base64
import json
import time
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer

from engine.pack import Pack
from tilesight.camera_option import CAMERA, told_camera
from tilesight.live.album import framing_of, jpeg_of
from tilesight.live.capture import Lost
from tilesight.live.sources import Source, first_of, open_source
from tilesight.settings import PASSED_OVER, candidates, live_camera, open_pack
from vision.board_finder import share_known
from vision.image.camera_profile import Camera
from vision.locate.locator import NOTHING_SEEN, Locator, locate
from vision.observation import Frame, Image, Sight
from vision.pack_choice import PackChooser
from vision.pipeline import Pipeline
from vision.pipeline_params import PARAMS as PIPELINE
from vision.tiles.gallery import Gallery
from web.table.pictures import Picture, PictureTile
from web.views.tile_json import picture_json

SHOWN_PX = 960
"""Maximum width of the printed pictures, in pixels."""
EVERY_S = 0.7
"""Minimum seconds between two pictures. The tables that are watched need the processor too."""
CHOOSE_EVERY_S = 20.0
"""Seconds between two attempts to recognise the edition on the table. Each opens every gallery."""
ONCE_WITHIN_S = 8.0
"""Timeout for a camera's picture with ``--once``, in seconds."""

Seen = tuple[tuple[PictureTile, ...], bool]
"""Tiles in a picture, in its pixels, and whether a board is seen."""


def preview_command(
    camera: Annotated[str, typer.Option(envvar=CAMERA, help="the camera, as live takes it")],
    pack: Annotated[str | None, typer.Option(help="edition that is to be played; none: tiles alone")] = None,
    once: Annotated[bool, typer.Option("--once", help="one picture, and nothing recognised in it")] = False,
) -> None:
    """Tell a camera's pictures with what is recognised in them, and whether they can be read well."""
    camera = told_camera(camera)
    source = open_source(camera)
    try:
        if once:
            _tell_once(source)
            return
        look = Recogniser(pack, live_camera(camera))
        before: Sight | None = None
        for number, got in enumerate(source.frames()):
            began_s = time.monotonic()
            if isinstance(got, Lost):
                _tell({"message": got.message, "said": got.message.to_json()})
                continue
            (tiles, board), fits = look.see(got)
            quads = np.array([tile.corners_px for tile in tiles], np.float64).reshape(-1, 4, 2)
            framing = framing_of(got.sight, quads, before, board=board)
            picture = _shown(number, got.image, tiles)
            about = picture_json(Picture(number, picture.size_wh, picture.jpeg, picture.tiles, (), framing))
            _tell({"picture": about, "jpeg": base64.b64encode(picture.jpeg()).decode(), "fits": fits})
            before = got.sight
            time.sleep(max(EVERY_S - (time.monotonic() - began_s), 0.0))
    finally:
        source.close()


def _tell_once(source: Source) -> None:
    """Print one picture of a source, or the reason for its absence."""
    got = first_of(source, ONCE_WITHIN_S)
    if isinstance(got, Lost):
        _tell({"message": got.message, "said": got.message.to_json()})
    elif got is not None:
        _tell({"jpeg": base64.b64encode(jpeg_of(got.image, SHOWN_PX // 2)).decode()})


def _tell(line: dict[str, Any]) -> None:
    """Print one JSON line."""
    print(json.dumps(line, separators=(",", ":")), flush=True)


def _shown(number: int, image: Image, tiles: tuple[PictureTile, ...]) -> Picture:
    """Return the picture as printed, with its tiles in pixels of the printed picture."""
    height, width = image.shape[:2]
    scale = min(1.0, SHOWN_PX / width)
    small = tuple(replace(tile, corners_px=_points(scale * np.array(tile.corners_px))) for tile in tiles)
    jpeg = jpeg_of(image, SHOWN_PX)
    return Picture(number, (round(width * scale), round(height * scale)), lambda: jpeg, small)


class Recogniser:
    """Recognises tiles in a camera's pictures with the edition to be played.

    If that edition is unknown, only outlines of tiles are found. If another edition is on the table, it
    reports which one.
    """

    def __init__(self, pack: str | None, camera: Camera) -> None:
        self._opened: tuple[Pack, Gallery] | None = None
        if pack is not None:
            try:
                chosen, faces = open_pack(pack, None)
            except PASSED_OVER:
                chosen = faces = None  # not enrolled yet: only outlines of tiles are found
            self._opened = (chosen, faces) if chosen is not None and faces is not None else None
        self._observe = (
            camera.through(Pipeline(self._opened[1], self._opened[0]).observe) if self._opened else None
        )
        self._state = NOTHING_SEEN
        self._choose_after_s = 0.0
        self._fits: str | None = None

    def see(self, frame: Frame) -> tuple[Seen, str | None]:
        """Return the tiles in a picture, and the id of their edition if one is recognised."""
        if self._observe is None or self._opened is None:
            pose, self._state = locate(frame.sight, Locator.load(), self._state)
            quads = {} if pose is None else pose.quads
            tiles = tuple(PictureTile(cell, _points(quad), None, 0.0, None) for cell, quad in quads.items())
            return (tiles, bool(tiles)), self._choice(frame) if tiles else None
        seen = self._observe(frame)
        cells = {cell: one for cell, one in seen.cells.items() if one.log_tile > 0}
        if share_known(cells) >= PIPELINE.recognised_share:
            self._fits = self._opened[0].id
        elif seen.pose is not None:
            self._choice(frame)
        quarters = bool(self._opened[0].quarters)
        tiles = tuple(
            PictureTile(
                cell,
                _points(one.corners_px),
                seen.designs[int(one.log_probs.max(axis=1).argmax())],
                float(np.exp(one.log_probs.max())),
                None,
            )
            for cell, one in cells.items()
            if not quarters
        )
        return (tiles, bool(cells)), self._fits

    def _choice(self, frame: Frame) -> str | None:
        """Return the id of the edition on the table according to all galleries, None if there is none.

        The result is cached for `CHOOSE_EVERY_S`, because the search takes seconds.
        """
        if time.monotonic() >= self._choose_after_s:
            chooser = PackChooser(candidates())
            chooser.observe(frame)
            choice = chooser.choice
            self._fits = choice.pack.id if choice.pack is not None and choice.recognised else None
            self._choose_after_s = time.monotonic() + CHOOSE_EVERY_S
        return self._fits


def _points(quad: Any) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in np.asarray(quad))
