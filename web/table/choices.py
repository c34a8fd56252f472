"""Choices for a turn: every legal turn of a placement, and the possible placements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engine.geometry import ROTS, Cell
from engine.pack import Pack
from engine.tiles.foreign import ForeignError, face, is_foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.table.refusal import Refusal

TURNS_AT_MOST = 1500
"""Number of turns of one placement that are listed at most: an animal tile may lie on any open corner of a
big board."""


@dataclass(frozen=True)
class Choices:
    """Choices for a turn under the rules.

    ``likely`` are other turns that the pictures allow, best first.  ``turns`` are all that lay ``tile`` on
    ``cell`` turned by ``rot``, the plainest first; ``rots`` are the turns of that tile which fit there,
    ``cells`` the places where it fits somehow, and ``tiles`` the faces that may have been drawn and fit
    somewhere, likeliest first. Foreign tiles (engine.tiles.foreign) are asked about by name, and not among
    ``tiles``.
    """

    turn_no: int
    player: str
    likely: tuple[Turn, ...]
    tile: str | None
    cell: Cell | None
    rot: int | None
    turns: tuple[Turn, ...]
    rots: tuple[int, ...]
    cells: tuple[Cell, ...]
    tiles: tuple[str, ...]
    pack: Pack


def choices_of(
    before: GameState,
    turn_no: int,
    now: Turn | None,
    likely: Sequence[Turn] = (),
    *,
    tile: str | None = None,
    cell: Cell | None = None,
    rot: int | None = None,
) -> Choices:
    """The choices for turn ``turn_no`` in the position ``before`` it.

    ``now`` is what the turn is taken for (None: not known yet), ``likely`` what else the pictures allow,
    best first. ``tile``, ``cell`` and ``rot`` ask about another placement; what is not given is as it is
    taken for now, or the nearest that fits.
    """
    first = now or next(iter(likely), None)
    fitting = {design: places for design in before.bag if (places := before.placements(design))}
    tile = tile or (first.tile if first else None)
    places = _places(before, fitting, tile)
    if cell is None and first is not None:
        cell = first.cell
    rots = tuple(r for r in ROTS if (cell, r) in places)
    if rot not in rots:
        rot = first.rot if first is not None and first.rot in rots else next(iter(rots), None)
    turns: tuple[Turn, ...] = ()
    if tile is not None and cell is not None and rot is not None:
        turns = tuple(islice(before.turns_for(tile, cell, rot), TURNS_AT_MOST))
    return Choices(
        turn_no=turn_no,
        player=before.player,
        likely=tuple(turn for turn in likely if turn != now),
        tile=tile,
        cell=cell,
        rot=rot,
        turns=turns,
        rots=rots,
        cells=tuple(dict.fromkeys(place for place, _ in places)),
        tiles=_likeliest_first(before, fitting, first, likely, cell),
        pack=before.pack,
    )


def _places(
    before: GameState, fitting: dict[str, tuple[tuple[Cell, int], ...]], tile: str | None
) -> tuple[tuple[Cell, int], ...]:
    """The placements of a face that may have been drawn, or of a foreign one; Refusal for a description that
    is of no tile of the game."""
    if tile is None or not is_foreign(tile):
        return fitting.get(tile or "", ())
    try:
        return before.placements(tile)
    except ForeignError as error:
        raise Refusal("bad_foreign", str(error)) from None


def _likeliest_first(
    before: GameState,
    fitting: dict[str, tuple[tuple[Cell, int], ...]],
    first: Turn | None,
    likely: Sequence[Turn],
    cell: Cell | None,
) -> tuple[str, ...]:
    """The faces that fit: those that the pictures name, then those of the same drawing but for an animal,
    then those that fit on that very place."""
    named = [turn.tile for turn in ((first,) if first else ()) + tuple(likely)]
    designs = before.pack.designs
    drawing = face(before.pack, first.tile).tile.id if first else None

    def rank(design: str) -> tuple[int, int, bool, str]:
        near = named.index(design) if design in named else len(named)
        fits_here = any(place == cell for place, _ in fitting[design])
        return near, designs[design].tile.id != drawing, not fits_here, design

    return tuple(sorted(fitting, key=rank))
