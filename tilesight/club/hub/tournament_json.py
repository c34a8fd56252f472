"""A tournament as JSON for the hub's pages: entrants, rounds, the games at their tables, standings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from tilesight.club.tournament.event import Pairing, Round
from tilesight.club.tournament.ledger import NamedTournament
from tilesight.club.tournament.standings import standings
from web.club.views import ClubTable

REFEREE = "referee"
"""Source of a result that a person reported."""
Games = Sequence[tuple[ClubTable, Pairing]]
"""Games with their pairings; of a pairing the latest game last."""


def source_of(table: ClubTable) -> str:
    """Return the source of a result that a game gives."""
    return f"{table.id}/{table.log}"


def tournament_json(told: NamedTournament, games: Games) -> dict[str, Any]:
    """Return the tournament as JSON; ``games`` are those of the last round.

    Raises TournamentError if a
    tie-break does not exist.
    """
    event = told.event
    playing = {one.entrant for one in event.next_players()}
    return {
        "name": told.name,
        "rounds_planned": event.rounds_planned,
        "table_size": event.table_size,
        "system": event.system,
        "tie_breaks": list(event.tie_breaks),
        "over": event.over,
        "entrants": [
            {
                "entrant": one.entrant,
                "name": one.name,
                "seed": one.seed,
                "plays": one.entrant in playing,
                "withdrawn": one.until_round is not None,
                "skips": len(event.rounds) + 1 in one.skips,
            }
            for one in event.entries
        ],
        "clock": None if told.clock is None else asdict(told.clock),
        "rounds": [_round(told, one, games if one is event.rounds[-1] else ()) for one in event.rounds],
        "standings": [
            {
                "rank": line.rank,
                "entrant": line.entrant,
                "points": _number(line.points),
                "played": line.played,
                "tie_breaks": [_number(value) for value in line.tie_breaks],
            }
            for line in standings(event)
        ],
    }


def _round(told: NamedTournament, one: Round, games: Games) -> dict[str, Any]:
    return {
        "number": one.number,
        "complete": one.complete,
        "tables": [
            _table(told, one, pairing, [game for game, of in games if of == pairing])
            for pairing in one.pairings
        ],
    }


def _table(told: NamedTournament, one: Round, pairing: Pairing, games: Sequence[ClubTable]) -> dict[str, Any]:
    result = one.results.get(pairing.table)
    source = told.sources.get((one.number, pairing.table))
    rivals = [
        game for game in games if game.phase == "over" and source not in (None, REFEREE, source_of(game))
    ]
    shares = {} if result is None else result.match_points()
    return {
        "table": pairing.table,
        "seats": list(pairing.seats),
        "bye": pairing.is_bye,
        "points": None if result is None else [result.points[seat] for seat in pairing.seats],
        "won": None if result is None else [_number(shares[seat]) for seat in pairing.seats],
        "absent": [] if result is None else sorted(result.absent),
        "source": source,
        "at": _game(games[-1]) if games else None,
        "rival": _game(rivals[-1]) if rivals else None,
    }


def _game(game: ClubTable) -> dict[str, Any]:
    return {
        "table": game.id,
        "phase": game.phase,
        "turns": game.turns,
        "scores": {one.name: one.score for one in game.players},
        "connection": game.connection,
        "asked": len(game.asked),
    }


def _number(value: Fraction) -> float | int:
    return value.numerator if value.denominator == 1 else round(float(value), 3)
