"""`tilesight learn`: improves this home's readings by the labels of its games, where that is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilesight.home import learning_folder
from tilesight.learning.changes import keep, undo
from tilesight.learning.labels import LabelsError
from tilesight.learning.learned import Learned
from tilesight.learning.report import print_report
from tilesight.learning.shelf import forget, gather, label_sets
from tilesight.live.presentation import progress_bar


def learn_command(
    source: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...",
            help="tables that agreed, or sessions with their true record; default: all tables that agreed",
        ),
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option(help="the faces of a printed edition; this file is improved")
    ] = None,
    measure_only: Annotated[
        bool, typer.Option("--measure-only", help="tell what would help, and keep no change")
    ] = False,
    undo_last: Annotated[bool, typer.Option("--undo", help="take the latest kept changes back")] = False,
    forget_all: Annotated[bool, typer.Option("--forget", help="delete all gathered labels")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read later games better, by the labels of games whose tables agreed; keep what is measured to help."""
    if sum([bool(source) or measure_only, undo_last, forget_all]) > 1:
        raise LabelsError("--undo and --forget are each given alone")
    changes = learning_folder() / "changes"
    if undo_last:
        restored = undo(changes)
        _say(
            {"undone": [str(path) for path in restored]},
            as_json,
            "\n".join(f"{p}: restored" for p in restored),
        )
        return
    if forget_all:
        count = forget()
        _say({"forgotten": count}, as_json, f"{count} games' labels deleted")
        return
    aside = Console(stderr=True, highlight=False, quiet=as_json)

    def tell(line: str) -> None:
        aside.print(line, soft_wrap=True)

    gather(source or (), gallery, tell)
    learned = Learned(list(label_sets(tell)))
    if learned.sets:
        with progress_bar(aside) as progress:

            def advance(text: str, total: int) -> Callable[[], None]:
                return partial(progress.advance, progress.add_task(text, total=total))

            learned.lessons_of_tiles(gallery, advance)
        learned.lessons_of_pieces()
    written = bool(learned.files) and not measure_only
    if written:
        keep(changes, learned.files, [lesson for lesson in learned.told if lesson["kept"]])
    if as_json:
        print(json.dumps({"tilesight": 1, **learned.to_json(), "written": written}))
    else:
        print_report(learned, Console(highlight=False), measure_only=measure_only)


def _say(value: Mapping[str, Any], as_json: bool, text: str) -> None:
    print(json.dumps({"tilesight": 1, **value}) if as_json else text)
