"""Hunters and Gatherers: start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.geometry import Cell
from engine.hunters_gatherers.notation import HUNTERS_NOTATION
from engine.hunters_gatherers.rules import COLORS, HUTS, MEEPLES, MENHIR, PIECES, RECORD_REACH, TAKES
from engine.hunters_gatherers.seen import covered_now, position_words
from engine.hunters_gatherers.state import HuntersState, end_events, spot
from engine.hunters_gatherers.water import GRASSLAND, LAKE, water_laid, waters
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.features import Landscape, occupied_regions
from engine.tiles.game import Final, Header
from engine.tiles.record import TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.tile_game import OpeningFields, TileGame


class HuntersGatherers(TileGame):
    """The rules of Hunters and Gatherers."""

    name = "hunters-gatherers"
    default_pack = "hunters-gatherers-2020"
    colors = COLORS
    pieces = PIECES
    meeples = MEEPLES
    takes = TAKES
    records = TileRecords(reach=RECORD_REACH)
    notation = HUNTERS_NOTATION

    def opening(self, header: Header, common: OpeningFields) -> HuntersState:
        """Return the position before the first turn; ``common`` are the fields that all tile games share."""
        pack, tiles = common["pack"], common["grid"].tiles
        laid_waters = {cell: water for cell, laid in tiles.items() if (water := water_laid(laid)) is not None}
        stacks: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for name, count in pack.bag.items():
            if count:
                stacks[pack.designs[name].tile.deck == MENHIR][name] = count
        return HuntersState(
            **common,
            stacks=stacks,
            meeples={},
            closed=(),
            seat=0,
            extra=False,
            systems=Landscape.of(laid_waters),
            huts={},
            hut_supply=dict.fromkeys(header.players, HUTS),
            covered=frozenset(),
        )

    def seen_words(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
        """Return the words of the notation of a position of which ``table`` is seen."""
        return position_words(header, pack, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Return the final scoring of a seen board, from 0 points, for the colours of its meeples and huts.
        Animals that are now in reach of a hunting trap count as covered; pieces off the board are ignored.
        Raises GameError for an unknown edition ``rules``."""
        preset = self.rules(rules)
        there = [piece for piece in standing if piece.color is not None and piece.cell in board]
        colors = tuple(dict.fromkeys(piece.color or "" for piece in there if piece.kind in ("meeple", "hut")))
        hunters = [
            (piece.color, (piece.cell, piece.feature))
            for piece in there
            if piece.kind == "meeple" and piece.color and piece.feature
        ]
        huts = [
            (piece.color, (piece.cell, system))
            for piece in there
            if piece.kind == "hut" and piece.color and piece.feature
            for system in [waters(board[piece.cell].design.tile).system_of.get(piece.feature)]
            if system is not None
        ]
        land = [region for region in occupied_regions(board, hunters) if region.kind != LAKE]
        grasslands = [region for region in land if region.kind == GRASSLAND]
        others = [region for region in land if region.kind != GRASSLAND]
        covered = covered_now(grasslands, board)
        water = {cell: seen for cell, laid in board.items() if (seen := water_laid(laid)) is not None}
        regions = (*occupied_regions(water, huts), *grasslands)
        events = end_events(regions, board, covered, colors, 0)
        spots = tuple(spot(one, board, covered, preset) for one in (*regions, *others) if one.meeples)
        return Final.after(dict.fromkeys(colors, 0), events, spots)


HUNTERS_GATHERERS = HuntersGatherers()
