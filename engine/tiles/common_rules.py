"""Rules common to all tile games: checks of players, turn order and tiles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message, counted
from engine.pack import Pack
from engine.tiles.board import TileGrid
from engine.tiles.foreign import is_foreign
from engine.tiles.turn import Turn

MIN_PLAYERS = 2
MAX_PLAYERS = 5
LAST_TILE_PLAYED = Message("the game is over: the last tile has been played")


class TablePosition(Protocol):
    """Protocol of a position that the common rules check."""

    @property
    def pack(self) -> Pack:
        """The printed set that is played."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players' colours in turn order."""

    @property
    def player(self) -> str:
        """Player whose turn it is."""

    @property
    def over(self) -> bool:
        """Whether no turn can follow."""

    @property
    def bag(self) -> Mapping[str, int]:
        """Number of tiles from which this turn's tile is drawn, by design."""

    @property
    def grid(self) -> TileGrid:
        """The laid tiles and the adjacent empty cells."""

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) at which that face may be laid."""


def player_faults(players: tuple[str, ...], colors: tuple[str, ...], title: str) -> list[Fault]:
    """Faults of the players: their number, duplicates, unknown colours. ``title`` names the game in
    messages."""
    faults = []
    if not MIN_PLAYERS <= len(players) <= MAX_PLAYERS:
        message = Message(
            "{title} is for {least} to {most} players, not {number}",
            title=title, least=MIN_PLAYERS, most=MAX_PLAYERS, number=len(players),
        )  # fmt: skip
        faults.append(Fault("players_number", message))
    if len(set(players)) != len(players):
        faults.append(Fault("players_twice", Message("two players have one colour")))
    for player in dict.fromkeys(players):
        if player not in colors:
            message = Message(
                "there are no {player} meeples (colours: {player_known})", player=player, player_known=colors
            )
            faults.append(Fault("unknown_player", message, player=player))
    return faults


FOREIGN: Mapping[str, Fault] = {
    "hands": Fault("no_animal_tiles", Message("nobody holds animal tiles in this game")),
    "rangers": Fault("no_rangers", Message("there are no rangers in this game")),
    "river": Fault("no_river", Message("there is no river in this game")),
}
"""Fault of each optional header field, in a game that lacks it."""


def foreign_faults(given: Sequence[str], own: Collection[str] = ()) -> list[Fault]:
    """Faults of the given header fields that the game does not have (all but ``own``)."""
    return [FOREIGN[name] for name in given if name not in own]


def unknown_player(player: str) -> Fault:
    """The fault of a player that does not play."""
    return Fault("unknown_player", Message("nobody called {player} plays here", player=player), player=player)


def turn_faults(state: TablePosition, turn: Turn) -> list[Fault]:
    """Faults of a turn's player: game over, unknown player, not this player's turn."""
    faults = []
    if state.over:
        faults.append(Fault("game_over", LAST_TILE_PLAYED))
    if turn.player not in state.players:
        faults.append(unknown_player(turn.player))
    elif turn.player != state.player:
        message = Message(
            "it is {player_due}'s turn, not {player}'s", player_due=state.player, player=turn.player
        )
        faults.append(Fault("wrong_player", message, player=turn.player))
    return faults


def tile_faults(state: TablePosition, design_id: str) -> list[Fault]:
    """Reasons why that face cannot have been drawn; empty if it can."""
    if design_id not in state.pack.bag:
        message = Message(
            "there is no tile {tile} to draw in pack {pack}", tile=design_id, pack=state.pack.id
        )
        return [Fault("unknown_tile", message)]
    if design_id not in state.bag and not state.over:
        return [Fault("tile_exhausted", Message("every tile {tile} has been drawn already", tile=design_id))]
    return []


def unplaceable_faults(
    state: TablePosition, design_id: str, drawn_faults: Sequence[Fault]
) -> tuple[Fault, ...]:
    """Reasons why a face may not be put aside; empty if it fits nowhere. ``drawn_faults`` are the reasons why
    it cannot have been drawn."""
    if state.over:
        return (Fault("game_over", LAST_TILE_PLAYED),)
    if drawn_faults:
        return tuple(drawn_faults)
    places = state.placements(design_id)
    if places:
        cell, rot = places[0]
        message = Message(
            "{tile} does fit, for instance at {cell} turned by {rot}°", tile=design_id, cell=cell, rot=rot
        )
        return (Fault("tile_fits", message, cell),)
    return ()


def may_be_laid(bag: Mapping[str, int], design_id: str) -> bool:
    """Whether a tile of that face is available: in the bag, or foreign."""
    return bool(bag.get(design_id)) or is_foreign(design_id)


def without_one(bag: Mapping[str, int], design_id: str) -> Mapping[str, int]:
    """The bag after one tile of that face is drawn; a foreign tile is not in the bag."""
    if is_foreign(design_id):
        return bag
    rest = dict(bag)
    rest[design_id] -= 1
    if not rest[design_id]:
        del rest[design_id]
    return rest


def seats_from(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The players in turn order, starting with ``first``."""
    at = players.index(first)
    return players[at:] + players[:at]


def tiles_text(number: int) -> Message:
    """A number of tiles: '1 tile', '2 tiles'."""
    return counted(number, "{number} tile", "{number} tiles")
