"""Served state of one application, and the way its routes get at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from starlette.requests import HTTPConnection

from web.api.boards import BoardKind
from web.api.shown import Memo, ShownJson, ShownPictures
from web.limits.keys import KeyGuard
from web.report.page import Report
from web.table.squares import SquareTable
from web.table.table import Table
from web.table.vitals import Vitals
from web.views.event_fan import EventFans


@dataclass(frozen=True)
class Reports:
    """Reports made once for all who ask: the values, their pages (HTML) and their PDFs, by language."""

    values: Memo[Any, Report] = field(default_factory=Memo)
    pages: Memo[Report, bytes] = field(default_factory=Memo)
    pdfs: Memo[Report, bytes] = field(default_factory=Memo)
    replays: Memo[Any, bytes] = field(default_factory=Memo)
    """Replays by whether they have photographs."""


@dataclass(frozen=True)
class Served:
    """One application's table, the kind of its board, the guard of its keys, what is made once for all."""

    table: Table | SquareTable
    board: BoardKind
    guard: KeyGuard
    url: str = ""
    """The address that players open, without the key; "" where it is the one they ask."""
    phone_url: str | None = None
    """Address of the server whose page makes a phone the camera; "" where it is the one that is asked, None
    where no phone may be the camera."""
    vitals: Callable[[], Vitals] = Vitals
    """Gives the table's vitals; of a recording there is nothing to tell."""
    tournament: bool = False
    """Whether its games may count in a tournament: then nobody gets hints."""
    state: ShownJson = field(default_factory=ShownJson)
    fans: EventFans = field(default_factory=EventFans)
    pack: ShownJson = field(default_factory=ShownJson)
    pictures: ShownPictures = field(default_factory=ShownPictures)
    reports: Reports = field(default_factory=Reports)

    @property
    def hints(self) -> bool:
        """Whether players get hints now."""
        return self.guard.access.hints and self.board.hints and not self.tournament


def serve(app: FastAPI, served: Served) -> None:
    """Give ``app`` what its routes ask for."""
    app.state.served = served


async def _served(connection: HTTPConnection) -> Served:
    # A coroutine, or FastAPI would take a thread for it.
    return served_by(connection)


def served_by(connection: HTTPConnection) -> Served:
    """The table that the application of a request or WebSocket serves."""
    served: Served = connection.app.state.served
    return served


ServedNow = Annotated[Served, Depends(_served)]
"""A route's parameter: what its application serves."""
