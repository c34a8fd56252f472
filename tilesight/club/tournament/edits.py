"""Edits of a host as changes of the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from engine.message import Message
from tilesight.club.tournament import ledger
from tilesight.club.tournament.event import TournamentError
from tilesight.club.tournament.exchange import taken_in
from tilesight.club.tournament.ledger import NamedTournament, RoundClock
from web.club.tournament_edits import Edit, Reinstate, Rename, SetClock, Skip, Swap


def changes_of(told: NamedTournament, edit: Edit, now_s: float) -> Sequence[Mapping[str, Any]]:
    """Return the changes that an edit makes at ``now_s`` (seconds since 1970). Raises TournamentError."""
    match edit:
        case Rename():
            return [ledger.renamed(edit.entrant, edit.name)]
        case Reinstate():
            return [ledger.reinstated(edit.entrant)]
        case Skip():
            points = None if edit.points is None else Fraction(edit.points)
            return [ledger.skipped(edit.entrant, edit.round, points)]
        case Swap():
            return [ledger.swapped(edit.round, edit.one, edit.other)]
        case SetClock():
            return [ledger.clocked(_clock(told.clock, edit, now_s))]
        case _:
            return taken_in(told, edit.text)


def _clock(known: RoundClock | None, edit: SetClock, now_s: float) -> RoundClock | None:
    """Return the clock after a host's action."""
    if edit.action == "clear":
        return None
    if edit.action == "start":
        length_s = 60.0 * edit.minutes
        return RoundClock(length_s, length_s, now_s)
    if known is None:
        raise TournamentError(Message("no clock is running"))
    since_s = None if edit.action == "pause" else now_s
    return RoundClock(known.length_s, known.left_at(now_s), since_s)
