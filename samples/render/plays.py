"""A game record as a sequence of table states, with every tile and piece in its own hand-laid pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.board import Standing
from engine.game import Header, game_named
from engine.geometry import turned_point
from engine.pack import Pack
from engine.record import read_record
from engine.turn import Dig, Turn

from .layout import THICK_MM, TILE_MM, TOKEN_MM, TOKEN_THICK_MM, Cell, Pose, empty_cell_pose, lay_all, rng_for
from .stage import PieceAt, TileAt

BESIDE_MM = 16.0
"""How far from the middle of an animal tile a meeple stands that shares its feature: half of each, no gap."""
RIM_MM = 6.0


def _key(piece: Standing) -> tuple[str, str | None, Cell, str | None]:
    """Names a piece as long as it stays where it is."""
    return (piece.kind, piece.color, piece.cell, piece.feature or piece.corner)


@dataclass(frozen=True)
class TableState:
    """What lies still on the table. `turn` turns are finished, or of the last one only the animal tile of a
    watering hole lies yet (`dug`), or it is laid and about to score (`laid`)."""

    turn: int
    stage: str  # dug | laid | done
    tiles: Mapping[Cell, TileAt]
    pieces: tuple[PieceAt, ...]
    supply: Mapping[str, int]
    hands: Mapping[str, int]
    scores: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Play:
    """A whole game laid out: `states[0]` is the table before turn 1."""

    header: Header
    turns: tuple[Turn, ...]
    poses: Mapping[Cell, Pose]
    states: tuple[TableState, ...]
    final: Mapping[str, int]

    def all_poses(self) -> list[Pose]:
        """Every cell that is ever covered or held by a ranger."""
        rangers = [
            Pose(p.point_mm[0], p.point_mm[1], 0.0)
            for s in self.states
            for p in s.pieces
            if p.kind == "ranger"
        ]
        return [*self.poses.values(), *rangers]


def _piece(
    pack: Pack,
    laid: Mapping[Cell, TileAt],
    poses: Mapping[Cell, Pose],
    piece: Standing,
    seed: object,
    facing_deg: float,
    since: int,
    shared: bool,
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
    spot = pack.designs[tile.design].tile.feature(piece.feature or "").spot
    u, v = turned_point(spot, tile.rot)
    x, y = poses[piece.cell].at(
        (u - 0.5) * TILE_MM + float(rng.normal(0, 0.9)), (0.5 - v) * TILE_MM + float(rng.normal(0, 0.9))
    )
    if shared:
        x, y = _beyond(poses[piece.cell], (x, y), facing_deg)
    if piece.pose == "lying":
        yaw = float(rng.uniform(0, 360))
    return PieceAt(
        "meeple",
        piece.color or "",
        piece.pose or "standing",
        piece.cell,
        piece.feature,
        (x, y, THICK_MM),
        yaw,
    )


def _beyond(tile: Pose, at_mm: tuple[float, float], facing_deg: float) -> tuple[float, float]:
    """Beside an animal tile at `at_mm`, away from the camera at `facing_deg`, as straight as `tile` has room.

    Who plays before a camera puts no meeple between it and an animal that is to be seen.
    """
    places = []
    for aside_deg in (0.0, 25.0, -25.0, 50.0, -50.0, 75.0, -75.0):
        angle = math.radians(facing_deg + aside_deg)
        x, y = at_mm[0] - BESIDE_MM * math.sin(angle), at_mm[1] + BESIDE_MM * math.cos(angle)
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


def play(path: Path, pack: Pack, facing_deg: float, animals_seen: bool = False) -> Play:
    """Read a record and lay it out. `facing_deg` is where the camera stands (0: south): standing meeples tend
    to look there. `animals_seen`: who shares a feature with an animal tile stands beyond it, not on it."""
    record = read_record(path)
    seed = path.stem
    state = game_named(record.header.game).start(record.header, pack)
    start = sorted(state.board)
    poses = lay_all([t.cell for t in record.turns], start, seed)
    since: dict[tuple[str, str | None, Cell, str | None], int] = {}

    def table(turn: int, stage: str, standing: tuple[Standing, ...]) -> TableState:
        tiles = {c: TileAt(laid.design.id, c, laid.rot) for c, laid in board.items()}
        for p in standing:
            since.setdefault(_key(p), turn)
        held = {(p.cell, p.feature) for p in standing if p.kind == "token" and p.corner is None}
        pieces = tuple(
            _piece(
                pack,
                tiles,
                poses,
                p,
                seed,
                facing_deg,
                since[_key(p)],
                animals_seen and p.kind == "meeple" and (p.cell, p.feature) in held,
            )
            for p in standing
        )
        out = {
            color: sum(p.kind == "meeple" and p.color == color for p in standing)
            for color in record.header.players
        }
        return TableState(
            turn,
            stage,
            tiles,
            pieces,
            {c: 6 - n for c, n in out.items()},
            {c: len(h) for c, h in state.hands.items()},
            dict(state.scores),
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
