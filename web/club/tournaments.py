"""Routes of a club's tournaments. Everybody may read pairings and standings; changes need a right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from web.api.bodies import Body
from web.club.starts import Started
from web.club.tournament_edits import Edited, EntrantNumber, TournamentNumber


class Tournaments(Edited, Started, Protocol):
    """The tournaments of a club. Methods raise Refusal, and may be called from any thread."""

    def tournaments(self) -> Sequence[Mapping[str, Any]]:
        """Return all tournaments, the latest first."""

    def begin(
        self,
        name: str,
        rounds: int,
        table_size: int,
        system: Literal["swiss", "round_robin"],
        tie_breaks: Sequence[str] | None,
        once: str,
    ) -> int:
        """Create a tournament and return its number.

        A call with the same non-empty ``once`` as an earlier one creates nothing and returns the
        number of that tournament.
        """

    def tournament(self, number: int) -> Mapping[str, Any]:
        """Return a tournament with its rounds, games and standings."""

    def enter(self, number: int, names: Sequence[str], seeds: Sequence[int | None] = ()) -> None:
        """Add entrants, who play from the next round on.

        ``seeds`` are their places by strength, the strongest first; None or missing stands for the order of
        entry.
        """

    def withdraw(self, number: int, entrant: int) -> None:
        """Withdraw an entrant from all further rounds."""

    def pair(self, number: int, round_number: int) -> None:
        """Pair the next round, which must be ``round_number``. Does nothing if it is paired already."""

    def unpair(self, number: int, round_number: int) -> None:
        """Undo the pairing of the last round, which must be ``round_number``.

        Does nothing if that is done already.
        """

    def report(
        self, number: int, place: tuple[int, int], points: Mapping[int, int], absent: Sequence[int]
    ) -> None:
        """Record a referee's result for a table.

        ``place`` is the round and table number, ``points`` are by entrant, ``absent`` are the entrants who
        did not come.
        """


class TournamentBody(Body):
    """``POST /api/tournaments``. ``once`` makes repeated requests idempotent."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    rounds: Annotated[int, Field(ge=1, le=99)]
    table_size: Annotated[int, Field(ge=2, le=6)] = 2
    system: Literal["swiss", "round_robin"] = "swiss"
    tie_breaks: Annotated[list[str], Field(max_length=6)] | None = None
    once: Annotated[str, Field(max_length=60)] = ""


class EntrantsBody(Body):
    """``POST /api/tournaments/{number}/entrants``."""

    names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=60)]], Field(min_length=1, max_length=512)
    ]
    seeds: Annotated[
        list[Annotated[int, Field(ge=1, le=10_000)] | None], Field(max_length=512, default_factory=list)
    ]


class WithdrawBody(Body):
    """``POST /api/tournaments/{number}/withdraw``."""

    entrant: EntrantNumber


class EntrantScoreBody(Body):
    """Points of one entrant in a game; ``absent`` if they did not come."""

    entrant: EntrantNumber
    points: Annotated[int, Field(ge=-10_000, le=10_000)] = 0
    absent: bool = False


class RoundBody(Body):
    """``POST /api/tournaments/{number}/pair`` and ``unpair``: the number of the round."""

    round: Annotated[int, Field(ge=1, le=99)]


class ResultBody(Body):
    """``POST /api/tournaments/{number}/result``: the points of all entrants at a table in a round."""

    round: Annotated[int, Field(ge=1, le=99)]
    table: Annotated[int, Field(ge=1, le=512)]
    scores: Annotated[list[EntrantScoreBody], Field(min_length=2, max_length=6)]


async def _tournaments(request: Request) -> Tournaments:
    """FastAPI dependency: return the club's tournaments."""
    tournaments: Tournaments = request.app.state.tournaments
    return tournaments


TournamentsDep = Annotated[Tournaments, Depends(_tournaments)]
"""Route parameter: the club's tournaments."""
reads = APIRouter()
"""Routes without a key. They change nothing."""
writes = APIRouter()
"""Routes that need a right."""


@reads.get("/api/tournaments")
def get_tournaments(tournaments: TournamentsDep) -> Mapping[str, object]:
    """Return all tournaments, the latest first."""
    return {"tournaments": list(tournaments.tournaments())}


@reads.get("/api/tournaments/{number}")
def get_tournament(tournaments: TournamentsDep, number: TournamentNumber) -> Mapping[str, object]:
    """Return a tournament with its rounds, the games at their tables, and the standings."""
    return tournaments.tournament(number)


@writes.post("/api/tournaments")
def post_tournament(tournaments: TournamentsDep, body: TournamentBody) -> Mapping[str, object]:
    """Create a tournament and return its number as ``id``. Idempotent if ``once`` is given."""
    number = tournaments.begin(
        body.name, body.rounds, body.table_size, body.system, body.tie_breaks, body.once
    )
    return {"ok": True, "id": number}


@writes.post("/api/tournaments/{number}/entrants")
def post_entrants(
    tournaments: TournamentsDep, number: TournamentNumber, body: EntrantsBody
) -> Mapping[str, object]:
    """Add entrants, who play from the next round on. Either all are added or none."""
    tournaments.enter(number, body.names, body.seeds)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/withdraw")
def post_withdraw(
    tournaments: TournamentsDep, number: TournamentNumber, body: WithdrawBody
) -> Mapping[str, object]:
    """Withdraw an entrant from all further rounds."""
    tournaments.withdraw(number, body.entrant)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/pair")
def post_pair(tournaments: TournamentsDep, number: TournamentNumber, body: RoundBody) -> Mapping[str, object]:
    """Pair the next round. Idempotent."""
    tournaments.pair(number, body.round)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/unpair")
def post_unpair(
    tournaments: TournamentsDep, number: TournamentNumber, body: RoundBody
) -> Mapping[str, object]:
    """Undo the pairing of the last round, as long as it has no result. Idempotent."""
    tournaments.unpair(number, body.round)
    return {"ok": True}


@writes.post("/api/tournaments/{number}/result")
def post_result(
    tournaments: TournamentsDep, number: TournamentNumber, body: ResultBody
) -> Mapping[str, object]:
    """Record a table's result, in place of any earlier one."""
    points = {one.entrant: one.points for one in body.scores}
    tournaments.report(
        number, (body.round, body.table), points, [one.entrant for one in body.scores if one.absent]
    )
    return {"ok": True}
