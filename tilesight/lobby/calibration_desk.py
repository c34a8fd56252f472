"""Calibration from the lobby: a camera's lens and the pieces' colours, by a `tilesight calibrate` process."""

from __future__ import annotations

import base64
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tilesight.lobby.command_process import CommandProcess, Line
from web.lobby_calibration import Calibration, CalibrationProblem

BOARD_WITHIN_S = 60.0
"""Timeout for drawing the board's PDF, in seconds."""
PROBLEMS: tuple[tuple[str, CalibrationProblem], ...] = (
    ("wanted views", "few_views"),
    ("straight on", "straight"),
    ("do not belong together", "apart"),
    ("say nothing of the lens", "apart"),
    ("no piece is seen", "no_pieces"),
    ("camera", "no_camera"),
    ("picture", "no_camera"),
)
"""Words in the command's error message, and the problem that they indicate. The first match counts."""


class CalibrationDesk:
    """Calibrates one camera at a time. Implements `web.lobby_calibration.Calibrations`."""

    def __init__(self, free_camera: Callable[[], None], real: Callable[[str], str] = str) -> None:
        """``free_camera`` closes the camera elsewhere, because only one process can open it.

        ``real`` returns the camera (a value of ``--camera``) for the text under which the page shows it,
        which hides a password (`tilesight.camera_option`).
        """
        self._real = real
        self._free_camera = free_camera
        self._lock = threading.RLock()
        self._errand: CommandProcess | None = None
        self._told = Calibration("idle")
        self._jpeg: bytes | None = None

    def lens(self, camera: str) -> Calibration:
        """Start to collect the wanted views of the printed board with a camera."""
        return self._begin(camera, [], ())

    def colors(self, camera: str, pack: str, colors: Sequence[str]) -> Calibration:
        """Start to learn how a camera sees pieces on tiles of an edition, one colour after the other."""
        options = [f"--colors={color}" for color in colors]
        return self._begin(camera, [*options, *([f"--pack={pack}"] if pack else [])], colors)

    def _begin(self, camera: str, options: Sequence[str], colors: Sequence[str]) -> Calibration:
        """Start a `tilesight calibrate` process with these options."""
        with self._lock:
            self.stop()
            self._free_camera()
            self._told = Calibration("looking", tuple(colors))
            arguments = ["calibrate", f"--camera={self._real(camera)}", *options, "--json"]
            self._errand = CommandProcess(arguments, self._hear, asks=True)
            return self.now()

    def go_on(self) -> Calibration:
        """Continue: the requested pieces are on the table, or the views so far are enough."""
        with self._lock:
            if self._errand is not None and self._errand.running:
                if self._told.state == "showing":
                    self._told = replace(self._told, state="looking")
                    self._errand.answer()
                else:
                    self._errand.interrupt()
            return self.now()

    def now(self) -> Calibration:
        """Return the state of the calibration."""
        with self._lock:
            told, errand = self._told, self._errand
            if errand is None or errand.running:
                return told
            if errand.done:
                return replace(told, state="done", color="", wanted=())
            found = (problem for words, problem in PROBLEMS if words in errand.reason)
            return replace(told, state="failed", problem=next(found, "other"))

    def picture(self) -> bytes | None:
        """Return the latest picture as JPEG; None before the first."""
        return self._jpeg

    def stop(self) -> Calibration:
        """Cancel the calibration and close the camera."""
        with self._lock:
            errand, self._errand = self._errand, None
            if errand is not None:
                errand.stop()
            self._told, self._jpeg = Calibration("idle"), None
            return self._told

    def board(self) -> bytes | None:
        """Return the board to print as PDF; None if it cannot be drawn."""
        with tempfile.TemporaryDirectory(prefix="tilesight-board-") as folder:
            path = Path(folder) / "board.pdf"
            CommandProcess(["print", "board", str(path)], lambda _: None).wait(BOARD_WITHIN_S)
            return path.read_bytes() if path.is_file() else None

    def _hear(self, line: Line) -> None:
        """Process a line of the command."""
        told = self._told
        if "wanted" in line:
            told = replace(told, views=line["views"], least=line["least"], wanted=tuple(line["wanted"]))
        if "jpeg" in line:
            self._jpeg = base64.b64decode(line["jpeg"])
            told = replace(told, frame=(told.frame or 0) + 1)
        if "show" in line:
            told = replace(told, state="showing", color=line["show"])
        if "error_px" in line and not told.colors:
            told = replace(told, error_px=float(line["error_px"]))
        self._told = told
