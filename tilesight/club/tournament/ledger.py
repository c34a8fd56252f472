"""Changes of a tournament in order, and their fold into the tournament.

A change is JSON, so that a database can store it as it is. Pairings are stored, not recomputed: another
version of the pairing algorithm never moves players who are already seated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from engine.message import Message
from tilesight.club.tournament.event import Pairing, Result, Tournament, TournamentError
from tilesight.club.tournament.pairing import next_round

NAME_AT_MOST = 60
"""Characters of a name at most."""
ResultPlace = tuple[int, int]
"""A round's number and a table's number in it."""


@dataclass(frozen=True, slots=True)
class NamedTournament:
    """A tournament with its name, and the source of each result: a person, or a game at a table."""

    name: str
    event: Tournament
    sources: Mapping[ResultPlace, str]


def created(name: str, event: Tournament) -> dict[str, Any]:
    """Return the first change: an empty tournament."""
    return {
        "kind": "created",
        "name": _name(name),
        "rounds_planned": event.rounds_planned,
        "table_size": event.table_size,
        "system": event.system,
        "tie_breaks": list(event.tie_breaks),
    }


def entered(name: str, seed: int | None = None) -> dict[str, Any]:
    """Return the change that adds an entrant."""
    return {"kind": "entered", "name": _name(name), "seed": seed}


def withdrew(entrant: int) -> dict[str, Any]:
    """Return the change that withdraws an entrant after the current round."""
    return {"kind": "withdrew", "entrant": entrant}


def paired(told: NamedTournament) -> dict[str, Any]:
    """Return the change that adds the next round, paired now. Raises TournamentError if that is not
    possible."""
    pairings = next_round(told.event).rounds[-1].pairings
    return {"kind": "paired", "seats": [list(one.seats) for one in pairings]}


def unpaired() -> dict[str, Any]:
    """Return the change that removes the last round."""
    return {"kind": "unpaired"}


def reported(place: ResultPlace, result: Result, source: str) -> dict[str, Any]:
    """Return the change that sets or corrects a table's result."""
    points = {str(one): points for one, points in result.points.items()}
    absent = sorted(result.absent)
    return {"kind": "reported", "place": list(place), "points": points, "absent": absent, "source": source}


def forgotten() -> dict[str, Any]:
    """Return the change that records that a name in an earlier change was replaced by a number."""
    return {"kind": "forgotten"}


def fold(changes: Iterable[Mapping[str, Any]]) -> NamedTournament:
    """Return the tournament after some changes. Raises TournamentError at the first invalid one."""
    told: NamedTournament | None = None
    for change in changes:
        told = fold_one(told, change)
    if told is None:
        raise TournamentError(Message("a tournament begins with its name"))
    return told


def fold_one(told: NamedTournament | None, change: Mapping[str, Any]) -> NamedTournament:
    """Return the tournament after one more change. Raises TournamentError if it is invalid."""
    try:
        if change["kind"] == "created":
            if told is not None:
                raise TournamentError(Message("a tournament is made once"))
            return NamedTournament(_name(change["name"]), _empty(change), MappingProxyType({}))
        if told is None:
            raise TournamentError(Message("a tournament begins with its name"))
        return _STEPS[change["kind"]](told, change)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, TournamentError):
            raise
        raise TournamentError(Message("a change of the tournament that cannot be read")) from None


def _empty(change: Mapping[str, Any]) -> Tournament:
    return Tournament(
        int(change["rounds_planned"]),
        int(change["table_size"]),
        change["system"],
        tuple(change["tie_breaks"]),
    )


def _entered(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    name = _name(change["name"])
    if any(one.name.casefold() == name.casefold() for one in told.event.entries):
        raise TournamentError(Message("{name} has entered already", name=name))
    return replace(told, event=told.event.enter(name, change.get("seed")))


def _withdrew(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    return replace(told, event=told.event.withdraw(int(change["entrant"])))


def _paired(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    pairings = tuple(Pairing(number, tuple(seats)) for number, seats in enumerate(change["seats"], start=1))
    return replace(told, event=told.event.begin_round(pairings))


def _unpaired(told: NamedTournament, _: Mapping[str, Any]) -> NamedTournament:
    return replace(told, event=told.event.take_back_round())


def _reported(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    number, table = change["place"]
    points = {int(one): int(points) for one, points in change["points"].items()}
    event = told.event.report(number, table, Result(points, frozenset(change["absent"])))
    sources = MappingProxyType({**told.sources, (number, table): str(change["source"])})
    return replace(told, event=event, sources=sources)


_STEPS: Mapping[str, Callable[[NamedTournament, Mapping[str, Any]], NamedTournament]] = {
    "entered": _entered,
    "withdrew": _withdrew,
    "paired": _paired,
    "unpaired": _unpaired,
    "reported": _reported,
    "forgotten": lambda told, _: told,
}


def _name(name: object) -> str:
    """Return a name without surrounding spaces. Raises TournamentError if it is empty or too long."""
    shown = " ".join(str(name).split())
    if not shown or len(shown) > NAME_AT_MOST:
        raise TournamentError(Message("a name has 1 to {most} characters", most=NAME_AT_MOST))
    return shown
