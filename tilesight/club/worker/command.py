"""`tilesight worker`: runs tables that have only a phone on this computer."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from typing import Annotated

import typer

from tilesight.club.credentials import CredentialError, Role
from tilesight.club.invitation import Invitation, invitation_of
from tilesight.club.worker.worker import Worker
from tilesight.home import home_folder


def worker_command(
    hub: Annotated[
        str,
        typer.Option(metavar="INVITATION", help="what `tilesight keys new NAME --role worker` says"),
    ],
    tables: Annotated[
        int | None, typer.Option(min=1, max=50, help="tables at a time [default: this computer's cores]")
    ] = None,
    keep_pictures_days: Annotated[
        float, typer.Option(min=0, help="days after which the pictures of a table that rests are removed")
    ] = 7.0,
) -> None:
    """See for tables of a club that have only a phone."""
    invited = invitation_of(hub)
    if invited.role is not Role.WORKER:
        raise CredentialError(f"this is the invitation of a {invited.role}, not of a worker")
    asyncio.run(_work(invited, tables or os.cpu_count() or 1, keep_pictures_days))
    raise KeyboardInterrupt  # by which alone it ends


async def _work(invited: Invitation, at_most: int, keep_days: float) -> None:
    worker = Worker(
        invited, home_folder() / "club" / "worker", at_most, keep_days, partial(print, flush=True)
    )
    loop = asyncio.get_running_loop()
    if os.name == "posix":
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, worker.end)
    await worker.run()
