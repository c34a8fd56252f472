"""Stage timer: milliseconds spent in each stage of the pipeline."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class StageTimer:
    """Timer of one frame's stages; ``ms`` maps each stage to its total in milliseconds."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Return a context manager that adds the time of its block to ``stage``, unless the block raises."""
        began = time.perf_counter()
        yield
        self.ms[stage] = self.ms.get(stage, 0.0) + 1e3 * (time.perf_counter() - began)
