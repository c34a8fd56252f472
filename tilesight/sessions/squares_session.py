"""Recorded sessions of games on squares; their set-up may be left to be read from the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine import jsonvalue as jv
from engine.game import Opening
from engine.games import game_named
from engine.pack import Pack
from engine.record import header_from_json, header_keys
from engine.squares_game import SquareGame
from engine.tiles.game import GameError
from tilesight.sessions.session import REFERENCE_FILE, SESSION_FILE, FrameFile, frames_in, players_in, read_as


@dataclass(frozen=True, slots=True)
class SquareSession:
    """A session as described in its folder.

    ``opening`` is the game's own header if the session gives the set-up, otherwise only the common fields.
    ``names_pack`` is as in `Session`.
    """

    folder: Path
    game: SquareGame
    opening: Opening
    names: Mapping[str, str]
    frames: tuple[FrameFile, ...]
    title: str
    rendered: bool
    names_pack: bool = True

    def played_with(self, pack: Pack) -> SquareSession:
        """Return the session with the given pack, unless it names one."""
        return self if self.names_pack else replace(self, opening=replace(self.opening, pack=pack.id))

    @property
    def reference(self) -> Path | None:
        """Path of the record of the game played, or None."""
        path = self.folder / REFERENCE_FILE
        return path if path.is_file() else None


def is_square_session(folder: Path) -> bool:
    """Whether a folder's session is of a game on squares; False if it cannot be read."""
    try:
        source = jv.object_at(jv.parse((folder / SESSION_FILE).read_text("utf-8")), "")
        return isinstance(game_named(str(source.get("game"))), SquareGame)
    except (OSError, ValueError):
        return False


def read_square_session(folder: Path) -> SquareSession:
    """Read the session in ``folder``. Raises SessionError with file and field."""
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
    return SquareSession(
        folder=folder,
        game=game,
        opening=opening,
        names=names,
        frames=frames_in(source, folder),
        title=jv.text_at(source.get("title", folder.resolve().name), "title"),
        rendered=source.get("origin") == "rendered",
        names_pack="pack" in source,
    )
