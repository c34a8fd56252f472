"""Recipe of the animal tile classifier: `python -m models.train.tokens [--minutes 60] [--resume]`.

Tables are drawn first, by as many processes as there are cores; what they drew is kept under
~/.cache/tilesight/train/tokens with the checkpoints. models/tokens.onnx is exported with every check on the
validation tables (other seeds, other decks than the training's).
"""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from torch import Tensor
from torch.nn import functional as fn

from models.train.array_cache import load_arrays, save_arrays
from models.train.committed import start_from_committed
from models.train.recipe_options import recipe_parser, set_up_torch
from models.train.tokens.tokens_data import Choices, TokenTables
from models.train.tokens.tokens_net import AgreementNet
from models.train.training import Training, Upkeep
from vision.tokens.crops import CHANNELS, SIDE_PX, expectations

F32 = NDArray[np.float32]

HOME = Path.home() / ".cache" / "tilesight" / "train" / "tokens"
BATCH = 24
LR = 2e-3
HELD_SEED, HELD_TABLES = 900001, 100
DIM = 0.5
"""Visible share below which animal tiles are judged apart."""


def draw_table(folder: Path, seed: int, number: int) -> None:
    """Draw a table and keep its places, unless it is kept already."""
    path = folder / f"t{number:06d}.npz"
    if path.exists():
        return
    cv2.setNumThreads(1)
    try:
        save_arrays(TokenTables(seed).choices(number), path)
    except (ValueError, cv2.error, np.linalg.LinAlgError) as error:
        print("table left out:", error, flush=True)


def draw_tables(folder: Path, seed: int, count: int) -> list[Choices]:
    """Tables by their number; those that are not kept yet are drawn by all cores."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [k for k in range(count) if not (folder / f"t{k:06d}.npz").exists()]
    if missing:
        with multiprocessing.get_context("spawn").Pool() as pool:
            jobs = [pool.apply_async(draw_table, (folder, seed, k)) for k in missing]
            for job in track(jobs, description="Drawing tables"):
                job.get()
    return [load_arrays(Choices, p) for p in sorted(folder.glob("t*.npz"))[:count] if ".part" not in p.name]


def pictures_of(table: Choices, index: int, rng: np.random.Generator | None) -> tuple[F32, int]:
    """The expectations at one place, with ``rng`` varied, and which of them is right."""
    seen, bare = table.seen[index].astype(np.float32), table.bare[index]
    known, tokens, label = table.known[index], table.tokens, int(table.label[index])
    if rng is None:
        return expectations(seen, bare, known, tokens), label
    if rng.random() < 0.1:
        known = np.zeros_like(known)
    order = rng.permutation(len(tokens))
    if label:
        label = 1 + int(np.flatnonzero(order == label - 1)[0])
    colours = rng.permutation(3)
    seen = seen[..., colours] * np.exp(rng.normal(0, 0.05, 3) + rng.normal(0, 0.08)).astype(np.float32)
    if rng.random() < 0.3:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.4, 1.6))), np.float32)
    if rng.random() < 0.3:
        seen = seen + rng.normal(0, rng.uniform(1, 10), seen.shape).astype(np.float32)
    tokens = tokens[order][..., [*colours, 3]]
    pictures = expectations(seen, bare[..., colours], known, tokens)
    turns = int(rng.integers(4))
    pictures = np.rot90(pictures, turns, axes=(2, 3))
    return (pictures[..., ::-1] if rng.random() < 0.5 else pictures), label


def agreements(net: AgreementNet, pictures: list[F32], device: torch.device) -> list[Tensor]:
    """Network outputs for each place's expectations."""
    together = torch.from_numpy(np.ascontiguousarray(np.concatenate(pictures))).to(device)
    with torch.autocast(device.type, torch.bfloat16, enabled=net.training):
        out = net(together.contiguous(memory_format=torch.channels_last))
    return list(torch.split(out.float(), [len(one) for one in pictures]))


def judge(net: AgreementNet, held: list[Choices], device: torch.device) -> dict[str, float]:
    """Accuracy on the validation tables, and the truth's negative log-probability."""
    net.eval()
    rows: list[tuple[int, float, bool, float]] = []
    with torch.no_grad():
        for table in held:
            places = [pictures_of(table, k, None) for k in range(len(table.label))]
            out = agreements(net, [pictures for pictures, _ in places], device)
            for nats, (_, label), visible in zip(out, places, table.visible, strict=True):
                logs = torch.log_softmax(nats, 0)
                rows.append((label, float(visible), bool(nats.argmax() == label), -float(logs[label])))
    net.train()
    labels, shares, right, costs = (np.array(column) for column in zip(*rows, strict=True))
    there = labels > 0
    groups = {"bare": ~there, "clear": there & (shares >= DIM), "dim": there & (shares < DIM)}
    figures = {name: float(right[group].mean()) for name, group in groups.items()}
    return figures | {f"{name}_nats": float(costs[group].mean()) for name, group in groups.items()}


def export(net: AgreementNet, file: Path) -> None:
    """Write the network as it ships, for any number of pictures."""
    torch.onnx.export(
        net.eval(),
        (torch.zeros(2, CHANNELS, SIDE_PX, SIDE_PX),),
        str(file),
        input_names=["pictures"],
        output_names=["agreement"],
        dynamic_axes={"pictures": {0: "n"}, "agreement": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )


def main() -> None:
    """Command line."""
    ap = recipe_parser(__doc__, threads=2)
    ap.add_argument("--tables", type=int, default=1500)
    args = ap.parse_args()
    device = set_up_torch(args.seed, args.threads)
    held = draw_tables(HOME / "held", HELD_SEED, HELD_TABLES)
    tables = draw_tables(HOME / "tables", args.seed, args.tables)
    places = np.array([(t, k) for t, table in enumerate(tables) for k in range(len(table.label))], np.int64)
    print(f"{len(places)} places of {len(tables)} tables", flush=True)
    net: AgreementNet = AgreementNet().to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    training = Training(HOME, net, torch.optim.AdamW(net.parameters(), lr=LR, weight_decay=1e-3))
    rng = np.random.default_rng([args.seed, 7])
    batch = [pictures_of(tables[t], k, rng) for t, k in rng.choice(places, BATCH)]
    if args.resume and not training.resume(device):
        start_from_committed(net, "tokens", lambda: agreements(net, [p for p, _ in batch], device))
    rng = np.random.default_rng([args.seed, training.step])
    meta = None if args.no_publish else {"recipe": "models.train.tokens"}
    training.begin()
    upkeep = Upkeep(training, "tokens", lambda net: judge(net, held, device), export, meta)
    lost = 0.0
    while (at_s := training.spent_s) <= args.minutes * 60:
        done = min(1.0, at_s / (args.minutes * 60))
        batch = [pictures_of(tables[t], k, rng) for t, k in rng.choice(places, BATCH)]
        out = agreements(net, [pictures for pictures, _ in batch], device)
        labels = [torch.tensor(label, device=device) for _, label in batch]
        loss = torch.stack([fn.cross_entropy(o, t) for o, t in zip(out, labels, strict=True)]).mean()
        training.learn(loss, LR, done)
        lost += loss.item()
        if training.step % 100 == 0:
            print(f"step {training.step} at {at_s / 60:.1f} min: {lost / 100:.3f}", flush=True)
            lost = 0.0
        upkeep.after_step()
    upkeep.end()


if __name__ == "__main__":
    main()
