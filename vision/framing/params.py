"""Tuned parameters of `vision.framing`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class FramingParams:
    """Limits beyond which a picture is reported as hard to read."""

    side_px: float = param(
        30.0,
        unit="pixels, side of the smallest tile",
        raising="the user is asked for a closer camera sooner",
        fitted="models/train/camera_limits.py on synthetic scenes, degraded step by step: no loss down "
        "to 18 in sharp pictures; 30 tolerates some blur",
    )
    light: float = param(
        25.0,
        unit="grey levels, 90th percentile on the tiles",
        raising="the user is asked for more light sooner",
        fitted="models/train/camera_limits.py on synthetic scenes, degraded step by step: a third is "
        "lost below 16; 25 tolerates a noisier sensor",
    )
    blur: float = param(
        0.565,
        unit="Crete's blur of faces, 0 to 1",
        raising="more blurred pictures are accepted",
        fitted="models/train/camera_limits.py on synthetic scenes, degraded step by step: no loss below "
        "0.567, a tenth is lost from there on",
    )
    glare: float = param(
        0.15,
        unit="share of a tile that is overexposed",
        raising="larger reflections are accepted",
    )
    shift: float = param(
        0.004,
        unit="picture widths between two pictures",
        raising="a less steady camera is accepted; a hand over the table shifts the picture by less than "
        "0.001",
    )
    rim_sides: float = param(
        0.5,
        unit="tile sides between the board and the picture's edge",
        raising="the user is asked for more room around the board",
    )


PARAMS = FramingParams()
