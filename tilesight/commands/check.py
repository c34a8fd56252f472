"""`tilesight check`: game records validated and scored by the rules; no camera is involved."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from engine.games import game_named
from engine.notation import write_position
from engine.pack import FORMAT_VERSION, Pack, PackError
from engine.record import (
    MAX_BYTES,
    CheckResult,
    Record,
    RecordError,
    check,
    decoded,
    read_records,
    read_text,
)

STDIN = "-"
"""Name that stands for standard input."""
MANY = 8
"""Number of sources from which a progress bar is shown on stderr (if it is a terminal)."""
T = TypeVar("T")


def check_command(
    records: Annotated[list[str], typer.Argument(help="game records, or - for standard input")],
    position: Annotated[
        bool, typer.Option("--position", help="print each valid record's last position on one line")
    ] = False,
    json_out: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Validate and score game records. Exit code 0: all valid; 1: some invalid; 2: some unreadable."""
    report = _Report(position=position, as_json=json_out)
    packs: dict[str, Pack | None] = {}
    console = Console(stderr=True)
    bar = track(
        records,
        "checking",
        console=console,
        disable=len(records) < MANY or not console.is_terminal,
        transient=True,
    )
    # One record is held at a time: a file may have hundreds of thousands of them.
    found = _with_next(item for source in bar for item in _found(source))
    for (name, record), is_last in found:
        result = record if isinstance(record, RecordError) else _checked(record, packs)
        written = None
        if position and isinstance(record, Record) and isinstance(result, CheckResult) and result.valid:
            assert result.state is not None  # None only if the header is invalid
            written = write_position(record.header.game, result.state)
        if not report.begun:
            report.begin(several=len(records) > 1 or not is_last, listed=STDIN in records)
        report.tell(name, result, written)
    report.end()
    if report.unreadable:
        raise typer.Exit(2)
    if report.valid < report.told:
        raise typer.Exit(1)


def _found(source: str) -> Iterator[tuple[str, Record | RecordError]]:
    """Yield every record of a source, or why it cannot be read."""
    try:
        if source == STDIN:
            text = decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
        else:
            text = read_text(Path(source))
    except RecordError as error:
        yield source, error
        return
    read = read_records(text, "standard input" if source == STDIN else source)
    for number, (record, is_last) in enumerate(_with_next(read), start=1):
        yield (source if number == 1 and is_last else f"{source}#{number}"), record


def _with_next(items: Iterable[T]) -> Iterator[tuple[T, bool]]:
    """Yield each item, and whether it is the last one."""
    ahead = iter(items)
    try:
        item = next(ahead)
    except StopIteration:
        return
    for following in ahead:
        yield item, False
        item = following
    yield item, True


class _Report:
    """Printed results, record by record. ``told`` counts them; ``unreadable`` and ``valid`` count subsets."""

    def __init__(self, *, position: bool, as_json: bool) -> None:
        self._position = position
        self._as_json = as_json
        self._several = self._listed = self.begun = False
        self.told = self.valid = self.unreadable = 0

    def begin(self, *, several: bool, listed: bool) -> None:
        """Set whether there are several records, and whether a single one is also printed as a list."""
        self._several, self._listed, self.begun = several, several or listed, True
        if self._as_json and self._listed:
            sys.stdout.write(json.dumps({"tilesight": FORMAT_VERSION})[:-1] + ', "records": [')

    def tell(self, name: str, result: CheckResult | RecordError, position: str | None) -> None:
        """Print one record's result."""
        if isinstance(result, RecordError):
            typer.echo(_printable(f"tilesight check: {result}"), err=True)
        if self._as_json:
            document = _error_document(result) if isinstance(result, RecordError) else result.to_json()
            if position is not None:
                document["position"] = position
            if self._listed:
                sys.stdout.write((", " if self.told else "") + json.dumps({"file": name, **document}))
            else:
                typer.echo(json.dumps({"tilesight": FORMAT_VERSION, **document}))
        elif position is not None:
            typer.echo(position)
        elif isinstance(result, CheckResult):  # with --position, stdout has only positions
            typer.echo(_printable(_text(name, result, brief=self._several)), err=self._position)
        self.told += 1
        self.valid += isinstance(result, CheckResult) and result.valid
        self.unreadable += isinstance(result, RecordError)

    def end(self) -> None:
        """Print the summary."""
        if self._as_json and self._listed:
            counts = json.dumps({"valid": self.valid, "invalid": self.told - self.valid})
            typer.echo(f"], {counts[1:]}")
        elif self._several and not self._as_json:
            typer.echo(f"{self.valid} of {self.told} records valid", err=self._position)


def _checked(record: Record, packs: dict[str, Pack | None]) -> CheckResult | RecordError:
    """Check a record; return its result, or the error.

    ``packs`` caches packs by id between records.
    """
    header = record.header
    if header.pack not in packs:
        try:
            packs[header.pack] = game_named(header.game).records.pack(header)
        except PackError:
            packs[header.pack] = _enrolled(header.pack)
    try:
        return check(record, packs.get(header.pack))
    except RecordError as error:
        return error


def _enrolled(name: str) -> Pack | None:
    """Return the pack with this id from an enrolled gallery; None if there is none.

    The check itself then reports the missing pack.
    """
    from tilesight.settings import PASSED_OVER, known_pack  # late: the engine alone starts faster

    with suppress(*PASSED_OVER):
        return known_pack(name)
    return None


def _error_document(error: RecordError) -> dict[str, Any]:
    return {
        "valid": False,
        "error": {"file": error.file, "line": error.line, "field": error.field, "message": error.message},
    }


def _text(name: str, result: CheckResult, *, brief: bool) -> str:
    if result.faults:
        reasons = "".join(f"\n  {fault.code}: {fault.message}" for fault in result.faults)
        return f"{name}: illegal at line {result.line}{reasons}"
    if result.unmet:
        lines = (
            f"\n  line {item.line}: {item.key} {json.dumps(item.got)}, expected {json.dumps(item.expected)}"
            for item in result.unmet
        )
        return f"{name}: legal, but not as expected" + "".join(lines)
    final = result.outcome.text
    if brief:
        return f"{name}: valid, {result.turns} turns, {final}"
    events = "".join(
        f"\n  {'end' if event.at_end else f'turn {event.turn}'}: {event.player} +{event.points}"
        f" {event.kind.replace('_', ' ')} ({event.why})"
        for event in result.events
    )
    return f"{name}: valid, {result.turns} turns{events}\nfinal: {final}"


def _printable(text: str) -> str:
    """Escape undecodable bytes, which a file's name may contain, so that the text can be printed."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
