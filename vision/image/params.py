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
        raising="wants more pieces of a colour shown until they outweigh what the network knows",
    )
    color_draws: float = param(
        10.0,
        unit="draws of a name",
        raising="tells colours apart more sharply by the shares of their names",
    )
    name_floor: float = param(
        1e-3,
        unit="probability",
        raising="rules a name out less after a few pieces shown",
    )
    not_shown: float = param(
        0.1,
        unit="likelihood beside a colour that was shown",
        raising="expects more pieces of colours that were not shown",
    )
    same_shape: float = param(
        0.01,
        unit="relative difference of proportions",
        raising="corrects pictures that may have been cut from the lens's whole view",
    )
    least_zoom: float = param(
        0.8,
        unit="ratio of sizes",
        raising="cuts more of the rim off a corrected picture",
    )


PARAMS = ImageParams()
