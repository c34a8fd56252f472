"""Recipe of the piece classifier: `python -m models.train.piece_classifier [--minutes 60] [--resume]`.

A second process draws tables while this one trains; what it drew is kept under ~/.cache/tilesight/train/looks
with the checkpoints. models/looks.onnx is exported with every check on the validation tables (other seeds,
other decks than the training's).
"""

from __future__ import annotations

import copy
import math
import multiprocessing
import shutil
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.loader import FOLDER
from models.train.array_cache import load_arrays
from models.train.committed import averaged_with_committed, start_from_committed
from models.train.piece_classifier.candidates_data import LookBatch, draw_tables
from models.train.piece_classifier.network import LookNet, Served, loss_of
from models.train.pieces.pieces_data import PRINT_STEPS
from models.train.recipe_options import add_scene_shares, recipe_parser, set_up_torch
from models.train.training import Training, Upkeep
from vision.pieces.piece_classifier import FOOT_PX, PX_PER_TILE, SIDE_PX

HOME = Path.home() / ".cache" / "tilesight" / "train" / "looks"
BEGUN = HOME / "begun"
"""Copy of the committed network as it was when the training began."""
BATCH = 96
LR = 1.5e-3
FIRST_TABLES = 150
HELD_SEED, HELD_TABLES = 900001, 120


class Pool:
    """All looks drawn so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.batches: list[LookBatch] = []
        self._read: set[str] = set()
        self._places = np.zeros((0, 2), np.int64)

    def grow(self) -> None:
        """Take in what has been drawn since."""
        fresh = [
            p for p in sorted(self.folder.glob("t*.npz")) if p.name not in self._read and "part" not in p.name
        ]
        for path in fresh:
            self._read.add(path.name)
            self.batches.append(load_arrays(LookBatch, path))
        if fresh:
            self._places = np.array(
                [(b, k) for b, batch in enumerate(self.batches) for k in range(len(batch.kind))], np.int64
            )

    def __len__(self) -> int:
        return len(self._places)

    def some(self, rng: np.random.Generator, n: int) -> list[Tensor]:
        """A random batch, varied: pictures, context, kind, token, color, offset."""
        picks = self._places[rng.integers(len(self._places), size=n)]
        return _tensors([(self.batches[b], int(k)) for b, k in picks], rng)


def _tensors(picks: list[tuple[LookBatch, int]], rng: np.random.Generator | None) -> list[Tensor]:
    n = len(picks)
    pictures = np.empty((n, 10, SIDE_PX, SIDE_PX), np.float32)
    context = np.stack([batch.context[k] for batch, k in picks])
    labels = [
        np.array([getattr(batch, name)[k] for batch, k in picks], np.int64)
        for name in ("kind", "token", "color")
    ]
    offset = np.stack([batch.offset[k] for batch, k in picks]).astype(np.float32)
    for i, (batch, k) in enumerate(picks):
        image = batch.image[k].astype(np.float32)
        said = batch.print[k].astype(np.float32) / PRINT_STEPS
        if rng is not None:
            image, said = _varied(image, said, context[i], offset[i], rng)
        pictures[i, :3] = (image / np.float32(127.5) - 1).transpose(2, 0, 1)
        pictures[i, 3:] = said
    return [torch.from_numpy(a) for a in (pictures, context, *labels, offset)]


def _varied(
    image: NDArray[np.float32],
    said: NDArray[np.float32],
    context: NDArray[np.float32],
    offset: NDArray[np.float32],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The look from a little elsewhere, in another light, less sharp, partly covered; ``context`` and
    ``offset`` go along in place."""
    turn, size = math.radians(rng.normal(0, 6)), math.exp(rng.normal(0, 0.1))
    m = size * np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    if rng.random() < 0.5:
        m = m @ np.diag([-1.0, 1.0])
    shift = rng.normal(0, 1.5, 2)
    affine = np.column_stack([m, np.asarray(FOOT_PX) + shift - m @ np.asarray(FOOT_PX)])
    offset[:] = m @ offset + shift / PX_PER_TILE

    def moved(channels: NDArray[np.float32]) -> NDArray[np.float32]:
        out = cv2.warpAffine(channels, affine, (SIDE_PX, SIDE_PX), borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(out, np.float32)

    image = moved(image)
    said = np.concatenate(
        [
            moved(np.ascontiguousarray(part.transpose(1, 2, 0))).transpose(2, 0, 1)
            for part in (said[:3], said[3:])
        ]
    )
    gain = np.exp(rng.normal(0, 0.08, 3) + rng.normal(0, 0.15)).astype(np.float32)
    image = np.clip(image * gain, 0, 255)
    context[2:] = np.clip((context[2:] + 1) * gain, 0, 2) - 1
    if rng.random() < 0.3:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 2.0))), np.float32)
    if rng.random() < 0.3:
        image = np.clip(image + rng.normal(0, rng.uniform(1, 9), image.shape).astype(np.float32), 0, 255)
    if rng.random() < 0.15:  # the print is not known
        said = np.zeros_like(said)
    if rng.random() < 0.25:  # something lies in front, away from the middle
        x, y = rng.integers(0, SIDE_PX, 2)
        if math.hypot(x - FOOT_PX[0], y - FOOT_PX[1] + 8) > 22:
            w, h = rng.integers(6, 18, 2)
            image[max(0, y - h) : y + h, max(0, x - w) : x + w] = rng.uniform(0, 255, 3)
            said[3:6, max(0, y - h) : y + h, max(0, x - w) : x + w] = rng.uniform(-1, 1)
    return image, said


def judge(net: LookNet, held: list[LookBatch], device: torch.device) -> dict[str, float]:
    """Piece classifier's outputs at the detector's own candidates of the validation tables."""
    net.eval()
    said_of: dict[str, list[NDArray[np.float32]]] = {"kind": [], "token": [], "color": []}
    true_of: dict[str, list[NDArray[np.int64]]] = {"kind": [], "token": [], "color": []}
    with torch.no_grad():
        for batch in held:
            rows = [k for k in range(len(batch.kind)) if batch.heat[k, 2] == 1.0]
            if not rows:
                continue
            pictures, context, *labels = _tensors([(batch, k) for k in rows], None)
            k, t, c, _ = net(pictures.to(device), context.to(device))
            for name, value in zip(said_of, (k, t[:, 0], c), strict=True):
                said_of[name].append(value.float().cpu().numpy())
            for name, label in zip(true_of, labels, strict=False):
                true_of[name].append(label.numpy())
    net.train()
    said, tile, color = (np.concatenate(values) for values in said_of.values())
    true, lying, tinted = (np.concatenate(values) for values in true_of.values())
    asked, there = true >= 0, true > 0
    best, tint = said.argmax(1), color.argmax(1)
    figures = {
        "something": float(((best > 0) == there)[asked].mean()),
        "kind": float((said[there, 1:].argmax(1) + 1 == true[there]).mean()),
        "token": float(((tile > 0) == (lying == 1))[lying >= 0].mean()),
        "color": float((tint == tinted)[tinted >= 0].mean()),
    }
    for k, name in enumerate(("nothing", "standing", "lying", "hut", "ranger", "other")):
        figures[name] = float((best == k)[true == k].mean())
    return figures


def export(net: LookNet, file: Path) -> None:
    """Write the network as it ships, for any number of looks."""
    served = Served(net).eval()
    names = ["kind", "token", "color", "offset"]
    torch.onnx.export(
        served,
        (torch.zeros(2, 10, SIDE_PX, SIDE_PX), torch.zeros(2, 5)),
        str(file),
        input_names=["pictures", "context"],
        output_names=names,
        dynamic_axes={name: {0: "n"} for name in ("pictures", "context", *names)},
        opset_version=17,
        dynamo=False,
    )


def main() -> None:
    """Command line."""
    ap = recipe_parser(__doc__)
    add_scene_shares(ap)
    ap.add_argument("--stand-ins-share", type=float, default=0.4, help="share of tables with lost meeples")
    ap.add_argument("--stout-share", type=float, default=0.5, help="share of tables with thick meeples")
    ap.add_argument("--painted-share", type=float, default=0.3, help="share of decks with printed pieces")
    ap.add_argument("--dyes-share", type=float, default=0.3, help="share of tables with dark or grey pieces")
    ap.add_argument("--tables", type=int, help="most tables drawn, all without it")
    ap.add_argument("--lr", type=float, default=LR, help="highest learning rate")
    ap.add_argument("--keep", type=float, default=0.0, help="share of the committed weights in what ships")
    args = ap.parse_args()
    shares = {name: value for name, value in vars(args).items() if name.endswith("_share")}
    device = set_up_torch(args.seed, args.threads)
    drawn = HOME / "tables"
    draw_tables(HOME / "held", HELD_SEED, 0, HELD_TABLES, shares)
    held = [load_arrays(LookBatch, p) for p in sorted((HOME / "held").glob("t*.npz"))]
    have = len(list(drawn.glob("t*.npz")))
    maker = multiprocessing.get_context("spawn").Process(
        target=draw_tables,
        args=(drawn, args.seed, have, args.tables, shares),
        daemon=True,
    )
    maker.start()
    pool = Pool(drawn)
    while len(pool.batches) < FIRST_TABLES:
        time.sleep(2)
        pool.grow()
    net: LookNet = LookNet().to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(HOME, net, torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-3))
    rng = np.random.default_rng([args.seed, 7])
    if args.keep and not (BEGUN / "looks.onnx").exists():
        BEGUN.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(FOLDER / "looks.onnx", BEGUN / "looks.onnx")
    if args.resume:
        if not training.resume(device):
            pictures, context, *_ = (t.to(device) for t in pool.some(rng, BATCH))
            start_from_committed(net, "looks", lambda: net(pictures, context))
        # The statistics of few batches would undo what these weights know.
        net.apply(lambda part: part.eval() if isinstance(part, torch.nn.BatchNorm2d) else None)
    rng = np.random.default_rng([args.seed, training.step])
    meta = None if args.no_publish else {"px_per_tile": PX_PER_TILE}
    training.begin()

    def shipped(net: LookNet) -> LookNet:
        if not args.keep:
            return net
        one = torch.zeros(1, 10, SIDE_PX, SIDE_PX), torch.zeros(1, 5)
        own = copy.deepcopy(net).cpu()
        mixed: LookNet = averaged_with_committed(own, "looks", args.keep, lambda net: net(*one), BEGUN)
        return mixed

    upkeep = Upkeep(
        training,
        "looks",
        lambda net: judge(shipped(net).to(device), held, device),
        lambda net, file: export(shipped(net), file),
        meta,
    )
    sums: dict[str, float] = {}
    while (at_s := training.spent_s) <= args.minutes * 60:
        done = min(1.0, at_s / (args.minutes * 60))
        pictures, context, *targets = (t.to(device) for t in pool.some(rng, BATCH))
        pictures = pictures.to(memory_format=torch.channels_last)
        with torch.autocast(device.type, torch.bfloat16):
            out = net(pictures, context)
        kind, token, color, offset = (t.float() for t in out)
        loss, parts = loss_of((kind, token, color, offset), *targets)
        training.learn(loss, args.lr, done)
        for name, value in parts.items():
            sums[name] = sums.get(name, 0.0) + value
        if training.step % 100 == 0:
            said = " ".join(f"{name} {value / 100:.3f}" for name, value in sums.items())
            print(
                f"step {training.step} at {at_s / 60:.1f} min, "
                f"{len(pool)} looks of {len(pool.batches)} tables: {said}",
                flush=True,
            )
            sums = {}
            pool.grow()
        upkeep.after_step()
    maker.terminate()
    upkeep.end()


if __name__ == "__main__":
    main()
