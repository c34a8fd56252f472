"""Tuned numbers of `vision.tiles`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class TilesParams:
    """How faces are told and registered, and how a whole board's readings are joined."""

    mismatch_nats: float = param(
        6.0,
        unit="nats",
        raising="believes less that two touching edges of different land were laid so",
    )
    message_damping: float = param(
        0.3,
        unit="share",
        raising="keeps more of a cell's last message: slower, but loops of cells do not swing",
    )


PARAMS = TilesParams()
