"""Carcassonne: headers, start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.carcassonne.ending import final_of_meeples
from engine.carcassonne.notation import CARCASSONNE_NOTATION
from engine.carcassonne.river import EDITIONS, HEADER_CHOICES, river_from, source_of, stacks_of
from engine.carcassonne.rules import COLORS, MEEPLES, PIECES, TAKES
from engine.carcassonne.seen import position_words
from engine.carcassonne.state import CarcassonneState
from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message
from engine.pack import Design, Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import Final, Header
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.tile_game import OpeningFields, TileGame


class Carcassonne(TileGame):
    """The rules of Carcassonne."""

    name = "carcassonne"
    default_pack = "carcassonne"
    colors = COLORS
    more_colors = ("grey",)
    pieces = PIECES
    meeples = MEEPLES
    takes = TAKES
    header_fields = ("river",)
    header_choices = HEADER_CHOICES
    notation = CARCASSONNE_NOTATION

    def field_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Return the faults of the header's river (docs/rulings.md, 'The River'); empty without a river."""
        if header.river is None:
            return []
        if header.river not in EDITIONS:
            message = Message(
                "there is no river {river} (known: {known})", river=header.river, known=EDITIONS
            )
            return [Fault("unknown_river", message)]
        if source_of(pack, header.river) is None:
            return [Fault("no_river", Message("pack {pack} has no river", pack=pack.id))]
        return []

    def start_tiles(self, header: Header, pack: Pack) -> Sequence[tuple[Cell, Design]]:
        """Return the tiles on the table before the first turn; a river's source replaces the start tile."""
        source = None if header.river is None else source_of(pack, header.river)
        if source is None:
            return pack.start_designs
        return [(cell, source) for cell, _ in pack.start_designs[:1]]

    def opening(self, header: Header, common: OpeningFields) -> CarcassonneState:
        """Return the position before the first turn; ``common`` are the fields that all tile games share."""
        river = None
        if header.river is not None:
            river = next(river_from(cell, laid.design) for cell, laid in common["grid"].tiles.items())
        return CarcassonneState(
            **common,
            stacks=stacks_of(common["pack"], header.river),
            meeples={},
            closed=(),
            edition=header.river,
            river=river,
        )

    def seen_words(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
        """Return the words of the notation of a position of which ``table`` is seen."""
        return position_words(header, pack, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Return the final scoring of a seen board, from 0 points, for the colours of its meeples.
        Meeples on finished features score them; pieces off the board are ignored. Raises GameError for an
        unknown edition ``rules``."""
        meeples = [
            (piece.color, (piece.cell, piece.feature))
            for piece in standing
            if piece.kind == "meeple" and piece.color is not None and piece.feature and piece.cell in board
        ]
        return final_of_meeples(board, meeples, self.rules(rules))


CARCASSONNE = Carcassonne()
