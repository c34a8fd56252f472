"""Hunters and Gatherers as an `engine.games.TileGame`: headers, start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.fault import Fault
from engine.game import Pieces, check_start, preset_of
from engine.geometry import Cell
from engine.hunters_gatherers import scoring
from engine.hunters_gatherers.notation import HUNTERS_NOTATION, HuntersNotation
from engine.hunters_gatherers.rules import (
    COLORS,
    HUNTING_TRAP,
    HUTS,
    MEEPLES,
    MENHIR,
    PIECES,
    PRESETS,
    RECORD_REACH,
    TAKES,
    Rules,
)
from engine.hunters_gatherers.seen import position_seen
from engine.hunters_gatherers.state import HuntersState, end_events
from engine.hunters_gatherers.water import GRASSLAND, water_laid, waters
from engine.pack import Pack
from engine.position_line import start_from_position
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import foreign_faults, player_faults
from engine.tiles.features import Landscape, occupied_regions
from engine.tiles.game import BoardScoring, Final, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState

RECORDS = TileRecords(reach=RECORD_REACH)


@dataclass(frozen=True, slots=True)
class HuntersGatherers(BoardScoring):
    """Implementation of engine.games.TileGame."""

    name: str = "hunters-gatherers"
    default_pack: str = "hunters-gatherers-2020"
    presets: tuple[str, ...] = tuple(PRESETS)
    colors: tuple[str, ...] = COLORS
    more_colors: tuple[str, ...] = ()
    header_choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pieces: tuple[Pieces, ...] = PIECES
    records: TileRecords = RECORDS
    notation: HuntersNotation = HUNTERS_NOTATION

    @property
    def takes(self) -> Takes:
        """The sorts of piece that may be on each kind of feature."""
        return TAKES

    def rules(self, preset: str | None) -> Rules:
        """The rule edition of that name, the default for None; GameError if it is unknown."""
        return preset_of(PRESETS, preset, self.name)

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Reasons why no game can start with this header ('Contents & Setup')."""
        faults = player_faults(header.players, COLORS, "Hunters and Gatherers")
        return (*faults, *foreign_faults(header.opening_fields))

    def start(self, header: Header, pack: Pack) -> HuntersState:
        """The position before the first turn, or the one that the header states. IllegalTurn if the header
        has faults, GameError if the rules are unknown or the pack is another game's."""
        rules = self.rules(header.rules)
        check_start(self, header, pack)
        if header.position is not None:
            state: HuntersState = start_from_position(self, header, pack)
            return state
        players = header.players
        board = {cell: Laid(design, 0) for cell, design in pack.start_designs}
        waters = {cell: water for cell, laid in board.items() if (water := water_laid(laid)) is not None}
        decks: dict[bool, dict[str, int]] = {False: {}, True: {}}
        for name, count in pack.bag.items():
            if count:
                decks[pack.designs[name].tile.deck == MENHIR][name] = count
        return HuntersState(
            pack=pack,
            rules=rules,
            players=players,
            seat=0,
            extra=False,
            turn_no=0,
            scores=dict.fromkeys(players, 0),
            grid=TileGrid.of(board),
            landscape=Landscape.of(board),
            systems=Landscape.of(waters),
            closed=(),
            meeples={},
            huts={},
            supply=dict.fromkeys(players, MEEPLES),
            hut_supply=dict.fromkeys(players, HUTS),
            covered=frozenset(),
            regular=decks[False],
            menhirs=decks[True],
        )

    def position_seen(
        self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState
    ) -> HuntersState:
        """The position of a game in progress, from its table. NotationError if no game can reach it,
        GameError if the rules are unknown or the pack is another game's."""
        self.rules(header.rules)
        return position_seen(self, header.rules or self.presets[0], pack, header.players, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Final scoring of a seen board, from 0 points, for the colours of its meeples and huts. Animals that
        are now in reach of a hunting trap count as covered; pieces off the board are ignored."""
        self.rules(rules)
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
        grasslands = [region for region in occupied_regions(board, hunters) if region.kind == GRASSLAND]
        covered = frozenset(
            place
            for region in grasslands
            for trap in scoring.trapped(region, board, HUNTING_TRAP)
            for place in scoring.reach(trap, region)
        )
        water = {cell: seen for cell, laid in board.items() if (seen := water_laid(laid)) is not None}
        regions = (*occupied_regions(water, huts), *grasslands)
        return Final.after(dict.fromkeys(colors, 0), end_events(regions, board, covered, colors, 0))


HUNTERS_GATHERERS = HuntersGatherers()
