"""Notation of every game: a turn or a position on one line (docs/notation.md).

``red:CS13-G@0,1e/meeple=t0`` is a turn. A position begins with its game and edition and holds everything
that is needed to go on playing: ``read_position(write_position(game, state)) == state``. What the words
mean is each game's own; here stands what all share.
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
    """Event of a record line as one word without white space. NotationError for what is no turn of that game,
    GameError where there is no such game."""
    return _END if isinstance(event, End) else game_named(game).notation.write_turn(event)


def read_turn(game: str, text: str) -> Written:
    """The turn (or tile put aside, or end) that a word says, legal or not. NotationError says what cannot
    be read and where, GameError that there is no such game."""
    load_games()
    notation = game_named(game).notation
    words = Span.of(text).words()
    if len(words) != 1:
        raise (words[1] if words else Span.of(text)).fault("a turn is one word without spaces")
    return End() if words[0].text == _END else notation.read_turn(words[0])


def write_position(game: str, position: Position) -> str:
    """A position on one line. NotationError for one that is not of that game, or that is played by rules
    of no name; GameError where there is no such game."""
    return position_text(game_named(game), position)


def read_position(text: str, pack: Pack | None = None) -> Position:
    """The position that a line says; NotationError says what cannot be, and where. ``pack`` is the one
    to play with, if not the one that the line names is to be loaded."""
    line = Span.of(text)
    return read_position_of(_game_of(line), line, pack)


def game_of(text: str) -> str:
    """The game that a position is of; NotationError if that cannot be read."""
    return _game_of(Span.of(text)).name


def _game_of(line: Span) -> Game:
    """The game that a position's first word names."""
    name = edition_of(line)[0]
    try:
        return game_named(name.name("a game"))
    except GameError as error:
        raise name.fault(str(error)) from None
