"""Turns of tile games: the tile, its cell and rotation, the pieces, the draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine import jsonvalue as jv
from engine.geometry import Cell
from engine.pack import Design, Pack
from engine.tiles.actions import Action, FeatureAction, action_from_json, action_to_json
from engine.tiles.foreign import MARK, Foreign, face, is_face, is_foreign

FeatureRef = tuple[Cell, str]
"""A feature of one laid tile: the tile's cell, and the feature's id on the tile."""
UNKNOWN = "?"
"""Name of an animal tile of unknown animal."""
NO_FACES: Mapping[Cell, Design] = MappingProxyType({})
"""The empty mapping from cells to faces."""


@dataclass(frozen=True, slots=True)
class Bonus:
    """An animal tile that ``player`` adds to a feature which the turn completes. ``cell`` and ``feature``
    name the feature by any of its tiles."""

    player: str
    cell: Cell
    feature: str
    animal: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn of one player: the tile, its cell, its rotation (``rot`` in degrees clockwise), the action.

    ``displaced_to`` is the new cell of the ranger that stood where the tile was laid (``ranger_to`` in
    records). ``sent_home`` is the feature whose meeple the tile's shaman sent home (``shaman`` in records).
    ``draws`` are the animal tiles drawn in this turn by player, in order; draws of a player who is missing
    are unknown.
    """

    player: str
    tile: str
    cell: Cell
    rot: int
    action: Action | None = None
    displaced_to: Cell | None = None
    bonus: tuple[Bonus, ...] = ()
    draws: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sent_home: FeatureRef | None = None

    def to_json(self) -> dict[str, Any]:
        """Serialise the turn as a line of a record."""
        value: dict[str, Any] = {
            "player": self.player,
            "tile": None if is_foreign(self.tile) else self.tile,
            "cell": list(self.cell),
            "rot": self.rot,
            "action": action_to_json(self.action),
        }
        if is_foreign(self.tile) and self.tile != MARK:
            value["foreign"] = Foreign.of(self.tile).to_json()
        if self.displaced_to is not None:
            value["ranger_to"] = list(self.displaced_to)
        if self.bonus:
            value["bonus"] = [
                {"player": b.player, "cell": list(b.cell), "feature": b.feature, "animal": b.animal}
                for b in self.bonus
            ]
        if self.draws:
            value["draws"] = {player: list(animals) for player, animals in self.draws.items()}
        if self.sent_home is not None:
            value["shaman"] = {"cell": list(self.sent_home[0]), "feature": self.sent_home[1]}
        return value

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Turn:
        """Read a turn from a line of a record; other keys are ignored. jsonvalue.FieldError names the field
        at fault."""
        draws = jv.object_at(source.get("draws", {}), "draws")
        ranger_to = source.get("ranger_to")
        return cls(
            player=jv.text_at(jv.get(source, "player"), "player"),
            tile=tile_of(source),
            cell=jv.cell_at(jv.get(source, "cell"), "cell"),
            rot=jv.rot_at(jv.get(source, "rot"), "rot"),
            action=action_from_json(source.get("action")),
            displaced_to=None if ranger_to is None else jv.cell_at(ranger_to, "ranger_to"),
            bonus=tuple(
                _bonus(item, f"bonus[{i}]")
                for i, item in enumerate(jv.list_at(source.get("bonus", []), "bonus"))
            ),
            draws={player: jv.texts_at(animals, f"draws.{player}") for player, animals in draws.items()},
            sent_home=_read_shaman(source.get("shaman")),
        )


TURN_KEYS = frozenset(
    {"player", "tile", "cell", "rot", "action", "ranger_to", "bonus", "draws", "shaman", "foreign"}
)


def tile_of(source: Mapping[str, Any]) -> str:
    """The tile's name in a record line; a foreign tile's name is its description. jsonvalue.FieldError names
    the field at fault."""
    tile = jv.get(source, "tile")
    if tile is None:
        return Foreign.from_json(source.get("foreign", {}), "foreign").name
    if "foreign" in source:
        raise jv.FieldError("foreign", "belongs to a tile that is null")
    return jv.text_at(tile, "tile")


def described(turn: Turn, pack: Pack | None = None, faces: Mapping[Cell, Design] = NO_FACES) -> str:
    """Describe a turn in English: tile, cell, rotation and pieces.

    With ``pack``, features of the laid tile are named by kind and id (``meeple on road r0``); so are those of
    other tiles whose face is in ``faces``, by cell. Otherwise by id alone.
    """
    own = face(pack, turn.tile) if pack is not None and is_face(pack, turn.tile) else None
    known = faces if own is None else {**faces, turn.cell: own}

    def called(cell: Cell, feature: str) -> str:
        """Kind and id of a feature, or its id alone if its tile's face is unknown."""
        return known[cell].tile.called(feature) if cell in known else feature

    tile = "a foreign tile" if is_foreign(turn.tile) else turn.tile
    parts = [f"{tile} at {_at(turn.cell)} turned {turn.rot}°"]
    if isinstance(turn.action, FeatureAction):
        parts.append(f"{turn.action.type} on {called(turn.cell, turn.action.feature)}")
    elif turn.action is not None:
        parts.append(turn.action.words)
    if turn.displaced_to is not None:
        parts.append(f"displaced ranger to {_at(turn.displaced_to)}")
    if turn.sent_home is not None:
        cell, feature = turn.sent_home
        parts.append(f"the shaman sends home the meeple on {called(cell, feature)} of {_at(cell)}")
    parts += [
        f"{b.player} adds {b.animal} to {called(b.cell, b.feature)} of {_at(b.cell)}" for b in turn.bonus
    ]
    return ", ".join(parts)


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"


def _bonus(value: object, at: str) -> Bonus:
    """Read a bonus tile; ``at`` is its path in errors."""
    source = jv.object_at(value, at, ("player", "cell", "feature", "animal"))
    return Bonus(
        jv.text_at(jv.get(source, "player", at), f"{at}.player"),
        jv.cell_at(jv.get(source, "cell", at), f"{at}.cell"),
        jv.text_at(jv.get(source, "feature", at), f"{at}.feature"),
        jv.text_at(jv.get(source, "animal", at), f"{at}.animal"),
    )


def _read_shaman(value: object) -> FeatureRef | None:
    """Read the feature whose meeple the shaman sends home, or None."""
    if value is None:
        return None
    source = jv.object_at(value, "shaman", ("cell", "feature"))
    return (
        jv.cell_at(jv.get(source, "cell", "shaman"), "shaman.cell"),
        jv.text_at(jv.get(source, "feature", "shaman"), "shaman.feature"),
    )
