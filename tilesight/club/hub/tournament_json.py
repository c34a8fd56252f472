"""A tournament as JSON for the hub's pages: entrants, rounds, the games at their tables, standings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from tilesight.club.hub.pairings.settling import REFEREE, PairedGame
from tilesight.club.tournament.bindings import Binding
from tilesight.club.tournament.event import Pairing, Round
from tilesight.club.tournament.ledger import NamedTournament
from tilesight.club.tournament.standings import standings
from web.club.views import ClubTable

Games = Sequence[PairedGame]
"""Games with their pairings; of a pairing the one that counts last."""


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
    """Return a round as JSON, with its tables."""
    return {
        "number": one.number,
        "complete": one.complete,
        "tables": [
            _table(told, one, pairing, [game for game in games if game.pairing == pairing])
            for pairing in one.pairings
        ],
    }


def _table(told: NamedTournament, one: Round, pairing: Pairing, games: Games) -> dict[str, Any]:
    """Return a table of a round as JSON. ``games`` are those of its pairing: ``at`` is the latest, ``rival``
    the latest finished one that is not the source of the result."""
    result = one.results.get(pairing.table)
    source = told.sources.get((one.number, pairing.table))
    binding = told.bindings.get((one.number, pairing.table))
    counted = f"{binding.table}/{binding.log}" if binding is not None and source is None else source
    rivals = [
        game.table
        for game in games
        if game.table.phase == "over" and counted not in (None, REFEREE, game.source)
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
        "bound": None if binding is None else _bound(binding, games),
        "at": _game(games[-1].table) if games else None,
        "rival": _game(rivals[-1]) if rivals else None,
    }


def _bound(binding: Binding, games: Games) -> dict[str, Any]:
    """Return a binding as JSON: its table, whether a game of it has started, and whether the entrants' names
    are played under there."""
    game = next((one for one in games if one.source == f"{binding.table}/{binding.log}"), None)
    return {
        "table": binding.table,
        "started": binding.log is not None,
        "named": game is None or game.seats is not None,
    }


def _game(game: ClubTable) -> dict[str, Any]:
    """Return a game at a club's table as JSON."""
    return {
        "table": game.id,
        "phase": game.phase,
        "turns": game.turns,
        "scores": {one.name: one.score for one in game.players},
        "connection": game.connection,
        "asked": len(game.asked),
        "wrong": list(game.wrong),
    }


def _number(value: Fraction) -> float | int:
    """Return a whole number as int, any other rounded to three digits."""
    return value.numerator if value.denominator == 1 else round(float(value), 3)
