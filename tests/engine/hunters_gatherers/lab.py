"""A tiny pack with convenient tiles for Hunters and Gatherers, and a table to play it on.

The start tile at [0, 0] has forest to the north, a river to the east that comes from a lake with two
fish, grassland elsewhere. Every other face exists nine times. Animals in names: D deer, A aurochs,
M mammoth, T tiger, 0 none. Tiles with special actions are among the regular ones here, so that a test
can play them at once; MENHIR-* are in the menhir stack.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.games import tile_game_named
from engine.hunters_gatherers.state import HuntersState
from engine.pack import Pack, read_pack
from engine.tiles.actions import Action
from engine.tiles.game import Header, Step
from engine.tiles.turn import FeatureRef, Turn
from tests.engine.lab import Table, parts

PREY = {"D": "deer", "A": "aurochs", "M": "mammoth", "T": "tiger"}


def _side(features: str) -> dict[str, Any]:
    names = features.split()
    if len(names) == 3:
        return {"kind": "river", "clockwise": names}
    return {"kind": "forest" if names[0].startswith("f") else "grassland", "feature": names[0]}


_KINDS = {"m": "grassland", "f": "forest", "r": "river", "l": "lake"}


def _tile(
    name: str, sides: tuple[str, str, str, str], extra: dict[str, dict[str, Any]], **rest: Any
) -> dict[str, Any]:
    names = sorted({feature for side in sides for feature in side.split()} | set(extra))
    return {
        "id": name,
        "edges": {edge: _side(side) for edge, side in zip("nesw", sides, strict=True)},
        "features": [{"id": item, "kind": _KINDS[item[0]], **extra.get(item, {})} for item in names],
        "designs": [{"id": name, "count": 9}],
        **rest,
    }


def _lake(fish: int, *rivers: str, **more: Any) -> dict[str, dict[str, Any]]:
    return {"l8": {"fish": fish, **more}} | {river: {"lake": "l8"} for river in rivers}


_OPEN = ("m0", "m0", "m0", "m0")
_POND = ("m2", "m2 r3 m0", "m0", "m0 r1 m2")
_MOUTH = ("m0", "m0", "m0", "m0 r1 m0")


def hunters_pack(count: int = 9) -> Pack:
    """The pack."""
    beasts = ["0", "D", "A", "M", "T", "DMT", "DTT", "MMAADDT", "TDDM", "DD", "TD", "MA"]
    grass = [
        _tile(f"GRASS-{letters}", _OPEN, {"m0": {"animals": [PREY[x] for x in letters if x != "0"]}})
        for letters in beasts
    ]
    start = _tile("START", ("f1", "m0 r2 m3", "m3", "m3"), _lake(2, "r2"), cell=[0, 0], deck="start")
    tiles = [
        *grass,
        _tile("RIVER", ("m0", "m0 r1 m2", "m2", "m2 r1 m0"), {}),
        _tile("FISH", ("m0", "m0 r1 m2", "m2", "m2 r1 m0"), {"r1": {"fish": 1}}),
        _tile("BEND", ("m0 r1 m2", "m2 r1 m0", "m0", "m0"), {}),
        _tile("SPRING", _MOUTH, {}),
        _tile("WOODEND", ("m0", "f3", "m2", "m2 r1 m0"), {}),
        *(_tile(f"LAKE-{fish}", _MOUTH, _lake(fish, "r1")) for fish in range(5)),
        *(_tile(f"POND-{fish}", _POND, _lake(fish, "r1", "r3")) for fish in range(4)),
        _tile("LOGBOAT", _POND, _lake(1, "r1", "r3", power="logboat")),
        _tile("RAFT", _POND, _lake(1, "r1", "r3", power="raft")),
        _tile("WOOD", ("m0", "m0", "f1", "m0"), {}),
        _tile("STONE", ("m0", "m0", "f1", "m0"), {"f1": {"menhir": True}}),
        _tile("MUSHROOM", ("m0", "m0", "f1", "m0"), {"f1": {"mushrooms": 1}}),
        _tile("STRIP", ("f1", "m0", "f1", "m2"), {}),
        _tile("EDGES", ("f1", "m0", "f3", "m0"), {}),
        _tile("THREE", ("f1", "m0", "f1", "f1"), {}),
        _tile("YARD-M", ("f1", "m0", "f1", "f1"), {"m0": {"animals": ["mammoth"]}}),
        _tile("TRAP", _OPEN, {"m0": {"power": "hunting_trap"}}),
        _tile("PIT", _OPEN, {"m0": {"power": "pit_trap"}}),
        _tile("FIRE", _OPEN, {"m0": {"power": "wildfire"}}),
        _tile("SHAMAN", _OPEN, {"m0": {"power": "shaman"}}),
        _tile("MENHIR-0", _OPEN, {}, deck="menhir"),
        _tile("MENHIR-STONE", ("m0", "m0", "f1", "m0"), {"f1": {"menhir": True}}, deck="menhir"),
        _tile("MENHIR-STRIP", ("f1", "m0", "f1", "m2"), {"f1": {"menhir": True}}, deck="menhir"),
        _tile("MENHIR-THREE", ("m0 r1 m2", "m2 r3 m4", "f1", "m4 r5 m0"), {}, deck="menhir"),
    ]
    for tile in tiles:
        tile["designs"][0]["count"] = count
    value = {
        "tilesight": 1,
        "id": "hunters-lab",
        "game": "hunters-gatherers",
        "tiles": tiles,
        "start": [start],
    }
    return read_pack(value, Path("hunters-lab"))


class Valley(Table):
    """A game on the lab pack (or another), the player on turn always the one who plays."""

    state: HuntersState

    def __init__(self, *players: str, pack: Pack | None = None) -> None:
        header = Header("hunters-gatherers", "hunters-lab", players or ("red", "blue"))
        state = tile_game_named("hunters-gatherers").start(header, pack or hunters_pack())
        assert isinstance(state, HuntersState)
        self.state = state
        self.last = Step(state)

    def play_as(
        self,
        player: str,
        tile: str,
        cell: tuple[int, int],
        rot: int = 0,
        action: Action | None = None,
        **rest: Any,
    ) -> Step:
        """The turn played, a position in which it is that player's turn being taken for granted."""
        self.state = replace(self.state, seat=self.state.players.index(player))
        return self.play(tile, cell, rot, action, **rest)

    def faulty(self, *, sent_home: FeatureRef | None = None, **keys: Any) -> list[str]:
        """The codes of the faults of a turn given whole."""
        turn = Turn(**keys, parts=parts(sent_home=sent_home))
        return sorted(fault.code for fault in self.state.faults(turn))

    def ended(self) -> dict[str, int]:
        """Points of the final scoring by player."""
        points = dict.fromkeys(self.state.players, 0)
        for event in self.state.final().events:
            points[event.player] += event.points
        return points
