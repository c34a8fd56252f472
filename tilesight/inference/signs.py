"""Signs: detections by place, which show whether the pieces that a turn needs may be on the table."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from engine.geometry import CORNERS, Cell, Corner, Point, cell_of
from engine.pack import Pack
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.view_params import PARAMS

OUTSIDE_NEED = "outside"
"""Kind of `candidates.legal_turns.PieceNeed` that is a piece on an empty space beside the tiles."""


class Sign(NamedTuple):
    """Detection at one place.

    ``kinds`` are the kinds of piece that it was read as. ``odd`` is true if its colour is not in play.
    ``beside`` is true if it is certainly beside the tiles, where no animal tile can lie.
    """

    xy: Point
    kinds: frozenset[str]
    odd: bool
    beside: bool


class Signs:
    """Detected pieces on a table, searchable by place, and the cells that show a tile (``lying``)."""

    def __init__(self, pieces: Iterable[Sign], lying: Collection[Cell]) -> None:
        self._pieces = tuple(pieces)
        self._lying = lying
        self._signs_of: dict[tuple[str, Point], list[tuple[Point, float]]] = {}
        self._open_corners: list[tuple[Cell, Corner, Point]] | None = None
        self._corners: dict[tuple[frozenset[Point], frozenset[Point]], frozenset[tuple[Cell, Corner]]] = {}

    def lies(self, cell: Cell) -> bool:
        """Whether the cell is one of ``lying``: it shows a tile."""
        return cell in self._lying

    def shows(self, kind: str, place: Point, taken: frozenset[Point] = frozenset()) -> bool:
        """Whether a piece of that kind was detected at ``place`` that is not a known one at ``taken``.

        A detection belongs to a known piece if it is nearer to it than to ``place``. The kind ``dig`` is a
        player's piece that may be on an animal tile and hide it.
        """
        return any(
            all(math.dist(xy, other) > distance for other in taken) for xy, distance in self._at(kind, place)
        )

    def may_hold_token(self, place: Point, tokens: frozenset[Point], taken: frozenset[Point]) -> bool:
        """Whether an animal tile may have been laid at ``place``.

        Either one was detected there other than those at ``tokens``, or a player's piece other than those at
        ``taken``, which may hide one.
        """
        return self.shows("token", place, tokens) or self.shows("dig", place, taken)

    def token_corners(
        self, pack: Pack, tokens: frozenset[Point], taken: frozenset[Point]
    ) -> frozenset[tuple[Cell, Corner]]:
        """Return the (cell, corner) for which `may_hold_token` holds, with these ``tokens`` and ``taken``."""
        if self._open_corners is None:
            self._open_corners = list(self._with_signs(pack))
        known = self._corners.get((tokens, taken))
        if known is None:
            known = self._corners[tokens, taken] = frozenset(
                (cell, corner)
                for cell, corner, place in self._open_corners
                if self.may_hold_token(place, tokens, taken)
            )
        return known

    def _at(self, kind: str, place: Point) -> list[tuple[Point, float]]:
        """Return (point, distance in tile sides) of the detections that may be such a piece at ``place``."""
        known = self._signs_of.get((kind, place))
        if known is None:
            x, y = place
            near = PARAMS.outside_reach_sides if kind == OUTSIDE_NEED else PARAMS.token_reach_sides
            known = self._signs_of[kind, place] = [
                (piece.xy, math.dist(piece.xy, place))
                for piece in self._pieces
                if abs(piece.xy[0] - x) <= near and abs(piece.xy[1] - y) <= near
                if _may_be(piece, kind, place)
            ]
        return known

    def _with_signs(self, pack: Pack) -> Iterator[tuple[Cell, Corner, Point]]:
        """Yield (cell, corner, point) of each corner where a detection may be or hide an animal tile.

        The point is where that tile would be.
        """
        for x, y in {cell_of(piece.xy) for piece in self._pieces if not piece.beside}:
            for corner in CORNERS:
                u, v = pack.token_spot(corner)
                place = (x + u, y + v)
                if self._at("token", place) or self._at("dig", place):
                    yield (x, y), corner, place


def _may_be(piece: Sign, kind: str, place: Point) -> bool:
    """Whether a detection may be a piece of that kind at ``place``; it is known to be near."""
    if kind == OUTSIDE_NEED:
        # No other kind of piece is beside the tiles, so any detection there may be one.
        return piece.odd or bool(piece.kinds & OUTSIDE) or "meeple" in piece.kinds
    if kind == "dig":
        return bool(piece.kinds & OWNED) and math.dist(piece.xy, place) < PARAMS.token_spread_sides
    return piece.odd or "token" in piece.kinds
