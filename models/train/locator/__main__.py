"""Recipe of the three networks that find the board: heat map, sides, cells.

`locator` is the heat map of tile faces, `sides` finds outlines, `cells` says whether a cell is a tile.

    python -m models.train.locator scenes --minutes 30      # synthetic scenes onto the disk
    python -m models.train.locator scenes --minutes 7 --first 100000    # the same of plain faces
    python -m models.train.locator heat  --minutes 40 [--resume]
    python -m models.train.locator sides --minutes 20 [--resume]
    python -m models.train.locator cells --minutes 5 [--resume]

They may run at the same time: training reads whatever scenes are there. Seeds below
`VALIDATION_SEEDS` are kept for validation. Everything is kept under ~/.cache/tilesight/train; a
finished part exports to models/<name>.onnx with its manifest entry. Seeded, resumable, one CPU
thread by default, CUDA where there is one.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.train.committed import start_from_committed
from models.train.locator.augmentation import recoloured, warped_frame
from models.train.locator.locator_net import CellsNet, HeatNet, SidesNet, cell_loss, heat_loss, side_loss
from models.train.locator.samples import cell_sample, heat_targets, side_samples
from models.train.locator.stored_scenes import PLAIN_SEEDS, Stored, load_scene, store_scene
from models.train.publish import publish
from vision.locate.cell_networks import BINS, bin_centres

CACHE = Path.home() / ".cache" / "tilesight" / "train"
SCENES = CACHE / "locator-scenes"
VALIDATION_SEEDS = 60
PLAIN_SHARE = 0.3
"""Share of plain faces (`PLAIN_SEEDS`) among the scenes of a batch, where there are any."""
SAVE_EVERY_S = 240.0


class SceneStore:
    """The stored scenes, read again as more of them appear."""

    def __init__(self, validation: bool) -> None:
        self.validation = validation
        self.paths: list[Path] = []
        self.plain = 0
        self.kept: dict[Path, Stored] = {}

    def refresh(self) -> int:
        """Looks for new scenes; returns how many there are."""
        every = sorted(p for p in SCENES.glob("[0-9]*.npz") if not p.name.endswith(".tmp.npz"))
        self.paths = [p for p in every if (int(p.stem) < VALIDATION_SEEDS) == self.validation]
        self.plain = sum(int(p.stem) >= PLAIN_SEEDS for p in self.paths)
        return len(self.paths)

    def draw(self, rng: np.random.Generator) -> Stored:
        """Any scene; one of plain faces with `PLAIN_SHARE`, however few or many of them there are."""
        others = len(self.paths) - self.plain
        if self.plain and rng.random() < PLAIN_SHARE:
            return self.get(others + int(rng.integers(self.plain)))
        return self.get(int(rng.integers(others)))

    def get(self, index: int) -> Stored:
        """The scene at this place, kept decoded (some 2 MB each)."""
        path = self.paths[index]
        if path not in self.kept:
            self.kept[path] = load_scene(path)
        return self.kept[path]


def make_scenes(minutes: float, first: int) -> None:
    """Stores scenes until time is up, the validation ones first."""
    SCENES.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60.0 * minutes
    seed, begun = first, time.monotonic()
    while time.monotonic() < until:
        store_scene(SCENES, seed)
        seed += 1
        if seed % 50 == 0:
            print(f"scene {seed}  {(seed - first) / (time.monotonic() - begun):.2f}/s", flush=True)


def heat_batch(
    rng: np.random.Generator, store: SceneStore, size: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Parts of frames (size, 224, 352, 3), targets (size, 9, 56, 88), weights (size, 56, 88)."""
    pictures, targets, weights = [], [], []
    for _ in range(size):
        scene = store.draw(rng)
        picture, quads = warped_frame(rng, scene.picture, scene.quads)
        target, weight = heat_targets(quads, scene.seen)
        pictures.append(recoloured(rng, picture))
        targets.append(target)
        weights.append(weight)
    return np.stack(pictures), np.stack(targets), np.stack(weights)


def side_batch(
    rng: np.random.Generator, store: SceneStore, crops: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
    """Strips of ``crops`` crops: (4·crops, 32, 64, 3), (4·crops, 2, BINS), (4·crops,)."""
    strips: list[NDArray[np.uint8]] = []
    places: list[NDArray[np.float32]] = []
    held: list[NDArray[np.float32]] = []
    while len(strips) < crops:
        scene = store.draw(rng)
        if not len(scene.present):
            continue
        for index in rng.permutation(len(scene.present))[:4]:
            a, b, c = side_samples(rng, scene.crops[index], bool(scene.present[index]))
            strips.append(a)
            places.append(b)
            held.append(c)
    return np.concatenate(strips), np.concatenate(places), np.concatenate(held)


def cell_batch(
    rng: np.random.Generator, store: SceneStore, size: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Cells (size, 48, 48, 3) and whether each is a tile (size,)."""
    cells: list[NDArray[np.uint8]] = []
    held: list[float] = []
    while len(cells) < size:
        scene = store.draw(rng)
        for index in rng.permutation(len(scene.present))[:8]:
            cell, tile = cell_sample(rng, scene.crops[index], bool(scene.present[index]))
            cells.append(cell)
            held.append(tile)
    return np.stack(cells[:size]), np.array(held[:size], np.float32)


def _batches(part: str, rng: np.random.Generator, store: SceneStore) -> Iterator[tuple[Tensor, ...]]:
    while True:
        arrays: tuple[NDArray[np.generic], ...]
        if part == "heat":
            arrays = heat_batch(rng, store, 4)
        else:
            arrays = side_batch(rng, store, 48) if part == "sides" else cell_batch(rng, store, 96)
        yield tuple(torch.from_numpy(array) for array in arrays)


def _network(part: str) -> HeatNet | SidesNet | CellsNet:
    if part == "heat":
        return HeatNet()
    return SidesNet() if part == "sides" else CellsNet()


def train(part: str, minutes: float, resume: bool, rate: float) -> None:
    """Train one of the two networks for a number of minutes and export it."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1905)
    net = _network(part)
    net.to(device)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    file = CACHE / f"locator-{part}.pt"
    step, spent = 0, 0.0
    average: dict[str, Tensor] = {}
    if resume and file.exists():
        saved = torch.load(file, map_location=device, weights_only=True)
        net.load_state_dict(saved["net"])
        optimiser.load_state_dict(saved["optimiser"])
        step, spent, average = saved["step"], saved["spent_s"], saved["average"]
    store, held_back = SceneStore(validation=False), SceneStore(validation=True)
    while store.refresh() < 20 or held_back.refresh() < 4:
        print("waiting for scenes", flush=True)
        time.sleep(10)
    batches = _batches(part, np.random.default_rng([1905, step, part == "heat"]), store)
    if resume and not file.exists():
        first = next(batches)[0].to(device)
        start_from_committed(net, "locator" if part == "heat" else part, lambda: net.logits(first))
    begun = told = kept = time.monotonic()
    mean: dict[str, float] = {}
    net.train()
    while (gone := time.monotonic() - begun) < 60.0 * minutes:
        share = gone / (60.0 * minutes)
        for group in optimiser.param_groups:
            # A plain number: the checkpoint is read back by a loader that takes nothing else.
            group["lr"] = float(
                rate * min(1.0, (step + 1) / 100) * (0.5 * (1 + math.cos(math.pi * share)) + 0.02)
            )
        arrays = [array.to(device) for array in next(batches)]
        raw = net.logits(arrays[0])
        if isinstance(raw, tuple):
            places, present = raw
            loss, parts = side_loss(places, present, arrays[1], arrays[2])
        elif part == "heat":
            loss, parts = heat_loss(raw, arrays[1], arrays[2])
        else:
            loss, parts = cell_loss(raw, arrays[1])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step += 1
        keep = min(0.998, (1 + step) / (10 + step))
        for name, value in net.state_dict().items():
            if value.is_floating_point():
                average[name] = average[name].lerp(value, 1 - keep) if name in average else value.clone()
            else:
                average[name] = value.clone()
        for key, number in parts.items():
            mean[key] = 0.98 * mean.get(key, number) + 0.02 * number
        now = time.monotonic()
        if now - told > 30:
            told = now
            count = store.refresh()
            text = "  ".join(f"{key} {number:.4f}" for key, number in mean.items())
            print(f"{part} step {step} {gone / 60:.1f} min, {count} scenes: {text}", flush=True)
        if now - kept > SAVE_EVERY_S:
            kept = now
            _save(file, net, optimiser, step, spent + gone, average)
            export(part, average)
    _save(file, net, optimiser, step, spent + time.monotonic() - begun, average)
    export(part, average)
    validate(part)


def _save(
    file: Path,
    net: nn.Module,
    optimiser: torch.optim.Optimizer,
    step: int,
    spent_s: float,
    average: dict[str, Tensor],
) -> None:
    fresh = file.with_suffix(".new")
    torch.save(
        {
            "net": net.state_dict(),
            "optimiser": optimiser.state_dict(),
            "step": step,
            "spent_s": spent_s,
            "average": average,
        },
        fresh,
    )
    fresh.replace(file)


def export(part: str, weights: dict[str, Tensor]) -> None:
    """Writes models/locator.onnx, sides.onnx or cells.onnx and the manifest entry."""
    net = _network(part)
    net.load_state_dict(weights)
    net.eval().cpu()
    target = CACHE / f"locator-{part}.onnx"
    if part == "heat":
        shape: tuple[int, ...] = (1, 384, 640, 3)
        source, names, axes = "frame", ["maps"], None
    elif part == "cells":
        shape = (4, 48, 48, 3)
        source, names, axes = "cells", ["tile"], {"cells": {0: "n"}, "tile": {0: "n"}}
    else:
        shape = (4, 32, 64, 3)
        source, names = "strips", ["places", "present"]
        axes = {"strips": {0: "n"}, "places": {0: "n"}, "present": {0: "n"}}
    torch.onnx.export(
        net,
        (torch.zeros(shape, dtype=torch.uint8),),
        str(target),
        input_names=[source],
        output_names=names,
        dynamic_axes=axes,
        dynamo=False,
    )
    publish("locator" if part == "heat" else part, target, {"recipe": f"models.train.locator {part}"})


def validate(part: str) -> dict[str, float]:
    """Figures on the scenes kept back, with the averaged weights; printed and returned."""
    saved = torch.load(CACHE / f"locator-{part}.pt", map_location="cpu", weights_only=True)
    store = SceneStore(validation=True)
    store.refresh()
    rng = np.random.default_rng(7)
    net = _network(part)
    net.load_state_dict(saved["average"])
    net.eval()
    result: dict[str, float] = {}
    with torch.no_grad():
        if isinstance(net, HeatNet):
            losses = []
            for _ in range(15):
                arrays = [torch.from_numpy(array) for array in heat_batch(rng, store, 4)]
                losses.append(heat_loss(net.logits(arrays[0]), arrays[1], arrays[2])[1])
            result = {key: float(np.mean([loss[key] for loss in losses])) for key in losses[0]}
        elif isinstance(net, CellsNet):
            cells, held = cell_batch(rng, store, 1500)
            chance = net(torch.from_numpy(cells)).numpy()
            result = {
                "tiles_right": float((chance[held > 0.5] > 0.5).mean()),
                "others_right": float((chance[held < 0.5] < 0.5).mean()),
            }
        else:
            strips, goal, held = side_batch(rng, store, 600)
            places, present = net(torch.from_numpy(strips))
            centres = bin_centres()
            got = places.numpy()
            near = np.abs(np.arange(BINS) - got.argmax(axis=2)[..., None]) <= 3
            mass = got * near
            place = (mass * centres).sum(axis=2) / mass.sum(axis=2)
            wanted = (goal * centres).sum(axis=2)
            error = np.abs(place - wanted)[held > 0.5]
            result = {
                "error_p50": float(np.percentile(error, 50)),
                "error_p90": float(np.percentile(error, 90)),
                "error_p95": float(np.percentile(error, 95)),
                "present_right": float(((present.numpy() > 0.5) == (held > 0.5))[held >= 0].mean()),
            }
    print(part, "validation", {key: round(value, 5) for key, value in result.items()}, flush=True)
    return result


def main() -> None:
    """Command line of the recipe."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", choices=["scenes", "heat", "sides", "cells", "validate"])
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--resume", action="store_true", help="from the checkpoint, else committed weights")
    parser.add_argument("--first", type=int, default=0, help="first seed of the scenes")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    cv2.setNumThreads(arguments.threads)
    CACHE.mkdir(parents=True, exist_ok=True)
    if arguments.part == "scenes":
        make_scenes(arguments.minutes, arguments.first)
    elif arguments.part == "validate":
        for part in ("heat", "sides", "cells"):
            if (CACHE / f"locator-{part}.pt").exists():
                validate(part)
    else:
        train(arguments.part, arguments.minutes, arguments.resume, arguments.rate)


if __name__ == "__main__":
    main()
