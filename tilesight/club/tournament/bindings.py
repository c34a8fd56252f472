"""Bindings of pairings to tables of the club, as immutable values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.message import Message
from tilesight.club.tournament.event import Entrant, Pairing, Tournament, TournamentError

ResultPlace = tuple[int, int]
"""A round's number and a table's number in it."""
TABLE_NAME_AT_MOST = 30
"""Characters of a player's name at a table at most."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Binding of a pairing to a table of the club: only its game settles the pairing.

    ``log`` is the id of the game; None until the next game starts there, which is another one than ``after``
    ("": the table had none). ``names`` are the entrants' names as that table got them.
    """

    table: str
    log: str | None
    after: str
    names: Mapping[Entrant, str]


Bindings = Mapping[ResultPlace, Binding]
"""Bindings by round and table of the round."""


def open_pairing(event: Tournament, place: ResultPlace) -> Pairing:
    """Return the pairing at a place of the last round. Raises TournamentError if there is none without a
    result."""
    number, table = place
    if not event.rounds or number != len(event.rounds):
        raise TournamentError(Message("only pairings of the last round start at a table"))
    pairing = event.rounds[-1].pairing(table)
    if pairing.is_bye or table in event.rounds[-1].results:
        raise TournamentError(Message("table {table} of the round has its result", table=table))
    return pairing


def bind(bindings: Bindings, event: Tournament, place: ResultPlace, binding: Binding) -> Bindings:
    """Return the bindings with another one. Raises TournamentError if the pairing has a result, or the table
    is bound to another open pairing of the round."""
    pairing = open_pairing(event, place)
    for (number, other), known in bindings.items():
        taken = known.table == binding.table and (number, other) != place
        if taken and number == place[0] and other in event.rounds[-1].waiting:
            message = Message(
                "{table} is taken by table {number} of the round", table=known.table, number=other
            )
            raise TournamentError(message)
    named = replace(binding, names=names_at_table(event, pairing))
    return MappingProxyType({**bindings, place: named})


def unbind(bindings: Bindings, place: ResultPlace) -> Bindings:
    """Return the bindings without the one of a place."""
    return MappingProxyType({of: one for of, one in bindings.items() if of != place})


def within(bindings: Bindings, rounds: int) -> Bindings:
    """Return the bindings of the first ``rounds`` rounds."""
    return MappingProxyType({of: one for of, one in bindings.items() if of[0] <= rounds})


def named_anew(bindings: Bindings, event: Tournament) -> Bindings:
    """Return the bindings with the names of the entrants that sit in the last round now."""
    last = len(event.rounds)
    return MappingProxyType(
        {
            (number, table): replace(one, names=names_at_table(event, event.rounds[-1].pairing(table)))
            if number == last and set(one.names) != set(event.rounds[-1].pairing(table).seats)
            else one
            for (number, table), one in bindings.items()
        }
    )


def names_at_table(event: Tournament, pairing: Pairing) -> Mapping[Entrant, str]:
    """Return the entrants' names as a table takes them, in turn order."""
    names = {one: event.entry(one).name[:TABLE_NAME_AT_MOST].strip() for one in pairing.seats}
    return MappingProxyType(names)
