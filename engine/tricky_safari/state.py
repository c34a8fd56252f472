"""Positions of Tricky Safari: cameras, animals, and the species each player has photographed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.fault import Fault
from engine.game import IllegalTurn
from engine.message import Message
from engine.squares_game import Errand, Figure
from engine.tricky_safari.board import IN_VIEW, PLACE, RAYS, Animal, Square, Terrain
from engine.tricky_safari.rules import PAWN, SPECIES, TERRAIN_NAMES, WALKER, Rules
from engine.tricky_safari.walk import Walk, walks


@dataclass(frozen=True, slots=True)
class Move:
    """A player's turn: the camera moves ``to`` a square, or the player ``passes``.
    Neither, both, or an unknown square is an illegal turn."""

    player: str
    to: str | None = None
    passes: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the turn as a line of a record, a JSON object."""
        value: dict[str, Any] = {"player": self.player}
        if self.to is not None:
            value["to"] = self.to
        if self.passes:
            value["pass"] = True
        return value


@dataclass(frozen=True, slots=True)
class Photo:
    """Scoring event: a player's first photo of a species.
    It is taken after the player's move or after the animals' moves (``step``). ``turn`` counts from 1,
    ``square`` is the animal's."""

    turn: int
    player: str
    species: str
    square: Square
    after: Literal["move", "step"]
    points: int = 1
    kind: str = "photo"
    at_end: bool = False

    @property
    def why(self) -> Message:
        """The photo as a sentence for people."""
        if self.after == "step":
            return Message(
                "{animal} on {square}, after the animals' step", animal=self.species, square=self.square
            )
        return Message("{animal} on {square}", animal=self.species, square=self.square)

    def to_json(self) -> dict[str, Any]:
        """Return the event as a JSON object (docs/formats.md, 'Output of check')."""
        return {
            "turn": self.turn,
            "player": self.player,
            "points": self.points,
            "kind": self.kind,
            "why": self.why,
            "said": self.why.to_json(),
            "cells": [self.square],
            "species": self.species,
            "after": self.after,
        }


@dataclass(frozen=True, slots=True)
class TrickyStep:
    """Result of a turn: the new photos and, after the last turn of a round, each animal's move."""

    state: TrickyState
    events: tuple[Photo, ...] = ()
    walks: tuple[Walk, ...] = ()

    @property
    def errands(self) -> tuple[Errand, ...]:
        """The animals' moves (engine.squares_game.SquarePlayed)."""
        return tuple(Errand(animal_figure(w.before), animal_figure(w.after), w.why) for w in self.walks)


def animal_figure(animal: Animal) -> Figure:
    """Return an animal as a `Figure`."""
    return Figure(WALKER, animal.species, animal.square, animal.facing)


@dataclass(frozen=True, slots=True)
class TrickyState:
    """Immutable position.
    ``animals`` keep the order of the set-up; ``photos`` are the species that each player has photographed."""

    rules: Rules
    players: tuple[str, ...]
    turn_no: int
    landscape: Terrain
    animals: tuple[Animal, ...]
    cameras: Mapping[str, Square]
    photos: Mapping[str, frozenset[str]]

    @property
    def player(self) -> str:
        """Player whose turn it is."""
        return self.players[self.turn_no % len(self.players)]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Animals and cameras (engine.squares_game.SquarePosition)."""
        cameras = (Figure(PAWN, player, square) for player, square in self.cameras.items())
        return (*(animal_figure(animal) for animal in self.animals), *cameras)

    @property
    def terrain(self) -> tuple[str, ...]:
        """The landscape's rows, row 10 first."""
        return self.landscape.rows

    @property
    def collected(self) -> Mapping[str, frozenset[str]]:
        """The species that each player has photographed."""
        return self.photos

    @property
    def turns_at_most(self) -> int:
        """Maximum number of turns of the game: the moves of all players, passes included."""
        return self.rules.moves * len(self.players)

    @property
    def points(self) -> Mapping[str, int]:
        """Number of species that each player has photographed."""
        return {player: len(species) for player, species in self.photos.items()}

    @property
    def over(self) -> bool:
        """Whether the game has ended ('End of the game').
        It does at the end of the last round, or of a round in which a player completed all species."""
        rounds, turns_into_round = divmod(self.turn_no, len(self.players))
        return not turns_into_round and (rounds >= self.rules.moves or self._complete)

    @property
    def _complete(self) -> bool:
        """Whether a player has photographed every species."""
        return any(len(species) == len(SPECIES) for species in self.photos.values())

    @property
    def winner(self) -> str | None:
        """Player with more photos once the game is over; None for a draw, and before the end."""
        if not self.over:
            return None
        points = self.points
        best = max(points.values())
        first, *others = (player for player in self.players if points[player] == best)
        return None if others else first

    def moves(self, player: str | None = None) -> tuple[Square, ...]:
        """Return the squares to which the player's camera may move; () once the game is over.
        ``player`` None is the player to move."""
        return () if self.over else self._reach(player or self.player)

    def _reach(self, player: str) -> tuple[Square, ...]:
        """Return the squares to which the player's camera can move, also after the end."""
        held = [animal.square for animal in self.animals]
        rook = self._first_turn(player)
        return self.landscape.reach(self.cameras[player], held, self._other(player), rook=rook)

    def _first_turn(self, player: str) -> bool:
        """Whether the player has not had a turn yet."""
        return self.turn_no <= self.players.index(player)

    def _other(self, player: str) -> Square:
        """Return the square of the other player's camera."""
        return next(square for name, square in self.cameras.items() if name != player)

    def turns(self) -> tuple[Move, ...]:
        """Return every legal turn: moves, and the pass where it is allowed; () once the game is over."""
        if self.over:
            return ()
        player = self.player
        found = tuple(Move(player, square) for square in self._reach(player))
        return found if found and not self._first_turn(player) else (*found, Move(player, passes=True))

    def faults(self, turn: Move) -> tuple[Fault, ...]:
        """Return every reason why the turn is illegal; () if it is legal.
        A move out of turn is also checked as a move of that player's camera."""
        found = []
        if self.over:
            found.append(Fault("game_over", Message("the game is over")))
        player = turn.player
        if player not in self.players:
            message = Message("{player} does not play in this game", player=player)
            found.append(Fault("unknown_player", message, player=player))
            player = self.player
        elif player != self.player and not self.over:
            message = Message(
                "it is {player_due}'s turn, not {player}'s", player_due=self.player, player=player
            )
            found.append(Fault("wrong_player", message, player=player))
        if turn.to is None and not turn.passes:
            message = Message("{player} must move or pass", player=player)
            found.append(Fault("no_move", message, player=player))
        elif turn.to is not None and turn.passes:
            message = Message("{player} moves and passes in one turn", player=player)
            found.append(Fault("move_and_pass", message, player=player))
        elif turn.passes:
            found += self._pass_faults(player)
        if turn.to is not None:
            found += self._move_faults(player, turn.to)
        return tuple(found)

    def _pass_faults(self, player: str) -> Iterator[Fault]:
        """Yield the fault of a pass that is not allowed.
        It is in the first turn, later only if no square can be reached ('Start of the game', 'Search for the
        animals')."""
        if not self._first_turn(player) and (squares := self._reach(player)):
            message = Message(
                "{player} may not pass: {square} can be reached, for instance",
                player=player,
                square=squares[0],
            )
            yield Fault("may_not_pass", message, player=player)

    def _move_faults(self, player: str, to: str) -> Iterator[Fault]:
        """Yield the faults of moving the player's camera to the square ``to``."""
        start = self.cameras[player]
        if to not in PLACE:
            message = Message("there is no square {square}", square=to)
            yield Fault("off_board", message, player=player, square=to)
            return
        if to == start:
            message = Message(
                "{player} stands on {square} already and must move to another square",
                player=player,
                square=to,
            )
            yield Fault("not_moved", message, player=player, square=to)
            return
        for code, what in self._kept_off(to):
            yield Fault(f"on_{code}", _cannot_end(player, to, what), square=to)
        if to == self._other(player):
            message = _cannot_end(player, to, Message("the other camera is there"))
            yield Fault("on_camera", message, square=to)
        direction, between = _line(start, to)
        if direction is None:
            message = Message(
                "{square} is in no straight line with {square_before}, "
                "neither along row or column nor diagonally",
                square=to, square_before=start,
            )  # fmt: skip
            yield Fault("not_in_line", message, square=to)
        elif len(direction) == 2 and self._first_turn(player):
            message = Message(
                "in the first turn {player} moves along a row or column only, not diagonally", player=player
            )
            yield Fault("first_turn_diagonal", message, square=to)
        for square in between:
            for code, what in self._kept_off(square):
                message = Message(
                    "{player} cannot move through {square}: {reason}",
                    player=player, square=square, reason=what,
                )  # fmt: skip
                yield Fault(f"through_{code}", message, square=square)

    def _kept_off(self, square: Square) -> Iterator[tuple[str, Message]]:
        """Yield the obstacles that keep cameras off a square, as (suffix of the fault code, reason)."""
        if square in self.landscape.rough:
            kind = TERRAIN_NAMES[self.landscape.terrain[square]]
            yield kind, Message("there is forest") if kind == "forest" else Message("there is a lake")
        for animal in self.animals:
            if animal.square == square:
                yield "animal", Message("the {animal} is there", animal=animal.species)

    def apply(self, turn: Move) -> TrickyStep:
        """Play the turn. Raises IllegalTurn, with all faults, if it is illegal."""
        if found := self.faults(turn):
            raise IllegalTurn(found)
        player, number = turn.player, self.turn_no + 1
        cameras = self.cameras if turn.to is None else {**self.cameras, player: turn.to}
        photos, events = _take_photos(self.photos, self.animals, {player: cameras[player]}, number, "move")
        state = replace(self, turn_no=number, cameras=cameras, photos=photos)
        if number % len(self.players) or state.over:
            return TrickyStep(state, events)
        done = walks(self.landscape, self.animals, tuple(cameras.values()))
        after = {walk.before.species: walk.after for walk in done}
        animals = tuple(after[animal.species] for animal in self.animals)
        photos, more = _take_photos(photos, animals, cameras, number, "step")
        return TrickyStep(replace(state, animals=animals, photos=photos), events + more, done)


def _cannot_end(player: str, square: Square, reason: Message) -> Message:
    """Return the message that a player's camera cannot end on a square, with the reason."""
    return Message("{player} cannot end on {square}: {reason}", player=player, square=square, reason=reason)


def _line(start: Square, to: Square) -> tuple[str | None, tuple[Square, ...]]:
    """Return the direction from ``start`` to ``to`` and the squares between.
    (None, ()) if they are in no straight line."""
    for direction, ray in RAYS[start].items():
        if to in ray:
            return direction, ray[: ray.index(to)]
    return None, ()


def _take_photos(
    photos: Mapping[str, frozenset[str]],
    animals: Sequence[Animal],
    cameras: Mapping[str, Square],
    turn: int,
    after: Literal["move", "step"],
) -> tuple[Mapping[str, frozenset[str]], tuple[Photo, ...]]:
    """Take photos with the given cameras ('How to take photos?').
    Returns the updated species of each player, and the new photos, which get ``turn`` and ``after``."""
    events = tuple(
        Photo(turn, player, animal.species, animal.square, after)
        for player, camera in cameras.items()
        for animal in animals
        if camera in IN_VIEW[animal.square, animal.facing] and animal.species not in photos[player]
    )
    if not events:
        return photos, events
    new = {player: {photo.species for photo in events if photo.player == player} for player in cameras}
    return {player: have.union(new.get(player, ())) for player, have in photos.items()}, events
