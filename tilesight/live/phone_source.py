"""Phone as a picture source. A thread of this source decodes the JPEGs, so the server's threads need not."""

from __future__ import annotations

import logging
import threading

from engine.message import Message, message_of
from tilesight.live.capture import LIVE_AREA_PX, LatestFrame, ThreadedSource
from vision.image.decode import decode_image
from vision.image.decoder import FrameError, HeavyError

POLL_S = 0.25
"""Seconds between two checks whether the source was closed."""

log = logging.getLogger("tilesight.live.phone_source")

SILENT = Message("the phone sends no pictures any more: look whether its camera page is still open")
"""Message if the phone sends no pictures. It is only reported if no other picture follows."""


class PhoneSource(ThreadedSource):
    """The camera of the phone with the open camera page (a web.api.phone.PhoneSink)."""

    def __init__(self) -> None:
        super().__init__("the phone", self._decode)
        self._came = threading.Condition()
        self._jpeg: bytes | None = None
        self._passed_over = 0

    @property
    def dropped(self) -> int:
        """Number of pictures that were dropped because the recogniser was still busy."""
        return self._passed_over + super().dropped

    def push(self, jpeg: bytes) -> None:
        """Store one picture (JPEG) from the phone.

        If the picture before is not decoded yet, it is dropped and counted.
        """
        with self._came:
            self._passed_over += self._jpeg is not None
            self._jpeg = jpeg
            self._came.notify()

    def _decode(self, latest: LatestFrame, stop: threading.Event) -> None:
        """Decode the pictures that the phone sends into ``latest``, until stopped."""
        latest.lost(Message("waiting for the phone: open its camera page"))
        while not stop.is_set():
            with self._came:
                self._came.wait_for(lambda: self._jpeg is not None, POLL_S)
                jpeg, self._jpeg = self._jpeg, None
            latest.beat()
            if jpeg is None:
                continue
            try:
                latest.put(decode_image(jpeg, name="the phone's picture", fit_px=LIVE_AREA_PX))
            except HeavyError as error:
                log.warning("%s; it is left out", error)
                latest.tell(Message("{reason}; it is left out and not tried again", reason=message_of(error)))
            except FrameError as error:
                latest.lost(message_of(error), unreadable=True)
                continue
            latest.lost(SILENT)
