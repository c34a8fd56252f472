"""Renders `samples/house-boards`: forty boards with rangers and animal tiles on tables seen nowhere else.

    cd <repository>; <python with bpy 4.5> -m samples.render.house [--only house-07]

Rooms, cameras and clutter are drawn from a seed; the games are in `games/house-NN.game.jsonl` (see `choose`).
Boards that exist are not rendered again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from engine.pack import load_pack

from . import lens
from .boards import FULL, HD, Shot, render
from .rooms import Room

OUT = Path(__file__).parent.parent / "house-boards"
SEED = 20261121
BOARDS = 40
SAMPLES = 4
LARGE_FROM_TURNS = 37
"""Boards of so many turns and more are taken at 1080p, as are a few others."""
TOPS = (
    "teak", "ash", "marble", "terracotta", "gingham", "blanket", "navy", "cutting-mat", "white-mat",
    "oilcloth", "confetti",
)  # fmt: skip
LIGHTS = ("day", "lamp", "ceiling", "dim", "sun")
THINGS = ("mug", "pencil", "phone", "cards", "sheet", "bowl", "dice", "gamebox")


def turns_of(number: int) -> int:
    """How many turns board ``number`` (from 1) shows: few and many alike."""
    return (2, 5, 8, 12, 16, 21, 26, 31, 38, 44)[(number - 1) % 10]


def shots() -> tuple[Shot, ...]:
    """The forty, always the same."""
    rng = np.random.default_rng(SEED)
    out = []
    for number in range(1, BOARDS + 1):
        top, light = TOPS[number % len(TOPS)], LIGHTS[(number * 3 + number // 5) % len(LIGHTS)]
        warm = {"day": 0.1, "lamp": 0.7, "ceiling": 0.2, "dim": 0.55, "sun": 0.3}[light]
        gain = 1 + np.array([0.05, 0.0, -0.09]) * rng.uniform(-0.8, 1.4)
        room = Room(
            f"{top}, {light}",
            top,
            light,
            float(np.clip(warm + rng.normal(0, 0.15), 0, 1)),
            float(rng.uniform(0, 360)),
            (float(gain[0]), 1.0, float(gain[2])),
            float({"dim": 0.36, "sun": 0.46}.get(light, 0.5) + rng.normal(0, 0.05)),
            float({"dim": 2.4, "lamp": 1.3}.get(light, 1.0)),
        )
        large = turns_of(number) >= LARGE_FROM_TURNS or number % 8 == 3
        things = rng.choice(THINGS, int(rng.integers(1, 4)), replace=False)
        out.append(
            Shot(
                f"house-{number:02d}",
                FULL if large else HD,
                room,
                float(rng.uniform(-180, 180)),
                float(rng.uniform(32, 82)),
                float(rng.uniform(52, 76)),
                float(rng.normal(0, 2.5)),
                float(rng.uniform(-0.11, 0.02)),
                float(rng.uniform(70, 150)) * (1.5 if large else 1.0),
                ("stack", *map(str, things)),
                float(rng.uniform(300, 430)),
                (float(rng.normal(0, 50)), float(rng.normal(0, 30))),
                soft_px=float(rng.uniform(0.35, 0.9)),
                sharpen=float(rng.uniform(0.1, 0.5)),
                saturation=float(rng.uniform(0.85, 1.15)),
            )
        )
    return tuple(out)


def main() -> int:
    """Render the boards that are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    pack = load_pack("savanna")
    OUT.mkdir(parents=True, exist_ok=True)
    index = OUT / "truth.json"
    truth = {e["file"]: e for e in json.loads(index.read_text())} if index.exists() else {}
    for shot in shots():
        path = OUT / f"{shot.name}.jpg"
        if (args.only and shot.name not in args.only) or (path.exists() and path.name in truth):
            continue
        began = time.time()
        try:
            rgb, entry = render(shot, pack, args.samples, args.threads)
        except (AssertionError, ValueError) as error:
            print(f"{shot.name}: left out, {error}", flush=True)
            continue
        lens.save_jpeg(rgb, path)
        truth[path.name] = {"file": path.name, **entry}
        index.write_text("[\n" + ",\n".join(json.dumps(truth[k]) for k in sorted(truth)) + "\n]\n")
        print(f"{shot.name}: {len(entry['tiles'])} tiles, {time.time() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
