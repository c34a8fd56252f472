"""Changes of a tournament in order, and their fold into the tournament.

A change is JSON, so that a database can store it as it is. Pairings are stored, not recomputed: another
version of the pairing algorithm never moves players who are already seated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from engine.message import Message
from tilesight.club.tournament.bindings import (
    Binding,
    Bindings,
    ResultPlace,
    bind,
    named_anew,
    open_pairing,
    unbind,
    within,
)
from tilesight.club.tournament.event import Pairing, Result, Tournament, TournamentError
from tilesight.club.tournament.pairing import next_round

NAME_AT_MOST = 60
"""Characters of a name at most."""


@dataclass(frozen=True, slots=True)
class NamedTournament:
    """A tournament with its name, and the source of each result: a person, or a game at a table.

    ``codes`` are the secrets of links with which a table takes a pairing.
    """

    name: str
    event: Tournament
    sources: Mapping[ResultPlace, str]
    clock: RoundClock | None = None
    bindings: Bindings = field(default_factory=lambda: MappingProxyType({}))
    codes: Mapping[ResultPlace, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class RoundClock:
    """Countdown of a round: ``left_s`` seconds of ``length_s`` were left at ``since_s`` (seconds since 1970);
    it is paused if ``since_s`` is None."""

    length_s: float
    left_s: float
    since_s: float | None

    def left_at(self, now_s: float) -> float:
        """Return the seconds that are left, negative after the end."""
        return self.left_s if self.since_s is None else self.left_s - (now_s - self.since_s)


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


def reinstated(entrant: int) -> dict[str, Any]:
    """Return the change that brings a withdrawn entrant back."""
    return {"kind": "reinstated", "entrant": entrant}


def renamed(entrant: int, name: str) -> dict[str, Any]:
    """Return the change that gives an entrant another name."""
    return {"kind": "renamed", "entrant": entrant, "name": _name(name)}


def skipped(entrant: int, number: int, points: Fraction | None) -> dict[str, Any]:
    """Return the change by which an entrant skips the next round for some match points, or plays it after
    all (None)."""
    said = None if points is None else str(points)
    return {"kind": "skipped", "entrant": entrant, "round": number, "points": said}


def swapped(number: int, one: int, other: int) -> dict[str, Any]:
    """Return the change that exchanges the seats of two entrants in the last round."""
    return {"kind": "swapped", "round": number, "seats": [one, other]}


def clocked(clock: RoundClock | None) -> dict[str, Any]:
    """Return the change that sets the countdown, or removes it (None)."""
    return {"kind": "clocked", "clock": None if clock is None else asdict(clock)}


def paired(told: NamedTournament) -> dict[str, Any]:
    """Return the change that adds the next round, paired now. Raises TournamentError if that is not
    possible."""
    return seated([one.seats for one in next_round(told.event).rounds[-1].pairings])


def seated(seats: Iterable[Sequence[int]]) -> dict[str, Any]:
    """Return the change that adds the next round with these entrants at its tables."""
    return {"kind": "paired", "seats": [list(one) for one in seats]}


def unpaired() -> dict[str, Any]:
    """Return the change that removes the last round."""
    return {"kind": "unpaired"}


def reported(place: ResultPlace, result: Result, source: str) -> dict[str, Any]:
    """Return the change that sets or corrects a table's result."""
    points = {str(one): points for one, points in result.points.items()}
    absent = sorted(result.absent)
    return {"kind": "reported", "place": list(place), "points": points, "absent": absent, "source": source}


def bound(place: ResultPlace, table: str, log: str | None, after: str) -> dict[str, Any]:
    """Return the change that binds a pairing to a table of the club and to its game ``log``, or to the next
    game there after ``after`` (`Binding`)."""
    return {"kind": "bound", "place": list(place), "table": table, "log": log, "after": after}


def unbound(place: ResultPlace) -> dict[str, Any]:
    """Return the change that removes the binding of a pairing."""
    return {"kind": "unbound", "place": list(place)}


def coded(place: ResultPlace, code: str) -> dict[str, Any]:
    """Return the change that stores the secret of the link with which a table takes a pairing."""
    return {"kind": "coded", "place": list(place), "code": code}


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
    name = _free_name(told, change["name"])
    return replace(told, event=told.event.enter(name, change.get("seed")))


def _renamed(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    entrant = int(change["entrant"])
    return replace(told, event=told.event.rename(entrant, _free_name(told, change["name"], entrant)))


def _reinstated(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    return replace(told, event=told.event.reinstate(int(change["entrant"])))


def _skipped(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    points = None if change["points"] is None else Fraction(change["points"])
    return replace(told, event=told.event.skip(int(change["entrant"]), int(change["round"]), points))


def _swapped(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    one, other = map(int, change["seats"])
    event = told.event.swap(int(change["round"]), one, other)
    return replace(told, event=event, bindings=named_anew(told.bindings, event))


def _clocked(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    return replace(told, clock=None if change["clock"] is None else RoundClock(**change["clock"]))


def _ready(clock: RoundClock | None) -> RoundClock | None:
    """Return the clock of another round: paused, with its whole time."""
    return None if clock is None else RoundClock(clock.length_s, clock.length_s, None)


def _withdrew(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    return replace(told, event=told.event.withdraw(int(change["entrant"])))


def _paired(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    pairings = tuple(Pairing(number, tuple(seats)) for number, seats in enumerate(change["seats"], start=1))
    return replace(told, event=told.event.begin_round(pairings), clock=_ready(told.clock))


def _unpaired(told: NamedTournament, _: Mapping[str, Any]) -> NamedTournament:
    event = told.event.take_back_round()
    kept = {of: code for of, code in told.codes.items() if of[0] <= len(event.rounds)}
    bindings = within(told.bindings, len(event.rounds))
    return replace(
        told, event=event, clock=_ready(told.clock), bindings=bindings, codes=MappingProxyType(kept)
    )


def _reported(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    number, table = change["place"]
    points = {int(one): int(points) for one, points in change["points"].items()}
    event = told.event.report(number, table, Result(points, frozenset(change["absent"])))
    sources = MappingProxyType({**told.sources, (number, table): str(change["source"])})
    return replace(told, event=event, sources=sources)


def _place(change: Mapping[str, Any]) -> ResultPlace:
    number, table = map(int, change["place"])
    return number, table


def _bound(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    log = None if change["log"] is None else str(change["log"])
    binding = Binding(str(change["table"]), log, str(change["after"]), {})
    return replace(told, bindings=bind(told.bindings, told.event, _place(change), binding))


def _unbound(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    return replace(told, bindings=unbind(told.bindings, _place(change)))


def _coded(told: NamedTournament, change: Mapping[str, Any]) -> NamedTournament:
    place = _place(change)
    open_pairing(told.event, place)
    return replace(told, codes=MappingProxyType({**told.codes, place: str(change["code"])}))


_STEPS: Mapping[str, Callable[[NamedTournament, Mapping[str, Any]], NamedTournament]] = {
    "entered": _entered,
    "withdrew": _withdrew,
    "reinstated": _reinstated,
    "renamed": _renamed,
    "skipped": _skipped,
    "swapped": _swapped,
    "clocked": _clocked,
    "paired": _paired,
    "unpaired": _unpaired,
    "reported": _reported,
    "bound": _bound,
    "unbound": _unbound,
    "coded": _coded,
    "forgotten": lambda told, _: told,
}


def _free_name(told: NamedTournament, name: object, entrant: int | None = None) -> str:
    """Return a name as stored. Raises TournamentError if it is none, or that of another entrant."""
    shown = _name(name)
    for one in told.event.entries:
        if one.entrant != entrant and one.name.casefold() == shown.casefold():
            raise TournamentError(Message("{name} has entered already", name=shown))
    return shown


def _name(name: object) -> str:
    """Return a name without surrounding spaces. Raises TournamentError if it is empty or too long."""
    shown = " ".join(str(name).split())
    if not shown or len(shown) > NAME_AT_MOST:
        raise TournamentError(Message("a name has 1 to {most} characters", most=NAME_AT_MOST))
    return shown
