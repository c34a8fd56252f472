"""Changes of a tournament in the order in which they were told, and the tournament that they come to.

A change is JSON, so that a database keeps it as it is. Pairings are told, not made again: another version of
the pairing never moves anybody who sits already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from tilesight.club.tournament.event import Pairing, Result, Tournament, TournamentError
from tilesight.club.tournament.pairing import next_round

NAME_AT_MOST = 60
"""Characters of a name at most."""
Place = tuple[int, int]
"""A round's number and a table's number in it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A tournament with its name, and for every result who told it: a person, or a game at a table."""

    name: str
    event: Tournament
    sources: Mapping[Place, str]


def created(name: str, event: Tournament) -> dict[str, Any]:
    """The first change: an empty tournament."""
    return {
        "kind": "created",
        "name": _name(name),
        "rounds_planned": event.rounds_planned,
        "table_size": event.table_size,
        "system": event.system,
        "tie_breaks": list(event.tie_breaks),
    }


def entered(name: str, seed: int | None = None) -> dict[str, Any]:
    """Somebody enters."""
    return {"kind": "entered", "name": _name(name), "seed": seed}


def withdrew(entrant: int) -> dict[str, Any]:
    """Somebody plays no round after the present one."""
    return {"kind": "withdrew", "entrant": entrant}


def paired(told: Told) -> dict[str, Any]:
    """The next round, paired now. TournamentError where there can be none."""
    pairings = next_round(told.event).rounds[-1].pairings
    return {"kind": "paired", "seats": [list(one.seats) for one in pairings]}


def unpaired() -> dict[str, Any]:
    """The last round is taken back."""
    return {"kind": "unpaired"}


def reported(place: Place, result: Result, source: str) -> dict[str, Any]:
    """A table's result comes in, or is put right."""
    points = {str(one): points for one, points in result.points.items()}
    absent = sorted(result.absent)
    return {"kind": "reported", "place": list(place), "points": points, "absent": absent, "source": source}


def forgotten() -> dict[str, Any]:
    """A name was removed from an earlier change, in which a number stands for it."""
    return {"kind": "forgotten"}


def fold(changes: Iterable[Mapping[str, Any]]) -> Told:
    """The tournament that changes come to. TournamentError at the first that cannot be."""
    told: Told | None = None
    for change in changes:
        told = fold_one(told, change)
    if told is None:
        raise TournamentError("a tournament begins with its name")
    return told


def fold_one(told: Told | None, change: Mapping[str, Any]) -> Told:
    """The tournament after one more change. TournamentError where it cannot be."""
    try:
        if change["kind"] == "created":
            if told is not None:
                raise TournamentError("a tournament is made once")
            return Told(_name(change["name"]), _empty(change), MappingProxyType({}))
        if told is None:
            raise TournamentError("a tournament begins with its name")
        return _STEPS[change["kind"]](told, change)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, TournamentError):
            raise
        raise TournamentError("a change of the tournament that nobody can read") from None


def _empty(change: Mapping[str, Any]) -> Tournament:
    return Tournament(
        int(change["rounds_planned"]),
        int(change["table_size"]),
        change["system"],
        tuple(change["tie_breaks"]),
    )


def _entered(told: Told, change: Mapping[str, Any]) -> Told:
    name = _name(change["name"])
    if any(one.name.casefold() == name.casefold() for one in told.event.entries):
        raise TournamentError(f"{name} has entered already")
    return replace(told, event=told.event.enter(name, change.get("seed")))


def _withdrew(told: Told, change: Mapping[str, Any]) -> Told:
    return replace(told, event=told.event.withdraw(int(change["entrant"])))


def _paired(told: Told, change: Mapping[str, Any]) -> Told:
    pairings = tuple(Pairing(number, tuple(seats)) for number, seats in enumerate(change["seats"], start=1))
    return replace(told, event=told.event.begin_round(pairings))


def _unpaired(told: Told, _: Mapping[str, Any]) -> Told:
    return replace(told, event=told.event.take_back_round())


def _reported(told: Told, change: Mapping[str, Any]) -> Told:
    number, table = change["place"]
    points = {int(one): int(points) for one, points in change["points"].items()}
    event = told.event.report(number, table, Result(points, frozenset(change["absent"])))
    sources = MappingProxyType({**told.sources, (number, table): str(change["source"])})
    return replace(told, event=event, sources=sources)


_STEPS: Mapping[str, Callable[[Told, Mapping[str, Any]], Told]] = {
    "entered": _entered,
    "withdrew": _withdrew,
    "paired": _paired,
    "unpaired": _unpaired,
    "reported": _reported,
    "forgotten": lambda told, _: told,
}


def _name(name: object) -> str:
    """A name without spaces around it. TournamentError where nothing is left, or it is too long."""
    shown = " ".join(str(name).split())
    if not shown or len(shown) > NAME_AT_MOST:
        raise TournamentError(f"a name has 1 to {NAME_AT_MOST} characters")
    return shown
