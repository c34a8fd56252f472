"""A folder of single boards: their pictures and truth.json, rendered where they are missing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from . import lens

Rendered = tuple[np.ndarray, dict[str, Any]]
"""A picture, uint8 RGB [h, w, 3], and its truth entry without the file's name."""


def fill(
    folder: Path,
    names: Iterable[str],
    render: Callable[[str], Rendered],
    only: list[str] | None = None,
    quality: int = 85,
) -> int:
    """Render the boards that are missing, or those of them named in ``only``; how many had to be left out,
    because their camera or their game does not come about."""
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / "truth.json"
    truth = {e["file"]: e for e in json.loads(index.read_text())} if index.exists() else {}
    left_out = 0
    for name in names:
        path = folder / f"{name}.jpg"
        if (only and name not in only) or (path.exists() and path.name in truth):
            continue
        began = time.time()
        try:
            rgb, entry = render(name)
        except (AssertionError, ValueError) as error:
            print(f"{name}: left out, {error}", flush=True)
            left_out += 1
            continue
        lens.save_jpeg(rgb, path, quality)
        truth[path.name] = {"file": path.name, **entry}
        index.write_text("[\n" + ",\n".join(json.dumps(truth[k]) for k in sorted(truth)) + "\n]\n")
        print(f"{name}: {time.time() - began:.0f} s", flush=True)
    return left_out
