"""Choices for a turn: the legal turns of a placement, and the other possible placements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engine.geometry import ROTS, Cell
from engine.message import message_of
from engine.pack import Pack
from engine.tiles.foreign import ForeignError, face, is_foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.table.refusal import Refusal

TURNS_AT_MOST = 1500
"""Maximum number of turns listed for one placement. There can be many, because an animal tile may lie on
any open corner of the board."""


@dataclass(frozen=True)
class Choices:
    """Legal choices for a turn.

    ``likely`` are other turns that the pictures allow, likeliest first. ``turns`` are all turns that lay
    ``tile`` on ``cell`` with rotation ``rot``, the simplest first. ``rots`` are the rotations in which the
    tile fits there, ``cells`` all cells where it fits, and ``tiles`` the faces that the player may have drawn
    and that fit somewhere, likeliest first. ``tiles`` has no foreign tiles (engine.tiles.foreign).
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
    """Return the choices for turn ``turn_no``, which follows the position ``before``.

    ``now`` is the recorded turn (None: not known), ``likely`` are other turns that the pictures allow,
    likeliest first. ``tile``, ``cell`` and ``rot`` ask about another placement. If one is missing, that of
    the recorded or likeliest turn is used, or a rotation that fits. Raises Refusal if ``tile`` describes an
    impossible foreign tile.
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
    """Return the placements (cell, rotation) of a face.

    Raises Refusal if the description of a foreign face is invalid.
    """
    if tile is None or not is_foreign(tile):
        return fitting.get(tile or "", ())
    try:
        return before.placements(tile)
    except ForeignError as error:
        raise Refusal("bad_foreign", message_of(error)) from None


def _likeliest_first(
    before: GameState,
    fitting: dict[str, tuple[tuple[Cell, int], ...]],
    first: Turn | None,
    likely: Sequence[Turn],
    cell: Cell | None,
) -> tuple[str, ...]:
    """Return the fitting faces, likeliest first.

    First come those of the recorded and likely turns. Then come faces with the same drawing as the recorded
    one (they differ only in an animal), and then faces that fit on ``cell``.
    """
    named = [turn.tile for turn in ((first,) if first else ()) + tuple(likely)]
    designs = before.pack.designs
    drawing = face(before.pack, first.tile).tile.id if first else None

    def rank(design: str) -> tuple[int, int, bool, str]:
        """Return the sort key of a face."""
        near = named.index(design) if design in named else len(named)
        fits_here = any(place == cell for place, _ in fitting[design])
        return near, designs[design].tile.id != drawing, not fits_here, design

    return tuple(sorted(fitting, key=rank))
