"""Tuned numbers of view, occlusion history and board registration in `tilesight.inference`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class ViewParams:
    """Tuned numbers that place a picture's readings in the game's frame and tell what of them is new."""

    # Tiles.
    face_floor_nats: float = param(
        9.0,
        unit="nats",
        raising="one picture says more against other faces and fits of the lattice; more faces are tried",
    )
    new_tile_share: float = param(
        0.15,
        unit="share of the median log-odds of the known tiles",
        raising="a new tile must look more like the known ones: fewer false tiles, later new ones",
    )
    turned_nats: float = param(
        4.0,
        unit="nats",
        raising="another face must lead by more before the tile is taken for turned, and costs more",
    )
    least_novelty: float = param(
        0.05, unit="share of a first look", raising="a misreading that repeats itself counts for more"
    )

    # Board registration.
    votes_nats: float = param(
        3.0, unit="nats", raising="more known tiles must be seen before the board counts as found"
    )

    same_frame_nats: float = param(
        3.0, unit="nats", raising="a board is taken for turned or shifted against the last picture less often"
    )

    # Hands.
    unsettled_tiles: float = param(
        15.0,
        unit="areas of a tile",
        raising="more may change between two pictures of a table that is taken to be at rest",
    )
    hand_share: float = param(
        0.3,
        unit="share of a tile",
        raising="more of a tile must be hidden, beyond what is explained, before a hand is suspected",
    )
    piece_hides_share: float = param(
        0.2, unit="share of a tile", raising="each new piece excuses more of a tile that is hidden"
    )
    usual_after_s: float = param(
        1.3,
        unit="seconds",
        raising="what hides a tile is taken for a hand for longer; animals correct settled turns later",
    )

    # Pieces.
    person_odds_factor: float = param(
        0.7, unit="1", raising="how surely a player's piece is read counts for more"
    )
    person_nats: float = param(
        4.0, unit="nats", raising="a player's piece of which little is seen is harder to leave unexplained"
    )
    unexplained_most_nats: float = param(
        4.5, unit="nats", raising="a piece that is surely read is harder to leave unexplained"
    )
    hides_sides: float = param(
        0.6, unit="tile sides", raising="a piece excuses what is hidden or changes farther from it"
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
    stray_s: float = param(
        4.0,
        unit="seconds after which an unexpected piece beside the tiles counts half",
        raising="something of the table is taken for a piece for longer",
    )

    # Occlusion history.
    forgotten_s: float = param(
        60.0,
        unit="seconds",
        raising="what hides a print stays new, and a sign of an animal tile is kept, for longer",
    )
    vanished_share: float = param(
        0.25,
        unit="share of an animal tile's area",
        raising="more print must vanish before something is taken to lie there",
    )
    vanished_nats: float = param(
        6.0, unit="nats", raising="print that vanished speaks more for an animal tile"
    )
    vanished_beside_nats: float = param(
        1.5,
        unit="nats",
        raising="the same beside a piece that has just arrived, and on a tile just laid",
    )
    hint_most: float = param(0.9, unit="probability", raising="vanished print can make an animal tile surer")
    hint_worth: float = param(
        0.3, unit="probability", raising="fewer hints count that no vanished print supports"
    )


PARAMS = ViewParams()

LIKELY = 0.5
"""Probability above which something is taken to be there: likelier than not."""
