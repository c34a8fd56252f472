"""Protocol of every game, whatever its board.

A tile game answers more (engine.games.TileGame). Records are read, checked and written through this protocol
alone, so that a game of another kind needs no change outside its own package.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from engine.fault import Fault
from engine.pack import Pack
from engine.text_span import Span, Words

Preset = TypeVar("Preset")
"""A game's rule edition."""


class GameError(ValueError):
    """A game that cannot be played or asked for; the message is one clear line."""


class IllegalTurn(GameError):
    """A turn (or header) that the rules refuse; ``faults`` says every reason."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Opening:
    """Opening of a game: the first line of its record. ``rules`` names a preset, None the game's default;
    ``position`` is the position before the first turn on one line, None for the game's own opening.
    Each kind of game has its own with more fields."""

    game: str
    pack: str
    players: tuple[str, ...]
    rules: str | None = None
    position: str | None = field(default=None, kw_only=True)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """The fields given that say how the game's own opening looks."""
        return ()


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of one kind and colour that stand on the board, and their number in a game. Pieces that only
    keep the score do not count."""

    kind: str
    color: str
    count: int


class Event(Protocol):
    """Points for one player, and why: what people are told of a turn."""

    @property
    def turn(self) -> int:
        """Counts from 1."""

    @property
    def player(self) -> str:
        """The player's colour."""

    @property
    def points(self) -> int:
        """The points, perhaps none."""

    @property
    def kind(self) -> str:
        """Kind of feature or event that scored, as records name it (docs/formats.md)."""

    @property
    def why(self) -> str:
        """The reason in words, in English."""

    @property
    def at_end(self) -> bool:
        """Whether it belongs to the final scoring."""

    def to_json(self) -> dict[str, Any]:
        """The event as records write it."""


class Written(Protocol):
    """Event that a record line tells: a turn or another one."""

    def to_json(self) -> dict[str, Any]:
        """The line's own keys and values."""


class Played(Protocol):
    """Result of a turn."""

    @property
    def state(self) -> Position:
        """The position after the turn."""

    @property
    def events(self) -> Sequence[Event]:
        """The points of the turn, in the order in which they were given."""


class Position(Protocol):
    """A position of any game. Never changed; undo is keeping the old value."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players' colours in turn order."""

    @property
    def player(self) -> str:
        """Player whose turn it is."""

    @property
    def turn_no(self) -> int:
        """Turns played so far."""

    @property
    def over(self) -> bool:
        """Whether no turn can follow."""

    def faults(self, turn: Any) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""

    def apply(self, turn: Any) -> Played:
        """The turn played; IllegalTurn (with all faults) if it may not be."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a game if it ends now. ``text`` is for people, ``value`` for `check --json`
    (docs/formats.md, 'Output of check'), ``events`` are those of the end alone."""

    value: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    events: tuple[Event, ...] = ()


class Records(Protocol):
    """Reader, writer and comparer of a game's records (docs/formats.md, 'Game record').

    Headers, positions and what lines say are the game's own values, hence Any here. Whatever reads a
    value raises jsonvalue.FieldError with the field's name.
    """

    @property
    def header_keys(self) -> frozenset[str]:
        """The header's keys beyond those that every game has."""

    def read_header(self, opening: Opening, source: Mapping[str, Any]) -> Opening:
        """The game's own header; ``opening`` is what every game has, ``source`` the line."""

    def header_to_json(self, header: Any) -> dict[str, Any]:
        """The header's values beyond those that every game has."""

    def pack(self, header: Any) -> Pack | None:
        """The pack that its rules need, None for none; PackError where it cannot be had."""

    def read_line(self, source: Mapping[str, Any]) -> Written:
        """Event that a line tells; ``source`` holds no key but the game's own."""

    def read_expect(self, expect: Mapping[str, Any]) -> None:
        """Refuses expectations that are unknown or of a wrong type."""

    def play(self, position: Any, event: Any) -> tuple[Position, Sequence[Event]]:
        """The line played; IllegalTurn (with all faults) if it may not be."""

    def unmet(
        self, expect: Mapping[str, Any], event: Any, before: Any, after: Any
    ) -> Iterator[tuple[str, Any, Any]]:
        """Every (key, expected, got) that does not agree. ``event`` is None for the header and for
        the end line."""

    def outcome(self, position: Any) -> Outcome:
        """Outcome of the game if it ends now."""


class Notation(Protocol):
    """Reader and writer of a game's turns and positions on one line (engine.notation). Whatever reads raises
    text_span.NotationError, with the column that is wrong."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys of a position's fields, in the order in which they are written."""

    def write_turn(self, event: Written) -> str:
        """Word for an event."""

    def read_turn(self, word: Span) -> Written:
        """Event that a word tells, legal or not."""

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """The name of the edition, and the words of the position after it."""

    def read_position(self, game: Game, rules: str, words: Words, pack: Pack | None) -> Position:
        """The position that the words say. ``rules`` is one of the game's presets; ``pack`` None stands
        for the one that the words name."""


class Game(Protocol):
    """The rules of one game, of whatever kind."""

    @property
    def name(self) -> str:
        """The game's id in packs and records."""

    @property
    def default_pack(self) -> str:
        """The id of the pack that a record names where nobody named one."""

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of its rule editions, the default first."""

    @property
    def colors(self) -> tuple[str, ...]:
        """The colours of its pieces."""

    @property
    def pieces(self) -> tuple[Pieces, ...]:
        """The wooden pieces in its box, for as many players as it has colours."""

    @property
    def records(self) -> Records:
        """Reader and writer of its records."""

    @property
    def notation(self) -> Notation:
        """Reader and writer of its turns and positions on one line."""

    def header_faults(self, header: Any, pack: Any) -> tuple[Fault, ...]:
        """Every reason why a game cannot start so."""

    def start(self, header: Any, pack: Any) -> Position:
        """The position before the first turn; IllegalTurn if the header is at fault."""


class OpenPlayed(Played, Protocol):
    """Result of a turn where nothing is hidden."""

    @property
    def state(self) -> OpenPosition:
        """The position after the turn."""


class OpenPosition(Position, Protocol):
    """A position of a game in which nothing is drawn or hidden: every legal turn can be listed."""

    @property
    def points(self) -> Mapping[str, int]:
        """Points of each player so far."""

    def turns(self) -> tuple[Any, ...]:
        """Every legal turn; at least one unless the game is over."""

    def apply(self, turn: Any) -> OpenPlayed:
        """The turn played; IllegalTurn (with all faults) if it may not be."""


@runtime_checkable
class OpenGame(Game, Protocol):
    """A game in which nothing is drawn or hidden once it is set up."""

    def dealt(self, players: tuple[str, ...], rng: random.Random, rules: str | None = None) -> Opening:
        """A random set-up."""

    def start(self, header: Any, pack: Any) -> OpenPosition:
        """The position before the first turn; IllegalTurn if the header is at fault."""

    def expected(self, turn: Any, before: Any, after: Any) -> dict[str, Any]:
        """Values that a record line should expect, ``turn`` being None for its end line."""


def preset_of(presets: Mapping[str, Preset], name: str | None, game: str) -> Preset:
    """The rule edition of that name, or the first where none is named; GameError where there is none such."""
    if name is not None and name not in presets:
        raise GameError(f"no rules {name!r} for {game} (known: {', '.join(presets)})")
    return presets[name or next(iter(presets))]


def check_start(game: Game, header: Any, pack: Pack) -> None:
    """GameError if the pack is another game's, IllegalTurn if the header is at fault."""
    if pack.game != game.name:
        raise GameError(f"pack {pack.id} is not for {game.name}")
    if faults := game.header_faults(header, pack):
        raise IllegalTurn(faults)
