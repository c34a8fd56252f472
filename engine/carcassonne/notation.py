"""Notation of Carcassonne: positions with meeples and the edition of a river."""

from __future__ import annotations

from engine.carcassonne.river import EDITIONS
from engine.carcassonne.rules import AROUND, CITY, FIELD, PRESETS, RIVER, TAKES
from engine.carcassonne.scoring import around
from engine.carcassonne.state import CarcassonneState
from engine.geometry import Cell
from engine.text_span import PositionWords, Span, name_text
from engine.tiles.board import Laid
from engine.tiles.features import finished_by
from engine.tiles.notation import (
    TILE_FIELDS,
    Piece,
    PositionReader,
    StartPosition,
    TileNotation,
    feature_under,
    refuse_meeples_on_finished,
)
from engine.tiles.turn import FeatureRef


class CarcassonneNotation(TileNotation):
    """Reader and writer of turns and positions."""

    title = "Carcassonne"
    fields = (*TILE_FIELDS, "river")
    state = CarcassonneState
    presets = PRESETS

    def own_words(self, state: CarcassonneState) -> list[str]:
        """Return the field of the river's edition; [] without a river."""
        return [] if state.edition is None else [f"river={name_text(state.edition)}"]

    def river_of(self, words: PositionWords) -> str | None:
        """Parse the edition of the river; None without one. Raises NotationError for an unknown one."""
        field = words.optional("river")
        return field.one_of(EDITIONS, "river") if field.text else None

    def state_of(self, start: StartPosition, words: PositionWords) -> CarcassonneState:
        """Parse the tiles and pieces of a position. Raises NotationError if they are impossible."""
        return _PositionReader(start, words).state()


class _PositionReader(PositionReader):
    """Parser of the tiles and their meeples.
    It refuses meeples on features, except fields, that were finished later."""

    takes = TAKES

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        super().__init__(start, words)
        self._before: CarcassonneState = start.state
        self.river = self._before.river
        self._spans: dict[Cell, Span] = {}
        self._lay_all(words)
        for place, span in self._monasteries():
            if len(around(place[0], self.grid.tiles)) == AROUND:
                raise span.fault("this monastery is surrounded, so its meeple went home")

    def state(self) -> CarcassonneState:
        """Return the position that was read."""
        state: CarcassonneState = self.extended(closed=self.closed, meeples=self.meeples, river=self.river)
        return state

    def _monasteries(self) -> list[tuple[FeatureRef, Span]]:
        """Return the monasteries with a monk, each with the span of its piece in the text."""
        on_regions = {place for r in (*self.landscape.regions, *self.closed) for _, place in r.meeples}
        return [(place, self._spans[place[0]]) for place in self.meeples if place not in on_regions]

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay a tile, continue the river, put ``piece``, and store finished regions.
        Raises NotationError at ``word`` or at the piece if that is impossible."""
        stacks = self.stacks
        due = next((number for number, stack in enumerate(stacks) if stack), len(stacks))
        if any(laid.design.id in stack for stack in stacks[due + 1 :]):
            raise word.fault("the river tiles come first")
        own_regions = self._lay_tile(word, cell, laid)
        if self.river is not None and laid.design.tile.deck == RIVER:
            for fault in self.river.faults(laid.design, cell, laid.rot):
                raise word.fault(fault.message)
            self.river = self.river.after(laid.design.tile, laid.rot, self._before.rules)
        if piece is not None:
            if feature_under(piece, laid).kind == RIVER:
                raise piece.span.fault("nothing stands on the river")
            self._put_meeple(piece, cell, laid, own_regions)
            self._spans[cell] = piece.span
        for _, region in finished_by(cell, own_regions):
            if region.kind == CITY or (region.kind == FIELD and region.meeples):
                self.closed = (*self.closed, region)
            if region.kind != FIELD:
                refuse_meeples_on_finished(word, region)


CARCASSONNE_NOTATION = CarcassonneNotation()
