"""`tilesight club`: lists the hub's games, and removes games or a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tilesight.club.database.engine import DatabaseError, open_database
from tilesight.club.database.models import Game
from tilesight.club.hub.forgetting import Forgetting
from tilesight.club.keys_command import Database, Folder, club_folder, minute

club_app = typer.Typer(
    help="List the games that a club's hub keeps, and remove a game or a person.",
    no_args_is_help=True,
    add_completion=False,
)


@club_app.command("games")
def games_command(
    person: Annotated[str | None, typer.Option(help="only games in which this name stands")] = None,
    database: Database = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """List the games of the hub's database, with the words that `forget` takes."""
    with _opened(database, folder) as forgetting:
        games = forgetting.games(person=person)
    if as_json:
        told = [{"game": _word(one), "names": _people(one), "changed_s": one.changed_s} for one in games]
        print(json.dumps({"tilesight": 1, "games": told}))
    else:
        _show(games)


@club_app.command("forget")
def forget_command(
    games: Annotated[list[str] | None, typer.Argument(help="such as hall-3/0123456789abcdef")] = None,
    person: Annotated[str | None, typer.Option(help="every game in which this name stands")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    database: Database = None,
    folder: Folder = None,
) -> None:
    """Remove games from the hub for good, or a person; no table brings them back."""
    if not games and person is None:
        raise DatabaseError("name games (`tilesight club games` lists them), or a person with --person")
    with _opened(database, folder) as forgetting:
        known = {_word(one): one for one in forgetting.games()}
        if missing := [word for word in games or () if word not in known]:
            raise DatabaseError(f"there is no game {missing[0]}")
        chosen = {word: known[word] for word in games or ()}
        if person is not None:
            chosen |= {_word(one): one for one in forgetting.games(person=person)}
        _show(tuple(chosen.values()))
        if not yes and not typer.confirm("Remove them for good?"):
            raise typer.Exit(1)
        forgetting.forget(chosen.values())
        entered = forgetting.forget_person(person) if person is not None else 0
    print(f"{len(chosen)} games removed" + (f", and a name from {entered} tournaments" if entered else ""))


@contextmanager
def _opened(database: str | None, folder: Path | None) -> Iterator[Forgetting]:
    """Open the hub's database."""
    where = database or (folder or club_folder()) / "hub.db"
    if "://" not in str(where) and not Path(where).is_file():
        raise DatabaseError(f"{where}: there is no database")
    engine = open_database(where)
    try:
        yield Forgetting(engine)
    finally:
        engine.dispose()


def _word(game: Game) -> str:
    """Return the argument that selects a game: table id and log id."""
    return f"{game.table_id}/{game.log_id}"


def _people(game: Game) -> list[str]:
    return [name for _, name in game.names or ()]


def _show(games: Sequence[Game]) -> None:
    table = Table("game", "last turn", "turns", "who")
    for one in games:
        day = minute(one.changed_s)
        table.add_row(_word(one), day, str(one.turns), ", ".join(_people(one)))
    Console(highlight=False).print(table)
