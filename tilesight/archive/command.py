"""`tilesight archive`: rescores recorded sessions on this machine's cores or a cluster."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tilesight.archive.changes import Changes
from tilesight.archive.scoring import cluster, processes, scored
from tilesight.archive.task import Task, sessions_in
from tilesight.home import home_folder
from tilesight.sessions.session import SessionError

archive_app = typer.Typer(help="Score recorded sessions again.", no_args_is_help=True, add_completion=False)


@archive_app.callback()
def about_archives() -> None:
    """Score recorded sessions again."""


@archive_app.command("score")
def score_command(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="a folder with sessions anywhere in it")],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    store: Annotated[
        Path | None, typer.Option(help="the folder of results [default: archive in Tilesight's home]")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="processes on this machine [default: one a core]")
    ] = None,
    cluster_address: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="a Dask scheduler whose workers do it")
    ] = None,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="play the turns told before by the rules of today")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Score every session in a folder, each once for a version of the program, and say what changed.

    Finished results are stored, so an interrupted run continues where it stopped. Pictures are read again
    only if the code that reads them has changed. Exit code 1: at least one session was not scored.
    """
    if not source.is_dir():
        raise SessionError(f"{source}: no such folder")
    if cluster_address is not None and workers is not None:
        raise SessionError("--workers is for this machine: a cluster has its own")
    folder = (store or home_folder() / "archive").resolve()
    tasks = [Task(one.resolve(), gallery, folder, rules_only) for one in sessions_in(source)]
    executor = cluster(cluster_address) if cluster_address else processes(workers or _cores())
    changes = Changes()
    console = Console(stderr=True)
    with Progress(
        TextColumn("Scoring"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console,
        disable=as_json,
    ) as progress:
        bar = progress.add_task("Scoring", total=len(tasks), rate="")
        for end in scored(tasks, executor):
            changes.add(end)
            progress.advance(bar)
            speed = progress.tasks[0].finished_speed or progress.tasks[0].speed
            progress.update(bar, rate="" if speed is None else f"{60 * speed:.0f} a minute")
    if as_json:
        print(json.dumps({"tilesight": 1, "archive": {"store": str(folder), **changes.to_json()}}))
    else:
        _say(changes, folder)
    raise typer.Exit(1 if changes.failed else 0)


def _say(changes: Changes, folder: Path) -> None:
    console = Console(soft_wrap=True)
    total = changes.to_json()
    how = ", ".join(f"{number} {_FROM[stage]}" for stage, number in total["from"].items())
    console.print(
        f"{total['sessions']} sessions{': ' if how else ''}{how}; results in {folder}", highlight=False
    )
    if changes.with_record:
        console.print(f"final score exact in {changes.exact} of {changes.with_record} with a record")
    if changes.compared:
        console.print(
            f"of {changes.compared} that another version scored, {changes.exact_before} were exact then"
        )
    if changes.changed:
        table = Table("session", "first other turn", "final before", "final now")
        for one in changes.changed:
            final = one.get("final", {})
            before, now = (_points(final.get(key)) for key in ("before", "now"))
            table.add_row(one["session"], str(one.get("turn", "-")), before, now)
        console.print(table)
    for one in changes.failed:
        console.print(f"not scored: {one['session']}: {one['why']}", highlight=False)


_FROM = {
    "kept": "finished before",
    "observations": "from what was seen before",
    "pictures": "from their pictures",
    "turns": "from the turns told before",
}
"""Words for the stages from which sessions were scored."""


def _points(final: dict[str, int] | None) -> str:
    return (
        "the same" if final is None else ", ".join(f"{player} {points}" for player, points in final.items())
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
