"""Rights at the hub: the right that each route requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["referee", "host"]
"""Role of an account. A host may do everything that a referee may."""
Right = Literal["everybody", "player", "referee", "host"]
"""Right that a route requires. A player is the holder of a table's own key, at that table."""
RANKS: Mapping[Right | None, int] = {None: 0, "everybody": 0, "player": 1, "referee": 2, "host": 3}
"""Rank of each role and right; None is a caller who has not identified."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule of a route.

    ``right`` is the required right. A ``costly`` route is expensive and limited per client. The changes of a
    ``counted`` route count towards the limit per account.
    """

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
    "GET /qr/{place}.svg": COSTLY,
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
    "GET /invitations": EVERYBODY,
    "GET /api/invitations": HOST,
    "POST /api/invitations": HOST,
    "POST /api/invitations/revoke": HOST,
    "GET /api/tournaments": COSTLY,
    "GET /api/tournaments/{number}": COSTLY,
    "POST /api/tournaments": HOST,
    "POST /api/tournaments/{number}/entrants": HOST,
    "POST /api/tournaments/{number}/withdraw": HOST,
    "GET /api/tournaments/{number}/files/{name}": COSTLY,
    "POST /api/tournaments/{number}/rename": HOST,
    "POST /api/tournaments/{number}/reinstate": HOST,
    "POST /api/tournaments/{number}/skip": HOST,
    "POST /api/tournaments/{number}/swap": HOST,
    "POST /api/tournaments/{number}/clock": HOST,
    "POST /api/tournaments/{number}/import": HOST,
    "POST /api/tournaments/{number}/pair": HOST,
    "POST /api/tournaments/{number}/unpair": HOST,
    "POST /api/tournaments/{number}/result": REFEREE,
    "POST /api/tournaments/{number}/bind": REFEREE,
    "POST /api/tournaments/{number}/code": REFEREE,
    "POST /api/tournaments/{number}/take": COSTLY,
    "GET /api/key": REFEREE,
    "GET /api/session": EVERYBODY,
    "POST /api/session": EVERYBODY,
    "DELETE /api/session": EVERYBODY,
    "GET /api/accounts": HOST,
    "POST /api/accounts": HOST,
    "DELETE /api/accounts/{name}": HOST,
    "GET /api/acts": HOST,
}
"""Rule of each route of the hub. A route that is missing requires a host."""
REFEREE_COMMANDS = frozenset(
    f"/api/{what}" for what in ("answer", "correct", "seat", "seats", "pause", "undo", "redo")
)
"""Paths of a table's API that a referee may call. All others require a host."""


def rule_of(method: str, path: str) -> Rule:
    """Return the rule of a route, given its method and its path with parameter names."""
    return RULES.get(f"{method} {path}", HOST)


def right_of_command(path: str) -> Right:
    """Return the right that a command to a table's API requires."""
    return "referee" if path in REFEREE_COMMANDS else "host"


def may(role: Role | Literal["player"] | None, right: Right) -> bool:
    """Whether a role (None: not identified) has a right."""
    return RANKS[role] >= RANKS[right]
