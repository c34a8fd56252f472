"""Tuned parameters of `vision.image`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class ImageParams:
    """Parameters of colour profiles (weight of the calibration) and of lenses (pictures that they fit)."""

    trusted_pieces: float = param(
        2.0,
        unit="pieces",
        raising="the calibration needs more pieces of a colour before it outweighs the network",
    )
    color_draws: float = param(
        10.0,
        unit="exponent of the likelihood",
        raising="colours are separated more sharply by the network's probabilities",
    )
    name_floor: float = param(
        1e-3,
        unit="probability",
        raising="a colour name that a few calibration pieces never got is ruled out less",
    )
    not_shown: float = param(
        0.1,
        unit="likelihood relative to a calibrated colour",
        raising="colours missing from the calibration are expected more often",
    )
    same_shape: float = param(
        0.01,
        unit="relative difference of aspect ratios",
        raising="the lens profile is also applied to pictures that may be crops",
    )
    least_zoom: float = param(
        0.8,
        unit="ratio of sizes",
        raising="more of a corrected picture's rim is cut off",
    )


PARAMS = ImageParams()
