"""A game record as a sequence of table states, with every tile and piece in its own hand-laid pose."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.games import tile_game_named
from engine.geometry import Point, turned_point
from engine.pack import Pack, load_pack
from engine.record import read_record
from engine.safari.actions import Dig
from engine.tiles.board import Standing
from engine.tiles.game import Header
from engine.tiles.turn import Turn

from .layout import (
    HUT_MM,
    THICK_MM,
    TILE_MM,
    TOKEN_MM,
    TOKEN_THICK_MM,
    Cell,
    Pose,
    empty_cell_pose,
    gap_mm,
    lay_all,
    rng_for,
)
from .stage import PieceAt, TileAt

BESIDE_MM = 16.0
"""How far from the middle of an animal tile a meeple stands that shares its feature: half of each, no gap."""
BEFORE_MM = 12.0
"""The same of a meeple before the animal tile: about half of the tile is hidden."""
RIM_MM = 6.0
FOOT_MM: Mapping[tuple[str, str], tuple[float, float]] = {
    ("meeple", "standing"): (16.4, 10.0),
    ("meeple", "lying"): (16.4, 16.0),
    ("hut", "standing"): (HUT_MM, HUT_MM),
}
"""Width and depth in mm of what a piece covers, by kind and pose; others stay where they are."""
TRIES = 60
"""Number of tries to find room beside the pieces already placed."""


def _key(piece: Standing) -> tuple[str, str | None, Cell, str | None]:
    """Names a piece as long as it stays where it is."""
    return (piece.kind, piece.color, piece.cell, piece.feature or piece.corner)


@dataclass(frozen=True)
class TableState:
    """What lies still on the table. `turn` turns are finished, or of the last one only the animal tile of a
    watering hole lies yet (`dug`), or it is laid and about to score (`laid`). `supply` and `huts` are the
    meeples and huts that each player has left."""

    turn: int
    stage: str  # dug | laid | done
    tiles: Mapping[Cell, TileAt]
    pieces: tuple[PieceAt, ...]
    supply: Mapping[str, int]
    hands: Mapping[str, int]
    scores: Mapping[str, int] = field(default_factory=dict)
    huts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Play:
    """A whole game laid out: `states[0]` is the table before turn 1."""

    header: Header
    turns: tuple[Turn, ...]
    poses: Mapping[Cell, Pose]
    states: tuple[TableState, ...]
    final: Mapping[str, int]

    def all_poses(self, turns: int | None = None) -> list[Pose]:
        """Poses of all tiles laid, and of all spaces of rangers, by the end of ``turns`` (None: the game)."""
        states = [state for state in self.states if turns is None or state.turn <= turns]
        rangers = [
            Pose(p.point_mm[0], p.point_mm[1], 0.0) for s in states for p in s.pieces if p.kind == "ranger"
        ]
        return [*(pose for cell, pose in self.poses.items() if cell in states[-1].tiles), *rangers]


def _piece(
    pack: Pack,
    laid: Mapping[Cell, TileAt],
    poses: Mapping[Cell, Pose],
    piece: Standing,
    seed: object,
    facing_deg: float,
    since: int,
    beside_mm: float,
    others: Iterable[PieceAt],
) -> PieceAt:
    rng = rng_for(seed, piece.kind, piece.color, piece.cell, piece.feature or piece.corner, since)
    yaw = facing_deg + float(rng.normal(0, 50))
    if piece.kind == "ranger":
        known = {c: p for c, p in poses.items() if c in laid}
        pose = empty_cell_pose(known, piece.cell)
        x, y = pose.at(float(rng.normal(0, 2.2)), float(rng.normal(0, 2.2)))
        return PieceAt(
            "ranger",
            piece.color or "white",
            "standing",
            piece.cell,
            None,
            (x, y, 0.0),
            float(rng.uniform(0, 360)),
        )
    if piece.kind == "token" or piece.corner is not None:
        return _at_water(pack, laid, poses, piece, rng, yaw)
    tile = laid[piece.cell]
    u, v = turned_point(_spot(pack, tile.design, piece), tile.rot)
    best: tuple[float, PieceAt] | None = None
    for tried in range(TRIES):
        slip = 0.9 + 0.08 * tried  # mm; who finds a piece in the way moves his own aside
        x, y = poses[piece.cell].at(
            (u - 0.5) * TILE_MM + float(rng.normal(0, slip)), (0.5 - v) * TILE_MM + float(rng.normal(0, slip))
        )
        if beside_mm:
            x, y = _beside(poses[piece.cell], (x, y), facing_deg, beside_mm)
        if piece.pose == "lying":
            yaw = float(rng.uniform(0, 360))
        elif tried:
            yaw = facing_deg + float(rng.normal(0, 50))
        at = PieceAt(
            piece.kind,
            piece.color or "",
            piece.pose,
            piece.cell,
            piece.feature,
            (x, y, THICK_MM),
            yaw,
        )
        room = min((_apart_mm(at, other) for other in others), default=1.0)
        if best is None or room > best[0]:
            best = (room, at)
        if room > 0:
            break
    assert best is not None
    return best[1]


def _spot(pack: Pack, design: str, piece: Standing) -> Point:
    """Where on its own tile a piece on a feature stands."""
    feature = pack.designs[design].tile.feature(piece.feature or "")
    assert feature is not None, f"{design} has no {piece.feature}"
    return feature.spot_of(piece.kind)


def _apart_mm(a: PieceAt, b: PieceAt) -> float:
    """How far what two pieces cover is apart; negative where they would stand in each other."""
    feet = [FOOT_MM.get((piece.kind, piece.pose)) for piece in (a, b)]
    if feet[0] is None or feet[1] is None or a.corner is not None or b.corner is not None:
        return math.inf
    poses = [Pose(piece.point_mm[0], piece.point_mm[1], piece.yaw_deg) for piece in (a, b)]
    return gap_mm(poses[0], feet[0], poses[1], feet[1])


def _beside(
    tile: Pose, at_mm: tuple[float, float], facing_deg: float, beside_mm: float
) -> tuple[float, float]:
    """Return a place on `tile` that is `beside_mm` beyond an animal tile at `at_mm`, seen from the camera.

    The camera stands at `facing_deg`; a negative distance is before the animal tile, which hides it. The
    place is as straight behind or before it as the tile has room.
    """
    places = []
    for aside_deg in (0.0, 25.0, -25.0, 50.0, -50.0, 75.0, -75.0):
        angle = math.radians(facing_deg + aside_deg)
        x, y = at_mm[0] - beside_mm * math.sin(angle), at_mm[1] + beside_mm * math.cos(angle)
        over = max(abs(x - tile.x_mm), abs(y - tile.y_mm)) - (TILE_MM / 2 - RIM_MM)
        places.append((max(over, 0.0), abs(aside_deg), (x, y)))
    return min(places)[2]


def _at_water(
    pack: Pack,
    laid: Mapping[Cell, TileAt],
    poses: Mapping[Cell, Pose],
    piece: Standing,
    rng: np.random.Generator,
    yaw: float,
) -> PieceAt:
    """An animal tile, flush with its corner or on a feature's spot, or a meeple on one."""
    if piece.corner is None:
        tile = laid[piece.cell]
        spot = pack.designs[tile.design].tile.feature(piece.feature or "").spot
        u, v = turned_point(spot, tile.rot)
        x, y = poses[piece.cell].at(
            (u - 0.5) * TILE_MM + float(rng.normal(0, 1)), (0.5 - v) * TILE_MM + float(rng.normal(0, 1))
        )
        turn = float(rng.uniform(0, 360))
    else:
        east, south = {"ne": (1, -1), "se": (1, 1), "sw": (-1, 1), "nw": (-1, -1)}[piece.corner]
        away = (TILE_MM - TOKEN_MM) / 2 + float(rng.normal(0, 0.5))
        x, y = poses[piece.cell].at(east * away, -south * away)
        # its water lies at its own south-east, towards the corner; degrees count counter-clockwise here
        turn = {"se": 0.0, "ne": 90.0, "nw": 180.0, "sw": 270.0}[piece.corner] + float(rng.normal(0, 2.5))
        turn += poses[piece.cell].yaw_deg
    if piece.kind == "token":
        point = (x, y, THICK_MM)
        return PieceAt(
            "token", None, "lying", piece.cell, piece.feature, point, turn, piece.corner, piece.animal
        )
    x, y = x + float(rng.normal(0, 1.2)), y + float(rng.normal(0, 1.2))
    point = (x, y, THICK_MM + TOKEN_THICK_MM)
    return PieceAt("meeple", piece.color, "standing", piece.cell, None, point, yaw, piece.corner)


def pack_played(path: Path) -> Pack:
    """The pack that a record names."""
    return load_pack(read_record(path).header.pack)


def play(
    path: Path,
    pack: Pack,
    facing_deg: float,
    animals_seen: bool = False,
    half_hidden: Collection[tuple[Cell, str]] = (),
) -> Play:
    """Read a record and lay it out. `facing_deg` is where the camera stands (0: south): standing meeples tend
    to look there. `animals_seen`: who shares a feature with an animal tile stands beyond it, not on it; but
    before it, from the first, on the features ``half_hidden``."""
    record = read_record(path)
    seed = path.stem
    state = first = tile_game_named(record.header.game).start(record.header, pack)
    start_supply: Mapping[str, int] = first.supply
    start = sorted(state.board)
    poses = lay_all([t.cell for t in record.turns], start, seed)
    since: dict[tuple[str, str | None, Cell, str | None], int] = {}
    stays: dict[tuple[object, ...], PieceAt] = {}  # a piece keeps its place when one beside it leaves

    def table(turn: int, stage: str, standing: tuple[Standing, ...]) -> TableState:
        tiles = {c: TileAt(laid.design.id, c, laid.rot) for c, laid in board.items()}
        for p in standing:
            since.setdefault(_key(p), turn)
        held = {(p.cell, p.feature) for p in standing if p.kind == "token" and p.corner is None}
        pieces: dict[Standing, PieceAt] = {}
        for p in sorted(standing, key=lambda p: since[_key(p)]):  # who came first was not in the way
            beside_mm = 0.0
            if p.kind == "meeple" and (p.cell, p.feature) in half_hidden:
                beside_mm = -BEFORE_MM
            elif animals_seen and p.kind == "meeple" and (p.cell, p.feature) in held:
                beside_mm = BESIDE_MM
            put = (*_key(p), since[_key(p)], beside_mm)
            if put in stays and (p.kind, p.pose) in FOOT_MM:
                pieces[p] = stays[put]
                continue
            others = tuple(pieces.values())
            pieces[p] = _piece(pack, tiles, poses, p, seed, facing_deg, since[_key(p)], beside_mm, others)
            stays[put] = pieces[p]

        def left(kind: str, whole: Mapping[str, int]) -> dict[str, int]:
            out = [p.color for p in standing if p.kind == kind]
            return {color: n - out.count(color) for color, n in whole.items()}

        return TableState(
            turn,
            stage,
            tiles,
            tuple(pieces[p] for p in standing),
            left("meeple", start_supply),
            {c: len(h) for c, h in state.hands.items()},
            dict(state.scores),
            left("hut", getattr(first, "hut_supply", {})),
        )

    board = state.board
    states = [table(0, "done", state.standing)]
    for number, turn in enumerate(record.turns, start=1):
        step = state.apply(turn)
        board = step.state.board
        if isinstance(turn.action, Dig):
            # The animal tile comes first: nobody sees it under the meeple.
            hole = (turn.action.cell, turn.action.corner)
            dug = tuple(p for p in step.laid if p.kind == "token" or (p.cell, p.corner) != hole)
            states.append(table(number, "dug", dug))
        if any(p.kind == "meeple" and p not in step.state.standing for p in step.laid):
            states.append(table(number, "laid", step.laid))
        state = step.state
        keep = {_key(p) for p in (*state.standing, *step.laid)}
        for key in [k for k in since if k not in keep]:
            del since[key]
        states.append(table(number, "done", state.standing))
        for key in [k for k in since if k not in {_key(p) for p in state.standing}]:
            del since[key]
    return Play(record.header, record.turns, poses, tuple(states), dict(state.final().scores))
