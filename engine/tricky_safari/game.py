"""Tricky Safari as an `engine.squares_game.SquareGame`: headers, start, random set-up."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.fault import Fault
from engine.game import GameError, IllegalTurn, Opening, Pieces, preset_of
from engine.message import Message
from engine.pack import Pack
from engine.position_line import start_from_position
from engine.squares_game import Figure
from engine.tricky_safari.board import FACINGS, PLACE, SIZE, SQUARES, Animal, Square, Terrain
from engine.tricky_safari.notation import TRICKY_NOTATION, TrickyNotation
from engine.tricky_safari.records import (
    TRICKY_RECORDS,
    TrickyHeader,
    TrickyRecords,
    animals_to_json,
    photos_to_json,
)
from engine.tricky_safari.rules import (
    AT_HOME,
    COLORS,
    FOREST,
    GROUND,
    LAKE,
    PAWN,
    PIECES,
    PRESETS,
    SPECIES,
    TERRAIN_NAMES,
    WALKER,
    Rules,
)
from engine.tricky_safari.state import Move, TrickyState


@dataclass(frozen=True, slots=True)
class TrickySafari:
    """Implementation of engine.squares_game.SquareGame."""

    name: str = "tricky-safari"
    default_pack: str = "tricky-safari"
    presets: tuple[str, ...] = tuple(PRESETS)
    colors: tuple[str, ...] = COLORS
    pieces: tuple[Pieces, ...] = PIECES
    records: TrickyRecords = TRICKY_RECORDS
    notation: TrickyNotation = TRICKY_NOTATION
    pawn: str = PAWN
    walker: str = WALKER

    def rules(self, preset: str | None) -> Rules:
        """Return the rule edition of that name, the default for None. Raises GameError if it is unknown."""
        return preset_of(PRESETS, preset, self.name)

    def header_faults(self, header: TrickyHeader, pack: Pack | None = None) -> tuple[Fault, ...]:
        """Return the reasons why no game can start with this header; () if it can.
        It needs ten distinct species, no two pieces on one square, cameras on ground, animals on terrain that
        they may enter ('Start of the game'; rulings, 'A header needs')."""
        return (*_player_faults(header), *_species_faults(header), *_square_faults(header))

    def start(self, header: TrickyHeader, pack: Pack | None = None) -> TrickyState:
        """Return the position before the first turn, without photos, or the one that the header states.
        Raises IllegalTurn if the header has faults, GameError if the rules are unknown or the pack is another
        game's."""
        rules = self.rules(header.rules)
        if pack is not None and pack.game != self.name:
            raise GameError(f"pack {pack.id} is not for {self.name}")
        if header.position is not None:
            state: TrickyState = start_from_position(self, header, pack)
            return state
        if faults := self.header_faults(header, pack):
            raise IllegalTurn(faults)
        return TrickyState(
            rules=rules,
            players=header.players,
            turn_no=0,
            landscape=Terrain.of(header.terrain),
            animals=header.animals,
            cameras=header.cameras,
            photos={player: frozenset() for player in header.players},
        )

    def dealt(self, players: tuple[str, ...], rng: random.Random, rules: str | None = None) -> TrickyHeader:
        """Return a random set-up: patches of forest and lake, animals on ground, cameras in opposite corners.
        Raises GameError for unknown players."""
        opening = Opening(self.name, self.default_pack, players, rules or self.presets[0])
        if faults := tuple(_player_faults(opening)):
            raise GameError(faults[0].message)
        start = dict(zip(players, rng.choice((("a1", "j10"), ("j1", "a10"))), strict=True))
        terrain = dict.fromkeys(SQUARES, GROUND)
        for _ in range(rng.randint(6, 12)):
            kind, (column, row) = rng.choice((FOREST, LAKE)), PLACE[rng.choice(SQUARES)]
            width, height = rng.choice(((1, 1), (2, 1), (1, 2)))
            for square in SQUARES:
                x, y = PLACE[square]
                if 0 <= x - column < width and 0 <= y - row < height and square not in start.values():
                    terrain[square] = kind
        free = [square for square in SQUARES if terrain[square] == GROUND and square not in start.values()]
        squares = rng.sample(free, len(SPECIES))
        signs = "".join(terrain.values())
        return TrickyHeader(
            self.name,
            self.default_pack,
            players,
            opening.rules,
            terrain=tuple(signs[i : i + SIZE] for i in range(0, len(signs), SIZE)),
            animals=tuple(
                Animal(species, square, rng.choice(FACINGS))
                for species, square in zip(SPECIES, squares, strict=True)
            ),
            start=start,
        )

    def opening_seen(
        self, opening: Opening, terrain: Sequence[str], figures: Sequence[Figure]
    ) -> TrickyHeader:
        """Return the header of a game that starts from the set-up seen on the table ('Start of the game').
        ``terrain`` are rows of signs, row 10 first; other fields are those of ``opening``."""
        animals = [
            Animal(one.name, one.square, one.facing)
            for one in figures
            if one.kind == WALKER and one.facing is not None
        ]
        return TrickyHeader(
            opening.game,
            opening.pack,
            opening.players,
            opening.rules,
            terrain=tuple(terrain),
            animals=tuple(sorted(animals, key=lambda one: _species_order(one.species))),
            start={one.name: one.square for one in figures if one.kind == PAWN},
        )

    def turn_seen(self, player: str, square: str | None) -> Move:
        """Return the turn in which a player's camera moves to ``square``; None is a pass."""
        return Move(player, square, passes=square is None)

    def expected(self, turn: Move | None, before: TrickyState, after: TrickyState) -> dict[str, Any]:
        """Return the ``expect`` values to write on the record line of ``turn`` (None: the end line).
        ``before`` and ``after`` are the positions around it."""
        if turn is None:
            return {"winner": after.winner, "photos": dict(after.points)}
        value = {"moves": len(before.moves()), "photos": photos_to_json(after.photos)}
        at_rest = after.turn_no % len(after.players) == 0
        return {**value, "animals": animals_to_json(after.animals)} if at_rest else value


def _species_order(species: str) -> int:
    """Return a sort key: the index in SPECIES, unknown species last."""
    return SPECIES.index(species) if species in SPECIES else len(SPECIES)


def _player_faults(opening: Opening) -> Iterator[Fault]:
    """Yield the faults of the players: number, duplicates, unknown colours, order."""
    players = opening.players
    if len(players) != len(COLORS):
        message = Message(
            "Tricky Safari is for {least} players, not {number}", least=len(COLORS), number=len(players)
        )
        yield Fault("players_number", message)
    if len(set(players)) != len(players):
        yield Fault("players_twice", Message("two players have one colour"))
    for player in dict.fromkeys(players):
        if player not in COLORS:
            message = Message(
                "there is no {player} camera (colours: {player_known})", player=player, player_known=COLORS
            )
            yield Fault("unknown_player", message, player=player)
    if players != COLORS and set(players) == set(COLORS) and len(players) == len(COLORS):
        message = Message("{player} moves first in every round", player=COLORS[0])
        yield Fault("players_order", message)


def _species_faults(header: TrickyHeader) -> Iterator[Fault]:
    """Yield the faults of the animals: unknown, duplicate or missing species."""
    numbers = Counter(animal.species for animal in header.animals)
    for species, number in numbers.items():
        if species not in SPECIES:
            message = Message("there is no animal {animal} in this game", animal=species)
            yield Fault("unknown_species", message)
        elif number > 1:
            message = Message("there is one {animal}, not {number}", animal=species, number=number)
            yield Fault("species_twice", message)
    for species in SPECIES:
        if species not in numbers:
            yield Fault("species_missing", Message("the {animal} is missing", animal=species))


def _square_faults(header: TrickyHeader) -> Iterator[Fault]:
    """Yield the faults of the pieces' squares: off the board, taken, or on forbidden terrain.
    Cameras of unknown players are faults, too."""
    landscape = Terrain.of(header.terrain)
    for player in header.start:
        if player not in header.players:
            message = Message("{player} does not play in this game", player=player)
            yield Fault("unknown_player", message, player=player)
    cameras = {
        Message("{player}'s camera", player=player): square for player, square in header.cameras.items()
    }
    pieces = [(_the(animal.species), animal.square) for animal in header.animals]
    held: dict[Square, Message] = {}
    for piece, square in (*cameras.items(), *pieces):
        if square not in PLACE:
            message = Message(
                "{piece} stands on {square}: there is no such square", piece=piece, square=square
            )
            yield Fault("off_board", message, square=square)
        elif square in held:
            message = Message(
                "{piece} stands on {square}, where {piece_there} is",
                piece=piece, square=square, piece_there=held[square],
            )  # fmt: skip
            yield Fault("square_taken", message, square=square)
        held.setdefault(square, piece)
    homes: Mapping[str, str] = {_the(species): kind for species, kind in AT_HOME.items()}
    for piece, square in (*cameras.items(), *pieces):
        kind = landscape.terrain.get(square, GROUND)
        if kind not in (GROUND, homes.get(piece)):
            what = "camera" if piece in cameras else "animal"
            message = Message(
                "{piece} cannot stand on {square}: it is {kind}",
                piece=piece, square=square, kind=TERRAIN_NAMES[kind],
            )  # fmt: skip
            yield Fault(f"{what}_on_{TERRAIN_NAMES[kind]}", message, square=square)


def _the(species: str) -> Message:
    """Return an animal with its definite article."""
    return Message("the {animal}", animal=species)


TRICKY_SAFARI = TrickySafari()
