"""Gallery learning during a game, for `tilesight live --learn`."""

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
    """Collects tiles that a game identifies with certainty, and adds them to the game's gallery.

    ``path`` is the gallery's file, None for the folder of enrolled galleries. ``pack`` is stored in the file
    too.
    """

    def __init__(self, gallery: Gallery, path: Path | None, pack: Pack) -> None:
        self._gallery = gallery
        self._pack = pack
        self._views = SureViews()
        self.path = path or enrolled_gallery(gallery.pack_id)

    def see(self, image: Image, observation: Observation, understood: Understanding) -> None:
        """Collect the tiles of settled turns from ``image`` if the table is at rest and explained.

        Turns that are not settled may still be undone.
        """
        if understood.board_seen and not understood.busy and understood.unclear is None:
            self._views.see(image, observation, settled_tiles(understood))

    def save(self) -> int:
        """Write the gallery with the new pictures and return their number; 0 writes nothing.

        The former file is kept beside it (`calibration.growth.keep_former`). Raises OSError if it cannot be
        written.
        """
        if len(self._views):
            grown = self._views.grown(self._gallery, load("descriptor"))
            keep_former(self.path)
            carrying(grown, self._pack).save(self.path)
        return len(self._views)


def settled_tiles(understood: Understanding) -> Mapping[Cell, tuple[str, int]]:
    """Return (design, rotation) of the tiles of settled turns by cell, in the last picture's lattice.

    Empty if the board was not found in that picture.
    """
    lattice = understood.lattice
    if lattice is None:
        return {}
    open_cells = {turn.turn.cell for turn in understood.turns[understood.settled :]}
    return {
        lattice.lattice_cell(cell): (laid.design.id, (laid.rot + 90 * lattice.quarter_turns) % 360)
        for cell, laid in understood.state.board.items()
        if cell not in open_cells
    }
