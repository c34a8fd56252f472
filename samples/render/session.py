"""Renders a sample session, `first-light` or `water-and-baobab`: a watched game, frame by frame.

    cd <repository>; <python with bpy 4.5> -m samples.render.session [NAME] [--only PICTURE…]

One picture is path-traced per state of the table; the resting frames of a state, two or three, are
exposures of it (own sensor noise, a little flicker).  Frames that exist are not rendered again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.pack import Pack

from . import clutter, lens, materials, rooms, shapes
from .fitting import art_of, exposure_for, fit_camera, one_piece
from .layout import HUT_MM, Cell, Pose, rng_for
from .plays import Play, TableState, pack_played, play
from .stage import PieceAt, Stage, fresh

HERE = Path(__file__).parent
SAMPLES = 4
REST_FRAMES, LATER_REST_FRAMES = 3, 2
"""Pictures of each table at rest, and of those after the turns that a film was framed for."""
SMALL = (960, 540)
"""Width and height of the films that cost least to ship."""


@dataclass(frozen=True)
class Film:
    """A session: its game (`games/NAME.game.jsonl`), room and camera, who plays, and what hands do.

    `hands`: turn -> the hand slides the tile in, lets go of it, or sets the meeple. `exposure` is locked, as
    a watching camera has it (`exposure_for` an early picture where None). `piles` are the face-down tiles,
    by deck; a deck's first pile is drawn from. `grain` is the sensor's noise, 1 an ordinary webcam's.
    `backs`: the piles show the pack's own; the first films were made before there were any. `framed_for`: the
    camera was set up, and things beside the board put down, for so many turns; what came later found room.
    `faces`: the tiles wear the pictures of the folder's own `faces/`, not the pack's. `half_hidden` are the
    features whose meeple hides half of an animal tile that comes there.
    """

    name: str
    title: str
    names: Mapping[str, str]
    room: rooms.Room
    table_turn_deg: float
    azimuth: float
    elevation: float
    hfov: float
    roll: float
    k1: float
    margin_px: float
    exposure: float | None
    hands: Mapping[int, str]
    arm_from: Mapping[str, float]  # yaw of the arm
    skin: Mapping[str, tuple[float, float, float]]
    sleeve: Mapping[str, tuple[float, float, float]]
    clutter: tuple[str, ...]
    size_wh: tuple[int, int] = (1280, 720)
    jpeg_quality: int = 85
    soft_px: float = 0.45
    grain: float = 1.0
    backs: bool = False
    hut_mm: float = HUT_MM
    framed_for: int | None = None
    piles: tuple[tuple[str, int], ...] = (("regular", 28), ("regular", 22), ("regular", 22))
    faces: bool = False
    half_hidden: frozenset[tuple[Cell, str]] = frozenset()
    rest_frames: int = REST_FRAMES


FILMS = {
    film.name: film
    for film in (
        Film(
            "first-light",
            "First light",
            {"red": "Ana", "blue": "Bo"},
            rooms.Room("dining table by the window", "oak", "day", 0.35, 152.0, (1.03, 1.0, 0.96)),
            7.0,
            11.0,
            61.0,
            64.0,
            0.7,
            -0.062,
            46,
            1.541,
            {
                1: "slide",
                3: "meeple",
                6: "slide",
                9: "release",
                12: "meeple",
                16: "slide",
                20: "release",
                24: "slide",
            },
            {"red": -28.0, "blue": 62.0},  # from the camera's side, from the right
            {"red": (0.80, 0.62, 0.52), "blue": (0.50, 0.35, 0.27)},
            {"red": (0.30, 0.36, 0.42), "blue": (0.66, 0.60, 0.48)},
            ("mug", "pencil", "sheet"),
        ),
        Film(
            "water-and-baobab",
            "Water and baobab",
            {"yellow": "Cleo", "green": "Dan", "blue": "Emi"},
            rooms.Room("evening on a blanket", "blanket", "lamp", 0.6, 70.0, (1.05, 1.0, 0.9), 0.46, 1.2),
            -31.0,
            -95.0,  # see `vantage`: every new animal tile is seen, and the lamp is not mirrored in the board
            57.0,
            64.0,
            -1.8,
            -0.028,
            34,
            2.6,
            {2: "slide", 7: "meeple", 11: "release", 15: "slide", 22: "release", 28: "slide"},
            {"yellow": -60.0, "green": 20.0, "blue": 110.0},
            {"yellow": (0.86, 0.69, 0.58), "green": (0.36, 0.24, 0.18), "blue": (0.66, 0.47, 0.36)},
            {"yellow": (0.55, 0.20, 0.22), "green": (0.20, 0.28, 0.24), "blue": (0.78, 0.76, 0.70)},
            ("bowl", "dice", "cards"),
            jpeg_quality=68,  # the blanket's weave is costly
        ),
        Film(
            "menhir-creek",
            "Menhir creek",
            {"red": "Ina", "blue": "Jon", "yellow": "Kim"},
            rooms.Room("cabin table, late afternoon", "walnut", "day", 0.55, 118.0, (1.04, 1.0, 0.94), 0.48),
            -12.0,
            -13.0,
            59.0,
            63.0,
            -0.9,
            -0.045,
            52,
            1.95,
            {2: "slide", 5: "meeple", 9: "release", 14: "slide", 19: "meeple", 25: "release", 30: "slide"},
            {"red": -35.0, "blue": 55.0, "yellow": 140.0},
            {"red": (0.46, 0.32, 0.25), "blue": (0.83, 0.66, 0.56), "yellow": (0.62, 0.44, 0.34)},
            {"red": (0.66, 0.62, 0.52), "blue": (0.22, 0.30, 0.26), "yellow": (0.36, 0.30, 0.42)},
            ("mug", "pencil", "dice"),
            jpeg_quality=76,
            soft_px=0.55,
            grain=0.5,
            backs=True,
            hut_mm=12.0,
            piles=(("regular", 30), ("menhir", 16)),
        ),
        Film(
            "hill-town",
            "Hill town",
            {"red": "Mia", "blue": "Noah", "yellow": "Lea"},
            rooms.Room("kitchen table at noon", "oak", "day", 0.25, 140.0, (1.01, 1.0, 0.98), 0.52),
            9.0,
            8.0,
            63.0,
            62.0,
            0.6,
            -0.04,
            30,
            1.8411,
            {3: "slide", 11: "release", 19: "slide", 27: "release", 35: "slide"},
            {"red": -30.0, "blue": 60.0, "yellow": 130.0},
            {"red": (0.78, 0.60, 0.50), "blue": (0.42, 0.29, 0.22), "yellow": (0.86, 0.70, 0.60)},
            {"red": (0.24, 0.34, 0.44), "blue": (0.70, 0.66, 0.56), "yellow": (0.42, 0.22, 0.28)},
            ("mug", "pencil"),
            size_wh=SMALL,
            jpeg_quality=72,
            grain=0.4,
            backs=True,
            framed_for=24,
            piles=(("regular", 24), ("regular", 24), ("regular", 23)),
        ),
        Film(
            "mill-stream",
            "Mill stream",
            {"green": "Olga", "red": "Paul"},
            rooms.Room("desk under a lamp", "teak", "lamp", 0.5, 60.0, (1.03, 1.0, 0.93), 0.5),
            -16.0,
            -11.0,
            60.0,
            62.0,
            -0.8,
            -0.05,
            34,
            3.1601,
            {4: "slide", 11: "meeple", 17: "release"},
            {"green": -40.0, "red": 75.0},
            {"green": (0.84, 0.67, 0.56), "red": (0.38, 0.26, 0.20)},
            {"green": (0.30, 0.26, 0.40), "red": (0.62, 0.60, 0.54)},
            ("pencil", "dice"),
            size_wh=SMALL,
            jpeg_quality=72,
            grain=0.4,
            backs=True,
            piles=(("regular", 30), ("river", 11), ("regular", 30)),
        ),
        Film(
            "dry-river",
            "Dry river",
            {"black": "Rosa", "red": "Sami", "green": "Tove"},
            rooms.Room("table on a veranda", "teak", "day", 0.4, 128.0, (1.02, 1.0, 0.97), 0.5),
            5.0,
            9.0,
            55.0,
            62.0,
            0.5,
            -0.042,
            26,
            1.1888,
            {5: "slide", 9: "meeple", 15: "release", 22: "slide", 26: "release"},
            {"black": -35.0, "red": 50.0, "green": 125.0},
            {"black": (0.44, 0.31, 0.24), "red": (0.82, 0.65, 0.55), "green": (0.68, 0.50, 0.40)},
            {"black": (0.60, 0.52, 0.34), "red": (0.26, 0.38, 0.36), "green": (0.52, 0.30, 0.26)},
            ("mug", "pencil"),
            size_wh=SMALL,
            jpeg_quality=64,
            grain=0.4,
            piles=(("regular", 24), ("regular", 24), ("regular", 24)),
            faces=True,
            rest_frames=2,
            half_hidden=frozenset({((1, 1), "b0")}),
        ),
    )
}


def game_of(film: Film, pack: Pack) -> Play:
    """The film's game, laid out before its camera."""
    record = HERE / "games" / f"{film.name}.game.jsonl"
    return play(record, pack, film.azimuth, animals_seen=True, half_hidden=film.half_hidden)


def art_in(film: Film, pack: Pack, design: str) -> Path:
    """The picture that the film shows of a face or an animal tile."""
    if not film.faces:
        return art_of(pack, design)
    kind = "png" if design.startswith("token-") else "webp"
    return HERE.parent / film.name / "faces" / f"{design}.{kind}"


def camera_of(film: Film, game: Play) -> lens.Camera:
    """The film's camera, as near as the whole game allows."""
    return fit_camera(
        film.size_wh,
        film.hfov,
        film.elevation,
        film.azimuth,
        film.roll,
        film.k1,
        0.011,
        game.all_poses(film.framed_for),
        film.margin_px,
    )


class Table:
    """The session's stage with everything that is not the board: piles, supplies, hands."""

    def __init__(self, film: Film, game: Play, pack: Pack, samples: int, threads: int) -> None:
        self.film = film
        self.game = game
        fresh(samples, threads)
        poses = game.all_poses(film.framed_for)
        self.deck_of = {design.id: design.tile.deck for design in pack.designs.values()}
        back = pack.back_path if film.backs else None
        self.stage = Stage(
            camera_of(film, game), lambda d: art_in(film, pack, d), one_piece(pack), back, film.hut_mm
        )
        rng = rng_for(film.name, "room")
        mid = (float(np.mean([p.x_mm for p in poses])), float(np.mean([p.y_mm for p in poses])))
        rooms.lay_table(self.stage, film.room, rng, mid, film.table_turn_deg)
        rooms.light_up(film.room, rng, mid)
        places = clutter.Places(self.stage, poses)
        self.piles: dict[str, list[Any]] = {}  # the pile of each deck that is drawn from, bottom up
        for deck, count in film.piles:
            spot = places.find(rng, 34, 54, spread=0.97)
            if spot is not None:
                pile = clutter.stack(self.stage, rng, *spot, float(rng.uniform(-20, 30)), count, deck)
                self.piles.setdefault(deck, pile)
        first = game.states[0]
        self.heaps: dict[str, list[PieceAt]] = {}
        self.huts: dict[str, list[PieceAt]] = {}
        self.tokens: dict[str, list[Any]] = {}
        for color in game.header.players:
            spot = places.find(rng, 52, 16, spread=0.96)
            if spot is not None:
                self.heaps[color] = clutter.supply(rng, color, *spot, first.supply[color])
            spot = places.find(rng, 30, 11, spread=0.96) if color in first.huts else None
            if spot is not None:
                self.huts[color] = clutter.supply(rng, color, *spot, first.huts[color], "hut")
            spot = places.find(rng, 40, 3, spread=0.96) if color in first.hands else None
            if spot is not None:
                self.tokens[color] = clutter.face_down_tokens(self.stage, rng, *spot, 10)
        clutter.scatter(self.stage, places, film.clutter, rng)
        self.held: list[Any] = []

    def show(self, state: TableState, drawn: int) -> None:
        """Bring the table to `state` with the tiles of the first `drawn` turns taken from their piles."""
        supply = [p for color, heap in self.heaps.items() for p in heap[: state.supply[color]]]
        supply += [p for color, heap in self.huts.items() for p in heap[: state.huts[color]]]
        self.stage.show(state.tiles, self.game.poses, (*state.pieces, *supply))
        for deck, pile in self.piles.items():
            taken = sum(self.deck_of[turn.tile] == deck for turn in self.game.turns[:drawn])
            for k, obj in enumerate(pile):
                obj.hide_render = obj.hide_viewport = k >= len(pile) - taken
        for color, tokens in self.tokens.items():
            for k, obj in enumerate(tokens):
                obj.hide_render = obj.hide_viewport = k >= state.hands[color]

    def reach(self, number: int, what: str) -> None:
        """A player's hand at turn `number`."""
        turn = self.game.turns[number - 1]
        rng = rng_for(self.film.name, "hand", number)
        pose = self.game.poses[turn.cell]
        yaw = self.film.arm_from[turn.player] + float(rng.normal(0, 9))
        kind, at, lift = "press", (pose.x_mm, pose.y_mm), 0.0
        if what == "slide":
            lift = float(rng.uniform(2, 9))
            at = (pose.x_mm + float(rng.uniform(-14, 14)), pose.y_mm + float(rng.uniform(-14, 14)))
            held = Pose(*at, pose.yaw_deg + float(rng.normal(0, 9)))
            self.held.append(
                self.stage.tile_object(
                    turn.tile, held, turn.rot, lift, (float(rng.normal(0, 0.05)), float(rng.normal(0, 0.05)))
                )
            )
        elif what == "meeple":
            kind, lift = "pinch", float(rng.uniform(4, 16))
            laid = next(s for s in self.game.states if s.turn == number)
            piece = next(p for p in laid.pieces if p.cell == turn.cell and p.color == turn.player)
            x, y, z = piece.point_mm
            at = (x - 4.0, y)
            up = PieceAt(
                piece.kind,
                piece.color,
                "standing",
                piece.cell,
                piece.feature,
                (x, y, z + lift),
                piece.yaw_deg,
            )
            self.held.append(self.stage.piece_object(up))
        else:
            at = (pose.x_mm + float(rng.uniform(-16, -4)), pose.y_mm + float(rng.uniform(-22, -8)))
            lift = float(rng.uniform(3, 12))
        skin = materials.principled(
            "skin", self.film.skin[turn.player], roughness=0.55, mottle=0.07, specular=0.3
        )
        arm = materials.principled("sleeve", self.film.sleeve[turn.player], roughness=0.9)
        hand = self.stage.mesh("hand-" + kind, lambda: shapes.hand(kind))
        cuff = self.stage.mesh("sleeve-" + kind, lambda: shapes.sleeve(kind, rng_for("sleeve", kind)))
        self.held.append(self.stage.put(hand, (skin,), *at, lift + 2, yaw))
        self.held.append(self.stage.put(cuff, (arm,), *at, lift + 2, yaw))

    def let_go(self) -> None:
        """Take hand and held things away."""
        for obj in self.held:
            self.stage.drop(obj)
        self.held.clear()


def planned(film: Film, game: Play) -> list[dict[str, Any]]:
    """The pictures to take, in order: {name, state, hand, frames: [(index, t_s)]}."""
    shots: list[dict[str, Any]] = []
    index, t_s = 0, 0.0
    for k, state in enumerate(game.states):
        number = state.turn
        first_of_turn = k > 0 and game.states[k - 1].turn != number
        if first_of_turn and number in film.hands:
            what = film.hands[number]
            action = game.turns[number - 1].action
            if what == "meeple" and not hasattr(action, "feature"):
                what = "slide"
            t_s += 1.6
            shots.append(
                {
                    "name": f"turn-{number:02d}-hand",
                    "state": state,
                    "before": game.states[k - 1],
                    "hand": what,
                    "frames": [(index, round(t_s, 2))],
                }
            )
            index, t_s = index + 1, t_s - 0.4
        t_s += 2.0
        frames = []
        later = film.framed_for is not None and number > film.framed_for
        for _ in range(LATER_REST_FRAMES if later else film.rest_frames):
            frames.append((index, round(t_s, 2)))
            index, t_s = index + 1, t_s + 0.4
        shots.append(
            {
                "name": f"turn-{number:02d}" + ("" if state.stage == "done" else f"-{state.stage}"),
                "state": state,
                "hand": None,
                "frames": frames,
            }
        )
    return shots


def write_session(film: Film, game: Play, shots: list[dict[str, Any]], out: Path) -> None:
    """session.json and truth.game.jsonl."""
    frames = [{"file": f"frames/{i:04d}.jpg", "t_s": t} for shot in shots for i, t in shot["frames"]]
    river = {} if game.header.river is None else {"river": game.header.river}
    session = {
        "tilesight": 1,
        "title": film.title,
        "origin": "rendered",
        "game": game.header.game,
        "pack": game.header.pack,
        "rules": game.header.rules,
        **river,
        "players": [{"name": film.names[c], "color": c} for c in game.header.players],
        "frames": frames,
    }
    (out / "session.json").write_text(json.dumps(session, indent=1) + "\n")
    first = {
        shot["state"].turn: shot["frames"][0][0]
        for shot in shots
        if shot["hand"] is None and shot["state"].stage == "done"
    }
    scores = {s.turn: s.scores for s in game.states if s.stage == "done"}
    lines: list[dict[str, Any]] = [
        {
            "tilesight": 1,
            "game": game.header.game,
            "pack": game.header.pack,
            "rules": game.header.rules,
            **river,
            "players": list(game.header.players),
        }
    ]
    for number, turn in enumerate(game.turns, start=1):
        lines.append({**turn.to_json(), "frame": first[number], "expect": {"scores": dict(scores[number])}})
    lines.append({"end": True, "expect": {"final": dict(game.final)}})
    (out / "truth.game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def main() -> int:
    """Render what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", choices=sorted(FILMS), default="first-light")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="names of pictures, such as turn-03 turn-03-hand")
    args = parser.parse_args()
    film = FILMS[args.name]
    out = args.out or HERE.parent / film.name
    pack = pack_played(HERE / "games" / f"{film.name}.game.jsonl")
    game = game_of(film, pack)
    shots = planned(film, game)
    frames_dir = out / "frames"
    frames_dir.mkdir(parents=True, exist_ok=True)
    table = Table(film, game, pack, args.samples, args.threads)
    truth: list[dict[str, Any]] = []
    exposure = film.exposure
    for shot in shots:
        if args.only and shot["name"] not in args.only:
            continue
        began = time.time()
        state: TableState = shot["state"]
        if shot["hand"] is None:
            table.show(state, state.turn)
        elif shot["hand"] == "slide":
            before: TableState = shot["before"]
            # a ranger in the way is in its player's other hand by now
            clear = tuple(p for p in before.pieces if p.cell != game.turns[state.turn - 1].cell)
            table.show(replace(before, pieces=clear), state.turn)
            table.reach(state.turn, "slide")
        else:
            new = game.turns[state.turn - 1].cell
            pieces = (
                tuple(p for p in state.pieces if p.cell != new) if shot["hand"] == "meeple" else state.pieces
            )
            table.show(replace(state, pieces=pieces), state.turn)
            table.reach(state.turn, shot["hand"])
        entry = {
            "pack": pack.id,
            "light": film.room.light,
            **table.stage.truth(),
            "turn": state.turn if shot["hand"] is None and state.stage == "done" else state.turn - 1,
            "at_rest": shot["hand"] is None,
        }
        paths = [frames_dir / f"{i:04d}.jpg" for i, _ in shot["frames"]]
        truth += [{"file": f"frames/{p.name}", **entry} for p in paths]
        if not all(p.exists() for p in paths):
            linear = table.stage.render(seed=shot["frames"][0][0])
            if exposure is None:
                exposure = exposure_for(linear, film.room.key)
                print(f"exposure {exposure:.4f}", flush=True)
            shot_noise, read_noise = 0.016 * film.grain, 0.004 * film.grain
            sensor = lens.Sensor(
                exposure, film.room.camera_gain, 0.22, film.soft_px, shot_noise, read_noise, 0.3, 1.05
            )
            for (i, _), path in zip(shot["frames"], paths, strict=True):
                rng = rng_for(film.name, "sensor", i)
                flicker = 1 + float(rng.normal(0, 0.004)) + (0.02 if shot["hand"] else 0.0)
                lens.save_jpeg(lens.expose(linear, sensor, rng, flicker), path, film.jpeg_quality)
        table.let_go()
        print(
            f"{shot['name']}: frames {[i for i, _ in shot['frames']]}, {time.time() - began:.0f} s",
            flush=True,
        )
    if not args.only:
        (out / "truth.json").write_text("[\n" + ",\n".join(json.dumps(e) for e in truth) + "\n]\n")
    write_session(film, game, shots, out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
