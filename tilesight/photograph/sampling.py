"""Sampling of a photographed board: boards drawn from the joint posterior of its tiles and pieces.

The faces of all tiles are drawn together, so that their edges fit (`vision.joint.board_samples`). The
pieces are drawn on these faces: whether each is there, its colour, and its kind, pose and feature. Pieces
that no network saw are drawn at a rate that was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, exp, lgamma, log
from typing import TypeVar

import numpy as np

from engine.games import tile_game_named
from engine.geometry import EDGES, Cell, neighbour, turned_point
from engine.pack import Pack
from engine.tiles.pieces import OWNED, features_take
from tilesight.photograph.params import PARAMS
from vision.board import SeenPiece, SeenTile, SolvedBoard
from vision.joint.belief_propagation import Face, joint_posterior
from vision.joint.board_samples import sample_board
from vision.joint.edge_kinds import edge_kinds
from vision.observation import PieceReading
from vision.pieces.feature_assignment import takes_of

Rng = np.random.Generator
T = TypeVar("T", bound=Hashable)
NOWHERE = np.zeros((4, 2), np.float32)
"""Corners of tiles that no picture shows."""
LEAST_SHARE = 1e-6
"""Minimum probability of the tables' colours that are drawn, to the likeliest."""


def sampled_boards(board: SolvedBoard, pack: Pack, number: int, rng: Rng) -> Iterator[SolvedBoard]:
    """Yield ``number`` boards drawn from the posterior of a solved board.

    What people corrected, which has a confidence of 1, is the same in all of them. They have no ``unlikely``
    pieces: these are drawn too.
    """
    together = replace(board, pieces=(*board.pieces, *board.unlikely), unlikely=())
    palettes = _palettes(together.pieces, pack)
    density = len(_owned(board.pieces)) / max(len(board.tiles), 1)
    unseen = _unseen_rates(board, density)
    with_faces: dict[frozenset[tuple[Cell, Face | None]], SolvedBoard] = {}
    for faces in _other_faces(board, pack, number, rng):
        key = frozenset(faces.items())
        if key not in with_faces:
            other = together
            for cell, face in faces.items():
                other = other.with_face(cell, face, pack)
            with_faces[key] = other
        drawn = with_faces[key]
        palette = _choice(palettes, rng)
        pieces = [one for piece in drawn.pieces if (one := _drawn(piece, palette, rng)) is not None]
        below = _hidden_tiles(drawn, pack, rng)
        for tile in (*drawn.tiles, *below):
            if rng.random() < unseen.get(tile.cell, density):
                pieces += _unseen_piece(tile, pack, palette.names, rng)
        yield replace(drawn, tiles=(*drawn.tiles, *below), pieces=tuple(pieces))


def _other_faces(board: SolvedBoard, pack: Pack, number: int, rng: Rng) -> list[dict[Cell, Face | None]]:
    """Return, for each of ``number`` draws, the faces by cell that differ from the board's."""
    seen, frame, joint = board.observation, board.frame, board.joint
    if seen is None or joint is None:
        return [{} for _ in range(number)]
    tiles = {frame.lattice_cell(tile.cell): tile for tile in board.tiles}
    readings = {cell: reading for cell, reading in seen.cells.items() if cell in tiles}
    known = {
        cell: Face(tile.face.design, (tile.face.rot + 90 * frame.quarter_turns) % 360)
        for cell in readings
        if (tile := tiles[cell]).face is not None and tile.confidence >= 1.0
    }
    told = joint.solved(seen.designs)
    sure = {cell: one.face for cell, one in told.items() if one.confidence >= 1.0}
    if joint.states.keys() - readings.keys() or known.items() - sure.items():
        # People corrected the board, which tells of the other tiles, too.
        joint = joint_posterior(readings, seen.designs, pack, known)
    draws = sample_board(joint, seen.designs, number, rng)
    return [
        {
            tiles[cell].cell: face
            for cell, told in draw.items()
            if (face := told and Face(told.design, frame.rot(told.rot))) != tiles[cell].face
        }
        for draw in draws
    ]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours that a table plays with, ``names``, out of ``number``."""

    names: tuple[str, ...]
    number: int

    def fit(self, piece: PieceReading) -> float:
        """Return the likelihood ratio of a piece's colours, given that it is a player's: to any colours."""
        told = _colors_of(piece)
        return self.number / len(self.names) * sum(told.get(color, 0.0) for color in self.names)


def _palettes(pieces: Sequence[SeenPiece], pack: Pack) -> dict[Palette, float]:
    """Return the probability of each set of colours that a table may play with.

    Every number of players is equally likely before, and so is every way to share the pieces among them
    (Dirichlet-multinomial distribution): a colour that few pieces may have is rather none of the table's.
    """
    owned = [piece.reading for piece in _owned(pieces) if piece.reading.color]
    names = list(dict.fromkeys(color for piece in owned for color in _colors_of(piece)))
    if not names:
        colors = tile_game_named(pack.game or "").colors
        return {Palette(tuple(colors), len(colors)): 1.0}
    pieces_there = sum(piece.confidence for piece in owned)
    nats = {}
    for number in range(1, len(names) + 1):
        for some in combinations(names, number):
            palette = Palette(some, len(names))
            fits = [1.0 + piece.confidence * (palette.fit(piece) - 1.0) for piece in owned]
            told = float(np.log(np.maximum(fits, LEAST_SHARE)).sum()) + pieces_there * log(number)
            shared = lgamma(pieces_there + number) - lgamma(pieces_there + 1.0) - lgamma(number)
            nats[palette] = told - shared - log(comb(len(names), number))
    most = max(nats.values())
    return {one: exp(told - most) for one, told in nats.items() if told - most > log(LEAST_SHARE)}


def _colors_of(piece: PieceReading) -> Mapping[str, float]:
    """Return the probabilities of a piece's colours."""
    return piece.color_probs or {piece.color or "": 1.0}


def _drawn(piece: SeenPiece, palette: Palette, rng: Rng) -> SeenPiece | None:
    """Return a piece with its colour, kind, pose and feature drawn; None if the draw has no such piece."""
    reading = piece.reading
    there = reading.confidence
    if reading.kind in OWNED and reading.color:
        there *= palette.fit(reading)
    if rng.random() * (there + 1.0 - reading.confidence) >= there:
        return None
    if piece.options:
        piece = piece.as_option(_choice(piece.options, rng))
    if reading.color_probs:
        shares = {color: reading.color_probs.get(color, 0.0) for color in palette.names}
        piece = replace(piece, reading=replace(piece.reading, color=_choice(shares, rng)))
    return piece


def _choice(shares: Mapping[T, float], rng: Rng) -> T:
    """Draw one of the keys, by their probabilities."""
    at = np.searchsorted(np.cumsum(list(shares.values())), rng.random() * sum(shares.values()), "right")
    return list(shares)[min(int(at), len(shares) - 1)]


def _owned(pieces: Sequence[SeenPiece]) -> list[SeenPiece]:
    """Return the players' pieces that are on the board."""
    return [p for p in pieces if p.cell is not None and p.reading.kind in OWNED]


def _hidden_tiles(board: SolvedBoard, pack: Pack, rng: Rng) -> list[SeenTile]:
    """Draw the tiles below what hides cells beside a board: of those left in the bag, any that fits.

    Cells are drawn outwards, each if a tile lies beside it.
    """
    faces = {tile.cell: tile.face for tile in board.tiles}
    if board.observation is None or not board.hidden.keys() - faces.keys():
        return []
    designs = board.observation.designs
    kinds, _ = edge_kinds(designs, pack, seams=False)
    used = Counter(face.design for face in faces.values() if face is not None)
    left = np.array([max(pack.designs[name].count - used[name], 0) for name in designs], np.float64)
    tiles: list[SeenTile] = []
    waiting = [cell for cell in board.hidden if cell not in faces]
    while reached := [cell for cell in waiting if any(neighbour(cell, edge) in faces for edge in EDGES)]:
        waiting = [cell for cell in waiting if cell not in reached]
        for cell in reached:
            if rng.random() >= board.hidden[cell]:
                continue
            ways = np.repeat(left, 4)
            for k, edge in enumerate(EDGES):
                beside = faces.get(neighbour(cell, edge))
                if beside is not None:
                    row = 4 * designs.index(beside.design) + beside.rot // 90
                    ways *= kinds[:, k] == kinds[row, (k + 2) % 4]
            if ways.sum() > 0:
                at = int(rng.choice(len(ways), p=ways / ways.sum()))
                left[at // 4] -= 1
                faces[cell] = Face(designs[at // 4], at % 4 * 90)
                tiles.append(SeenTile(cell, faces[cell], board.hidden[cell], NOWHERE))
    return tiles


def _unseen_rates(board: SolvedBoard, density: float) -> dict[Cell, float]:
    """Return the probability of a player's piece that was not seen, by cell of the tiles, 0 for those with
    one. It is ``density``, the number of pieces per tile, times a share that grows with the hidden part of
    the tile."""
    seen, taken = board.observation, {piece.cell for piece in _owned(board.pieces)}
    rates = {}
    for tile in board.tiles:
        reading = None if seen is None else seen.cells.get(board.frame.lattice_cell(tile.cell))
        hidden = 0.0 if reading is None else PARAMS.unseen_piece + reading.covered**PARAMS.unseen_power
        rates[tile.cell] = density * hidden * (tile.cell not in taken)
    return rates


def _unseen_piece(tile: SeenTile, pack: Pack, colors: Sequence[str], rng: Rng) -> list[SeenPiece]:
    """Return a random player's piece on a random feature of a tile; [] if none may be there."""
    if tile.face is None:
        return []
    takes = takes_of(pack)
    places = [
        (sort, feature)
        for feature in pack.designs[tile.face.design].tile.features
        for sort in sorted(features_take(takes, feature.kind))
        if sort[0] in OWNED
    ]
    if not places:
        return []
    (kind, pose), feature = places[int(rng.integers(len(places)))]
    color = colors[int(rng.integers(len(colors)))]
    u, v = turned_point(feature.spot_of(kind), tile.face.rot)
    at = (tile.cell[0] + u, tile.cell[1] + v)
    return [SeenPiece(PieceReading(kind, color, pose, (0.0, 0.0), at, 1.0), tile.cell, feature.id)]
