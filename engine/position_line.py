"""Position on one line (docs/notation.md), and the start of a game from one that its header states."""

from __future__ import annotations

from typing import Any

from engine.fault import Fault
from engine.game import Game, IllegalTurn, Opening, Position
from engine.pack import Pack
from engine.text_span import NotationError, Span, Words, edition_of, name_text


def position_text(game: Game, position: Position) -> str:
    """A position of ``game`` on one line. NotationError for one that is not of it, or that is played by
    rules of no name."""
    rules, words = game.notation.write_position(position)
    return " ".join((f"{name_text(game.name)}/{name_text(rules)}", *words))


def read_position_of(game: Game, line: Span, pack: Pack | None) -> Position:
    """The position of ``game`` that a line says; NotationError says what cannot be, and where."""
    rules = edition_of(line)[1].one_of(game.presets, "edition")
    words = Words(line, line.words()[1:], game.notation.fields)
    return game.notation.read_position(game, rules, words, pack)


def start_from_position(game: Game, header: Opening, pack: Pack | None) -> Any:
    """The position that ``header`` states in place of the game's own opening. IllegalTurn where it cannot be
    read, cannot be reached, or disagrees with the rest of the header."""
    assert header.position is not None
    try:
        line = Span.of(header.position)
        named = edition_of(line)[0].name("a game")
        if named != game.name:
            raise IllegalTurn(
                [Fault("position_disagrees", f"the position is of {named}, not of {game.name}")]
            )
        position = read_position_of(game, line, pack)
        rules = edition_of(line)[1].name("an edition")
    except NotationError as error:
        raise IllegalTurn([Fault("bad_position", f"the position cannot be: {error}")]) from None
    faults = []
    if header.rules not in (None, rules):
        message = f"the position is of the edition {rules}, the header of {header.rules}"
        faults.append(Fault("position_disagrees", message))
    if not _same_order(header.players, position.players):
        told, played = ", ".join(header.players), ", ".join(position.players)
        message = f"the players are {told}, in the position {played}"
        faults.append(Fault("position_disagrees", message))
    for key in header.opening_fields:
        message = f"{key} stand in the position already: a header says one or the other"
        faults.append(Fault("position_disagrees", message))
    if faults:
        raise IllegalTurn(faults)
    return position


def _same_order(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether players sit in the same order, whoever begins."""
    turns = range(max(len(one), 1))
    return len(one) == len(other) and any(one[i:] + one[:i] == other for i in turns)
