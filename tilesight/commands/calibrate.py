"""`tilesight calibrate`: a camera's lens from the printed board, or the colours of the pieces.

Both are optional; they improve readings if a lens distorts or the light is coloured.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import cv2
import typer
from rich.console import Console
from rich.progress import track

from calibration.cameras import CalibrationError, read_camera, write_camera
from calibration.charuco import BoardView, find_board
from calibration.lens import LEAST_VIEWS, WANTED, LensGuide, calibrate_lens
from calibration.piece_colors import learn_colors
from tilesight.camera_option import CAMERA, profile_name, told_camera
from tilesight.live.album import jpeg_of
from tilesight.live.capture import Lost
from tilesight.live.sources import open_source
from tilesight.output import check_no_input
from tilesight.settings import SettingsError, camera_path, open_pack
from vision.image.camera_profile import Camera
from vision.image.color_profile import PieceColors
from vision.image.decode import camera_of, read_frame
from vision.image.decoder import FrameError
from vision.image.lens import Lens
from vision.observation import Frame, Image
from vision.pipeline import Pipeline
from vision.tiles.gallery import PICTURES

PICTURE_EVERY_S = 0.7
"""Seconds between two pictures that are sent to the calling program."""
SHOWN_PX = 640
"""Maximum width of these pictures in pixels."""
CORNER_BGR = (60, 220, 140)
"""Colour (blue, green, red; 0 to 255) in which the board's corners are drawn on them."""
FRAMES_OF_A_COLOR = 5
"""Number of frames taken of each colour shown to a camera."""


def calibrate_command(
    camera: Annotated[
        str | None, typer.Option(envvar=CAMERA, help="the camera, as live takes it (0 if nothing is given)")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="folder of pictures of the printed board, instead of a camera")
    ] = None,
    colors: Annotated[
        list[str] | None,
        typer.Option(
            help="learn a piece colour: red=PICTURE_OR_FOLDER, or just red with --camera; repeatable"
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="the camera's name, if the pictures' metadata lacks it")
    ] = None,
    pack: Annotated[
        str | None, typer.Option(help="pack of the tiles under the pieces (for --colors)")
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="the faces of a printed edition (for --colors)")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="the file to write")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Calibrate a camera's lens with the printed board, or the colours of your pieces. Both are optional."""
    camera = told_camera(camera) if camera is not None else None
    if camera is not None and images is not None:
        raise SettingsError("give --camera or --images, not both")
    if out is not None:
        shown = [part.partition("=")[2] or None for part in ",".join(colors or ()).split(",")]
        check_no_input(out, "calibration", [images, gallery, *shown])
    aside = Console(stderr=True, highlight=False)
    lens: Lens | None = None
    learned: PieceColors | None = None
    if colors:
        named, learned = _learned_colors(colors, camera, pack, gallery, _Steps(aside, as_json))
        if images is not None:
            named, lens = _lens_of_pictures(images, aside)
    elif images is not None:
        named, lens = _lens_of_pictures(images, aside)
    else:
        named, lens = _lens_of_camera(camera or "0", _Steps(aside, as_json))
    called = name or named
    if called is None:
        raise SettingsError("the pictures do not name their camera: give it a --name")
    path = out or camera_path(called)
    before = read_camera(path) if path.is_file() else Camera(called)
    made = replace(before, name=called, lens=lens or before.lens, colors=learned or before.colors)
    write_camera(path, made)
    if as_json:
        print(json.dumps(_told(path, made)))
        return
    if lens is not None:
        size = f"{lens.size_wh[0]} × {lens.size_wh[1]}"
        print(f"lens of camera {called}: {lens.error_px:.2f} px error at {size} -> {path}")
    if learned is not None:
        print(f"colours of camera {called}: {', '.join(learned.named)} -> {path}")


def _told(path: Path, camera: Camera) -> dict[str, Any]:
    value: dict[str, Any] = {"tilesight": 1, "camera": camera.name, "file": str(path)}
    if camera.lens is not None:
        value |= {"error_px": round(camera.lens.error_px, 3), "size_wh": list(camera.lens.size_wh)}
    if camera.colors is not None:
        value["colors"] = dict(camera.colors.shown)
    return value


# -- the lens ----------------------------------------------------------------------------------


def _lens_of_pictures(folder: Path, aside: Console) -> tuple[str | None, Lens]:
    """Fit a lens to a folder of pictures; return (camera's name from their metadata or None, lens).

    Raises CalibrationError if too few pictures show the board.
    """
    files = _pictures(folder)
    views, name = [], None
    for path in track(files, description="Looking", console=aside, disable=not aside.is_terminal):
        view = find_board(read_frame(path).image)
        name = name or camera_of(path)
        if view is None:
            aside.print(f"{path.name}: the board was not found", soft_wrap=True)
        else:
            views.append(view)
    if len(views) < LEAST_VIEWS:
        raise CalibrationError(
            f"{folder}: the board was found in {len(views)} of {len(files)} pictures, {LEAST_VIEWS} are "
            "needed (tilesight print board)"
        )
    return name, calibrate_lens(views)


class _Steps:
    """Prints the steps for the user.

    They are words on the terminal, or JSON Lines on standard error for a program
    (`tilesight.lobby.calibration_desk`).
    """

    def __init__(self, aside: Console, as_json: bool) -> None:
        self.aside = aside
        self._to_program = as_json and not sys.stderr.isatty()
        self._next_picture_s = 0.0

    def want(self, guide: LensGuide, seen: frozenset[str] = frozenset()) -> None:
        """Ask for the next view of the board; ``seen`` are the views captured just now."""
        if seen:
            self.aside.bell()
            self.aside.print(f"[green]✓[/] {', '.join(sorted(seen))} ({len(guide.views)} views)")
        if guide.wanted:
            self.aside.print(f"  next: {WANTED[guide.wanted[0]]} ({len(guide.wanted)} to go)")
        self._tell({"views": len(guide.views), "least": LEAST_VIEWS, "wanted": guide.wanted})

    def picture(self, image: Image, view: BoardView | None) -> None:
        """Print the camera's picture at intervals, with the detected corners of the board."""
        if not self._to_program or time.monotonic() < self._next_picture_s:
            return
        self._next_picture_s = time.monotonic() + PICTURE_EVERY_S
        shown = image.copy()
        radius = max(image.shape[1] // 160, 3)
        for x, y in () if view is None else view.corners_px:
            cv2.circle(shown, (round(float(x)), round(float(y))), radius, CORNER_BGR, -1)
        self._tell({"jpeg": base64.b64encode(jpeg_of(shown, SHOWN_PX)).decode()})

    def show(self, color: str) -> None:
        """Ask for the pieces of a colour, and wait until the user has placed them."""
        self.aside.print(f"Stand only the {color} pieces on laid tiles, and press Enter.")
        self._tell({"show": color})
        sys.stdin.readline()

    def _tell(self, line: Mapping[str, Any]) -> None:
        if self._to_program:
            print(json.dumps(line), file=sys.stderr, flush=True)


def _lens_of_camera(camera: str, steps: _Steps) -> tuple[str, Lens]:
    """Watch a camera until every wanted view is captured; return its name and the fitted lens.

    Ctrl-C ends early if there are enough views. Raises CalibrationError if there are too few.
    """
    source = open_source(camera, "fast")
    guide = LensGuide()
    steps.aside.print("Hold the printed board (tilesight print board) still in front of the camera:")
    steps.want(guide)
    try:
        for got in source.frames():
            if isinstance(got, Lost):
                steps.aside.print(got.message, soft_wrap=True)
                continue
            view = find_board(got.image)
            steps.picture(got.image, view)
            seen = guide.see(view)
            if seen:
                steps.want(guide, seen)
            if guide.done:
                break
    except KeyboardInterrupt:
        if len(guide.views) < LEAST_VIEWS:
            raise
    finally:
        source.close()
    if guide.wanted and len(guide.views) < LEAST_VIEWS:
        raise CalibrationError(
            f"the board was seen in {len(guide.views)} wanted views, {LEAST_VIEWS} are needed; "
            f"still wanted: {', '.join(guide.wanted)}"
        )
    return profile_name(camera), calibrate_lens(guide.views)


# -- colours -----------------------------------------------------------------------------------


def _learned_colors(
    asked: list[str], camera: str | None, pack: str | None, gallery: Path | None, steps: _Steps
) -> tuple[str | None, PieceColors]:
    """Return the camera's name and the piece colours learned from pictures or from a camera."""
    shown: dict[str, Path | None] = {}
    for part in ",".join(asked).split(","):
        color, _, where = part.strip().partition("=")
        if not color or color in shown:
            raise SettingsError(
                "--colors names each colour once, as in red=red.jpg, or just red with --camera"
            )
        shown[color] = Path(where) if where else None
    if any(where is None for where in shown.values()) and camera is None:
        camera = "0"
    chosen, faces = open_pack(pack, gallery)
    observe = Pipeline(faces, chosen).observe
    files = {color: _pictures(where) for color, where in shown.items() if where is not None}
    name = next((named for paths in files.values() for path in paths if (named := camera_of(path))), None)
    frames: dict[str, Iterator[Frame]] = {
        color: (read_frame(path) for path in paths) for color, paths in files.items()
    }
    missing = [color for color, where in shown.items() if where is None]
    return profile_name(camera) if camera else name, learn_colors(
        {**frames, **_of_camera(missing, camera or "0", steps)}, observe
    )


def _of_camera(colors: list[str], camera: str, steps: _Steps) -> Mapping[str, Iterator[Frame]]:
    """Return an iterator of frames for each colour; when started, it asks the user to show the pieces."""

    def frames(color: str) -> Iterator[Frame]:
        steps.show(color)
        source = open_source(camera, "fast")
        taken = 0
        try:
            for got in source.frames():
                if isinstance(got, Lost):
                    raise FrameError(got.message)
                steps.picture(got.image, None)
                yield got
                taken += 1
                if taken >= FRAMES_OF_A_COLOR:
                    return
        finally:
            source.close()

    return {color: frames(color) for color in colors}


def _pictures(where: Path) -> list[Path]:
    """Return the pictures of a folder, or the one picture. Raises SettingsError for a folder without any."""
    if not where.is_dir():
        return [where]
    files = sorted(path for path in where.iterdir() if path.suffix.lower() in PICTURES)
    if not files:
        raise SettingsError(f"{where}: holds no pictures")
    return files
