"""Templates: descriptors of each animal tile of a pack in every rotation.

A token is handled as a very small tile, of which only the patches inside its outline count. The descriptor is
that of tiles, which is robust against light, occlusion and small misalignment.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Point
from engine.pack import Pack
from models import OnnxModel
from vision.geometry.homography import SQUARE
from vision.observation import Image, Sight
from vision.tiles.array_file import DAMAGE
from vision.tiles.gallery_file import cache_folder
from vision.tiles.matching import F32, ScoreValues, fit_parts, padded, similarity
from vision.tokens.crops import TOKEN_PX, token_pictures

TURNS_DEG = tuple(range(0, 360, 15))
"""Clockwise rotations of the templates, in degrees; the descriptor tolerates half a step."""
ARTWORK = 2
"""Oversampling factor at which the pictures are rotated."""
GROUND_BGR = (110.0, 170.0, 200.0)
"""Background colour, BGR, of transparent parts; patches there do not count."""
TURNS_TRIED = 2
"""Number of rotations of each animal that are compared with shifts: the most similar ones without shift."""
INSIDE = 0.8
"""Minimum share of animal tile in a patch that counts."""


Described = tuple[F32, NDArray[np.bool_], NDArray[np.uint8]]
"""References, mask of the patches that count, and pictures for crops; see `TokenFaces`."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFit:
    """Pose of the best-fitting token, with the ``mean`` fit of its visible patches.
    ``uv`` is its centre on its tile, ``turn_deg`` (of `TURNS_DEG`) its clockwise rotation."""

    mean: float
    uv: Point
    turn_deg: int


@dataclass(frozen=True, slots=True, eq=False)
class TokenFaces:
    """A pack's animal tiles. ``side`` is the side of one in tile sides.

    ``references`` float32 [turns, animals, (g+2)², d] are padded descriptors at each of `TURNS_DEG`,
    ``inside`` bool [turns, animals, g²] is the mask of the patches that count. ``pictures`` uint8 [animals,
    TOKEN_PX, TOKEN_PX, 4] are for the crops (`vision.tokens.crops`).
    """

    animals: tuple[str, ...]
    side: float
    model: OnnxModel
    references: F32
    inside: NDArray[np.bool_]
    pictures: NDArray[np.uint8]

    @classmethod
    def of(cls, pack: Pack, model: OnnxModel, cache: Path | None = None) -> TokenFaces | None:
        """Load the animal tiles of a pack; None if it has none or no pictures. ``model`` is the descriptor.

        The descriptors are cached between runs in ``cache`` (default `cache_folder`), keyed by the pictures
        and the model.
        """
        pictures = [pack.art(f"token-{animal}") for animal in pack.tokens]
        if pack.token_mm is None or not pictures:
            return None
        try:
            data = [picture.read_bytes() for picture in pictures if picture is not None]
        except OSError:
            return None
        if len(data) < len(pictures) or not all(data):
            return None
        folder = cache or cache_folder()
        drawn = repr((TURNS_DEG, ARTWORK, GROUND_BGR, INSIDE, model.sha256)).encode()
        key = hashlib.sha256(b"".join(data) + drawn).hexdigest()[:16]
        kept = folder / f"{pack.id}-tokens-{key}.npz"
        known = _kept(kept, len(data)) or _described(data, model, kept)
        return cls(tuple(pack.tokens), pack.token_mm / pack.tile_mm, model, *known) if known else None

    def fit(
        self, sight: Sight, quad: F32, uv: Point, turns_deg: Collection[int], offsets: Collection[Point]
    ) -> TokenFit:
        """Find the best fit of a token with its centre near ``uv`` of the tile at ``quad`` [4, 2] px.

        It is searched at each of ``offsets`` from ``uv``, in its own sides, and in each of the clockwise
        ``turns_deg`` (of `TURNS_DEG`).
        """
        turns = np.array([TURNS_DEG.index(turn) for turn in turns_deg])
        middles = np.array(uv) + self.side * np.array(list(offsets))
        crops = sight.crops(self._squares(quad, middles), int(self.model.meta["crop_px"]))
        descriptors, visible = self.model(crops)
        values = ScoreValues.of(self.model.meta)
        turn = np.repeat(turns[:, None], len(self.animals), axis=1)
        if len(turns) > TURNS_TRIED:
            references = self.references[turns]
            alike = similarity(descriptors, visible, references.reshape(-1, *references.shape[2:]))
            by_turn = alike.max(axis=0).reshape(turn.shape)
            turn = turns[np.argsort(-by_turn, axis=0)[:TURNS_TRIED]]
        animal = np.arange(len(self.animals))
        references = self.references[turn, animal].reshape(-1, *self.references.shape[2:])
        inside = self.inside[turn, animal].reshape(len(references), -1)
        total, mean = fit_parts(descriptors, visible, references, inside, values)
        where, which = divmod(int(total.argmax()), len(references))
        u, v = middles[where]
        return TokenFit(float(mean.max()), (float(u), float(v)), TURNS_DEG[int(turn.reshape(-1)[which])])

    def _squares(self, quad: F32, middles: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the quads [n, 4, 2] px of tokens with centres ``middles`` [n, 2] on the tile at ``quad``."""
        to_px = cv2.getPerspectiveTransform(SQUARE.astype(np.float32), np.asarray(quad, np.float32))
        corners = (SQUARE - 0.5) * self.side + middles[:, None]
        px = cv2.perspectiveTransform(corners.reshape(1, -1, 2).astype(np.float64), to_px)
        return np.asarray(px.reshape(-1, 4, 2), np.float32)


def _kept(file: Path, animals: int) -> Described | None:
    """Read a cache file of ``animals`` animals; None if it is missing, damaged, or of another shape."""
    try:
        with file.open("rb") as opened, np.load(opened) as arrays:
            references, inside = arrays["references"].astype(np.float32), arrays["inside"]
            pictures = arrays["pictures"]
    except DAMAGE:
        return None
    fits = references.shape[:2] == inside.shape[:2] == (len(TURNS_DEG), animals)
    fits = fits and pictures.shape == (animals, TOKEN_PX, TOKEN_PX, 4)
    return (references, inside, pictures) if fits and np.isfinite(references).all() else None


def _described(data: Sequence[bytes], model: OnnxModel, keep: Path) -> Described | None:
    """Compute the templates from the pictures' files and write them to the cache ``keep``.
    None if a file is no picture. Older caches of the pack are deleted."""
    size = int(model.meta["crop_px"])
    decoded = (cv2.imdecode(np.frombuffer(each, np.uint8), cv2.IMREAD_UNCHANGED) for each in data)
    pictures = [np.asarray(picture, np.uint8) for picture in decoded if picture is not None]
    if len(pictures) < len(data):
        return None
    turned = [_turned(picture, turn, size) for turn in TURNS_DEG for picture in pictures]
    descriptors, _ = model(np.stack([picture for picture, _ in turned]))
    grid = math.isqrt(descriptors.shape[1])
    covers = [cv2.resize(cover, (grid, grid), interpolation=cv2.INTER_AREA) for _, cover in turned]
    inside = np.stack(covers).reshape(len(turned), -1) > INSIDE
    references = padded(descriptors * inside[..., None])
    shape = (len(TURNS_DEG), len(data))
    references = references.reshape(*shape, *references.shape[1:]).astype(np.float16)
    inside = inside.reshape(*shape, -1)
    laid = token_pictures(pictures)
    with contextlib.suppress(OSError):  # a read-only home only costs the next start some time
        keep.parent.mkdir(parents=True, exist_ok=True)
        part = keep.with_suffix(f".{os.getpid()}.part.npz")
        np.savez(part, references=references, inside=inside, pictures=laid)
        part.replace(keep)
        for older in set(keep.parent.glob(f"{escape(keep.stem.rpartition('-')[0])}-*.npz")) - {keep}:
            older.unlink(missing_ok=True)
    return references.astype(np.float32), inside, laid


def _turned(picture: Image, turn_deg: int, size_px: int) -> tuple[Image, F32]:
    """Rotate a picture by ``turn_deg`` clockwise on a plain background.
    Returns uint8 [s, s, 3], and its cover [s, s], 0..1; s is ``size_px``."""
    small = turned_picture(picture, turn_deg, size_px, size_px, ARTWORK)
    on_ground = small[..., :3] + np.array(GROUND_BGR, np.float32) * (1 - small[..., 3:])
    return np.asarray(np.clip(on_ground, 0, 255), np.uint8), np.ascontiguousarray(small[..., 3])


def turned_picture(picture: Image, turn_deg: float, side_px: int, frame_px: int, finer: int) -> F32:
    """Rotate a picture (h, h, 3 or 4) by ``turn_deg`` clockwise.
    It is scaled to ``side_px`` in the middle of a frame and oversampled by ``finer``. Returns float32
    (frame_px, frame_px, 4), premultiplied colours and cover 0..1."""
    large, frame = finer * side_px, finer * frame_px
    art = np.asarray(cv2.resize(picture, (large, large), interpolation=cv2.INTER_AREA), np.float32)
    cover = art[..., 3:] / 255 if art.shape[2] == 4 else np.ones_like(art[..., :1])
    middle = (large - 1) / 2
    turn = np.asarray(cv2.getRotationMatrix2D((middle, middle), -turn_deg, 1.0), np.float64)
    turn[:, 2] += (frame - large) / 2
    turned = cv2.warpAffine(np.dstack([art[..., :3] * cover, cover]), turn, (frame, frame))
    return np.asarray(cv2.resize(turned, (frame_px, frame_px), interpolation=cv2.INTER_AREA), np.float32)
