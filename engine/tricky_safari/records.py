"""Records of Tricky Safari: the header with terrain and animals; moves and passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from engine import jsonvalue as jv
from engine.game import Event, Opening, Outcome, Position
from engine.pack import Pack, load_pack
from engine.tricky_safari.board import FACINGS, SIZE, Animal, Facing, Square
from engine.tricky_safari.rules import START, TERRAIN_NAMES
from engine.tricky_safari.state import Move, TrickyState

TURN_KEYS = frozenset({"player", "to", "pass"})
EXPECT_KEYS = frozenset({"moves", "photos", "animals", "winner"})
BUILT_IN = "tricky-safari"
"""Pack id that is not loaded: the rules need no pack."""


@dataclass(frozen=True, slots=True)
class TrickyHeader(Opening):
    """The first line of a record.
    ``terrain`` are the ten rows, row 10 first; ``start`` are the given start squares of cameras."""

    terrain: tuple[str, ...] = ("." * SIZE,) * SIZE
    animals: tuple[Animal, ...] = ()
    start: Mapping[str, Square] = field(default_factory=dict)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """Names of the given ones among terrain, animals and start."""
        given = {"terrain": self.terrain, "animals": self.animals, "start": self.start}
        return tuple(name for name, value in given.items() if value)

    @property
    def cameras(self) -> Mapping[str, Square]:
        """Start square of each player's camera; START for those not given."""
        return {
            player: self.start[player] if player in self.start else START[player]
            for player in self.players
            if player in self.start or player in START
        }


@dataclass(frozen=True, slots=True)
class TrickyRecords:
    """Records of Tricky Safari (engine.game.Records)."""

    header_keys: frozenset[str] = frozenset({"terrain", "animals", "start"})

    def read_header(self, opening: Opening, source: Mapping[str, Any]) -> TrickyHeader:
        """Return the header. Terrain and animals may be missing if it has a position. Raises FieldError.
        Names of squares are not checked here but by the rules."""
        start, stated = source.get("start"), opening.position is not None
        return TrickyHeader(
            opening.game,
            opening.pack,
            opening.players,
            opening.rules,
            position=opening.position,
            terrain=() if stated and "terrain" not in source else _terrain(jv.get(source, "terrain")),
            animals=()
            if stated and "animals" not in source
            else _animals(jv.get(source, "animals"), "animals"),
            start={}
            if start is None
            else {
                player: jv.text_at(square, f"start.{player}")
                for player, square in jv.object_at(start, "start").items()
            },
        )

    def header_to_json(self, header: TrickyHeader) -> dict[str, Any]:
        """Return terrain, animals and the cameras' squares as JSON, each only if given.
        Without a position, terrain and animals are always there."""
        value: dict[str, Any] = {
            "terrain": list(header.terrain),
            "animals": animals_to_json(header.animals),
        }
        if header.position is not None:  # the position contains them
            value = {name: item for name, item in value.items() if item}
        return {**value, "start": dict(header.start)} if header.start else value

    def pack(self, header: TrickyHeader) -> Pack | None:
        """Load the pack that the header names, None for BUILT_IN, which needs none. Raises PackError."""
        return None if header.pack == BUILT_IN else load_pack(header.pack)

    def read_line(self, source: Mapping[str, Any]) -> Move:
        """Return a move or a pass. Raises FieldError."""
        jv.object_at(source, "", TURN_KEYS)
        to, passes = source.get("to"), source.get("pass", False)
        if not isinstance(passes, bool):
            raise jv.FieldError("pass", f"must be true, is {jv.shown(passes)}")
        return Move(
            player=jv.text_at(jv.get(source, "player"), "player"),
            to=None if to is None else jv.text_at(to, "to"),
            passes=passes,
        )

    def read_expect(self, expect: Mapping[str, Any]) -> None:
        """Validate the expectations ``moves``, ``photos``, ``animals`` and ``winner``. Raises FieldError."""
        jv.object_at(expect, "expect", EXPECT_KEYS)
        if "moves" in expect:
            jv.integer_at(expect["moves"], "expect.moves", least=0)
        if expect.get("winner") is not None:
            jv.text_at(expect["winner"], "expect.winner")
        for player, photos in jv.object_at(expect.get("photos", {}), "expect.photos").items():
            where = f"expect.photos.{player}"
            if isinstance(photos, list):
                jv.texts_at(photos, where)
            else:
                jv.integer_at(photos, where, least=0)
        if "animals" in expect:
            _animals(expect["animals"], "expect.animals")

    def play(self, position: TrickyState, event: Move) -> tuple[Position, Sequence[Event]]:
        """Play the turn; return the position after it and its score events. Raises IllegalTurn."""
        step = position.apply(event)
        return step.state, step.events

    def unmet(
        self, expect: Mapping[str, Any], event: Move | None, before: TrickyState, after: TrickyState
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield (key, expected, actual) for every expectation that does not hold.
        Animals have no order; photos are expected as species or as their number."""
        for key, expected in expect.items():
            got = _actual(key, expected, event, before, after)
            if key == "animals":
                expected, got = _in_order(expected), _in_order(got)
            if expected != got:
                yield key, expected, got

    def outcome(self, position: TrickyState) -> Outcome:
        """Return the winner (None before the end and for a draw), and the number of photos of each player."""
        points, winner = position.points, position.winner
        says = "unfinished" if not position.over else f"{winner} wins" if winner else "a draw"
        numbers = ", ".join(f"{player} {number}" for player, number in points.items())
        return Outcome({"winner": winner, "photos": dict(points)}, f"{numbers} photos, {says}")


def animals_to_json(animals: Sequence[Animal]) -> list[dict[str, str]]:
    """Return animals as JSON: species, cell and facing of each."""
    return [{"species": item.species, "cell": item.square, "facing": item.facing} for item in animals]


def photos_to_json(photos: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """Return each player's photographed species, sorted."""
    return {player: sorted(species) for player, species in photos.items()}


def _actual(key: str, expected: Any, event: Move | None, before: TrickyState, after: TrickyState) -> Any:
    """Return the engine's value of the expectation ``key``, in the form of ``expected``.
    None for the moves of a line that is no turn."""
    if key == "winner":
        return after.winner
    if key == "animals":
        return animals_to_json(after.animals)
    if key == "moves":
        return None if event is None else len(before.moves())
    if any(isinstance(photos, int) for photos in expected.values()):
        return dict(after.points)
    return photos_to_json(after.photos)


def _in_order(animals: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return serialised animals, sorted for comparison."""
    return sorted(animals, key=lambda animal: (animal["species"], animal["cell"], animal["facing"]))


def _terrain(value: object) -> tuple[str, ...]:
    """Return the rows of terrain from their JSON. Raises FieldError."""
    rows = jv.texts_at(jv.list_at(value, "terrain", SIZE), "terrain")
    for i, row in enumerate(rows):
        if len(row) != SIZE or any(sign not in TERRAIN_NAMES for sign in row):
            signs = " ".join(TERRAIN_NAMES)
            message = f"must be {SIZE} signs from {signs}, is {jv.shown(row)}"
            raise jv.FieldError(f"terrain[{i}]", message)
    return rows


def _animals(value: object, at: str) -> tuple[Animal, ...]:
    """Return a list of animals from its JSON; ``at`` is its path in errors. Raises FieldError."""
    return tuple(_animal(item, f"{at}[{i}]") for i, item in enumerate(jv.list_at(value, at)))


def _animal(value: object, at: str) -> Animal:
    """Return one animal from its JSON; ``at`` is its path in errors. Raises FieldError."""
    source = jv.object_at(value, at, ("species", "cell", "facing"))
    facing = jv.get(source, "facing", at)
    if facing not in FACINGS:
        raise jv.FieldError(f"{at}.facing", f"must be n, e, s or w, is {jv.shown(facing)}")
    return Animal(
        jv.text_at(jv.get(source, "species", at), f"{at}.species"),
        jv.text_at(jv.get(source, "cell", at), f"{at}.cell"),
        cast(Facing, facing),
    )


TRICKY_RECORDS = TrickyRecords()
