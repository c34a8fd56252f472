"""Tuned parameters of `vision.change`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class ChangeParams:
    """Parameters of change detection: thresholds of a change, time until it counts as lasting."""

    changed_levels: float = param(
        9.0,
        unit="grey levels",
        raising="fainter changes are missed; a meeple's shadow causes about this much",
    )
    moved_levels: float = param(
        14.0,
        unit="grey levels",
        raising="darker shadows do not count as movement",
    )
    block_levels: float = param(
        6.0,
        unit="levels of a colour channel",
        raising="fewer blocks get a new time of change; a block averages many pixels",
    )
    block_share: float = param(
        0.07,
        unit="share of the level",
        raising="fewer bright blocks get a new time of change",
    )
    stays_s: float = param(
        1.2,
        unit="seconds",
        raising="a change counts as lasting later; a hand must be gone before",
    )
    nudged_share: float = param(
        0.5,
        unit="share of the picture",
        raising="larger changes count as objects on the table instead of a nudged camera",
    )
    moved_sides: float = param(
        0.02,
        unit="tile sides",
        raising="a cell is read again only after a larger shift of its corners",
    )


PARAMS = ChangeParams()
