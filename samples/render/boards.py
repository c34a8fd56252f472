"""Renders the ten single boards `samples/boards`: positions of random games in ten different rooms.

    cd <repository>; <python with bpy 4.5> -m samples.render.boards [--only board-03]

Boards that exist are not rendered again.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.pack import Pack, load_pack

from . import clutter, lens, rooms
from .fitting import art_of, exposure_for, fit_camera, one_piece
from .folder import fill
from .layout import Pose, rng_for
from .plays import play
from .rooms import Room
from .stage import Stage, fresh

HERE = Path(__file__).parent
OUT = HERE.parent / "boards"
SAMPLES = 5
HD, FULL = (1280, 720), (1920, 1080)


@dataclass(frozen=True)
class Shot:
    """One board: the record it comes from, the room, and the camera that looks at it."""

    name: str
    size_wh: tuple[int, int]
    room: Room
    azimuth: float
    elevation: float
    hfov: float
    roll: float
    k1: float
    margin_px: float
    clutter: tuple[str, ...]
    nearest_mm: float = 330.0
    shift: tuple[float, float] = (0.0, 0.0)
    table_mm: tuple[float, float] = (1700.0, 1100.0)
    soft_px: float = 0.5
    sharpen: float = 0.3
    saturation: float = 1.0
    backs: bool = False  # of the pack's own; the first boards were taken before there were any


SHOTS = (
    Shot(
        "board-01",
        HD,
        Room("kitchen, morning", "tiles", "day", 0.1, 40, (0.97, 1.0, 1.05), 0.58),
        -24,
        52,
        68,
        -1.5,
        -0.085,
        120,
        ("mug", "cards", "stack", "pencil"),
        400,
        (-70, 30),
    ),
    Shot(
        "board-02",
        FULL,
        Room("living room, evening lamp", "linen", "lamp", 0.75, 110, (1.07, 1.0, 0.84), 0.45, 1.3),
        38,
        63,
        60,
        2.0,
        -0.03,
        160,
        ("stack", "phone", "bowl", "dice"),
        430,
        (80, -40),
    ),
    Shot(
        "board-03",
        HD,
        Room("office, ceiling panels", "stone", "ceiling", 0.0, 0, (0.98, 1.0, 1.02), 0.56),
        96,
        70,
        72,
        0.5,
        -0.11,
        70,
        ("sheet", "pencil", "phone", "stack"),
        360,
        (40, 20),
        soft_px=0.7,
        sharpen=0.1,
    ),
    Shot(
        "board-04",
        FULL,
        Room("terrace door, sun on the table", "pine", "sun", 0.3, 200, (1.0, 1.0, 0.97), 0.5),
        172,
        58,
        58,
        -2.5,
        -0.055,
        130,
        ("mug", "stack", "cards"),
        420,
        (-60, 0),
    ),
    Shot(
        "board-05",
        HD,
        Room("dim bedroom", "felt", "dim", 0.6, 300, (1.04, 1.0, 0.9), 0.36, 2.6),
        -62,
        66,
        64,
        3.0,
        -0.02,
        80,
        ("stack", "dice", "cards"),
        380,
        (0, -25),
        soft_px=0.6,
    ),
    Shot(
        "board-06",
        FULL,
        Room("picnic cloth by the window", "check", "day", 0.15, 250, (1.0, 1.0, 1.0), 0.53),
        9,
        47,
        66,
        1.0,
        -0.07,
        110,
        ("bowl", "stack", "pencil", "mug"),
        400,
        (50, 40),
        saturation=1.1,
    ),
    Shot(
        "board-07",
        HD,
        Room("club table under a lamp", "walnut", "lamp", 0.4, 20, (1.05, 1.0, 0.9), 0.42, 1.2),
        208,
        74,
        70,
        -1.0,
        -0.095,
        44,
        ("gamebox", "stack", "dice"),
        380,
        (0, 0),
        (1250, 800),
    ),
    Shot(
        "board-08",
        FULL,
        Room("playroom, oilcloth", "leaves", "ceiling", 0.5, 0, (1.03, 1.0, 0.93), 0.58),
        -128,
        61,
        62,
        1.5,
        -0.045,
        70,
        ("stack", "pencil", "sheet", "phone"),
        420,
        soft_px=0.9,
        sharpen=0.5,
    ),
    Shot(
        "board-09",
        FULL,
        Room("grey afternoon", "painted", "day", 0.0, 330, (0.96, 1.0, 1.06), 0.52, 1.2),
        27,
        56,
        74,
        -3.0,
        -0.12,
        60,
        ("mug", "stack", "cards"),
        420,
        (0, 10),
        saturation=0.9,
    ),
    Shot(
        "board-10",
        FULL,
        Room("dark counter, spots above", "dark", "ceiling", 0.3, 0, (1.02, 1.0, 0.95), 0.38),
        -7,
        66,
        64,
        0.8,
        -0.06,
        48,
        ("stack", "phone"),
        420,
    ),
)


def render(shot: Shot, pack: Pack, samples: int, threads: int) -> tuple[np.ndarray, dict[str, Any]]:
    """One board: uint8 RGB [h, w, 3] and its truth entry (without the file name)."""
    game = play(HERE / "games" / f"{shot.name}.game.jsonl", pack, facing_deg=shot.azimuth)
    state = game.states[-1]
    rng = rng_for(shot.name, "room")
    fresh(samples, threads)
    held = [p for p in state.pieces if p.kind == "ranger"]
    poses = [*game.poses.values(), *(Pose(p.point_mm[0], p.point_mm[1], 0.0) for p in held)]
    scale = shot.size_wh[0] / 1280
    camera = fit_camera(
        shot.size_wh,
        shot.hfov,
        shot.elevation,
        shot.azimuth,
        shot.roll,
        shot.k1,
        0.012,
        poses,
        shot.margin_px,
        shot.shift,
        shot.nearest_mm,
    )
    back = pack.back_path if shot.backs else None
    stage = Stage(camera, lambda design: art_of(pack, design), one_piece(pack), back)
    mid = (float(np.mean([p.x_mm for p in poses])), float(np.mean([p.y_mm for p in poses])))
    rooms.lay_table(stage, shot.room, rng, mid, shot.azimuth + float(rng.normal(0, 9)), shot.table_mm)
    rooms.light_up(shot.room, rng, mid)
    places = clutter.Places(stage, poses)
    clutter.scatter(stage, places, shot.clutter, rng)
    pieces = list(state.pieces)
    for color, count in state.supply.items():
        spot = places.find(rng, 40, 16, spread=0.97) if count else None
        if spot is not None:
            pieces += clutter.supply(rng, color, *spot, count)
    for color, count in state.huts.items():
        spot = places.find(rng, 30, 11, spread=0.97) if count else None
        if spot is not None:
            pieces += clutter.supply(rng, color, *spot, count, "hut")
    stage.show(state.tiles, game.poses, pieces)
    truth = {
        "pack": pack.id,
        "light": shot.room.light,
        "room": shot.room.name,
        **stage.truth(),
        "turn": state.turn,
    }
    linear = stage.render(seed=int(rng.integers(1, 9999)))
    sensor = lens.Sensor(
        exposure_for(linear, shot.room.key),
        shot.room.camera_gain,
        float(rng.uniform(0.12, 0.32)),
        shot.soft_px * scale,
        0.014 * shot.room.noise,
        0.0035 * shot.room.noise,
        shot.sharpen,
        shot.saturation,
    )
    return lens.expose(linear, sensor, rng_for(shot.name, "sensor")), truth


def command(description: str | None, out: Path, pack_id: str, shots: tuple[Shot, ...], samples: int) -> int:
    """The command line of a folder of boards: render those that are missing."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=out)
    parser.add_argument("--samples", type=int, default=samples)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    pack = load_pack(pack_id)
    wanted = {shot.name: shot for shot in shots}
    left_out = fill(
        args.out, wanted, lambda name: render(wanted[name], pack, args.samples, args.threads), args.only
    )
    return int(left_out > 0)


if __name__ == "__main__":
    raise SystemExit(command(__doc__, OUT, "savanna", SHOTS, SAMPLES))
