"""Stage for whole games: one table, camera and light, and what a game puts there, drawn picture by picture.

The scenes of training are one picture each; here the room, the camera, the things beside the board and how
each tile was laid down stay while tiles and pieces come and go.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell, Point, neighbour, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from models.train.descriptor.twins import printed
from models.train.scenes.camera import Camera, random_camera
from models.train.scenes.layout import TOWARDS_DEG, Layout, PieceSpec, TileSpec, flush_at, lay_by_hand
from models.train.scenes.objects.clutter import Clutter, Slab, clear_of_board
from models.train.scenes.objects.hands import Capsule, random_hand
from models.train.scenes.render import Still, clutter_for, render_layout
from models.train.scenes.scene import Room
from models.train.scenes.surroundings import places_in_view
from models.train.scenes.tabletops import motif

U8 = NDArray[np.uint8]
FACE_PX = 192
"""Side of the tiles' pictures in pixels; animal tiles have the same scale. Larger pictures would alias."""
FAIR_SIDE = 0.95
"""Minimum ratio of the tiles' side to the largest among the cameras tried: somebody who watches a whole game
moves the camera until the board fills the picture."""
CAMERAS_TRIED = 2000
ELEVATION_DEG = (50.0, 86.0)
"""Elevation of the camera above the table in degrees: from lower, meeples hide what is behind them."""
RIM_PX = 12
WHITE, WHITE_MOST, DARKER, DARKER_MOST = 0.97, 0.1, 0.75, 6
"""Over-exposure: share of the camera's white level from which a channel counts as white, the largest share of
white tile pixels, the factor that darkens the exposure beyond it, and the most times it is applied."""
BLINDING = 50.0
"""Factor on the light that shows this camera's white level, which lies below 255 where it lowers contrast."""
PIECE_SD = 0.025
"""Standard deviation in tile sides of a piece from its spot."""
ASIDE, ASIDE_DEG = 0.24, 70.0
"""Distance in tile sides of a meeple from the middle of an animal tile that is added to its feature, and the
largest angle in degrees from straight beyond it."""
ASIDE_ON_TOKEN = 0.07
"""Distance in tile sides from the middle of an animal tile of a meeple that stands on it."""
PUSH_SD_MM, PUSH_SD_DEG = 0.25, 0.3
"""Standard deviations of a pushed tile's own shift in millimetres and of its own turn in degrees."""
STACK_MM = 26.0
LOW_LAMPS = 0.2
"""Share of worn tables that are lit by one hard lamp beside them."""
WARMEST = 1.2
"""Largest `Room.warmth` of worn tables, in octaves: a bulb that the camera hardly corrects."""
FLICKER = 0.006
GRAIN_LEVELS = 1.0


@dataclass(frozen=True, slots=True)
class Push:
    """Shift of the whole board by a sleeve in millimetres, and its turn about its middle in degrees."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Shot:
    """Disturbance of one picture, tiles and pieces apart.

    ``hand_at`` is the cell that a hand reaches for. ``light`` is linear. ``turn_deg`` is how far the camera
    was nudged about its own vertical axis; at 40 degrees it looks away. ``stack_at`` is which of the draw
    stack's places it is on. ``push`` is where the board lies by now.
    """

    hand_at: Cell | None = None
    light: float = 1.0
    turn_deg: float = 0.0
    stack_at: int = 0
    push: Push = Push()


PLAIN = Shot()


class Stage:
    """One table on which a game of ``pack`` is played. ``cells`` are all that will ever carry a tile; the
    cells around them are in view too. The same seed gives the same pictures.

    ``worn``: the tiles are another, perhaps worn print than the pack's pictures, in a room with lamps of any
    colour and any camera, as in people's photographs.
    """

    def __init__(
        self,
        pack: Pack,
        cells: Collection[Cell],
        seed: int,
        size_wh: tuple[int, int] = (1280, 720),
        *,
        worn: bool = False,
    ) -> None:
        self._pack = pack
        self._seed = seed
        self._size_wh = size_wh
        self._faces, self._rows, tokens, self._token_rows = _art(pack)
        rng = np.random.default_rng([seed, 0])
        plan = [(cell, 0, 0) for cell in sorted(cells)]
        neatness = float(rng.uniform(0.35, 0.95))
        tiles, pitch = lay_by_hand(rng, plan, pack.tile_mm, neatness)
        self._laid = {tile.cell: tile for tile in _start_in_one_piece(pack, tiles)}
        self._whole = Layout(
            tuple(self._laid.values()), (), pack.tile_mm, pitch, token_mm=pack.token_mm or 18.0
        )
        camera = self._camera(rng)
        self._camera_mm = camera.centre_mm[:2]
        self._room = Room(
            seed=int(rng.integers(2**31)),
            camera=camera,
            clutter=float(rng.uniform(0.1, 0.6)),
            quality=float(rng.uniform(0.45, 1.0)),
            tokens=tokens,
            token_shape="quarter",
        )
        if worn:
            used = np.random.default_rng([seed, 23])
            self._faces = printed(used, self._faces)
            self._room = replace(
                self._room,
                quality=float(used.uniform(0.3, 1.0)),
                low_lamp=bool(used.random() < LOW_LAMPS),
                warmth=float(used.uniform(0.0, WARMEST)),
            )
        self._clutter, self._stacks = self._beside(rng, camera)
        self._number = 0
        self._last: tuple[object, U8] | None = None

    def picture(self, board: Mapping[Cell, Laid], standing: Sequence[Standing], shot: Shot = PLAIN) -> U8:
        """The table as the camera sees it, BGR. Each call is an exposure of its own."""
        rng = np.random.default_rng([self._seed, 7, self._number])
        if not self._number:
            self._set_exposure(board)
        self._number += 1
        key = (tuple(board.items()), tuple(standing), shot)
        # A table at rest is drawn once. Hands are never at rest.
        if self._last is None or self._last[0] != key or shot.hand_at is not None:
            self._last = key, self._drawn(rng, board, standing, shot)
        return _exposed(rng, self._last[1], shot.light)

    def _set_exposure(self, board: Mapping[Cell, Laid]) -> None:
        """Set the camera darker until the board's tiles show what is printed on them."""
        metered = self._room.exposure
        white = WHITE * np.median(self._tiles_in_sight(board, BLINDING * metered), axis=0)
        for step in range(DARKER_MOST + 1):
            shown = self._tiles_in_sight(board, metered * DARKER**step)
            if float(((shown >= white).sum(axis=1) >= 2).mean()) <= WHITE_MOST:
                return

    def _tiles_in_sight(self, board: Mapping[Cell, Laid], exposure: float) -> U8:
        """The pixels (n, 3) of a board's tiles once the camera is set to this exposure."""
        self._room = replace(self._room, exposure=exposure)
        image = self._drawn(np.random.default_rng([self._seed, 13]), board, (), PLAIN)
        assert self._room.camera is not None
        shown = np.zeros(image.shape[:2], np.uint8)
        half = self._pack.tile_mm / 2
        square = half * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float64)
        for cell in board:
            corners = square + np.array((*self._centre(cell), 0.0))
            cv2.fillConvexPoly(shown, np.round(self._room.camera.project(corners)).astype(np.int32), 1)
        return image[shown > 0]

    def _drawn(
        self,
        rng: np.random.Generator,
        board: Mapping[Cell, Laid],
        standing: Sequence[Standing],
        shot: Shot,
    ) -> U8:
        tiles = tuple(
            replace(self._laid[cell], rot=laid.rot, face=self._rows[laid.design.id])
            for cell, laid in board.items()
        )
        if shot.push != Push():
            start = [cell for cell, _ in self._pack.start_designs]
            tiles = _pushed(tiles, self._whole.centres_mm().mean(axis=0), shot.push, self._seed, start)
        covered = {(piece.cell, piece.feature) for piece in standing if piece.kind == "token"}
        pieces = tuple(self._piece(piece, board, covered) for piece in standing)
        layout = replace(self._whole, tiles=tiles, pieces=pieces)
        slabs = self._clutter.slabs
        if self._stacks:
            slabs = (*slabs, self._stacks[shot.stack_at % len(self._stacks)])
        hands = () if shot.hand_at is None else (self._hand(rng, shot.hand_at),)
        still = Still(self._whole, replace(self._clutter, slabs=slabs), self._seed, hands)
        room = self._room
        assert room.camera is not None
        if shot.turn_deg:
            room = replace(room, camera=_turned(room.camera, shot.turn_deg))
        return render_layout(layout, room, rng, self._faces, self._size_wh, still).image

    # -- what is set up once --------------------------------------------------------------------

    def _camera(self, rng: np.random.Generator) -> Camera:
        """A camera that sees all of the board and the spaces around it, as large as it comes."""
        around = {neighbour(cell, edge) for cell in self._laid for edge in EDGES} | set(self._laid)
        side = self._whole.pitch_mm
        corners = np.array(
            [
                ((x + dx) * side, (y + dy) * side, 0.0)
                for x, y in around
                for dx, dy in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
            ]
        )
        centres = self._whole.centres_mm()
        width, height = self._size_wh
        seen: list[tuple[float, Camera]] = []
        for _ in range(CAMERAS_TRIED):
            camera = random_camera(rng, self._size_wh, centres, side, ELEVATION_DEG, partly_out=0.0)
            px = camera.project(corners)
            if (px > RIM_PX).all() and (px < np.array([width, height]) - RIM_PX).all():
                size = float(np.median(np.linalg.norm(px[0::4] - px[1::4], axis=1)))
                seen.append((size, camera))
        if not seen:
            raise ValueError(f"no camera of {width} x {height} px sees a board of {len(self._laid)} cells")
        fair = FAIR_SIDE * max(size for size, _ in seen)
        return next(camera for size, camera in seen if size >= fair)

    def _beside(self, rng: np.random.Generator, camera: Camera) -> tuple[Clutter, tuple[Slab, ...]]:
        """The things beside the board, and the draw stack at each of its places."""
        gx, gy = camera.plane_maps(0.0)
        places = places_in_view(rng, gx, gy, 400)
        clutter = clutter_for(rng, self._room, self._whole, self._faces, places[:160])
        # Whoever puts up a camera sees to it that no cup stands in its way.
        clutter = replace(
            clutter,
            slabs=tuple(s for s in clutter.slabs if not self._hides(camera, _body(s))),
            solids=tuple(s for s in clutter.solids if not self._hides(camera, s.cloud_mm)),
        )
        back = motif(rng, 96)
        stacks: list[Slab] = []
        spots = list(clutter.spots_mm)
        half = self._pack.tile_mm / 2
        for x, y in places[160:]:
            reach = 1.6 * half
            clear = clear_of_board(self._whole, x, y, reach + half)
            if not clear or any(math.hypot(x - a, y - b) < reach + c for a, b, c in spots):
                continue
            spots.append((float(x), float(y), reach))
            turn = rng.uniform(0, 2 * math.pi)
            along = half * np.array([math.cos(turn), math.sin(turn)])
            across = half * np.array([-math.sin(turn), math.cos(turn)])
            xy = np.array([-along - across, along - across, along + across, across - along])
            xy += np.array([x, y])
            side = np.full(3, 0.3, np.float32)
            stack = Slab(np.c_[xy, np.full(4, STACK_MM)], back, STACK_MM, side)
            if not self._hides(camera, _body(stack)):
                stacks.append(stack)
            if len(stacks) == 2:
                break
        return clutter, tuple(stacks)

    def _hides(self, camera: Camera, cloud_mm: NDArray[np.float64]) -> bool:
        """Whether a thing stands before the board."""
        x, y = self._whole.centres_mm().T
        rim = np.concatenate(
            [np.stack([x + dx, y + dy, 0 * x], axis=1) for dx in (-40, 40) for dy in (-40, 40)]
        )
        board, thing = (
            cv2.convexHull(camera.project(points).astype(np.float32)) for points in (rim, cloud_mm)
        )
        return bool(cv2.intersectConvexConvex(np.asarray(board), np.asarray(thing))[0] > 0)

    # -- what a picture shows -------------------------------------------------------------------

    def _piece(
        self, piece: Standing, board: Mapping[Cell, Laid], covered: Collection[tuple[Cell, str | None]]
    ) -> PieceSpec:
        key = repr((piece.kind, piece.color, piece.cell, piece.feature, piece.corner)).encode()
        rng = np.random.default_rng([self._seed, 11, zlib.crc32(key)])
        u, v = self._place(piece, board)
        slack = PIECE_SD if piece.kind != "ranger" else 0.07
        if piece.corner is not None and piece.kind == "token":
            slack = 0.01
        lifted = piece.kind != "token" and (
            piece.corner is not None or (piece.feature is not None and (piece.cell, piece.feature) in covered)
        )
        aside = np.zeros(2)
        if lifted:
            # Who plays before a camera puts no meeple between it and an animal that is to be seen.
            reach = ASIDE if piece.feature is not None else ASIDE_ON_TOKEN
            beyond = np.array(self._centre(piece.cell)) - self._camera_mm
            angle = math.atan2(beyond[1], beyond[0]) + math.radians(rng.uniform(-ASIDE_DEG, ASIDE_DEG))
            aside = reach * np.array([math.cos(angle), math.sin(angle)])
        u, v = np.clip(np.array([u, v]) + aside + rng.normal(0, slack, 2), 0.06, 0.94)
        turn = float(rng.uniform(0, 360))
        if piece.kind == "token":
            turn = float(TOWARDS_DEG.get(piece.corner or "", 90 * rng.integers(4)) + rng.normal(0, 4))
        return PieceSpec(
            piece.kind,
            piece.color,
            "lying" if piece.kind == "token" else piece.pose,
            piece.cell,
            (float(u), float(v)),
            turn_deg=turn,
            face=self._token_rows.get(piece.animal or "", 0),
            corner=piece.corner,
            animal=piece.animal,
            feature=piece.feature,
            level_mm=2.0 if lifted else 0.0,
        )

    def _place(self, piece: Standing, board: Mapping[Cell, Laid]) -> Point:
        """Place of a piece in its cell, board frame."""
        if piece.corner is not None:
            return flush_at(piece.corner, self._whole.token_mm / self._whole.tile_mm)
        if piece.feature is None:
            return (0.5, 0.5)
        laid = board[piece.cell]
        feature = laid.design.tile.feature(piece.feature)
        assert feature is not None
        return turned_point(feature.spot_of(piece.kind), laid.rot)

    def _hand(self, rng: np.random.Generator, cell: Cell) -> list[Capsule]:
        centre = np.array(self._centre(cell))
        return random_hand(rng, centre, float(rng.uniform(20, 160)), float(rng.uniform(6, 30)))

    def _centre(self, cell: Cell) -> tuple[float, float]:
        if cell in self._laid:
            return self._laid[cell].centre_mm
        return (cell[0] * self._whole.pitch_mm, cell[1] * self._whole.pitch_mm)


def _pushed(
    tiles: Sequence[TileSpec],
    middle_mm: NDArray[np.float64],
    push: Push,
    seed: int,
    start: Collection[Cell],
) -> tuple[TileSpec, ...]:
    """The tiles shifted and turned together, each a little by itself; those in ``start`` are one piece."""
    a = math.radians(push.turn_deg)
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    pushed = []
    for tile in tiles:
        key = repr(("start" if tile.cell in start else tile.cell, push)).encode()
        own = np.random.default_rng([seed, 17, zlib.crc32(key)]).normal(0, 1, 3)
        own_mm, own_deg = PUSH_SD_MM * own[:2], PUSH_SD_DEG * own[2] * (tile.cell not in start)
        x, y = turn @ (np.array(tile.centre_mm) - middle_mm) + middle_mm + (push.x_mm, push.y_mm) + own_mm
        turned_deg = tile.turn_deg + push.turn_deg + float(own_deg)
        pushed.append(replace(tile, centre_mm=(float(x), float(y)), turn_deg=turned_deg))
    return tuple(pushed)


def _body(slab: Slab) -> NDArray[np.float64]:
    """All corners of a slab."""
    return np.concatenate([slab.corners_mm, slab.corners_mm * (1, 1, 0)])


def _start_in_one_piece(pack: Pack, tiles: Sequence[TileSpec]) -> list[TileSpec]:
    """The start tile's cells lie as the first of them does: they are one piece of cardboard."""
    cells = [cell for cell, _ in pack.start_designs]
    by_cell = {tile.cell: tile for tile in tiles}
    first = by_cell[cells[0]]
    a = math.radians(first.turn_deg)
    for cell in cells[1:]:
        dx, dy = (cell[0] - cells[0][0]) * pack.tile_mm, (cell[1] - cells[0][1]) * pack.tile_mm
        x = first.centre_mm[0] + dx * math.cos(a) - dy * math.sin(a)
        y = first.centre_mm[1] + dx * math.sin(a) + dy * math.cos(a)
        by_cell[cell] = replace(by_cell[cell], centre_mm=(x, y), turn_deg=first.turn_deg)
    return list(by_cell.values())


@lru_cache(maxsize=2)
def _art(pack: Pack) -> tuple[U8, dict[str, int], U8 | None, dict[str, int]]:
    """The pack's faces (n, s, s, 3) and each design's row, the same of its animal tiles.
    ValueError where the pack ships no art."""
    faces = [(name, pack.art_path(name)) for name in pack.designs]
    tokens = [(name, pack.art_path(f"token-{name}")) for name in pack.tokens]
    if not tokens or pack.token_mm is None:
        return (*_pictures(faces, FACE_PX), None, {})
    return (*_pictures(faces, FACE_PX), *_pictures(tokens, round(FACE_PX * pack.token_mm / pack.tile_mm)))


def _pictures(files: Sequence[tuple[str, object]], side_px: int) -> tuple[U8, dict[str, int]]:
    pictures = []
    for name, path in files:
        image = None if path is None else cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError(f"there is no picture of {name} to draw")
        pictures.append(cv2.resize(image, (side_px, side_px), interpolation=cv2.INTER_AREA))
    return np.stack(pictures).astype(np.uint8), {name: row for row, (name, _) in enumerate(files)}


def _turned(camera: Camera, deg: float) -> Camera:
    """The camera turned about its own vertical axis."""
    a = math.radians(deg)
    turn = np.array([[math.cos(a), 0, -math.sin(a)], [0, 1, 0], [math.sin(a), 0, math.cos(a)]])
    return replace(camera, R=turn @ camera.R)


def _exposed(rng: np.random.Generator, image: U8, light: float) -> U8:
    """One exposure: lamps flicker, the sensor has its noise."""
    level = light * (1 + rng.normal(0, FLICKER))
    grain = rng.normal(0, GRAIN_LEVELS, (*image.shape[:2], 1)).astype(np.float32)
    lit = image.astype(np.float32) * np.float32(level ** (1 / 2.2)) + grain
    return np.asarray(np.clip(lit + 0.5, 0, 255), np.uint8)
