"""Rules engine: immutable positions, legal turns, scores and records. Imports only the standard library."""

from engine.fault import Fault
from engine.game import GameError, IllegalTurn
from engine.games import game_named, game_names, tile_game_named, tile_game_names
from engine.pack import Pack, PackError, load_pack, pack_ids
from engine.record import Record, RecordError, check, read_record, write_record

__all__ = [
    "Fault",
    "GameError",
    "IllegalTurn",
    "Pack",
    "PackError",
    "Record",
    "RecordError",
    "check",
    "game_named",
    "game_names",
    "load_pack",
    "pack_ids",
    "read_record",
    "tile_game_named",
    "tile_game_names",
    "write_record",
]
