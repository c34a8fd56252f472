"""Network that rates how well a crop of the photograph agrees with an expected animal tile."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.train.pieces.pieces_net import Block, conv
from vision.tokens.crops import CHANNELS, SIDE_PX


class AgreementNet(nn.Module):
    """pictures (n, CHANNELS, SIDE_PX, SIDE_PX) (`vision.tokens.crops.expectations`) -> agreement (n,): of
    several expectations of one cut, each is right with the probability that a softmax gives it."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(CHANNELS, 24, 3, 2), conv(24, 48, 3, 2), Block(48), conv(48, 80, 3, 2), Block(80),
            conv(80, 24, 1),
        )  # fmt: skip
        across = -(-SIDE_PX // 8)
        self.join = nn.Linear(24 * across * across, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        """See the class."""
        x = torch.relu(self.join(self.body(pictures).flatten(1)))
        return torch.as_tensor(self.out(x)[:, 0])
