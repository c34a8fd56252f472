"""Position of Hunters and Gatherers from a table seen during a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.geometry import Cell
from engine.hunters_gatherers import scoring
from engine.hunters_gatherers.rules import HUNTING_TRAP, MENHIR
from engine.hunters_gatherers.water import GRASSLAND, water_laid, waters
from engine.pack import Pack
from engine.text_span import place_text
from engine.tiles.board import Laid
from engine.tiles.features import Region, occupied_regions
from engine.tiles.game import Header
from engine.tiles.seen_position import Layer, SeenTable, UnseenState, seen_words
from engine.tiles.turn import FeatureRef


def position_words(header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
    """Return the words of the notation of a position, from its table.
    Animals that are now in reach of a hunting trap count as covered. ``unseen`` are the values that a picture
    does not show."""
    start = {cell for cell, _ in pack.start_designs}
    laid = [tile for cell, tile in table.board.items() if cell not in start]
    turns = sum(tile.design.tile.deck != MENHIR for tile in laid) - unseen.extra
    huts = {
        p.cell: waters(table.board[p.cell].design.tile).system_of.get(p.feature, p.feature)
        for p in table.standing
        if p.kind == "hut" and p.feature is not None and p.cell in table.board
    }
    layers = [Layer(lambda tile: tile, table.meeples), Layer(water_laid, huts)]
    words = seen_words(pack, header.players, turns, unseen, table, layers)
    if unseen.extra:
        words.append("extra=yes")
    grasslands = (region for region in occupied_regions(table.board, ()) if region.kind == GRASSLAND)
    covered = sorted(covered_now(grasslands, table.board))
    return [*words, "covered=" + ";".join(map(place_text, covered))] if covered else words


def covered_now(grasslands: Iterable[Region], board: Mapping[Cell, Laid]) -> frozenset[FeatureRef]:
    """Return the tile features of grasslands in reach of a hunting trap."""
    return frozenset(
        place
        for region in grasslands
        for trap in scoring.trapped(region, board, HUNTING_TRAP)
        for place in scoring.reach(trap, region)
    )
