"""Carcassonne Safari as an `engine.games.TileGame`: headers, start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.fault import Fault
from engine.game import Pieces, check_start, preset_of
from engine.geometry import Cell
from engine.pack import Pack
from engine.position_line import start_from_position
from engine.safari import scoring
from engine.safari.animals import AnimalTiles
from engine.safari.notation import SAFARI_NOTATION, SafariNotation
from engine.safari.rules import (
    ANIMAL_TILES,
    ANIMALS,
    COLORS,
    HAND,
    MEEPLES,
    PIECES,
    PRESETS,
    RANGER_START,
    RANGERS,
    TAKES,
    Rules,
)
from engine.safari.seen import position_seen
from engine.safari.state import SafariState
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import foreign_faults, player_faults
from engine.tiles.features import Landscape, occupied_regions
from engine.tiles.game import BoardScoring, Final, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TILE_RECORDS, TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.turn import UNKNOWN


@dataclass(frozen=True, slots=True)
class Safari(BoardScoring):
    """Implementation of engine.games.TileGame."""

    name: str = "safari"
    default_pack: str = "savanna"
    presets: tuple[str, ...] = tuple(PRESETS)
    colors: tuple[str, ...] = COLORS
    more_colors: tuple[str, ...] = ()
    header_choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pieces: tuple[Pieces, ...] = PIECES
    records: TileRecords = TILE_RECORDS
    notation: SafariNotation = SAFARI_NOTATION

    @property
    def takes(self) -> Takes:
        """The sorts of piece that may be on each kind of feature."""
        return TAKES

    def rules(self, preset: str | None) -> Rules:
        """The rule edition of that name, the default for None; GameError if it is unknown."""
        return preset_of(PRESETS, preset, self.name)

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Reasons why no game can start with this header (zman-2018, 'Components and setup')."""
        faults = player_faults(header.players, COLORS, "Carcassonne Safari")
        faults += foreign_faults(header.opening_fields, own=("hands", "rangers"))
        return (*faults, *self._hand_faults(header, pack), *self._ranger_faults(header, pack))

    def _hand_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Faults of the header's hands."""
        faults = []
        tokens = _tokens(pack)
        hands = header.hands or {}
        for player, hand in hands.items():
            if player not in header.players:
                faults.append(Fault("unknown_player", f"nobody called {player} plays here", player=player))
            if len(hand) != HAND:
                message = f"{player} starts with {HAND} animal tiles, not {len(hand)}"
                faults.append(Fault("hand_wrong_number", message, player=player))
            for animal in hand:
                if animal not in tokens and animal != UNKNOWN:
                    message = f"there is no animal tile {animal}"
                    faults.append(Fault("unknown_animal", message, player=player))
        for animal, left in AnimalTiles.dealt(tokens, hands).hidden.items():
            if left < 0 and animal in tokens:
                faults.append(Fault("none_left_to_draw", f"there are not so many {animal} tiles"))
        return faults

    def _ranger_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Faults of the header's rangers."""
        rangers = header.rangers
        if rangers is None:
            return []
        faults = []
        grid = TileGrid.of({cell: Laid(design, 0) for cell, design in pack.start_designs})
        if len(rangers) != RANGERS or len(set(rangers)) != len(rangers):
            faults.append(Fault("rangers_number", "there are two rangers, each on a space of its own"))
        for cell in rangers:
            if cell in grid.tiles:
                message = f"a ranger needs an empty space; a tile lies at [{cell[0]}, {cell[1]}]"
                faults.append(Fault("ranger_on_tile", message, cell))
            elif cell not in grid.spaces:
                message = f"[{cell[0]}, {cell[1]}] touches no tile by a side"
                faults.append(Fault("ranger_not_adjacent", message, cell))
        return faults

    def start(self, header: Header, pack: Pack) -> SafariState:
        """The position before the first turn, or the one that the header states. IllegalTurn if the header
        has faults, GameError if the rules are unknown or the pack is another game's."""
        rules = self.rules(header.rules)
        check_start(self, header, pack)
        if header.position is not None:
            state: SafariState = start_from_position(self, header, pack)
            return state
        players = header.players
        dealt = header.hands or {}
        hands = {player: dealt.get(player, (UNKNOWN,) * HAND) for player in players}
        board = {cell: Laid(design, 0) for cell, design in pack.start_designs}
        return SafariState(
            pack=pack,
            rules=rules,
            players=players,
            turn_no=0,
            scores=dict.fromkeys(players, 0),
            grid=TileGrid.of(board),
            landscape=Landscape.of(board),
            trees={},
            holes={},
            rangers=RANGER_START if header.rangers is None else header.rangers,
            supply=dict.fromkeys(players, MEEPLES),
            animals=AnimalTiles.dealt(_tokens(pack), hands),
            bag=dict(pack.bag),
        )

    def position_seen(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> SafariState:
        """The position of a game in progress, from its table. NotationError if no game can reach it,
        GameError if the rules are unknown or the pack is another game's."""
        self.rules(header.rules)
        return position_seen(self, header.rules or self.presets[0], pack, header.players, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Final scoring of a seen board, from 0 points, for the colours of its meeples. Meeples on baobabs
        and watering holes score nothing; pieces off the board are ignored."""
        preset = self.rules(rules)
        meeples = [piece for piece in standing if piece.kind == "meeple" and piece.color]
        colors = tuple(dict.fromkeys(piece.color or "" for piece in meeples if piece.cell in board))
        placed = [(piece.color or "", (piece.cell, piece.feature)) for piece in meeples if piece.feature]
        events = scoring.end_events(occupied_regions(board, placed), colors, preset, 0)
        return Final.after(dict.fromkeys(colors, 0), events)


def _tokens(pack: Pack) -> Mapping[str, int]:
    """Number of animal tiles of each animal: the pack's, or the box's by default."""
    return pack.tokens or dict.fromkeys(ANIMALS, ANIMAL_TILES)


SAFARI = Safari()
