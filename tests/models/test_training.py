"""A recipe's training is taken up where it stopped, and ships the running mean of its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="recipes need torch (pip install torch)")


def _one(home: Path) -> Any:
    from models.train.training import Training

    net = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        net.weight.fill_(0.0)
    return Training(home, net, torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9))


def _step(training: Any, weight: float) -> None:
    with torch.no_grad():
        training.net.weight.fill_(weight)
    training.stepped()


def test_the_mean_is_as_young_as_the_training(tmp_path: Path) -> None:
    training = _one(tmp_path)
    training.begin()
    _step(training, 11.0)
    assert training.mean.weight.item() == pytest.approx(10.0)  # ten elevenths of the first step's weights
    for _ in range(20):
        _step(training, 2.0)
    assert training.mean.weight.item() == pytest.approx(2.0, abs=0.01)
    assert training.net.weight.item() == 2.0


def test_a_run_is_taken_up_where_it_was_saved(tmp_path: Path) -> None:
    first = _one(tmp_path)
    assert not first.resume(torch.device("cpu"))
    first.begin()
    _step(first, 11.0)
    first.save()
    spent_s = first.spent_s
    _step(first, 3.0)
    later = _one(tmp_path)
    assert later.resume(torch.device("cpu"))
    later.begin()
    assert (later.step, later.net.weight.item()) == (1, 11.0)
    assert later.mean.weight.item() == pytest.approx(10.0)
    assert 0 < later.spent_s < spent_s + 60


def test_a_check_exports_the_mean_and_keeps_its_figures(tmp_path: Path) -> None:
    training = _one(tmp_path)
    training.begin()
    _step(training, 11.0)
    shipped: list[tuple[float, Path]] = []
    training.ship(
        "small", {"kind": 0.98765}, lambda net, file: shipped.append((net.weight.item(), file)), None
    )
    ((weight, file),) = shipped
    assert weight == pytest.approx(10.0)
    assert file == tmp_path / "small.onnx"
    line = json.loads((tmp_path / "checks.jsonl").read_text("utf-8"))
    assert (line["step"], line["kind"]) == (1, 0.98765)


def test_upkeep_saves_and_checks_at_their_intervals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.train.training import CHECK_S, SAVE_S, Upkeep

    now = [1000.0]
    monkeypatch.setattr("models.train.training.time.monotonic", lambda: now[0])
    training = _one(tmp_path)
    training.begin()
    judged: list[float] = []

    def judge(net: Any) -> dict[str, float]:
        judged.append(now[0])
        return {"kind": 1.0}

    upkeep = Upkeep(training, "small", judge, lambda net, file: None, None)
    upkeep.after_step()
    assert (judged, (tmp_path / "last.pt").exists()) == ([], False)
    now[0] += SAVE_S + 1
    upkeep.after_step()
    assert (judged, (tmp_path / "last.pt").exists()) == ([], True)
    now[0] = 1000 + CHECK_S + 1
    upkeep.after_step()
    upkeep.after_step()
    assert judged == [now[0]]
    (tmp_path / "last.pt").unlink()
    upkeep.end()
    assert (len(judged), (tmp_path / "last.pt").exists()) == (2, True)


def test_the_rate_warms_up_and_falls_and_no_step_is_too_long(tmp_path: Path) -> None:
    from models.train.training import LEAST_LR, MOST_GRADIENT, WARM_STEPS

    training = _one(tmp_path)
    training.begin()
    rates = []
    for step, done in ((0, 0.0), (WARM_STEPS, 0.0), (WARM_STEPS, 0.5), (WARM_STEPS, 1.0)):
        training.step = step
        training.learn(1000.0 * training.net.weight.sum(), 2.0, done)
        rates.append(training.opt.param_groups[0]["lr"])
        assert training.net.weight.grad.norm().item() == pytest.approx(MOST_GRADIENT)
        assert training.step == step + 1
    assert rates == pytest.approx([2.0 / WARM_STEPS + LEAST_LR, 2.0 + LEAST_LR, 1.0 + LEAST_LR, LEAST_LR])
    assert training.net.weight.item() < 0
