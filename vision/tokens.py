"""Animal tiles: whether one lies there, and which animal it shows (`vision.tokenchoice`), whichever way
round it lies (`vision.tokenfaces`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from models import OnnxModel
from vision.expected import ExpectedFace
from vision.known import moved
from vision.observation import BoardPose, CellReading, Image, PieceReading, Quad
from vision.ortho import px_in_quad, uv_in_quad
from vision.tokenchoice import Choice, Table, choose
from vision.tokenfaces import TURNS_DEG, TokenFaces, TokenFit
from vision.tokenposes import TokenPose, TokenShapes, likely_poses

Floats = NDArray[np.float32]
CORNERS_DEG = {(1, 1): 0, (0, 1): 90, (0, 0): 180, (1, 0): 270}
"""Clockwise turn of one flush with the corner (east, south) of a tile: its own south-east is its water."""
FLUSH = 0.12
"""One whose middle is seen this near to where it would lie flush, in tile sides, does."""
STEP, NEAR_STEPS, FAR_STEPS = 0.15, 1, 3
"""Steps of looking about for others, in their own sides, and how many: near, and far for doubtful ones."""
LIKELY, WELL_SEEN = 0.25, 0.9
"""One that the piece reader was so sure of is doubtful: a meeple may hide a part of it."""
CLIMBS, CLIMB_LEAST = 3, 0.1
"""Where one is not well seen it is looked about so often again, as long as it fits so much better there."""
ANY_TURN = 1.0
"""So many nats more must speak for what is not flush with a corner: the more places and turns are tried, the
better the best of them fits anything."""
THERE_MOST, THERE_LEAST = 6.0, -4.0
"""Bounds of the log-odds that there is one: the network has its blind spots."""
BESIDE = 0.45
"""A player's piece this near to it, in tile sides, may hide it: one that does not lie flush with a corner may
then not be found, which says nothing."""
DIFFERS, DIFFERS_WITHIN = 0.25, 0.15
"""Where so much of the print is hidden an animal tile may lie of which too little is seen to be known by that
alone: it is looked for so far about, in tile sides."""
FITS_NATS, PLAIN = 2.0, 0.9
"""One for which its picture speaks so much lies there for sure: no other where it is. If it lies as it would
flush with a corner and one animal is so likely, it is not looked for elsewhere."""
SURELY_BARE = -2.0
"""A place for which so many nats speak is not looked at more closely."""
ASTRAY = ((0.035, 0.0), (-0.035, 0.0), (0.0, 0.035), (0.0, -0.035))
"""So far, in tile sides, may an animal tile lie from where it should: it is thick, and laid by hand."""
LEAST_ASKED = 0.04
"""What the piece reader takes for an animal tile with this probability is worth a look."""
ABOUT_SPOT, ON_SPOT, FEW_CHANGED = 0.2, 0.15, 8
"""So far from its feature's spot may an added one lie, in tile sides; a piece this near to its middle stands
there instead. Where more cells than this changed at once, it is the light or the camera."""
LEAST = 0.5
"""What is less likely than this after it is none, but may be a hint for who knows what was there before."""
SCANNED, SCANNED_PRIOR, IN_SIGHT = 0.5, 0.1, 0.03
"""Where so much of the print at a place is hidden an animal tile may lie that the piece reader missed, with
the first probability before it is looked at; at a corner that is in sight, with the second."""
APART = 0.75
"""Two tokens lie side by side: their middles are seen at least so far apart, in their sides."""
SAME_CORNERS = 0.01
"""A tile whose corners moved less than this, in sides, lies where it lay."""
SAME_PLACE = 0.05
"""A token seen this near to where one was, in tile sides, is that one."""
BLOCKS, SAME_LEVELS = 6, 7.0
"""A place looks the same where none of so many blocks across it changed by so many grey levels."""


class TokenReader:
    """Reads animal tiles; one whose tile on the board looks as before is not looked at again."""

    def __init__(self, faces: TokenFaces, model: OnnxModel) -> None:
        """``model`` is the network that chooses between animal tiles."""
        self._faces = faces
        self._model = model
        self._shapes = TokenShapes.of(faces.pictures, faces.side)
        self._known: list[_Known] = []
        self._places: dict[Cell, tuple[CellReading, list[PieceReading]]] = {}
        self._watched = False

    def read(
        self,
        image: Image,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        pieces: Sequence[PieceReading],
        prints: Mapping[Cell, ExpectedFace],
        spots_of: Callable[[CellReading], Sequence[Point]] = lambda _: (),
    ) -> tuple[tuple[PieceReading, ...], tuple[PieceReading, ...]]:
        """The pieces, with ``animal`` and ``animal_probs`` on the tokens that lie on a tile of ``pose`` and
        their ``confidence`` after this look; and apart from them the tokens that are less likely than not,
        also where nobody saw one and the print is hidden, at corners and about ``spots_of`` its features, in
        sides from a tile's north-west. ``cells`` are the readings of the same picture, ``prints`` the faces
        that are known for sure."""
        table = Table(image, pose.quads, prints, pose.tile_side_px)
        persons = [p.lattice_xy for p in pieces if p.kind in ("meeple", "hut")]
        scene = _Scene(table, cells, self._known, persons)
        self._known = []
        watched = self._watched
        tokens = [p for p in pieces if p.kind == "token" and p.cell in cells and p.cell in pose.quads]
        unread = [p for p in pieces if p.kind == "token" and p not in tokens]
        read = [p for p in pieces if p not in tokens and (p.kind != "token" or p.confidence >= LEAST)]
        asked = [(token, _steps(token, watched)) for token in tokens]
        looked = [self._looked_at(scene, token, steps) for token, steps in asked]
        borne_out = [token for token, there_nats in looked if there_nats >= FITS_NATS]
        looked += self._missed(scene, spots_of, [*read, *borne_out])
        found = _one_at_a_place(looked, APART * self._faces.side)
        told = [replace(token, confidence=_with(token.confidence, there_nats)) for token, there_nats in found]
        read += [token for token in told if token.confidence >= LEAST]
        hints = [token for token in (*told, *unread) if token.confidence < LEAST]
        return tuple(read), tuple(_apart(hints, read, APART * self._faces.side))

    def _looked_at(self, scene: _Scene, token: PieceReading, steps: int) -> tuple[PieceReading, float]:
        """A token with the animal that it shows, where it lies, and the log-odds that it is one by that."""
        table, cell = scene.table, scene.cells[token.cell]
        appearance = _blocks(table.image, token.point_px, self._faces.side * table.side_px / 2)
        look = _as_before(scene.before, cell, token.lattice_xy, appearance) or self._look(
            table, token, steps, cell.hidden
        )
        self._known.append(_Known(cell, token.lattice_xy, look, appearance))
        if look.uv is not None:
            token = _moved(token, table.quads[token.cell], look.uv)
        animal = max(look.odds, key=lambda name: look.odds[name])
        blind = look.anyhow and not _apart_from(token.lattice_xy, scene.persons, BESIDE)
        there_nats = max(look.there_nats, 0.0) if blind else look.there_nats
        return replace(token, animal=animal, animal_probs=look.odds), there_nats

    def _missed(
        self,
        scene: _Scene,
        spots_of: Callable[[CellReading], Sequence[Point]],
        pieces: Sequence[PieceReading],
    ) -> list[tuple[PieceReading, float]]:
        """Looks at tokens that are none of ``pieces``. What was laid since the first picture is worth more
        trouble than a photograph's every shadow."""
        cells, places = scene.cells, self._places
        self._places = {}
        changed = [c for c, r in cells.items() if c not in places or not _unchanged(places[c][0], r)]
        looked = []
        for cell, reading in cells.items():
            quad, tokens = scene.table.quads.get(cell), list[PieceReading]()
            if cell not in changed:
                tokens = places[cell][1]
            elif quad is not None:
                spots = spots_of(reading) if self._watched else ()
                few = self._watched and len(changed) <= FEW_CHANGED
                tokens = _at_other_places(reading, quad, spots, pieces, self._faces.side, everywhere=few)
            seen = [self._looked_at(scene, token, 0) for token in tokens]
            # What is plainly bare is not worth another look.
            worth = [i for i, token in enumerate(tokens) if token.confidence > IN_SIGHT or seen[i][1] > 0]
            self._places[cell] = reading, [tokens[i] for i in worth]
            looked += [seen[i] for i in worth]
        self._watched = True
        return looked

    def _look(self, table: Table, piece: PieceReading, steps: int, hidden: NDArray[np.bool_]) -> _Look:
        """One place; it is looked about ``steps`` steps around where none would lie flush, 0 for a place at
        which hardly anything speaks for one. ``hidden`` is what of its tile's print is."""
        quad = np.asarray(table.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        flush = self._flush(table, piece.cell, uv)
        if flush is not None and (not steps or _plain(flush) or flush.there_nats >= THERE_MOST):
            return _looked(flush)
        anyhow, at = self._anyhow(table, piece.cell, uv, steps, hidden_share(hidden, uv, self._faces.side))
        if flush is not None and anyhow.there_nats - ANY_TURN < flush.there_nats:
            return _looked(flush)
        elsewhere = at if anyhow.there_nats > ANY_TURN else None
        return _looked(replace(anyhow, there_nats=anyhow.there_nats - ANY_TURN), elsewhere, anyhow=True)

    def _anyhow(
        self, table: Table, cell: Cell, uv: Point, steps: int, hidden: float
    ) -> tuple[Choice, Point | None]:
        """What lies near ``uv`` whichever way round, and where if that may be elsewhere. If what is seen does
        not tell, and so much of the print is ``hidden``, it is looked for by how the picture differs."""
        about = self._about(table.image, np.asarray(table.quads[cell], np.float32), uv, steps or NEAR_STEPS)
        choice = self._chosen(table, cell, about.uv, about.turn_deg)
        # One that the piece reader was not sure of may lie some way from where it looked.
        at = about.uv if steps > NEAR_STEPS else None
        if _plain(choice) or hidden < DIFFERS:
            return choice, at
        poses = self._poses(table, cell, uv)
        looks = [choose(table, cell, [pose.uv], pose.turn_deg, self._faces, self._model)[0] for pose in poses]
        best = max(range(len(poses)), key=lambda i: looks[i].there_nats, default=None)
        if best is None or looks[best].there_nats < choice.there_nats:
            return choice, at
        return self._chosen(table, cell, poses[best].uv, poses[best].turn_deg), poses[best].uv

    def _poses(self, table: Table, cell: Cell, uv: Point) -> list[TokenPose]:
        """Poses near ``uv``, or near the best of them if that is hardly near any more."""
        poses = likely_poses(table, cell, uv, DIFFERS_WITHIN, self._shapes)
        if poses and math.dist(poses[0].uv, uv) > 0.8 * DIFFERS_WITHIN:
            return likely_poses(table, cell, poses[0].uv, DIFFERS_WITHIN, self._shapes)
        return poses

    def _about(self, image: Image, quad: Floats, uv: Point, steps: int) -> TokenFit:
        """How one fits that lies anyhow near ``uv``; from where it fits best it is looked about again."""
        best = self._faces.fit(image, quad, uv, TURNS_DEG, _around(steps))
        for _ in range(CLIMBS if steps > NEAR_STEPS else 0):
            again = self._faces.fit(image, quad, best.uv, TURNS_DEG, _around(NEAR_STEPS))
            if again.mean < best.mean + CLIMB_LEAST:
                break
            best = again
        return best

    def _flush(self, table: Table, cell: Cell, uv: Point) -> Choice | None:
        """What lies flush with the corner, None where nothing near ``uv`` would."""
        corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
        u, v = (abs(east_or_south - self._faces.side / 2) for east_or_south in corner)
        if math.dist((u, v), uv) >= FLUSH:
            return None
        return self._chosen(table, cell, (u, v), CORNERS_DEG[corner])

    def _chosen(self, table: Table, cell: Cell, uv: Point, turn_deg: float) -> Choice:
        """What lies about ``uv``. Where one look leaves something open its surroundings are asked, too: which
        animal by the place at which it agrees best, if there is one at all by all of them alike."""
        (first,) = choose(table, cell, [uv], turn_deg, self._faces, self._model)
        if _plain(first) or first.there_nats < SURELY_BARE:
            return first
        about = [(uv[0] + u, uv[1] + v) for u, v in ASTRAY]
        others = choose(table, cell, about, turn_deg, self._faces, self._model)
        best = max(first, *others, key=lambda choice: choice.there_nats)
        there_nats = (first.there_nats + sum(choice.there_nats for choice in others)) / (1 + len(others))
        return Choice(there_nats, best.odds)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at a token says: each animal's probability, the log-odds that it is one at all, where on
    its tile it lies if that is elsewhere than where it was looked at, and whether it may lie anyhow."""

    odds: Mapping[str, float]
    there_nats: float
    uv: tuple[float, float] | None
    anyhow: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """What all looks at one picture share: the tiles in it and what they show, the looks at the picture
    before, and where players' pieces stand."""

    table: Table
    cells: Mapping[Cell, CellReading]
    before: Sequence[_Known]
    persons: Sequence[Point]


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    cell: CellReading
    lattice_xy: tuple[float, float]
    look: _Look
    appearance: Floats


def _plain(choice: Choice) -> bool:
    """Whether a place leaves neither open if an animal tile lies there, nor which."""
    return choice.there_nats >= FITS_NATS and max(choice.odds.values()) >= PLAIN


def _looked(choice: Choice, uv: Point | None = None, *, anyhow: bool = False) -> _Look:
    return _Look(choice.odds, min(max(choice.there_nats, THERE_LEAST), THERE_MOST), uv, anyhow)


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


def _as_before(
    known: Sequence[_Known], cell: CellReading, lattice_xy: tuple[float, float], appearance: Floats
) -> _Look | None:
    """The look at a token read before on the same reading of its cell, if it still looks the same: what peeps
    out behind a meeple is too little for the whole cell to be read anew."""
    for token in known:
        if _unchanged(token.cell, cell) and math.dist(token.lattice_xy, lattice_xy) < SAME_PLACE:
            change = appearance - token.appearance
            change = change - np.median(change, axis=0)
            return token.look if np.abs(change).max() < SAME_LEVELS else None
    return None


def _blocks(image: Image, middle_px: Point, reach_px: float) -> Floats:
    """The mean colours (n, 3) of the blocks of a picture no further than ``reach_px`` from ``middle_px``."""
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
    """All but those that do not fit well and lie nearer than ``least`` to one that does; of two that both do,
    the better one where they lie nearer than half of that."""
    kept: list[tuple[PieceReading, float]] = []
    for token, there_nats in sorted(looked, key=lambda one: -one[1]):
        well = [other.lattice_xy for other, nats in kept if nats >= FITS_NATS]
        if _apart_from(token.lattice_xy, well, least if there_nats < FITS_NATS else least / 2):
            kept.append((token, there_nats))
    return kept


def _apart(hints: Sequence[PieceReading], read: Sequence[PieceReading], least: float) -> list[PieceReading]:
    """The likeliest hints that lie at least so far from each other and from the tokens that are read."""
    kept = [piece for piece in read if piece.kind == "token"]
    told = len(kept)
    for hint in sorted(hints, key=lambda hint: -hint.confidence):
        if all(math.dist(hint.lattice_xy, other.lattice_xy) >= least for other in kept):
            kept.append(hint)
    return kept[told:]


def _at_other_places(
    reading: CellReading,
    quad: Quad,
    spots: Sequence[Point],
    pieces: Sequence[PieceReading],
    side: float,
    *,
    everywhere: bool,
) -> list[PieceReading]:
    """Tokens on one tile that may lie flush with its corners, or about ``spots``, where print is hidden and
    that nobody read; with ``everywhere`` also at corners that are in sight."""
    if reading.log_tile <= 0 or not reading.hidden.size:
        return []
    x, y = reading.cell
    read = [piece.lattice_xy for piece in pieces if piece.kind == "token"]
    stood = [piece.lattice_xy for piece in pieces if piece.kind != "token"]
    flush = [(abs(u - side / 2), abs(v - side / 2)) for u, v in CORNERS_DEG]
    stood_uv = [(at[0] - x, at[1] - y) for at in stood]
    about = [uv for spot in spots if (uv := _most_hidden(reading.hidden, spot, side, stood_uv)) is not None]
    found = []
    for u, v in (*flush, *about):
        hidden = hidden_share(reading.hidden, (u, v), side) >= SCANNED
        if (hidden or (everywhere and (u, v) in flush)) and _apart_from((x + u, y + v), read, APART * side):
            prior = SCANNED_PRIOR if hidden else IN_SIGHT
            found.append(
                PieceReading("token", None, "lying", px_in_quad(quad, (u, v)), (x + u, y + v), prior)
            )
    return found


def _apart_from(xy: Point, others: Sequence[Point], least: float) -> bool:
    return all(math.dist(xy, other) > least for other in others)


def _most_hidden(hidden: NDArray[np.bool_], spot: Point, side: float, stood: Sequence[Point]) -> Point | None:
    """The place about a spot around which most of the print is hidden: animal tiles are added by hand. None
    where pieces ``stood`` everywhere: what stands on a place hides it."""
    steps = [step * ABOUT_SPOT / 2 for step in range(-2, 3)]
    places = [(spot[0] + u, spot[1] + v) for u in steps for v in steps]
    places = [(min(max(u, 0.0), 0.99), min(max(v, 0.0), 0.99)) for u, v in places]
    places = [place for place in places if _apart_from(place, stood, ON_SPOT)]
    return max(
        places,
        default=None,
        key=lambda place: (hidden_share(hidden, place, 0.8 * side), -math.dist(place, spot)),
    )


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


def _moved(token: PieceReading, quad: Quad, uv: tuple[float, float]) -> PieceReading:
    """The token with its middle at ``uv`` of the tile at ``quad``."""
    x, y = token.cell
    u, v = (min(max(at, 0.0), 0.999) for at in uv)
    return replace(token, point_px=px_in_quad(quad, (u, v)), lattice_xy=(x + u, y + v))


def _with(probability: float, nats: float) -> float:
    """A probability after evidence of so many nats for it."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    return 1.0 / (1.0 + math.exp(-(math.log(p / (1 - p)) + nats)))
