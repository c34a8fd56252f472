"""Tuned parameters of `vision.tokens`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class TokensParams:
    """Parameters of searching animal tiles, and of reporting them."""

    # Places that may hold an animal tile.
    hidden_share: float = param(
        0.5,
        unit="share of the print",
        raising="fewer places with hidden print are examined; from half of it on a pose is searched",
    )
    hidden_prior: float = param(
        0.1,
        unit="probability",
        raising="an animal tile is more probable where print is hidden",
    )
    in_sight_prior: float = param(
        0.03,
        unit="probability",
        raising="an animal tile that the piece reader missed in plain view is more probable",
    )
    about_spot_sides: float = param(
        0.2,
        unit="tile sides",
        raising="an animal tile added to a feature is searched for farther from its spot",
    )
    on_spot_sides: float = param(
        0.15,
        unit="tile sides",
        raising="fewer places near a piece are examined, as the piece stands there instead",
    )
    apart_sides: float = param(
        0.75,
        unit="sides of an animal tile",
        raising="animal tiles farther apart count as the same one",
    )
    least_asked: float = param(
        0.04,
        unit="probability",
        raising="fewer places with a faint detection of the piece reader are examined",
    )
    likely_share: float = param(
        0.25,
        unit="probability",
        raising="the pose is searched around fewer of the piece reader's detections",
    )

    # Pose.
    flush_sides: float = param(
        0.12,
        unit="tile sides",
        raising="more animal tiles count as flush with a corner",
        fitted="6 synthetic scenes: 0.06 costs 0.04 nats per answer, 0.24 costs 0.06",
    )
    astray_sides: float = param(
        0.035,
        unit="tile sides",
        raising="the search around a doubtful place is wider, and more poses count as the same",
    )
    search_sides: float = param(
        0.15,
        unit="tile sides",
        raising="poses are searched farther around a place",
    )
    cut_levels: float = param(
        60.0,
        unit="grey levels",
        raising="print that shows where an animal tile would cover it counts for more against the tile",
    )
    unknown_share: float = param(
        0.6,
        unit="share of cut_levels",
        raising="an animal tile beyond its tile's edge, where the background is unknown, is more probable",
    )
    least_gain_px: float = param(
        -10.0,
        unit="pixels of 144 that the pose explains, less those it contradicts",
        raising="fewer poses are examined closely",
    )
    climb_least: float = param(
        0.1,
        unit="mean fit of patches",
        raising="the hill climbing around a doubtful animal tile ends sooner",
    )

    # Decision and animal.
    any_turn_nats: float = param(
        1.0,
        unit="nats",
        raising="fewer animal tiles that are not flush are accepted, as the best of many poses fits any "
        "picture better",
    )
    fits_nats: float = param(
        2.0,
        unit="nats",
        raising="fewer animal tiles count as certain, so more places are examined again",
    )
    plain_share: float = param(
        0.9,
        unit="probability",
        raising="more places are searched, as fewer animals count as certain",
    )
    bare_nats: float = param(
        -2.0,
        unit="nats",
        raising="more places are given up after the first look",
    )
    there_most: float = param(
        6.0,
        unit="nats",
        raising="the network's evidence for an animal tile counts for more",
    )
    there_least: float = param(
        -4.0,
        unit="nats",
        raising="the network's evidence against an animal tile counts for less",
    )
    beside_sides: float = param(
        0.45,
        unit="tile sides",
        raising="more undetected animal tiles are excused because a piece nearby may hide them",
    )

    # Changes between pictures.
    few_changed: int = param(
        8,
        unit="cells",
        raising="corners in plain view are also examined after larger changes, such as of the light or "
        "the camera",
    )


PARAMS = TokensParams()
