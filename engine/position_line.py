"""Positions on one line (docs/notation.md), and the start of a game from the position in its header."""

from __future__ import annotations

from typing import Any

from engine.fault import Fault
from engine.game import Game, IllegalTurn, Opening, Position
from engine.message import Message, message_of
from engine.pack import Pack
from engine.text_span import NotationError, PositionWords, Span, edition_of, name_text


def position_text(game: Game, position: Position) -> str:
    """Return a position of ``game`` on one line.
    Raises NotationError if it is another game's, or if its rules are no named edition."""
    rules, words = game.notation.write_position(position)
    return " ".join((f"{name_text(game.name)}/{name_text(rules)}", *words))


def read_position_of(game: Game, line: Span, pack: Pack | None) -> Position:
    """Parse a position of ``game``. Raises NotationError, with the column of the fault.
    ``pack`` None loads the pack that the line names."""
    rules = edition_of(line)[1].one_of(game.presets, "edition")
    words = PositionWords(line, line.words()[1:], game.notation.fields)
    return game.notation.read_position(game, rules, words, pack)


def start_from_position(game: Game, header: Opening, pack: Pack | None) -> Any:
    """Return the position that ``header.position`` states, in place of the game's own opening.
    Raises IllegalTurn if it cannot be parsed, is impossible, or disagrees with the rest of the header."""
    assert header.position is not None
    try:
        line = Span.of(header.position)
        named = edition_of(line)[0].name("a game")
        if named != game.name:
            message = Message("the position is of {game}, not of {other}", game=named, other=game.name)
            raise IllegalTurn([Fault("position_disagrees", message)])
        position = read_position_of(game, line, pack)
        rules = edition_of(line)[1].name("an edition")
    except NotationError as error:
        message = Message("the position cannot be: {reason}", reason=message_of(error))
        raise IllegalTurn([Fault("bad_position", message)]) from None
    faults = []
    if header.rules not in (None, rules):
        message = Message(
            "the position is of the edition {rules}, the header of {other}",
            rules=rules,
            other=header.rules or "",
        )
        faults.append(Fault("position_disagrees", message))
    if not _same_order(header.players, position.players):
        message = Message(
            "the players are {player}, in the position {player_there}",
            player=header.players, player_there=position.players,
        )  # fmt: skip
        faults.append(Fault("position_disagrees", message))
    for key in header.opening_fields:
        message = Message("{field} stand in the position already: a header says one or the other", field=key)
        faults.append(Fault("position_disagrees", message))
    if faults:
        raise IllegalTurn(faults)
    return position


def _same_order(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two seating orders are rotations of each other."""
    turns = range(max(len(one), 1))
    return len(one) == len(other) and any(one[i:] + one[:i] == other for i in turns)
