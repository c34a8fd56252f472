"""Notation of Tricky Safari: turns and positions on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from engine.game import Game, GameError, Written
from engine.pack import Pack
from engine.text_span import NotationError, PositionWords, Span, name_text, names_text
from engine.tricky_safari.board import FACINGS, SIZE, Animal
from engine.tricky_safari.records import BUILT_IN, TrickyHeader
from engine.tricky_safari.rules import GROUND, PRESETS, SPECIES, TERRAIN_NAMES
from engine.tricky_safari.state import Move, TrickyState

PASS = "pass"
_SIGNS = re.compile(r"[1-9][0-9]?|[A-Z]")


@dataclass(frozen=True, slots=True)
class TrickyNotation:
    """Reader and writer of turns and positions (engine.game.Notation)."""

    fields: tuple[str, ...] = ("to", "turn", "cameras", "photos", "animals", "terrain")

    def write_turn(self, event: Written) -> str:
        """Return a turn as one word: ``yellow:c4``, ``red:pass``. Raises NotationError for another game's."""
        if not isinstance(event, Move):
            raise NotationError("that is no turn of Tricky Safari")
        parts = []
        if event.to is not None:  # a square of that name would be taken for a pass
            parts.append("%70ass" if event.to == PASS else name_text(event.to))
        if event.passes:
            parts.append(PASS)
        return f"{name_text(event.player)}:{'/'.join(parts)}"

    def read_turn(self, word: Span) -> Written:
        """Parse a turn, legal or not. Raises NotationError."""
        player, rest = word.cut(":", "a player and a square such as yellow:c4, or yellow:pass")
        name, parts = player.name("a player"), rest.split("/")
        to: str | None = None
        if parts and parts[0].text != PASS:
            to = parts.pop(0).name("a square")
        passes = bool(parts) and parts.pop(0).text == PASS
        if parts or (rest.text and not passes and "/" in rest.text):
            raise rest.fault(f"{rest.text!r} should be one square, or {PASS}")
        return Move(name, to, passes)

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """Return the edition and the words of a position.
        Raises NotationError if it is another game's or its rules are no edition."""
        if not isinstance(position, TrickyState):
            raise NotationError("that is no position of Tricky Safari")
        state = position
        rules = next((name for name, preset in PRESETS.items() if preset == state.rules), None)
        if rules is None:
            raise NotationError("this game is played by rules that are no edition, so it cannot be written")
        return rules, [
            f"to={name_text(state.player)}",
            f"turn={state.turn_no}",
            f"cameras={names_text({player: (square,) for player, square in state.cameras.items()})}",
            f"photos={names_text({player: sorted(species) for player, species in state.photos.items()})}",
            "animals=" + ",".join(f"{a.species}@{a.square}{a.facing}" for a in state.animals),
            "terrain=" + "/".join(map(_row_text, state.landscape.rows)),
        ]

    def read_position(self, game: Game, rules: str, words: PositionWords, pack: Pack | None) -> TrickyState:
        """Parse a position. Raises NotationError if it is impossible."""
        for word in words.bare:
            raise word.fault(f"{word.text[:40]!r} is not known here")
        field = words.field("cameras")
        cameras = {}
        for span, player, squares in field.names("a square", "a player"):
            if player not in game.colors:
                raise span.fault(f"there is no {player} camera (colours: {', '.join(game.colors)})")
            if len(squares) != 1:
                raise span.fault(f"{player} has one camera, on one square")
            cameras[player] = squares[0]
        header = TrickyHeader(
            game=game.name,
            pack=BUILT_IN,
            players=tuple(cameras),
            rules=rules,
            terrain=_terrain(words.field("terrain")),
            animals=tuple(_animal(span) for span in words.field("animals").split(",")),
            start=cameras,
        )
        try:
            start = cast(TrickyState, game.start(header, pack))
        except GameError as error:  # an impossible set-up is an impossible position
            raise field.fault(str(error)) from None
        turn = words.field("turn")
        state = replace(start, turn_no=turn.integer(), photos=_photos(words.field("photos"), start.players))
        if not 0 <= state.turn_no <= start.rules.moves * len(start.players):
            raise turn.fault(f"each player has {start.rules.moves} moves")
        to = words.field("to")
        if to.name("a player") != state.player:
            raise to.fault(f"after {state.turn_no} turns it is {state.player}'s turn")
        return state


def _row_text(row: str) -> str:
    """Return a row of terrain as in notation, with runs of ground as numbers: ``4F2L2``."""
    return re.sub(r"\.+", lambda run: str(len(run[0])), row)


def _terrain(field: Span) -> tuple[str, ...]:
    """Parse the rows of terrain. Raises NotationError."""
    rows = tuple(_row(span) for span in field.split("/"))
    if len(rows) != SIZE:
        raise field.fault(f"a landscape has {SIZE} rows, not {len(rows)}")
    return rows


def _row(span: Span) -> str:
    """Parse a row of terrain, ``4F2L2``, to one sign per square. Raises NotationError if it is no row."""
    signs = _SIGNS.findall(span.text)
    row = "".join(GROUND * int(sign) if sign.isdigit() else sign for sign in signs)
    if "".join(signs) != span.text or len(row) != SIZE or any(sign not in TERRAIN_NAMES for sign in row):
        raise span.fault(f"{span.text[:40]!r} should be a row of {SIZE} squares such as 4F2L2")
    return row


def _animal(span: Span) -> Animal:
    """Parse an animal: ``lion@b2n``. Raises NotationError."""
    species, where = span.cut("@", "an animal, its square and facing such as lion@b2n")
    facing = where.text[-1:]
    if facing not in FACINGS or not facing:
        raise where.fault(f"{where.text[:40]!r} should end with n, e, s or w: where the animal looks")
    square = Span(where.line, where.start, where.end - 1)
    return Animal(species.name("an animal"), square.name("a square"), facing)


def _photos(field: Span, players: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """Parse the photographed species of each of ``players``. Raises NotationError."""
    photos = {}
    for span, player, species in field.names("an animal", "a player"):
        for name in species:
            if name not in SPECIES:
                raise span.fault(f"there is no animal {name} in this game")
        photos[player] = frozenset(species)
    if photos.keys() != set(players):
        raise field.fault(f"photos are those of {' and '.join(players)}")
    return {player: photos[player] for player in players}


TRICKY_NOTATION = TrickyNotation()
