"""Facings of animals on squares: species, square and direction of each animal.

Animals are flat pictures with an outline and a front. On squares that differ from the known print, each
animal's picture is correlated within its outline, at every facing and at small shifts and rotations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Edge
from engine.pack import Art, Pack
from vision.geometry.ortho import CELL_PX
from vision.squares.params import PARAMS
from vision.tiles.reprojection import LEVELS

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

ASKEW_DEG = (-14.0, -7.0, 0.0, 7.0, 14.0)
"""Deviations from a facing at which animals are searched, in degrees clockwise."""
COARSE = 2
"""Factor by which pictures are shrunk before they are compared."""
REACH, STEP = 6, 2
"""Maximum shift of an animal from its square's centre, and step of the search, in shrunken pixels."""
LOOKED_CLOSER = 5
"""Number of likeliest (animal, facing) whose best places are searched at full resolution."""
FAINT = 0.05
"""Contrast, in halves of full scale, that is added before the division in the correlation."""


@dataclass(frozen=True, slots=True, eq=False)
class Fronts:
    """A pack's animals at the scale of the orthographic view.

    ``names`` are the species; ``pictures`` uint8 (n, s, s, 3) BGR with the front to the north; ``masks``
    uint8 (n, s, s), 255 inside the outline.
    """

    names: tuple[str, ...]
    pictures: U8
    masks: U8

    @classmethod
    def of(cls, pack: Pack, squares_across: int) -> Fronts | None:
        """Load the animals of a pack whose parts have ``squares_across`` squares per side.
        None if it has no animals, or not a picture of each."""
        files = [pack.art(f"token-{name}") for name in pack.animals]
        if not files or pack.token_mm is None:
            return None
        size = round(CELL_PX * pack.token_mm * squares_across / pack.tile_mm)
        pictures, masks = [], []
        for file in files:
            image = None if file is None else _decoded(file)
            if image is None or image.ndim != 3:
                return None
            small = np.asarray(cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA), np.uint8)
            pictures.append(small[..., :3])
            opaque = np.full((size, size), 255, np.uint8)
            masks.append(small[..., 3] if small.shape[2] == 4 else opaque)
        return cls(pack.animals, np.stack(pictures), np.stack(masks))


def _decoded(file: Art) -> U8 | None:
    """Decode a picture with all its channels; None if it cannot be read."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) if data else None
    return None if image is None else np.asarray(image, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class FrontReading:
    """A recognised animal.
    ``square`` is (column, row) from the north-west, ``middle_px`` its centre in the view from above; ``odds``
    (species, 4) are probabilities over species and facing (n e s w); ``askew_deg`` is its clockwise deviation
    from the facing. ``fits`` (species, 4, askew) are the correlations of all animals."""

    square: tuple[int, int]
    middle_px: tuple[float, float]
    species: int
    facing: Edge
    odds: F32
    askew_deg: float
    fits: F32

    @property
    def confidence(self) -> float:
        """The probability of the species and facing read."""
        return float(self.odds[self.species, EDGES.index(self.facing)])

    def among(self, species: Sequence[int]) -> FrontReading:
        """Return the reading if only the species of these indices are possible."""
        fits = np.full_like(self.fits, -1.0)
        fits[species] = self.fits[species]
        return _reading(self.square, self.middle_px, fits)


class FrontReader:
    """Reader of animals; it caches their pictures at every facing."""

    def __init__(self, fronts: Fronts) -> None:
        self.fronts = fronts
        self._bank = _Bank.of(fronts)

    def read(
        self, relit: F32, unexplained: F32, origin_px: tuple[float, float], squares: Sequence[tuple[int, int]]
    ) -> tuple[FrontReading, ...]:
        """Read the animals on ``squares`` (column, row), each species at most once.

        ``relit`` float32 (H, W, 3) is the view from above under the light of the gallery's pictures, -1..1;
        ``unexplained`` (H, W) is its difference from the print; ``origin_px`` is the north-west corner of
        square (0, 0) in the view. Squares that show only print are skipped.
        """
        small = _shrunk(relit)
        found = []
        for square in squares:
            left, top = (round(origin_px[i] + square[i] * CELL_PX) for i in (0, 1))
            inner = unexplained[top + 8 : top + CELL_PX - 8, left + 8 : left + CELL_PX - 8]
            if inner.size and float((inner > PARAMS.unexplained_level).mean()) >= PARAMS.asked_share:
                middle = [(at + (CELL_PX - 1) / 2 - (COARSE - 1) / 2) / COARSE for at in (left, top)]
                reading = self._look(small, square, (middle[0], middle[1]))
                if reading is not None:
                    found.append(reading)
        return _each_once(found)

    def explained(self, readings: Sequence[FrontReading], said: F32) -> F32:
        """Return a copy of ``said`` in which these animals count as print.
        ``said`` (H, W, 7) are the channels of `vision.tiles.reprojection.against_print`."""
        said = said.copy()
        for one in readings:
            turn = 90.0 * EDGES.index(one.facing) + one.askew_deg
            picture, mask = self.fronts.pictures[one.species], self.fronts.masks[one.species]
            half = len(picture)  # half of the part's side: contains the animal at any rotation
            left, top = (max(0, round(at) - half) for at in one.middle_px)
            part = said[top : top + 2 * half, left : left + 2 * half]
            to_part = cv2.getRotationMatrix2D(((half - 1) / 2,) * 2, -turn, 1.0)
            shift = np.array([one.middle_px[0] - left, one.middle_px[1] - top]) - (half - 1) / 2
            to_part = np.asarray(to_part, np.float64) + np.pad(shift[:, None], ((0, 0), (2, 0)))
            size = (part.shape[1], part.shape[0])
            laid = cv2.warpAffine(picture, to_part, size, flags=cv2.INTER_LINEAR)
            inside = cv2.warpAffine(mask, to_part, size, flags=cv2.INTER_LINEAR) > 127
            art = laid[inside].astype(np.float32) / np.float32(LEVELS) - 1
            part[inside, 3:6] = np.clip(part[inside, :3] - art, -2.0, 2.0)
            part[inside, 6] = 1.0
        return said

    def _look(self, small: F32, square: tuple[int, int], middle: tuple[float, float]) -> FrontReading | None:
        """Read the animal around the centre ``middle`` (x, y); None if no animal fits.
        ``small`` is the view shrunk by COARSE, ``middle`` is in its pixels."""
        steps = np.arange(-REACH, REACH + 1, STEP)
        around = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        fits = self._bank.fits(small, middle, around)
        places = {tuple(around[i]) for i in self._promising(fits)}
        steps = np.arange(1 - STEP, STEP)
        near = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        closer = np.unique(np.concatenate([near + place for place in places]), axis=0)
        fits = self._bank.fits(small, middle, closer)
        at = int(fits.max(axis=1).argmax())
        if float(fits[at].max()) < PARAMS.least_fit:
            return None
        # Pixel p of the small picture covers pixels 2 p and 2 p + 1 of the large one.
        x, y = (COARSE * (middle[i] + float(closer[at][i])) + (COARSE - 1) / 2 for i in (0, 1))
        every = fits.max(axis=0).reshape(len(self.fronts.names), 4, len(ASKEW_DEG))
        return _reading(square, (x, y), np.asarray(every, np.float32))

    def _promising(self, fits: F32) -> NDArray[np.intp]:
        """Return the rows of ``fits`` at which each of the likeliest animals and facings fits best.
        The rows are shifts, the columns templates."""
        kinds = fits.reshape(len(fits), -1, len(ASKEW_DEG)).max(axis=2)
        likeliest = np.argsort(-kinds.max(axis=0))[:LOOKED_CLOSER]
        return np.asarray(kinds[:, likeliest].argmax(axis=0), np.intp)


def _reading(square: tuple[int, int], middle_px: tuple[float, float], fits: F32) -> FrontReading:
    """Return the reading of the best-fitting animal, from the correlations ``fits`` (species, 4, askew).
    ``middle_px`` is its centre in the view."""
    species, facing, askew = np.unravel_index(int(fits.argmax()), fits.shape)
    odds = np.exp(PARAMS.nats_per_fit * (fits.max(axis=2) - fits.max()))
    odds = np.asarray(odds / odds.sum(), np.float32)
    return FrontReading(
        square, middle_px, int(species), EDGES[int(facing)], odds, ASKEW_DEG[int(askew)], fits
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Bank:
    """Shrunk pictures of every animal at every facing and deviation, as correlation templates.

    ``rows`` (n, d) float32 are the pictures within their outlines, with mean 0 per colour and norm 1;
    ``means`` (n, 3) are their mean colours, -1..1; ``masks`` (m, pixels) 0 or 1 are the distinct outlines,
    ``mask_of`` (n,) the index of each picture's outline; ``size`` is the side in pixels.
    """

    rows: F32
    means: F32
    masks: F32
    mask_of: NDArray[np.int64]
    size: int

    @classmethod
    def of(cls, fronts: Fronts) -> _Bank:
        count = len(fronts.pictures[0])
        size = round(np.ceil(1.22 * count / COARSE))
        large = COARSE * size
        rows, means, masks = [], [], []
        for picture, mask in zip(fronts.pictures, fronts.masks, strict=True):
            for quarter in range(4):
                for askew in ASKEW_DEG:
                    to = cv2.getRotationMatrix2D(((count - 1) / 2,) * 2, -(90.0 * quarter + askew), 1.0)
                    to[:, 2] += (large - count) / 2
                    laid = cv2.warpAffine(picture, to, (large, large), flags=cv2.INTER_LINEAR)
                    inside = cv2.warpAffine(mask, to, (large, large), flags=cv2.INTER_LINEAR)
                    weight = (_shrunk(inside.astype(np.float32)) > 200).astype(np.float32)[..., None]
                    value = _shrunk(laid.astype(np.float32)) / np.float32(LEVELS) - 1
                    mean = (value * weight).sum(axis=(0, 1)) / weight.sum()
                    row = ((value - mean) * weight).ravel()
                    rows.append(row / np.linalg.norm(row))
                    means.append(mean)
                    masks.append(weight.ravel())
        outlines, mask_of = np.unique(np.stack(masks), axis=0, return_inverse=True)
        return cls(
            np.stack(rows).astype(np.float32),
            np.stack(means).astype(np.float32),
            outlines,
            np.asarray(mask_of).reshape(-1),
            size,
        )

    def fits(self, small: F32, middle: tuple[float, float], moves: NDArray[np.signedinteger]) -> F32:
        """Return correlations (moves, n) of the picture with every template, less a penalty for wrong colour.
        ``small`` is the view shrunk by COARSE, compared around ``middle`` (x, y), shifted by each of
        ``moves`` (dx, dy), all in its pixels. The penalty is for a difference of the mean colours."""
        left, top = (round(middle[i] - (self.size - 1) / 2) for i in (0, 1))
        seen = np.stack(
            [small[top + dy : top + dy + self.size, left + dx : left + dx + self.size] for dx, dy in moves]
        )
        count, pixels = len(seen), self.masks.sum(axis=1)
        flat = seen.reshape(count, -1, 3)
        means = np.stack([flat[..., c] @ self.masks.T for c in range(3)], axis=2) / pixels[:, None]
        power = (flat * flat).sum(axis=2) @ self.masks.T / pixels
        spread = np.sqrt(np.maximum(power - (means * means).sum(axis=2), 0.0) + FAINT**2) * np.sqrt(pixels)
        alike = (seen.reshape(count, -1) @ self.rows.T) / spread[:, self.mask_of]
        off = np.abs(means[:, self.mask_of] - self.means).mean(axis=2)
        return np.asarray(
            alike - PARAMS.off_color_cost * np.maximum(off - PARAMS.free_color, 0.0), np.float32
        )


def _shrunk(picture: F32) -> F32:
    """Shrink a picture (H, W) or (H, W, 3) by COARSE."""
    size = (picture.shape[1] // COARSE, picture.shape[0] // COARSE)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)


def _each_once(found: Sequence[FrontReading]) -> tuple[FrontReading, ...]:
    """Return the readings with each species at most once, greedily by the margin over the second-best fit.
    A reading whose species is taken gets its next best species, or is left out if none fits."""
    left, kept = list(found), []
    free = set(range(found[0].fits.shape[0])) if found else set()
    while left and free:
        names = sorted(free)
        fits = np.stack([one.fits[names].max(axis=(1, 2)) for one in left])
        fits = np.concatenate([fits, np.full((len(left), 1), PARAMS.least_fit - 1)], axis=1)
        ranked = np.sort(fits, axis=1)
        i = int((ranked[:, -1] - ranked[:, -2]).argmax())
        if ranked[i, -1] >= PARAMS.least_fit:
            kept.append(left[i].among(names))
            free.remove(kept[-1].species)
        del left[i]
    return tuple(kept)
