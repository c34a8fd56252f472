"""Routes of a club's tournaments: everybody reads pairings and standings, the key is needed for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field

from web.api.bodies import Body

Number = Annotated[int, Path(ge=1, le=2**31)]
"""A tournament's number in an address."""
Entrant = Annotated[int, Field(ge=1, le=100_000)]
"""An entrant's number."""


class Tournaments(Protocol):
    """The tournaments of a club. Methods raise Refusal, and may be called from any thread."""

    def tournaments(self) -> Sequence[Mapping[str, Any]]:
        """All tournaments by name, the latest first."""

    def begin(
        self,
        name: str,
        rounds: int,
        table_size: int,
        system: Literal["swiss", "round_robin"],
        tie_breaks: Sequence[str] | None,
        once: str,
    ) -> int:
        """The number of a new tournament, or of the one that was begun with the same word ``once`` ("" is
        none)."""

    def tournament(self, number: int) -> Mapping[str, Any]:
        """A tournament with rounds, games and standings."""

    def enter(self, number: int, names: Sequence[str]) -> None:
        """Entrants who play from the next round on."""

    def withdraw(self, number: int, entrant: int) -> None:
        """An entrant plays no further round."""

    def pair(self, number: int, round_number: int) -> None:
        """Pair the next round, which is this one; nothing where it is paired already."""

    def unpair(self, number: int, round_number: int) -> None:
        """Take the last round back, which is this one; nothing where it is taken back already."""

    def report(
        self, number: int, place: tuple[int, int], points: Mapping[int, int], absent: Sequence[int]
    ) -> None:
        """A referee's result of a table of a round."""


class NewTournament(Body):
    """``POST /api/tournaments``."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    rounds: Annotated[int, Field(ge=1, le=99)]
    table_size: Annotated[int, Field(ge=2, le=6)] = 2
    system: Literal["swiss", "round_robin"] = "swiss"
    tie_breaks: Annotated[list[str], Field(max_length=6)] | None = None
    once: Annotated[str, Field(max_length=60)] = ""


class Entering(Body):
    """``POST /api/tournaments/{number}/entrants``."""

    names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=60)]], Field(min_length=1, max_length=512)
    ]


class Withdrawing(Body):
    """``POST /api/tournaments/{number}/withdraw``."""

    entrant: Entrant


class Scored(Body):
    """Points of one entrant in a game; ``absent`` where they did not come."""

    entrant: Entrant
    points: Annotated[int, Field(ge=-10_000, le=10_000)] = 0
    absent: bool = False


class Pairing(Body):
    """``POST /api/tournaments/{number}/pair`` and ``unpair``: the round that is meant."""

    round: Annotated[int, Field(ge=1, le=99)]


class Reporting(Body):
    """``POST /api/tournaments/{number}/result``: everybody at a table of a round."""

    round: Annotated[int, Field(ge=1, le=99)]
    table: Annotated[int, Field(ge=1, le=512)]
    scores: Annotated[list[Scored], Field(min_length=2, max_length=6)]


async def _tournaments(request: Request) -> Tournaments:
    tournaments: Tournaments = request.app.state.tournaments
    return tournaments


Kept = Annotated[Tournaments, Depends(_tournaments)]
"""A route's parameter: the club's tournaments."""
reads = APIRouter()
"""Routes without a key; they change nothing."""
writes = APIRouter()
"""Routes behind the key."""


@reads.get("/api/tournaments")
def get_tournaments(kept: Kept) -> Mapping[str, object]:
    """All tournaments, the latest first."""
    return {"tournaments": list(kept.tournaments())}


@reads.get("/api/tournaments/{number}")
def get_tournament(kept: Kept, number: Number) -> Mapping[str, object]:
    """A tournament with its rounds, the games at their tables, and the standings."""
    return kept.tournament(number)


@writes.post("/api/tournaments")
def post_tournament(kept: Kept, body: NewTournament) -> Mapping[str, object]:
    """Begin a tournament, once however often it is asked; the answer has its ``id``."""
    number = kept.begin(body.name, body.rounds, body.table_size, body.system, body.tie_breaks, body.once)
    return {"ok": True, "id": number}


@writes.post("/api/tournaments/{number}/entrants")
def post_entrants(kept: Kept, number: Number, body: Entering) -> Mapping[str, object]:
    """Enter players, who play from the next round on: all of them, or none."""
    kept.enter(number, body.names)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/withdraw")
def post_withdraw(kept: Kept, number: Number, body: Withdrawing) -> Mapping[str, object]:
    """Let an entrant play no further round."""
    kept.withdraw(number, body.entrant)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/pair")
def post_pair(kept: Kept, number: Number, body: Pairing) -> Mapping[str, object]:
    """Pair the next round, once however often it is asked."""
    kept.pair(number, body.round)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/unpair")
def post_unpair(kept: Kept, number: Number, body: Pairing) -> Mapping[str, object]:
    """Take the last round back, before any result of it."""
    kept.unpair(number, body.round)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/result")
def post_result(kept: Kept, number: Number, body: Reporting) -> Mapping[str, object]:
    """Report a table's result, in place of any other."""
    points = {one.entrant: one.points for one in body.scores}
    kept.report(number, (body.round, body.table), points, [one.entrant for one in body.scores if one.absent])
    return {"ok": True}
