"""Tuned parameters of likelihoods, hypotheses and questions; those of one picture are in `view_params`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class InferenceParams:
    """Tuned parameters of likelihoods, of hypotheses, and of questions about turns that stay open."""

    # Likelihood of tiles.
    tile_bound_nats: float = param(
        6.0, unit="nats", raising="one reading of a cell as tile or as table counts for more"
    )
    absent_tile_nats: float = param(
        4.0, unit="nats", raising="a tile of the hypothesis that is not read costs more"
    )

    # Likelihood of pieces.
    missed_piece_nats: float = param(
        3.0, unit="nats", raising="a piece of the hypothesis that is not detected costs more"
    )
    missed_under_nats: float = param(
        1.5,
        unit="nats",
        raising="an animal tile of the hypothesis that is not detected under a piece costs more",
    )
    missed_behind_nats: float = param(
        0.5,
        unit="nats",
        raising="an animal tile of the hypothesis that a player's piece nearby may hide costs more if it "
        "is not detected",
    )
    piece_reach_sides: float = param(
        0.6, unit="tile sides", raising="a detection farther from a piece's expected point can match it"
    )
    spread_sides: float = param(
        0.09,
        unit="tile sides",
        raising="a distance between a piece's detection and its expected point costs less",
    )
    wrong_kind_nats: float = param(
        6.0,
        unit="nats",
        raising="an animal tile read in place of a meeple, or the reverse, costs more",
        fitted="about 1 in 700 confident readings of simulated games",
    )
    odd_piece_nats: float = param(
        1.0,
        unit="nats",
        raising="a reading whose colour or kind is not in the game matches any piece less well",
    )
    sort_most_nats: float = param(
        4.0,
        unit="nats",
        raising="a reading of another kind or pose can cost more, and does if the reading has no "
        "probabilities",
    )
    trait_most_nats: float = param(
        5.0, unit="nats", raising="a reading of another colour or animal can cost more"
    )

    # Stages of a turn.
    skipped_piece_nats: float = param(
        7.0,
        unit="nats",
        raising="a piece that scored and went home between two pictures costs more, and so can a late one",
    )
    haste_nats: float = param(
        5.0, unit="nats", raising="a tile laid before the previous turn's end was seen at rest costs more"
    )
    late_nats_per_s: float = param(
        0.7, unit="nats per second at rest", raising="a piece that is placed long after its tile costs more"
    )
    plain_prior_nats: float = param(
        -0.7, unit="nats", raising="turns without a piece, or with one on the new tile, have a higher prior"
    )
    outside_prior_nats: float = param(
        -2.0, unit="nats", raising="turns that put a piece beside the tiles have a higher prior"
    )
    token_prior_nats: float = param(
        -2.5, unit="nats", raising="turns that add an animal tile have a higher prior"
    )

    action_odds: float = param(
        5.0,
        unit="odds",
        raising="in turns that no picture shows, each possible kind of action is likelier against no action",
        fitted="800 turns of simulated games",
    )

    # Hypothesis tree.
    rest_bound_nats: float = param(
        10.0,
        unit="nats",
        raising="one picture at rest can separate hypotheses further: two can reverse any order, and "
        "hypotheses three pictures behind are pruned",
    )
    busy_bound_nats: float = param(
        2.0, unit="nats", raising="one picture with hands in it can separate hypotheses further"
    )
    grow_within_nats: float = param(
        12.0, unit="nats below the likeliest hypothesis", raising="more hypotheses are extended: slower"
    )
    orders_within_nats: float = param(
        6.0,
        unit="nats below the likeliest hypothesis just started",
        raising="more orders and pieces are tried for several tiles laid unseen: slower",
    )
    grow_after: int = param(
        2,
        unit="pictures at rest",
        raising="a partly hidden cell must be read in more pictures before it counts as a new tile",
    )

    # Reports and questions.
    open_turns: int = param(
        3, unit="turns", raising="later pictures can still change more of the last turns: slower"
    )
    doubtful_turns: int = param(
        9, unit="turns", raising="a doubtful turn can be followed by more turns before it is settled: slower"
    )
    show_margin_nats: float = param(
        2.0, unit="nats", raising="turns are shown later and with fewer corrections"
    )
    ask_below: float = param(
        0.9,
        unit="probability",
        raising="more turns are asked about; an animal reading must be surer to correct a settled turn",
    )
    unclear_after: int = param(
        2, unit="pictures at rest", raising="tiles that no turn explains are reported later"
    )
    ask_after: int = param(
        3,
        unit="pictures at rest",
        raising="questions come later, and fewer are asked that would have resolved themselves",
    )
    ask_after_s: float = param(
        2.0,
        unit="seconds",
        raising="questions come later, and fewer are asked that would have resolved themselves",
    )
    option_least: float = param(0.01, unit="probability", raising="a question offers fewer answers")

    # Revision of settled turns.
    sure_turn: float = param(
        0.98, unit="probability", raising="more settled turns can be corrected by later pictures"
    )


PARAMS = InferenceParams()
