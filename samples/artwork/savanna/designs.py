"""Contents of Savanna's `pack.json`: its designs, and the animals on their features."""

from dataclasses import dataclass
from typing import Any

from samples.artwork.geometry import written_line, written_point
from samples.artwork.savanna.layout import Layout
from samples.artwork.savanna.tiles import LAYOUTS, START

ANIMALS = {"E": "elephant", "G": "giraffe", "L": "lion", "M": "monkey", "Z": "zebra"}
TOKENS_EACH = 10
#: Side of a token: a quarter of a round water hole, four make the whole.
TOKEN_MM = 18
TILE_MM = 45
#: The pictures on the backs: of the deck, and of the tokens.
BACKS = {"regular": "land", "tokens": "animal"}
ART_LICENSE = (
    "Apache-2.0, drawn by samples.artwork; the animals are from Microsoft's Fluent Emoji (flat),"
    " MIT licence, see CREDITS.md"
)


@dataclass(frozen=True)
class Design:
    """One printed face of a layout: how many copies there are and which animal stands on which feature."""

    id: str
    count: int
    layout: Layout
    animals: dict[str, str]


def designs_of(layout: Layout) -> tuple[Design, ...]:
    """The designs of a layout from its text: ``CS3-G*2`` is two copies, a giraffe on the first feature."""
    designs = []
    for text in layout.designs.split():
        name, _, count = text.partition("*")
        id_, _, start_letters = name.partition(":")
        letters = start_letters or name.partition("-")[2].strip("0")
        animals = dict(zip(layout.animal_places, (ANIMALS[letter] for letter in letters), strict=False))
        if len(animals) != len(letters):
            raise ValueError(f"{name}: {len(letters)} animals for {len(layout.animal_places)} places")
        designs.append(Design(id_, int(count or 1), layout, animals))
    return tuple(designs)


def all_designs() -> tuple[Design, ...]:
    """Every face of the deck, the three cells of the start tile last."""
    return tuple(design for layout in (*LAYOUTS, *START) for design in designs_of(layout))


def pack() -> dict[str, Any]:
    """The content of ``pack.json`` (docs/formats.md, 'Pack')."""
    return {
        "tilesight": 1,
        "id": "savanna",
        "game": "safari",
        "title": "Savanna, the house deck for Carcassonne Safari",
        "tile_mm": TILE_MM,
        "art_license": ART_LICENSE,
        "backs": BACKS,
        "tiles": [_tile(layout) for layout in LAYOUTS],
        "start": [_tile(layout) for layout in START],
        "tokens": {
            "mm": TOKEN_MM,
            "animals": dict.fromkeys(ANIMALS.values(), TOKENS_EACH),
            "inner_corner": "se",
        },
    }


def _tile(layout: Layout) -> dict[str, Any]:
    tile: dict[str, Any] = {"id": layout.id, "edges": layout.edges, "features": _features(layout)}
    if layout.cell is not None:
        tile["cell"] = list(layout.cell)
    tile["designs"] = [
        {"id": design.id, "count": design.count, "animals": {f: [a] for f, a in design.animals.items()}}
        for design in designs_of(layout)
    ]
    return tile


def _features(layout: Layout) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = []
    for index, trail in enumerate(layout.trails):
        entry: dict[str, Any] = {
            "id": f"t{index}",
            "kind": "trail",
            "edges": list(trail.edges),
            "path": written_line(trail.path),
        }
        entry |= {"spot": written_point(trail.spot), "animal_at": written_point(trail.animal)}
        features.append(entry if trail.ends is None else entry | {"ends_in": trail.ends})
    for index, bush in enumerate(layout.bushes):
        entry = {"id": f"b{index}", "kind": "bush", "edges": list(bush.edges), "birds": len(bush.birds)}
        entry |= {"region": written_line(bush.region), "spot": written_point(bush.spot)}
        if bush.animal:
            entry["animal_at"] = written_point(bush.animal)
        if bush.birds:
            entry["birds_at"] = written_line(bush.birds)
        features.append(entry)
    if layout.baobab:
        features.append(
            {"id": "baobab", "kind": "baobab", "edges": [], "spot": written_point(layout.baobab.spot)}
        )
    return features
