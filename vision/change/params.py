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
        raising="misses fainter things: a meeple's shadow makes about as much",
    )
    moved_levels: float = param(
        14.0,
        unit="grey levels",
        raising="takes darker shadows for no movement",
    )
    block_levels: float = param(
        6.0,
        unit="levels of a colour",
        raising="dates fewer blocks anew; a block holds many pixels and little noise",
    )
    block_share: float = param(
        0.07,
        unit="share of the level",
        raising="dates fewer bright blocks anew",
    )
    stays_s: float = param(
        1.2,
        unit="seconds",
        raising="waits longer until what is new is there to stay: a hand goes away sooner",
    )
    nudged_share: float = param(
        0.5,
        unit="share of the picture",
        raising="takes larger changes for things that came, not for a camera that was nudged",
    )
    moved_sides: float = param(
        0.02,
        unit="tile sides",
        raising="reads a cell again only where its corners moved further",
    )


PARAMS = ChangeParams()
