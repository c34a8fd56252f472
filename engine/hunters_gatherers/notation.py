"""Notation of Hunters and Gatherers: positions with meeples, huts, covered animals and extra turns."""

from __future__ import annotations

from collections.abc import Mapping

from engine.geometry import Cell
from engine.hunters_gatherers.rules import MENHIR, PRESETS, TAKES
from engine.hunters_gatherers.state import HuntersState
from engine.hunters_gatherers.water import GRASSLAND, LAKE, water_laid, waters
from engine.text_span import PositionWords, Span, place_text
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Landscape, Region, finished_by, replace_region
from engine.tiles.notation import (
    TILE_FIELDS,
    Piece,
    PositionReader,
    StartPosition,
    TileNotation,
    feature_under,
    refuse_meeples_on_finished,
    take_from_supply,
)
from engine.tiles.turn import FeatureRef

YES = "yes"


class HuntersNotation(TileNotation):
    """Reader and writer of turns and positions."""

    title = "Hunters and Gatherers"
    fields = (*TILE_FIELDS, "extra", "covered")
    state = HuntersState
    presets = PRESETS

    def own_words(self, state: HuntersState) -> list[str]:
        """Return the fields of an extra turn and of the covered animals, each only if it applies."""
        words = [f"extra={YES}"] if state.extra else []
        if state.covered:
            words.append("covered=" + ";".join(map(place_text, sorted(state.covered))))
        return words

    def state_of(self, start: StartPosition, words: PositionWords) -> HuntersState:
        """Parse the tiles, pieces and own fields of a position. Raises NotationError if it is impossible."""
        build = _PositionReader(start, words)
        extra = _extra(words)
        if extra and not build.stacks[1]:
            raise words.field("extra").fault("there is no menhir tile left for an extra turn")
        state: HuntersState = build.extended(
            seat=(build.regular_laid - extra) % len(start.players),
            extra=extra,
            systems=build.systems,
            closed=build.closed,
            meeples=build.meeples,
            huts=build.huts,
            hut_supply=build.hut_supply,
            covered=_covered(words.optional("covered"), build.grid.tiles),
        )
        return state


class _PositionReader(PositionReader):
    """Parser of the tiles and their pieces.
    It refuses meeples on forests and rivers that were finished later."""

    takes = TAKES

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        super().__init__(start, words)
        state: HuntersState = start.state
        self.systems: Landscape = state.systems
        self.huts: dict[FeatureRef, Standing] = {}
        self.hut_supply: Mapping[str, int] = state.hut_supply
        self.regular_laid = 0
        self._lay_all(words, ("meeple", "hut"))

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay a tile, merge river systems, put ``piece``, and store finished regions.
        Raises NotationError at ``word`` or at the piece if that is impossible."""
        own_regions = self._lay_tile(word, cell, laid)
        self.regular_laid += laid.design.tile.deck != MENHIR
        water, own_systems = water_laid(laid), dict[str, Region]()
        if water is not None:
            self.systems, own_systems = self.systems.lay(cell, water)
        if piece is not None and piece.kind == "hut":
            self._put_hut(piece, cell, laid, own_systems)
        elif piece is not None:
            if feature_under(piece, laid).kind == LAKE:
                raise piece.span.fault("only huts stand on lakes")
            self._put_meeple(piece, cell, laid, own_regions)
        kept = [region for _, region in finished_by(cell, own_systems)]
        for _, region in reversed(finished_by(cell, own_regions)):
            if region.kind == GRASSLAND:
                kept.insert(0, region)
            else:
                refuse_meeples_on_finished(word, region)
        self.closed = (*self.closed, *(region for region in kept if region.meeples))

    def _put_hut(self, piece: Piece, cell: Cell, laid: Laid, own_systems: dict[str, Region]) -> None:
        """Put a hut on the river system of a feature of the tile just laid; update ``own_systems``.
        Those are the river systems of that tile, by name. Raises NotationError at the piece if it may not
        stand there."""
        name = waters(laid.design.tile).system_of.get(feature_under(piece, laid).id)
        if name is None:
            raise piece.span.fault("huts stand on rivers and lakes")
        place, system = (cell, name), own_systems[name]
        if system.meeples:
            raise piece.span.fault("there was a hut on this river system already")
        self.hut_supply = take_from_supply(self.hut_supply, piece.color, piece.span, "huts")
        self.huts[place] = Standing("hut", piece.color, cell, name)
        self.systems, occupied = self.systems.with_meeple(system, piece.color, place)
        replace_region(own_systems, system, occupied)


def _extra(words: PositionWords) -> bool:
    """Parse the field ``extra``: True for yes, False if missing. Raises NotationError for anything else."""
    field = words.optional("extra")
    if field.text not in ("", YES):
        raise field.fault(f"extra= is {YES} or not there")
    return field.text == YES


def _covered(field: Span, board: Mapping[Cell, Laid]) -> frozenset[FeatureRef]:
    """Parse the field ``covered``: the grassland features under covering markers.
    Raises NotationError for a place of ``board`` without grassland."""
    places = set()
    for span in field.split(";"):
        feature_id, cell = span.place()
        laid = board.get(cell)
        feature = None if laid is None else laid.design.tile.feature(feature_id)
        if feature is None or feature.kind != GRASSLAND:
            raise span.fault(f"there is no grassland {span.text}")
        places.add((cell, feature_id))
    return frozenset(places)


HUNTERS_NOTATION = HuntersNotation()
