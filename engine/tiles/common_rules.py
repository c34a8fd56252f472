"""Rules common to all tile games: checks of players, turn order and tiles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from engine.fault import Fault
from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import TileGrid
from engine.tiles.foreign import is_foreign
from engine.tiles.turn import Turn

MIN_PLAYERS = 2
MAX_PLAYERS = 5


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
        message = f"{title} is for {MIN_PLAYERS} to {MAX_PLAYERS} players, not {len(players)}"
        faults.append(Fault("players_number", message))
    if len(set(players)) != len(players):
        faults.append(Fault("players_twice", "two players have one colour"))
    for player in dict.fromkeys(players):
        if player not in colors:
            message = f"there are no {player} meeples (colours: {', '.join(colors)})"
            faults.append(Fault("unknown_player", message, player=player))
    return faults


FOREIGN: Mapping[str, Fault] = {
    "hands": Fault("no_animal_tiles", "nobody holds animal tiles in this game"),
    "rangers": Fault("no_rangers", "there are no rangers in this game"),
    "river": Fault("no_river", "there is no river in this game"),
}
"""Fault of each optional header field, in a game that lacks it."""


def foreign_faults(given: Sequence[str], own: Collection[str] = ()) -> list[Fault]:
    """Faults of the given header fields that the game does not have (all but ``own``)."""
    return [FOREIGN[name] for name in given if name not in own]


def turn_faults(state: TablePosition, turn: Turn) -> list[Fault]:
    """Faults of a turn's player: game over, unknown player, not this player's turn."""
    faults = []
    if state.over:
        faults.append(Fault("game_over", "the game is over: the last tile has been played"))
    if turn.player not in state.players:
        message = f"nobody called {turn.player} plays here"
        faults.append(Fault("unknown_player", message, player=turn.player))
    elif turn.player != state.player:
        message = f"it is {state.player}'s turn, not {turn.player}'s"
        faults.append(Fault("wrong_player", message, player=turn.player))
    return faults


def tile_faults(state: TablePosition, design_id: str) -> list[Fault]:
    """Reasons why that face cannot have been drawn; empty if it can."""
    if design_id not in state.pack.bag:
        return [Fault("unknown_tile", f"there is no tile {design_id} to draw in pack {state.pack.id}")]
    if design_id not in state.bag and not state.over:
        return [Fault("tile_exhausted", f"every tile {design_id} has been drawn already")]
    return []


def unplaceable_faults(
    state: TablePosition, design_id: str, drawn_faults: Sequence[Fault]
) -> tuple[Fault, ...]:
    """Reasons why a face may not be put aside; empty if it fits nowhere. ``drawn_faults`` are the reasons why
    it cannot have been drawn."""
    if state.over:
        return (Fault("game_over", "the game is over: the last tile has been played"),)
    if drawn_faults:
        return tuple(drawn_faults)
    places = state.placements(design_id)
    if places:
        (x, y), rot = places[0]
        message = f"{design_id} does fit, for instance at [{x}, {y}] turned by {rot}°"
        return (Fault("tile_fits", message, (x, y)),)
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


def at(cell: Cell) -> str:
    """Format a cell for messages: ``[x, y]``."""
    return f"[{cell[0]}, {cell[1]}]"


def plural(number: int, noun: str) -> str:
    """Number and noun, with a plural -s if needed: '1 tile', '2 tiles'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
