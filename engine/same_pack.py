"""Comparison of two packs of one id: whether they are the same printed set."""

from __future__ import annotations

from engine.pack import Design, Feature, Pack, Tile


def structural_difference(one: Pack, other: Pack) -> str | None:
    """Return the first difference between two packs of one id in print or rules; None if they are the same.
    It is a phrase ('tile HG12', 'the animal tiles'). Titles, pictures and piece spots are not compared."""
    if one.game != other.game:
        return "the game"
    for name in (*one.designs, *other.designs):
        mine, others = one.designs.get(name), other.designs.get(name)
        if mine is None or others is None or _printed(mine) != _printed(others):
            return f"tile {name}"
    for what, same in (
        ("the animal tiles", dict(one.tokens) == dict(other.tokens)),
        ("the start tile", one.start_faces == other.start_faces),
        ("the quarters", dict(one.quarters) == dict(other.quarters)),
        ("the animals", one.animals == other.animals),
    ):
        if not same:
            return what
    return None


def _printed(design: Design) -> object:
    """Return the comparable content of a design: count, edges, features, animals."""
    tile = design.tile
    features = sorted(
        (
            feature.id,
            feature.kind,
            sorted(feature.edges),
            feature.birds,
            feature.ends_in or "",
            _extra_repr(feature),
        )
        for feature in tile.features
    )
    animals = sorted((name, sorted(found)) for name, found in design.animals.items() if found)
    lies = (dict(tile.edges), dict(tile.sides), tile.start_cell, tile.deck, _extra_repr(tile))
    return design.count, tile.id, lies, features, animals


def _extra_repr(of: Feature | Tile) -> str:
    """Return the ``extra`` values as a comparable string."""
    return repr(sorted(of.extra.items()))
