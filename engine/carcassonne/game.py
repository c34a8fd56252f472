"""Carcassonne as an `engine.games.TileGame`: headers, start, final scoring of a seen board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.carcassonne.ending import final_of_meeples
from engine.carcassonne.notation import CARCASSONNE_NOTATION, CarcassonneNotation
from engine.carcassonne.river import EDITIONS, HEADER_CHOICES, river_from, source_of, stacks_of
from engine.carcassonne.rules import COLORS, MEEPLES, PIECES, PRESETS, TAKES, Rules
from engine.carcassonne.seen import position_seen
from engine.carcassonne.state import CarcassonneState
from engine.fault import Fault
from engine.game import Pieces, check_start, preset_of
from engine.geometry import Cell
from engine.pack import Design, Pack
from engine.position_line import start_from_position
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import foreign_faults, player_faults
from engine.tiles.features import Landscape
from engine.tiles.game import BoardScoring, Final, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TILE_RECORDS, TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState


@dataclass(frozen=True, slots=True)
class Carcassonne(BoardScoring):
    """Implementation of engine.games.TileGame."""

    name: str = "carcassonne"
    default_pack: str = "carcassonne"
    presets: tuple[str, ...] = tuple(PRESETS)
    colors: tuple[str, ...] = COLORS
    more_colors: tuple[str, ...] = ("grey",)
    header_choices: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: HEADER_CHOICES)
    pieces: tuple[Pieces, ...] = PIECES
    records: TileRecords = TILE_RECORDS
    notation: CarcassonneNotation = CARCASSONNE_NOTATION

    @property
    def takes(self) -> Takes:
        """The sorts of piece that may be on each kind of feature."""
        return TAKES

    def rules(self, preset: str | None) -> Rules:
        """The rule edition of that name, the default for None; GameError if it is unknown."""
        return preset_of(PRESETS, preset, self.name)

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Reasons why no game can start with this header (docs/rulings.md, 'Turn (Carcassonne)', 'The
        River')."""
        faults = player_faults(header.players, COLORS, "Carcassonne")
        faults += foreign_faults(header.opening_fields, own=("river",))
        if header.river is not None:
            if header.river not in EDITIONS:
                message = f"there is no river {header.river} (known: {', '.join(EDITIONS)})"
                faults.append(Fault("unknown_river", message))
            elif source_of(pack, header.river) is None:
                faults.append(Fault("no_river", f"pack {pack.id} has no river"))
        return tuple(faults)

    def start(self, header: Header, pack: Pack) -> CarcassonneState:
        """The position before the first turn, or the one that the header states. IllegalTurn if the header
        has faults, GameError if the rules are unknown or the pack is another game's."""
        rules = self.rules(header.rules)
        check_start(self, header, pack)
        if header.position is not None:
            state: CarcassonneState = start_from_position(self, header, pack)
            return state
        players = header.players
        board = {cell: Laid(design, 0) for cell, design in _start_tiles(pack, header.river)}
        rivers = [] if header.river is None else [river_from(cell, one.design) for cell, one in board.items()]
        return CarcassonneState(
            pack=pack,
            rules=rules,
            players=players,
            edition=header.river,
            turn_no=0,
            scores=dict.fromkeys(players, 0),
            grid=TileGrid.of(board),
            landscape=Landscape.of(board),
            closed=(),
            meeples={},
            supply=dict.fromkeys(players, MEEPLES),
            stacks=stacks_of(pack, header.river),
            river=rivers[-1] if rivers else None,
        )

    def position_seen(
        self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState
    ) -> CarcassonneState:
        """The position of a game in progress, from its table. NotationError if no game can reach it,
        GameError if the rules are unknown or the pack is another game's."""
        self.rules(header.rules)
        return position_seen(self, header.rules or self.presets[0], header, pack, table, unseen)

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Final scoring of a seen board, from 0 points, for the colours of its meeples. Meeples on finished
        features score them; pieces off the board are ignored."""
        meeples = [
            (piece.color, (piece.cell, piece.feature))
            for piece in standing
            if piece.kind == "meeple" and piece.color is not None and piece.feature and piece.cell in board
        ]
        return final_of_meeples(board, meeples, self.rules(rules))


def _start_tiles(pack: Pack, edition: str | None) -> tuple[tuple[Cell, Design], ...]:
    """The tiles on the table before the first turn; with a river its source replaces the start tile."""
    source = None if edition is None else source_of(pack, edition)
    if source is None:
        return pack.start_designs
    return tuple((cell, source) for cell, _ in pack.start_designs[:1])


CARCASSONNE = Carcassonne()
