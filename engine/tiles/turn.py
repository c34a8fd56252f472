"""Turns of tile games: a turn is one line of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import jsonvalue as jv
from engine.geometry import Cell, Corner

Place = tuple[Cell, str]
"""A feature of one laid tile: its cell and its id local to the tile."""
UNKNOWN = "?"
"""An animal tile that nobody has seen."""


@dataclass(frozen=True, slots=True)
class Meeple:
    """Place a meeple on a feature of the tile just laid."""

    feature: str


@dataclass(frozen=True, slots=True)
class MoveRanger:
    """Move a ranger from one space to another."""

    start: Cell
    to: Cell


@dataclass(frozen=True, slots=True)
class Dig:
    """Lay an animal tile on an open corner and a meeple on it: a new watering hole."""

    cell: Cell
    corner: Corner
    animal: str


@dataclass(frozen=True, slots=True)
class Expand:
    """Lay an animal tile beside others of a watering hole."""

    cell: Cell
    corner: Corner
    animal: str


@dataclass(frozen=True, slots=True)
class Hut:
    """Place a hut on a river or lake of the tile just laid."""

    feature: str


Action = Meeple | MoveRanger | Dig | Expand | Hut


@dataclass(frozen=True, slots=True)
class Bonus:
    """An animal tile that ``player`` adds to a feature which this turn completes; any of its cells
    and local ids names the feature."""

    player: str
    cell: Cell
    feature: str
    animal: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What one player did: the tile, where, and the pieces. ``draws`` are the animal tiles drawn in
    this turn by player, in order; a player who is missing there drew unseen ones."""

    player: str
    tile: str
    cell: Cell
    rot: int
    action: Action | None = None
    ranger_to: Cell | None = None
    bonus: tuple[Bonus, ...] = ()
    draws: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shaman: Place | None = None

    def to_json(self) -> dict[str, Any]:
        """The turn as a line of a record."""
        value: dict[str, Any] = {
            "player": self.player,
            "tile": self.tile,
            "cell": list(self.cell),
            "rot": self.rot,
            "action": action_to_json(self.action),
        }
        if self.ranger_to is not None:
            value["ranger_to"] = list(self.ranger_to)
        if self.bonus:
            value["bonus"] = [
                {"player": b.player, "cell": list(b.cell), "feature": b.feature, "animal": b.animal}
                for b in self.bonus
            ]
        if self.draws:
            value["draws"] = {player: list(animals) for player, animals in self.draws.items()}
        if self.shaman is not None:
            value["shaman"] = {"cell": list(self.shaman[0]), "feature": self.shaman[1]}
        return value

    @classmethod
    def from_json(cls, source: Mapping[str, Any]) -> Turn:
        """The turn of a record's line (keys that are not a turn's are not looked at).
        jsonvalue.FieldError names the field that is wrong."""
        draws = jv.object_at(source.get("draws", {}), "draws")
        ranger_to = source.get("ranger_to")
        return cls(
            player=jv.text_at(jv.get(source, "player"), "player"),
            tile=jv.text_at(jv.get(source, "tile"), "tile"),
            cell=jv.cell_at(jv.get(source, "cell"), "cell"),
            rot=jv.rot_at(jv.get(source, "rot"), "rot"),
            action=action_from_json(source.get("action")),
            ranger_to=None if ranger_to is None else jv.cell_at(ranger_to, "ranger_to"),
            bonus=tuple(
                _bonus(item, f"bonus[{i}]")
                for i, item in enumerate(jv.list_at(source.get("bonus", []), "bonus"))
            ),
            draws={player: jv.texts_at(animals, f"draws.{player}") for player, animals in draws.items()},
            shaman=_shaman(source.get("shaman")),
        )


TURN_KEYS = frozenset({"player", "tile", "cell", "rot", "action", "ranger_to", "bonus", "draws", "shaman"})


def action_to_json(action: Action | None) -> dict[str, Any] | None:
    """An action as a JSON object (docs/formats.md, 'Turn of a tile game')."""
    match action:
        case None:
            return None
        case Meeple(feature):
            return {"type": "meeple", "feature": feature}
        case Hut(feature):
            return {"type": "hut", "feature": feature}
        case MoveRanger(start, to):
            return {"type": "ranger", "from": list(start), "to": list(to)}
        case Dig(cell, corner, animal):
            return {"type": "dig", "cell": list(cell), "corner": corner, "animal": animal}
        case Expand(cell, corner, animal):
            return {"type": "expand", "cell": list(cell), "corner": corner, "animal": animal}


def action_from_json(value: object) -> Action | None:
    """The action of a record's line."""
    if value is None:
        return None
    source = jv.object_at(value, "action")
    kind = jv.get(source, "type", "action")
    if kind in ("meeple", "hut"):
        jv.object_at(source, "action", ("type", "feature"))
        feature = jv.text_at(jv.get(source, "feature", "action"), "action.feature")
        return Meeple(feature) if kind == "meeple" else Hut(feature)
    if kind == "ranger":
        jv.object_at(source, "action", ("type", "from", "to"))
        return MoveRanger(
            jv.cell_at(jv.get(source, "from", "action"), "action.from"),
            jv.cell_at(jv.get(source, "to", "action"), "action.to"),
        )
    if kind in ("dig", "expand"):
        jv.object_at(source, "action", ("type", "cell", "corner", "animal"))
        return (Dig if kind == "dig" else Expand)(
            jv.cell_at(jv.get(source, "cell", "action"), "action.cell"),
            jv.corner_at(jv.get(source, "corner", "action"), "action.corner"),
            jv.text_at(jv.get(source, "animal", "action"), "action.animal"),
        )
    raise jv.FieldError("action.type", f"must be meeple, ranger, dig, expand or hut, is {jv.shown(kind)}")


def _bonus(value: object, at: str) -> Bonus:
    source = jv.object_at(value, at, ("player", "cell", "feature", "animal"))
    return Bonus(
        jv.text_at(jv.get(source, "player", at), f"{at}.player"),
        jv.cell_at(jv.get(source, "cell", at), f"{at}.cell"),
        jv.text_at(jv.get(source, "feature", at), f"{at}.feature"),
        jv.text_at(jv.get(source, "animal", at), f"{at}.animal"),
    )


def _shaman(value: object) -> Place | None:
    if value is None:
        return None
    source = jv.object_at(value, "shaman", ("cell", "feature"))
    return (
        jv.cell_at(jv.get(source, "cell", "shaman"), "shaman.cell"),
        jv.text_at(jv.get(source, "feature", "shaman"), "shaman.feature"),
    )
