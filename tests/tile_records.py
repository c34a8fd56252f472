"""Records of tile games, opened for tests."""

from __future__ import annotations

from dataclasses import replace

from engine.games import tile_game_named
from engine.pack import Pack
from engine.record import Record
from engine.tiles.game import GameState, Header


def header_of(record: Record) -> Header:
    """The header of a tile game's record."""
    assert isinstance(record.header, Header)
    return record.header


def start_of(record: Record, pack: Pack, *, hands_known: bool = True) -> GameState:
    """The position before the first turn; without ``hands_known`` nobody has said what the players drew."""
    header = header_of(record)
    if not hands_known:
        header = replace(header, hands=None)
    return tile_game_named(header.game).start(header, pack)
