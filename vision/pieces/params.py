"""Tuned parameters of `vision.pieces`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PiecesParams:
    """Parameters of detecting and classifying pieces, and of assigning them to features."""

    # Found.
    looked_at: float = param(
        0.1,
        unit="probability",
        raising="looks closely at fewer of the detector's peaks: faster, more pieces are missed",
    )
    same_piece_sides: float = param(
        0.17,
        unit="tile sides",
        raising="takes more pairs of peaks and readings for one piece",
    )
    body_sides: float = param(
        0.16,
        unit="tile sides in the picture",
        raising="takes a second peak of a colour farther from a piece for its body",
        fitted="pairs of candidates on 1000 own tables (models/looks.md)",
    )
    body_nats_per_side: float = param(
        80.0,
        unit="nats a tile side",
        raising="believes less in a second piece of a colour within body_sides",
        fitted="as body_sides",
    )
    room_sides: float = param(
        0.34,
        unit="tile sides in the picture",
        raising="doubts pieces of another colour farther from a surer one",
        fitted="as body_sides",
    )
    room_nats_per_side: float = param(
        10.0,
        unit="nats a tile side",
        raising="believes less in a piece of another colour within room_sides",
        fitted="as body_sides",
    )
    same_token_sides: float = param(
        0.25,
        unit="tile sides",
        raising="takes more pairs of the detector's peaks for one animal tile",
    )
    on_tile_sides: float = param(
        0.06,
        unit="tile sides",
        raising="takes points farther outside a tile for points on it",
    )
    covers_sides: float = param(
        0.15,
        unit="tile sides",
        raising="lets a piece cover more of the print around its axis; a meeple's arms reach 0.18 sides",
    )
    rare_color_odds: float = param(
        0.05,
        unit="odds",
        raising="takes more pieces for those of a colour that only expansions add",
    )
    unseen_odds: float = param(
        0.1,
        unit="odds",
        raising="believes sooner that a piece beside the tiles stands where no candidate is",
        fitted="drawn tables (models.train.piece_classifier.rangers_judge)",
    )

    # From picture to picture.
    same_look_levels: float = param(
        4.0,
        unit="grey levels in the mean",
        raising="looks at fewer places again that changed",
    )
    same_look_sides: float = param(
        0.02,
        unit="tile sides",
        raising="looks at fewer places again that moved",
    )
    calm_levels: float = param(
        7.0,
        unit="grey levels over some pixels",
        raising="reads fewer boards, and fewer places for animal tiles, again that changed",
    )

    # Dim tables.
    dim_gain: float = param(
        0.47,
        unit="gain of the light on print",
        raising="lifts pictures of brighter tables too",
    )
    brighter: float = param(
        0.65,
        unit="exponent of the gain",
        raising="lifts dim pictures further",
    )
    whiter: float = param(
        0.25,
        unit="exponent of a colour's gain against the mean",
        raising="takes more of a coloured light away",
    )
    clearer: float = param(
        0.5,
        unit="share of the base",
        raising="takes more of a veil of light away",
    )
    steady_light: float = param(
        0.06,
        unit="share of the gain; of full scale for the base",
        raising="keeps a lift longer while the light changes, so that looks stay comparable",
    )

    # The feature below.
    nats_per_side: float = param(
        25.0,
        unit="nats a tile side",
        raising="makes a piece less likely far from where it stands on a feature",
        fitted="points are read to a twentieth of a side and put down with 3 mm of freedom",
    )
    far_nats: float = param(
        6.0,
        unit="nats",
        raising="lets distance cost more; a feature that takes no such piece costs twice as much",
    )
    laid_wrong_nats: float = param(
        4.0,
        unit="nats",
        raising="believes less that people stand a piece where the rules lay it down, or the other way round",
    )
    wrong_sort_sides: float = param(
        0.1,
        unit="tile sides",
        raising="gives a piece of known sort less often to a feature that does not take it",
        fitted="own boards, every fourth pose misread: 0.2 % wrong; 0.25 leaves 1.5 %",
    )
    path_half_width: float = param(
        0.05,
        unit="tile sides",
        raising="takes more of a path's surroundings for path",
    )
    rough_half_width: float = param(
        0.08,
        unit="tile sides",
        raising="takes more of the surroundings for the feature, where a pack tells only its sides and spot",
    )
    spot_radius: float = param(
        0.12,
        unit="tile sides",
        raising="takes more of a spot's surroundings for the feature, where a pack tells no course",
    )
    spot_weight: float = param(
        0.35,
        unit="1",
        raising="prefers features whose spot is near",
    )


PARAMS = PiecesParams()
