"""The worked example of docs/inference.md: the score of a story, term by term."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from engine.geometry import Point
from engine.pack import load_pack
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.pieces import Sort
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.evidence.traits import feature_point
from tilesight.inference.params import SEARCH
from tilesight.inference.stories.moves import Moves
from tilesight.inference.stories.story import Scales, Story
from tilesight.simulation.tile_games import random_game
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Observation, PieceReading, Quad

DOC = Path(__file__).parents[3] / "docs" / "inference.md"
CELL, TILE = (1, 0), "BC-V"
PLANE = np.array([[100.0, 0.0, 400.0], [0.0, 100.0, 300.0], [0.0, 0.0, 1.0]])
NO_QUAD: Quad = np.zeros((4, 2), np.float32)


def faces(start: GameState, name: str, sure: float) -> np.ndarray:
    """Return log-probabilities of faces: ``sure`` for one, unturned; all others share the rest."""
    designs = tuple(start.pack.designs)
    probs = np.full((len(designs), 4), (1.0 - sure) / (4 * len(designs) - 1))
    probs[designs.index(name), 0] = sure
    return np.asarray(np.log(probs), np.float32)


def picture(start: GameState, number: int, log_tile: float | None, meeple: Point | None) -> Observation:
    """Return picture ``number``, 30 s after the one before: the start tile, the tile and its meeple."""
    tiles = {(0, 0): CellReading((0, 0), NO_QUAD, faces(start, "BC-D", 0.999), 12.0, print_known=1.0)}
    if log_tile is not None:
        tiles[CELL] = CellReading(CELL, NO_QUAD, faces(start, TILE, 0.95), log_tile, print_known=1.0)
    colors = {"yellow": 0.98, "red": 0.02}
    sorts: dict[Sort, float] = {("meeple", "standing"): 0.95, ("meeple", "lying"): 0.05}
    at = meeple or (0.0, 0.0)
    piece = PieceReading("meeple", "yellow", "standing", at, at, 0.97, colors, sort_probs=sorts)
    pose = BoardPose(PLANE, dict.fromkeys(tiles, NO_QUAD), (1000, 800), 1.0)
    return Observation(
        number, 30.0 * number, pose, tuple(start.pack.designs), tiles, (piece,) * (meeple is not None)
    )


@pytest.fixture(scope="module")
def scales() -> Scales:
    start = start_of(random_game(load_pack("bastide"), 2, 1, turns=1), load_pack("bastide"))
    x, y = feature_point(Laid(start.design(TILE), 0), CELL, "r0")
    at = (x + 0.02, y)
    evidence = Evidence(start)
    for number, (log_tile, meeple) in enumerate([(None, None), (9.0, None), (4.0, at)]):
        evidence.note(picture(start, number, log_tile, meeple), LatticeFrame((0, 0), 0), start.board)
    return Scales(Moves(start), evidence)


def story(scales: Scales, *, meeple: bool) -> Story:
    state = scales.moves.root.state
    turn = Turn(state.player, TILE, CELL, 0)
    uses = state.feature_uses(CELL, scales.moves.laid(TILE, 0))
    action = next(use.action for use in uses if use.feature == "r0") if meeple else None
    return scales.weigh((scales.moves.of(Turn(turn.player, TILE, CELL, 0, action)),))


def test_each_term_follows_from_the_formulas(scales: Scales) -> None:
    """The numbers are those of the models in `tilesight.inference.params`."""
    evidence, others = scales.evidence, 4 * len(scales.moves.root.state.pack.designs) - 1
    drawn = math.log(9 * 24 / 71)
    never = 4.97 * (1 + math.log(1 + 2 * (8.5**2 / 42.25 - 1)) / 2)
    lead = math.log(0.95 / (0.05 / others))
    lead = 0.85 * (lead + 0.25 * (lead - 2.5)) / 1.25
    face = -math.log(1 + others * (math.exp(-lead) + math.exp(-7.5)))
    bare, claimed = story(scales, meeple=False), story(scales, meeple=True)
    (shown,) = claimed.showings.values()
    assert bare.positions[0].prior == pytest.approx(drawn + math.log(1 / 3.1))
    assert claimed.positions[0].prior == pytest.approx(drawn + math.log(1.5 / 3.1))
    assert evidence.arrival(CELL).nats == pytest.approx([never - 4.5, never, never - 6.0, 0.0], abs=0.01)
    assert evidence.face(CELL, TILE, 0) == pytest.approx(face, abs=0.01)
    assert shown.nats == pytest.approx(5.5 + math.log(0.3), abs=0.02)
    assert bare.score == pytest.approx(drawn + math.log(1 / 3.1) + face + never, abs=0.02)
    assert claimed.score == pytest.approx(bare.score + math.log(1.5) + shown.nats, abs=0.02)


def test_the_document_tells_these_numbers(scales: Scales) -> None:
    example = DOC.read_text().split("## A worked example")[1]
    told = {float(number.replace("−", "-")) for number in re.findall(r"−?\d+\.\d+", example)}
    bare, claimed = story(scales, meeple=False), story(scales, meeple=True)
    terms = [one.positions[0].prior for one in (bare, claimed)] + [bare.score, claimed.score]
    terms += [scales.evidence.face(CELL, TILE, 0), *scales.evidence.arrival(CELL).nats[:3]]
    terms += [one.nats for one in claimed.showings.values()]
    sure = 1 / (1 + SEARCH.rest + math.exp(bare.score - claimed.score))
    assert {round(term, 2) for term in [*terms, sure]} <= told
