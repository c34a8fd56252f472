"""Network of the piece detector, and its loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

N_HEATS, N_KINDS, N_COLORS = 2, 4, 6  # heats: anything that stands or lies on a tile; tokens

Four = tuple[Tensor, Tensor, Tensor, Tensor]


def conv(a: int, b: int, k: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, normalisation, rectifier."""
    return nn.Sequential(
        nn.Conv2d(a, b, k, stride, k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)
    )


class Block(nn.Module):
    """Two convolutions with a shortcut."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.one = conv(n, n)
        self.two = nn.Sequential(nn.Conv2d(n, n, 3, 1, 1, bias=False), nn.BatchNorm2d(n))

    def forward(self, x: Tensor) -> Tensor:
        """Same shape in and out."""
        return fn.relu(x + self.two(self.one(x)))


class PieceNet(nn.Module):
    """picture (b, 10, H, W) (colours, then what the print says of them), context (b, 5, H/4, W/4) ->
    heat (b, 2, ., .), kind (b, 4, ., .), offset (b, 2, ., .) in quarter pixels, color (b, 6, ., .); heat,
    kind and colour as logits. H and W are multiples of 16."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(10, 16, 3, 2), conv(16, 32, 3, 2))
        self.mix = nn.Sequential(conv(37, 32, 1), conv(32, 32))
        self.down8 = nn.Sequential(conv(32, 48, 3, 2), Block(48))
        self.down16 = nn.Sequential(conv(48, 64, 3, 2), Block(64), Block(64), Block(64))
        self.up8 = conv(64, 48, 1)
        self.join8 = Block(48)
        self.up4 = conv(48, 32, 1)
        self.head = conv(32, 48)
        self.out = nn.Conv2d(48, N_HEATS + N_KINDS + 2 + N_COLORS, 1)
        with torch.no_grad():
            assert self.out.bias is not None
            self.out.bias[:N_HEATS] = -4.0

    def forward(self, picture: Tensor, context: Tensor) -> Four:
        """See the class."""
        a = self.mix(torch.cat([self.stem(picture), context], 1))
        b = self.down8(a)
        c = self.down16(b)
        b = self.join8(b + fn.interpolate(self.up8(c), scale_factor=2.0, mode="nearest"))
        a = a + fn.interpolate(self.up4(b), scale_factor=2.0, mode="nearest")
        y = self.out(self.head(a))
        heat, kind, offset, color = torch.split(y, [N_HEATS, N_KINDS, 2, N_COLORS], dim=1)
        return heat, kind, offset, color


class Served(nn.Module):
    """The network as it ships: heat, kind and colour as probabilities."""

    def __init__(self, net: PieceNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, picture: Tensor, context: Tensor) -> Four:
        """See PieceNet."""
        heat, kind, offset, color = self.net(picture, context)
        return torch.sigmoid(heat), torch.softmax(kind, 1), offset, torch.softmax(color, 1)


def loss_of(
    out: Four,
    heat: Tensor,
    keep: Tensor,
    near: Tensor,
    kind: Tensor,
    offset: Tensor,
    color: Tensor,
) -> tuple[Tensor, dict[str, float]]:
    """CenterNet's focal loss on the heat, L1 on the offset, cross entropy on kind and colour."""
    h, k, o, c = (t.float() for t in out)
    log_p, log_q = fn.logsigmoid(h), fn.logsigmoid(-h)
    p = log_p.exp()
    hit = (heat >= 0.999).float()
    gain = hit * (1 - p) ** 2 * log_p + (1 - hit) * (1 - heat) ** 4 * p**2 * log_q
    n = hit.sum().clamp(min=1.0)
    focal = -(gain * keep[:, None]).sum() / n
    spots = near.sum().clamp(min=1.0)
    off = ((o - offset).abs().sum(1) * near).sum() / spots
    tint = fn.cross_entropy(c, color, ignore_index=-1, label_smoothing=0.02, reduction="sum")
    tint = tint / (color >= 0).sum().clamp(min=1)
    sort = fn.cross_entropy(k, kind, ignore_index=-1, label_smoothing=0.02, reduction="sum")
    sort = sort / (kind >= 0).sum().clamp(min=1)
    total = focal + 0.5 * off + 0.7 * tint + 1.5 * sort
    said = {"focal": focal.item(), "offset": off.item(), "color": tint.item(), "kind": sort.item()}
    return total, said
