"""Own scenes by which tuned numbers are judged: seeded tables of all that `vision` reads, with their truth.

Each scene reads itself from a stage on (what the stages before it said is kept), so that a number of one
folder is judged in a fraction of a whole photograph's time. Samples and photographs are never asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell
from engine.pack import Pack, load_pack
from models import load
from models.train.decks import random_deck
from models.train.scenes import Scene, random_room
from models.train.scenes.layout import Layout, PieceSpec, TileSpec, random_layout
from models.train.scenes.render import render_layout
from models.train.scenes.scene import ScenePiece
from models.train.tokens.tokens_data import full_of_tokens
from vision.locate.locator import Locator, locate
from vision.loose.tiles import LooseTiles, find_loose_tiles
from vision.observation import BoardPose, CellReading, Frame, Observation, PieceReading, Sight, mean_sides_px
from vision.pieces.piece_reader import PieceReader
from vision.pipeline import Pipeline
from vision.squares.pipeline import SquareBoardPipeline
from vision.tiles.board_reader import BoardReader
from vision.tiles.gallery_file import gallery_of_pack
from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader

U8 = NDArray[np.uint8]

ART_PX, TOKEN_ART_PX = 192, 96
"""Sides of the pictures of faces and animal tiles that are drawn, pixels."""
SIZE_WH = (1280, 720)
"""Size of a photograph, pixels."""
JPEG_QUALITY = 90
"""Quality at which photographs are stored, 0..100."""
MOST_NATS = 8.0
"""Nats at most that one wrong answer costs: a missed tile, a false one, a face that is told for sure."""
CORNER_SIDES = 0.01
"""Corner error, in tile sides, that costs half a nat; larger errors cost less and less more."""
NEAR_TILE, NEAR_PIECE = 0.33, 0.3
"""Distances, in tile sides, within which a reading is that of a true tile or piece."""
IN_FRAME = 0.98
"""Share of a tile in the picture from which it counts as missed where nothing is read."""
LEAST_VISIBLE = 0.35
"""Visible share from which a tile or piece counts as missed where nothing is read."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One scene as it was read: the mean cost of an answer in nats (a proper score, lower is better), and all
    that was told, to compare with what another reading told."""

    nats: float
    told: frozenset[object]


class Board:
    """Tiles of a house deck laid edge to edge, pieces on them; its pictures are the pack's own."""

    def __init__(self, name: str, scene: Scene, pack: Pack) -> None:
        self.name = name
        self._scene, self._pack = scene, pack
        self._sight = Sight(_photographed(scene.image))
        self._gallery = gallery_of_pack(pack, load("descriptor"))
        self._pose = locate(self._sight, Locator.load(), gallery=self._gallery)[0]
        self._cells: Mapping[Cell, CellReading] | None = None
        self._found: tuple[PieceReading, ...] = ()

    def judged(self, folder: str) -> Judged:
        """The scene read from that folder's stage on; all of it where the stage is none of these."""
        if self._pose is None or folder not in ("vision/tiles", "vision/tokens"):
            seen = Pipeline(self._gallery, self._pack).observe(Frame(self._sight.image))
            pieces = (*seen.pieces, *seen.hints)
            return _judged(
                [*self._tiles(seen.cells), *self._pieces(pieces, tokens=True), *self._pieces(pieces)]
            )
        if folder == "vision/tiles":
            return _judged(self._tiles(self._read_tiles()))
        return _judged(self._pieces(self._read_tokens(), tokens=True))

    def _read_tiles(self) -> Mapping[Cell, CellReading]:
        assert self._pose is not None
        return BoardReader(self._gallery, load("descriptor")).read(self._sight, self._pose)[1]

    def _read_tokens(self) -> tuple[PieceReading, ...]:
        assert self._pose is not None
        reader = BoardReader(self._gallery, load("descriptor"))
        if self._cells is None:
            self._cells = self._read_tiles()
            pieces = PieceReader(load("pieces"), load("looks"), least={"token": 0.01})
            self._found = pieces.read(self._sight, self._placed(), reader.faces(self._cells))
        faces = TokenFaces.of(self._pack, load("descriptor"))
        if faces is None:
            return ()
        tokens = TokenReader(faces, load("tokens"))
        prints = reader.faces(self._cells)
        read, hints = tokens.read(self._sight, self._placed(), self._cells, self._found, prints)
        return (*read, *hints)

    def _placed(self) -> BoardPose:
        assert self._pose is not None and self._cells is not None
        return replace(self._pose, quads={cell: r.corners_px for cell, r in self._cells.items()})

    def _tiles(self, cells: Mapping[Cell, CellReading]) -> Iterator[tuple[float, object]]:
        """Cost of each tile, found or missed, and the answer given for it."""
        designs = list(self._pack.designs)
        tiles = self._scene.tiles
        middles = np.array([tile.corners_px.mean(axis=0) for tile in tiles])
        sides = np.array([_side(tile.corners_px) for tile in tiles])
        found: dict[int, float] = {}
        for cell, reading in cells.items():
            off = np.linalg.norm(middles - reading.corners_px.mean(axis=0), axis=1) / sides
            nearest = int(off.argmin())
            tile_nats = float(np.logaddexp(0.0, -reading.log_tile))
            if off[nearest] > NEAR_TILE:
                bare_nats = float(np.logaddexp(0.0, reading.log_tile))
                yield min(bare_nats, MOST_NATS), (cell, reading.log_tile > 0)
                continue
            true = tiles[nearest].corners_px
            turned = [_farthest(np.roll(reading.corners_px, -t, axis=0), true) for t in range(4)]
            turn = int(np.argmin(turned))
            face_nats = -float(reading.log_probs[designs.index(self._design(nearest)), turn])
            corner_nats = 0.5 * math.log1p((turned[turn] / sides[nearest] / CORNER_SIDES) ** 2)
            nats = min(tile_nats, MOST_NATS) + min(face_nats, MOST_NATS) + corner_nats
            found[nearest] = min(nats, found.get(nearest, np.inf))
            yield 0.0, (cell, reading.log_tile > 0, int(reading.log_probs.argmax()))
        for number, tile in enumerate(tiles):
            if number in found:
                yield found[number], None
            elif tile.visible > LEAST_VISIBLE and tile.in_frame > IN_FRAME:
                yield 2 * MOST_NATS, None

    def _design(self, number: int) -> str:
        return list(self._pack.designs)[self._scene.tiles[number].face]

    def _pieces(
        self, read: Sequence[PieceReading], *, tokens: bool = False
    ) -> Iterator[tuple[float, object]]:
        """Cost of animal tiles, or else of all other pieces, and the answers given for them."""
        side = _side(self._scene.tiles[0].corners_px)
        true = [piece for piece in self._scene.pieces if (piece.kind == "token") == tokens]
        left = [piece for piece in read if (piece.kind == "token") == tokens]
        for piece in true:
            near = min(left, key=lambda one: math.dist(one.point_px, piece.point_px), default=None)
            if near is not None and math.dist(near.point_px, piece.point_px) <= NEAR_PIECE * side:
                left.remove(near)
                yield min(-math.log(max(self._share(near, piece), 1e-9)), MOST_NATS), None
            elif piece.visible > LEAST_VISIBLE:
                yield MOST_NATS, None
        yield from ((min(-math.log(max(1.0 - one.confidence, 1e-9)), MOST_NATS), None) for one in left)
        for one in read:
            if (one.kind == "token") == tokens and one.confidence >= 0.5:
                yield 0.0, (one.kind, one.color, one.animal, *np.round(np.array(one.lattice_xy) * 20))

    def _share(self, one: PieceReading, true: ScenePiece) -> float:
        """The probability with which a true piece was told."""
        if true.kind == "token":
            return one.confidence * one.animal_probs.get(list(self._pack.tokens)[true.face], 1e-9)
        if one.kind != true.kind:
            return 1e-9
        return one.confidence * (one.color_probs.get(str(true.color), 1e-9) if one.color_probs else 1.0)


class SquareBoard:
    """A board of squares put together from four parts, animals and pawns on it."""

    def __init__(self, name: str, rng: np.random.Generator, pack: Pack) -> None:
        self.name = name
        self._pack = pack
        self._gallery = gallery_of_pack(pack, load("descriptor"))
        faces = _pictures([pack.art_path(part) for part in pack.quarters], 640)
        tokens = _pictures([pack.art_path(f"token-{animal}") for animal in pack.animals], 128)
        room = random_room(
            rng, tokens=tokens, token_shape="front", elevation_range=(40.0, 85.0), partly_out=0.0
        )
        self._parts = [
            TileSpec(
                (k % 2, k // 2),
                90 * int(rng.integers(4)),
                int(face),
                ((k % 2 - 0.5) * 200.6, (k // 2 - 0.5) * 200.6),
            )
            for k, face in enumerate(rng.permutation(4))
        ]
        self._figures = _figures(rng, len(pack.animals))
        layout = Layout(tuple(self._parts), tuple(self._figures), 200.0, 200.6, 2.0, pack.token_mm or 18.0)
        self.scene = render_layout(layout, room, rng, faces, SIZE_WH)
        self._image = _photographed(self.scene.image)

    def judged(self, folder: str) -> Judged:
        """The scene as it is read; ``folder`` makes no difference."""
        del folder
        seen = SquareBoardPipeline(self._gallery, self._pack).observe(Frame(self._image))
        return _judged(self._answers(seen))

    def _answers(self, seen: Observation) -> Iterator[tuple[float, object]]:
        names = self._pack.animals
        side = _side(self.scene.tiles[0].corners_px) / 5
        if seen.pose is None:
            yield from ((MOST_NATS, None) for _ in range(4 + len(self.scene.pieces)))
            return
        for tile in self.scene.tiles:
            best = MOST_NATS
            for reading in seen.cells.values():
                for turn in range(4):
                    off = _farthest(np.roll(reading.corners_px, -turn, axis=0), tile.corners_px)
                    if off < NEAR_TILE * 5 * side:
                        corner_nats = 0.5 * math.log1p((off / (5 * side) / CORNER_SIDES) ** 2)
                        best = min(best, corner_nats - float(reading.log_probs[tile.face, turn]))
            yield best, None
        north = _north(seen.pose, self.scene)
        left = list(seen.pieces)
        for spec, piece in zip(self._figures, self.scene.pieces, strict=False):
            near = min(left, key=lambda one: math.dist(one.point_px, piece.point_px), default=None)
            if (
                near is None
                or math.dist(near.point_px, piece.point_px) > 0.6 * side
                or near.kind != piece.kind
            ):
                yield MOST_NATS if piece.visible > LEAST_VISIBLE else 0.0, None
                continue
            left.remove(near)
            if piece.kind == "token":
                facing = EDGES[(round(spec.turn_deg / 90) - north) % 4]
                right = near.animal == names[piece.face] and near.facing == facing
                yield -math.log(max(near.confidence if right else 1 - near.confidence, 3e-4)), None
            else:
                share = near.confidence * near.color_probs.get(str(piece.color), 1e-9)
                yield min(-math.log(max(share, 1e-9)), MOST_NATS), None
        yield from ((min(-math.log(max(1.0 - one.confidence, 1e-9)), MOST_NATS), None) for one in left)
        for one in seen.pieces:
            yield 0.0, (one.kind, one.color, one.animal, one.facing, *np.floor(np.array(one.lattice_xy) * 5))
        for cell, reading in seen.cells.items():
            yield 0.0, (cell, int(reading.log_probs.argmax()))


class LooseSheet:
    """Tiles of a random deck lying apart on a table, turned any way."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self.name = name
        faces = random_deck(rng, 18, 160)
        tiles = []
        for k in range(int(rng.integers(8, 19))):
            at = 62.0 * (np.array([k % 5, k // 5]) + rng.uniform(-0.08, 0.08, 2))
            turn = float(rng.normal(0, 14))
            tiles.append(
                TileSpec((k % 5, k // 5), 90 * int(rng.integers(4)), k, (float(at[0]), float(at[1])), turn)
            )
        layout = Layout(tuple(tiles), (), 45.0, 62.0)
        room = random_room(rng, hands=0.0, elevation_range=(50.0, 90.0), partly_out=0.0)
        self._scene = render_layout(layout, room, rng, faces, (1600, 1200))
        self._image = _photographed(self._scene.image)

    def judged(self, folder: str) -> Judged:
        """The scene as it is read; ``folder`` makes no difference."""
        del folder
        found = find_loose_tiles(Sight(self._image), Locator.load())
        return _judged(self._answers(found))

    def _answers(self, found: LooseTiles) -> Iterator[tuple[float, object]]:
        left = list(range(len(found.quads)))
        for tile in self._scene.tiles:
            true, side = tile.corners_px, _side(tile.corners_px)
            near = [
                k
                for k in left
                if math.dist(found.quads[k].mean(axis=0), true.mean(axis=0)) < NEAR_TILE * side
            ]
            if not near:
                yield MOST_NATS if tile.visible > 0.9 and tile.in_frame > IN_FRAME else 0.0, None
                continue
            best = max(near, key=lambda k: found.sure[k])
            left.remove(best)
            off = min(_farthest(np.roll(found.quads[best], t, axis=0), true) for t in range(4)) / side
            corner_nats = 0.5 * math.log1p((off / CORNER_SIDES) ** 2)
            yield corner_nats - math.log(max(float(found.sure[best]), 3e-4)), None
        yield from ((-math.log(max(1 - float(found.sure[k]), 3e-4)), None) for k in left)
        for quad in found.quads:
            yield 0.0, tuple(np.round(quad.mean(axis=0) / 8))


def boards(count: int, seed: int) -> Iterator[Board]:
    """Boards of the house decks by turns, every third one with a hand above it."""
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        pack = load_pack(("savanna", "savanna", "taiga")[k % 3])
        faces = _pictures([pack.art_path(name) for name in pack.designs], ART_PX)
        tokens = (
            _pictures([pack.art_path(f"token-{name}") for name in pack.tokens], TOKEN_ART_PX)
            if pack.tokens
            else None
        )
        layout = random_layout(rng, len(faces), int(rng.integers(8, 26)), 0, 0.5, 0.3 * (not pack.tokens))
        if tokens is not None:
            size = {"tile_mm": pack.tile_mm, "token_mm": pack.token_mm or 18.0}
            layout = full_of_tokens(
                rng,
                replace(layout, token_mm=layout.tile_mm * size["token_mm"] / size["tile_mm"]),
                len(tokens),
            )
        room = random_room(
            rng, tokens=tokens, token_shape="quarter", hands=float(k % 3 == 1), elevation_range=(40.0, 90.0)
        )
        yield Board(f"board {k}", render_layout(layout, room, rng, faces, SIZE_WH), pack)


def square_boards(count: int, seed: int) -> Iterator[SquareBoard]:
    """Boards of squares."""
    pack = load_pack("tricky-safari")
    yield from (SquareBoard(f"squares {k}", np.random.default_rng([seed, k]), pack) for k in range(count))


def sheets(count: int, seed: int) -> Iterator[LooseSheet]:
    """Loose tiles."""
    yield from (LooseSheet(f"sheet {k}", np.random.default_rng([seed, k])) for k in range(count))


def _figures(rng: np.random.Generator, animals: int) -> list[PieceSpec]:
    """Every animal once and three pawns, each on a square of its own of a board of ten by ten."""
    squares = rng.permutation(100)[: animals + 3]
    figures = []
    for k, square in enumerate(squares):
        x, y = int(square) % 10, int(square) // 10
        uv = (
            float((x % 5 + 0.5) / 5 + rng.normal(0, 0.008)),
            float((y % 5 + 0.5) / 5 + rng.normal(0, 0.008)),
        )
        cell = (x // 5, y // 5)
        if k < animals:
            turn = 90.0 * int(rng.integers(4)) + float(rng.normal(0, 4))
            figures.append(PieceSpec("token", None, "lying", cell, uv, turn_deg=turn, face=k))
        else:
            color = ("red", "blue", "yellow")[k - animals]
            figures.append(
                PieceSpec("meeple", color, "standing", cell, uv, turn_deg=float(rng.uniform(0, 360)))
            )
    return figures


def _north(pose: BoardPose, scene: Scene) -> int:
    """Quarter turns clockwise from the layout's north to the read lattice's."""
    outer = {tile.cell: np.roll(tile.corners_px, tile.rot // 90, axis=0) for tile in scene.tiles}
    corner = outer[0, 0][0]
    own = [pose.quads[0, 0][0], pose.quads[1, 0][1], pose.quads[1, 1][2], pose.quads[0, 1][3]]
    return -int(np.argmin([math.dist(at, corner) for at in own])) % 4


def _photographed(image: U8) -> U8:
    """The picture as a camera's file holds it."""
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _pictures(files: Sequence[object], side_px: int) -> U8:
    pictures = []
    for file in files:
        picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if picture is None:
            raise ValueError(f"{file}: no picture")
        pictures.append(cv2.resize(picture, (side_px, side_px), interpolation=cv2.INTER_AREA))
    return np.stack(pictures).astype(np.uint8)


def _judged(answers: Iterable[tuple[float, object]]) -> Judged:
    listed = list(answers)
    costs = [nats for nats, told in listed if told is None or nats]
    return Judged(float(np.mean(costs or [0.0])), frozenset(told for _, told in listed if told is not None))


def _side(quad: NDArray[np.floating]) -> float:
    return float(mean_sides_px(quad))


def _farthest(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    return float(np.linalg.norm(np.asarray(a, np.float64) - b, axis=1).max())
