"""Hand-made boards of Tricky Safari.

Animals are written as 'lion e5 n', squares as 'e5 f6'. A position may hold fewer than ten animals: the rules
of moving, photographing and walking ask for no more than what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from engine.tricky_safari.board import FACINGS, PLACE, SQUARES, Animal, Facing, Square, Terrain, square_at
from engine.tricky_safari.rules import SPECIES, Rules
from engine.tricky_safari.state import TrickyState
from engine.tricky_safari.walk import walks

GOLDEN = Path(__file__).parents[1] / "games" / "tricky-safari"
MIDDLE = "e5"


def animal(text: str) -> Animal:
    """'lion e5 n'."""
    species, square, facing = text.split()
    return Animal(species, square, cast(Facing, facing))


def animals(*texts: str) -> tuple[Animal, ...]:
    return tuple(animal(text) for text in texts)


def rows(forest: str = "", lake: str = "") -> tuple[str, ...]:
    """The ten rows of a landscape with those squares of forest and lake."""
    kinds = {**dict.fromkeys(forest.split(), "F"), **dict.fromkeys(lake.split(), "L")}
    signs = "".join(kinds.get(square, ".") for square in SQUARES)
    return tuple(signs[i : i + 10] for i in range(0, 100, 10))


def landscape(forest: str = "", lake: str = "") -> Terrain:
    return Terrain.of(rows(forest, lake))


def position(
    *texts: str,
    forest: str = "",
    lake: str = "",
    yellow: Square = "a1",
    red: Square = "j10",
    turn_no: int = 2,
    photos: Mapping[str, frozenset[str]] | None = None,
    rules: Rules | None = None,
) -> TrickyState:
    """A position in the middle of a game: both first turns are over unless ``turn_no`` says otherwise."""
    return TrickyState(
        rules=rules or Rules(),
        players=("yellow", "red"),
        turn_no=turn_no,
        landscape=landscape(forest, lake),
        animals=animals(*texts),
        cameras={"yellow": yellow, "red": red},
        photos={"yellow": frozenset(), "red": frozenset(), **(photos or {})},
    )


def all_but(*species: str) -> frozenset[str]:
    """Every species but those."""
    return frozenset(SPECIES) - set(species)


def beside(square: Square, facing: Facing, ahead: int = 0, right: int = 0) -> Square:
    """The square ``ahead`` and ``right`` steps away from an animal that faces a direction."""
    (column, row), turns = PLACE[square], FACINGS.index(facing)
    east, north = right, ahead
    for _ in range(turns):
        east, north = north, -east
    found = square_at(column + east, row + north)
    assert found is not None
    return found


def walked(walker: Animal, *others: str, forest: str = "", lake: str = "", cameras: str = "") -> Animal:
    """Where that animal is after a step, and where it faces."""
    done = walks(landscape(forest, lake), (walker, *animals(*others)), cameras.split())
    return next(walk.after for walk in done if walk.before == walker)


def header(**changes: Any) -> dict[str, Any]:
    """A legal header line, with changes."""
    squares = [square for square in SQUARES if square[0] in "ceg"]
    return {
        "tilesight": 1,
        "game": "tricky-safari",
        "pack": "tricky-safari",
        "rules": "online",
        "players": ["yellow", "red"],
        "terrain": list(rows("d4 d5", "h7")),
        "animals": [
            {"species": species, "cell": square, "facing": "n"}
            for species, square in zip(SPECIES, squares[::2], strict=False)
        ],
        **changes,
    }
