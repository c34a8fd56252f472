"""Gallery growth: adds pictures of confidently read tiles of a game to its gallery.

A tile must be settled by the rules and fully visible. Of each design the best picture of a game is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS
from engine.geometry import Cell
from models import OnnxModel
from vision.image.whole_file import write_whole
from vision.observation import Image, Observation, Sight
from vision.tiles.gallery import FACE_PX, Gallery, with_views


@dataclass(frozen=True, slots=True, eq=False)
class _FaceView:
    side_px: float
    face: NDArray[np.uint8]


class SureViews:
    """Collects the best picture of each design during a game."""

    def __init__(self) -> None:
        self._views: dict[str, _FaceView] = {}

    def __len__(self) -> int:
        return len(self._views)

    def see(self, image: Image, observation: Observation, laid: Mapping[Cell, tuple[str, int]]) -> None:
        """Collect views of faces from a picture at rest, which ``observation`` was read from.

        ``laid`` are the game's settled tiles by cell of the observation's lattice: (design, clockwise
        rotation in degrees in that lattice). A tile is used if it is read alike for sure, uncovered and
        large; of a design the largest view is kept.
        """
        sight = Sight(image)
        column = {name: index for index, name in enumerate(observation.designs)}
        for cell, (design, rot) in laid.items():
            reading = observation.cells.get(cell)
            if reading is None or design not in column:
                continue
            log_prob = float(reading.log_probs[column[design], rot // 90])
            plain = reading.log_tile >= PARAMS.learned_log_tile and reading.covered <= PARAMS.learned_hidden
            if log_prob < np.log(PARAMS.learned_face) or not plain:
                continue
            quad = np.asarray(reading.corners_px, np.float64)
            side = float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).min())
            known = self._views.get(design)
            if side < PARAMS.learned_side_px or (known is not None and side < PARAMS.sharper * known.side_px):
                continue
            if not _in_view(quad, image):
                continue
            face = np.rot90(sight.crops(quad[None], FACE_PX)[0], rot // 90)
            self._views[design] = _FaceView(side, np.ascontiguousarray(face))

    def grown(self, gallery: Gallery, descriptor: OnnxModel) -> Gallery:
        """Return the gallery with the collected pictures added; itself if there are none.
        The picture of the enrolment stays first (see `with_views`)."""
        views = [(design, view.face) for design, view in self._views.items()]
        return with_views(gallery, gallery.pack_id, views, descriptor) if views else gallery


def keep_former(path: Path) -> Path | None:
    """Copy a gallery that is about to be overwritten to ``FILE.before``, for undo.
    Returns the copy's path, None if there is no gallery yet. Raises OSError if the copy fails."""
    if not path.is_file():
        return None
    former = path.with_name(f"{path.name}.before")
    write_whole(former, path.read_bytes())
    return former


def _in_view(quad: NDArray[np.float64], image: Image) -> bool:
    """Whether the whole quad lies in the picture."""
    size = np.array([image.shape[1], image.shape[0]])
    return bool((quad >= 0).all() and (quad <= size - 1).all())
