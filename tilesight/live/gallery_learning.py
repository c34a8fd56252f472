"""Gallery learning while a game is played: `tilesight live --learn`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from calibration.growth import SureViews, keep_former
from engine.geometry import Cell
from engine.pack import Pack
from models import load
from tilesight.inference.understanding import Understanding
from tilesight.settings import enrolled_gallery
from vision.observation import Image, Observation
from vision.tiles.gallery import Gallery
from vision.tiles.gallery_pack import carrying


class Learning:
    """Collects what a game shows beyond doubt, and adds it to the gallery that it was played with.

    ``path`` is the gallery's file; None is where an enrolled one is kept. The file carries ``pack`` too.
    """

    def __init__(self, gallery: Gallery, path: Path | None, pack: Pack) -> None:
        self._gallery = gallery
        self._pack = pack
        self._views = SureViews()
        self.path = path or enrolled_gallery(gallery.pack_id)

    def see(self, image: Image, observation: Observation, understood: Understanding) -> None:
        """Look at a table at rest; turns that may still be taken back teach nothing."""
        if understood.board_seen and not understood.busy and understood.unclear is None:
            self._views.see(image, observation, settled_tiles(understood))

    def save(self) -> int:
        """Write the gallery with what was learned; returns how many pictures that is. What the file held
        before stays beside it (`calibration.growth.keep_former`). OSError where it cannot be written."""
        if len(self._views):
            grown = self._views.grown(self._gallery, load("descriptor"))
            keep_former(self.path)
            carrying(grown, self._pack).save(self.path)
        return len(self._views)


def settled_tiles(understood: Understanding) -> Mapping[Cell, tuple[str, int]]:
    """The tiles laid for good, by cell of the lattice of the last picture: design and turn there."""
    lattice = understood.lattice
    if lattice is None:
        return {}
    open_cells = {turn.turn.cell for turn in understood.turns[understood.settled :]}
    return {
        lattice.lattice_cell(cell): (laid.design.id, (laid.rot + 90 * lattice.quarter_turns) % 360)
        for cell, laid in understood.state.board.items()
        if cell not in open_cells
    }
