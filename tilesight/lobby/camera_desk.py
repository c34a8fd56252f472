"""Cameras of the lobby: the preview of one camera at a time, and a still picture of each connected one."""

from __future__ import annotations

import base64
import threading
import time
from collections import deque
from collections.abc import Callable

from engine.message import NO_MESSAGE, Message, plain
from tilesight.lobby.command_process import CommandProcess, Line
from web.lobby_camera import CameraPreview

UNASKED_S = 12.0
"""Seconds without a request after which a preview ends. Its page was probably closed."""
PICTURES_KEPT = 4
"""Number of latest pictures that are kept for later requests."""
STILL_WITHIN_S = 15.0
"""Timeout for a camera's still picture, in seconds."""
STILL_FOR_S = 60.0
"""Seconds for which a still picture is cached."""


class CameraDesk:
    """Previews one camera by a `tilesight preview` process. Implements `web.lobby_camera.Cameras`."""

    def __init__(self, real: Callable[[str], str] = str) -> None:
        """``real`` returns the camera for the text that the page shows (`tilesight.camera_option`)."""
        self._real = real
        self._lock = threading.RLock()
        self._taking = threading.Lock()
        self._errand: CommandProcess | None = None
        self._asked: tuple[str, str | None] = ("", None)
        self._unasked = threading.Timer(0, self.stop)
        self._line: Line = {}
        self._message = NO_MESSAGE
        self._jpegs: deque[tuple[int, bytes]] = deque(maxlen=PICTURES_KEPT)
        self._stills: dict[str, tuple[float, bytes]] = {}

    def open(self, camera: str, pack: str | None) -> None:
        """Start the preview of a camera; it replaces any other."""
        camera = self._real(camera)
        with self._lock:
            running = self._errand is not None and self._errand.running
            if not running or self._asked != (camera, pack):
                self.stop()
                arguments = ["preview", f"--camera={camera}", *([f"--pack={pack}"] if pack else [])]
                self._asked = (camera, pack)
                self._errand = CommandProcess(arguments, self._hear)
            self._restart_timeout()

    def preview(self) -> CameraPreview:
        """Return the state of the preview, with the camera's latest picture."""
        with self._lock:
            self._restart_timeout()
            line, message, errand = self._line, self._message, self._errand
            if errand is None:
                return CameraPreview("stopped")
            if not errand.running:
                return CameraPreview("ended" if errand.done else "failed", plain(errand.reason), line)
            if message:
                return CameraPreview("lost", message, line)
            return CameraPreview("watching" if line else "starting", NO_MESSAGE, line)

    def picture(self, frame: int) -> bytes | None:
        """Return one of the latest pictures as JPEG, by its frame number; None if it is no longer kept."""
        return dict(self._jpegs).get(frame)

    def still(self, source: str) -> bytes | None:
        """Return a still picture of a connected camera as JPEG; None if it gives none, or is in use."""
        with self._taking:  # one after the other, because cameras may share a USB bus
            known = self._stills.get(source)
            if known is not None and time.monotonic() - known[0] < STILL_FOR_S:
                return known[1] or None
            taken: list[bytes] = []

            def hear(line: Line) -> None:
                if "jpeg" in line:
                    taken.append(base64.b64decode(line["jpeg"]))

            CommandProcess(["preview", f"--camera={source}", "--once"], hear).wait(STILL_WITHIN_S)
            self._stills[source] = (time.monotonic(), taken[0] if taken else b"")
            return taken[0] if taken else None

    def stop(self) -> None:
        """Close the camera."""
        with self._lock:
            self._unasked.cancel()
            errand, self._errand = self._errand, None
            if errand is not None:
                errand.stop()
            self._line, self._message = {}, NO_MESSAGE
            self._jpegs.clear()

    def _restart_timeout(self) -> None:
        """Restart the timeout of the preview, because a page has asked for it."""
        self._unasked.cancel()
        self._unasked = threading.Timer(UNASKED_S, self.stop)
        self._unasked.daemon = True
        self._unasked.start()

    def _hear(self, line: Line) -> None:
        """Process a line of the preview command."""
        if "message" in line:
            self._message = Message.told(str(line["message"]), line.get("said"))
        elif "picture" in line:
            self._jpegs.append((line["picture"]["frame"], base64.b64decode(line["jpeg"])))
            self._line = {"picture": line["picture"], "fits": line["fits"]}
            self._message = NO_MESSAGE
