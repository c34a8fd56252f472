"""Tuned parameters of `calibration`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class CalibrationParams:
    """Parameters of learning faces, comparing faces, and calibrating cameras."""

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
        0.6,
        unit="ratio of fits",
        raising="compares fewer pairs of photographed tiles closely: faster, more are designs of their own",
    )
    different_colour: float = param(
        18.0,
        unit="CIELAB, as OpenCV scales it",
        raising="takes faces that differ in a small emblem for one design",
        fitted="16 own sets with twins: 98.6 % of equal pairs told, 0.5 % of look-alikes taken for equal",
    )
    named_face: float = param(
        0.9,
        unit="probability",
        raising="names fewer photographed faces after a known gallery's",
    )
    beyond_set_nats: float = param(
        8.0,
        unit="nats",
        raising="believes more that photographs show no more tiles of a design than a set has",
        fitted="16 own sets with twins against poor scans: of 898 tiles 858 named surely, none of them wrong",
    )
    beyond_set_tiles: int = param(
        3,
        unit="tiles",
        raising="takes more tiles that one set cannot have before it supposes a second one",
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
