"""Tuned numbers of `tilesight.inference.histories`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class HistoriesParams:
    """Tuned numbers of likelihoods, transition times, beam and questions."""

    # Appearances of tiles.
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

    # Hands.
    moving_s: float = param(
        2.0,
        unit="seconds",
        raising="pictures farther apart may still tell that something moves over the whole table",
    )
    rim_sides: float = param(
        0.2, unit="tile sides", raising="cells that the picture cuts count as in sight with more cut off"
    )

    # Appearances of pieces.
    other_confidence: float = param(
        0.4, unit="probability", raising="a piece detected more or less surely is longer the same appearance"
    )
    other_color: float = param(
        0.8, unit="probability", raising="a piece that changes its colour is longer the same appearance"
    )

    # Likelihood of tiles.
    face_power: float = param(
        0.75,
        unit="1",
        raising="the reading of a tile's face counts for more against bag and edges",
        fitted="213 tiles of the game and three boards on real photographs",
    )
    hidden_share: float = param(
        0.5,
        unit="share",
        raising="the reading of a face on which a piece stands tells twins apart less",
    )
    hidden_most_nats: float = param(
        5.0, unit="nats", raising="faces that differ more count as twins that a piece may hide"
    )
    face_most_nats: float = param(
        5.0,
        unit="nats",
        raising="a face is misread more rarely, whatever it looks like",
        fitted="213 tiles of the game and three boards on real photographs",
    )
    face_cut_nats: float = param(9.0, unit="nats below the best face", raising="more faces are tried: slower")
    bare_nats: float = param(
        1.5,
        unit="nats",
        raising="what looks a little like a tile is more often bare table",
        fitted="45 doubtful cells of the game and three boards on real photographs",
    )
    tile_bound_nats: float = param(
        6.0, unit="nats", raising="a tile that is read and in no history costs it more"
    )
    absent_tile_nats: float = param(
        4.0, unit="nats", raising="a tile of the history that a look does not show costs more"
    )

    # Likelihood of pieces.
    missed_piece_nats: float = param(
        3.0, unit="nats", raising="a piece of the history that is not detected costs more"
    )
    roof_nats: float = param(
        4.0,
        unit="nats",
        raising="a doubtful detection on a printed building counts for less",
        fitted="47 monasteries of the game and three boards on real photographs",
    )
    roof_power: float = param(
        1.0, unit="1", raising="a sure detection on a printed building makes up for more of that"
    )
    missed_under_nats: float = param(
        1.5, unit="nats", raising="the same of an animal tile on which a piece stands"
    )
    missed_behind_nats: float = param(
        0.5, unit="nats", raising="the same of an animal tile that a player's piece nearby may hide"
    )
    reach_sides: float = param(0.6, unit="tile sides", raising="a piece is looked for farther from its place")
    spread_sides: float = param(
        0.05,
        unit="tile sides",
        raising="a piece seen off its place fits better",
        fitted="60 pieces of the game and three boards on real photographs, 75 of rendered sessions",
    )
    somewhere_share: float = param(
        0.8, unit="share", raising="a piece far from every feature of its tile counts more for the nearest"
    )
    wrong_kind_nats: float = param(
        6.0, unit="nats", raising="an animal tile read where a meeple stands, or the reverse, costs more"
    )
    odd_piece_nats: float = param(
        1.0, unit="nats", raising="a reading with a colour or kind that nobody plays is a worse match"
    )
    sort_most_nats: float = param(
        5.0, unit="nats", raising="another kind or pose than the one read can cost more"
    )
    early_nats: float = param(
        3.0, unit="nats", raising="a piece that was there before its tile was laid costs more"
    )

    # Time.
    late_share: float = param(
        0.3, unit="probability", raising="more pieces come after the first look at their tile"
    )
    late_s: float = param(3.0, unit="seconds", raising="pieces come later")
    late_tail: float = param(1.2, unit="1", raising="fewer pieces come very late")
    after_next_nats: float = param(
        3.0, unit="nats", raising="a piece that comes after the next tile costs more"
    )
    home_s: float = param(4.0, unit="seconds", raising="scored pieces go home later")
    home_tail: float = param(0.6, unit="1", raising="fewer scored pieces are forgotten for long")
    stay_s: float = param(5.0, unit="seconds", raising="a piece that scores in its own turn stays for longer")
    least_unseen: float = param(
        0.002, unit="probability", raising="pieces are missed more often however often one looks"
    )

    # Prior.
    action_odds: float = param(
        0.6,
        unit="odds",
        raising="each kind of action that is possible is likelier than none",
        fitted="18 of 32 turns of half a real game put a piece down",
    )
    token_prior_nats: float = param(
        -1.0, unit="nats", raising="animal tiles are added to a feature more often"
    )
    overlooked_nats: float = param(
        2.0, unit="nats", raising="a tile that was there before it was detected costs more"
    )

    # Beam.
    grow_within_nats: float = param(
        9.0, unit="nats below the best", raising="more histories are continued: slower"
    )
    keep_within_nats: float = param(
        16.0, unit="nats below the best", raising="more histories are kept: slower"
    )

    restless_s: float = param(
        20.0,
        unit="seconds",
        raising="histories are weighed for longer after the last change, for what time alone tells: slower",
    )

    # What is settled.
    settled_share: float = param(0.999, unit="probability", raising="turns stay open for longer: slower")
    open_turns: int = param(8, unit="turns", raising="more turns stay open: slower")


PARAMS = HistoriesParams()
