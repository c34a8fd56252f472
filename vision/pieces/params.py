"""Tuned parameters of `vision.pieces`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PiecesParams:
    """Parameters of detecting and classifying pieces, and of assigning them to features."""

    # Detection.
    looked_at: float = param(
        0.1,
        unit="probability",
        raising="fewer of the detector's peaks are classified: faster, more pieces are missed",
    )
    same_piece_sides: float = param(
        0.17,
        unit="tile sides",
        raising="detections farther apart count as the same piece",
    )
    body_sides: float = param(
        0.16,
        unit="tile sides in the picture",
        raising="a second peak of the same colour farther from a piece is suspected to be its body",
        fitted="pairs of candidates on 1000 synthetic boards (models/looks.md)",
    )
    body_nats_per_side: float = param(
        80.0,
        unit="nats per tile side",
        raising="a second piece of the same colour within body_sides loses more",
        fitted="as body_sides",
    )
    room_sides: float = param(
        0.34,
        unit="tile sides in the picture",
        raising="a piece of another colour farther from a surer piece is doubted",
        fitted="as body_sides",
    )
    room_nats_per_side: float = param(
        10.0,
        unit="nats per tile side",
        raising="a piece of another colour within room_sides loses more",
        fitted="as body_sides",
    )
    same_token_sides: float = param(
        0.25,
        unit="tile sides",
        raising="detector peaks farther apart count as the same animal tile",
    )
    on_tile_sides: float = param(
        0.06,
        unit="tile sides",
        raising="points farther outside a tile still count as on it",
    )
    covers_sides: float = param(
        0.15,
        unit="tile sides",
        raising="a piece covers print farther from its axis; a meeple's arms reach 0.18 sides",
    )
    rare_color_odds: float = param(
        0.05,
        unit="odds",
        raising="colours that only expansions add are more probable",
    )
    lost_odds: float = param(
        0.03,
        unit="odds",
        raising="more players are taken to have discs, stones or the like for meeples",
    )
    odd_share: float = param(
        0.005,
        unit="share",
        raising="more of the pieces of a player who has meeples are taken to be of no known kind",
    )
    kept_share: float = param(
        0.05,
        unit="share",
        raising="a player who has lost meeples is taken to have kept more of them",
    )
    unseen_odds: float = param(
        0.1,
        unit="odds",
        raising="a piece that is not detected is more probable beside the tiles",
        fitted="synthetic boards (models.train.piece_classifier.rangers_judge)",
    )

    # Changes between pictures.
    same_look_levels: float = param(
        4.0,
        unit="grey levels in the mean",
        raising="larger changes of a candidate's crop still count as no change, so fewer are classified "
        "again",
    )
    same_look_sides: float = param(
        0.02,
        unit="tile sides",
        raising="candidates that moved farther are not classified again",
    )
    calm_levels: float = param(
        7.0,
        unit="grey levels over some pixels",
        raising="larger changes of the picture still count as no change, so fewer boards and animal tiles"
        " are read again",
    )

    # Dim tables.
    dim_gain: float = param(
        0.47,
        unit="gain of the light against the print",
        raising="brighter tables are lifted too",
    )
    brighter: float = param(
        0.65,
        unit="exponent of the gain",
        raising="dim pictures are lifted further",
    )
    whiter: float = param(
        0.25,
        unit="exponent of a channel's gain against the mean",
        raising="more of a light's colour is removed",
    )
    clearer: float = param(
        0.5,
        unit="share of the light's base",
        raising="more of the haze is removed",
    )
    steady_light: float = param(
        0.06,
        unit="share of the gain; of full scale for the base",
        raising="a lift is kept over larger changes of the light, so that readings stay comparable",
    )

    # Assignment to a feature.
    nats_per_side: float = param(
        25.0,
        unit="nats per tile side",
        raising="a piece far from a feature is less likely on it",
        fitted="points are read to a twentieth of a side, and players place pieces within 3 mm",
    )
    far_nats: float = param(
        6.0,
        unit="nats",
        raising="distance can cost more; a feature that never takes such a piece costs twice as much",
    )
    laid_wrong_nats: float = param(
        4.0,
        unit="nats",
        raising="a piece standing where the rules lay it down, or the reverse, costs more",
    )
    wrong_sort_sides: float = param(
        0.1,
        unit="tile sides",
        raising="a feature that does not take the piece's kind and pose gets it less often",
        fitted="synthetic boards, every fourth pose misread: 0.2 % wrong; 0.25 leaves 1.5 %",
    )
    path_half_width: float = param(
        0.05,
        unit="tile sides",
        raising="a feature's path is wider",
    )
    rough_half_width: float = param(
        0.08,
        unit="tile sides",
        raising="a feature of which the pack gives only sides and spot is wider",
    )
    spot_radius: float = param(
        0.12,
        unit="tile sides",
        raising="a feature of which the pack gives no path reaches farther around its spot",
    )
    spot_weight: float = param(
        0.35,
        unit="1",
        raising="features with a near spot are preferred more",
    )


PARAMS = PiecesParams()
