"""Trellis: its paths are those that trying all paths finds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tilesight.inference.stories.trellis import Edge, Trellis

LAYERS, STATES = 4, 3
Nats = dict[tuple[int, int, int], float]


def made(seed: int) -> tuple[Trellis[int, tuple[int, int]], Nats, list[float]]:
    """Return a full trellis, the nats of its steps by layer and states, and those of its ends."""
    rng = np.random.default_rng(seed)
    nats = {
        (layer, a, b): float(rng.normal())
        for layer, a, b in product(range(LAYERS), range(STATES), range(STATES))
    }
    trellis = Trellis[int, tuple[int, int]](0)
    for layer in range(LAYERS):
        edges = [Edge(a, (a, b), b, nats[layer, a, b]) for a, b in product(trellis.states, range(STATES))]
        trellis.grow(edges, lambda _: 0.0, STATES)
    return trellis, nats, [float(one) for one in rng.normal(size=STATES)]


def all_paths(nats: Nats, ends: list[float]) -> dict[tuple[tuple[int, int], ...], float]:
    found = {}
    for states in product(range(STATES), repeat=LAYERS):
        steps = tuple(zip((0, *states), states, strict=False))
        found[steps] = sum(nats[layer, a, b] for layer, (a, b) in enumerate(steps)) + ends[states[-1]]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_first_path_is_the_likeliest_and_each_step_has_its_likeliest_one(seed: int) -> None:
    trellis, nats, ends = made(seed)
    every = all_paths(nats, ends)
    best = max(every, key=lambda path: every[path])
    paths = trellis.paths(lambda state: ends[state], range(LAYERS), 100.0)
    assert paths[0] == best
    for layer in range(LAYERS):
        for step in {path[layer] for path in every}:
            with_it = max((path for path in every if path[layer] == step), key=lambda path: every[path])
            assert with_it in paths


def test_unlikely_paths_are_left_out_and_so_are_other_layers() -> None:
    trellis, nats, ends = made(3)
    every = all_paths(nats, ends)
    best = max(every.values())
    near = trellis.paths(lambda state: ends[state], range(LAYERS), 1.0)
    assert near == sorted(near, key=lambda path: -every[path])
    assert all(every[path] >= best - 1.0 for path in near)
    assert trellis.paths(lambda state: ends[state], (), 1.0) == near[:1]


def test_states_outside_the_beam_lead_nowhere() -> None:
    trellis = Trellis[str, str]("start")
    trellis.grow([Edge("start", "up", "high", 1.0), Edge("start", "down", "low", 0.9)], lambda _: 0.0, 2)
    trellis.grow([Edge("high", "on", "end", 0.0), Edge("low", "off", "cut", -9.0)], lambda _: 0.0, 1)
    assert trellis.paths(lambda _: 0.0, (0, 1), 100.0) == [("up", "on")]
