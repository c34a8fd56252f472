"""Start weights taken from the committed networks, where checkpoints of earlier runs are gone.

A shipped .onnx has its batch normalisation folded into the convolutions. It is unfolded here: one forward
pass over a batch measures what each convolution puts out, and the normalisation after it is set so that the
network answers as the shipped one does, in training as well.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from models.loader import FOLDER

F32 = NDArray[np.float32]
Net = TypeVar("Net", bound=nn.Module)


def start_from_committed(
    net: nn.Module, name: str, forward: Callable[[], object], folder: Path = FOLDER
) -> None:
    """Give ``net`` the weights of ``folder/<name>.onnx``.

    ``forward`` runs the network once over a batch of its training data (some ten pictures at least). A
    convolution that has more inputs now than it had gets zeros for the new ones, one with more outputs keeps
    its own start for those. ValueError where the networks do not belong together.
    """
    layers = _layers(folder / f"{name}.onnx")
    last: list[Tensor | None] = [None]

    def load(module: nn.Module, _: object) -> None:
        if isinstance(module, nn.Conv2d | nn.Linear):
            weight, bias = next(layers, (None, None))
            if weight is None:
                raise ValueError(f"{name}.onnx has fewer layers than the network")
            _fill(module.weight, weight, name)
            last[0] = None if bias is None else torch.from_numpy(bias).to(module.weight)
            if module.bias is not None and last[0] is not None:
                with torch.no_grad():
                    module.bias[: len(last[0])] = last[0]

    def unfold(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(module, nn.BatchNorm2d)
        mean = inputs[0].mean(dim=(0, 2, 3))
        spread = inputs[0].var(dim=(0, 2, 3), unbiased=False)
        assert module.running_mean is not None and module.running_var is not None
        module.running_mean.copy_(mean)
        module.running_var.copy_(spread)
        module.weight.copy_((spread + module.eps).sqrt())
        module.bias.copy_(mean)
        if last[0] is not None:
            module.bias[: len(last[0])] += last[0]

    hooks = [
        module.register_forward_pre_hook(unfold if isinstance(module, nn.BatchNorm2d) else load)
        for module in net.modules()
        if isinstance(module, nn.BatchNorm2d | nn.Conv2d | nn.Linear)
    ]
    was_training = net.training
    net.eval()
    with torch.no_grad():
        forward()
    for hook in hooks:
        hook.remove()
    net.train(was_training)
    if next(layers, None) is not None:
        raise ValueError(f"{name}.onnx has more layers than the network")


def averaged_with_committed(
    net: Net, name: str, share: float, forward: Callable[[Net], object], folder: Path = FOLDER
) -> Net:
    """Return a copy of ``net`` whose weights are averaged with those of ``folder/<name>.onnx``.

    ``share`` is that of the committed weights, from which ``net`` was trained on. What the network knew of
    pictures unlike those of training is kept better so (Wortsman et al., 'Robust fine-tuning of zero-shot
    models', 2022). Normalisations are folded into the convolutions before them; outputs that the committed
    network lacks stay as they are. ``forward`` runs the copy once.
    """
    mixed: Net = copy.deepcopy(net)
    mixed.eval()
    order: list[nn.Module] = []
    kinds = nn.BatchNorm2d | nn.Conv2d | nn.Linear
    hooks = [
        module.register_forward_hook(lambda module, *_: order.append(module))
        for module in mixed.modules()
        if isinstance(module, kinds)
    ]
    with torch.no_grad():
        forward(mixed)
        for hook in hooks:
            hook.remove()
        for weight, bias in _layers(folder / f"{name}.onnx"):
            layer = order.pop(0)
            if isinstance(layer, nn.Conv2d) and order and isinstance(order[0], nn.BatchNorm2d):
                _fold(layer, order[0])
                own = order.pop(0).bias
            else:
                own = layer.bias
            _blend(layer.weight, weight, share)
            if bias is not None and own is not None:
                _blend(own, bias, share)
    return mixed


def _fold(layer: nn.Conv2d, norm: nn.BatchNorm2d) -> None:
    """Move the scale of a normalisation into the convolution before it; what is left of it is its bias."""
    assert norm.running_mean is not None and norm.running_var is not None
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    layer.weight.mul_(scale[:, None, None, None])
    norm.bias.sub_(norm.running_mean * scale)
    norm.running_mean.zero_()
    norm.running_var.fill_(1.0 - norm.eps)
    norm.weight.fill_(1.0)


def _blend(parameter: Tensor, committed: F32, share: float) -> None:
    """Move the first rows of a parameter towards those committed, in place."""
    rows = parameter[: len(committed)]
    rows += share * (torch.from_numpy(committed).to(parameter) - rows)


def _layers(path: Path) -> Iterator[tuple[F32, F32 | None]]:
    """Weight and bias of each convolution and linear layer, in the order in which they run."""
    graph = onnx.load(str(path)).graph
    values = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            weight = values[node.input[1]]
            bias = values[node.input[2]] if len(node.input) > 2 else None
            yield np.array(weight, np.float32), None if bias is None else np.array(bias, np.float32)
        elif node.op_type == "MatMul" and node.input[1] in values:
            raise ValueError(f"{path.name}: a linear layer was not exported as one")


def _fill(parameter: Tensor, weight: F32, name: str) -> None:
    shape = tuple(parameter.shape)
    if len(shape) != weight.ndim or any(a < b for a, b in zip(shape, weight.shape, strict=True)):
        raise ValueError(f"{name}.onnx: a layer of shape {weight.shape} does not fit {shape}")
    part = tuple(slice(0, n) for n in weight.shape)
    with torch.no_grad():
        if shape[1:] != weight.shape[1:]:
            parameter[: weight.shape[0]] = 0.0
        parameter[part] = torch.from_numpy(weight).to(parameter)
