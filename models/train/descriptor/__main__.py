"""Recipe of the tile descriptor: `python -m models.train.descriptor [--minutes M] [--resume]`.

Each step draws a few decks, takes clean reference pictures of their faces at some of the quarter turns, makes
photographs of the same faces, and asks which reference each photograph shows. Near-duplicates and turned
copies of the same face are always among the answers. Every step's random numbers follow from its number.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from models.loader import FOLDER, load
from models.train.decks import random_deck
from models.train.descriptor.descriptor_net import CROP_PX, GRID, DescriptorNet, Score
from models.train.descriptor.judge import calibration
from models.train.descriptor.views import random_look, reference_set, table_crop, view
from models.train.publish import publish, require_checkpoint

CACHE = Path.home() / ".cache" / "tilesight" / "train"
FACE_PX = 160
FACES, QUERIES = 8, 16
DECKS_AHEAD = (0, 13, 37)
"""Steps between the three decks that a step trains on: each deck comes up three times, in other pictures."""
CHECKPOINT_S = 300
DOMAIN_SLACK = 1.5
"""Factor on the temperature: real prints under real cameras differ from synthetic ones."""


@dataclass(frozen=True)
class Sample:
    """One deck's share of a step: crops uint8 [n, 96, 96, 3], references first.

    `answer` [q] is the reference each query shows, -1 for a bare table; `shown` [q, 144] the visible share.
    """

    references: NDArray[np.uint8]
    queries: NDArray[np.uint8]
    answer: NDArray[np.int64]
    shown: NDArray[np.float32]


@lru_cache(maxsize=64)
def training_deck(seed: int, number: int) -> NDArray[np.uint8]:
    """Faces of the `number`-th deck of a run; drawing one costs as much as photographing half its faces."""
    return random_deck(np.random.default_rng([seed, 1, number]), FACES, FACE_PX)


def draw_sample(
    rng: np.random.Generator, faces: NDArray[np.uint8], n_queries: int, hardness: float
) -> Sample:
    """References of `faces` (each at two to four quarter turns) and photographs of them."""
    n_faces = len(faces)
    scans = reference_set(rng, faces, CROP_PX)
    references: list[NDArray[np.uint8]] = []
    pose: list[tuple[int, int]] = []
    for face in range(n_faces):
        base = int(rng.integers(4))
        turns = [base, (base + 2) % 4] + [(base + t) % 4 for t in (1, 3) if rng.random() < 0.25]
        for turn in turns:
            references.append(np.rot90(scans[face], -turn))
            pose.append((face, turn))
    look = random_look(rng, hardness)
    queries, answer, shown = [], [], []
    for number in range(n_queries):
        if number % 8 == 7:
            look = random_look(rng, hardness)
        if number == 0 and rng.random() < 0.7:
            queries.append(table_crop(rng, look, CROP_PX))
            answer.append(-1)
            shown.append(np.zeros(GRID * GRID, np.float32))
            continue
        index = int(rng.integers(len(pose)))
        face, turn = pose[index]
        crop, seen = view(rng, np.rot90(faces[face], -turn), faces, look, CROP_PX, GRID)
        queries.append(crop)
        answer.append(index)
        shown.append(seen.reshape(-1))
    return Sample(
        np.ascontiguousarray(np.stack(references)), np.stack(queries), np.array(answer), np.stack(shown)
    )


def losses(net: DescriptorNet, score: Score, samples: list[Sample], device: str) -> dict[str, torch.Tensor]:
    """Losses: which reference, the same by patch, what is visible, is it a tile; and the share right."""
    crops = np.concatenate([part for sample in samples for part in (sample.references, sample.queries)])
    with torch.autocast(device, torch.bfloat16):
        every, visible = net(torch.from_numpy(crops).to(device))
    every, visible = every.float(), visible.float()
    out: dict[str, list[torch.Tensor]] = {"which": [], "patch": [], "visible": [], "tile": [], "right": []}
    at = 0
    for sample in samples:
        n_ref, n_query = len(sample.references), len(sample.queries)
        reference, query = every[at : at + n_ref], every[at + n_ref : at + n_ref + n_query]
        seen = visible[at + n_ref : at + n_ref + n_query]
        at += n_ref + n_query
        answer = torch.from_numpy(sample.answer).to(device)
        shown = torch.from_numpy(sample.shown).to(device)
        on_tile = answer >= 0
        scored = score(query, seen, reference)
        wanted = answer[on_tile]
        out["which"].append(F.cross_entropy(scored.total[on_tile], wanted, label_smoothing=0.01))
        out["right"].append((scored.total[on_tile].argmax(1) == wanted).float().mean())
        per_patch = F.cross_entropy(
            scored.patch[on_tile], wanted[:, None].expand(-1, GRID * GRID), reduction="none"
        )
        clear = shown[on_tile]
        out["patch"].append((per_patch * clear).sum() / clear.sum().clamp(min=1))
        out["visible"].append(F.binary_cross_entropy_with_logits(seen[on_tile], clear))
        out["tile"].append(F.binary_cross_entropy_with_logits(score.tile_logit(scored), on_tile.float()))
    return {name: torch.stack(parts).mean() for name, parts in out.items()}


class Training:
    """Network, optimiser and averaged weights, with everything needed to go on after a stop."""

    def __init__(self, seed: int, total_steps: int, device: str) -> None:
        torch.manual_seed(seed)
        self.seed, self.total_steps, self.device, self.step = seed, total_steps, device, 0
        self.net = DescriptorNet().to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.score = Score().to(device)
        mean = torch.optim.swa_utils.get_ema_multi_avg_fn(0.996)  # type: ignore[no-untyped-call]
        self.mean_net = torch.optim.swa_utils.AveragedModel(self.net, multi_avg_fn=mean, use_buffers=True)
        self.optimiser = torch.optim.AdamW(
            [
                {"params": self.net.parameters(), "lr": 2e-3, "weight_decay": 1e-3},
                {"params": self.score.parameters(), "lr": 5e-3, "weight_decay": 0.0},
            ]
        )
        self.base_lr = [group["lr"] for group in self.optimiser.param_groups]

    def rate(self) -> float:
        """Learning rate's factor: warm up, hold, then fall to nothing over the second half."""
        done = self.step / self.total_steps
        return min(1.0, (self.step + 1) / 200) * min(1.0, max(0.01, 2 * (1 - done)))

    def run_step(self) -> dict[str, float]:
        rng = np.random.default_rng([self.seed, self.step])
        hardness = min(1.0, 0.5 + self.step / 800)
        decks = [training_deck(self.seed, self.step + ahead) for ahead in DECKS_AHEAD]
        samples = [draw_sample(rng, faces, QUERIES, hardness) for faces in decks]
        self.net.train()
        parts = losses(self.net, self.score, samples, self.device)
        loss = parts["which"] + 0.5 * parts["patch"] + 0.3 * parts["visible"] + 0.3 * parts["tile"]
        for group, base in zip(self.optimiser.param_groups, self.base_lr, strict=True):
            group["lr"] = base * self.rate()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 2.0)
        self.optimiser.step()
        self.mean_net.update_parameters(self.net)
        self.step += 1
        return {name: float(value.detach()) for name, value in parts.items()}

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        state = {
            "step": self.step,
            "net": self.net.state_dict(),
            "mean_net": self.mean_net.state_dict(),
            "score": self.score.state_dict(),
            "optimiser": self.optimiser.state_dict(),
        }
        torch.save(state, fresh)
        fresh.replace(path)

    def restore(self, path: Path) -> None:
        state: dict[str, Any] = torch.load(path, map_location=self.device, weights_only=True)
        self.step = int(state["step"])
        self.net.load_state_dict(state["net"])
        self.mean_net.load_state_dict(state["mean_net"])
        self.score.load_state_dict(state["score"])
        self.optimiser.load_state_dict(state["optimiser"])


def export(training: Training, path: Path) -> dict[str, Any]:
    """Write the averaged network as ONNX (uint8 crops in) and return what the manifest keeps beside it."""
    net = DescriptorNet()
    net.load_state_dict(training.mean_net.module.state_dict())
    net.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    example = torch.zeros((2, CROP_PX, CROP_PX, 3), dtype=torch.uint8)
    torch.onnx.export(
        net,
        (example,),
        str(path),
        dynamo=False,
        opset_version=17,
        input_names=["crops_bgr"],
        output_names=["descriptors", "visible"],
        dynamic_axes={name: {0: "n"} for name in ("crops_bgr", "descriptors", "visible")},
    )
    return {"crop_px": CROP_PX, "grid": GRID, "score": training.score.values(), "steps": training.step}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--steps", type=int, default=12000, help="length of the learning-rate schedule")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path, default=CACHE / "descriptor.pt")
    parser.add_argument("--publish", action="store_true", help="export, calibrate, write the manifest, stop")
    parser.add_argument("--models", type=Path, default=FOLDER, help="where --publish writes")
    options = parser.parse_args(arguments)
    if options.publish:
        require_checkpoint(parser, options.checkpoint)
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    training = Training(options.seed, options.steps, device)
    if (options.resume or options.publish) and options.checkpoint.exists():
        training.restore(options.checkpoint)
    if not options.publish:
        train(training, options.minutes, options.checkpoint)
    onnx_file = options.checkpoint.with_suffix(".onnx")
    meta = export(training, onnx_file)
    if options.publish:
        print(publish_calibrated(onnx_file, meta, options.models))


def publish_calibrated(onnx_file: Path, meta: dict[str, Any], folder: Path) -> str:
    """Publish beside the checkpoint, calibrate what was published, publish again with the values found."""
    trial = onnx_file.parent / "descriptor-trial"
    publish("descriptor", onnx_file, meta, trial)
    found = calibration(load("descriptor", folder=trial, threads=1))
    meta["temperature"] = DOMAIN_SLACK * found["temperature"]
    meta["score"] |= {name: found[name] for name in ("tile_slope", "tile_middle")}
    return publish("descriptor", onnx_file, meta, folder)


def train(training: Training, minutes: float, checkpoint: Path) -> None:
    """Run steps until the time or the schedule is over, with a line every fifty steps and a checkpoint."""
    began = saved = time.monotonic()
    window: list[dict[str, float]] = []
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopped.append(number))
    while training.step < training.total_steps and time.monotonic() - began < minutes * 60 and not stopped:
        window.append(training.run_step())
        if len(window) == 50:
            means = {name: round(float(np.mean([w[name] for w in window])), 4) for name in window[0]}
            line = {"step": training.step, "s": round(time.monotonic() - began), **means}
            print(json.dumps({**line, **training.score.values()}), flush=True)
            window.clear()
        if time.monotonic() - saved > CHECKPOINT_S:
            training.save(checkpoint)
            saved = time.monotonic()
    training.save(checkpoint)


if __name__ == "__main__":
    main()
