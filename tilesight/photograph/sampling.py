"""Sampling of a photographed board: boards drawn from the joint posterior of its tiles and pieces.

The faces of all tiles are drawn together, so that their edges fit (`vision.joint.board_samples`). The
pieces are drawn on these faces: whether each is there, its colour, and its kind, pose and feature. Pieces
that no network saw are drawn at a rate that was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from engine.games import tile_game_named
from engine.geometry import Cell, turned_point
from engine.pack import Pack
from engine.tiles.pieces import OWNED, features_take
from tilesight.photograph.params import PARAMS
from vision.board import SeenPiece, SeenTile, SolvedBoard
from vision.joint.belief_propagation import Face
from vision.joint.board_samples import sample_board
from vision.observation import PieceReading
from vision.pieces.feature_assignment import takes_of

Rng = np.random.Generator
T = TypeVar("T", bound=Hashable)


def sampled_boards(board: SolvedBoard, pack: Pack, number: int, rng: Rng) -> Iterator[SolvedBoard]:
    """Yield ``number`` boards drawn from the posterior of a solved board.

    What people corrected, which has a confidence of 1, is the same in all of them. They have no ``unlikely``
    pieces: these are drawn too.
    """
    together = replace(board, pieces=(*board.pieces, *board.unlikely), unlikely=())
    colors = Counter(p.reading.color for p in _owned(board.pieces) if p.reading.color)
    supply = list(colors) or tile_game_named(pack.game or "").colors
    unseen = _unseen_rates(board)
    with_faces: dict[frozenset[tuple[Cell, Face | None]], SolvedBoard] = {}
    for faces in _other_faces(board, pack, number, rng):
        key = frozenset(faces.items())
        if key not in with_faces:
            other = together
            for cell, face in faces.items():
                other = other.with_face(cell, face, pack)
            with_faces[key] = other
        drawn = with_faces[key]
        pieces = [
            _drawn(piece, colors, rng) for piece in drawn.pieces if rng.random() < piece.reading.confidence
        ]
        for tile in drawn.tiles:
            if rng.random() < unseen.get(tile.cell, 0.0):
                pieces += _unseen_piece(tile, pack, supply, rng)
        yield replace(drawn, pieces=tuple(pieces))


def _other_faces(board: SolvedBoard, pack: Pack, number: int, rng: Rng) -> list[dict[Cell, Face | None]]:
    """Return, for each of ``number`` draws, the faces by cell that differ from the board's."""
    seen, frame = board.observation, board.frame
    if seen is None:
        return [{} for _ in range(number)]
    tiles = {frame.lattice_cell(tile.cell): tile for tile in board.tiles}
    readings = {cell: reading for cell, reading in seen.cells.items() if cell in tiles}
    known = {
        cell: Face(tile.face.design, (tile.face.rot + 90 * frame.quarter_turns) % 360)
        for cell in readings
        if (tile := tiles[cell]).face is not None and tile.confidence >= 1.0
    }
    draws = sample_board(readings, seen.designs, pack, known, number, rng)
    return [
        {
            tiles[cell].cell: face
            for cell, told in draw.items()
            if (face := told and Face(told.design, frame.rot(told.rot))) != tiles[cell].face
        }
        for draw in draws
    ]


def _drawn(piece: SeenPiece, colors: Mapping[str, int], rng: Rng) -> SeenPiece:
    """Return a piece with its colour, and with its kind, pose and feature, drawn.

    ``colors`` counts the table's pieces by the colour read. People play few colours: the more pieces there
    are, the less likely one has a colour of its own (Chinese restaurant process).
    """
    if piece.options:
        piece = piece.as_option(_choice(piece.options, rng))
    if piece.reading.color_probs:
        others = max(sum(colors.values()) - 1, 0)
        alone = PARAMS.new_color / (PARAMS.new_color + others)
        shares = {c: p * (1.0 if c in colors else alone) for c, p in piece.reading.color_probs.items()}
        piece = replace(piece, reading=replace(piece.reading, color=_choice(shares, rng)))
    return piece


def _choice(shares: Mapping[T, float], rng: Rng) -> T:
    """Draw one of the keys, by their probabilities."""
    at = np.searchsorted(np.cumsum(list(shares.values())), rng.random() * sum(shares.values()), "right")
    return list(shares)[min(int(at), len(shares) - 1)]


def _owned(pieces: Sequence[SeenPiece]) -> list[SeenPiece]:
    """Return the players' pieces that are on the board."""
    return [p for p in pieces if p.cell is not None and p.reading.kind in OWNED]


def _unseen_rates(board: SolvedBoard) -> dict[Cell, float]:
    """Return the probability of a player's piece that was not seen, by cell of the tiles without one.

    It is the board's number of pieces per tile, times a share that grows with the hidden part of the tile.
    """
    pieces, seen = _owned(board.pieces), board.observation
    density = len(pieces) / max(len(board.tiles), 1)
    taken = {piece.cell for piece in pieces}
    rates = {}
    for tile in board.tiles:
        reading = None if seen is None else seen.cells.get(board.frame.lattice_cell(tile.cell))
        if tile.cell not in taken and reading is not None:
            rates[tile.cell] = density * (PARAMS.unseen_piece + PARAMS.unseen_hidden * reading.covered)
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
