"""Edits of a tournament that its host makes beside the rounds, and their routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import PlainTextResponse
from pydantic import Field

from web.api.bodies import Body

TournamentNumber = Annotated[int, Path(ge=1, le=2**31)]
"""Path parameter: number of a tournament."""
EntrantNumber = Annotated[int, Field(ge=1, le=100_000)]
"""Number of an entrant."""
RoundNumber = Annotated[int, Field(ge=1, le=99)]
"""Number of a round."""
ExportName = Literal["entrants.csv", "pairings.csv", "standings.csv", "report.trf"]
"""Names of the files that a tournament is exported as."""


class Rename(Body):
    """``POST /api/tournaments/{number}/rename``: another name of an entrant."""

    entrant: EntrantNumber
    name: Annotated[str, Field(min_length=1, max_length=60)]


class Reinstate(Body):
    """``POST /api/tournaments/{number}/reinstate``: a withdrawn entrant is back."""

    entrant: EntrantNumber


class Skip(Body):
    """``POST /api/tournaments/{number}/skip``: an entrant skips the next round.

    ``round`` is that round's number, ``points`` are the match points for it. With null ``points`` the entrant
    plays it after all.
    """

    entrant: EntrantNumber
    round: RoundNumber
    points: Annotated[float, Field(ge=0, le=0.5, multiple_of=0.5)] | None = 0.5


class Swap(Body):
    """``POST /api/tournaments/{number}/swap``: two entrants exchange their seats in the last round."""

    round: RoundNumber
    one: EntrantNumber
    other: EntrantNumber


class SetClock(Body):
    """``POST /api/tournaments/{number}/clock``: a command for the countdown of the round.

    ``start`` begins it with ``minutes``, which the other commands ignore.
    """

    action: Literal["start", "pause", "resume", "clear"]
    minutes: Annotated[float, Field(gt=0, le=1440)] = 50


class TakeIn(Body):
    """``POST /api/tournaments/{number}/import``: the text of a CSV file or of a TRF16 report."""

    text: Annotated[str, Field(min_length=1, max_length=60_000)]


Edit = Rename | Reinstate | Skip | Swap | SetClock | TakeIn
"""An edit of a tournament by its host."""


class Edited(Protocol):
    """Tournaments that can be edited and exported.

    Methods raise Refusal, and may be called from any thread.
    """

    def edit(self, number: int, edit: Edit) -> None:
        """Make an edit of tournament ``number``.

        Raises Refusal if there is no such tournament, or its state does not allow the edit.
        """

    def export(self, number: int, name: ExportName) -> str:
        """Return tournament ``number`` as the text of the file ``name``.

        Raises Refusal if there is no such tournament, or the format cannot hold it.
        """


async def _edited(request: Request) -> Edited:
    """FastAPI dependency: return the club's tournaments."""
    tournaments: Edited = request.app.state.tournaments
    return tournaments


EditedDep = Annotated[Edited, Depends(_edited)]
"""Route parameter: the club's tournaments."""
tournament_edits = APIRouter()
"""Routes for hosts only."""
tournament_files = APIRouter()
"""Routes without a key. They change nothing."""
DONE: Mapping[str, Any] = {"ok": True}
"""Answer to an edit that was made."""


@tournament_edits.post("/api/tournaments/{number}/rename")
def post_rename(tournaments: EditedDep, number: TournamentNumber, body: Rename) -> Mapping[str, Any]:
    """Give an entrant another name, and return ``ok``. 409 if another entrant has it."""
    tournaments.edit(number, body)
    return DONE


@tournament_edits.post("/api/tournaments/{number}/reinstate")
def post_reinstate(tournaments: EditedDep, number: TournamentNumber, body: Reinstate) -> Mapping[str, Any]:
    """Take the withdrawal of an entrant back, and return ``ok``. 409 if the entrant has not withdrawn."""
    tournaments.edit(number, body)
    return DONE


@tournament_edits.post("/api/tournaments/{number}/skip")
def post_skip(tournaments: EditedDep, number: TournamentNumber, body: Skip) -> Mapping[str, Any]:
    """Let an entrant skip the next round, or play it after all, and return ``ok``.

    409 if it is not the next.
    """
    tournaments.edit(number, body)
    return DONE


@tournament_edits.post("/api/tournaments/{number}/swap")
def post_swap(tournaments: EditedDep, number: TournamentNumber, body: Swap) -> Mapping[str, Any]:
    """Exchange the seats of two entrants, and return ``ok``. 409 if one has none, or a table has a result."""
    tournaments.edit(number, body)
    return DONE


@tournament_edits.post("/api/tournaments/{number}/clock")
def post_clock(tournaments: EditedDep, number: TournamentNumber, body: SetClock) -> Mapping[str, Any]:
    """Start, pause, resume or clear the countdown of the round, and return ``ok``.

    409 if there is none to pause or resume.
    """
    tournaments.edit(number, body)
    return DONE


@tournament_edits.post("/api/tournaments/{number}/import")
def post_import(tournaments: EditedDep, number: TournamentNumber, body: TakeIn) -> Mapping[str, Any]:
    """Take in entrants, pairings or results from a file, all or none, and return ``ok``.

    409 if it cannot be read.
    """
    tournaments.edit(number, body)
    return DONE


@tournament_files.get("/api/tournaments/{number}/files/{name}")
def get_file(tournaments: EditedDep, number: TournamentNumber, name: ExportName) -> PlainTextResponse:
    """Return a tournament as a file: CSV, or a report in the format TRF16."""
    kind = "text/csv" if name.endswith(".csv") else "text/plain"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return PlainTextResponse(tournaments.export(number, name), headers=headers, media_type=kind)
