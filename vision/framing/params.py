"""Tuned parameters of `vision.framing`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param

SCENES = "own scenes of models/train/camera_limits.py, made worse by steps"


@dataclass(frozen=True)
class FramingParams:
    """Limits beyond which a picture is reported as hard to read."""

    side_px: float = param(
        30.0,
        unit="pixels, side of the smallest tile",
        raising="asks for a closer camera sooner",
        fitted=f"{SCENES}: nothing is lost down to 18 where the picture is sharp; 30 bears some blur",
    )
    light: float = param(
        25.0,
        unit="grey levels, 90th percentile on the tiles",
        raising="asks for more light sooner",
        fitted=f"{SCENES}: a third is lost below 16; 25 bears a sensor with more noise",
    )
    blur: float = param(
        0.565,
        unit="Crete's blur of faces, 0..1",
        raising="bears more blurred pictures",
        fitted=f"{SCENES}: nothing is lost below 0.567, a tenth from there on",
    )
    glare: float = param(
        0.15,
        unit="share of a tile that is blown out",
        raising="bears larger reflections",
    )
    shift: float = param(
        0.004,
        unit="picture widths between two pictures",
        raising="bears a camera that moves more; a hand over the table shifts the picture by under 0.001",
    )
    rim_sides: float = param(
        0.5,
        unit="tile sides between the board and the picture's edge",
        raising="asks for more room around the board",
    )


PARAMS = FramingParams()
