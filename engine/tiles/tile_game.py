"""Base of the tile games: headers, start, positions and scoring of a table that is only seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, TypedDict

from engine.fault import Fault
from engine.game import Pieces, check_start, preset_of
from engine.geometry import Cell
from engine.message import Message
from engine.pack import Design, Pack
from engine.position_line import start_from_position
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import MAX_PLAYERS, MIN_PLAYERS
from engine.tiles.features import Landscape
from engine.tiles.game import Final, GameState, Header
from engine.tiles.notation import TileNotation, position_of
from engine.tiles.pieces import Takes
from engine.tiles.record import TILE_RECORDS, TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState

FOREIGN: Mapping[str, Fault] = {
    "hands": Fault("no_animal_tiles", Message("there are no animal tiles in this game")),
    "rangers": Fault("no_rangers", Message("there are no rangers in this game")),
    "river": Fault("no_river", Message("there is no river in this game")),
}
"""Fault of each optional header field, in a game that lacks it."""


class OpeningFields(TypedDict):
    """The fields of `TilePosition` before the first turn, without ``stacks``."""

    pack: Pack
    players: tuple[str, ...]
    rules: Any
    turn_no: int
    scores: Mapping[str, int]
    grid: TileGrid
    landscape: Landscape
    supply: Mapping[str, int]


class TileGame:
    """The rules of one tile game (engine.game.Game). Each game derives its own.

    ``default_pack`` is the pack that is used if none is named, ``colors`` are those of the players' pieces,
    ``more_colors`` those that only expansions add: recognised on photographs, not accepted as players.
    ``pieces`` are all pieces of the box, ``meeples`` the number in each supply, ``takes`` the sorts of piece
    that may be on each kind of feature. ``header_fields`` are the optional fields of its headers, and
    ``header_choices`` those with a fixed set of values.
    """

    name: ClassVar[str]
    default_pack: ClassVar[str]
    colors: ClassVar[tuple[str, ...]]
    more_colors: ClassVar[tuple[str, ...]] = ()
    pieces: ClassVar[tuple[Pieces, ...]]
    meeples: ClassVar[int]
    takes: ClassVar[Takes]
    header_fields: ClassVar[tuple[str, ...]] = ()
    header_choices: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    records: ClassVar[TileRecords] = TILE_RECORDS
    notation: ClassVar[TileNotation]

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of its rule editions, the default first."""
        return tuple(self.notation.presets)

    def rules(self, preset: str | None) -> Any:
        """Return the rule edition of that name, the default for None. Raises GameError if it is unknown."""
        return preset_of(self.notation.presets, preset, self.name)

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Return the reasons why no game can start with this header; () if it can."""
        lacking = [FOREIGN[name] for name in header.opening_fields if name not in self.header_fields]
        return (*self._player_faults(header.players), *lacking, *self.field_faults(header, pack))

    def _player_faults(self, players: tuple[str, ...]) -> list[Fault]:
        """Return the faults of the players: their number, duplicates, unknown colours."""
        faults = []
        if not MIN_PLAYERS <= len(players) <= MAX_PLAYERS:
            message = Message(
                "{title} is for {least} to {most} players, not {number}",
                title=self.notation.title,
                least=MIN_PLAYERS,
                most=MAX_PLAYERS,
                number=len(players),
            )
            faults.append(Fault("players_number", message))
        if len(set(players)) != len(players):
            faults.append(Fault("players_twice", Message("two players have one colour")))
        for player in dict.fromkeys(players):
            if player not in self.colors:
                message = Message(
                    "there are no {player} meeples (colours: {player_known})",
                    player=player,
                    player_known=self.colors,
                )
                faults.append(Fault("unknown_player", message, player=player))
        return faults

    def field_faults(self, header: Header, pack: Pack) -> Sequence[Fault]:
        """Return the faults of the header's ``header_fields``; none by default."""
        return ()

    def start(self, header: Header, pack: Pack) -> GameState:
        """Return the position before the first turn, or the one that the header states.
        Raises IllegalTurn if the header has faults, GameError if the rules are unknown or the pack is another
        game's."""
        rules = self.rules(header.rules)
        check_start(self, header, pack)
        if header.position is not None:
            state: GameState = start_from_position(self, header, pack)
            return state
        board = {cell: Laid(design, 0) for cell, design in self.start_tiles(header, pack)}
        players = header.players
        common = OpeningFields(
            pack=pack,
            players=players,
            rules=rules,
            turn_no=0,
            scores=dict.fromkeys(players, 0),
            grid=TileGrid.of(board),
            landscape=Landscape.of(board),
            supply=dict.fromkeys(players, self.meeples),
        )
        return self.opening(header, common)

    def start_tiles(self, header: Header, pack: Pack) -> Sequence[tuple[Cell, Design]]:
        """Return the tiles on the table before the first turn, as (cell, face)."""
        return pack.start_designs

    def opening(self, header: Header, common: OpeningFields) -> GameState:
        """Return the position before the first turn: the ``common`` fields, and those of this game."""
        raise NotImplementedError

    def position_seen(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> GameState:
        """Return the position of a game in progress, from its table as seen and what the players add.
        Raises NotationError if no game can reach it, GameError if the rules are unknown."""
        self.rules(header.rules)
        words = self.seen_words(header, pack, table, unseen)
        state: GameState = position_of(self, header.rules or self.presets[0], pack, words)
        return state

    def seen_words(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> list[str]:
        """Return the words of the notation of a position of which ``table`` is seen.
        ``unseen`` are the values that a picture does not show."""
        raise NotImplementedError

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Return the final scoring of a seen board, from 0 points, for the colours of ``standing``.
        Its events have turn 0. Pieces off the board are ignored. Raises GameError for an unknown edition
        ``rules``."""
        raise NotImplementedError

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> dict[str, int]:
        """Return the points of `final_seen`, by colour."""
        return dict(self.final_seen(pack, board, standing, rules).scores)
