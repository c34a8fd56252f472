"""Notation of Carcassonne: positions with meeples and the edition of a river."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.carcassonne.river import EDITIONS, stacks_of
from engine.carcassonne.rules import AROUND, CITY, FIELD, PRESETS, RIVER, TAKES
from engine.carcassonne.scoring import around
from engine.carcassonne.state import CarcassonneState
from engine.game import Game
from engine.geometry import Cell
from engine.pack import Pack
from engine.text_span import NotationError, PositionWords, Span, name_text
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Region, finished_by
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
)
from engine.tiles.turn import FeatureRef


@dataclass(frozen=True, slots=True)
class CarcassonneNotation(TileTurns):
    """Reader and writer of turns and positions (engine.game.Notation)."""

    fields: tuple[str, ...] = (*TILE_FIELDS, "river")

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """Write a position: edition and words. Supplies and tiles to come follow from the rest."""
        if not isinstance(position, CarcassonneState):
            raise NotationError("that is no position of Carcassonne")
        state = position
        left = {name: n for stack in state.stacks for name, n in stack.items()}
        words = opening_words(state.pack, state.scores, state.player, left, state.board, state.whole_bag)
        if state.edition is not None:
            words.append(f"river={name_text(state.edition)}")
        pieces = {
            place[0]: (piece.kind, piece.color or "", place[1]) for place, piece in state.meeples.items()
        }
        return preset_name(PRESETS, state.rules), words + board_words(state.pack, state.board, pieces)

    def read_position(
        self, game: Game, rules: str, words: PositionWords, pack: Pack | None
    ) -> CarcassonneState:
        """Parse a position; NotationError if it is impossible."""
        field = words.optional("river")
        start = start_position(
            game, rules, words, pack, field.one_of(EDITIONS, "river") if field.text else None
        )
        board = _PositionReader(start, words)
        state = board.state()
        check_player_to_move(words, state.player)
        return state


class _PositionReader(PositionReader):
    """Parser of the tiles and their meeples; refuses meeples on features, except fields, that were finished
    later."""

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        self._before: CarcassonneState = start.state
        bag = {name: n for stack in self._before.stacks for name, n in stack.items()}
        super().__init__(start, words, bag)
        self.river = self._before.river
        self.closed: tuple[Region, ...] = ()
        self.meeples: dict[FeatureRef, Standing] = {}
        self._spans: dict[Cell, Span] = {}
        self._lay_all(words)
        for place, span in self._monasteries():
            if len(around(place[0], self.grid.tiles)) == AROUND:
                raise span.fault("this monastery is surrounded, so its meeple went home")

    def state(self) -> CarcassonneState:
        """The position."""
        state: CarcassonneState = self.extended()
        stacks = self._stacks()
        return replace(state, closed=self.closed, meeples=self.meeples, stacks=stacks, river=self.river)

    def _stacks(self) -> tuple[Mapping[str, int], ...]:
        """The number of tiles left by design, stack by stack."""
        whole = stacks_of(self._before.pack, self._before.edition)
        return tuple({name: self._bag[name] for name in stack if name in self._bag} for stack in whole)

    def _monasteries(self) -> list[tuple[FeatureRef, Span]]:
        """The monasteries with a monk, each with the span of its piece."""
        on_regions = {place for r in (*self.landscape.regions, *self.closed) for _, place in r.meeples}
        return [(place, self._spans[place[0]]) for place in self.meeples if place not in on_regions]

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay a tile, continue the river, put the piece, and store finished regions."""
        stacks = self._stacks()
        due = next((number for number, stack in enumerate(stacks) if stack), len(stacks))
        if any(laid.design.id in stack for stack in stacks[due + 1 :]):
            raise word.fault("the river tiles come first")
        own_regions = self._lay_tile(word, cell, laid)
        if self.river is not None and laid.design.tile.deck == RIVER:
            for fault in self.river.faults(laid.design, cell, laid.rot):
                raise word.fault(fault.message)
            self.river = self.river.after(laid.design.tile, laid.rot, self._before.rules)
        if piece is not None:
            self._put(piece, cell, laid, own_regions)
        for _, region in finished_by(cell, own_regions):
            if region.kind == CITY or (region.kind == FIELD and region.meeples):
                self.closed = (*self.closed, region)
            if region.kind != FIELD:
                refuse_meeples_on_finished(word, region)

    def _put(self, piece: Piece, cell: Cell, laid: Laid, own_regions: dict[str, Region]) -> None:
        """Put a meeple on the tile just laid."""
        feature = feature_under(piece, laid)
        if feature.kind == RIVER:
            raise piece.span.fault("nothing stands on the river")
        place = self._put_meeple(piece, cell, own_regions)
        pose = pose_on(TAKES, feature.kind)
        self.meeples[place] = Standing("meeple", piece.color, *place, pose=pose)
        self._spans[cell] = piece.span


CARCASSONNE_NOTATION = CarcassonneNotation()
