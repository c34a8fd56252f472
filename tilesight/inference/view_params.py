"""Tuned parameters of view, occlusion history and board registration in `tilesight.inference`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class ViewParams:
    """Tuned parameters that place a picture's readings in the game's frame and tell what of them is new."""

    # Tiles.
    face_floor_nats: float = param(
        9.0,
        unit="nats",
        raising="one picture can count for more against other faces and lattices; more faces are tried",
    )
    new_tile_share: float = param(
        0.15,
        unit="share of the median log-odds of the known tiles",
        raising="a new tile must be read more like the known ones: fewer false tiles, later detection",
    )
    turned_nats: float = param(
        4.0,
        unit="nats",
        raising="another face must lead by more before a known tile counts as turned or replaced, which "
        "then costs more",
    )
    least_novelty: float = param(
        0.05,
        unit="share of a first look",
        raising="a misreading that repeats in every picture counts for more",
    )

    # Board registration.
    votes_nats: float = param(
        3.0, unit="nats", raising="more known tiles must be read before the board counts as registered"
    )

    same_frame_nats: float = param(
        3.0,
        unit="nats",
        raising="the registration of the last picture is replaced less often by another shift or rotation",
    )

    # Scene.
    plain_face: float = param(
        0.9,
        unit="probability",
        raising="fewer changed faces of known tiles are taken for an exchange rather than for a cover",
    )
    scene_s: float = param(
        2.0, unit="seconds", raising="people hear later that tiles are covered or the board is gone"
    )
    covered_s: float = param(
        20.0,
        unit="seconds",
        raising="the game waits longer for several covered tiles before it goes on around them",
    )

    # Hands.
    unsettled_tiles: float = param(
        15.0,
        unit="areas of a tile",
        raising="larger changes between two pictures still count as rest",
    )
    hand_share: float = param(
        0.3,
        unit="share of a tile",
        raising="more of a tile, beyond what pieces explain, must be hidden before a hand is assumed",
    )
    piece_hides_share: float = param(
        0.2, unit="share of a tile", raising="each new piece explains a larger hidden share of its tile"
    )
    usual_after_s: float = param(
        1.3,
        unit="seconds",
        raising="a cover is taken for a hand for longer; animal readings correct settled turns later",
    )

    # Pieces.
    person_odds_factor: float = param(
        0.7, unit="1", raising="the log-odds of a player's piece count for more"
    )
    person_nats: float = param(
        4.0, unit="nats", raising="a hypothesis without a faintly detected player's piece costs more"
    )
    unexplained_most_nats: float = param(
        4.5, unit="nats", raising="a hypothesis without a surely detected piece costs more"
    )
    hides_sides: float = param(
        0.6, unit="tile sides", raising="a piece explains hidden or changed parts farther from it"
    )
    same_place_sides: float = param(
        0.2, unit="tile sides", raising="detections farther apart count as the same piece"
    )
    token_spread_sides: float = param(
        0.16,
        unit="tile sides",
        raising="an animal tile on a feature, or the piece that hides it, fits better off its spot",
    )
    token_reach_sides: float = param(
        0.3, unit="tile sides", raising="animal tiles farther from a corner or spot are assigned to it"
    )
    outside_reach_sides: float = param(
        0.7,
        unit="tile sides from the middle of the space, along each axis",
        raising="pieces farther off are assigned to a space beside the tiles",
    )
    stray_s: float = param(
        4.0,
        unit="seconds after which an unexpected piece beside the tiles counts half",
        raising="a foreign object beside the tiles is taken for a piece for longer",
    )

    # Occlusion history.
    forgotten_s: float = param(
        60.0,
        unit="seconds",
        raising="the cause of hidden print counts as new, and evidence of an animal tile is kept, for longer",
    )
    vanished_share: float = param(
        0.25,
        unit="share of an animal tile's area",
        raising="more print must be hidden before an animal tile is assumed there",
    )
    vanished_nats: float = param(
        6.0, unit="nats", raising="hidden print counts for more as evidence of an animal tile"
    )
    vanished_beside_nats: float = param(
        1.5,
        unit="nats",
        raising="hidden print counts for more beside a piece just placed and on a tile just laid",
    )
    hint_most: float = param(
        0.9, unit="probability", raising="hidden print can make an animal tile more probable"
    )
    hint_worth: float = param(
        0.3, unit="probability", raising="fewer hints count that no hidden print supports"
    )


PARAMS = ViewParams()

LIKELY = 0.5
"""Probability above which something is taken to be there: likelier than not."""
