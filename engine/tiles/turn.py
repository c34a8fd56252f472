"""Turns of tile games: the tile, its cell and rotation, the action, the parts of single games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

from engine import jsonvalue as jv
from engine.geometry import Cell
from engine.message import Message
from engine.pack import Design, Pack
from engine.tiles.actions import (
    Action,
    FeatureAction,
    PieceUse,
    Put,
    TurnPart,
    action_from_json,
    action_to_json,
    known_parts,
)
from engine.tiles.foreign import MARK, Foreign, face, is_face, is_foreign

FeatureRef = tuple[Cell, str]
"""A feature of one laid tile: the tile's cell, and the feature's id on the tile."""
UNKNOWN = "?"
"""Name of an animal tile of unknown animal."""
NO_FACES: Mapping[Cell, Design] = MappingProxyType({})
"""The empty mapping from cells to faces."""
PartT = TypeVar("PartT", bound=TurnPart)


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn of one player: the tile, its cell, its rotation (``rot`` in degrees clockwise), the action.

    ``parts`` are what else single games have in a turn, in the order of `engine.tiles.actions.known_parts`.
    """

    player: str
    tile: str
    cell: Cell
    rot: int
    action: Action | None = None
    parts: tuple[TurnPart, ...] = ()

    @property
    def seen(self) -> Turn:
        """The turn without the parts that no camera can see; itself if it has none."""
        if all(part.seen for part in self.parts):
            return self
        return replace(self, parts=tuple(part for part in self.parts if part.seen))

    @property
    def uses(self) -> tuple[PieceUse, ...]:
        """The action, if any, and the parts."""
        return self.parts if self.action is None else (self.action, *self.parts)

    @property
    def puts(self) -> tuple[Put, ...]:
        """The pieces that action and parts put elsewhere than on a feature of the tile just laid."""
        return tuple([put for use in self.uses if (put := use.put) is not None])

    def parts_of(self, kind: type[PartT]) -> tuple[PartT, ...]:
        """Return the parts of one kind, in order."""
        return tuple([part for part in self.parts if isinstance(part, kind)]) if self.parts else ()

    def to_json(self) -> dict[str, Any]:
        """Return the turn as a line of a record, a JSON object."""
        value: dict[str, Any] = {
            "player": self.player,
            "tile": None if is_foreign(self.tile) else self.tile,
            "cell": list(self.cell),
            "rot": self.rot,
            "action": action_to_json(self.action),
        }
        if is_foreign(self.tile) and self.tile != MARK:
            value["foreign"] = Foreign.of(self.tile).to_json()
        for part in self.parts:
            part.add_to(value)
        return value

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Turn:
        """Read a turn from a line of a record; other keys are ignored.
        Raises FieldError, with the field at fault."""
        return cls(
            player=jv.text_at(jv.get(source, "player"), "player"),
            tile=tile_of(source),
            cell=jv.cell_at(jv.get(source, "cell"), "cell"),
            rot=jv.rot_at(jv.get(source, "rot"), "rot"),
            action=action_from_json(source.get("action")),
            parts=tuple(
                part
                for kind in known_parts().values()
                if kind.key in source
                for part in kind.read(source[kind.key])
            ),
        )


def turn_keys() -> frozenset[str]:
    """Return the keys of a turn's record line, with the parts of all games imported so far."""
    return frozenset({"player", "tile", "cell", "rot", "action", "foreign"}) | {
        kind.key for kind in known_parts().values()
    }


def tile_of(source: Mapping[str, Any]) -> str:
    """Return the tile's name in a record line; a foreign tile's name is its description.
    Raises FieldError, with the field at fault."""
    tile = jv.get(source, "tile")
    if tile is None:
        return Foreign.from_json(source.get("foreign", {}), "foreign").name
    if "foreign" in source:
        raise jv.FieldError("foreign", "belongs to a tile that is null")
    return jv.text_at(tile, "tile")


def described(turn: Turn, pack: Pack | None = None, faces: Mapping[Cell, Design] = NO_FACES) -> Message:
    """Return a sentence for people with tile, cell, rotation and pieces of a turn.

    With ``pack``, features of the laid tile are named by kind and id (``meeple on road r0``); so are those of
    other tiles whose face is in ``faces``, by cell. Otherwise by id alone.
    """
    own = face(pack, turn.tile) if pack is not None and is_face(pack, turn.tile) else None
    known = faces if own is None else {**faces, turn.cell: own}

    def called(cell: Cell, feature: str) -> str:
        """Return kind and id of a feature; its id alone if that is its kind or its tile's face is unknown."""
        named = known[cell].tile.feature(feature) if cell in known else None
        if named is None or named.kind == feature:
            return feature
        return Message("{kind} {feature}", kind=named.kind, feature=feature)

    tile = Message("a foreign tile") if is_foreign(turn.tile) else turn.tile
    parts = [Message("{tile} at {cell} turned {rot}°", tile=tile, cell=turn.cell, rot=turn.rot)]
    if isinstance(turn.action, FeatureAction):
        place = called(turn.cell, turn.action.feature)
        parts.append(Message("{piece} on {place}", piece=turn.action.type, place=place))
    elif turn.action is not None:
        parts.append(turn.action.words)
    parts += [part.words(called) for part in turn.parts]
    return Message("{parts}", parts=[part for part in parts if part])
