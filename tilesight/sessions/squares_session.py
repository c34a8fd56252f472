"""Recorded sessions of games on squares; their set-up may be left to be read from the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import jsonvalue as jv
from engine.game import Opening
from engine.games import game_named
from engine.record import header_from_json, header_keys
from engine.squares_game import SquareGame
from engine.tiles.game import GameError
from tilesight.sessions.session import SESSION_FILE, RecordedSession, players_in, read_as, session_fields


@dataclass(frozen=True, slots=True)
class SquareSession(RecordedSession):
    """A session of a game on squares.

    ``header`` is the game's own header if the session gives the set-up, otherwise only the common fields.
    """

    @property
    def game(self) -> SquareGame:
        """The rules of the game."""
        game = game_named(self.header.game)
        assert isinstance(game, SquareGame)
        return game


def is_square_session(folder: Path) -> bool:
    """Whether a folder's session is of a game on squares; False if it cannot be read."""
    try:
        source = jv.object_at(jv.parse((folder / SESSION_FILE).read_text("utf-8")), "")
        return isinstance(game_named(str(source.get("game"))), SquareGame)
    except (OSError, ValueError):
        return False


def read_square_session(folder: Path) -> SquareSession:
    """Read the session of a game on squares in ``folder``. Raises SessionError with file and field."""
    return read_as(folder, _session)


def _session(source: Mapping[str, Any], folder: Path) -> SquareSession:
    names = players_in(source)
    name = jv.text_at(jv.get(source, "game"), "game")
    try:
        game = game_named(name)
    except GameError as error:
        raise jv.FieldError("game", str(error)) from None
    if not isinstance(game, SquareGame):
        raise jv.FieldError("game", f"{name} is not played on squares")
    given = {key: value for key, value in source.items() if key in header_keys(name)}
    given.setdefault("pack", game.default_pack)
    rules = source.get("rules")
    if rules is not None and rules not in game.presets:
        raise jv.FieldError(
            "rules", f"no rules {jv.shown(rules)} for {name} (known: {', '.join(game.presets)})"
        )
    if (game.records.header_keys | {"position"}) & given.keys():
        opening = header_from_json({**given, "players": list(names)})
    else:
        jv.integer_at(jv.get(source, "tilesight"), "tilesight", least=1)
        pack = jv.text_at(source.get("pack", game.default_pack), "pack")
        opening = Opening(name, pack, tuple(names), rules or game.presets[0])
    return SquareSession(header=opening, **session_fields(source, folder, names))
