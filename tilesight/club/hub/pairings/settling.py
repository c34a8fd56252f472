"""Games of the pairings of a tournament's last round, and the points that they give.

A bound pairing is settled by the game of its binding alone. Any other is settled by a game that began after
the round was paired and is played under exactly its entrants' names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilesight.club.hub.pairings.ledgers import Known, names_key
from tilesight.club.tournament.bindings import Binding
from tilesight.club.tournament.event import Entrant, Pairing
from web.club.views import ClubPlayer, ClubTable

EARLY_S = 120.0
"""Seconds before the pairing at which a game may have begun: people sit down early."""
REFEREE = "referee"
"""Source of a result that a person reported."""


@dataclass(frozen=True, slots=True)
class PairedGame:
    """A game with its pairing. ``binding`` is the pairing's, None if it has none."""

    table: ClubTable
    pairing: Pairing
    binding: Binding | None
    seats: Mapping[Entrant, ClubPlayer] | None
    """The players by entrant; None if other names are played under than those of the entrants."""

    @property
    def source(self) -> str:
        """Source of a result that the game gives."""
        return f"{self.table.id}/{self.table.log}"

    @property
    def counts(self) -> bool:
        """Whether its points may become the result: a bound pairing has a single game."""
        return self.binding is None or self.binding.log == self.table.log

    @property
    def points(self) -> dict[Entrant, int] | None:
        """Points of the finished game by entrant; None while there are none."""
        if self.table.phase != "over" or not self.table.turns or self.seats is None:
            return None
        points = {one: player.score for one, player in self.seats.items() if player.score is not None}
        return points if len(points) == len(self.pairing.seats) else None


def games(known: Known, tables: Sequence[ClubTable]) -> Sequence[PairedGame]:
    """Return the games of the last round; of a pairing the one that counts last, before it the latest."""
    found = [game for table in tables for game in [game_of(known, table)] if game is not None]
    return sorted(found, key=lambda game: (game.binding is not None and game.counts, game.table.changed_s))


def game_of(known: Known, table: ClubTable) -> PairedGame | None:
    """Return a table's game with the pairing of the last round that it belongs to, or None."""
    if (bound := known.by_game.get((table.id, table.log))) is not None:
        return PairedGame(table, *bound, _seats(known, *bound, table))
    if (table.changed_s if table.began_s is None else table.began_s) < known.paired_s - EARLY_S:
        return None
    found = known.by_names.get(names_key(one.name for one in table.players))
    if found is None or (found[1] is not None and (found[1].table != table.id or found[1].log is None)):
        return None  # of a bound pairing, only another game at its table asks the referee
    return PairedGame(table, *found, _seats(known, *found, table))


def _seats(
    known: Known, pairing: Pairing, binding: Binding | None, table: ClubTable
) -> Mapping[Entrant, ClubPlayer] | None:
    """Return a game's players by entrant: by name, or by the name that a bound table got before the entrant
    was renamed. None if the names are others."""
    players = {names_key([player.name]): player for player in table.players}
    if not len(players) == len(table.players) == len(pairing.seats):
        return None
    at_table = {} if binding is None else binding.names
    seats = {}
    for one in pairing.seats:
        keys = [names_key([name]) for name in (known.told.event.entry(one).name, at_table.get(one, ""))]
        player = next((players[key] for key in keys if key in players), None)
        if player is not None:
            seats[one] = player
    return seats if len({player.color for player in seats.values()}) == len(pairing.seats) else None
