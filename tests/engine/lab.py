"""A tiny pack with convenient tiles, and a table on which tests play turns without ceremony.

The start is two tiles: [0, 0] has a trail to the east with a giraffe and a bush to the south with an
elephant, [-1, 0] is plain. The rangers begin on [-2, 0] and [-1, 1]. Every other face exists often.
Names: TRAIL-xy is a straight trail with those animals, END-x a dead end (west edge), BUSH-x a bush with
one edge (north), and so on; letters as in the rulebook: M monkey,
E elephant, G giraffe, L lion, Z zebra, 0 none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.games import tile_game_named
from engine.geometry import Cell
from engine.hunters_gatherers.actions import SentHome
from engine.pack import Pack, read_pack
from engine.safari.actions import Bonus, Drawn, RangerBack
from engine.tiles.actions import Action, TurnPart
from engine.tiles.game import GameState, Header, ScoreEvent, Step
from engine.tiles.turn import FeatureRef, Turn

LETTERS = {"M": "monkey", "E": "elephant", "G": "giraffe", "L": "lion", "Z": "zebra"}
GOLDEN = Path(__file__).parent / "games"
"""Whole games by other implementations, with expectations on every line."""


def animals(letters: str) -> list[str]:
    """'EG' as ['elephant', 'giraffe']; '0' is none."""
    return [LETTERS[letter] for letter in letters if letter != "0"]


def _tile(
    name: str, edges: str, features: list[dict[str, Any]], faces: dict[str, dict[str, str]]
) -> dict[str, Any]:
    kinds = {"s": "savanna", "t": "trail", "b": "bush"}
    return {
        "id": name,
        "edges": dict(zip("nesw", (kinds[mark] for mark in edges), strict=True)),
        "features": features,
        "designs": [
            {
                "id": f"{name}-{face}" if face else name,
                "count": 30,
                "animals": {feature: animals(letters) for feature, letters in printed.items()},
            }
            for face, printed in faces.items()
        ],
    }


def _trail(name: str, *edges: str) -> dict[str, Any]:
    end = {"ends_in": "savanna"} if len(edges) == 1 else {}
    return {"id": name, "kind": "trail", "edges": list(edges), "spot": [0.5, 0.5], **end}


def _bush(name: str, *edges: str, birds: int = 0) -> dict[str, Any]:
    return {"id": name, "kind": "bush", "edges": list(edges), "birds": birds, "spot": [0.5, 0.5]}


_BAOBAB = {"id": "baobab", "kind": "baobab", "spot": [0.5, 0.5]}
_ONE = {letter: {"t0": letter} for letter in "MEGLZ0"} | {pair: {"t0": pair} for pair in ("EZ", "MG", "LL")}
_WILD = {letter: {"b0": letter} for letter in "MEGLZ0"}


def lab_pack() -> Pack:
    """The pack."""
    start = _tile("START", "stbs", [_trail("t0", "e"), _bush("b0", "s")], {"": {"t0": "G", "b0": "E"}})
    start["cell"] = [0, 0]
    west = _tile("WEST", "ssss", [], {"": {}})
    west["cell"] = [-1, 0]
    value = {
        "tilesight": 1,
        "id": "lab",
        "game": "safari",
        "title": "Lab",
        "tiles": [
            _tile("PLAIN", "ssss", [], {"": {}}),
            _tile("TREE", "ssss", [_BAOBAB], {"": {}}),
            _tile("TRAIL", "stst", [_trail("t0", "e", "w")], _ONE),
            _tile("CURVE", "ttss", [_trail("t0", "n", "e")], _ONE),
            _tile("END", "ssst", [_trail("t0", "w")], _ONE),
            _tile("TWO", "stst", [_trail("t0", "w"), _trail("t1", "e")], {"00": {}}),
            _tile("BUSH", "bsss", [_bush("b0", "n")], _WILD),
            _tile("BIRDS", "bsss", [_bush("b0", "n", birds=3)], _WILD),
            _tile("HEDGE", "bsbs", [_bush("b0", "n", "s")], _WILD),
            _tile("BEND", "bbss", [_bush("b0", "n", "e", birds=1)], _WILD),
            _tile("CROSS", "bbbs", [_bush("b0", "n", "e", "s", birds=2)], _WILD),
            _tile("THICKET", "bbbb", [_bush("b0", "n", "e", "s", "w")], _WILD),
            _tile("PAIR", "bbss", [_bush("b0", "n"), _bush("b1", "e")], {"00": {}}),
            _tile("GLADE", "btss", [_bush("b0", "n"), _trail("t0", "e"), _BAOBAB], {"00": {}}),
        ],
        "start": [west, start],
        "tokens": {"mm": 18, "animals": dict.fromkeys(LETTERS.values(), 10)},
    }
    return read_pack(value, Path("lab"))


def parts(
    *,
    displaced_to: Cell | None = None,
    bonus: Iterable[Bonus] = (),
    draws: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    sent_home: FeatureRef | None = None,
) -> tuple[TurnPart, ...]:
    """Parts of a turn, of several games."""
    found: list[TurnPart] = [] if displaced_to is None else [RangerBack(displaced_to)]
    found += [*bonus, *(Drawn(player, animals) for player, animals in draws.items())]
    return tuple(found if sent_home is None else [*found, SentHome(sent_home)])


def changed(turn: Turn, **given: Any) -> Turn:
    """The turn with other parts of the given names (see `parts`) and other fields."""
    kinds = {"displaced_to": RangerBack, "bonus": Bonus, "draws": Drawn, "sent_home": SentHome}
    new = {name: given.pop(name) for name in kinds if name in given}
    kept = [part for part in turn.parts if not isinstance(part, tuple(kinds[name] for name in new))]
    order = list(kinds.values())
    found = sorted((*kept, *parts(**new)), key=lambda part: order.index(type(part)))
    return replace(turn, parts=tuple(found), **given)


def displaced_to(turn: Turn) -> Cell | None:
    """Where the ranger is put that the turn's tile displaced."""
    return next((part.to for part in turn.parts_of(RangerBack)), None)


class Table:
    """A game on the lab pack (or another), the player on turn always the one who plays."""

    def __init__(
        self,
        *players: str,
        rules: str = "zman",
        hands: dict[str, str] | None = None,
        rangers: tuple[Cell, ...] = ((-2, 0), (-1, 1)),
        pack: Pack | None = None,
    ) -> None:
        dealt = {player: tuple(animals(letters)) for player, letters in hands.items()} if hands else None
        header = Header("safari", "lab", players or ("red", "blue"), rules, dealt, rangers)
        self.state: GameState = tile_game_named("safari").start(header, pack or lab_pack())
        self.last: Step = Step(self.state)

    def turn(self, tile: str, cell: Cell, rot: int = 0, action: Action | None = None, **rest: Any) -> Turn:
        """A turn of the player whose turn it is, not yet played."""
        return Turn(self.state.player, tile, cell, rot, action, parts(**rest))

    def play(
        self,
        tile: str,
        cell: Cell,
        rot: int = 0,
        action: Action | None = None,
        *,
        by: str | None = None,
        **rest: Any,
    ) -> Step:
        """The turn played; ``by`` whom, with fillers by the others before it."""
        while by is not None and self.state.player != by:
            self.fill()
        self.last = self.state.apply(self.turn(tile, cell, rot, action, **rest))
        self.state = self.last.state
        return self.last

    def fill(self, action: Action | None = None, *, by: str | None = None, **rest: Any) -> Step:
        """A turn that lays a plain tile out of the way, on top of the column north of the start."""
        while by is not None and self.state.player != by:
            self.fill()
        top = min(y for x, y in self.state.board if x == 0)
        return self.play("PLAIN", (0, top - 1), 0, action, **rest)

    def lay(self, *tiles: tuple[str, Cell, int]) -> None:
        """Turns without any action, by the player to move."""
        for tile, cell, rot in tiles:
            self.play(tile, cell, rot)

    def codes(
        self, tile: str, cell: Cell, rot: int = 0, action: Action | None = None, **rest: Any
    ) -> list[str]:
        """The codes of that turn's faults, sorted."""
        return sorted(fault.code for fault in self.state.faults(self.turn(tile, cell, rot, action, **rest)))

    def points(self, kind: str | None = None) -> dict[str, int]:
        """Points of the last turn by player, of one kind or of all."""
        points: dict[str, int] = {}
        for event in self.last.events:
            if kind in (None, event.kind):
                points[event.player] = points.get(event.player, 0) + event.points
        return points


def end_points(events: tuple[ScoreEvent, ...], kind: str) -> dict[str, int]:
    """Points of a final scoring by player, of one kind."""
    points: dict[str, int] = {}
    for event in events:
        if event.kind == kind:
            points[event.player] = points.get(event.player, 0) + event.points
    return points
