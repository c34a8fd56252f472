"""Rights at the hub: each route, and who may use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["referee", "host"]
"""Role of an account. A host may do all that a referee may."""
Right = Literal["everybody", "player", "referee", "host"]
"""Right that a route asks for; a player is whoever has a table's own key, at that table."""
RANKS: Mapping[Right | None, int] = {None: 0, "everybody": 0, "player": 1, "referee": 2, "host": 3}
"""Rank of each role; None is whoever only looks."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of a route: the right that it asks for. Of ``costly`` ones an address asks so many in a second;
    changes are ``counted`` by account, but where the route has a measure of its own."""

    right: Right
    costly: bool = False
    counted: bool = True


EVERYBODY, COSTLY = Rule("everybody"), Rule("everybody", costly=True)
PLAYER, REFEREE, HOST = Rule("player"), Rule("referee"), Rule("host")

RULES: Mapping[str, Rule] = {
    "GET /": EVERYBODY,
    "GET /table/{table}": EVERYBODY,
    "GET /join": EVERYBODY,
    "GET /screen": EVERYBODY,
    "GET /tournaments": EVERYBODY,
    "GET /tournament/{number}": EVERYBODY,
    "GET /healthz": COSTLY,
    "GET /metrics": COSTLY,
    "GET /api/events": EVERYBODY,
    "GET /api/tables": COSTLY,
    "GET /api/tables/{table}/state": COSTLY,
    "GET /at/{table}/api/key": PLAYER,
    "POST /at/{table}/api/{command}": PLAYER,
    "GET /api/tables/{table}/preview.jpg": EVERYBODY,
    "POST /api/tables/{table}/command": PLAYER,
    "GET /phone-tables": EVERYBODY,
    "GET /camera/{table}": EVERYBODY,
    "POST /api/tables/{table}/camera": Rule("player", counted=False),
    "GET /api/tables/{table}/key": PLAYER,
    "GET /api/phone-tables": HOST,
    "POST /api/phone-tables": HOST,
    "POST /api/phone-tables/{table}/close": HOST,
    "GET /api/qr.svg": HOST,
    "GET /api/tournaments": COSTLY,
    "GET /api/tournaments/{number}": COSTLY,
    "POST /api/tournaments": HOST,
    "POST /api/tournaments/{number}/entrants": HOST,
    "POST /api/tournaments/{number}/withdraw": HOST,
    "POST /api/tournaments/{number}/pair": HOST,
    "POST /api/tournaments/{number}/unpair": HOST,
    "POST /api/tournaments/{number}/result": REFEREE,
    "GET /api/key": REFEREE,
    "GET /api/session": EVERYBODY,
    "POST /api/session": EVERYBODY,
    "DELETE /api/session": EVERYBODY,
    "GET /api/accounts": HOST,
    "POST /api/accounts": HOST,
    "DELETE /api/accounts/{name}": HOST,
    "GET /api/acts": HOST,
}
"""Each route of the hub. One that is missing here is the host's."""
REFEREE_COMMANDS = frozenset(
    f"/api/{what}" for what in ("answer", "correct", "seat", "seats", "pause", "undo", "redo")
)
"""Requests to a table that a referee may make; all others are the host's."""


def rule_of(method: str, path: str) -> Rule:
    """The rule of a route, by its path with the parameters' names."""
    return RULES.get(f"{method} {path}", HOST)


def right_of_command(path: str) -> Right:
    """The right that a request to a table needs."""
    return "referee" if path in REFEREE_COMMANDS else "host"


def may(role: Role | Literal["player"] | None, right: Right) -> bool:
    """Whether a role has a right."""
    return RANKS[role] >= RANKS[right]
