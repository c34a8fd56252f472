"""Re-fits tuned numbers on own scenes, and says how much each one matters.

    python -m models.train.fit_params sensitivity vision/tiles       # each number halved and doubled
    python -m models.train.fit_params fit vision/tiles --memo OUT     # coordinate search; writes nothing
    python -m models.train.fit_params fit vision/tiles known_share --memo OUT --write

Every number of the folder's ``params.py`` that is a plain int or float can be fitted. The score is the mean
cost of an answer in nats (`models.train.param_scenes`). Scenes are drawn by seed; the even ones fit, the odd
ones check. The memo file keeps the scores, so that a run that was stopped goes on where it was. With --write
the new values go into ``params.py``; read the diff, then the benches.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

import vision
from models.train.param_scenes import Judged, boards, sheets, square_boards
from vision.params import Param, all_params, params_of

SEED = 5_310_000
"""First number of the scenes' seeds."""
STEPS = (2.0, 1.25)
"""Factors by which a number is changed, both ways, a pass each; a share's odds change instead."""
LEAST_GAIN = 0.002
"""Mean gain, nats an answer, under which a number stays as it is."""
SURELY = 1.0
"""Standard errors by which a gain must exceed 0, over scenes."""
SHARES = ("probability", "share", "correlation")
"""First words of the units of numbers between 0 and 1."""
SCENES: Mapping[str, Callable[[int, int], Iterable[Any]]] = {
    "vision/squares": square_boards,
    "vision/loose": sheets,
}
"""Scenes that judge a folder, where these are no boards."""


class Judging(Protocol):
    """A scene of `models.train.param_scenes`."""

    def judged(self, folder: str) -> Judged:
        """Reading with the present values of the parameters."""
        ...


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Effect of one changed parameter: its new ``value``, the change of the mean cost in nats, and the number
    of answers that differ."""

    name: str
    value: float
    nats: float
    changed: int


@dataclass(slots=True)
class Scores:
    """The costs of scenes (n,) with some numbers changed; kept in ``memo`` where that is given."""

    params: Any
    folder: str
    scenes: Sequence[Judging]
    memo: Path | None = None
    _known: dict[str, list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.memo is not None and self.memo.exists():
            self._known = json.loads(self.memo.read_text(encoding="utf-8"))

    def of(self, values: Mapping[str, float]) -> np.ndarray:
        """The cost of each scene."""
        now = {one.name: str(one.value) for one in params_of(self.params)}
        key = json.dumps([self.folder, now | {name: str(value) for name, value in values.items()}])
        if key not in self._known:
            with overridden(self.params, **values):
                self._known[key] = [scene.judged(self.folder).nats for scene in self.scenes]
            if self.memo is not None:
                self.memo.write_text(json.dumps(self._known), encoding="utf-8")
        return np.array(self._known[key])


@contextmanager
def overridden(params: Any, **values: Any) -> Iterator[None]:
    """Context manager that overrides some fields while scenes are judged.

    The values change for the whole process, but values computed before are kept, so create new readers inside
    the context. Raises TypeError for a name that is no field.
    """
    names = {field.name for field in dataclasses.fields(params)}
    if unknown := sorted(values.keys() - names):
        raise TypeError(f"{type(params).__name__} has no {', '.join(unknown)}")
    before = {name: getattr(params, name) for name in values}
    try:
        for name, value in values.items():
            object.__setattr__(params, name, value)
        yield
    finally:
        for name, value in before.items():
            object.__setattr__(params, name, value)


def fittable(params: Any) -> tuple[Param, ...]:
    """The numbers that a search can change."""
    return tuple(one for one in params_of(params) if type(one.value) in (int, float) and one.value)


def moved(one: Param, factor: float) -> float:
    """A number changed by a factor; a share keeps between 0 and 1, a whole number whole and above 0."""
    value = one.value
    if isinstance(value, int):
        step = round(value * factor)
        return max(1, step if step != value else value + (1 if factor > 1 else -1))
    if one.unit.split()[0] in SHARES and 0 < value < 1:
        odds = value / (1 - value) * factor
        return float(f"{odds / (1 + odds):.4g}")
    return float(f"{value * factor:.4g}")


def sensitivities(params: Any, folder: str, scenes: Sequence[Judging]) -> Iterator[Sensitivity]:
    """Each number halved and doubled, the others as they are."""
    before = [scene.judged(folder) for scene in scenes]
    for one in fittable(params):
        for factor in (0.5, 2.0):
            value = moved(one, factor)
            with overridden(params, **{one.name: value}):
                after = [scene.judged(folder) for scene in scenes]
            nats = float(np.mean([a.nats - b.nats for a, b in zip(after, before, strict=True)]))
            changed = sum(len(a.told ^ b.told) for a, b in zip(after, before, strict=True))
            yield Sensitivity(one.name, value, nats, changed)


def fit(
    scores: Scores, names: Sequence[str] = (), said: Callable[[str], None] = lambda _: None
) -> dict[str, float]:
    """Coordinate search over numbers (all by default): the values that make answers cost less."""
    wanted = [one for one in fittable(scores.params) if not names or one.name in names]
    best: dict[str, float] = {}
    cost = scores.of(best)
    for step in STEPS:
        for one in wanted:
            for factor in (step, 1 / step):
                while True:
                    now = Param(**{**_fields(one), "value": best.get(one.name, one.value)})
                    trial = best | {one.name: moved(now, factor)}
                    gain = cost - scores.of(trial)
                    error = float(gain.std(ddof=1)) / math.sqrt(len(gain)) if len(gain) > 1 else 0.0
                    if gain.mean() < max(LEAST_GAIN, SURELY * error) or trial[one.name] == now.value:
                        break
                    said(f"{one.name}: {now.value} -> {trial[one.name]}, {gain.mean():.4f} nats better")
                    best, cost = trial, scores.of(trial)
    return best


def rewritten(source: str, values: Mapping[str, float], fitted: str) -> str:
    """The text of a ``params.py`` with new values, each said to be fitted as ``fitted`` has it."""
    edits: list[tuple[int, int, str]] = []
    lines = source.splitlines(keepends=True)
    starts = np.concatenate([[0], np.cumsum([len(line.encode()) for line in lines])])
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        if node.target.id not in values or not isinstance(node.value, ast.Call):
            continue
        said = [word.value for word in node.value.keywords if word.arg == "fitted"]
        edits.append((*_span(starts, node.value.args[0]), repr(values[node.target.id])))
        if said:
            edits.append((*_span(starts, said[0]), json.dumps(fitted, ensure_ascii=False)))
        else:
            _, end = _span(starts, node.value.keywords[-1].value)
            edits.append((end, end, f",\n        fitted={json.dumps(fitted, ensure_ascii=False)}"))
    text = source.encode()
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new.encode() + text[end:]
    return text.decode()


def _span(starts: np.ndarray, node: ast.expr) -> tuple[int, int]:
    """First byte of an expression, and the one after its last."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    return int(starts[node.lineno - 1]) + node.col_offset, int(
        starts[node.end_lineno - 1]
    ) + node.end_col_offset


def _fields(one: Param) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Param.__slots__}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("sensitivity", "fit"))
    parser.add_argument("folder", help="vision/tiles")
    parser.add_argument("names", nargs="*", help="numbers to fit; all by default")
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--memo", type=Path, help="file that keeps scores between runs")
    parser.add_argument("--write", action="store_true", help="write the new values into params.py")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    folder = args.folder.strip("/")
    found = {module: params for module, params in all_params(vision).items() if _folder(module) == folder}
    if not found:
        parser.error(f"{folder}: no folder with tuned numbers")
    ((module, params),) = found.items()
    if unknown := set(args.names) - {one.name for one in fittable(params)}:
        parser.error(f"{folder} has no number {', '.join(sorted(unknown))} that can be fitted")
    scenes = list(SCENES.get(folder, boards)(args.scenes, args.seed))
    if args.what == "sensitivity":
        for one in sensitivities(params, folder, scenes):
            print(
                f"{one.name:32} {one.value!s:>10} {one.nats:+9.4f} nats  {one.changed:4d} answers differ",
                flush=True,
            )
        return
    _fit_and_tell(args, module, params, folder, scenes)


def _fit_and_tell(
    args: argparse.Namespace, module: str, params: Any, folder: str, scenes: Sequence[Judging]
) -> None:
    memo: Path | None = args.memo
    if memo is not None:  # other scenes have other scores
        memo = memo.with_suffix(f".{args.seed}-{args.scenes}{memo.suffix}")
    fitting = Scores(params, folder, scenes[::2], memo)
    values = fit(fitting, args.names, lambda line: print(line, flush=True))
    checking = Scores(params, folder, scenes[1::2])
    for name, scores in (("fitted on", fitting), ("not seen", checking)):
        before, after = scores.of({}).mean(), scores.of(values).mean()
        print(f"{name} {len(scores.scenes)} scenes: {before:.4f} nats an answer before, {after:.4f} after")
    if not values:
        print("nothing changes")
    for name, value in values.items():
        print(f"{name}: {getattr(params, name)} -> {value}")
    if args.write and values:
        file = Path(str(sys.modules[module].__file__))
        said = f"{args.scenes} own scenes, models.train.fit_params"
        file.write_text(rewritten(file.read_text(encoding="utf-8"), values, said), encoding="utf-8")
        print(f"written into {file}")


def _folder(module: str) -> str:
    return module.rpartition(".")[0].replace(".", "/")


if __name__ == "__main__":
    main()
