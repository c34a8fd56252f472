"""Animal tiles: whether one lies there, and which animal it shows, by its picture against those of the pack,
whichever way round it lies.

Pictures are compared by how their colours go together, not by the colours themselves: under a lamp, in the
shade or half bleached by glare a lion is darker and lighter in the same places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from engine.pack import Pack
from vision.observation import BoardPose, CellReading, Image, PieceReading, Quad
from vision.ortho import px_in_quad, uv_in_quad
from vision.rectify import SQUARE

Floats = NDArray[np.float32]
SIDE_PX = 24
TURN_STEP_DEG = 15
LAID_TURNS_DEG = (-6, 0, 6)
"""How far one that is flush with a corner may be turned from where its water lies at the corner."""
CORNERS_DEG = {(1, 1): 0, (0, 1): 90, (0, 0): 180, (1, 0): 270}
"""Clockwise turn of one flush with the corner (east, south) of a tile: its own south-east is its water."""
FLUSH = 0.12
"""One whose middle is seen this near to where it would lie flush, in tile sides, does."""
REACH_PX, FAR_PX, WELL_SEEN = 5, 12, 0.9
"""How far the tile may lie beside where the piece reader saw its middle, of its SIDE_PX; and one that it is
less sure of than this, of which a meeple may hide a part."""
RIM_PX = 3
"""So much of the rim says nothing: there the tile's own thickness shows, and its shadow."""
SIDES_HIDDEN, KEPT, HIDDEN_COSTS = 8, 0.15, 0.14
"""A meeple beside it may hide one side: what lies further than this beyond the middle, in its own sides, from
one of so many directions. By so much more the rest must agree: parts are easily alike."""
LEAST_SPREAD = 0.1
"""Grey levels of deviation below which a picture is blank."""
SHARPNESS = 40.0
"""Nats by which an animal leads whose correlation is by one higher, where the best agrees fully."""
UNLIKE, ALIKE, LEAST_SHARP = 0.35, 0.6, 0.1
"""From the first correlation of the best animal to the second what it says grows to its full weight, from a
tenth of it: less like any animal is one under a meeple."""
THERE_NATS, THERE_AT = 25.0, 0.7
"""How fast the log-odds that there is one grow with the best correlation and its lead, and from where on."""
ANY_TURN = 0.06
"""So much more must agree where one is not flush with a corner: the more turns are tried, the better the best
of them fits anything."""
THERE_MOST, THERE_LEAST = 6.0, -2.0
"""Bounds of that: pictures agree by chance, too."""
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
ARTWORK = 4
"""The pictures are turned at so many times their size."""
APART = 0.9
"""Two tokens lie side by side: their middles are at least so far apart, in their sides."""
SAME_PLACE = 0.05
"""A token seen this near to where one was, in tile sides, is that one."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFaces:
    """A pack's animal tiles, for each of ``turns_deg`` clockwise and each animal.

    ``weights`` float32 [turns, animals, parts, SIDE_PX²] are how much a pixel counts, they sum to one; the
    first part is all of it, the others have one side hidden. ``patterns`` [turns, animals, parts,
    SIDE_PX² · 3] are the pictures less their mean colour, times the weights; ``spreads`` [turns, animals,
    parts] their deviations; ``side`` is the side of one in tile sides.
    """

    animals: tuple[str, ...]
    turns_deg: tuple[int, ...]
    weights: Floats
    patterns: Floats
    spreads: Floats
    side: float

    @classmethod
    def of(cls, pack: Pack) -> TokenFaces | None:
        """Those of a pack; None where it has none or ships no pictures of them."""
        files = [(animal, pack.token_art_path(animal)) for animal in pack.tokens]
        if not files or pack.token_mm is None:
            return None
        pictures = []
        for _, path in files:
            image = None if path is None else cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if image is None:
                return None
            pictures.append(_with_cover(np.asarray(image, np.uint8)))
        laid = {corner + turn for corner in CORNERS_DEG.values() for turn in LAID_TURNS_DEG}
        turns = tuple(sorted({turn % 360 for turn in laid} | set(range(0, 360, TURN_STEP_DEG))))
        turned = np.stack([[_turned(picture, turn) for picture in pictures] for turn in turns])
        weights = np.stack([[_counts(picture[..., 3]) for picture in each] for each in turned])
        flat = turned[..., :3].reshape(*turned.shape[:2], -1, 3)
        means = np.einsum("taqp,tapc->taqc", weights, flat)
        patterns = weights[..., None] * (flat[:, :, None] - means[..., None, :])
        spreads = np.sqrt(np.einsum("taqpc,tapc->taq", patterns, flat))
        patterns = patterns.reshape(*weights.shape[:3], -1)
        animals = tuple(animal for animal, _ in files)
        return cls(animals, turns, weights, patterns, spreads, pack.token_mm / pack.tile_mm)


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
        read: list[PieceReading] = []
        hints: list[PieceReading] = []
        watched = self._hidden is not None
        missed = self._missed(pose, cells, spots_of, pieces)
        far_px = FAR_PX if watched else REACH_PX
        asked = [(piece, REACH_PX if piece.confidence >= WELL_SEEN else far_px) for piece in pieces]
        for piece, reach_px in (*asked, *((piece, REACH_PX) for piece in missed)):
            cell = cells.get(piece.cell)
            if piece.kind == "token" and cell is not None and piece.cell in pose.quads:
                look = _as_before(before, cell, piece.lattice_xy) or self._look(image, pose, piece, reach_px)
                self._known.append(_Known(cell, piece.lattice_xy, look))
                if look.uv is not None:
                    piece = _moved(piece, pose.quads[piece.cell], look.uv)
                there_nats = max(look.there_nats, 0.0) if _may_be_hidden(piece, pieces) else look.there_nats
                piece = replace(
                    piece,
                    confidence=_with(piece.confidence, there_nats),
                    animal=max(look.odds, key=lambda name: look.odds[name]),
                    animal_probs=look.odds,
                )
            (hints if piece.kind == "token" and piece.confidence < LEAST else read).append(piece)
        return tuple(read), tuple(_apart(hints, read, APART * self._faces.side))

    def _missed(
        self,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        spots_of: Callable[[CellReading], Sequence[Point]],
        pieces: Sequence[PieceReading],
    ) -> list[PieceReading]:
        """Tokens that nobody read on the cells that changed since the first picture: what was laid under
        somebody's eyes is worth more trouble than a photograph's every shadow."""
        before, now = self._hidden, {}
        for cell, reading in cells.items():
            known = before.get(cell) if before is not None else (reading, [])
            if known is None or known[0] is not reading:
                quad, tokens = pose.quads.get(cell), list[PieceReading]()
                if quad is not None:
                    tokens = _at_hidden_places(reading, quad, spots_of(reading), pieces, self._faces.side)
                known = reading, tokens
            now[cell] = known
        self._hidden = now
        return [token for _, tokens in now.values() for token in tokens][:MOST_SCANNED]

    def _look(self, image: Image, pose: BoardPose, piece: PieceReading, reach_px: int) -> _Look:
        quad = np.asarray(pose.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        like = likeness_at(image, quad, uv, self._faces, reach_px)
        alike, flush = like.alike, like.flush
        ranked = [0.0, *sorted(map(float, alike))]
        best, lead = ranked[-1], ranked[-1] - ranked[-2]
        chance = 0.0 if flush else ANY_TURN
        sharp = SHARPNESS * min(max((best - chance - UNLIKE) / (ALIKE - UNLIKE), LEAST_SHARP), 1.0)
        weights = np.exp(sharp * (alike - best))
        shares = weights / weights.sum()
        odds = {animal: float(share) for animal, share in zip(self._faces.animals, shares, strict=True)}
        there = THERE_NATS * (best + lead - chance - THERE_AT)
        # One that the piece reader was not sure of may lie some way from where it looked.
        moved = None if flush or reach_px < FAR_PX else like.uv
        return _Look(odds, min(max(there, THERE_LEAST), THERE_MOST), moved)


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


def _as_before(known: Sequence[_Known], cell: CellReading, lattice_xy: tuple[float, float]) -> _Look | None:
    """The look at a token read before on the same reading of its cell: a cell that changes is read anew."""
    for token in known:
        if token.cell is cell and math.dist(token.lattice_xy, lattice_xy) < SAME_PLACE:
            return token.look
    return None


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
    read = [piece.lattice_xy for piece in pieces if piece.kind == "token" and piece.confidence >= LEAST]
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


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How like each animal the picture of a token is, ``alike`` float32 [animals] (-1..1), each at the place
    and turn that fit it best; whether it lies ``flush`` with a corner, where only few turns are possible;
    and where on its tile the middle of the animal is that fits best, ``uv``."""

    alike: Floats
    flush: bool
    uv: tuple[float, float]


def likeness_at(
    image: Image, quad: Floats, uv: tuple[float, float], faces: TokenFaces, reach_px: int = REACH_PX
) -> Likeness:
    """What the picture of a token shows whose middle is near ``uv`` of the tile at ``quad``; where it does
    not lie flush with a corner at most ``reach_px`` from it, of its SIDE_PX."""
    half = faces.side / 2
    corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
    at = np.abs(np.array(corner) - half)
    flush = math.dist(at, uv) < FLUSH
    if flush:
        turns = {(CORNERS_DEG[corner] + turn) % 360 for turn in LAID_TURNS_DEG}
        uv, reach_px = tuple((at + uv) / 2), REACH_PX
    else:
        turns = set(range(0, 360, TURN_STEP_DEG))
    tried = np.flatnonzero([turn in turns for turn in faces.turns_deg])
    crops = _crops(image, quad, uv, faces.side, reach_px)
    if not flush:  # all of it tells how it is turned
        whole, _ = _correlations(crops, faces, tried, slice(0, 1))
        tried = tried[np.unique(whole[:, :, 0].argmax(axis=0))]
    alike, places = _correlations(crops, faces, tried, slice(None))
    alike[:, :, 1:] -= HIDDEN_COSTS
    row, column = divmod(int(places.flat[int(alike.argmax())]), 2 * reach_px + 1)
    step = faces.side / SIDE_PX
    found = (uv[0] + (column - reach_px) * step, uv[1] + (row - reach_px) * step)
    return Likeness(np.asarray(alike.max(axis=(0, 2)), np.float32), flush, found)


def _correlations(
    crops: Floats, faces: TokenFaces, turns: NDArray[np.intp], parts: slice
) -> tuple[Floats, NDArray[np.intp]]:
    """How well ``crops`` [n, pixels, 3] agree with the pictures at these of their turns, in these parts, each
    where it agrees best, and the crop that does: [turns, animals, parts]."""
    weights, spreads = faces.weights[turns, :, parts], faces.spreads[turns, :, parts]
    flat = weights.reshape(-1, weights.shape[-1])
    agree = faces.patterns[turns, :, parts].reshape(len(flat), -1) @ crops.reshape(len(crops), -1).T
    power = flat @ (crops**2).sum(axis=2).T - sum((flat @ crops[..., c].T) ** 2 for c in range(3))
    spread = np.sqrt(np.maximum(power, LEAST_SPREAD**2)) * np.maximum(spreads.reshape(-1, 1), LEAST_SPREAD)
    fit = agree / spread
    best = np.asarray(fit.max(axis=1).reshape(spreads.shape), np.float32)
    return best, np.asarray(fit.argmax(axis=1).reshape(spreads.shape), np.intp)


def _crops(image: Image, quad: Floats, uv: tuple[float, float], side: float, reach: int) -> Floats:
    """The token's picture at each place where it may lie, ``reach`` pixels around, [places, SIDE_PX², 3]."""
    size = SIDE_PX + 2 * reach
    to_px = cv2.getPerspectiveTransform(SQUARE.astype(np.float32), quad)
    corners = (SQUARE - 0.5) * side * size / SIDE_PX + np.array(uv)
    px = cv2.perspectiveTransform(corners[None].astype(np.float64), to_px).reshape(4, 2)
    box = (SQUARE * 2 * size - 0.5).astype(np.float32)
    to_crop = cv2.getPerspectiveTransform(px.astype(np.float32), box)
    fine = cv2.warpPerspective(image, to_crop, (2 * size, 2 * size), borderMode=cv2.BORDER_REPLICATE)
    crop = np.asarray(cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA), np.float32)
    starts = range(2 * reach + 1)
    places = [crop[y : y + SIDE_PX, x : x + SIDE_PX] for y in starts for x in starts]
    return np.stack(places).reshape(len(places), -1, 3)


def _with_cover(picture: NDArray[np.uint8]) -> Floats:
    """A picture with or without transparency as float32 (s, s, 4): colours times cover, and cover 0..1."""
    size = (SIDE_PX * ARTWORK, SIDE_PX * ARTWORK)
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)
    if small.shape[2] == 3:
        return np.concatenate([small, np.ones_like(small[..., :1])], axis=2)
    cover = small[..., 3:] / 255
    return np.concatenate([small[..., :3] * cover, cover], axis=2)


def _counts(cover: Floats) -> Floats:
    """How much each pixel says, from how much of it is tile: all of it, then with one side hidden,
    [parts, SIDE_PX²]; each sums to one."""
    inside = cv2.erode(np.pad(cover, RIM_PX), np.ones((2 * RIM_PX + 1, 2 * RIM_PX + 1)))
    inside = np.asarray(inside[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX], np.float32)
    x, y = np.meshgrid(*2 * [(np.arange(SIDE_PX) + 0.5) / SIDE_PX - 0.5])
    towards = 2 * math.pi * np.arange(SIDES_HIDDEN) / SIDES_HIDDEN
    kept = [x * math.cos(a) + y * math.sin(a) < KEPT for a in towards]
    parts = np.stack([inside, *(inside * part for part in kept)]).reshape(1 + SIDES_HIDDEN, -1)
    return np.asarray(parts / parts.sum(axis=1, keepdims=True), np.float32)


def _turned(picture: Floats, turn_deg: float) -> Floats:
    """A picture turned clockwise, [SIDE_PX, SIDE_PX, 4], as soft as a camera sees it."""
    middle = (len(picture) - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -turn_deg, 1.0)
    turned = cv2.warpAffine(picture, turn, (len(picture), len(picture)))
    small = cv2.resize(turned, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
    soft = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.5), np.float32)
    soft[..., :3] /= np.maximum(soft[..., 3:], 0.05)
    return soft
