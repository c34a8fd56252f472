"""The descriptor network and, in torch, the score that `vision.tiles.matching` computes in numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

CROP_PX = 96
GRID = 12
DIM = 32


def _conv(inside: int, outside: int, kernel: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outside),
        nn.ReLU(inplace=True),
    )


class DescriptorNet(nn.Module):
    """Crops uint8 [n, 96, 96, 3] BGR -> descriptors [n, 144, 32] of length 1, visible [n, 144].

    `visible` is the log-odds that a patch shows the tile's print and not a piece, hand or glare. A patch
    looks at about 49 of the crop's 96 pixels, so that what hides one part leaves the others alone.
    """

    def __init__(self, widths: tuple[int, int, int] = (32, 64, 128)) -> None:
        super().__init__()
        a, b, c = widths
        self.stem = nn.Sequential(_conv(3, a, 5, 2), _conv(a, b, 3, 2))
        self.middle = nn.Sequential(
            _conv(b, b, 3, 1), nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        )
        self.deep = nn.Sequential(_conv(b, c, 3, 2), _conv(c, c, 3, 1), _conv(c, c, 1, 1))
        self.head = nn.Conv2d(c, DIM + 1, 1)

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = crops.permute(0, 3, 1, 2).float() * (1 / 64) - 2
        x = self.stem(x)
        x = self.deep(F.relu(x + self.middle(x)))
        out = self.head(x).float().flatten(2).transpose(1, 2)
        return F.normalize(out[..., :DIM], dim=-1, eps=1e-6), out[..., DIM]


@dataclass(frozen=True)
class ScoreOut:
    """`total` [q, r] log-likelihood of a reference, `patch` [q, r, p] its parts, `mean` per patch."""

    total: torch.Tensor
    patch: torch.Tensor
    mean: torch.Tensor


class Score(nn.Module):
    """Fit of a query's patches to a reference's, each allowed to lie one patch off.

    A patch adds gain · softplus(steep · (similarity − shift penalty − threshold)): linear where it fits,
    nothing where it does not, so a hidden patch takes nothing from anybody and decides nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.log_steep = nn.Parameter(torch.tensor(2.3))
        self.threshold = nn.Parameter(torch.tensor(0.4))
        self.log_gain = nn.Parameter(torch.tensor(-2.5))
        self.penalty = nn.Parameter(torch.tensor([0.03, 0.05]))  # beside, diagonal
        self.tile = nn.Parameter(torch.tensor([4.0, 1.0]))  # slope, middle of the 'is a tile at all' logit

    def penalties(self) -> torch.Tensor:
        beside, diagonal = F.relu(self.penalty)
        zero = torch.zeros((), device=self.penalty.device)
        return torch.stack([diagonal, beside, diagonal, beside, zero, beside, diagonal, beside, diagonal])

    def forward(self, query: torch.Tensor, visible: torch.Tensor, reference: torch.Tensor) -> ScoreOut:
        n, _, dim = reference.shape
        grid = reference.transpose(1, 2).reshape(n, dim, GRID, GRID)
        near = F.unfold(F.pad(grid, (1, 1, 1, 1)), 3).reshape(n, dim, 9, GRID * GRID)
        similar = torch.einsum("qpd,rdsp->qrsp", query, near) - self.penalties()[None, None, :, None]
        best = similar.amax(2)
        patch = F.softplus(self.log_steep.exp() * (best - self.threshold))
        weight = torch.sigmoid(visible)[:, None]
        summed = (patch * weight).sum(2)
        return ScoreOut(self.log_gain.exp() * summed, patch, summed / (weight.sum(2) + 4))

    def tile_logit(self, scored: ScoreOut) -> torch.Tensor:
        return self.tile[0] * (scored.mean.amax(1) - self.tile[1])

    def values(self) -> dict[str, Any]:
        """The numbers `vision.tiles.matching` needs, for the manifest."""
        penalty = F.relu(self.penalty).tolist()
        return {
            "steep": float(self.log_steep.exp()),
            "threshold": float(self.threshold),
            "gain": float(self.log_gain.exp()),
            "penalty_beside": penalty[0],
            "penalty_diagonal": penalty[1],
            "tile_slope": float(self.tile[0]),
            "tile_middle": float(self.tile[1]),
        }
