"""Piece kinds of the tile games, and their properties in every game.

Each game states on which features its pieces may be put (`engine.tiles.tile_game.TileGame.takes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["meeple", "ranger", "token", "hut", "other"]
"""Kind of piece, as in records, truths and JSON (docs/formats.md). A token is an animal tile; no record has
`OTHER`."""
OTHER: PieceKind = "other"
"""A piece of no kind that any game has: a disc, a glass stone or a cube, with which people play for want of
meeples, or which only lies there."""
Pose = Literal["standing", "lying"]
Sort = tuple[PieceKind, Pose]
"""A kind of piece and its pose on the table."""
Takes = Mapping[str, frozenset[Sort]]
"""The sorts of piece that may be on a feature, by the feature's kind."""


@dataclass(frozen=True, slots=True)
class PieceTraits:
    """Properties of one kind of piece, the same in every game.

    ``owned``: they have the colour of a player; the others may be moved by any player.
    ``outside``: they stand on an empty cell that shares a side with a tile; the others are on tiles.
    ``along``: they are put anywhere along their feature, not only on its spot.
    ``flat``: they lie on the board, and other pieces may stand on them.
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
    OTHER: PieceTraits(owned=False),
}
OWNED = frozenset(kind for kind, traits in TRAITS.items() if traits.owned)
"""The kinds of piece that have a player's colour."""
OUTSIDE = frozenset(kind for kind, traits in TRAITS.items() if traits.outside)
"""The kinds of piece that stand on empty cells."""
SORTS: tuple[Sort, ...] = (
    ("meeple", "standing"),
    ("meeple", "lying"),
    ("hut", "standing"),
    ("ranger", "standing"),
    ("token", "lying"),
    (OTHER, "lying"),
)
"""Every kind of piece in each of its poses. The order is that of the piece networks' outputs
(models/pieces.md): append only."""
ANY_FEATURE: frozenset[Sort] = frozenset({("meeple", "standing")})
"""Default sorts of piece, for features that a game's ``takes`` does not list."""


def features_take(takes: Takes, feature_kind: str) -> frozenset[Sort]:
    """Return the sorts of piece that may be put on a feature of that kind, by the game's ``takes``.
    A kind that is not listed takes ANY_FEATURE."""
    return takes.get(feature_kind, ANY_FEATURE)
