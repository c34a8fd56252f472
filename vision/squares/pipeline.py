"""Pipeline for boards of squares; the counterpart of `vision.pipeline`."""

from __future__ import annotations

from dataclasses import replace

from engine.games import game_named
from engine.pack import Pack
from engine.tiles.game import GameError
from models import load
from vision.change.small_picture import Changes, SmallPicture
from vision.observation import CellReading, Frame, Observation, Sight
from vision.squares.occupants import SquareReader, SquaresRead
from vision.squares.params import PARAMS
from vision.squares.parts import FoundParts, PartsFinder, named_as
from vision.stage_timer import StageTimer
from vision.tiles.gallery import Gallery


class SquareBoardPipeline:
    """Observes one table frame by frame. An unchanged picture is not read again."""

    def __init__(self, gallery: Gallery, pack: Pack) -> None:
        self._designs = gallery.designs
        self._finder = PartsFinder(gallery)
        self._squares = SquareReader(pack, self._finder.faces, load("pieces"))
        self._colors = _pawn_colors(pack)
        self._last: SmallPicture | None = None
        self._found: FoundParts | None = None
        self._read: tuple[SmallPicture, FoundParts, SquaresRead] | None = None

    def observe(self, frame: Frame) -> Observation:
        """Return the observation of one frame, and keep it for the next; no pose if no board is found."""
        timer = StageTimer()
        pose = self._found.pose if self._found is not None else None
        with timer("motion"):
            look = frame.sight.once(SmallPicture.of)
            changes = Changes.between(self._last, look)
            motion = changes.share(pose) if changes is not None else 1.0
            self._last = look
        found, read = self._as_before(look)
        if found is None or read is None:
            with timer("locate"):
                found = self._locate(frame.sight)
            if found is None:
                return Observation(frame.index, frame.t_s, None, self._designs, {}, (), motion, timer.ms)
            with timer("pieces"):
                read = self._squares.read(frame.sight, found, self._colors)
            self._found, self._read = found, (look, found, read)
        cells = {cell: _covered(reading, read) for cell, reading in found.cells.items()}
        timer.ms.setdefault("tiles", 0.0)
        return Observation(
            frame.index, frame.t_s, found.pose, self._designs, cells, read.pieces, motion, timer.ms
        )

    def _as_before(self, look: SmallPicture) -> tuple[FoundParts | None, SquaresRead | None]:
        """Return the last result if the picture, shrunk to ``look``, is unchanged, else (None, None)."""
        if self._read is None:
            return None, None
        before, found, read = self._read
        changes = Changes.between(before, look)
        return (found, read) if changes is not None and changes.none else (None, None)

    def _locate(self, sight: Sight) -> FoundParts | None:
        """Track the board, or search it again if that fits badly; None if it is not found.
        Cells keep their names."""
        before = self._found
        if before is None:
            return self._finder.find(sight)
        followed = None
        if before.pose.image_size_wh == sight.size_wh:
            followed = self._finder.follow(sight, before)
        if followed is not None and followed.likeness >= PARAMS.worse_share * before.likeness:
            return followed
        again = self._finder.find(sight)
        if again is not None and (followed is None or again.likeness > followed.likeness):
            return named_as(again, before)
        return followed


def _covered(reading: CellReading, read: SquaresRead) -> CellReading:
    """Return a part's reading with ``covered`` set to its mean unexplained share in ``read``."""
    across = len(read.unexplained) // 2
    x, y = reading.cell
    part = read.unexplained[y * across : (y + 1) * across, x * across : (x + 1) * across]
    return replace(reading, covered=float(part.mean()))


def _pawn_colors(pack: Pack) -> tuple[str, ...] | None:
    """Return the colours of the pawns of the pack's game; None if it has no known rules."""
    if pack.game is None:
        return None
    try:
        return game_named(pack.game).colors
    except GameError:
        return None
