"""Position of Carcassonne from a table seen during a game."""

from __future__ import annotations

from collections import Counter

from engine.carcassonne.river import river_path, source_of, stacks_of
from engine.pack import Pack
from engine.text_span import counts_text, name_text
from engine.tiles.game import Header
from engine.tiles.seen_position import Layer, SeenTable, UnseenState, seen_words


def position_words(header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
    """Return the words of the notation of a position, from its table.
    If tiles other than the river's are on the table, missing river tiles count as put aside. ``unseen`` are
    the values that a picture does not show."""
    start = [cell for cell, _ in pack.start_designs]
    turns = sum(cell not in start for cell in table.board)
    known, extra = start, []
    if header.river is not None and source_of(pack, header.river) is not None:
        tiles = {cell: laid.design.tile for cell, laid in table.board.items()}
        if start[0] in tiles:
            known = river_path(tiles, {cell: laid.rot for cell, laid in table.board.items()}, start[0])
        extra = [f"river={name_text(header.river)}"]
        laid = Counter(item.design.id for item in table.board.values())
        *river, others = stacks_of(pack, header.river)
        aside = {name: n - laid[name] for stack in river for name, n in stack.items() if n > laid[name]}
        if aside and any(name in others for name in laid):
            extra.append("aside=" + counts_text(aside))
    layers = [Layer(lambda tile: tile, table.meeples)]
    return seen_words(pack, header.players, turns, unseen, table, layers, known) + extra
