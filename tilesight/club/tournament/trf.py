"""FIDE's Tournament Report File of 2016 (TRF16): a text that programs for pairing read and write.

Columns are those of the FIDE Handbook, C.04, annex 2; ``XXR`` (rounds planned) is an extension that such
programs know. A bye is ``U``, a round skipped for half a point ``H`` and for none ``Z``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from engine.message import Message
from tilesight.club.tournament import ledger
from tilesight.club.tournament.event import Entrant, Entry, Round, TournamentError
from tilesight.club.tournament.ledger import NamedTournament
from tilesight.club.tournament.standings import standings

PLAYER = "001"
"""Beginning of a player's line."""
NAME = slice(14, 47)
"""Columns of a player's name."""
RATING = slice(48, 52)
"""Columns of a player's rating."""
FIRST_ROUND, ROUND_WIDE = 91, 10
"""Column at which the first round begins, from 0, and the width of a round."""
WON = {Fraction(1): "1", Fraction(1, 2): "=", Fraction(0): "0"}
"""Sign of a result by its match points."""


def is_trf(text: str) -> bool:
    """Whether a text is a TRF16 report: it has a line of a player."""
    return any(line.startswith(f"{PLAYER} ") for line in text.splitlines())


def report_of(told: NamedTournament) -> str:
    """Return a tournament as a report. Raises TournamentError unless its tables are of two."""
    event = told.event
    if event.table_size != 2:
        raise TournamentError(Message("this format is for tables of two"))
    ranks = {line.entrant: (line.rank, line.points) for line in standings(event)}
    lines = [f"012 {told.name}", f"062 {len(event.entries)}", f"092 {event.system}"]
    for one in event.entries:
        rank, points = ranks[one.entrant]
        head = f"{PLAYER} {one.entrant:>4}      {one.name[:33]:<33}{'':<33}{float(points):>4.1f} {rank:>4}"
        played = "".join(f"  {_round(one, number)}" for number in event.rounds)
        lines.append((head + played).rstrip())
    return "".join(f"{line}\r\n" for line in [*lines, f"XXR {event.rounds_planned}"])


def _round(one: Entry, played: Round) -> str:
    """Return the eight columns of an entrant's round: opponent, colour (w moves first), sign of the result.
    The sign is a space without a result, + or - where a player was absent."""
    pairing = next((pairing for pairing in played.pairings if one.entrant in pairing.seats), None)
    if pairing is None:
        return f"0000 - {'H' if one.skips.get(played.number) else 'Z'}"
    if pairing.is_bye:
        return "0000 - U"
    other = pairing.seats[1 - pairing.seats.index(one.entrant)]
    color = "wb"[pairing.seats.index(one.entrant)]
    result = played.results.get(pairing.table)
    if result is None:
        return f"{other:>4} {color}  "
    if result.absent:
        sign = "-" if one.entrant in result.absent else "+"
    else:
        sign = WON[result.match_points()[one.entrant]]
    return f"{other:>4} {color} {sign}"


def taken_from_report(told: NamedTournament, text: str) -> Sequence[Mapping[str, Any]]:
    """Return the changes that a report makes: its players as entrants where there are none, seeded by rating;
    else the pairings of the next round. Raises TournamentError."""
    lines = [line for line in text.splitlines() if line.startswith(f"{PLAYER} ")]
    try:
        if not told.event.entries:
            ratings = {line: int(line[RATING].strip() or 0) for line in lines}
            order = sorted(lines, key=lambda line: -ratings[line])
            return [ledger.entered(line[NAME], order.index(line) + 1) for line in lines]
        begin = FIRST_ROUND + ROUND_WIDE * len(told.event.rounds)
        return [ledger.seated(_seats(lines, slice(begin, begin + ROUND_WIDE - 2)))]
    except ValueError as error:
        if isinstance(error, TournamentError):
            raise
        raise TournamentError(Message("this report cannot be read")) from None


def _seats(lines: Sequence[str], columns: slice) -> list[tuple[Entrant, ...]]:
    """Return the tables of a round: those of two in the order of the lines, then byes. ``columns`` are those
    of the round in a line. Raises TournamentError if no two are paired, ValueError for texts that are no
    numbers."""
    tables: list[tuple[Entrant, ...]] = []
    byes: list[tuple[Entrant, ...]] = []
    for line in lines:
        entrant, told = int(line[4:8]), line[columns]
        other, color, sign = told[:4].strip(), told[5:6], told[7:8]
        if other and int(other):
            if color == "w" or (color != "b" and entrant < int(other)):
                tables.append((entrant, int(other)))
        elif sign in ("U", "F"):
            byes.append((entrant,))
    if not tables:
        raise TournamentError(Message("this report has no pairings of the next round"))
    return tables + byes
