"""Access to a table: a key for each role, who sees the camera's pictures, and the speaker of a command."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Role = Literal["camera", "player", "host"]
"""Role of who holds a key; who holds none is a spectator. A player may do all that a camera may, a host all
that a player may."""
RANKS: Mapping[Role, int] = {"camera": 1, "player": 2, "host": 3}
"""Rank of each role: the higher may do what the lower may."""
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters of a key, without 0 O 1 I L: it is read aloud and typed on a phone."""
LONG_KEY = 16
"""Characters of the keys that nobody types, the host's and the camera's."""
RETIRED_KEPT = 20
"""Number of former join keys that are remembered."""


def new_key(length: int = 8) -> str:
    """A fresh key of ``length`` characters (a join key has 8) that are hard to confuse."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _long_key() -> str:
    return new_key(LONG_KEY)


@dataclass(frozen=True)
class Access:
    """Access to a table: its key for each role (``player`` is the join key), the join keys that were
    replaced, whether those without a key see the camera's pictures, and whether players get hints."""

    player: str = field(default_factory=new_key)
    host: str = field(default_factory=_long_key)
    camera: str = field(default_factory=_long_key)
    retired: tuple[str, ...] = ()
    spectators_see_camera: bool = True
    hints: bool = False

    def role_of(self, key: str) -> Role | None:
        """The role that a key gives; None where it is none of the table's. Takes as long for any key."""
        given = key.encode(errors="surrogatepass")
        keys: Mapping[Role, str] = {"host": self.host, "player": self.player, "camera": self.camera}
        roles = [role for role, one in keys.items() if hmac.compare_digest(given, one.encode())]
        return roles[0] if roles else None

    def with_new_key(self) -> Access:
        """The same with another join key: links with the old one open nothing any more."""
        retired = (*self.retired, self.player)[-RETIRED_KEPT:]
        return replace(self, player=new_key(), retired=retired)

    def to_json(self) -> dict[str, Any]:
        """The access as a table's log keeps it."""
        return {
            "key": self.player,
            "host": self.host,
            "camera": self.camera,
            "retired": list(self.retired),
            "spectators_see_camera": self.spectators_see_camera,
            "hints": self.hints,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Access | None:
        """The access that an entry of the log tells; older ones tell the join key alone. None where there is
        no key in it."""
        keys = {
            role: data.get(name) for role, name in (("player", "key"), ("host", "host"), ("camera", "camera"))
        }
        known = {role: key for role, key in keys.items() if isinstance(key, str) and key}
        if "player" not in known:
            return None
        retired = data.get("retired")
        return Access(
            **known,
            retired=tuple(map(str, retired)) if isinstance(retired, list) else (),
            spectators_see_camera=data.get("spectators_see_camera") is not False,
            hints=data.get("hints") is True,
        )


@dataclass(frozen=True, slots=True)
class Speaker:
    """Giver of a command: the role of the key, the name that the phone gives itself ("" for none), and the
    address it came from."""

    role: str
    name: str
    address: str

    def to_json(self) -> dict[str, str]:
        """The speaker as an entry of the log says it."""
        return {"role": self.role, "name": self.name, "address": self.address}


SPEAKER: ContextVar[Speaker | None] = ContextVar("speaker", default=None)
"""Speaker of the command that runs in this context; None where nobody gives one, as when the camera sees
something."""
