"""A slow scorer of Carcassonne that floods the bare table, by the rulings and without the engine's regions.

The board is taken as graphs of (cell, feature): two of them touch where their edges face each other, a
field's half edges each by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing

Node = tuple[Cell, str]
FACING = {"n": ("s", 0, -1), "e": ("w", 1, 0), "s": ("n", 0, 1), "w": ("e", -1, 0)}


def sides(laid: Laid, edge: str) -> tuple[str, ...]:
    """The features on a board edge of a tile, clockwise."""
    own = "nesw"[("nesw".index(edge) - laid.rot // 90) % 4]
    return laid.design.tile.sides[own]  # type: ignore[index]


class Map:
    """Features of a board: which ones are connected, and which have an open edge."""

    def __init__(self, board: Mapping[Cell, Laid]) -> None:
        self.board = board
        self.kinds = {
            (cell, feature.id): feature.kind
            for cell, laid in board.items()
            for feature in laid.design.tile.features
        }
        self.beside: dict[Node, set[Node]] = {node: set() for node in self.kinds}
        self.open: set[Node] = set()
        for cell, laid in board.items():
            for edge, (other, dx, dy) in FACING.items():
                beyond = board.get((cell[0] + dx, cell[1] + dy))
                mine = sides(laid, edge)
                if beyond is None:
                    self.open |= {(cell, name) for name in mine}
                    continue
                theirs = sides(beyond, other)[::-1]
                for one, two in zip(mine, theirs, strict=True):
                    self.beside[cell, one].add(((cell[0] + dx, cell[1] + dy), two))

    def whole(self, node: Node) -> frozenset[Node]:
        """All that belongs to one feature."""
        seen, todo = {node}, [node]
        while todo:
            new = self.beside[todo.pop()] - seen
            seen |= new
            todo += new
        return frozenset(seen)

    def finished(self, whole: frozenset[Node]) -> bool:
        """Whether no edge of a feature is open."""
        return not whole & self.open

    def wholes(self, kind: str) -> set[frozenset[Node]]:
        """Every feature of a kind."""
        return {self.whole(node) for node, name in self.kinds.items() if name == kind}


def majority(whole: frozenset[Node], standing: Sequence[Standing]) -> list[str]:
    """Colours with the most meeples on a feature."""
    there = Counter(piece.color or "" for piece in standing if (piece.cell, piece.feature) in whole)
    return [color for color, number in there.items() if number == max(there.values())]


def value(seen: Map, whole: frozenset[Node], *, small: int = 2) -> int:
    """Points of a city or road as it lies; ``small`` a tile of a finished city of two."""
    tiles = len({cell for cell, _ in whole})
    if seen.kinds[next(iter(whole))] == "road":
        return tiles
    pennants = 0
    for cell, name in whole:
        feature = seen.board[cell].design.tile.feature(name)
        pennants += int(feature.extra.get("pennants", 0)) if feature else 0
    each = (small if tiles == 2 else 2) if seen.finished(whole) else 1
    return each * (tiles + pennants)


def around(board: Mapping[Cell, Laid], cell: Cell) -> int:
    """Tiles around a cell."""
    return sum((cell[0] + dx, cell[1] + dy) in board for dx in (-1, 0, 1) for dy in (-1, 0, 1)) - 1


def finished_points(
    board: Mapping[Cell, Laid], cell: Cell, standing: Sequence[Standing], *, small: int = 2
) -> Counter[str]:
    """Points by player for the tile just laid on ``cell``."""
    seen, points = Map(board), Counter[str]()
    for kind in ("city", "road"):
        for whole in seen.wholes(kind):
            if seen.finished(whole) and any(node[0] == cell for node in whole):
                points.update({color: value(seen, whole, small=small) for color in majority(whole, standing)})
    for piece in standing:
        x, y = piece.cell
        near = max(abs(x - cell[0]), abs(y - cell[1])) <= 1
        if (
            near
            and seen.kinds[piece.cell, piece.feature or ""] == "monastery"
            and around(board, piece.cell) == 8
        ):
            points[piece.color or ""] += 9
    return points


def final_points(board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str) -> Counter[str]:
    """Final points by player under one of the presets."""
    seen, points = Map(board), Counter[str]()
    for kind in ("city", "road"):
        for whole in seen.wholes(kind):
            points.update({color: value(seen, whole) for color in majority(whole, standing)})
    for piece in standing:
        if seen.kinds[piece.cell, piece.feature or ""] == "monastery":
            points[piece.color or ""] += 1 + around(board, piece.cell)
    cities = [whole for whole in seen.wholes("city") if seen.finished(whole)]
    paid: set[tuple[str, frozenset[Node]]] = set()
    for city in cities:
        fields = {
            seen.whole((cell, feature.id))
            for cell, name in city
            for feature in board[cell].design.tile.features
            if name in feature.extra.get("cities", ())
        }
        if rules == "first":
            points.update(dict.fromkeys(majority(frozenset().union(*fields), standing), 4))
            continue
        for field in fields:
            for color in majority(field, standing):
                if rules == "third" or (color, city) not in paid:
                    points[color] += 3
                paid.add((color, city))
    return points
