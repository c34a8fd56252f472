"""Animal tiles: whether one lies there, and which animal it shows, by how its picture fits those of the pack
(`vision.tokenfaces`), whichever way round it lies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from vision.known import moved
from vision.observation import BoardPose, CellReading, Image, PieceReading, Quad
from vision.ortho import px_in_quad, uv_in_quad
from vision.tokenfaces import TURNS_DEG, TokenFaces, TokenFit

Floats = NDArray[np.float32]
CORNERS_DEG = {(1, 1): 0, (0, 1): 90, (0, 0): 180, (1, 0): 270}
"""Clockwise turn of one flush with the corner (east, south) of a tile: its own south-east is its water."""
FLUSH = 0.12
"""One whose middle is seen this near to where it would lie flush, in tile sides, does."""
FLUSH_OFFSETS = ((0.0, 0.0), (0.1, 0.0), (-0.1, 0.0), (0.0, 0.1), (0.0, -0.1))
"""Where one that lies flush is looked for, in its own sides from where its middle is taken to be."""
STEP, NEAR_STEPS, FAR_STEPS = 0.15, 1, 3
"""Steps of looking about for others, in their own sides, and how many: near, and far for doubtful ones."""
LIKELY, WELL_SEEN = 0.25, 0.9
"""One that the piece reader was so sure of is doubtful: a meeple may hide a part of it."""
CLIMBS, CLIMB_LEAST = 3, 0.1
"""Where one is not well seen it is looked about so often again, as long as it fits so much better there."""
LIKE_NOTHING = 0.7
"""Mean fit of bare print: half of it fits less."""
SHARPNESS = 0.4
"""Share of the descriptor's nats that counts between animals: its patches know of each other."""
THERE_NATS, THERE_AT = 4.0, 2.1
"""How fast the log-odds that there is one grow with the mean fit, and from where on."""
ANY_TURN = 0.25
"""So much better must fit what is not flush with a corner: the more places and turns are tried, the better
the best of them fits anything."""
THERE_MOST, THERE_LEAST = 6.0, -2.0
"""Bounds of these log-odds: pictures agree by chance, too."""
FITS_NATS = 2.0
"""One for which its picture speaks so much lies there for sure: no other where it is."""
DOUBTFUL_FIT = 2.5
"""One that fits worse than this where it would lie flush may be one beside it, turned as it likes."""
BESIDE = 0.45
"""A player's piece this near to it, in tile sides, may hide it: then it may well be like no animal."""
LEAST_ASKED = 0.04
"""What the piece reader takes for an animal tile with this probability is worth a look."""
ABOUT_SPOT, ON_SPOT, MOST_SCANNED = 0.2, 0.15, 24
"""So far from its feature's spot may an added one lie, in tile sides; a piece this near to its middle stands
there instead; and so many places are looked at in one picture."""
LEAST = 0.5
"""What is less likely than this after it is none, but may be a hint for who knows what was there before."""
SCANNED, SCANNED_PRIOR = 0.5, 0.1
"""Where so much of the print at a place is hidden an animal tile may lie that the piece reader missed, with
this probability before it is looked at."""
APART = 0.9
"""Two tokens lie side by side: their middles are at least so far apart, in their sides."""
SAME_CORNERS = 0.01
"""A tile whose corners moved less than this, in sides, lies where it lay."""
SAME_PLACE = 0.05
"""A token seen this near to where one was, in tile sides, is that one."""


class TokenReader:
    """Reads animal tiles; one whose tile on the board looks as before is not looked at again."""

    def __init__(self, faces: TokenFaces) -> None:
        self._faces = faces
        self._known: list[_Known] = []
        self._hidden: dict[Cell, tuple[CellReading, list[PieceReading]]] | None = None

    def read(
        self,
        image: Image,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        pieces: Sequence[PieceReading],
        spots_of: Callable[[CellReading], Sequence[Point]] = lambda _: (),
    ) -> tuple[tuple[PieceReading, ...], tuple[PieceReading, ...]]:
        """The pieces, with ``animal`` and ``animal_probs`` on the tokens that lie on a tile of ``pose`` and
        their ``confidence`` after this look; and apart from them the tokens that are less likely than not,
        also where nobody saw one and the print is hidden, at corners and about ``spots_of`` its features, in
        sides from a tile's north-west. ``cells`` are the readings of the same picture."""
        before, self._known = self._known, []
        watched = self._hidden is not None
        tokens = [p for p in pieces if p.kind == "token" and p.cell in cells and p.cell in pose.quads]
        unread = [p for p in pieces if p.kind == "token" and p not in tokens]
        read = [p for p in pieces if p not in tokens and (p.kind != "token" or p.confidence >= LEAST)]
        asked = [(token, _steps(token, watched)) for token in tokens]
        looked = [self._looked_at(image, pose, cells, before, token, steps) for token, steps in asked]
        borne_out = [token for token, there_nats in looked if there_nats >= FITS_NATS]
        missed = self._missed(pose, cells, spots_of, [*read, *borne_out])
        looked += [self._looked_at(image, pose, cells, before, token, 0) for token in missed]
        found = _one_at_a_place(looked, APART * self._faces.side)
        told = [
            replace(token, confidence=_with(token.confidence, _bounded(there_nats, token, read)))
            for token, there_nats in found
        ]
        read += [token for token in told if token.confidence >= LEAST]
        hints = [token for token in (*told, *unread) if token.confidence < LEAST]
        return tuple(read), tuple(_apart(hints, read, APART * self._faces.side))

    def _looked_at(
        self,
        image: Image,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        before: Sequence[_Known],
        token: PieceReading,
        steps: int,
    ) -> tuple[PieceReading, float]:
        """A token with the animal that it shows, where it lies, and the log-odds that it is one by that."""
        cell = cells[token.cell]
        look = _as_before(before, cell, token.lattice_xy) or self._look(image, pose, token, steps)
        self._known.append(_Known(cell, token.lattice_xy, look))
        if look.uv is not None:
            token = _moved(token, pose.quads[token.cell], look.uv)
        animal = max(look.odds, key=lambda name: look.odds[name])
        return replace(token, animal=animal, animal_probs=look.odds), look.there_nats

    def _missed(
        self,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        spots_of: Callable[[CellReading], Sequence[Point]],
        pieces: Sequence[PieceReading],
    ) -> list[PieceReading]:
        """Tokens that are none of ``pieces``, on the cells that changed since the first picture: what was
        laid under somebody's eyes is worth more trouble than a photograph's every shadow."""
        before, now = self._hidden, {}
        for cell, reading in cells.items():
            known = before.get(cell) if before is not None else (reading, [])
            if known is None or not _unchanged(known[0], reading):
                quad, tokens = pose.quads.get(cell), list[PieceReading]()
                if quad is not None:
                    tokens = _at_hidden_places(reading, quad, spots_of(reading), pieces, self._faces.side)
                known = reading, tokens
            now[cell] = known
        self._hidden = now
        return [token for _, tokens in now.values() for token in tokens][:MOST_SCANNED]

    def _look(self, image: Image, pose: BoardPose, piece: PieceReading, steps: int) -> _Look:
        """One place; it is looked about ``steps`` steps around where none would lie flush, 0 for a place at
        which hardly anything speaks for one."""
        quad = np.asarray(pose.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        flush = self._flush(image, quad, uv, at_once=steps > 0)
        fit, like = flush, flush.mean if flush is not None else 0.0
        if flush is None or (steps and like < DOUBTFUL_FIT):
            about = self._about(image, quad, uv, steps or NEAR_STEPS)
            if flush is None or about.mean - ANY_TURN > like:
                fit, like = about, about.mean - ANY_TURN
        assert fit is not None
        nats = SHARPNESS * (fit.nats - fit.nats.max())
        shares = np.exp(nats) / np.exp(nats).sum()
        odds = {animal: float(share) for animal, share in zip(self._faces.animals, shares, strict=True)}
        there = THERE_NATS * (like - THERE_AT)
        # One that the piece reader was not sure of may lie some way from where it looked.
        elsewhere = fit.uv if there > 0 and fit is not flush and steps > NEAR_STEPS else None
        return _Look(odds, min(max(there, THERE_LEAST), THERE_MOST), elsewhere)

    def _about(self, image: Image, quad: Floats, uv: Point, steps: int) -> TokenFit:
        """How one fits that lies anyhow near ``uv``; from where it fits best it is looked about again."""
        best = self._faces.fit(image, quad, uv, TURNS_DEG, _around(steps))
        for _ in range(CLIMBS if steps > NEAR_STEPS else 0):
            again = self._faces.fit(image, quad, best.uv, TURNS_DEG, _around(NEAR_STEPS))
            if again.mean < best.mean + CLIMB_LEAST:
                break
            best = again
        return best

    def _flush(self, image: Image, quad: Floats, uv: Point, at_once: bool) -> TokenFit | None:
        """How one fits that lies flush with the corner, None where none near ``uv`` would. Unless it is
        looked for ``at_once`` in all its places, one that is like nothing in the likeliest is none."""
        corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
        at = tuple(abs(side - self._faces.side / 2) for side in corner)
        if math.dist(at, uv) >= FLUSH:
            return None
        between = ((at[0] + uv[0]) / 2, (at[1] + uv[1]) / 2)
        turns = [CORNERS_DEG[corner]]
        if not at_once:
            first = self._faces.fit(image, quad, between, turns, FLUSH_OFFSETS[:1])
            if first.mean < LIKE_NOTHING:
                return first
        return self._faces.fit(image, quad, between, turns, FLUSH_OFFSETS)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at a token says: each animal's probability, the log-odds that it is one at all, and where
    on its tile it lies if that is elsewhere than where it was looked at."""

    odds: Mapping[str, float]
    there_nats: float
    uv: tuple[float, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    cell: CellReading
    lattice_xy: tuple[float, float]
    look: _Look


def _around(steps: int) -> list[Point]:
    """Places around one, in a token's sides."""
    line = [STEP * step for step in range(-steps, steps + 1)]
    return [(x, y) for y in line for x in line]


def _steps(token: PieceReading, watched: bool) -> int:
    """How far a token is looked for about where the piece reader saw it."""
    if token.confidence < LIKELY:
        return 0
    return FAR_STEPS if watched and token.confidence < WELL_SEEN else NEAR_STEPS


def _unchanged(before: CellReading, now: CellReading) -> bool:
    """Whether a tile was not read anew since; its corners may have been measured anew with the others'."""
    return before.log_probs is now.log_probs and moved(before.corners_px, now.corners_px) < SAME_CORNERS


def _as_before(known: Sequence[_Known], cell: CellReading, lattice_xy: tuple[float, float]) -> _Look | None:
    """The look at a token read before on the same reading of its cell: a cell that changes is read anew."""
    for token in known:
        if _unchanged(token.cell, cell) and math.dist(token.lattice_xy, lattice_xy) < SAME_PLACE:
            return token.look
    return None


def _one_at_a_place(
    looked: Sequence[tuple[PieceReading, float]], least: float
) -> list[tuple[PieceReading, float]]:
    """All but those that do not fit well and lie nearer than ``least`` to one that does; of two that both do,
    the better one where they lie nearer than half of that."""
    kept: list[tuple[PieceReading, float]] = []
    for token, there_nats in sorted(looked, key=lambda one: -one[1]):
        well = [other.lattice_xy for other, nats in kept if nats >= FITS_NATS]
        if _apart_from(token.lattice_xy, well, least if there_nats < FITS_NATS else least / 2):
            kept.append((token, there_nats))
    return kept


def _bounded(there_nats: float, token: PieceReading, pieces: Sequence[PieceReading]) -> float:
    """Log-odds that there is one; where a piece may hide it, it may well look like none."""
    return max(there_nats, 0.0) if _may_be_hidden(token, pieces) else there_nats


def _apart(hints: Sequence[PieceReading], read: Sequence[PieceReading], least: float) -> list[PieceReading]:
    """The likeliest hints that lie at least so far from each other and from the tokens that are read."""
    kept = [piece for piece in read if piece.kind == "token"]
    told = len(kept)
    for hint in sorted(hints, key=lambda hint: -hint.confidence):
        if all(math.dist(hint.lattice_xy, other.lattice_xy) >= least for other in kept):
            kept.append(hint)
    return kept[told:]


def _at_hidden_places(
    reading: CellReading, quad: Quad, spots: Sequence[Point], pieces: Sequence[PieceReading], side: float
) -> list[PieceReading]:
    """Tokens on one tile that may lie flush with its corners, or about ``spots``, where print is hidden and
    none is read."""
    if reading.log_tile <= 0 or not reading.hidden.any():
        return []
    x, y = reading.cell
    read = [piece.lattice_xy for piece in pieces if piece.kind == "token"]
    stood = [piece.lattice_xy for piece in pieces if piece.kind != "token"]
    flush = [(abs(u - side / 2), abs(v - side / 2)) for u, v in CORNERS_DEG]
    about = [_most_hidden(reading.hidden, spot, side) for spot in spots]
    # What stands on the spot itself hides it.
    about = [(u, v) for u, v in about if _apart_from((x + u, y + v), stood, ON_SPOT)]
    return [
        PieceReading("token", None, "lying", px_in_quad(quad, (u, v)), (x + u, y + v), SCANNED_PRIOR)
        for u, v in (*flush, *about)
        if hidden_share(reading.hidden, (u, v), side) >= SCANNED and _apart_from((x + u, y + v), read, side)
    ]


def _apart_from(xy: Point, others: Sequence[Point], least: float) -> bool:
    return all(math.dist(xy, other) > least for other in others)


def _most_hidden(hidden: NDArray[np.bool_], spot: Point, side: float) -> Point:
    """The place about a spot around which most of the print is hidden: animal tiles are added by hand."""
    steps = [step * ABOUT_SPOT / 2 for step in range(-2, 3)]
    places = [(spot[0] + u, spot[1] + v) for u in steps for v in steps]
    places = [(min(max(u, 0.0), 0.99), min(max(v, 0.0), 0.99)) for u, v in places]
    return max(places, key=lambda place: (hidden_share(hidden, place, 0.8 * side), -math.dist(place, spot)))


def hidden_share(hidden: NDArray[np.bool_] | Floats, uv: tuple[float, float], side: float) -> float:
    """The share of a square's patches that are hidden, whose middle is at ``uv`` of the tile and whose
    ``side`` is in tile sides; 0 where nothing looked at parts of the tile."""
    grid = len(hidden)
    (x0, x1), (y0, y1) = (
        (math.ceil(max(at - side / 2, 0) * grid - 0.5), math.floor(min(at + side / 2, 1) * grid + 0.5))
        for at in uv
    )
    part = hidden[y0:y1, x0:x1]
    return float(part.mean()) if part.size else 0.0


def _may_be_hidden(token: PieceReading, pieces: Sequence[PieceReading]) -> bool:
    return any(
        other.kind in ("meeple", "hut") and math.dist(other.lattice_xy, token.lattice_xy) < BESIDE
        for other in pieces
    )


def _moved(token: PieceReading, quad: Quad, uv: tuple[float, float]) -> PieceReading:
    """The token with its middle at ``uv`` of the tile at ``quad``."""
    x, y = token.cell
    u, v = (min(max(at, 0.0), 0.999) for at in uv)
    return replace(token, point_px=px_in_quad(quad, (u, v)), lattice_xy=(x + u, y + v))


def _with(probability: float, nats: float) -> float:
    """A probability after evidence of so many nats for it."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    return 1.0 / (1.0 + math.exp(-(math.log(p / (1 - p)) + nats)))
