"""`tilesight check`: game records validated and scored by the rules; no camera is involved."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.games import game_named
from engine.notation import write_position
from engine.pack import FORMAT_VERSION, Pack, PackError
from engine.record import CheckResult, Record, RecordError, check, decoded, read_records, read_text

STDIN = "-"
"""Name that stands for standard input."""
MANY = 8
"""Records from which on a progress bar is shown (on stderr, if that is a terminal)."""


def check_command(
    records: Annotated[list[str], typer.Argument(help="Game records, or - for standard input.")],
    position: Annotated[
        bool, typer.Option("--position", help="Print each valid record's last position on one line.")
    ] = False,
    json_out: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Validate and score game records. Exit 0: all valid; 1: one is not; 2: one cannot be read."""
    results: list[tuple[str, CheckResult | RecordError]] = []
    positions: dict[int, str] = {}
    packs: dict[str, Pack | None] = {}
    console = Console(stderr=True)
    found = list(_found(records))
    bar = track(
        found,
        "checking",
        console=console,
        disable=len(found) < MANY or not console.is_terminal,
        transient=True,
    )
    for name, record in bar:
        result = record if isinstance(record, RecordError) else _checked(record, packs)
        if position and isinstance(record, Record) and isinstance(result, CheckResult) and result.valid:
            assert result.state is not None  # only a header at fault leaves none
            positions[len(results)] = write_position(record.header.game, result.state)
        results.append((name, result))
    for _, result in results:
        if isinstance(result, RecordError):
            typer.echo(_printable(f"tilesight check: {result}"), err=True)
    if json_out:
        several = len(results) > 1 or STDIN in records
        typer.echo(json.dumps(_document(results, positions, several=several)))
    else:
        several = len(results) > 1
        for i, (name, result) in enumerate(results):
            if i in positions:
                typer.echo(positions[i])
            elif isinstance(result, CheckResult):  # with --position the lines alone are on stdout
                typer.echo(_printable(_text(name, result, brief=several)), err=position)
        if several:
            valid = sum(_is_valid(result) for _, result in results)
            typer.echo(f"{valid} of {len(results)} records valid", err=position)
    if any(isinstance(result, RecordError) for _, result in results):
        raise typer.Exit(2)
    if not all(_is_valid(result) for _, result in results):
        raise typer.Exit(1)


def _found(sources: list[str]) -> Iterator[tuple[str, Record | RecordError]]:
    """Every record of every source, or why a source cannot be read."""
    for source in sources:
        try:
            if source == STDIN:
                text = decoded(sys.stdin.buffer.read(), "standard input")
            else:
                text = read_text(Path(source))
        except RecordError as error:
            yield source, error
            continue
        read = read_records(text, "standard input" if source == STDIN else source)
        for number, record in enumerate(read, start=1):
            yield (source if len(read) == 1 else f"{source}#{number}"), record


def _checked(record: Record, packs: dict[str, Pack | None]) -> CheckResult | RecordError:
    """``packs`` are those of the records before, so that hundreds of games read their pack once."""
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
    """The pack as an enrolled gallery carries it; where none does, the check itself says what is wrong."""
    from tilesight.settings import PASSED_OVER, known_pack  # late: the engine alone starts faster

    with suppress(*PASSED_OVER):
        return known_pack(name)
    return None


def _is_valid(result: CheckResult | RecordError) -> bool:
    return isinstance(result, CheckResult) and result.valid


def _document(
    results: list[tuple[str, CheckResult | RecordError]], positions: Mapping[int, str], *, several: bool
) -> dict[str, Any]:
    documents = [
        _error_document(result) if isinstance(result, RecordError) else result.to_json()
        for _, result in results
    ]
    for i, text in positions.items():
        documents[i]["position"] = text
    if not several:
        return {"tilesight": FORMAT_VERSION, **documents[0]}
    valid = sum(_is_valid(result) for _, result in results)
    return {
        "tilesight": FORMAT_VERSION,
        "records": [{"file": name, **item} for (name, _), item in zip(results, documents, strict=True)],
        "valid": valid,
        "invalid": len(results) - valid,
    }


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
    """Text that any terminal takes: a file's name need not be UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
