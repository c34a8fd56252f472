"""Common parts of results: JSON, tables of pandas, and pictures for notebooks."""

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
"""Makes a picture: (height, width, 3), uint8, BGR."""


class Result(ABC):
    """Result of a reading: a JSON document, rows for a table, and perhaps a picture."""

    @abstractmethod
    def to_json(self) -> Json:
        """The result as the command line's ``--json`` prints it (docs/formats.md)."""

    @abstractmethod
    def _rows(self) -> Iterable[Mapping[str, Any]]:
        """The rows of `to_pandas`."""

    def to_pandas(self) -> pandas.DataFrame:
        """The result as a table. ImportError where pandas is not installed."""
        import pandas  # late: it is not among our dependencies

        return pandas.DataFrame(list(self._rows()))


class PicturedResult(Result):
    """Result that can be drawn on the photograph it was read from."""

    drawing: Drawing | None
    """Draws the photograph with what was recognised; None without one."""

    def plot(self) -> Image.Image:
        """The photograph with what was recognised drawn on it. ValueError where there is no photograph."""
        if self.drawing is None:
            raise ValueError("there is no photograph to draw on")
        return Image.fromarray(cv2.cvtColor(self.drawing(), cv2.COLOR_BGR2RGB))

    def _repr_png_(self) -> bytes | None:
        """`plot` as a PNG, which a notebook shows; None without a photograph."""
        if self.drawing is None:
            return None
        encoded, png = cv2.imencode(".png", self.drawing())
        return png.tobytes() if encoded else None
