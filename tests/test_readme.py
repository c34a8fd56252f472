"""The commands that README, quickstart and the games' pages show are commands that work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from tests.docs.pages import DOCS, ROOT, Command, commands_in_prose, commands_of
from tilesight.app import LateCommand, app

README = ROOT / "README.md"
GUIDES = (README, DOCS / "quickstart.md", *sorted((DOCS / "games").glob("*.md")))
COMMANDS = list(dict.fromkeys(command for page in GUIDES for command in commands_of(page)))
IN_PROSE = list(dict.fromkeys(command for page in (README, *GUIDES) for command in commands_in_prose(page)))
PLACEHOLDERS = {"DIR", "FILE", "FOLDER", "SESSION", "PHOTO"}


def accepted(args: tuple[str, ...]) -> None:
    """Parse options as the command line does; typer's usage errors name the problem."""
    command = get_command(app)
    rest = list(args)
    while hasattr(command, "commands"):
        assert rest and rest[0] in command.commands, f"there is no command {rest[:1]}"
        command = command.commands[rest.pop(0)]
        if isinstance(command, LateCommand):
            command = command.loaded()
    command.make_context(command.name, rest)


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_the_command_line_takes_every_command_of_the_guides(command: Command) -> None:
    accepted(command.args)


@pytest.mark.parametrize("command", IN_PROSE, ids=str)
def test_a_command_in_the_prose_exists_and_has_these_options(command: Command) -> None:
    if len(command.args) == 1 or (command.args[0] == "bench" and len(command.args) == 2):
        with pytest.raises(typer.Exit):
            accepted((*command.args, "--help"))
    else:
        accepted(command.args)


def test_a_command_with_an_unknown_option_would_be_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        accepted(("photo", "picture.jpg", "--no-such-option"))


def in_its_time(command: Command) -> object:
    """Photographs, recordings and printed sheets take their time; the rest is quick."""
    return pytest.param(command, marks=[pytest.mark.long] * (command.args[0] in ("photo", "replay", "print")))


@pytest.mark.parametrize("command", [in_its_time(c) for c in COMMANDS if c.runs], ids=str)
def test_a_command_of_the_guides_runs_and_writes_its_files(command: Command, tmp_path: Path) -> None:
    for folder in ("samples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    before = set(tmp_path.iterdir())
    home = {"TILESIGHT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "tilesight.app", *command.args]
    done = subprocess.run(
        program, cwd=tmp_path, env={**os.environ, **home}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    written = {path.name for path in set(tmp_path.iterdir()) - before} - {"home"}
    assert written == {name for name in command.args if name.endswith((".pdf", ".png", ".html"))}


def test_the_readme_is_short_and_names_no_folder_that_users_do_not_have() -> None:
    text = README.read_text("utf-8")
    assert len(text.splitlines()) < 120
    assert "../shared" not in text


@pytest.mark.parametrize("command", [*COMMANDS, *IN_PROSE], ids=str)
def test_every_sample_that_a_command_names_is_there(command: Command) -> None:
    for word in command.args:
        if word.startswith(("samples/", "tests/")):
            assert (ROOT / word).exists(), word
