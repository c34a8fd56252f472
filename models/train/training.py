"""Training run of a recipe: resuming, checking against validation data, shipping the best weights."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from models.train.publish import publish

Net = TypeVar("Net", bound=nn.Module)
WARM_STEPS, LEAST_LR, MOST_GRADIENT = 200, 1e-5, 5.0
CHECK_S, SAVE_S = 300.0, 240.0
"""Intervals between checks and between checkpoints, in seconds."""


class Training(Generic[Net]):
    """A network being trained, the running mean of its weights (that is what ships), its optimiser, and how
    long and how far it has come.

    ``home/last.pt`` is the checkpoint, ``home/checks.jsonl`` has a line of figures for each check.
    """

    def __init__(self, home: Path, net: Net, opt: torch.optim.Optimizer) -> None:
        self.home = home
        self.net = net
        self.mean = copy.deepcopy(net)
        self.opt = opt
        self.step = 0
        self._spent_s = 0.0
        self._begin_s = time.monotonic()

    @property
    def spent_s(self) -> float:
        """Seconds of training, those of the runs before included."""
        return self._spent_s + time.monotonic() - self._begin_s

    def begin(self) -> None:
        """The clock starts, and the mean with the weights as they are now."""
        if not self.step:
            self.mean.load_state_dict(self.net.state_dict())
        self._begin_s = time.monotonic()

    def learn(self, loss: torch.Tensor, lr: float, done: float) -> None:
        """Take one step against ``loss``, at a learning rate that warms up to ``lr`` and falls as the share
        ``done`` of the training's time goes by."""
        warm = min(1.0, (self.step + 1) / WARM_STEPS)
        for group in self.opt.param_groups:
            group["lr"] = lr * warm * (0.5 + 0.5 * math.cos(math.pi * done)) + LEAST_LR
        self.opt.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MOST_GRADIENT)
        self.opt.step()
        self.stepped()

    def stepped(self) -> None:
        """One step was taken: the mean follows, and is as young as the training."""
        self.step += 1
        keep = min(0.998, 1 - 10 / (self.step + 10))
        with torch.no_grad():
            for a, b in zip(self.mean.state_dict().values(), self.net.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.mul_(keep).add_(b, alpha=1 - keep)
                else:
                    a.copy_(b)

    def resume(self, device: torch.device) -> bool:
        """Take up the checkpoint; False where there is none."""
        last = self.home / "last.pt"
        if not last.exists():
            return False
        state = torch.load(last, map_location=device, weights_only=True)
        self.net.load_state_dict(state["net"])
        self.mean.load_state_dict(state["mean"])
        self.opt.load_state_dict(state["opt"])
        self._spent_s, self.step = float(state["spent"]), int(state["step"])
        return True

    def save(self) -> None:
        """Write the checkpoint; the one before stays whole until this one is."""
        state = {"net": self.net.state_dict(), "mean": self.mean.state_dict(), "opt": self.opt.state_dict()}
        fresh = self.home / "last.part"
        torch.save({**state, "spent": self.spent_s, "step": self.step}, fresh)
        fresh.replace(self.home / "last.pt")

    def ship(
        self,
        name: str,
        figures: Mapping[str, float],
        export: Callable[[Net, Path], None],
        meta: Mapping[str, Any] | None,
    ) -> None:
        """Print and keep a check's figures and export the mean to ``home/<name>.onnx``; with ``meta`` it is
        published as the model ``name``."""
        print("check", json.dumps({key: round(value, 4) for key, value in figures.items()}), flush=True)
        with (self.home / "checks.jsonl").open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"step": self.step, "minutes": self.spent_s / 60, **figures}) + "\n")
        file = self.home / f"{name}.onnx"
        export(copy.deepcopy(self.mean).cpu(), file)
        if meta is not None:
            publish(name, file, {"step": self.step, **meta})


class Upkeep(Generic[Net]):
    """Checkpoints and checks of a training run, each at its own interval.

    ``judge`` gives the figures of the running mean; ``export`` and ``meta`` are those of `Training.ship`.
    """

    def __init__(
        self,
        training: Training[Net],
        name: str,
        judge: Callable[[Net], Mapping[str, float]],
        export: Callable[[Net, Path], None],
        meta: Mapping[str, Any] | None,
    ) -> None:
        self._training, self._name, self._judge = training, name, judge
        self._export, self._meta = export, meta
        self._saved_s = self._checked_s = time.monotonic()

    def after_step(self) -> None:
        """Save and check where it is time."""
        if time.monotonic() - self._saved_s > SAVE_S:
            self._training.save()
            self._saved_s = time.monotonic()
        if time.monotonic() - self._checked_s > CHECK_S:
            self._check()
            self._checked_s = time.monotonic()

    def end(self) -> None:
        """Save and check a last time."""
        self._training.save()
        self._check()

    def _check(self) -> None:
        self._training.ship(self._name, self._judge(self._training.mean), self._export, self._meta)
