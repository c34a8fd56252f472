"""Recipe of the piece detector: `python -m models.train.pieces [--minutes 60] [--resume]`.

Scenes are made while training goes on, half of the time each, and kept; checkpoints every few
minutes under ~/.cache/tilesight/train/pieces; models/pieces.onnx is exported with every check on
the validation tables (other seeds, other decks than the training's).
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from models.train.committed import start_from_committed
from models.train.pieces.pieces_data import (
    HIDDEN,
    PRINT_STEPS,
    Sample,
    Tables,
    load,
    sample_from,
    save,
    window,
)
from models.train.pieces.pieces_net import PieceNet, Served, loss_of
from models.train.recipe_options import add_scene_shares, recipe_parser, set_up_torch
from models.train.training import Training
from vision.geometry.ortho import CELL_PX
from vision.pieces.detector import CLASSES, STRIDE, TOKEN, around, peaks
from vision.probability import sigmoid

HOME = Path.home() / ".cache" / "tilesight" / "train" / "pieces"
SIDE = 240
BATCH = 10
LR = 2e-3
SAVE_S, CHECK_S = 300.0, 480.0
KEEP = 2400  # samples in memory


def collate(items: list[Any], device: torch.device) -> list[torch.Tensor]:
    """Windows to batched tensors, in the order of Window's fields."""
    names = ("picture", "context", "heat", "keep", "near", "kind", "offset", "color")
    return [torch.from_numpy(np.stack([getattr(i, n) for i in items])).to(device) for n in names]


def detections(
    heat: NDArray[np.float32],
    kinds: NDArray[np.float32],
    offset: NDArray[np.float32],
    color: NDArray[np.float32],
    least: float,
) -> list[tuple[int, float, float, int, float]]:
    """(class, x px, y px, colour, value) of a whole picture, as the reader at run time finds them."""
    out: list[tuple[int, float, float, int, float]] = []
    for token, y, x, value in peaks(heat, least):
        kind = TOKEN if token else int(around(kinds, y, x).argmax())
        px = (x + 0.5 + float(offset[0, y, x])) * STRIDE - 0.5
        py = (y + 0.5 + float(offset[1, y, x])) * STRIDE - 0.5
        near = (0.25 if token else 0.16) * CELL_PX
        if any((k == TOKEN) == token and math.hypot(px - a, py - b) < near for k, a, b, _, _ in out):
            continue
        out.append((kind, px, py, int(around(color, y, x).argmax()), value))
    return out


def judge(net: PieceNet, samples: list[Sample], device: torch.device, least: float = 0.4) -> dict[str, float]:
    """Recall (visible from 0.5), false share, kind, pose, colour and place errors on whole pictures."""
    net.eval()
    asked = found = false = total = kinds = colors = tinted = 0
    errors: list[float] = []
    per: dict[str, list[int]] = {f"{k}-{p}": [0, 0] for k, p in CLASSES}
    with torch.no_grad():
        for s in samples:
            h, w = s.image.shape[:2]
            lean = cv2.resize(s.lean, (w // STRIDE, h // STRIDE), interpolation=cv2.INTER_LINEAR)
            ctx = np.empty((1, 5, h // STRIDE, w // STRIDE), np.float32)
            ctx[0, :2] = lean.transpose(2, 0, 1)
            ctx[0, 2:] = s.mean[:, None, None]
            channels = [s.image.astype(np.float32) / 127.5 - 1, s.print.astype(np.float32) / PRINT_STEPS]
            pic = np.concatenate(channels, axis=2).transpose(2, 0, 1)[None]
            out = net(
                torch.from_numpy(np.ascontiguousarray(pic)).to(device), torch.from_numpy(ctx).to(device)
            )
            heat, sort, off, col = (t[0].float().cpu().numpy() for t in out)
            got = detections(sigmoid(heat), _softmax(sort), off, _softmax(col), least)
            used: set[int] = set()
            for kind, px, py, tint, _ in got:
                best, where = 0.3 * CELL_PX, -1
                for i, (k, x, y, _, vis) in enumerate(s.labels):
                    d = math.hypot(px - x, py - y)
                    if i in used or (k == TOKEN) != (kind == TOKEN) or vis < HIDDEN / 2 or d >= best:
                        continue
                    best, where = d, i
                total += 1
                if where < 0:
                    false += 1
                    continue
                used.add(where)
                k, _, _, c, vis = s.labels[where]
                if vis < 0.5:
                    continue
                errors.append(best / CELL_PX)
                kinds += int(k == kind)
                if c >= 0:
                    tinted += 1
                    colors += int(c == tint)
            for i, (k, x, y, _, vis) in enumerate(s.labels):
                if vis >= 0.5 and 0 <= x < w and 0 <= y < h:
                    asked += 1
                    found += int(i in used)
                    name = "-".join(CLASSES[int(k)])
                    per[name][0] += int(i in used)
                    per[name][1] += 1
    net.train()
    n = max(1, len(errors))
    return {
        "recall": found / max(1, asked),
        "false": false / max(1, total),
        "kind": kinds / n,
        "color": colors / max(1, tinted),
        "place_p95": float(np.percentile(errors, 95)) if errors else 1.0,
        "asked": asked,
        **{f"recall {k}": v[0] / max(1, v[1]) for k, v in per.items()},
    }


def _softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    e = np.exp(x - x.max(axis=0))
    return np.asarray(e / e.sum(axis=0), np.float32)


def export(net: PieceNet, file: Path) -> None:
    """Write the network as it ships, with free height and width."""
    served = Served(net).eval()
    torch.onnx.export(
        served,
        (torch.zeros(1, 10, 192, 240), torch.zeros(1, 5, 48, 60)),
        str(file),
        input_names=["picture", "context"],
        output_names=["heat", "kind", "offset", "color"],
        dynamic_axes={
            "picture": {2: "h", 3: "w"},
            **{name: {2: "h4", 3: "w4"} for name in ("context", "heat", "kind", "offset", "color")},
        },
        opset_version=17,
        dynamo=False,
    )  # fmt: skip


def samples_for(folder: Path, seed: int, n: int) -> list[Sample]:
    """n kept samples of one seed, made where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    tables, rng, out = Tables(seed), np.random.default_rng(seed), []
    for k in range(n):
        path = folder / f"v{seed}_{k:04d}.npz"
        if path.exists():
            out.append(load(path))
            continue
        tables.rng = np.random.default_rng([seed, k])
        sample = sample_from(*tables.scene(), rng)
        save(sample, path)
        out.append(sample)
    return out


def main() -> None:
    """Command line."""
    ap = recipe_parser(__doc__)
    ap.add_argument("--scene-share", type=float, default=0.5, help="share of the time for new scenes")
    add_scene_shares(ap)
    ap.add_argument("--lr", type=float, default=LR, help="learning rate, less to go on from good weights")
    args = ap.parse_args()
    device = set_up_torch(args.seed, args.threads)
    (HOME / "samples").mkdir(parents=True, exist_ok=True)
    net: PieceNet = PieceNet().to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(HOME, net, torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-4))
    if args.resume and not training.resume(device):
        first = samples_for(HOME / "held", 900001, 12)
        cuts = [window(sample, np.random.default_rng(k), SIDE) for k, sample in enumerate(first)]
        picture, context, *_ = collate(cuts, device)
        start_from_committed(net, "pieces", lambda: net(picture, context))
    rng = np.random.default_rng([args.seed, training.step])
    shares = {"hard_share": args.hard_share, "checked_share": args.checked_share}
    tables = Tables(args.seed * 1000 + training.step, **shares)
    pool = [load(p) for p in sorted((HOME / "samples").glob("s*.npz"))[-KEEP:]]
    held = samples_for(HOME / "held", 900001, 90)
    meta = None if args.no_publish else {"cell_px": CELL_PX, "stride": STRIDE}
    made_s = trained_s = 0.0
    training.begin()
    last_save, last_check = time.monotonic(), time.monotonic() - 1e9
    sums: dict[str, float] = {}
    while (at_s := training.spent_s) <= args.minutes * 60:
        t0 = time.monotonic()
        if len(pool) < 60 or made_s * (1 - args.scene_share) < trained_s * args.scene_share:
            try:
                sample = sample_from(*tables.scene(), rng)
            except (ValueError, cv2.error, np.linalg.LinAlgError) as error:
                print("scene left out:", error, flush=True)
                continue
            save(sample, HOME / "samples" / f"s{time.time_ns()}.npz")
            pool.append(sample)
            pool = pool[-KEEP:]
            made_s += time.monotonic() - t0
            continue
        done = min(1.0, at_s / (args.minutes * 60))
        # The newest scenes come most often: they have been seen least.
        places = len(pool) - 1 - (len(pool) * rng.random(BATCH) ** 1.5).astype(int)
        picks = [window(pool[int(k)], rng, SIDE) for k in places]
        picture, context, *targets = collate(picks, device)
        picture = picture.to(memory_format=torch.channels_last)
        with torch.autocast(device.type, torch.bfloat16):
            out = net(picture, context)
        loss, parts = loss_of(out, *targets)
        training.learn(loss, args.lr, done)
        for k, v in parts.items():
            sums[k] = sums.get(k, 0.0) + v
        trained_s += time.monotonic() - t0
        if training.step % 100 == 0:
            said = " ".join(f"{k} {v / 100:.3f}" for k, v in sums.items())
            print(f"step {training.step} at {at_s / 60:.1f} min, {len(pool)} samples: {said}", flush=True)
            sums = {}
        if time.monotonic() - last_save > SAVE_S:
            training.save()
            last_save = time.monotonic()
        if training.step % 100 == 0 and time.monotonic() - last_check > CHECK_S:
            training.ship("pieces", judge(training.mean, held, device), export, meta)
            last_check = time.monotonic()
    training.save()
    training.ship("pieces", judge(training.mean, held, device), export, meta)


if __name__ == "__main__":
    main()
