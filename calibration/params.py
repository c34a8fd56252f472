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
        raising="fewer faces are learned during play; the rules must agree with each as well",
    )
    learned_log_tile: float = param(
        2.0,
        unit="nats, tile against table",
        raising="fewer faces at the edge of the board are learned",
    )
    learned_side_px: float = param(
        56.0,
        unit="pixels",
        raising="faces are learned from closer pictures only",
    )
    learned_hidden: float = param(
        0.03,
        unit="share of the face",
        raising="faces that pieces hide more of are learned",
    )
    sharper: float = param(
        1.2,
        unit="ratio of sides",
        raising="a learned view is replaced only by a larger one",
    )
    same_face_fit: float = param(
        0.6,
        unit="ratio of fits",
        raising="fewer pairs of photographed tiles are compared closely: faster, but more become designs "
        "of their own",
    )
    different_colour: float = param(
        18.0,
        unit="CIELAB, as OpenCV scales it",
        raising="faces that differ in a small emblem are taken for one design",
        fitted="16 synthetic sets with similar faces: 98.6 % of equal pairs recognised, 0.5 % of similar"
        " pairs taken for equal",
    )
    named_face: float = param(
        0.9,
        unit="probability",
        raising="fewer photographed faces are named after a known gallery's",
    )
    beyond_set_nats: float = param(
        8.0,
        unit="nats",
        raising="more tiles of a design than a set has are less probable",
        fitted="16 synthetic sets with similar faces against poor scans: of 898 tiles 858 named surely, "
        "none of them wrong",
    )
    beyond_set_tiles: int = param(
        3,
        unit="tiles",
        raising="a second set is assumed only after more tiles that one set cannot have",
    )
    sides_nats: float = param(
        3.0,
        unit="nats, four sides",
        raising="fewer faces are told as turned or named wrongly by the land on their sides",
        fitted="faces of seven editions: of 427 none is told as turned, two as another design's",
    )
    sides_corrected_nats: float = param(
        0.5,
        unit="nats, four sides",
        raising="fewer faces are corrected before the sides of the others are read from them again",
        fitted="72 scans of which 40 % are turned: 95 % told, 76 % at 3 nats",
    )
    learned_piece: float = param(
        0.5,
        unit="probability",
        raising="colours are learned from fewer detected pieces",
    )
    look_tiles: int = param(
        6,
        unit="tiles",
        raising="the colours of the print are learned only from more tiles",
    )
    look_blur_px: float = param(
        6.0,
        unit="pixels of a face of 256",
        raising="errors of corners matter less, and small parts of the print too",
    )
    look_outlier: float = param(
        2.5,
        unit="median errors",
        raising="points that pieces or glare hide take part in the fit",
    )
    look_prior: float = param(
        0.002,
        unit="share of the evidence of a full range of colours",
        raising="colours stay nearer to those of the scans",
    )
    off_centre: float = param(
        0.1,
        unit="picture sides",
        raising="a view to one side needs the calibration board farther from the centre",
    )
    tilt: float = param(
        0.12,
        unit="relative difference of opposite sides",
        raising="a tilted view needs the calibration board more tilted",
    )
    lens_error_px: float = param(
        3.0,
        unit="pixels",
        raising="lenses with a larger reprojection error are accepted",
    )
    still_px: float = param(
        1.5,
        unit="pixels between pictures",
        raising="views of a moving calibration board are accepted",
    )


PARAMS = CalibrationParams()
