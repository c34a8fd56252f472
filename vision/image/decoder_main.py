"""Program of the decoder process (`vision.image.decoder_process`): decodes until its input ends.

It limits itself before it reads a picture: memory for its whole life, processor time for each picture.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import BinaryIO

import cv2

from vision.image.decoder import FrameError, HeavyError, decode_here
from vision.image.decoder_process import ANSWER, CPU_S, HEAVY, MEMORY_BYTES, PICTURE, REQUEST, UNUSABLE


def main() -> None:
    """Decode the pictures on standard input one after the other, and write them to standard output."""
    for number in (signal.SIGINT, signal.SIGTERM):  # for the process that started this one: its end ends this
        signal.signal(number, signal.SIG_IGN)
    cv2.setNumThreads(1)
    _limit_memory()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
    with contextlib.suppress(BrokenPipeError):
        while _answer_one(sys.stdin.buffer, answers):
            pass


def _answer_one(asked: BinaryIO, answers: BinaryIO) -> bool:
    """Answer one request; return False if the input has ended."""
    head = asked.read(REQUEST.size)
    if len(head) < REQUEST.size:
        return False
    name_bytes, fit_px, data_bytes = REQUEST.unpack(head)
    name = os.fsdecode(asked.read(name_bytes))
    _limit_time()
    try:
        image = decode_here(asked.read(data_bytes), name, fit_px or None)
    except FrameError as error:
        text = str(error).encode(errors="replace")
        answers.write(ANSWER.pack(HEAVY if isinstance(error, HeavyError) else UNUSABLE, len(text), 0) + text)
    else:
        answers.write(ANSWER.pack(PICTURE, *image.shape[:2]))
        answers.write(image.data)
    answers.flush()
    return True


def _limit_memory() -> None:
    """Limit the address space; no effect on systems without such limits."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time() -> None:
    """Limit the processor time of the next picture; when it is used up, the system ends this process."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + 1 + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    main()
