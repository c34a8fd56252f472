"""Training may start from the shipped weights: the network answers as the shipped one, in training too."""

from __future__ import annotations

import numpy as np
import pytest

from models import load

torch = pytest.importorskip("torch", reason="recipes need torch (pip install torch)")
pytest.importorskip("onnx", reason="recipes need onnx (pip install onnx)")


def test_a_network_started_from_the_committed_weights_answers_as_they_do() -> None:
    from models.train.committed import start_from_committed
    from models.train.locator.locator_net import CellsNet

    cells = np.random.default_rng(3).integers(0, 255, (32, 48, 48, 3)).astype(np.uint8)
    net = CellsNet()
    start_from_committed(net, "cells", lambda: net(torch.from_numpy(cells)))
    with torch.no_grad():
        got = net.eval()(torch.from_numpy(cells)).numpy()
    assert np.abs(got - load("cells")(cells)[0]).max() < 1e-4


def test_another_network_s_weights_are_refused() -> None:
    from models.train.committed import start_from_committed
    from models.train.locator.locator_net import CellsNet

    net = CellsNet()
    with pytest.raises(ValueError, match=r"sides\.onnx"):
        start_from_committed(net, "sides", lambda: net(torch.zeros((4, 48, 48, 3), dtype=torch.uint8)))


def test_a_trained_network_is_averaged_with_the_weights_that_it_began_with() -> None:
    """All of them answers as those do, none as the network does; a half lies between."""
    from models.train.committed import averaged_with_committed
    from models.train.piece_classifier.network import LookNet
    from vision.pieces.piece_classifier import SIDE_PX

    torch.manual_seed(5)
    net = LookNet()
    pictures, context = torch.randn(24, 10, SIDE_PX, SIDE_PX), torch.randn(24, 5)
    net(pictures, context)  # statistics of its own
    net.eval()
    shipped = load("looks")(pictures.numpy(), context.numpy())[3]

    def offsets(share: float) -> np.ndarray:
        mixed = averaged_with_committed(net, "looks", share, lambda one: one(pictures, context))
        with torch.no_grad():
            return np.asarray(mixed(pictures, context)[3])

    with torch.no_grad():
        own = np.asarray(net(pictures, context)[3])
    assert np.abs(offsets(0.0) - own).max() < 1e-5
    assert np.abs(offsets(1.0) - shipped).max() < 1e-4
    assert np.abs(offsets(0.5) - own).max() > 0.01
