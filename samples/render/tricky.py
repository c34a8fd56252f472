"""Renders `samples/tricky-boards`, forty tables of Tricky Safari, and `samples/camera-hunt`, a watched game.

    cd <repository>; <python with bpy 4.5> -m samples.render.tricky boards|session [--only NAME…]

Rooms, cameras, set-ups and games are drawn from seeds. Pictures that exist are not rendered again.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.game import Opening
from engine.pack import Pack, load_pack
from engine.tricky_safari.board import SQUARES, Animal, Terrain
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.records import TrickyHeader, animals_to_json, photos_to_json
from engine.tricky_safari.rules import COLORS, GROUND, SPECIES, START
from engine.tricky_safari.state import Move, TrickyState
from engine.tricky_safari.walk import Walk

from . import clutter, lens, materials, rooms, shapes
from .fitting import exposure_for, fit_camera
from .folder import fill
from .layout import rng_for
from .rooms import Room, drawn_room
from .stage import fresh
from .trickytable import (
    Quarter,
    TrickyStage,
    animals_laid,
    cameras_laid,
    on_board,
    quarters_laid,
    square_poses,
    table_of,
    terrain_of,
)

SAMPLES_DIR = Path(__file__).parent.parent
PACK = "tricky-safari"
SEED = 20261122
BOARDS = 40
QUALITY = 80
SAMPLES = 3
HD, FULL = (1280, 720), (1920, 1080)
TOPS = (
    "walnut", "confetti", "marble", "gingham", "pine", "cutting-mat", "navy", "leaves", "terracotta",
    "blanket", "white-mat", "dark", "oilcloth", "check", "teak", "tiles",
)  # fmt: skip
LIGHTS = ("lamp", "day", "dim", "ceiling", "sun")
THINGS = ("mug", "pencil", "phone", "cards", "sheet", "bowl", "dice", "gamebox")
TABLE_MM = (1900.0, 1300.0)


def opened(laid: dict[tuple[int, int], Quarter], pack: Pack, rng: random.Random) -> TrickyHeader:
    """A random set-up on these quarters, cameras in their usual corners."""
    terrain = terrain_of(pack, laid)
    landscape = Terrain.of(terrain)
    free = [s for s in SQUARES if landscape.terrain[s] == GROUND and s not in START.values()]
    opening = Opening(TRICKY_SAFARI.name, PACK, COLORS, TRICKY_SAFARI.presets[0])
    squares = rng.sample(free, len(SPECIES))
    return TrickyHeader(
        opening.game,
        opening.pack,
        opening.players,
        opening.rules,
        terrain=terrain,
        animals=tuple(
            Animal(species, square, rng.choice("nesw"))  # type: ignore[arg-type]
            for species, square in zip(SPECIES, squares, strict=True)
        ),
    )


@dataclass(frozen=True)
class Played:
    """A turn, the position after it, and what the animals did then."""

    move: Move
    state: TrickyState
    walks: tuple[Walk, ...]


def played(state: TrickyState, rng: random.Random, turns: int, greedy: float = 0.3) -> Iterator[Played]:
    """Legal turns; a share of them the ones that photograph most."""
    for _ in range(turns):
        if state.over:
            return
        choices = [move for move in state.turns() if not move.passes] or list(state.turns())
        move = rng.choice(choices)
        if rng.random() < greedy:
            mine = state.player
            move = max(choices, key=lambda m: (state.apply(m).state.points[mine], rng.random()))
        step = state.apply(move)
        state = step.state
        yield Played(move, state, step.walks)


def camera_for(size_wh: tuple[int, int], rng: np.random.Generator, azimuth: float) -> lens.Camera:
    """A camera that has the whole board in view."""
    large = size_wh == FULL
    return fit_camera(
        size_wh,
        float(rng.uniform(52, 74)),
        float(rng.uniform(33, 80) if large else rng.uniform(38, 84)),
        azimuth,
        float(rng.normal(0, 2.5)),
        float(rng.uniform(-0.1, 0.02)),
        0.012,
        square_poses(),
        float(rng.uniform(18, 80)) * (1.5 if large else 1.0),
        (float(rng.normal(0, 25)), float(rng.normal(0, 12))),
        450.0,
    )


def board_name(number: int) -> str:
    """What board ``number`` (from 1) is called."""
    return f"tricky-{number:02d}"


def render_board(number: int, pack: Pack, samples: int, threads: int) -> tuple[np.ndarray, dict[str, Any]]:
    """One table: uint8 RGB [h, w, 3] and its truth entry (without the file name)."""
    name = board_name(number)
    rng = rng_for(SEED, name)
    top, light = TOPS[number % len(TOPS)], LIGHTS[(number * 2 + number // 5) % len(LIGHTS)]
    room = drawn_room(top, light, {"dim": 2.0, "lamp": 1.2}.get(light, 0.9), rng)
    azimuth = float(rng.uniform(-180, 180))
    camera = camera_for(FULL if number % 8 == 1 else HD, rng, azimuth)
    laid = quarters_laid(pack, name)
    chance = random.Random(name)
    state = TRICKY_SAFARI.start(opened(laid, pack, chance))
    for one in played(state, chance, int(rng.integers(0, 25))):
        state = one.state
    fresh(samples, threads)
    stage = TrickyStage(camera, pack, laid)
    rooms.lay_table(stage, room, rng, (0.0, 0.0), azimuth + float(rng.normal(0, 9)), TABLE_MM)
    rooms.light_up(room, rng, (0.0, 0.0))
    things = rng.choice(THINGS, int(rng.integers(1, 5)), replace=False)
    clutter.scatter(stage, clutter.Places(stage, square_poses()), tuple(map(str, things)), rng)
    stage.show_game(*table_of(state, laid, azimuth, name))
    truth = {
        "pack": pack.id,
        "light": light,
        "room": room.name,
        **stage.truth_game(state.landscape.rows),
        "turn": state.turn_no,
    }
    linear = stage.render(seed=number)
    scale = camera.size_wh[0] / 1280
    sensor = lens.Sensor(
        exposure_for(linear, room.key),
        room.camera_gain,
        float(rng.uniform(0.12, 0.32)),
        float(rng.uniform(0.35, 0.9)) * scale,
        0.014 * room.noise,
        0.0035 * room.noise,
        float(rng.uniform(0.1, 0.5)),
        float(rng.uniform(0.85, 1.15)),
    )
    return lens.expose(linear, sensor, rng_for(name, "sensor")), truth


# the session ------------------------------------------------------------------------------------

NAME, TITLE = "camera-hunt", "Camera hunt"
SESSION_WH = (1120, 630)
SESSION_QUALITY = 74
ROUNDS = 10
REST_FRAMES = 3
NAMES = {"yellow": "Gil", "red": "Hana"}
SKIN = {"yellow": (0.78, 0.58, 0.46), "red": (0.42, 0.29, 0.22)}
SLEEVE = {"yellow": (0.24, 0.33, 0.50), "red": (0.72, 0.70, 0.66)}
ARM_FROM = {"yellow": -20.0, "red": 70.0}
ROOM = Room("hobby room, afternoon", "ash", "day", 0.3, 130.0, (1.02, 1.0, 0.97), 0.5, 0.6)
EXPOSURE = 0.9090
"""Locked, as a watching camera has it: what `exposure_for` gives for the first picture."""
HANDS = (2, 5, 8, 15, 18)
"""Turns in which a hand is seen setting the camera down."""
MIDWAY = (2, 4, 6, 8)
"""Rounds in which the table is seen while the animals are being moved."""


def session_game(pack: Pack) -> tuple[dict[tuple[int, int], Quarter], TrickyHeader, list[Played]]:
    """The first seed whose game shows enough: photos by both, and most ways in which an animal walks."""
    for seed in range(1, 2000):
        laid = quarters_laid(pack, (NAME, seed))
        chance = random.Random(seed)
        header = opened(laid, pack, chance)
        start = TRICKY_SAFARI.start(header)
        game = list(played(start, chance, 2 * ROUNDS, 0.5))
        cases = {walk.case for one in game for walk in one.walks}
        final = game[-1].state
        if len(cases) >= 6 and min(final.points.values()) >= 5 and not any(o.move.passes for o in game):
            return laid, header, game
    raise SystemExit("no seed gives such a game")


@dataclass(frozen=True)
class Picture:
    """One state of the table to be taken, and at which frames."""

    name: str
    state: TrickyState
    turn: int
    hand: tuple[str, str] | None  # whose, over which square
    frames: tuple[tuple[int, float], ...]


def planned(header: TrickyHeader, game: list[Played]) -> list[Picture]:
    """Every picture in order: after each move at rest, while animals are moved, after their step."""
    pictures: list[Picture] = []
    index, t_s = 0, 0.0

    def take(
        name: str, state: TrickyState, turn: int, count: int, hand: tuple[str, str] | None = None
    ) -> None:
        nonlocal index, t_s
        t_s += 1.8
        frames = []
        for _ in range(count):
            frames.append((index, round(t_s, 2)))
            index, t_s = index + 1, t_s + 0.4
        pictures.append(Picture(name, state, turn, hand, tuple(frames)))

    before = TRICKY_SAFARI.start(header)
    take("start", before, 0, REST_FRAMES)
    for number, one in enumerate(game, start=1):
        player, to = one.move.player, one.move.to
        moved = replace(before, cameras=one.state.cameras)
        if number in HANDS and to is not None:
            held = {color: square for color, square in before.cameras.items() if color != player}
            take(f"turn-{number:02d}-hand", replace(before, cameras=held), number - 1, 1, (player, to))
        take(f"turn-{number:02d}", moved, number if not one.walks else number - 1, REST_FRAMES)
        if one.walks:
            if number // 2 in MIDWAY:
                done = {walk.before.species: walk.after for walk in one.walks[:5]}
                half = tuple(done.get(animal.species, animal) for animal in before.animals)
                at = one.walks[5].after.square
                take(f"turn-{number:02d}-midway", replace(moved, animals=half), number - 1, 1, (player, at))
            take(f"turn-{number:02d}-step", one.state, number, REST_FRAMES)
        before = one.state
    return pictures


def write_session(header: TrickyHeader, game: list[Played], pictures: list[Picture], out: Path) -> None:
    """session.json and truth.game.jsonl. The session leaves the set-up to be read from the table."""
    frames = [{"file": f"frames/{i:04d}.jpg", "t_s": t} for one in pictures for i, t in one.frames]
    session = {
        "tilesight": 1,
        "title": TITLE,
        "origin": "rendered",
        "game": header.game,
        "pack": header.pack,
        "rules": header.rules,
        "players": [{"name": NAMES[c], "color": c} for c in header.players],
        "frames": frames,
    }
    (out / "session.json").write_text(json.dumps(session, indent=1) + "\n")
    first = {one.turn: one.frames[0][0] for one in reversed(pictures) if one.hand is None}
    lines: list[dict[str, Any]] = [
        {
            "tilesight": 1,
            "game": header.game,
            "pack": header.pack,
            "rules": header.rules,
            "players": list(header.players),
            "terrain": list(header.terrain),
            "animals": animals_to_json(header.animals),
            "start": dict(header.cameras),
        }
    ]
    for number, one in enumerate(game, start=1):
        expect: dict[str, Any] = {"photos": photos_to_json(one.state.photos)}
        if one.walks:
            expect["animals"] = animals_to_json(one.state.animals)
        lines.append({**one.move.to_json(), "frame": first[number], "expect": expect})
    lines.append({"end": True, "expect": {"winner": None, "photos": dict(game[-1].state.points)}})
    (out / "truth.game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def reach(stage: TrickyStage, laid: dict[tuple[int, int], Quarter], picture: Picture) -> list[Any]:
    """A hand over the board, with the camera pawn in it where a player moves one."""
    assert picture.hand is not None
    player, square = picture.hand
    rng = rng_for(NAME, "hand", picture.name)
    at = on_board(laid, square)
    yaw = ARM_FROM[player] + float(rng.normal(0, 9))
    lift = float(rng.uniform(5, 16))
    objects = []
    if player not in picture.state.cameras:
        pawn = cameras_laid(laid, {player: square}, 0.0, NAME)[0]
        x, y, z = pawn.point_mm
        objects.append(stage.piece_object(replace(pawn, point_mm=(x, y, z + lift))))
    skin = materials.principled("skin", SKIN[player], roughness=0.55, mottle=0.07, specular=0.3)
    arm = materials.principled("sleeve", SLEEVE[player], roughness=0.9)
    hand = stage.mesh("hand-pinch", lambda: shapes.hand("pinch"))
    cuff = stage.mesh("sleeve-pinch", lambda: shapes.sleeve("pinch", rng_for("sleeve", "pinch")))
    place = (at.x_mm - 4.0, at.y_mm, lift + 2, yaw)
    return [*objects, stage.put(hand, (skin,), *place), stage.put(cuff, (arm,), *place)]


def session(out: Path, only: list[str] | None, samples: int, threads: int) -> None:
    """Render the pictures of the session that are missing."""
    pack = load_pack(PACK)
    laid, header, game = session_game(pack)
    pictures = planned(header, game)
    (out / "frames").mkdir(parents=True, exist_ok=True)
    write_session(header, game, pictures, out)
    fresh(samples, threads)
    azimuth = 9.0
    camera = fit_camera(SESSION_WH, 62, 58, azimuth, -0.8, -0.05, 0.011, square_poses(), 14)
    stage = TrickyStage(camera, pack, laid)
    rng = rng_for(NAME, "room")
    rooms.lay_table(stage, ROOM, rng, (0.0, 0.0), -6.0, TABLE_MM)
    rooms.light_up(ROOM, rng, (0.0, 0.0))
    clutter.scatter(stage, clutter.Places(stage, square_poses()), ("mug", "sheet", "dice", "pencil"), rng)
    truth = []
    for picture in pictures:
        paths = [out / "frames" / f"{i:04d}.jpg" for i, _ in picture.frames]
        stage.show_game(
            animals_laid(laid, picture.state.animals, NAME),
            cameras_laid(laid, picture.state.cameras, azimuth, NAME),
        )
        entry = {
            "pack": pack.id,
            "light": ROOM.light,
            **stage.truth_game(header.terrain),
            "turn": picture.turn,
            "at_rest": picture.hand is None,
        }
        truth += [{"file": f"frames/{path.name}", **entry} for path in paths]
        if (only and picture.name not in only) or all(path.exists() for path in paths):
            continue
        began = time.time()
        held = reach(stage, laid, picture) if picture.hand is not None else []
        linear = stage.render(seed=picture.frames[0][0] + 1)
        sensor = lens.Sensor(EXPOSURE, ROOM.camera_gain, 0.22, 0.45, 0.008, 0.002, 0.25, 1.03)
        for (i, _), path in zip(picture.frames, paths, strict=True):
            noise = rng_for(NAME, "sensor", i)
            flicker = 1 + float(noise.normal(0, 0.004)) + (0.02 if held else 0.0)
            lens.save_jpeg(lens.expose(linear, sensor, noise, flicker), path, SESSION_QUALITY)
        for obj in held:
            stage.drop(obj)
        print(f"{picture.name}: {time.time() - began:.0f} s", flush=True)
    (out / "truth.json").write_text("[\n" + ",\n".join(json.dumps(e) for e in truth) + "\n]\n")


def main() -> int:
    """Render what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("boards", "session"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    if args.what == "boards":
        pack = load_pack(PACK)
        numbers = {board_name(number): number for number in range(1, BOARDS + 1)}
        left_out = fill(
            args.out or SAMPLES_DIR / "tricky-boards",
            numbers,
            lambda name: render_board(numbers[name], pack, args.samples, args.threads),
            args.only,
            QUALITY,
        )
        return int(left_out > 0)
    session(args.out or SAMPLES_DIR / NAME, args.only, args.samples, args.threads)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
