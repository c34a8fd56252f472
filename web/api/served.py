"""The table that an application serves, and the FastAPI dependency that gives it to routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from starlette.requests import HTTPConnection

from web.api.boards import BoardKind
from web.api.cache import CachedJson, Memo, RecentPictures
from web.limits.keys import KeyGuard
from web.report.page import Report
from web.table.squares import SquareTable
from web.table.table import Outward, Table
from web.table.vitals import Vitals
from web.views.event_fan import EventFans


@dataclass(frozen=True)
class Reports:
    """Cached reports, HTML pages, PDFs and replays, so that each is made once for all requests."""

    values: Memo[Any, Report] = field(default_factory=Memo)
    pages: Memo[Report, bytes] = field(default_factory=Memo)
    pdfs: Memo[Report, bytes] = field(default_factory=Memo)
    replays: Memo[Any, bytes] = field(default_factory=Memo)
    """Replays, cached by whether they include photographs."""


@dataclass(frozen=True)
class ServedTable:
    """The table that one application serves, with its kind of board, key guard, settings and caches."""

    table: Table | SquareTable
    board: BoardKind
    guard: KeyGuard
    url: str = ""
    """Address that players open, without the key; "" means the address of the request."""
    phone_url: str | None = None
    """Address of the server with the camera page for phones; "" means the address of the request, None
    that no phone may be the camera."""
    vitals: Callable[[], Vitals] = Vitals
    """Returns the table's vitals. A recording has only default values."""
    tournament: bool = False
    """Whether games of this table may count in a tournament. Hints are then off."""
    state: CachedJson = field(default_factory=CachedJson)
    fans: EventFans = field(default_factory=EventFans)
    pack: CachedJson = field(default_factory=CachedJson)
    pictures: RecentPictures = field(default_factory=RecentPictures)
    reports: Reports = field(default_factory=Reports)

    @property
    def hints(self) -> bool:
        """Whether players get hints now."""
        return self.guard.access.hints and self.board.hints and not self.tournament


def serve(app: FastAPI, served: ServedTable) -> None:
    """Make ``served`` the table that the routes of ``app`` use."""
    app.state.served = served


def offer(app: FastAPI, outward: Outward) -> None:
    """Make ``outward`` the sender of the table's events that the routes of ``app`` use."""
    app.state.outward = outward


async def _outward_of(connection: HTTPConnection) -> Outward | None:
    """FastAPI dependency: return the sender of the table's events; None if the table has none."""
    return getattr(connection.app.state, "outward", None)


OutwardDep = Annotated[Outward | None, Depends(_outward_of)]
"""Route parameter: the sender of the table's events, None if it has none."""


async def _served(connection: HTTPConnection) -> ServedTable:
    """FastAPI dependency: see `served_by`."""
    # async, because FastAPI runs plain functions in a worker thread.
    return served_by(connection)


def served_by(connection: HTTPConnection) -> ServedTable:
    """Return the table that the application of this request or WebSocket serves."""
    served: ServedTable = connection.app.state.served
    return served


ServedDep = Annotated[ServedTable, Depends(_served)]
"""Route parameter: the table that the application serves."""
