"""Candidate turns after a position: the legal turns, and those among them that the table supports.

Listing and playing a position's turns costs most of the time of following a game, and the same turns are
tried picture after picture. So each is listed, and played, at most once per position.
"""

from tilesight.inference.candidates.differences import (
    TurnKey,
    difference_text,
    displaced_to,
    key_without_choices,
    key_without_displaced,
    kind_of,
    piece_actions,
    tokens_added,
    turn_key,
)
from tilesight.inference.candidates.legal_turns import (
    LegalTurns,
    PlacedTurns,
    TilePlacement,
    WaitingTurns,
    prior_of,
)
from tilesight.inference.candidates.outcomes import Stages, TurnOutcome, outcome_of
from tilesight.inference.candidates.turn_node import TurnNode

__all__ = [
    "LegalTurns",
    "PlacedTurns",
    "Stages",
    "TilePlacement",
    "TurnKey",
    "TurnNode",
    "TurnOutcome",
    "WaitingTurns",
    "difference_text",
    "displaced_to",
    "key_without_choices",
    "key_without_displaced",
    "kind_of",
    "outcome_of",
    "piece_actions",
    "prior_of",
    "tokens_added",
    "turn_key",
]
