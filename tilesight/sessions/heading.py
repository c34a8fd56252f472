"""Heading of a new session: its game and players, from a command's options."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from engine.game import check_start
from engine.games import game_named, game_names
from engine.pack import PackError, load_pack
from engine.record import header_from_json
from engine.squares_game import SquareGame
from tilesight.settings import SettingsError, opening_given
from web.table.seats import NAME

GameOption = Annotated[str | None, typer.Option(help=f"the game on the table: {', '.join(game_names())}")]
PlayersOption = Annotated[str | None, typer.Option(help="who plays, in turn order: red=Ana,blue=Bo")]
RulesOption = Annotated[str | None, typer.Option(help="a rule edition of the game")]
PackOption = Annotated[str | None, typer.Option(help="id of a pack")]


def names_by_color(players: str) -> dict[str, str]:
    """Return each colour's name from ``--players``, in turn order. Raises SettingsError."""
    names: dict[str, str] = {}
    for part in players.split(","):
        color, _, name = part.strip().partition("=")
        if not color or color in names:
            raise SettingsError(f"--players names each colour once, as in red=Ana,blue=Bo, not {players!r}")
        if name and re.fullmatch(NAME, name) is None:
            raise SettingsError("--players does not accept names with control characters")
        names[color] = name or color
    return names


def session_heading(
    game: str, players: str, pack: str | None = None, rules: str | None = None, given: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the fields of ``session.json`` (docs/formats.md) but for its pictures.

    ``given`` are fields of the game's header, such as ``river=c3``. Raises SettingsError, FieldError or
    GameError if they do not fit the game. The faces of the pack need not be known here.
    """
    rules_of_game = game_named(game)
    names = names_by_color(players)
    heading: dict[str, Any] = {"tilesight": 1, "game": game}
    heading.update(opening_given(given, rules_of_game.records.header_keys))
    heading.update({key: value for key, value in (("pack", pack), ("rules", rules)) if value is not None})
    if isinstance(rules_of_game, SquareGame):
        check_squares(rules_of_game, names, rules)
    else:
        chosen = pack or rules_of_game.default_pack
        header = header_from_json({**heading, "pack": chosen, "players": list(names)})
        with suppress(PackError):  # a pack that only another computer knows is checked there
            check_start(rules_of_game, header, load_pack(chosen))
    heading["title"] = ", ".join(names.values())
    heading["players"] = [{"name": name, "color": color} for color, name in names.items()]
    return heading


def check_squares(game: SquareGame, names: Mapping[str, str], rules: str | None) -> None:
    """Raise SettingsError if the players' colours or the rules are not those of a game on squares."""
    if rules is not None and rules not in game.presets:
        raise SettingsError(f"no rules {rules!r} for {game.name} (known: {', '.join(game.presets)})")
    if set(names) != set(game.colors):
        raise SettingsError(f"{game.name} is played by {' and '.join(game.colors)}, not {', '.join(names)}")
