"""Base classes of results: JSON, pandas tables, and pictures for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from PIL import Image

if TYPE_CHECKING:
    import pandas

Json = dict[str, Any]
Drawing = Callable[[], np.ndarray]
"""Function that draws a picture, uint8 (height, width, 3), BGR."""


class Result(ABC):
    """A result that converts to a JSON document and a pandas table."""

    @abstractmethod
    def to_json(self) -> Json:
        """Return the document that the command line's ``--json`` prints (docs/formats.md)."""

    @abstractmethod
    def _rows(self) -> Iterable[Mapping[str, Any]]:
        """Return the rows of `to_pandas` as mappings from column to value."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the result as a table. Raises ImportError if pandas is not installed."""
        import pandas  # late: an optional dependency

        return pandas.DataFrame(list(self._rows()))


class PicturedResult(Result):
    """A result that can be drawn on the photograph it was read from."""

    drawing: Drawing | None
    """Function that draws the photograph with the reading on it; None without a photograph."""

    def plot(self) -> Image.Image:
        """Return the photograph with the reading drawn on it, RGB. Raises ValueError without a photograph."""
        if self.drawing is None:
            raise ValueError("there is no photograph to draw on")
        return Image.fromarray(cv2.cvtColor(self.drawing(), cv2.COLOR_BGR2RGB))

    def _repr_png_(self) -> bytes | None:
        """Return the drawing of `plot` as PNG bytes for a notebook; None without a photograph."""
        if self.drawing is None:
            return None
        encoded, png = cv2.imencode(".png", self.drawing())
        return png.tobytes() if encoded else None
