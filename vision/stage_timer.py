"""Stage timer: milliseconds of each stage of seeing, by the stage's name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class StageTimer:
    """Takes the time of one frame's stages; ``ms`` is the sum for each, in milliseconds."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Adds the time that the block takes to that stage."""
        began = time.perf_counter()
        yield
        self.ms[stage] = self.ms.get(stage, 0.0) + 1e3 * (time.perf_counter() - began)
