"""Search at one place where an animal tile may lie: flush with a corner, or at any angle.

How it lies is found by what is seen of it (`vision.tokens.templates`) or by what differs from the print
(`vision.tokens.pose_search`); whether it is one, and which, is left to `vision.tokens.token_classifier`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from models import OnnxModel
from vision.geometry.ortho import uv_in_quad
from vision.observation import Image, PieceReading
from vision.tokens.candidates import CORNERS_DEG, hidden_share
from vision.tokens.params import PARAMS
from vision.tokens.pose_search import TokenPose, TokenShapes, likely_poses
from vision.tokens.templates import TURNS_DEG, TokenFaces, TokenFit
from vision.tokens.token_classifier import BoardPhoto, TokenChoice, choose

Floats = NDArray[np.float32]
STEP, NEAR_STEPS, FAR_STEPS = 0.15, 1, 3
"""Step of looking about, in sides of an animal tile, and steps each way: near, and far for doubtful ones."""
CLIMBS = 3
"""Times that one that is not well seen is looked about again, at most."""


@dataclass(frozen=True, slots=True)
class TokenLook:
    """Answer for a look at a token: each animal's probability, the log-odds that it is one at all, where on
    its tile it lies if that is elsewhere than where it was looked at, and whether it may lie anyhow."""

    odds: Mapping[str, float]
    there_nats: float
    uv: tuple[float, float] | None
    anyhow: bool = False


class TokenLooker:
    """Looks at places for animal tiles."""

    def __init__(self, faces: TokenFaces, model: OnnxModel) -> None:
        """``model`` is the network that chooses between animal tiles."""
        self._faces = faces
        self._model = model

    @cached_property
    def _shapes(self) -> TokenShapes:
        """The small pictures of the animal tiles, made when one is first looked for at any angle."""
        return TokenShapes.of(self._faces.pictures, self._faces.side)

    def look(
        self, table: BoardPhoto, piece: PieceReading, steps: int, hidden: NDArray[np.bool_]
    ) -> TokenLook:
        """One place; it is looked about ``steps`` steps around where none would lie flush, 0 for a place at
        which hardly anything speaks for one. ``hidden`` (g, g) are the patches of its tile whose print is."""
        quad = np.asarray(table.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        flush = self._flush(table, piece.cell, uv)
        if flush is not None and (not steps or _plain(flush) or flush.there_nats >= PARAMS.there_most):
            return _looked(flush)
        anyhow, at = self._anyhow(table, piece.cell, uv, steps, hidden_share(hidden, uv, self._faces.side))
        if flush is not None and anyhow.there_nats - PARAMS.any_turn_nats < flush.there_nats:
            return _looked(flush)
        elsewhere = at if anyhow.there_nats > PARAMS.any_turn_nats else None
        return _looked(
            replace(anyhow, there_nats=anyhow.there_nats - PARAMS.any_turn_nats), elsewhere, anyhow=True
        )

    def _anyhow(
        self, table: BoardPhoto, cell: Cell, uv: Point, steps: int, hidden: float
    ) -> tuple[TokenChoice, Point | None]:
        """Token near ``uv`` whichever way round, and where if that may be elsewhere: by what is seen, and
        where that does not tell and so much of the print is ``hidden``, by how the picture differs. Where
        nobody saw one it is the other way about."""
        if steps or hidden < PARAMS.hidden_share / 2:
            seen = self._by_sight(table, cell, uv, steps)
            if _plain(seen[0]) or hidden < PARAMS.hidden_share / 2:
                return seen
            likely = [pose for pose in self._poses(table, cell, uv) if pose.gain_px > 0.0]
            return _better(seen, self._by_difference(table, cell, likely))
        poses = self._poses(table, cell, uv)
        by_difference = self._by_difference(table, cell, poses)
        if by_difference is not None and poses[0].gain_px > 0.0:
            return by_difference
        return _better(self._by_sight(table, cell, uv, steps), by_difference)

    def _by_sight(
        self, table: BoardPhoto, cell: Cell, uv: Point, steps: int
    ) -> tuple[TokenChoice, Point | None]:
        """Token where one fits best, and where; one that the piece reader was sure of lies at ``uv``, any
        other may lie some way from where it looked."""
        about = self._about(table.image, np.asarray(table.quads[cell], np.float32), uv, steps or NEAR_STEPS)
        choice = self._chosen(table, cell, about.uv, about.turn_deg)
        return choice, about.uv if steps > NEAR_STEPS else None

    def _by_difference(
        self, table: BoardPhoto, cell: Cell, poses: Sequence[TokenPose]
    ) -> tuple[TokenChoice, Point] | None:
        """Token where one in one of ``poses`` explains the picture best, and where; None without any."""
        if not poses:
            return None
        looks = [choose(table, cell, [pose.uv], pose.turn_deg, self._faces, self._model)[0] for pose in poses]
        first, best = max(zip(looks, poses, strict=True), key=lambda look: look[0].there_nats)
        return self._surely(first, table, cell, best.uv, best.turn_deg), best.uv

    def _poses(self, table: BoardPhoto, cell: Cell, uv: Point) -> list[TokenPose]:
        """Poses near ``uv``, or near the best of them if that is hardly near any more."""
        poses = likely_poses(table, cell, uv, PARAMS.search_sides, self._shapes)
        if poses and math.dist(poses[0].uv, uv) > 0.8 * PARAMS.search_sides:
            return likely_poses(table, cell, poses[0].uv, PARAMS.search_sides, self._shapes)
        return poses

    def _about(self, image: Image, quad: Floats, uv: Point, steps: int) -> TokenFit:
        """Fit of one that lies anyhow near ``uv``; from where it fits best it is looked about again."""
        best = self._faces.fit(image, quad, uv, TURNS_DEG, _around(steps))
        for _ in range(CLIMBS if steps > NEAR_STEPS else 0):
            again = self._faces.fit(image, quad, best.uv, TURNS_DEG, _around(NEAR_STEPS))
            if again.mean < best.mean + PARAMS.climb_least:
                break
            best = again
        return best

    def _flush(self, table: BoardPhoto, cell: Cell, uv: Point) -> TokenChoice | None:
        """Token flush with the corner, None where nothing near ``uv`` would."""
        corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
        u, v = (abs(east_or_south - self._faces.side / 2) for east_or_south in corner)
        if math.dist((u, v), uv) >= PARAMS.flush_sides:
            return None
        return self._chosen(table, cell, (u, v), CORNERS_DEG[corner])

    def _chosen(self, table: BoardPhoto, cell: Cell, uv: Point, turn_deg: float) -> TokenChoice:
        """Token about ``uv``."""
        (first,) = choose(table, cell, [uv], turn_deg, self._faces, self._model)
        return self._surely(first, table, cell, uv, turn_deg)

    def _surely(
        self, first: TokenChoice, table: BoardPhoto, cell: Cell, uv: Point, turn_deg: float
    ) -> TokenChoice:
        """Answer of the ``first`` look at ``uv``, or where that leaves something open its surroundings, too:
        which animal by the place at which it agrees best, if there is one at all by all of them alike."""
        if _plain(first) or first.there_nats < PARAMS.bare_nats:
            return first
        off = PARAMS.astray_sides
        about = [(uv[0] + u, uv[1] + v) for u, v in ((off, 0.0), (-off, 0.0), (0.0, off), (0.0, -off))]
        others = choose(table, cell, about, turn_deg, self._faces, self._model)
        best = max(first, *others, key=lambda choice: choice.there_nats)
        there_nats = (first.there_nats + sum(choice.there_nats for choice in others)) / (1 + len(others))
        return TokenChoice(there_nats, best.odds)


def _better(
    seen: tuple[TokenChoice, Point | None], other: tuple[TokenChoice, Point] | None
) -> tuple[TokenChoice, Point | None]:
    """The one of two looks at the same place for which more speaks."""
    return seen if other is None or other[0].there_nats <= seen[0].there_nats else other


def _plain(choice: TokenChoice) -> bool:
    """Whether a place leaves neither open if an animal tile lies there, nor which."""
    return choice.there_nats >= PARAMS.fits_nats and max(choice.odds.values()) >= PARAMS.plain_share


def _looked(choice: TokenChoice, uv: Point | None = None, *, anyhow: bool = False) -> TokenLook:
    return TokenLook(
        choice.odds, min(max(choice.there_nats, PARAMS.there_least), PARAMS.there_most), uv, anyhow
    )


def _around(steps: int) -> list[Point]:
    """Places around one, in a token's sides."""
    line = [STEP * step for step in range(-steps, steps + 1)]
    return [(x, y) for y in line for x in line]
