"""Tuned numbers of likelihoods, hypotheses and questions; those of one picture are in `view_params`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class InferenceParams:
    """Tuned numbers of likelihoods, of hypotheses, and of questions about turns that stay open."""

    # Likelihood of tiles.
    tile_bound_nats: float = param(
        6.0, unit="nats", raising="one reading of tile against table counts for more"
    )
    absent_tile_nats: float = param(
        4.0, unit="nats", raising="a tile of the hypothesis of which nothing is read costs more"
    )

    # Likelihood of pieces.
    missed_piece_nats: float = param(
        3.0, unit="nats", raising="a piece of the hypothesis that is not detected costs more"
    )
    missed_under_nats: float = param(
        1.5, unit="nats", raising="the same of an animal tile on which a piece stands"
    )
    missed_behind_nats: float = param(
        0.5, unit="nats", raising="the same of an animal tile that a player's piece nearby may hide"
    )
    piece_reach_sides: float = param(
        0.6, unit="tile sides", raising="a piece is looked for farther from its place"
    )
    spread_sides: float = param(0.09, unit="tile sides", raising="a piece seen off its place fits better")
    wrong_kind_nats: float = param(
        6.0,
        unit="nats",
        raising="an animal tile read where a meeple stands, or the reverse, costs more",
        fitted="about 1 in 700 sure readings of simulated games",
    )
    odd_piece_nats: float = param(
        1.0,
        unit="nats",
        raising="a reading with a colour or kind that nobody plays is a worse match for another piece",
    )
    sort_most_nats: float = param(
        4.0,
        unit="nats",
        raising="another kind or pose than the one read can cost more; it does where no probability is read",
    )
    trait_most_nats: float = param(
        5.0, unit="nats", raising="a colour or an animal other than the one read can cost more"
    )

    # Stages of a turn.
    skipped_piece_nats: float = param(
        7.0,
        unit="nats",
        raising="a piece that scored and went home unseen costs more, and one that is late can",
    )
    haste_nats: float = param(
        5.0, unit="nats", raising="a next tile laid before a turn's end was seen at rest costs more"
    )
    late_nats_per_s: float = param(
        0.7, unit="nats per second at rest", raising="a piece that comes long after its tile costs more"
    )
    plain_prior_nats: float = param(
        -0.7, unit="nats", raising="turns with no piece, or one on the new tile, are likelier beforehand"
    )
    outside_prior_nats: float = param(
        -2.0, unit="nats", raising="turns that put a piece beside the tiles are likelier beforehand"
    )
    token_prior_nats: float = param(
        -2.5, unit="nats", raising="turns that lay an animal tile are likelier beforehand"
    )

    action_odds: float = param(
        5.0,
        unit="odds",
        raising="of turns that nobody saw, each kind of action that is possible is likelier than none",
        fitted="800 turns of simulated games",
    )

    # Hypothesis tree.
    rest_bound_nats: float = param(
        10.0,
        unit="nats",
        raising="one picture at rest may tell tables further apart; two bring back any table, and a "
        "hypothesis three pictures behind is pruned",
    )
    busy_bound_nats: float = param(
        2.0, unit="nats", raising="one picture with hands in it may tell tables further apart"
    )
    grow_within_nats: float = param(
        12.0, unit="nats below the likeliest hypothesis", raising="more hypotheses get children: slower"
    )
    orders_within_nats: float = param(
        6.0,
        unit="nats below the most promising of those just started",
        raising="of several tiles laid unseen more orders and pieces are tried: slower",
    )
    grow_after: int = param(
        2,
        unit="pictures at rest",
        raising="a cell that is more hidden must be read more often before it counts as a newly laid tile",
    )

    # What is told and asked.
    open_turns: int = param(
        3, unit="turns", raising="later pictures may still change more of the last turns: slower"
    )
    doubtful_turns: int = param(
        9, unit="turns", raising="a doubtful turn may be followed by more before it stays as it is: slower"
    )
    show_margin_nats: float = param(2.0, unit="nats", raising="turns are shown later, and surer")
    ask_below: float = param(
        0.9,
        unit="probability",
        raising="more turns are asked about; animals must be surer to correct settled turns",
    )
    unclear_after: int = param(
        2, unit="pictures at rest", raising="tiles that no turn explains are reported later"
    )
    ask_after: int = param(
        3, unit="pictures at rest", raising="people are asked later, and less often about what settles itself"
    )
    ask_after_s: float = param(2.0, unit="seconds", raising="the same by time")
    option_least: float = param(0.01, unit="probability", raising="fewer answers are offered")

    # Revision of settled turns.
    sure_turn: float = param(
        0.98, unit="probability", raising="more settled turns may be corrected by what is seen later"
    )


PARAMS = InferenceParams()
