"""Network of the piece classifier (the close look at one piece), and its loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from models.train.pieces.pieces_net import Block, conv
from vision.pieces.piece_classifier import SIDE_PX

N_KINDS, N_COLORS = 5, 6  # kinds: nothing, then those of the piece detector; both without the last
KIND_WEIGHTS = torch.tensor([1.0, 1.0, 1.0, 2.0, 1.0, 2.0])
"""Loss weights of the kinds: huts are rare, and are learned only with a larger weight; other pieces look like
huts, and would be taken for these."""

Four = tuple[Tensor, Tensor, Tensor, Tensor]


class LookNet(nn.Module):
    """pictures (n, 10, SIDE_PX, SIDE_PX), context (n, 5) -> kind (n, 6), token (n, 1), color (n, 7) as
    logits, offset (n, 2) in tile sides of the look."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(10, 24, 3, 2), conv(24, 32, 3, 2), Block(32), conv(32, 64, 3, 2), Block(64),
            conv(64, 96, 3, 2), Block(96), conv(96, 32, 1),
        )  # fmt: skip
        across = -(-SIDE_PX // 16)
        self.join = nn.Linear(32 * across * across + 5, 128)
        # Other pieces and grey come last: networks before did not know them, and training starts from these.
        self.out = nn.Linear(128, N_KINDS + 1 + N_COLORS + 2 + 2)

    def forward(self, pictures: Tensor, context: Tensor) -> Four:
        """See the class."""
        x = torch.cat([self.body(pictures).flatten(1), context], 1)
        x = fn.dropout(fn.relu(self.join(x)), 0.2, self.training)
        parts = torch.split(self.out(x), [N_KINDS, 1, N_COLORS, 2, 1, 1], dim=1)
        kind, token, color, offset, other, grey = parts
        return torch.cat([kind, other], 1), token, torch.cat([color, grey], 1), offset


class Served(nn.Module):
    """The network as it ships: kind, token and colour as probabilities."""

    def __init__(self, net: LookNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor, context: Tensor) -> Four:
        """See LookNet."""
        kind, token, color, offset = self.net(pictures, context)
        return torch.softmax(kind, 1), torch.sigmoid(token), torch.softmax(color, 1), offset


def loss_of(
    out: Four, kind: Tensor, token: Tensor, color: Tensor, offset: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Cross entropies and an L1 on the offset; labels of -1 are not asked."""
    k, t, c, o = out
    sort = fn.cross_entropy(k, kind, KIND_WEIGHTS.to(k.device), ignore_index=-1, label_smoothing=0.02)
    asked = token >= 0
    tile = fn.binary_cross_entropy_with_logits(t[asked, 0], token[asked].float())
    tint = fn.cross_entropy(c, color, ignore_index=-1, label_smoothing=0.02)
    placed = kind > 0
    off = (o[placed] - offset[placed]).abs().sum(1).mean()
    total = sort + 0.7 * tile + 0.7 * tint + 10.0 * off
    said = {"kind": sort.item(), "token": tile.item(), "color": tint.item(), "offset": off.item()}
    return total, said
