"""Tuned numbers of `calibration`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class CalibrationParams:
    """Tuned numbers of learning: pictures good enough to learn from, faces alike enough to be one design."""

    learned_face: float = param(
        0.999,
        unit="probability",
        raising="learns fewer faces in play; the rules must agree with each too",
    )
    learned_log_tile: float = param(
        2.0,
        unit="nats, tile against table",
        raising="learns fewer faces at the rim of the board",
    )
    learned_side_px: float = param(
        56.0,
        unit="pixels",
        raising="learns from closer pictures only; smaller ones show less than the gallery knows",
    )
    learned_hidden: float = param(
        0.03,
        unit="share of the face",
        raising="learns faces that pieces hide in part",
    )
    sharper: float = param(
        1.2,
        unit="ratio of sides",
        raising="replaces a learned view by larger ones only",
    )
    same_face_fit: float = param(
        0.88,
        unit="ratio of fits",
        raising="takes more photographed tiles for designs of their own",
    )
    different_patches: float = param(
        0.015,
        unit="share of patches",
        raising="takes faces that differ in a small emblem for one design",
    )
    named_face: float = param(
        0.9,
        unit="probability",
        raising="names fewer photographed faces after a known gallery's",
    )
    learned_piece: float = param(
        0.5,
        unit="probability",
        raising="learns colours from fewer detected pieces",
    )
    off_centre: float = param(
        0.1,
        unit="picture sides",
        raising="wants the calibration board further from the middle for a view to one side",
    )
    tilt: float = param(
        0.12,
        unit="relative difference of opposite sides",
        raising="wants the calibration board more tilted",
    )
    lens_error_px: float = param(
        3.0,
        unit="pixels",
        raising="accepts lenses with a larger reprojection error",
    )
    still_px: float = param(
        1.5,
        unit="pixels between pictures",
        raising="takes views of a calibration board that moves",
    )


PARAMS = CalibrationParams()
