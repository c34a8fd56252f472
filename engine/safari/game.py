"""Carcassonne Safari: headers, start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.fault import Fault
from engine.geometry import Cell, Vertex, vertex
from engine.message import Message
from engine.pack import Pack
from engine.safari import scoring
from engine.safari.animals import AnimalTiles
from engine.safari.draws import unknown_animal
from engine.safari.notation import SAFARI_NOTATION
from engine.safari.rules import (
    ANIMAL_TILES,
    ANIMALS,
    COLORS,
    HAND,
    MEEPLES,
    PIECES,
    RANGER_START,
    RANGERS,
    TAKES,
    Rules,
)
from engine.safari.seen import position_words, tokens_in_order
from engine.safari.state import SafariState
from engine.safari.water import Token
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import unknown_player
from engine.tiles.features import Region, occupied_regions
from engine.tiles.game import Final, Header, Spot
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.tile_game import OpeningFields, TileGame
from engine.tiles.turn import UNKNOWN


class Safari(TileGame):
    """The rules of Carcassonne Safari."""

    name = "safari"
    default_pack = "savanna"
    colors = COLORS
    pieces = PIECES
    meeples = MEEPLES
    takes = TAKES
    header_fields = ("hands", "rangers")
    notation = SAFARI_NOTATION

    def field_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Return the faults of the header's hands and rangers (zman-2018, 'Components and setup')."""
        return self._hand_faults(header, pack) + self._ranger_faults(header, pack)

    def _hand_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Return the faults of the header's hands: player, number of tiles, animals; [] without hands."""
        faults = []
        tokens = _tokens(pack)
        hands = header.hands or {}
        for player, hand in hands.items():
            if player not in header.players:
                faults.append(unknown_player(player))
            if len(hand) != HAND:
                message = Message(
                    "{player} starts with {due} animal tiles, not {number}",
                    player=player, due=HAND, number=len(hand),
                )  # fmt: skip
                faults.append(Fault("hand_wrong_number", message, player=player))
            strange = (animal for animal in hand if animal not in tokens and animal != UNKNOWN)
            faults += [unknown_animal(player, animal) for animal in strange]
        for animal, left in AnimalTiles.dealt(tokens, hands).hidden.items():
            if left < 0 and animal in tokens:
                message = Message("there are not that many tiles of this animal: {animal}", animal=animal)
                faults.append(Fault("none_left_to_draw", message))
        return faults

    def _ranger_faults(self, header: Header, pack: Pack) -> list[Fault]:
        """Return the faults of the header's rangers: their number and cells; [] without rangers."""
        rangers = header.rangers
        if rangers is None:
            return []
        faults = []
        grid = TileGrid.of({cell: Laid(design, 0) for cell, design in pack.start_designs})
        if len(rangers) != RANGERS or len(set(rangers)) != len(rangers):
            message = Message("there are two rangers, each on a space of its own")
            faults.append(Fault("rangers_number", message))
        for cell in rangers:
            if cell in grid.tiles:
                message = Message("a ranger needs an empty space; a tile lies at {cell}", cell=cell)
                faults.append(Fault("ranger_on_tile", message, cell))
            elif cell not in grid.spaces:
                message = Message("{cell} touches no tile by a side", cell=cell)
                faults.append(Fault("ranger_not_adjacent", message, cell))
        return faults

    def opening(self, header: Header, common: OpeningFields) -> SafariState:
        """Return the position before the first turn; ``common`` are the fields that all tile games share."""
        pack, dealt = common["pack"], header.hands or {}
        hands = {player: dealt.get(player, (UNKNOWN,) * HAND) for player in header.players}
        return SafariState(
            **common,
            stacks=(dict(pack.bag),),
            trees={},
            holes={},
            rangers=RANGER_START if header.rangers is None else header.rangers,
            animals=AnimalTiles.dealt(_tokens(pack), hands),
        )

    def seen_words(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
        """Return the words of the notation of a position of which ``table`` is seen."""
        return position_words(header, pack, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Return the final scoring of a seen board, from 0 points, for the colours of its meeples.
        Meeples on baobabs and watering holes score nothing; pieces off the board are ignored. Raises
        GameError for an unknown edition ``rules``."""
        preset = self.rules(rules)
        meeples = [piece for piece in standing if piece.kind == "meeple" and piece.color]
        colors = tuple(dict.fromkeys(piece.color or "" for piece in meeples if piece.cell in board))
        placed = [(piece.color or "", (piece.cell, piece.feature)) for piece in meeples if piece.feature]
        regions = occupied_regions(board, placed)
        events = scoring.end_events(regions, colors, preset, 0)
        return Final.after(dict.fromkeys(colors, 0), events, _spots(regions, board, standing, preset))


def _spots(
    regions: Sequence[Region], board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: Rules
) -> tuple[Spot, ...]:
    """Return the features with meeples on a seen board, whose ``regions`` have their meeples."""
    holes: dict[Vertex, tuple[Token, ...]] = {}
    for token in tokens_in_order(standing):
        if token.cell in board:
            point = vertex(token.cell, token.corner)
            holes[point] = (*holes.get(point, ()), token)
    trees = [
        ((piece.cell, piece.feature), piece.color)
        for piece in standing
        if piece.kind == "meeple" and piece.color and piece.feature and piece.cell in board
        if (feature := board[piece.cell].design.tile.feature(piece.feature)) and feature.kind == "baobab"
    ]
    return (
        *(scoring.spot(region, rules) for region in regions if region.meeples),
        *(scoring.hole_spot(hole) for hole in holes.values() if any(one.meeple for one in hole)),
        *(scoring.baobab_spot(place, color, board) for place, color in trees),
    )


def _tokens(pack: Pack) -> Mapping[str, int]:
    """Return the number of animal tiles of each animal: the pack's, or the box's if it names none."""
    return pack.tokens or dict.fromkeys(ANIMALS, ANIMAL_TILES)


SAFARI = Safari()
