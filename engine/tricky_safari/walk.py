"""Moves of the animals of Tricky Safari at the end of a round.

Rules: tricky-safari-online, 'The animals move too', 'How do the animals move through the landscape?'.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.message import Message
from engine.tricky_safari.board import ORDER, SIDES, Animal, Facing, Square, Terrain, turned
from engine.tricky_safari.rules import FOREST

Case = Literal["ahead", "left_only", "right_only", "forest", "blocked", "back", "stuck"]
_WHY: Mapping[Case, Message] = {
    "ahead": Message("the way ahead is open"),
    "left_only": Message("it is blocked, and only its left side is open"),
    "right_only": Message("it is blocked, and only its right side is open"),
    "forest": Message("forest is ahead and both sides are open: it goes left"),
    "blocked": Message(
        "it is blocked by something other than forest, and both sides are open: it goes right"
    ),
    "back": Message("only the way back is open"),
    "stuck": Message("it is blocked on all sides: it turns around and stays"),
}
_QUARTERS: Mapping[Case, int] = {
    "ahead": 0, "left_only": 3, "forest": 3, "right_only": 1, "blocked": 1, "back": 2, "stuck": 2,
}  # fmt: skip
_FACING: Mapping[tuple[Facing, Case], Facing] = {
    (facing, case): turned(facing, quarters)
    for facing in ("n", "e", "s", "w")
    for case, quarters in _QUARTERS.items()
}


@dataclass(frozen=True, slots=True)
class Walk:
    """Move of one animal, with the case of the rules that applies."""

    before: Animal
    after: Animal
    case: Case

    @property
    def why(self) -> Message:
        """The reason."""
        return _WHY[self.case]


def walks(landscape: Terrain, animals: Sequence[Animal], cameras: Collection[Square]) -> tuple[Walk, ...]:
    """Return the moves of all animals, one after the other in reading order: row 10 first, a to j.
    Each is made after the earlier moves; cameras block like animals."""
    held = {animal.square for animal in animals}
    held.update(cameras)
    found = []
    for animal in sorted(animals, key=_reading_order):
        case, to = _choice(landscape, animal, held)
        held.remove(animal.square)
        held.add(to)
        after = Animal(animal.species, to, _FACING[animal.facing, case])
        found.append(Walk(animal, after, case))
    return tuple(found)


def _reading_order(animal: Animal) -> int:
    """Return the sort key of the order in which animals move."""
    return ORDER[animal.square]


def _choice(landscape: Terrain, animal: Animal, held: Collection[Square]) -> tuple[Case, Square]:
    """Return the case of the rules that applies, and the animal's new square.
    ``held`` are the squares of all pieces."""
    closed = landscape.closed[animal.species]
    ahead, right, behind, left = SIDES[animal.square, animal.facing]
    if ahead is not None and ahead not in closed and ahead not in held:
        return "ahead", ahead
    go_left = left if left not in closed and left not in held else None
    go_right = right if right not in closed and right not in held else None
    if go_left is not None and go_right is not None:
        # For an animal that may enter forest (ape, squirrel), forest ahead is not the obstacle.
        if ahead is not None and ahead in closed and landscape.terrain[ahead] == FOREST:
            return "forest", go_left
        return "blocked", go_right
    if go_left is not None:
        return "left_only", go_left
    if go_right is not None:
        return "right_only", go_right
    if behind is not None and behind not in closed and behind not in held:
        return "back", behind
    return "stuck", animal.square
