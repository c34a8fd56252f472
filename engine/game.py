"""Protocols that every game implements, whatever its board.

Tile games implement more (engine.tiles.tile_game.TileGame). Records are read, checked and written through
these protocols alone, so that a new kind of game needs no change outside its own package.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from engine.fault import Fault
from engine.message import Message
from engine.pack import Pack
from engine.text_span import PositionWords, Span

Preset = TypeVar("Preset")
"""A game's rule edition."""


class GameError(ValueError):
    """An unknown game, edition or tile, or a pack of another game; the message is one line."""


class IllegalTurn(GameError):
    """A turn (or header) that the rules refuse; ``faults`` holds every reason."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        messages = [fault.message for fault in faults]
        super().__init__(messages[0] if len(messages) == 1 else Message("{faults}", faults=messages))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Opening:
    """Header of a record: game, pack and players.
    ``rules`` names a rule edition (None: the game's default); ``position`` is the position before the first
    turn in notation (None: the game's own opening). Games derive their headers from it."""

    game: str
    pack: str
    players: tuple[str, ...]
    rules: str | None = None
    position: str | None = field(default=None, kw_only=True)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """Names of the given fields that describe the game's own opening; none by default."""
        return ()


@dataclass(frozen=True, slots=True)
class Pieces:
    """Number of pieces of one kind and colour in the box, without those that only keep the score."""

    kind: str
    color: str
    count: int


class Event(Protocol):
    """One scoring event: points for one player, and the reason."""

    @property
    def turn(self) -> int:
        """Number of the turn, from 1."""

    @property
    def player(self) -> str:
        """The player's colour."""

    @property
    def points(self) -> int:
        """The points, possibly 0."""

    @property
    def kind(self) -> str:
        """Kind of feature or event that scored, as records name it (docs/formats.md)."""

    @property
    def why(self) -> Message:
        """The reason."""

    @property
    def at_end(self) -> bool:
        """Whether the event belongs to the final scoring."""

    def to_json(self) -> dict[str, Any]:
        """Return the event as a JSON object (docs/formats.md, 'Output of check')."""


class Written(Protocol):
    """Content of a record line: a turn, a tile put aside, points set by hand, or the end."""

    def to_json(self) -> dict[str, Any]:
        """Return the line as a JSON object, without the keys that every line may have."""


class TurnResult(Protocol):
    """Result of a turn."""

    @property
    def state(self) -> Position:
        """The position after the turn."""

    @property
    def events(self) -> Sequence[Event]:
        """The scoring events of the turn, in order."""


class Position(Protocol):
    """An immutable position of any game."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players' colours in turn order."""

    @property
    def player(self) -> str:
        """Player whose turn it is."""

    @property
    def turn_no(self) -> int:
        """Number of turns played so far."""

    @property
    def over(self) -> bool:
        """Whether the game is over."""

    def faults(self, turn: Any) -> tuple[Fault, ...]:
        """Return every reason why the turn is illegal; empty if it is legal."""

    def apply(self, turn: Any) -> TurnResult:
        """Play the turn. Raises IllegalTurn, with all faults, if it is illegal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a game if it ends now.
    ``text`` is for people, ``value`` for `check --json` (docs/formats.md, 'Output of check'), ``events`` are
    those of the final scoring."""

    value: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    events: tuple[Event, ...] = ()


class Records(Protocol):
    """A game's part of reading, writing and checking records (docs/formats.md, 'Game record').

    Headers, positions and events have the game's own types, hence Any here. The readers raise
    jsonvalue.FieldError with the field's name.
    """

    @property
    def header_keys(self) -> frozenset[str]:
        """The header's keys besides record.HEADER_KEYS."""

    def read_header(self, opening: Opening, source: Mapping[str, Any]) -> Opening:
        """Return the game's own header: ``opening`` with the values of the parsed line ``source``.
        Raises FieldError."""

    def header_to_json(self, header: Any) -> dict[str, Any]:
        """Return the header's own fields as JSON, without the common ones."""

    def pack(self, header: Any) -> Pack | None:
        """Load the pack that the rules need, None if they need none. Raises PackError if that fails."""

    def read_line(self, source: Mapping[str, Any]) -> Written:
        """Return the event of a line; ``source`` holds only the game's own keys. Raises FieldError."""

    def read_expect(self, expect: Mapping[str, Any]) -> None:
        """Validate a line's ``expect``. Raises FieldError for unknown keys and wrong types."""

    def play(self, position: Any, event: Any) -> tuple[Position, Sequence[Event]]:
        """Play a line; return the position after it and its scoring events. Raises IllegalTurn."""

    def unmet(
        self, expect: Mapping[str, Any], event: Any, before: Any, after: Any
    ) -> Iterator[tuple[str, Any, Any]]:
        """Yield (key, expected, actual) for every expectation that does not hold.
        ``before`` and ``after`` are the positions around the line; ``event`` is None for the header and the
        end line."""

    def outcome(self, position: Any) -> Outcome:
        """Return the outcome of the game if it ends now."""


class Notation(Protocol):
    """Reader and writer of a game's turns and positions on one line (engine.notation).
    The readers raise text_span.NotationError with the column of the fault."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys of a position's fields, in the order of writing."""

    def write_turn(self, event: Written) -> str:
        """Return an event as one word. Raises NotationError if it is of another game."""

    def read_turn(self, word: Span) -> Written:
        """Parse an event, legal or not. Raises NotationError."""

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """Return the name of a position's rule edition, and the words after it.
        Raises NotationError if it is of another game or its rules are no named edition."""

    def read_position(self, game: Game, rules: str, words: PositionWords, pack: Pack | None) -> Position:
        """Parse a position. Raises NotationError.
        ``rules`` is one of the game's presets; ``pack`` None loads the pack that the words name."""


class Game(Protocol):
    """The rules of one game of any kind."""

    @property
    def name(self) -> str:
        """The game's id in packs and records."""

    @property
    def default_pack(self) -> str:
        """The id of the pack that is used if none is named."""

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of its rule editions, the default first."""

    @property
    def colors(self) -> tuple[str, ...]:
        """The colours of its pieces."""

    @property
    def pieces(self) -> tuple[Pieces, ...]:
        """The wooden pieces in the box, of all colours."""

    @property
    def records(self) -> Records:
        """Reader and writer of its records."""

    @property
    def notation(self) -> Notation:
        """Reader and writer of its turns and positions on one line."""

    def header_faults(self, header: Any, pack: Any) -> tuple[Fault, ...]:
        """Return the reasons why no game can start with this header; empty if it can."""

    def start(self, header: Any, pack: Any) -> Position:
        """Return the position before the first turn. Raises IllegalTurn if the header has faults."""


class OpenTurnResult(TurnResult, Protocol):
    """Result of a turn in an `OpenGame`."""

    @property
    def state(self) -> OpenPosition:
        """The position after the turn."""


class OpenPosition(Position, Protocol):
    """A position of an `OpenGame`: every legal turn can be listed."""

    @property
    def points(self) -> Mapping[str, int]:
        """Points of each player so far."""

    def turns(self) -> tuple[Any, ...]:
        """Return every legal turn; empty only if the game is over."""

    def apply(self, turn: Any) -> OpenTurnResult:
        """Play the turn. Raises IllegalTurn, with all faults, if it is illegal."""


@runtime_checkable
class OpenGame(Game, Protocol):
    """A game of perfect information: after the set-up nothing is drawn or hidden."""

    def dealt(self, players: tuple[str, ...], rng: random.Random, rules: str | None = None) -> Opening:
        """Return a random set-up for these players; ``rules`` None is the default edition."""

    def start(self, header: Any, pack: Any) -> OpenPosition:
        """Return the position before the first turn. Raises IllegalTurn if the header has faults."""

    def expected(self, turn: Any, before: Any, after: Any) -> dict[str, Any]:
        """Return the ``expect`` values to write on the record line of ``turn`` (None: the end line)."""


def preset_of(presets: Mapping[str, Preset], name: str | None, game: str) -> Preset:
    """Return the rule edition of that name, the first if ``name`` is None.
    Raises GameError, which names ``game``, if it is unknown."""
    if name is not None and name not in presets:
        raise GameError(f"no rules {name!r} for {game} (known: {', '.join(presets)})")
    return presets[name or next(iter(presets))]


def check_start(game: Game, header: Any, pack: Pack) -> None:
    """Check pack and header before a start.
    Raises GameError for another game's pack, IllegalTurn for faults of the header."""
    if pack.game != game.name:
        raise GameError(f"pack {pack.id} is not for {game.name}")
    if faults := game.header_faults(header, pack):
        raise IllegalTurn(faults)
