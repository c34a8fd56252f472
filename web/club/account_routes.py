"""Routes of accounts: log in, log out, and for hosts the accounts and the log of changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from web.api.bodies import Body, Word
from web.club.accounts import ACCOUNT_NAME_LENGTH, PASSWORD_LENGTHS, SESSION_S
from web.club.gate import COOKIE, Caller, GateDep, Key, log_change
from web.table.seats import NAME

SHORTEST, LONGEST = PASSWORD_LENGTHS
AccountName = Annotated[str, Field(min_length=1, max_length=ACCOUNT_NAME_LENGTH, pattern=NAME)]
"""Name of an account."""


class LoginBody(Body):
    """``POST /api/session``."""

    name: Annotated[str, Field(min_length=1, max_length=ACCOUNT_NAME_LENGTH)]
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class AccountBody(Body):
    """``POST /api/accounts``."""

    name: AccountName
    role: Literal["referee", "host"]
    password: Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]


LOGGED = [Depends(log_change, scope="function")]
"""Dependencies of a route whose requests go to the log of changes."""
accounts = APIRouter()
"""Routes of accounts and sessions."""


@accounts.get("/api/session")
async def get_session(
    request: Request, gate: GateDep, table: Word | None = None, x_table_key: Key = None
) -> Mapping[str, object]:
    """Return ``account`` and ``role`` of the caller.

    ``account`` is null for the hub's key; both are null for a caller who has not identified.
    """
    return _session_json(await gate.identify(request, x_table_key, table))


@accounts.post("/api/session")
async def post_session(
    request: Request, response: Response, gate: GateDep, body: LoginBody
) -> Mapping[str, object]:
    """Log in: set the session cookie and return ``account`` and ``role``.

    403 for a wrong name or password.
    """
    account, token = await gate.log_in(request, body.name, body.password)
    asked_for = f"https://{request.headers.get('host')}"
    secure = request.url.scheme == "https" or asked_for == request.app.state.addresses.secure_url
    response.set_cookie(
        COOKIE, token, max_age=SESSION_S, path="/", secure=secure, httponly=True, samesite="strict"
    )
    return _session_json(Caller(account.name, account.role))


@accounts.delete("/api/session")
async def delete_session(
    request: Request, response: Response, gate: GateDep, x_table_key: Key = None
) -> Mapping[str, object]:
    """Log out: end all sessions of the caller's account, on all devices."""
    await gate.log_out(request, x_table_key)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return {"ok": True}


@accounts.get("/api/accounts")
def get_accounts(gate: GateDep) -> Mapping[str, object]:
    """Return all accounts, sorted by name."""
    return {"accounts": [asdict(one) for one in gate.accounts.all()]}


@accounts.post("/api/accounts", dependencies=LOGGED)
def post_account(gate: GateDep, body: AccountBody) -> Mapping[str, object]:
    """Create an account and return ``ok``. 409 if name or password are not allowed, or the name is taken."""
    gate.accounts.add(body.name, body.role, body.password)
    return {"ok": True}


@accounts.delete("/api/accounts/{name}", dependencies=LOGGED)
def delete_account(
    gate: GateDep, name: Annotated[str, Path(max_length=ACCOUNT_NAME_LENGTH)]
) -> Mapping[str, object]:
    """Delete an account, end its sessions and return ``ok``. 404 if there is none of that name."""
    gate.accounts.remove(name)
    return {"ok": True}


@accounts.get("/api/acts")
def get_acts(gate: GateDep) -> Mapping[str, object]:
    """Return the latest changes made through the hub, newest first."""
    return {"acts": [asdict(one) for one in gate.accounts.acts()]}


def _session_json(caller: Caller | None) -> Mapping[str, object]:
    """Return ``account`` and ``role`` of a caller, both None without one."""
    return {"account": caller and caller.name, "role": caller and caller.role}
