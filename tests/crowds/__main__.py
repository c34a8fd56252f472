"""Measurements with many people: `python -m tests.crowds phones|crowd|soak|tables` (docs/measuring.md)."""

from __future__ import annotations

import typer

from tests.crowds.crowd import crowd_command
from tests.crowds.phones import phones_command
from tests.crowds.soak import soak_command
from tests.crowds.tables import tables_command

app = typer.Typer(help="Measure tables among many people.", no_args_is_help=True, add_completion=False)
app.command("phones")(phones_command)
app.command("crowd")(crowd_command)
app.command("soak")(soak_command)
app.command("tables")(tables_command)

if __name__ == "__main__":
    app()
