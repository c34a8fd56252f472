"""Token reader: reads the animal tiles of a board.

Places are the piece reader's detections and candidates that it may have missed (`vision.tokens.candidates`);
each is read by `vision.tokens.search`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from engine.tiles.pieces import OWNED
from models import OnnxModel
from vision.geometry.ortho import px_in_quad
from vision.observation import BoardPose, CellReading, Image, PieceReading, Quad, Sight
from vision.pieces.params import PARAMS as PIECES
from vision.probability import with_evidence
from vision.tiles.board_reader import moved
from vision.tiles.reprojection import ExpectedFace
from vision.tokens.candidates import apart_from, tokens_maybe_at
from vision.tokens.params import PARAMS
from vision.tokens.search import FAR_STEPS, NEAR_STEPS, BoardPhoto, TokenLook, TokenLooker
from vision.tokens.templates import TokenFaces

F32 = NDArray[np.float32]
LEAST = 0.5
"""Probability below which an animal tile is only a hint."""
MEDIAN_OF_NORMAL = 0.6745
"""Median absolute deviation of a normal distribution, in standard deviations."""
LOOKS = 3
"""Maximum number of reads of a place that only changes by noise."""
CALM_DEVIATIONS = 6.0
"""Minimum change of a block, in standard deviations of the picture's noise, for a place to count as
changed."""
BLOCKS = 6
"""Number of blocks per side in the comparison of a place between pictures."""


class TokenReader:
    """Reads the animal tiles of one table frame by frame; unchanged places are not read again."""

    def __init__(self, faces: TokenFaces, model: OnnxModel) -> None:
        """``model`` is the network of `vision.tokens.search.choose`."""
        self._looker = TokenLooker(faces, model)
        self._side = faces.side
        self._known: list[_Known] = []
        self._places: dict[Cell, tuple[CellReading, list[PieceReading]]] = {}
        self._later = False

    def read(
        self,
        sight: Sight,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        pieces: Sequence[PieceReading],
        prints: Mapping[Cell, ExpectedFace],
        spots_of: Callable[[CellReading], Sequence[Point]] = lambda _: (),
    ) -> tuple[tuple[PieceReading, ...], tuple[PieceReading, ...]]:
        """Read the tokens among ``pieces`` and search further ones.

        Returns the pieces, with animal and updated confidence of tokens on tiles of ``pose``, and hints:
        tokens with a probability below one half. ``cells`` are the tiles' readings in this picture,
        ``prints`` the faces known for sure; ``spots_of`` gives the spots of a cell's features, in sides from
        its north-west.
        """
        table = BoardPhoto(sight, pose.quads, prints, pose.tile_side_px)
        persons = [p.lattice_xy for p in pieces if p.kind in OWNED]
        scene = _Scene(table, cells, self._known, persons)
        self._known = []
        later = self._later
        tokens = [p for p in pieces if p.kind == "token" and p.cell in cells and p.cell in pose.quads]
        unread = [p for p in pieces if p.kind == "token" and p not in tokens]
        read = [p for p in pieces if p not in tokens and (p.kind != "token" or p.confidence >= LEAST)]
        asked = [(token, _steps(token, later)) for token in tokens]
        looked = [self._looked_at(scene, token, steps) for token, steps in asked]
        borne_out = [token for token, there_nats in looked if there_nats >= PARAMS.fits_nats]
        looked += self._missed(scene, spots_of, [*read, *borne_out])
        found = _one_at_a_place(looked, PARAMS.apart_sides * self._side)
        told = [replace(token, confidence=_with(token.confidence, there_nats)) for token, there_nats in found]
        read += [token for token in told if token.confidence >= LEAST]
        hints = [token for token in (*told, *unread) if token.confidence < LEAST]
        return tuple(read), tuple(_apart(hints, read, PARAMS.apart_sides * self._side))

    def _looked_at(self, scene: _Scene, token: PieceReading, steps: int) -> tuple[PieceReading, float]:
        """Read one token; return it with animal and position, and the log-odds by the picture that it is one.
        ``steps`` is the radius of the search. An unchanged place keeps its earlier read. Evidence against a
        token at any angle near a player's piece, which may hide it, does not count."""
        table, cell = scene.table, scene.cells[token.cell]
        reach_px = self._side * table.side_px / 2
        before = _as_before(scene.before, cell, token.lattice_xy, table.sight.image, reach_px)
        if before is not None and (before.calm or before.looks >= LOOKS):
            known = before
        else:
            look = self._looker.look(table, token, steps, cell.hidden)
            appearance = _blocks(table.sight.image, token.point_px, reach_px)
            looks = 1 if before is None else before.looks + 1
            known = _Known(cell, token.lattice_xy, token.point_px, look, appearance, looks)
        self._known.append(known)
        look = known.look
        if look.uv is not None:
            token = _moved(token, table.quads[token.cell], look.uv)
        animal = max(look.odds, key=lambda name: look.odds[name])
        blind = look.anyhow and not apart_from(token.lattice_xy, scene.persons, PARAMS.beside_sides)
        there_nats = max(look.there_nats, 0.0) if blind else look.there_nats
        return replace(token, animal=animal, animal_probs=look.odds), there_nats

    def _missed(
        self,
        scene: _Scene,
        spots_of: Callable[[CellReading], Sequence[Point]],
        pieces: Sequence[PieceReading],
    ) -> list[tuple[PieceReading, float]]:
        """Read candidate tokens that are not among ``pieces``; return each with its log-odds.

        ``spots_of`` gives the spots of a cell's features. After the first picture the search is more
        thorough, but limited to changed cells; other cells keep their candidates. Places that show only print
        are left out.
        """
        cells, places = scene.cells, self._places
        self._places = {}
        changed = [c for c, r in cells.items() if c not in places or not _unchanged(places[c][0], r)]
        looked = []
        for cell, reading in cells.items():
            quad, tokens = scene.table.quads.get(cell), list[PieceReading]()
            if cell not in changed:
                tokens = places[cell][1]
            elif quad is not None:
                spots = spots_of(reading) if self._later else ()
                few = self._later and len(changed) <= PARAMS.few_changed
                tokens = tokens_maybe_at(reading, quad, spots, pieces, self._side, everywhere=few)
            seen = [self._looked_at(scene, token, 0) for token in tokens]
            # Plainly bare places are not read again.
            worth = [
                i
                for i, token in enumerate(tokens)
                if token.confidence > PARAMS.in_sight_prior or seen[i][1] > 0
            ]
            self._places[cell] = reading, [tokens[i] for i in worth]
            looked += [seen[i] for i in worth]
        self._later = True
        return looked


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """Data shared by all reads of one picture.
    They are the photo with its tiles, their readings, the reads of the previous picture, and the positions of
    players' pieces."""

    table: BoardPhoto
    cells: Mapping[Cell, CellReading]
    before: Sequence[_Known]
    persons: Sequence[Point]


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """The latest read of one place, ``lattice_xy`` in tile sides.

    ``looks`` is the number of reads since the place last changed by more than noise, ``appearance`` the
    colours around ``point_px`` in the latest picture. ``calm``: that picture differs from the previous one by
    less than `calm_levels`.
    """

    cell: CellReading
    lattice_xy: Point
    point_px: Point
    look: TokenLook
    appearance: F32
    looks: int
    calm: bool = True


def _steps(token: PieceReading, later: bool) -> int:
    """Return the radius, in grid steps, of the search around the piece reader's detection ``token``.
    It is 0 for a faint detection, and wide for a doubtful one in pictures after the first (``later``)."""
    if token.confidence < PARAMS.likely_share:
        return 0
    return FAR_STEPS if later and token.confidence < PARAMS.plain_share else NEAR_STEPS


def _unchanged(before: CellReading, now: CellReading) -> bool:
    """Whether two readings of a cell are the same; its corners may have been refined slightly."""
    return (
        before.log_probs is now.log_probs
        and moved(before.corners_px, now.corners_px) < PIECES.same_look_sides
    )


def _as_before(
    known: Sequence[_Known], cell: CellReading, lattice_xy: Point, image: Image, reach_px: float
) -> _Known | None:
    """Return the read of a token near ``lattice_xy``, of those in ``known``, if its place is unchanged.

    Else None. The cell's reading must be the same, and the square within ``reach_px``. The square is compared
    as well, because a token behind a meeple changes the cell too little, and at the position of the earlier
    read, because detections jitter by a pixel.
    """
    apart = [
        (math.dist(token.lattice_xy, lattice_xy), token) for token in known if _unchanged(token.cell, cell)
    ]
    far, nearest = min(apart, key=lambda one: one[0], default=(math.inf, None))
    if nearest is None or far >= PARAMS.astray_sides:
        return None
    appearance = _blocks(image, nearest.point_px, reach_px)
    change = appearance - nearest.appearance
    change = change - np.median(change, axis=0)
    noise = float(np.median(np.abs(change))) / MEDIAN_OF_NORMAL
    most = float(np.abs(change).max())
    if most >= max(PIECES.calm_levels, CALM_DEVIATIONS * noise):
        return None
    return replace(nearest, cell=cell, appearance=appearance, calm=most < PIECES.calm_levels)


def _blocks(image: Image, middle_px: Point, reach_px: float) -> F32:
    """Return the mean colours (BLOCKS², 3) of the blocks of the square within ``reach_px`` of a point.
    0 if it lies outside the picture."""
    x, y = middle_px
    part = image[
        max(int(y - reach_px), 0) : int(y + reach_px) + 1, max(int(x - reach_px), 0) : int(x + reach_px) + 1
    ]
    if not part.size:
        return np.zeros((BLOCKS * BLOCKS, 3), np.float32)
    small = cv2.resize(part, (BLOCKS, BLOCKS), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32).reshape(-1, 3)


def _one_at_a_place(
    looked: Sequence[tuple[PieceReading, float]], least: float
) -> list[tuple[PieceReading, float]]:
    """Return the tokens of ``looked`` without those near a better one (non-maximum suppression).
    They come with their log-odds. Poor fits nearer than ``least`` tile sides to a good one are removed, and
    good ones nearer than half of that."""
    kept: list[tuple[PieceReading, float]] = []
    for token, there_nats in sorted(looked, key=lambda one: -one[1]):
        well = [other.lattice_xy for other, nats in kept if nats >= PARAMS.fits_nats]
        if apart_from(token.lattice_xy, well, least if there_nats < PARAMS.fits_nats else least / 2):
            kept.append((token, there_nats))
    return kept


def _apart(hints: Sequence[PieceReading], read: Sequence[PieceReading], least: float) -> list[PieceReading]:
    """The likeliest hints at least ``least`` tile sides from each other and from the tokens in ``read``."""
    places = [piece.lattice_xy for piece in read if piece.kind == "token"]
    kept = []
    for hint in sorted(hints, key=lambda hint: -hint.confidence):
        if apart_from(hint.lattice_xy, places, least):
            places.append(hint.lattice_xy)
            kept.append(hint)
    return kept


def _moved(token: PieceReading, quad: Quad, uv: tuple[float, float]) -> PieceReading:
    """Return a token with its centre at ``uv``, 0..1, of the tile at ``quad``."""
    x, y = token.cell
    u, v = (min(max(at, 0.0), 0.999) for at in uv)
    return replace(token, point_px=px_in_quad(quad, (u, v)), lattice_xy=(x + u, y + v))


def _with(probability: float, nats: float) -> float:
    """Update a probability by ``nats`` of evidence."""
    return with_evidence(min(max(probability, 1e-6), 1 - 1e-6), nats)
