"""The locator's networks (heat map, sides, cells) and their losses."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.locate.cell_networks import BINS


def _conv(inside: int, outside: int, stride: int | tuple[int, int] = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class HeatNet(nn.Module):
    """uint8 (n, 384, 640, 3) BGR to (n, 9, 96, 160): a small encoder with three steps back up."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = _conv(3, 16, 2)
        self.at4 = nn.Sequential(_conv(16, 24, 2), _conv(24, 24))
        self.at8 = nn.Sequential(_conv(24, 40, 2), _conv(40, 40))
        self.at16 = nn.Sequential(_conv(40, 56, 2), _conv(56, 56))
        self.at32 = nn.Sequential(_conv(56, 64, 2), _conv(64, 64), _conv(64, 64))
        self.up16 = nn.Sequential(nn.Conv2d(64, 56, 1), nn.ReLU(inplace=True))
        self.mix16 = _conv(56, 56)
        self.up8 = nn.Sequential(nn.Conv2d(56, 40, 1), nn.ReLU(inplace=True))
        self.mix8 = _conv(40, 40)
        self.up4 = nn.Sequential(nn.Conv2d(40, 24, 1), nn.ReLU(inplace=True))
        self.mix4 = _conv(24, 32)
        self.head = nn.Conv2d(32, 9, 1)
        with torch.no_grad():
            assert self.head.bias is not None
            self.head.bias[:2] = -4.0

    def logits(self, picture: Tensor) -> Tensor:
        """Raw answers; the first three channels are logits."""
        x = picture.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        at4 = self.at4(self.stem(x))
        at8 = self.at8(at4)
        at16 = self.at16(at8)
        at32 = self.at32(at16)
        up = self.mix16(at16 + _twice(self.up16(at32)))
        up = self.mix8(at8 + _twice(self.up8(up)))
        up = self.mix4(at4 + _twice(self.up4(up)))
        answer: Tensor = self.head(up)
        return answer

    def forward(self, picture: Tensor) -> Tensor:
        """Answers as `vision.locate.heatmap` reads them."""
        raw = self.logits(picture)
        return torch.cat([torch.sigmoid(raw[:, :3]), raw[:, 3:]], dim=1)


def _twice(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class SidesNet(nn.Module):
    """uint8 (n, 32, 64, 3) strips to where each end's side lies (n, 2, BINS) and presence (n,)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 12, (1, 2)),
            _conv(12, 16),
            _conv(16, 24, 2),
            _conv(24, 24),
            _conv(24, 32, 2),
            _conv(32, 32),
        )
        self.mix = nn.Sequential(nn.Flatten(), nn.Linear(32 * 8 * 8, 64), nn.ReLU(inplace=True))
        self.head = nn.Linear(64, 2 * BINS + 1)

    def logits(self, strips: Tensor) -> tuple[Tensor, Tensor]:
        """Raw answers (n, 2, BINS) and (n,)."""
        x = strips.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        # Where a line lies does not depend on the light: each strip is brought to its own mean.
        x = x - x.mean(dim=(2, 3), keepdim=True)
        x = x / (x.pow(2).mean(dim=(1, 2, 3), keepdim=True).sqrt() + 0.08)
        answer = self.head(self.mix(self.body(x)))
        return answer[:, : 2 * BINS].reshape(-1, 2, BINS), answer[:, -1]

    def forward(self, strips: Tensor) -> tuple[Tensor, Tensor]:
        """Answers as `vision.locate.cell_networks` reads them."""
        places, present = self.logits(strips)
        return torch.softmax(places, dim=2), torch.sigmoid(present)


class CellsNet(nn.Module):
    """uint8 (n, 48, 48, 3) cells with a rim to the chance (n,) that each is one laid tile."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16, 2), _conv(16, 24, 2), _conv(24, 32), _conv(32, 48, 2), _conv(48, 48)
        )
        self.mix = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(48 * 6 * 6, 32), nn.ReLU(inplace=True)
        )
        self.head = nn.Linear(32, 1)

    def logits(self, cells: Tensor) -> Tensor:
        """Raw answers (n,)."""
        x = cells.permute(0, 3, 1, 2).float() / 127.5 - 1.0
        x = x - x.mean(dim=(2, 3), keepdim=True)
        x = x / (x.pow(2).mean(dim=(1, 2, 3), keepdim=True).sqrt() + 0.08)
        answer: Tensor = self.head(self.mix(self.body(x)))
        return answer[:, 0]

    def forward(self, cells: Tensor) -> Tensor:
        """Answers as `vision.locate.cell_networks` reads them."""
        return torch.sigmoid(self.logits(cells))


def heat_loss(raw: Tensor, target: Tensor, weight: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Focal loss on the peaks, cross entropy on the face, L1 on offsets and shape."""
    probability = torch.sigmoid(raw[:, :2]).clamp(1e-5, 1 - 1e-5)
    goal = target[:, :2]
    hit = (goal > 0.9).float()
    loss = -hit * (1 - probability) ** 2 * torch.log(probability)
    loss = loss - (1 - hit) * (1 - goal) ** 4 * probability**2 * torch.log(1 - probability)
    peaks = loss.sum() / hit.sum().clamp(min=1.0)
    face = functional.binary_cross_entropy_with_logits(raw[:, 2], target[:, 2])
    error = (raw[:, 3:] - target[:, 3:]).abs() * weight[:, None]
    lengths = error.sum() / weight.sum().clamp(min=1.0)
    return peaks + 4.0 * face + lengths, {
        "peaks": float(peaks.detach()),
        "face": float(face.detach()),
        "lengths": float(lengths.detach()),
    }


def side_loss(places: Tensor, present: Tensor, goal: Tensor, held: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy on the bins where a side is there, and on its being there."""
    asked = (held > 0.5).float()
    entropy = -(goal * torch.log_softmax(places, dim=2)).sum(dim=2).mean(dim=1)
    where = (entropy * asked).sum() / asked.sum().clamp(min=1.0)
    known = (held >= 0.0).float()
    there = functional.binary_cross_entropy_with_logits(present, held.clamp(min=0.0), reduction="none")
    there_mean = (there * known).sum() / known.sum().clamp(min=1.0)
    return where + 0.5 * there_mean, {
        "where": float(where.detach()),
        "there": float(there_mean.detach()),
    }


def cell_loss(raw: Tensor, held: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy, the answers held off 0 and 1 a little."""
    loss = functional.binary_cross_entropy_with_logits(raw, held * 0.98 + 0.01)
    return loss, {"tile": float(loss.detach())}
