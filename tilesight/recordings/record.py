"""`tilesight record`: a camera's pictures stored as a session, without recognition."""

from __future__ import annotations

import json
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from engine.games import game_names
from tilesight.camera_option import CAMERA, told_camera
from tilesight.live.sources import Source, open_source
from tilesight.sessions.heading import PackOption, RulesOption, session_heading
from tilesight.sessions.recorder import PictureChoice, SessionRecorder
from tilesight.sessions.video import is_video
from tilesight.settings import SettingsError, WithOption
from vision.observation import Frame

GB = 1e9
FULL_GB = 20.0
"""Size of a session, in gigabytes, at which recording ends unless ``--max-gb`` gives another one."""


def record_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the session's folder, new or to be continued")],
    game: Annotated[str, typer.Option(help=f"the game on the table: {', '.join(game_names())}")],
    players: Annotated[str, typer.Option(help="who plays, in turn order: red=Ana,blue=Bo")],
    camera: Annotated[
        str, typer.Option(envvar=CAMERA, help="camera index, rtsp:// or http:// address, or @FILE")
    ],
    pack: PackOption = None,
    rules: RulesOption = None,
    given: WithOption = None,
    max_gb: Annotated[float, typer.Option(min=0.001, help="end when the session has this size")] = FULL_GB,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Store a camera's pictures as a session without recognising them, for a later replay.

    Ctrl-C ends the recording.
    """
    camera = told_camera(camera)
    if is_video(Path(camera)):
        raise SettingsError(f"{camera}: is a recording already: tilesight replay {camera} --game …")
    if camera == "phone":
        raise SettingsError("--camera phone needs the table's page: tilesight live")
    if Path(camera).is_dir():
        raise SettingsError(
            f"{camera}: a folder keeps its pictures already: tilesight live --camera {camera}"
        )
    recorder = SessionRecorder(out, session_heading(game, players, pack, rules, given or ()))
    source = open_source(camera)
    aside = Console(stderr=True, highlight=False)
    if recorder.pictures:
        aside.print(f"Continuing the session of {recorder.pictures} pictures.")
    ended = ""
    with suppress(KeyboardInterrupt), closing(source):
        ended = _record(source, recorder, max_gb * GB, aside)
    _tell(out, recorder, ended, as_json=as_json)
    if not recorder.pictures:
        print("tilesight: no picture came from the camera: see tilesight doctor", file=sys.stderr)
        raise typer.Exit(1)


def _record(source: Source, recorder: SessionRecorder, most_bytes: float, aside: Console) -> str:
    """Keep the pictures that a session needs until the source ends. Return why it ended."""
    choice, begun_s, problem = PictureChoice(), recorder.last_s + bool(recorder.pictures), ""
    with aside.status("Waiting for the camera (Ctrl-C ends the recording)") as status:
        for got in source.frames():
            if isinstance(got, Frame):
                now = _keep(got, choice, recorder, begun_s)
                minutes, seconds = divmod(int(got.t_s), 60)
                size_mb = recorder.size_bytes / 1e6
                status.update(f"{minutes}:{seconds:02d}  {recorder.pictures} pictures, {size_mb:.0f} MB")
            else:
                now = str(got.message)
            if now != problem and now:
                aside.print(now, soft_wrap=True)
            problem = now
            if recorder.size_bytes >= most_bytes:
                return f"the session has {recorder.size_bytes / GB:.1f} GB (--max-gb)"
    return "no more pictures come"


def _keep(frame: Frame, choice: PictureChoice, recorder: SessionRecorder, begun_s: float) -> str:
    """Keep a frame if the session needs it. Return why it cannot be stored, else an empty text."""
    if not choice.wants(frame.image, frame.t_s):
        return ""
    try:
        recorder.keep(frame.image, begun_s + frame.t_s)
    except OSError as error:
        return f"The picture cannot be stored ({error.strerror or error}); recording goes on when it can be."
    return ""


def _tell(out: Path, recorder: SessionRecorder, ended: str, *, as_json: bool) -> None:
    """Print what was recorded, and why recording ended."""
    if as_json:
        told = {"tilesight": 1, "session": str(out), "frames": recorder.pictures}
        print(json.dumps({**told, "bytes": recorder.size_bytes, "ended": ended or "interrupted"}))
    elif recorder.pictures:
        why = f" ({ended})" if ended else ""
        print(f"{out}: {recorder.pictures} pictures, {recorder.size_bytes / 1e6:.0f} MB{why}")
        print(f"tilesight replay {out}")
