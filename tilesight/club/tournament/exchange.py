"""Exchange of tournaments with other programs: CSV files, and FIDE's Tournament Report File (TRF16).

A CSV file has a header line; columns that are not known are ignored. `trf` writes the report that programs
for pairing read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.message import Message
from tilesight.club.tournament import ledger
from tilesight.club.tournament.event import Result, TournamentError
from tilesight.club.tournament.ledger import NamedTournament
from tilesight.club.tournament.standings import standings
from tilesight.club.tournament.trf import is_trf, report_of, taken_from_report

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a spreadsheet would compute."""
Rows = Iterable[Sequence[object]]
"""Rows of a CSV file."""


def exported(told: NamedTournament, name: str) -> str:
    """Return a tournament as the text of a file (web.club.tournament_edits.ExportName). Raises
    TournamentError if the format cannot hold it."""
    if name == "report.trf":
        return report_of(told)
    out = io.StringIO()
    csv.writer(out).writerows([_safe(cell) for cell in row] for row in _TABLES[name](told))
    return out.getvalue()


def _safe(cell: object) -> object:
    """Return a cell that no spreadsheet computes: a text that looks like a formula gets an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _entrants(told: NamedTournament) -> Rows:
    """Yield a header row, then a row for each entrant."""
    yield "entrant", "name", "seed"
    for one in told.event.entries:
        yield one.entrant, one.name, one.seed


def _pairings(told: NamedTournament) -> Rows:
    """Yield a header row, then a row for each seat of each round. ``points`` is "" without a result;
    ``absent`` is "yes" or ""."""
    yield "round", "table", "seat", "entrant", "name", "points", "absent"
    for number, one in enumerate(told.event.rounds, 1):
        for pairing in one.pairings:
            result = one.results.get(pairing.table)
            for seat, entrant in enumerate(pairing.seats, 1):
                points = "" if result is None else result.points[entrant]
                absent = "yes" if result is not None and entrant in result.absent else ""
                name = told.event.entry(entrant).name
                yield number, pairing.table, seat, entrant, name, points, absent


def _standings(told: NamedTournament) -> Rows:
    """Yield a header row, then the standings, best first, with the tie-breaks rounded to three digits."""
    yield "rank", "entrant", "name", "points", "played", *told.event.tie_breaks
    for line in standings(told.event):
        values = (float(line.points), line.played, *(round(float(one), 3) for one in line.tie_breaks))
        yield line.rank, line.entrant, told.event.entry(line.entrant).name, *values


_TABLES: Mapping[str, Callable[[NamedTournament], Rows]] = {
    "entrants.csv": _entrants,
    "pairings.csv": _pairings,
    "standings.csv": _standings,
}


def taken_in(told: NamedTournament, text: str) -> Sequence[Mapping[str, Any]]:
    """Return the changes of the ledger that a file makes. Raises TournamentError if the file cannot be read
    or has nothing to take in.

    A CSV file with the columns ``round`` and ``table`` has pairings of the next round, or results of a round
    that is paired; another one has entrants (``name``, perhaps ``seed``). A TRF16 report has entrants before
    the first round, and afterwards the pairings of the next.
    """
    if is_trf(text):
        return taken_from_report(told, text)
    rows = _rows(text)
    try:
        if rows and {"round", "table"} <= rows[0].keys():
            return _seats_or_results(told, rows)
        return [ledger.entered(row["name"], int(row["seed"]) if row.get("seed") else None) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, TournamentError):
            raise
        raise TournamentError(
            Message("this file cannot be read: it needs a header line and numbers")
        ) from None


def _rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file that are not empty, by column name in lower case. The separator is a
    comma, semicolon or tab, the most frequent in the first line. Return no rows if it is not CSV."""
    text = text.lstrip("\ufeff")
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text), delimiter=separator, strict=True, restval="")
    try:
        rows = [
            {str(key).strip().casefold(): str(cell).strip() for key, cell in row.items()} for row in reader
        ]
    except csv.Error:
        rows = []
    return [{key: cell.removeprefix("'") for key, cell in row.items()} for row in rows if any(row.values())]


def _seats_or_results(told: NamedTournament, rows: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the changes that pair the next round as listed, and that report the results of tables whose
    rows all have points. Raises TournamentError if there are none, KeyError or ValueError for unknown names
    and texts that are no numbers."""
    numbers = {one.name.casefold(): one.entrant for one in told.event.entries}
    seats: dict[tuple[int, int], list[tuple[int, str, bool]]] = {}
    for row in rows:
        entrant = int(row["entrant"]) if row.get("entrant") else numbers[row["name"].casefold()]
        place = int(row["round"]), int(row["table"])
        seats.setdefault(place, []).append((entrant, row.get("points", ""), bool(row.get("absent"))))
    changes = []
    following = len(told.event.rounds) + 1
    if new := [place for place in sorted(seats) if place[0] == following]:
        changes.append(ledger.seated([one for one, _, _ in seats[place]] for place in new))
    for place in sorted(seats):
        one = seats[place]
        if len(one) > 1 and all(points for _, points, _ in one):
            table = new.index(place) + 1 if place in new else place[1]
            points = {entrant: int(points) for entrant, points, _ in one}
            absent = frozenset(entrant for entrant, _, gone in one if gone)
            changes.append(ledger.reported((place[0], table), Result(points, absent), "referee"))
    if not changes:
        raise TournamentError(Message("this file has no pairings of the next round and no results"))
    return changes
