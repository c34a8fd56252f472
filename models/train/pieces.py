"""Train the piece detector: `python -m models.train.pieces [--minutes 60] [--resume]`.

Scenes are made while training goes on, half of the time each, and kept; checkpoints every few
minutes under ~/.cache/tilesight/train/pieces; models/pieces.onnx is exported with every check on
the validation tables (other seeds, other decks than the training's).
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from models.train.committed import start_from_committed
from models.train.pieces_data import HIDDEN, PRINT_STEPS, Sample, Tables, load, sample_from, save, window
from models.train.pieces_net import PieceNet, Served, loss_of
from models.train.publish import publish
from vision.ortho import CELL_PX
from vision.pieces import CLASSES, STRIDE, TOKEN, around, peaks

HOME = Path.home() / ".cache" / "tilesight" / "train" / "pieces"
SIDE = 240
BATCH = 10
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
            got = detections(_sigmoid(heat), _softmax(sort), off, _softmax(col), least)
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


def _sigmoid(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)


def _softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    e = np.exp(x - x.max(axis=0))
    return np.asarray(e / e.sum(axis=0), np.float32)


def export(net: PieceNet, file: Path) -> None:
    """Write the network as it ships, with free height and width."""
    served = Served(net).cpu().eval()
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
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--minutes", type=float, default=60)
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--scene-share", type=float, default=0.5, help="share of the time for new scenes")
    ap.add_argument("--no-publish", action="store_true")
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    (HOME / "samples").mkdir(parents=True, exist_ok=True)
    net = PieceNet().to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    mean_net = PieceNet().to(device)
    mean_net.load_state_dict(net.state_dict())
    spent, step = 0.0, 0
    last = HOME / "last.pt"
    if args.resume and last.exists():
        state = torch.load(last, map_location=device)
        net.load_state_dict(state["net"])
        mean_net.load_state_dict(state["mean"])
        opt.load_state_dict(state["opt"])
        spent, step = float(state["spent"]), int(state["step"])
    elif args.resume:
        first = samples_for(HOME / "held", 900001, 12)
        cuts = [window(sample, np.random.default_rng(k), SIDE) for k, sample in enumerate(first)]
        picture, context, *_ = collate(cuts, device)
        start_from_committed(net, "pieces", lambda: net(picture, context))
        mean_net.load_state_dict(net.state_dict())
    rng = np.random.default_rng([args.seed, step])
    tables = Tables(args.seed * 1000 + step)
    pool = [load(p) for p in sorted((HOME / "samples").glob("s*.npz"))[-KEEP:]]
    held = samples_for(HOME / "held", 900001, 90)
    made = trained = 0.0
    begin, last_save, last_judge = time.monotonic(), time.monotonic(), time.monotonic() - 1e9
    sums: dict[str, float] = {}
    while True:
        now = time.monotonic()
        at = spent + (now - begin)
        if at > args.minutes * 60:
            break
        if len(pool) < 60 or made * (1 - args.scene_share) < trained * args.scene_share:
            t0 = time.monotonic()
            try:
                sample = sample_from(*tables.scene(), rng)
            except (ValueError, cv2.error, np.linalg.LinAlgError) as error:
                print("scene left out:", error, flush=True)
                continue
            save(sample, HOME / "samples" / f"s{time.time_ns()}.npz")
            pool.append(sample)
            pool = pool[-KEEP:]
            made += time.monotonic() - t0
            continue
        t0 = time.monotonic()
        lr = (
            2e-3
            * min(1.0, (step + 1) / 200)
            * (0.5 + 0.5 * math.cos(math.pi * min(1.0, at / (args.minutes * 60))))
            + 1e-5
        )
        for group in opt.param_groups:
            group["lr"] = lr
        # The newest scenes come most often: they have been seen least.
        places = len(pool) - 1 - (len(pool) * rng.random(BATCH) ** 1.5).astype(int)
        picks = [window(pool[int(k)], rng, SIDE) for k in places]
        picture, context, *targets = collate(picks, device)
        picture = picture.to(memory_format=torch.channels_last)
        with torch.autocast(device.type, torch.bfloat16):
            out = net(picture, context)
        loss, parts = loss_of(out, *targets)
        opt.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        step += 1
        keep = min(0.998, 1 - 10 / (step + 10))  # the running mean is as young as the training
        with torch.no_grad():
            for a, b in zip(mean_net.state_dict().values(), net.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.mul_(keep).add_(b, alpha=1 - keep)
                else:
                    a.copy_(b)
        for k, v in parts.items():
            sums[k] = sums.get(k, 0.0) + v
        trained += time.monotonic() - t0
        if step % 100 == 0:
            said = " ".join(f"{k} {v / 100:.3f}" for k, v in sums.items())
            print(f"step {step} at {at / 60:.1f} min lr {lr:.5f} pool {len(pool)} {said}", flush=True)
            sums = {}
        if time.monotonic() - last_save > 300:
            _save(last, net, mean_net, opt, at, step)
            last_save = time.monotonic()
        if step % 100 == 0 and time.monotonic() - last_judge > 480:
            _check(mean_net, held, device, step, at, not args.no_publish)
            last_judge = time.monotonic()
    _save(last, net, mean_net, opt, spent + time.monotonic() - begin, step)
    _check(mean_net, held, device, step, spent + time.monotonic() - begin, not args.no_publish)


def _save(
    file: Path, net: PieceNet, mean: PieceNet, opt: torch.optim.Optimizer, spent: float, step: int
) -> None:
    part = file.with_suffix(".part")
    torch.save(
        {
            "net": net.state_dict(),
            "mean": mean.state_dict(),
            "opt": opt.state_dict(),
            "spent": spent,
            "step": step,
        },
        part,
    )
    part.replace(file)


def _check(net: PieceNet, held: list[Sample], device: torch.device, step: int, at: float, ship: bool) -> None:
    figures = judge(net, held, device)
    print("check", json.dumps({k: round(v, 4) for k, v in figures.items()}), flush=True)
    with (HOME / "checks.jsonl").open("a") as f:
        f.write(json.dumps({"step": step, "minutes": at / 60, **figures}) + "\n")
    copy = PieceNet()
    copy.load_state_dict({k: v.cpu() for k, v in net.state_dict().items()})
    file = HOME / "pieces.onnx"
    export(copy, file)
    if ship:
        publish("pieces", file, {"step": step, "cell_px": CELL_PX, "stride": STRIDE})


if __name__ == "__main__":
    main()
