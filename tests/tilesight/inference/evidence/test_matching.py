"""Piece evidence: what a track says of a piece, and the pieces that no track can show."""

from __future__ import annotations

import math

import numpy as np

from engine.pack import load_pack
from engine.tiles.board import Standing
from engine.tiles.foreign import MARK
from tests.tile_records import start_of
from tilesight.inference.evidence.matching import Matching
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.stories.moves import Moves
from tilesight.simulation.tile_games import random_game
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Observation, PieceReading

PLANE = np.array([[100.0, 0.0, 400.0], [0.0, 100.0, 300.0], [0.0, 0.0, 1.0]])
CELL = (2, 0)
NO_QUAD = np.zeros((4, 2), np.float32)


def watched(moves: Moves, tile: list[bool], token: list[bool]) -> Evidence:
    """Return the evidence of pictures half a second apart, by whether each shows a tile and a token on it."""
    start, evidence = moves.root.state, Evidence(moves.root.state)
    designs = tuple(start.pack.designs)
    logs = np.full((len(designs), 4), -math.log(4 * len(designs)), np.float32)
    for number, (laid, lies) in enumerate(zip(tile, token, strict=True)):
        cells = {CELL: CellReading(CELL, NO_QUAD, logs, 9.0, print_known=1.0)} if laid else {}
        at = (CELL[0] + 0.5, CELL[1] + 0.5)
        piece = PieceReading("token", None, "lying", at, at, 0.99, {}, "lion", {"lion": 1.0})
        pose = BoardPose(PLANE, {}, (1000, 800), 1.0)
        seen = Observation(number, number / 2, pose, designs, cells, (piece,) * lies)
        evidence.note(seen, LatticeFrame((0, 0), 0), {**start.board, CELL: None})
    return evidence


def started() -> Moves:
    pack = load_pack("savanna")
    return Moves(start_of(random_game(pack, 2, 1, turns=1), pack))


def test_no_track_shows_a_piece_on_a_feature_that_a_tile_of_another_set_lacks() -> None:
    moves = started()
    evidence = watched(moves, [True, True], [True, True])
    (track,) = evidence.tracks.all
    token = Standing("token", None, CELL, "b0", animal="lion")
    assert Matching(evidence).match(track, moves.laid(MARK, 0), token) == -math.inf
