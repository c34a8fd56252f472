"""Notation of Hunters and Gatherers: positions with meeples, huts, covered animals and extra turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.game import Game
from engine.geometry import Cell
from engine.hunters_gatherers.rules import MENHIR, PRESETS, TAKES
from engine.hunters_gatherers.state import HuntersState
from engine.hunters_gatherers.water import GRASSLAND, water_laid, waters
from engine.pack import Pack
from engine.text_span import NotationError, PositionWords, Span, place_text
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Landscape, Region, finished_by, replace_region
from engine.tiles.meeple_run import pose_on
from engine.tiles.notation import (
    TILE_FIELDS,
    Piece,
    PositionReader,
    StartPosition,
    TileTurns,
    board_words,
    check_player_to_move,
    feature_under,
    opening_words,
    preset_name,
    refuse_meeples_on_finished,
    start_position,
    take_from_supply,
)
from engine.tiles.turn import FeatureRef

YES = "yes"


@dataclass(frozen=True, slots=True)
class HuntersNotation(TileTurns):
    """Reader and writer of turns and positions (engine.game.Notation)."""

    fields: tuple[str, ...] = (*TILE_FIELDS, "extra", "covered")

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """Write a position: edition and words. Supplies and tiles to come follow from the rest."""
        if not isinstance(position, HuntersState):
            raise NotationError("that is no position of Hunters and Gatherers")
        state = position
        left = {**state.regular, **state.menhirs}
        words = opening_words(state.pack, state.scores, state.player, left, state.board)
        if state.extra:
            words.append(f"extra={YES}")
        if state.covered:
            words.append("covered=" + ";".join(place_text(place) for place in sorted(state.covered)))
        pieces = {
            place[0]: (piece.kind, piece.color or "", place[1])
            for place, piece in (*state.meeples.items(), *state.huts.items())
        }
        return preset_name(PRESETS, state.rules), words + board_words(state.pack, state.board, pieces)

    def read_position(self, game: Game, rules: str, words: PositionWords, pack: Pack | None) -> HuntersState:
        """Parse a position; NotationError if it is impossible."""
        start = start_position(game, rules, words, pack)
        build = _PositionReader(start, words)
        extra = _extra(words)
        regular = build.decks(menhir=False)
        menhirs = build.decks(menhir=True)
        if extra and not menhirs:
            raise words.field("extra").fault("there is no menhir tile left for an extra turn")
        seat = (build.regular_laid - extra) % len(start.players)
        check_player_to_move(words, start.players[seat])
        state: HuntersState = build.extended()
        return replace(
            state,
            seat=seat,
            extra=extra,
            systems=build.systems,
            closed=build.closed,
            meeples=build.meeples,
            huts=build.huts,
            hut_supply=build.hut_supply,
            covered=_covered(words.optional("covered"), build.grid.tiles),
            regular=regular,
            menhirs=menhirs,
        )


class _PositionReader(PositionReader):
    """Parser of the tiles and their pieces; refuses meeples on forests and rivers that were finished
    later."""

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        state: HuntersState = start.state
        super().__init__(start, words, {**state.regular, **state.menhirs})
        self.systems: Landscape = state.systems
        self.closed: tuple[Region, ...] = ()
        self.meeples: dict[FeatureRef, Standing] = {}
        self.huts: dict[FeatureRef, Standing] = {}
        self.hut_supply: Mapping[str, int] = state.hut_supply
        self.regular_laid = 0
        self._lay_all(words, ("meeple", "hut"))

    def decks(self, *, menhir: bool) -> Mapping[str, int]:
        """Number of tiles left of each design, of the menhir stack or of the regular one."""
        designs = self._start.pack.designs
        return {n: c for n, c in self._bag.items() if (designs[n].tile.deck == MENHIR) == menhir}

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay a tile, merge river systems, put the piece, and store finished regions."""
        own_regions = self._lay_tile(word, cell, laid)
        self.regular_laid += laid.design.tile.deck != MENHIR
        water, own_systems = water_laid(laid), dict[str, Region]()
        if water is not None:
            self.systems, own_systems = self.systems.lay(cell, water)
        if piece is not None:
            feature = feature_under(piece, laid)
            if piece.kind == "hut":
                self._put_hut(piece, cell, laid, own_systems)
            else:
                self._put_hunter(piece, cell, feature.kind, own_regions)
        kept = [region for _, region in finished_by(cell, own_systems)]
        for _, region in reversed(finished_by(cell, own_regions)):
            if region.kind == GRASSLAND:
                kept.insert(0, region)
            else:
                refuse_meeples_on_finished(word, region)
        self.closed = (*self.closed, *(region for region in kept if region.meeples))

    def _put_hunter(self, piece: Piece, cell: Cell, kind: str, own_regions: dict[str, Region]) -> None:
        """Put a meeple on a feature of kind ``kind`` of the tile just laid."""
        if piece.feature not in own_regions:
            raise piece.span.fault("only huts stand on lakes")
        place = self._put_meeple(piece, cell, own_regions)
        self.meeples[place] = Standing("meeple", piece.color, *place, pose=pose_on(TAKES, kind))

    def _put_hut(self, piece: Piece, cell: Cell, laid: Laid, own_systems: dict[str, Region]) -> None:
        """Put a hut on the river system of a feature of the tile just laid."""
        name = waters(laid.design.tile).system_of.get(piece.feature)
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
    """Parse the field ``extra``: whether it is an extra turn."""
    field = words.optional("extra")
    if field.text not in ("", YES):
        raise field.fault(f"extra= is {YES} or not there")
    return field.text == YES


def _covered(field: Span, board: Mapping[Cell, Laid]) -> frozenset[FeatureRef]:
    """Parse the field ``covered``: the grassland features under covering markers."""
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
