"""Tuned numbers of view, occlusion history and board registration in `tilesight.inference`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class LookParams:
    """Tuned numbers that place a picture's readings in the game's frame and tell what of them is new."""

    # Tiles.
    plainer_nats: float = param(
        4.0,
        unit="nats",
        raising="what looked a little like a tile must look plainer before it counts as laid just now",
    )
    otherwise_nats: float = param(
        2.0,
        unit="nats",
        raising="what looked a little like another tile may still have been the same one",
    )
    turned_nats: float = param(
        4.0,
        unit="nats",
        raising="another face must lead by more before the tile is taken for turned, and costs more",
    )

    # Board registration.

    # Hands.
    unsettled_tiles: float = param(
        15.0,
        unit="areas of a tile",
        raising="more may change between two pictures of a table that is taken to be at rest",
    )
    moving_s: float = param(
        2.0,
        unit="seconds",
        raising="pictures farther apart may still tell that something moves over the whole table",
    )
    hand_share: float = param(
        0.3,
        unit="share of a tile",
        raising="more of a tile must be hidden, beyond what is explained, before a hand is suspected",
    )
    piece_hides_share: float = param(
        0.2, unit="share of a tile", raising="each new piece excuses more of a tile that is hidden"
    )
    rim_sides: float = param(
        0.2, unit="tile sides", raising="cells that the picture cuts count as in sight with more cut off"
    )
    usual_after_s: float = param(
        1.3,
        unit="seconds",
        raising="what hides a tile is taken for a hand for longer; animals correct settled turns later",
    )

    # Pieces.
    hides_sides: float = param(
        0.6, unit="tile sides", raising="a piece excuses what is hidden or changes farther from it"
    )
    other_confidence: float = param(
        0.4, unit="probability", raising="a piece detected more or less surely is longer the same appearance"
    )
    other_color: float = param(
        0.8, unit="probability", raising="a piece that changes its colour is longer the same appearance"
    )
    same_place_sides: float = param(
        0.2, unit="tile sides", raising="readings of a piece farther apart count as the same piece"
    )
    token_spread_sides: float = param(
        0.16,
        unit="tile sides",
        raising="an animal tile on a feature, or a piece that hides one, fits better off its place",
    )
    token_reach_sides: float = param(
        0.3, unit="tile sides", raising="animal tiles read farther from a corner or spot may lie there"
    )
    outside_reach_sides: float = param(
        0.7,
        unit="tile sides from the middle of the space, east or south",
        raising="pieces read farther off may stand on a space beside the tiles",
    )

    # Occlusion history.


PARAMS = LookParams()

LIKELY = 0.5
"""Probability above which something is taken to be there: likelier than not."""
