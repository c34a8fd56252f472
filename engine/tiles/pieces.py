"""Piece kinds: what pieces of each kind are on the table of any tile game.

On which features a game puts them is the game's to say (`engine.games.TileGame.takes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["meeple", "ranger", "token", "hut"]
"""The name of a kind of piece in records, truths and JSON (docs/formats.md). A token is an animal tile."""
Pose = Literal["standing", "lying"]
Sort = tuple[PieceKind, Pose]
"""A kind of piece in one of the poses in which it is found on a table."""
Takes = Mapping[str, frozenset[Sort]]
"""The sorts of piece that each kind of feature takes, by the feature's kind."""


@dataclass(frozen=True, slots=True)
class PieceTraits:
    """Traits of one kind of piece in every game that has it.

    ``owned``: they belong to players and have their colours; pieces that are not may be anybody's to move.
    ``outside``: they stand on an empty cell that touches a tile by a side; others stand or lie on tiles.
    ``along``: people put them anywhere along their feature, not only on its spot.
    ``flat``: they lie on the board, and others may stand on them.
    """

    owned: bool = True
    outside: bool = False
    along: bool = False
    flat: bool = False


TRAITS: Mapping[PieceKind, PieceTraits] = {
    "meeple": PieceTraits(),
    "hut": PieceTraits(along=True),
    "ranger": PieceTraits(owned=False, outside=True),
    "token": PieceTraits(owned=False, flat=True),
}
OWNED = frozenset(kind for kind, traits in TRAITS.items() if traits.owned)
"""The kinds of piece that have a player's colour."""
OUTSIDE = frozenset(kind for kind, traits in TRAITS.items() if traits.outside)
"""The kinds of piece that stand beside the tiles."""
SORTS: tuple[Sort, ...] = (
    ("meeple", "standing"),
    ("meeple", "lying"),
    ("hut", "standing"),
    ("ranger", "standing"),
    ("token", "lying"),
)
"""Every kind in the poses in which it may be found. The networks that read pieces tell them in this order
(models/pieces.md), so that new ones come last."""
ANY_FEATURE: frozenset[Sort] = frozenset({("meeple", "standing")})
"""Sorts of piece that a feature takes of which no game says anything."""


def features_take(takes: Takes, feature_kind: str) -> frozenset[Sort]:
    """The sorts of piece that may be put on a feature of that kind."""
    return takes.get(feature_kind, ANY_FEATURE)
