"""Tuned parameters of `tilesight.inference.histories`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class HistoriesParams:
    """Tuned parameters of likelihoods, transition times, beam and questions."""

    # Appearances of tiles.
    plainer_nats: float = param(
        4.0,
        unit="nats",
        raising="the log-odds of a doubtful tile must rise by more before it counts as just laid",
    )
    otherwise_nats: float = param(
        2.0,
        unit="nats",
        raising="a doubtful tile that was read as another face more often counts as the same tile",
    )

    # Hands.
    moving_s: float = param(
        2.0,
        unit="seconds",
        raising="two pictures farther apart can still show that the whole table is moving",
    )
    rim_sides: float = param(
        0.2, unit="tile sides", raising="a cell that the picture cuts off more of still counts as in sight"
    )

    # Appearances of pieces.
    other_confidence: float = param(
        0.4,
        unit="probability",
        raising="larger changes of a detection's confidence still count as the same appearance",
    )
    other_color: float = param(
        0.8,
        unit="probability",
        raising="a piece whose colour reading changes is more often the same appearance",
    )

    # Likelihood of tiles.
    face_power: float = param(
        0.75,
        unit="1",
        raising="the reading of a face counts for more against the bag and the edges",
        fitted="213 tiles of the game and three boards on real photographs",
    )
    hidden_share: float = param(
        0.5,
        unit="share",
        raising="a reading of a face with a piece on it separates similar faces less",
    )
    hidden_most_nats: float = param(
        5.0, unit="nats", raising="faces that differ more count as similar ones that a piece may hide"
    )
    face_most_nats: float = param(
        5.0,
        unit="nats",
        raising="misreadings of faces are rarer, whatever the reading",
        fitted="213 tiles of the game and three boards on real photographs",
    )
    face_cut_nats: float = param(9.0, unit="nats below the best face", raising="more faces are tried: slower")
    bare_nats: float = param(
        1.5,
        unit="nats",
        raising="a doubtful tile is more often bare table",
        fitted="45 doubtful cells of the game and three boards on real photographs",
    )
    tile_bound_nats: float = param(
        6.0, unit="nats", raising="a tile that is read but missing from a history costs it more"
    )
    absent_tile_nats: float = param(
        4.0, unit="nats", raising="a tile of the history that a picture does not show costs more"
    )

    # Likelihood of pieces.
    missed_piece_nats: float = param(
        3.0, unit="nats", raising="a piece of the history that is not detected costs more"
    )
    roof_nats: float = param(
        4.0,
        unit="nats",
        raising="a faint detection on a printed building counts for less",
        fitted="47 monasteries of the game and three boards on real photographs",
    )
    roof_power: float = param(1.0, unit="1", raising="a sure detection on a printed building counts for more")
    missed_under_nats: float = param(
        1.5,
        unit="nats",
        raising="an animal tile of the history that is not detected under a piece costs more",
    )
    missed_behind_nats: float = param(
        0.5,
        unit="nats",
        raising="an animal tile of the history that a player's piece nearby may hide costs more if it is "
        "not detected",
    )
    reach_sides: float = param(
        0.6, unit="tile sides", raising="a detection farther from a piece's expected point can match it"
    )
    spread_sides: float = param(
        0.05,
        unit="tile sides",
        raising="a distance between a piece's detection and its expected point costs less",
        fitted="60 pieces of the game and three boards on real photographs, 75 of rendered sessions",
    )
    somewhere_share: float = param(
        0.8, unit="share", raising="a piece far from every feature of its tile costs less on the nearest one"
    )
    wrong_kind_nats: float = param(
        6.0, unit="nats", raising="an animal tile read in place of a meeple, or the reverse, costs more"
    )
    odd_piece_nats: float = param(
        1.0,
        unit="nats",
        raising="a reading whose colour or kind is not in the game matches any piece less well",
    )
    sort_most_nats: float = param(5.0, unit="nats", raising="a reading of another kind or pose can cost more")
    early_nats: float = param(
        3.0, unit="nats", raising="a piece that was detected before its tile was laid costs more"
    )

    # Time.
    late_share: float = param(
        0.3, unit="probability", raising="more pieces are placed after the first picture of their tile"
    )
    late_s: float = param(3.0, unit="seconds", raising="pieces are placed later")
    late_tail: float = param(1.2, unit="1", raising="fewer pieces are placed very late")
    after_next_nats: float = param(
        3.0, unit="nats", raising="a piece that is placed after the next tile costs more"
    )
    home_s: float = param(4.0, unit="seconds", raising="scored pieces go home later")
    home_tail: float = param(0.6, unit="1", raising="fewer scored pieces stay for long")
    stay_s: float = param(5.0, unit="seconds", raising="a piece that scores in its own turn stays for longer")
    least_unseen: float = param(
        0.002,
        unit="probability",
        raising="a piece can escape all pictures with a higher probability, however many there are",
    )

    # Prior.
    action_odds: float = param(
        0.6,
        unit="odds",
        raising="each possible kind of action is likelier against no action",
        fitted="18 of 32 turns of half a real game placed a piece",
    )
    token_prior_nats: float = param(
        -1.0, unit="nats", raising="animal tiles are added to a feature more often"
    )
    overlooked_nats: float = param(
        2.0, unit="nats", raising="a tile that lay there before its first detection costs more"
    )

    # Beam.
    grow_within_nats: float = param(
        9.0, unit="nats below the best", raising="more histories are extended: slower"
    )
    keep_within_nats: float = param(
        16.0, unit="nats below the best", raising="more histories are kept: slower"
    )

    restless_s: float = param(
        20.0,
        unit="seconds",
        raising="histories are re-weighted for longer after the last change, as time itself is evidence: "
        "slower",
    )

    # Settling of turns.
    settled_share: float = param(0.999, unit="probability", raising="turns stay open for longer: slower")
    open_turns: int = param(8, unit="turns", raising="more turns stay open: slower")


PARAMS = HistoriesParams()
