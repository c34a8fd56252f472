"""`tilesight bench params`: list of all tuned parameters."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import calibration
import tilesight
import vision
from tilesight.settings import SettingsError
from vision.params import Param, all_params, params_of

PACKAGES = (vision, calibration, tilesight)
"""Packages that are searched for ``params`` modules."""


def bench_params_command(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="only this folder and those below it, e.g. vision/tiles")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """List every tuned parameter: its unit, the effect of a larger value, and the data it was fitted on."""
    wanted = folder.strip("/")
    listed = [one for one in every_param() if f"{one.folder}/".startswith(f"{wanted}/" if wanted else "")]
    if not listed:
        raise SettingsError(f"{folder}: no folder with tuned parameters")
    if as_json:
        print(json.dumps({"tilesight": 1, "params": [dataclasses.asdict(one) for one in listed]}))
        return
    title = f"{len(listed)} parameters"
    table = Table("folder", "name", "value", "unit", "a larger value", "fitted", title=title)
    for one in listed:
        table.add_row(one.folder, one.name, str(one.value), one.unit, one.raising, one.fitted)
    Console().print(table)


def every_param() -> tuple[Param, ...]:
    """Return the parameters of all folders, sorted by folder."""
    return tuple(one for params in all_params(*PACKAGES).values() for one in params_of(params))
