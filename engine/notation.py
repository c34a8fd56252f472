"""Notation of every game: a turn or a position on one line (docs/notation.md).

``red:CS13-G@0,1e/meeple=t0`` is a turn. A position begins with its game and edition and is complete:
``read_position(write_position(game, state)) == state``. Each game defines its own words; this module picks
the game and holds the common part.
"""

from __future__ import annotations

from engine.game import Game, GameError, Position, Written
from engine.games import game_named, load_games
from engine.pack import Pack
from engine.position_line import position_text, read_position_of
from engine.record import End
from engine.text_span import NotationError, Span, edition_of

__all__ = ["NotationError", "game_of", "read_position", "read_turn", "write_position", "write_turn"]

_END = "end"


def write_turn(game: str, event: Written) -> str:
    """Return the event of a record line as one word.
    Raises NotationError if it is no turn of that game, GameError if there is no such game."""
    return _END if isinstance(event, End) else game_named(game).notation.write_turn(event)


def read_turn(game: str, text: str) -> Written:
    """Parse a turn (or tile put aside, or end), legal or not.
    Raises NotationError, with the column of the fault, GameError if there is no such game."""
    load_games()
    notation = game_named(game).notation
    words = Span.of(text).words()
    if len(words) != 1:
        raise (words[1] if words else Span.of(text)).fault("a turn is one word without spaces")
    return End() if words[0].text == _END else notation.read_turn(words[0])


def write_position(game: str, position: Position) -> str:
    """Return a position on one line.
    Raises NotationError if it is another game's, or if its rules are no named edition; GameError if there is
    no such game."""
    return position_text(game_named(game), position)


def read_position(text: str, pack: Pack | None = None) -> Position:
    """Parse a position. Raises NotationError, with the column of the fault.
    ``pack`` None loads the pack that the line names."""
    line = Span.of(text)
    return read_position_of(_game_of(line), line, pack)


def game_of(text: str) -> str:
    """Return the name of the game of a position. Raises NotationError if it is unknown or unreadable."""
    return _game_of(Span.of(text)).name


def _game_of(line: Span) -> Game:
    """Return the game that a position's first word names. Raises NotationError if it is unknown."""
    name = edition_of(line)[0]
    try:
        return game_named(name.name("a game"))
    except GameError as error:
        raise name.fault(str(error)) from None
