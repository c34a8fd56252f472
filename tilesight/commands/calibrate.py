"""`tilesight calibrate`: a camera's lens from the printed board, or the colours of the pieces.

Both are optional: nothing needs them, a bent lens and odd lamps are read better with them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from calibration.cameras import CalibrationError, read_camera, write_camera
from calibration.charuco import find_board
from calibration.lens import LEAST_VIEWS, WANTED, LensGuide, calibrate_lens
from calibration.piece_colors import learn_colors
from tilesight.live.capture import Lost
from tilesight.live.sources import open_source
from tilesight.settings import SettingsError, camera_path, open_pack
from vision.image.camera_profile import Camera
from vision.image.color_profile import PieceColors
from vision.image.decode import FrameError, camera_of, read_frame
from vision.image.lens import Lens
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.gallery import PICTURES

FRAMES_OF_A_COLOR = 5
"""Frames taken of each colour that is shown to a camera."""


def calibrate_command(
    camera: Annotated[
        str | None, typer.Option(help="the camera, as live takes it (0 if nothing is given)")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="pictures of the printed board instead of a camera: a folder")
    ] = None,
    colors: Annotated[
        list[str] | None,
        typer.Option(
            help="learn piece colours: red=PICTURE_OR_FOLDER, or red alone with --camera; repeat it"
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="the camera's name, where pictures do not tell it")] = None,
    pack: Annotated[
        str | None, typer.Option(help="pack of the tiles under the pieces (for --colors)")
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="the faces of a printed edition (for --colors)")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="the file to write")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Learn a camera's lens from the printed board, or how it sees your pieces' colours. Both optional."""
    if camera is not None and images is not None:
        raise SettingsError("give --camera or --images, not both")
    aside = Console(stderr=True, highlight=False)
    lens: Lens | None = None
    learned: PieceColors | None = None
    if colors:
        named, learned = _learned_colors(colors, camera, pack, gallery, aside)
        if images is not None:
            named, lens = _lens_of_pictures(images, aside)
    elif images is not None:
        named, lens = _lens_of_pictures(images, aside)
    else:
        named, lens = _lens_of_camera(camera or "0", aside)
    called = name or named
    if called is None:
        raise SettingsError("the pictures do not say which camera took them: give it a --name")
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
    files = _pictures(folder)
    views, name = [], None
    for path in track(files, description="Looking", console=aside, disable=not aside.is_terminal):
        view = find_board(read_frame(path).image)
        name = name or camera_of(path)
        if view is None:
            aside.print(f"{path.name}: the board is not seen", soft_wrap=True)
        else:
            views.append(view)
    if len(views) < LEAST_VIEWS:
        raise CalibrationError(
            f"{folder}: the board is seen in {len(views)} of {len(files)} pictures, {LEAST_VIEWS} are needed "
            "(tilesight print board)"
        )
    return name, calibrate_lens(views)


def _lens_of_camera(camera: str, aside: Console) -> tuple[str, Lens]:
    """Watch a camera until every wanted view was there; Ctrl-C ends early and takes what there is."""
    source = open_source(camera, "fast")
    guide = LensGuide()
    aside.print("Hold the printed board (tilesight print board) before the camera, still for a moment:")
    _ask(guide, aside)
    try:
        for got in source.frames():
            if isinstance(got, Lost):
                aside.print(got.message, soft_wrap=True)
                continue
            seen = guide.see(find_board(got.image))
            if seen:
                aside.bell()
                aside.print(f"[green]✓[/] {', '.join(sorted(seen))} ({len(guide.views)} views)")
                _ask(guide, aside)
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
    return camera, calibrate_lens(guide.views)


def _ask(guide: LensGuide, aside: Console) -> None:
    if guide.wanted:
        aside.print(f"  next: {WANTED[guide.wanted[0]]} ({len(guide.wanted)} to go)")


# -- colours -----------------------------------------------------------------------------------


def _learned_colors(
    asked: list[str], camera: str | None, pack: str | None, gallery: Path | None, aside: Console
) -> tuple[str | None, PieceColors]:
    shown: dict[str, Path | None] = {}
    for part in ",".join(asked).split(","):
        color, _, where = part.strip().partition("=")
        if not color or color in shown:
            raise SettingsError(
                "--colors names each colour once, as in red=red.jpg, or red alone with --camera"
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
    return camera or name, learn_colors({**frames, **_of_camera(missing, camera or "0", aside)}, observe)


def _of_camera(colors: list[str], camera: str, aside: Console) -> Mapping[str, Iterator[Frame]]:
    def frames(color: str) -> Iterator[Frame]:
        aside.print(f"Stand only the {color} pieces on laid tiles, and press Enter.")
        sys.stdin.readline()
        source = open_source(camera, "fast")
        taken = 0
        try:
            for got in source.frames():
                if isinstance(got, Lost):
                    raise FrameError(got.message)
                yield got
                taken += 1
                if taken >= FRAMES_OF_A_COLOR:
                    return
        finally:
            source.close()

    return {color: frames(color) for color in colors}


def _pictures(where: Path) -> list[Path]:
    """The pictures of a folder, or the one picture."""
    if not where.is_dir():
        return [where]
    files = sorted(path for path in where.iterdir() if path.suffix.lower() in PICTURES)
    if not files:
        raise SettingsError(f"{where}: holds no pictures")
    return files
