"""Cache of generated training data on disk: dataclasses whose fields are arrays."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Kept = TypeVar("Kept")


def save_arrays(arrays: Any, path: Path) -> None:
    """Store a dataclass of arrays atomically: readers see all of it or nothing."""
    part = path.with_suffix(".part.npz")
    np.savez_compressed(part, **{field.name: getattr(arrays, field.name) for field in fields(arrays)})
    part.replace(path)


def load_arrays(kind: type[Kept], path: Path) -> Kept:
    """The arrays that were kept of a dataclass ``kind``."""
    with np.load(path) as z:
        return kind(**{name: z[name] for name in z.files})
