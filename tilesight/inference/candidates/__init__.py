"""Candidate turns after one position: the legal ones, and those among them that the table speaks for.

Listing a position's turns and playing them is what costs most while a game is followed, and the same turns
are tried picture after picture. So each is listed, and played, at most once for a position.
"""

from tilesight.inference.candidates.differences import (
    TurnKey,
    but_choices,
    but_displaced,
    done_with_pieces,
    how_they_differ,
    kind_of,
    turn_key,
)
from tilesight.inference.candidates.legal_turns import LegalTurns, PlacedTurns, Placement, Waiting, prior_of
from tilesight.inference.candidates.outcomes import Outcome, Stages, outcome_of

__all__ = [
    "LegalTurns",
    "Outcome",
    "PlacedTurns",
    "Placement",
    "Stages",
    "TurnKey",
    "Waiting",
    "but_choices",
    "but_displaced",
    "done_with_pieces",
    "how_they_differ",
    "kind_of",
    "outcome_of",
    "prior_of",
    "turn_key",
]
