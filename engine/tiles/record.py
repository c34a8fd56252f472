"""Records of tile games: headers with hands, rangers or a river; turns, tiles put aside, points by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from engine import jsonvalue as jv
from engine.game import Event, IllegalTurn, Opening, Outcome, Position
from engine.message import Message
from engine.pack import Pack, load_pack
from engine.tiles.actions import action_to_json
from engine.tiles.common_rules import unknown_player
from engine.tiles.game import Composition, GameState, Header, ScoreEvent
from engine.tiles.turn import Turn, turn_keys

T = TypeVar("T")
"""A turn of any game."""
EXPECT_KEYS = frozenset({"scores", "placements", "actions", "final"})
BY_HAND = "by_hand"
"""The key of a line with points that people added or removed, and the kind of their score events."""


@dataclass(frozen=True, slots=True)
class Unplaceable:
    """A drawn tile that fitted nowhere and was put aside; the same player draws again."""

    tile: str

    def to_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        return {"unplaceable": self.tile}


@dataclass(frozen=True, slots=True)
class ByHand:
    """Points that people added or removed by hand, by the player's colour."""

    points: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        return {BY_HAND: dict(self.points)}

    def events(self, turn: int) -> tuple[ScoreEvent, ...]:
        """Return the points as score events of turn number ``turn``."""
        of = Composition(Message("set by hand"))
        return tuple(ScoreEvent(turn, player, points, BY_HAND, of) for player, points in self.points.items())

    def added(self, position: GameState) -> GameState:
        """Return the position with the points added. Raises IllegalTurn if one of the players is unknown."""
        if unknown := [player for player in self.points if player not in position.players]:
            raise IllegalTurn([unknown_player(player) for player in unknown])
        scores = {player: n + self.points.get(player, 0) for player, n in position.scores.items()}
        return replace(position, scores=scores)


Line = Turn | Unplaceable | ByHand
"""The content of a record line of a tile game, without the end."""


def with_by_hand(turns: Sequence[T], given: Sequence[ScoreEvent]) -> list[T | ByHand]:
    """Return the turns with the points set by hand between them, as a record has them.

    ``given`` are the points, each after as many turns as its number says; those beyond the last turn come at
    the end. Points that follow the same turn are one line; points that cancel each other are left out.
    """
    after: dict[int, Counter[str]] = {}
    for event in given:
        after.setdefault(min(event.turn, len(turns)), Counter())[event.player] += event.points
    lines: list[T | ByHand] = []
    for number in range(len(turns) + 1):
        lines += turns[number - 1 : number] if number else ()
        if points := {player: n for player, n in after.get(number, {}).items() if n}:
            lines.append(ByHand(points))
    return lines


@dataclass(frozen=True, slots=True)
class TileRecords:
    """Records of tile games (engine.game.Records).
    ``reach`` is the distance from the start tile, in cells, up to which the expectation ``placements`` counts
    placements; None counts all."""

    header_keys: frozenset[str] = frozenset({"hands", "rangers", "river"})
    reach: int | None = None

    def read_header(self, opening: Opening, source: Mapping[str, Any]) -> Header:
        """Return the header with hands, rangers and river, if given. Raises FieldError."""
        hands, rangers, river = source.get("hands"), source.get("rangers"), source.get("river")
        return Header(
            opening.game,
            opening.pack,
            opening.players,
            opening.rules,
            position=opening.position,
            hands=None
            if hands is None
            else {
                player: jv.texts_at(animals, f"hands.{player}")
                for player, animals in jv.object_at(hands, "hands").items()
            },
            rangers=None
            if rangers is None
            else tuple(
                jv.cell_at(item, f"rangers[{i}]") for i, item in enumerate(jv.list_at(rangers, "rangers"))
            ),
            river=None if river is None else jv.text_at(river, "river"),
        )

    def header_to_json(self, header: Header) -> dict[str, Any]:
        """Return hands, rangers and river, if given, as a JSON object."""
        value: dict[str, Any] = {}
        if header.hands is not None:
            value["hands"] = {player: list(animals) for player, animals in header.hands.items()}
        if header.rangers is not None:
            value["rangers"] = [list(cell) for cell in header.rangers]
        if header.river is not None:
            value["river"] = header.river
        return value

    def pack(self, header: Header) -> Pack:
        """Load the pack that the header names. Raises PackError if it cannot be loaded."""
        return load_pack(header.pack)

    def read_line(self, source: Mapping[str, Any]) -> Line:
        """Return a turn, a tile put aside, or points set by hand. Raises FieldError."""
        if BY_HAND in source:
            jv.object_at(source, "", {BY_HAND})
            given = jv.object_at(source[BY_HAND], BY_HAND)
            return ByHand({color: jv.integer_at(n, f"{BY_HAND}.{color}") for color, n in given.items()})
        if "unplaceable" in source:
            jv.object_at(source, "", {"unplaceable"})
            return Unplaceable(jv.text_at(source["unplaceable"], "unplaceable"))
        jv.object_at(source, "", turn_keys())
        return Turn.from_json(source)

    def read_expect(self, expect: Mapping[str, Any]) -> None:
        """Validate the expectations ``scores``, ``placements``, ``actions`` and ``final``.
        Raises FieldError if one is invalid or unknown."""
        jv.object_at(expect, "expect", EXPECT_KEYS)
        for key in ("scores", "final"):
            for player, points in jv.object_at(expect.get(key, {}), f"expect.{key}").items():
                jv.integer_at(points, f"expect.{key}.{player}")
        if "placements" in expect:
            jv.integer_at(expect["placements"], "expect.placements", least=0)
        for i, action in enumerate(jv.list_at(expect.get("actions", []), "expect.actions")):
            jv.object_at(action, f"expect.actions[{i}]")

    def play(self, position: GameState, event: Line) -> tuple[Position, Sequence[Event]]:
        """Play the turn, put the drawn tile aside, or add the points set by hand.
        Return the position after it and the scoring events. Raises IllegalTurn if it is illegal."""
        if isinstance(event, ByHand):
            return event.added(position), event.events(position.turn_no)
        if isinstance(event, Unplaceable):
            return position.unplaceable(event.tile), ()
        step = position.apply(event)
        return step.state, step.events

    def unmet(
        self,
        expect: Mapping[str, Any],
        event: Line | None,
        before: GameState,
        after: GameState,
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield (key, expected, actual) for every expectation that does not hold; actions have no order."""
        for key, expected in expect.items():
            got = self._actual(key, event, before, after)
            if key == "actions" and got is not None:
                expected, got = _in_order(expected), _in_order(got)
            if expected != got:
                yield key, expected, got

    def expected(self, turn: Turn, before: GameState) -> dict[str, Any]:
        """Return the expectations ``placements`` and ``actions`` of ``turn``'s record line.
        The turn is played in ``before``."""
        return {"placements": self._placements(before, turn), "actions": _actions(before, turn)}

    def _actual(self, key: str, event: Line | None, before: GameState, after: GameState) -> Any:
        """Return the engine's value of the expectation ``key``.
        None for placements and actions of a line that is no turn."""
        if key == "scores":
            return dict(after.scores)
        if key == "final":
            return dict(after.final().scores)
        if not isinstance(event, Turn):
            return None
        return self._placements(before, event) if key == "placements" else _actions(before, event)

    def _placements(self, before: GameState, turn: Turn) -> int:
        """Return the number of legal placements of the turn's tile within ``reach``."""
        places = before.placements(turn.tile)
        if self.reach is None:
            return len(places)
        return sum(max(abs(x), abs(y)) <= self.reach for (x, y), _ in places)

    def outcome(self, position: GameState) -> Outcome:
        """Return the scores before and after the final scoring, and its events."""
        final = position.final()
        return Outcome(
            {"scores": dict(position.scores), "final": dict(final.scores)},
            ", ".join(f"{player} {points}" for player, points in final.scores.items()),
            final.events,
        )


def _actions(before: GameState, turn: Turn) -> list[dict[str, Any] | None]:
    """Return the legal actions of the turn's placement, as JSON."""
    return [action_to_json(item) for item in before.actions(turn.tile, turn.cell, turn.rot, turn.parts)]


def _in_order(actions: Sequence[Any]) -> list[Any]:
    """Return serialised actions, sorted for comparison."""
    return sorted(actions, key=lambda action: json.dumps(action, sort_keys=True))


TILE_RECORDS = TileRecords()
