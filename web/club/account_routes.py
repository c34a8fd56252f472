"""Routes of accounts: logging in and out, and for hosts who has one and what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from web.api.bodies import NAME, Body, Word
from web.club.accounts import NAME_LENGTH, PASSWORD_LENGTHS, SESSION_S
from web.club.gate import COOKIE, GateNow, Key, Who, noted

SHORTEST, LONGEST = PASSWORD_LENGTHS
Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=NAME)]
"""An account's name."""


class Login(Body):
    """``POST /api/session``."""

    name: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH)]
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class NewAccount(Body):
    """``POST /api/accounts``."""

    name: Name
    role: Literal["referee", "host"]
    password: Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]


KEPT = [Depends(noted, scope="function")]
"""Dependencies of a route whose requests are kept."""
accounts = APIRouter()
"""Routes of accounts and sessions."""


@accounts.get("/api/session")
async def get_session(
    request: Request, gate: GateNow, table: Word | None = None, x_table_key: Key = None
) -> Mapping[str, object]:
    """Tell who asks: ``account`` (null with the hub's key) and ``role``, both null for whoever only looks."""
    return _told(await gate.who(request, x_table_key, table))


@accounts.post("/api/session")
async def post_session(
    request: Request, response: Response, gate: GateNow, body: Login
) -> Mapping[str, object]:
    """Log in: the answer sets the session's cookie."""
    account, token = await gate.log_in(request, body.name, body.password)
    asked_for = f"https://{request.headers.get('host')}"
    secure = request.url.scheme == "https" or asked_for == request.app.state.addresses.secure_url
    response.set_cookie(
        COOKIE, token, max_age=SESSION_S, path="/", secure=secure, httponly=True, samesite="strict"
    )
    return _told(Who(account.name, account.role))


@accounts.delete("/api/session")
async def delete_session(
    request: Request, response: Response, gate: GateNow, x_table_key: Key = None
) -> Mapping[str, object]:
    """Log out, here and wherever else this account is logged in."""
    await gate.log_out(request, x_table_key)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return {"ok": True}


@accounts.get("/api/accounts")
def get_accounts(gate: GateNow) -> Mapping[str, object]:
    """All accounts, by name."""
    return {"accounts": [asdict(one) for one in gate.accounts.all()]}


@accounts.post("/api/accounts", dependencies=KEPT)
def post_account(gate: GateNow, body: NewAccount) -> Mapping[str, object]:
    """Make an account."""
    gate.accounts.add(body.name, body.role, body.password)
    return {"ok": True}


@accounts.delete("/api/accounts/{name}", dependencies=KEPT)
def delete_account(gate: GateNow, name: Annotated[str, Path(max_length=NAME_LENGTH)]) -> Mapping[str, object]:
    """Remove an account; whoever is logged in with it is so no longer."""
    gate.accounts.remove(name)
    return {"ok": True}


@accounts.get("/api/acts")
def get_acts(gate: GateNow) -> Mapping[str, object]:
    """The latest acts from the hub, newest first."""
    return {"acts": [asdict(one) for one in gate.accounts.acts()]}


def _told(who: Who | None) -> Mapping[str, object]:
    return {"account": who and who.name, "role": who and who.role}
