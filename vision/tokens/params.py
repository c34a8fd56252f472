"""Tuned parameters of `vision.tokens`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class TokensParams:
    """Parameters of searching animal tiles, and of reporting them."""

    # Places where one may lie unseen.
    hidden_share: float = param(
        0.5,
        unit="share of the print",
        raising="asks fewer places where print is hidden; from half of it on a pose is searched",
    )
    hidden_prior: float = param(
        0.1,
        unit="probability",
        raising="believes sooner that one lies where print is hidden",
    )
    in_sight_prior: float = param(
        0.03,
        unit="probability",
        raising="believes sooner that one lies in sight that the piece reader missed",
    )
    about_spot_sides: float = param(
        0.2,
        unit="tile sides",
        raising="looks farther from a feature's spot for one added there",
    )
    on_spot_sides: float = param(
        0.15,
        unit="tile sides",
        raising="asks fewer places near a piece: it stands there instead",
    )
    apart_sides: float = param(
        0.75,
        unit="sides of an animal tile",
        raising="takes more pairs for one and the same",
    )
    least_asked: float = param(
        0.04,
        unit="probability",
        raising="looks at fewer places that the piece reader hardly takes for one",
    )
    likely_share: float = param(
        0.25,
        unit="probability",
        raising="looks about fewer of the places where the piece reader saw one",
    )

    # How it lies.
    flush_sides: float = param(
        0.12,
        unit="tile sides",
        raising="takes more of them for flush with a corner",
        fitted="6 own scenes: 0.06 costs 0.04 nats an answer, 0.24 0.06",
    )
    astray_sides: float = param(
        0.035,
        unit="tile sides",
        raising="looks farther around a place that leaves something open; takes more poses for one",
    )
    search_sides: float = param(
        0.15,
        unit="tile sides",
        raising="searches poses farther around a place",
    )
    cut_levels: float = param(
        60.0,
        unit="grey levels",
        raising="lets what hides an animal tile speak more against it",
    )
    unknown_share: float = param(
        0.6,
        unit="share of cut_levels",
        raising="lets more speak for an animal tile beside its tile, where no print is known",
    )
    least_gain_px: float = param(
        -10.0,
        unit="pixels of 144",
        raising="looks closer at fewer poses; a meeple in front speaks against the tile behind it",
    )
    climb_least: float = param(
        0.1,
        unit="mean fit of patches",
        raising="looks about fewer times for one that is not well seen",
    )

    # Whether it is one, and which.
    any_turn_nats: float = param(
        1.0,
        unit="nats",
        raising="takes fewer that are not flush: the best of many poses fits anything better",
    )
    fits_nats: float = param(
        2.0,
        unit="nats",
        raising="takes fewer for sure, and so looks at more places again",
    )
    plain_share: float = param(
        0.9,
        unit="probability",
        raising="looks about more places, since one animal is less often plain",
    )
    bare_nats: float = param(
        -2.0,
        unit="nats",
        raising="gives up more places after the first look",
    )
    there_most: float = param(
        6.0,
        unit="nats",
        raising="believes the network more that one is there",
    )
    there_least: float = param(
        -4.0,
        unit="nats",
        raising="believes the network less that none is there",
    )
    beside_sides: float = param(
        0.45,
        unit="tile sides",
        raising="excuses more of them that are not found, for a piece beside may hide them",
    )

    # From picture to picture.
    few_changed: int = param(
        8,
        unit="cells",
        raising="asks corners in sight also where more changed at once, as by the light or the camera",
    )


PARAMS = TokensParams()
