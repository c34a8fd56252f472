"""Decoder process: decodes pictures in a process with a limit of time and memory, which can be killed.

One process serves one picture after the other; it is started with the first one, and again after it was
killed. Pictures go through its standard input and output as plain bytes. Shared memory would save two copies
of the pixels, some milliseconds of the hundreds that such pictures take, and would have to be cleaned up
after each killed process.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from vision.image.decoder import TOO_HEAVY, FrameError, HeavyError
from vision.observation import Image

WITHIN_S = 30.0
"""Seconds after which a decoding is killed; below the time after which a capture is taken for stalled."""
CPU_S = 10
"""Seconds of processor time after which a decoding is ended; the largest accepted pictures take some four."""
MEMORY_BYTES = 2_000_000_000
"""Limit of the address space: four copies of the largest picture, the file, and the libraries."""
REQUEST, ANSWER = struct.Struct(">QQQ"), struct.Struct(">cQQ")
"""Head of a request: bytes of the name, pixels to fit (0: any), bytes of the file, which follow. Head of an
answer: its kind, then height and width of the picture that follows, or the bytes of the error's text."""
PICTURE, UNUSABLE, HEAVY = b"P", b"U", b"H"
"""Kinds of answers: a picture, or the text of a FrameError or of a HeavyError."""
ANSWER_AT_MOST = 10_000
"""Maximum length of an error's text in bytes."""


class DecoderProcess:
    """Decoder in a process of its own, shared by all threads: one picture at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def decode(self, data: bytes, name: str, fit_px: int | None) -> Image:
        """Decode a picture (`vision.image.decoder.decode_here`).

        Raises FrameError, and HeavyError if the decoding exceeds its limits or ends the process.
        """
        with self._lock:
            process = self._running()
            limit = threading.Timer(WITHIN_S, process.kill)
            limit.daemon = True
            limit.start()
            try:
                return _asked(process, data, name, fit_px)
            except (OSError, EOFError):
                self._end()
                raise HeavyError(f"{name}: {TOO_HEAVY}") from None
            finally:
                limit.cancel()

    def close(self) -> None:
        """End the process, if there is one; the next picture starts another."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started if there is none."""
        if self._process is None or self._process.poll() is not None:
            self._end()
            package = __name__.rpartition(".")[0]
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{package}.decoder_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).resolve().parents[package.count(".") + 1],
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
        return self._process

    def _end(self) -> None:
        """End the process, if there is one, and close its pipes."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()  # an idle process ends by this
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.kill()
        process.wait()
        process.stdout.close()

    def _forget(self) -> None:
        """Leave the process to the parent, in a forked child."""
        self._lock = threading.Lock()
        self._process = None


def _asked(process: subprocess.Popen[bytes], data: bytes, name: str, fit_px: int | None) -> Image:
    """Return the picture that the process decodes. Raises FrameError, HeavyError, or OSError or EOFError if
    the process ends."""
    assert process.stdin is not None and process.stdout is not None
    named = os.fsencode(name)
    process.stdin.write(REQUEST.pack(len(named), fit_px or 0, len(data)) + named)
    process.stdin.write(data)
    process.stdin.flush()
    head = process.stdout.read(ANSWER.size)
    if len(head) < ANSWER.size:
        raise EOFError
    kind, one, other = ANSWER.unpack(head)
    if kind != PICTURE:
        text = process.stdout.read(min(one, ANSWER_AT_MOST)).decode(errors="replace")
        raise HeavyError(text) if kind == HEAVY else FrameError(text)
    image = np.empty((one, other, 3), np.uint8)
    if process.stdout.readinto(image.data) < image.nbytes:  # type: ignore[attr-defined]
        raise EOFError
    return image
