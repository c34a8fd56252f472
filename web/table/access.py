"""Access to a table: the key of each role, the settings of the host, and the speaker of a command."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Role = Literal["camera", "player", "host"]
"""Role that a key gives. Each role may do what the one before may. A person without a key is a spectator."""
RANKS: Mapping[Role, int] = {"camera": 1, "player": 2, "host": 3}
"""Rank of each role: the higher may do what the lower may."""
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Characters of a key. 0 O 1 I L are left out, because keys are read aloud and typed on phones."""
LONG_KEY = 16
"""Length of the host's and the camera's key, which are never typed."""
RETIRED_KEPT = 20
"""Number of former join keys that are remembered."""


def new_key(length: int = 8) -> str:
    """Return a random key of ``length`` characters (a join key has 8)."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def _long_key() -> str:
    """Return a random key for a host or a camera."""
    return new_key(LONG_KEY)


@dataclass(frozen=True)
class Webhook:
    """An address that gets every event.

    ``secret`` signs each delivery; it is stored like a key. ``on`` is false after the address answered 410
    Gone.
    """

    id: str
    url: str = field(repr=False)
    secret: str = field(repr=False)
    on: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the webhook as JSON for the table's log."""
        return {"id": self.id, "url": self.url, "secret": self.secret, "on": self.on}

    @staticmethod
    def from_json(data: Any) -> Webhook | None:
        """Read a webhook from an entry of the log; None if it is malformed."""
        if not isinstance(data, Mapping):
            return None
        number, url, secret = (data.get(name) for name in ("id", "url", "secret"))
        if not (isinstance(number, str) and isinstance(url, str) and isinstance(secret, str)):
            return None
        return Webhook(number, url, secret, on=data.get("on") is not False)


@dataclass(frozen=True)
class Access:
    """Access to a table: its keys, and the settings of its host.

    There is one key for each role; ``player`` is the join key, ``retired`` are the former join keys. The
    settings say whether people without a key see the camera's pictures, whether players get hints, and
    whether `tilesight learn` may keep labelled pieces of this game's pictures on this computer
    (``keep_labels``). The webhooks have their secrets.
    """

    player: str = field(default_factory=new_key)
    host: str = field(default_factory=_long_key)
    camera: str = field(default_factory=_long_key)
    retired: tuple[str, ...] = ()
    spectators_see_camera: bool = True
    hints: bool = False
    webhooks: tuple[Webhook, ...] = ()
    keep_labels: bool = False

    def role_of(self, key: str) -> Role | None:
        """Return the role of a key, None if it is not one of the table's. Takes constant time."""
        given = key.encode(errors="surrogatepass")
        keys: Mapping[Role, str] = {"host": self.host, "player": self.player, "camera": self.camera}
        roles = [role for role, one in keys.items() if hmac.compare_digest(given, one.encode())]
        return roles[0] if roles else None

    def with_new_key(self) -> Access:
        """Return the access with a new join key. The old join key is no longer valid."""
        retired = (*self.retired, self.player)[-RETIRED_KEPT:]
        return replace(self, player=new_key(), retired=retired)

    def to_json(self) -> dict[str, Any]:
        """Return the access as JSON for the table's log."""
        return {
            "key": self.player,
            "host": self.host,
            "camera": self.camera,
            "retired": list(self.retired),
            "spectators_see_camera": self.spectators_see_camera,
            "hints": self.hints,
            "keep_labels": self.keep_labels,
            **({"webhooks": [webhook.to_json() for webhook in self.webhooks]} if self.webhooks else {}),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Access | None:
        """Read an access from an entry of the log; None if it has no join key.

        Entries of old versions have only a join key. The other keys are then created.
        """
        keys = {
            role: data.get(name) for role, name in (("player", "key"), ("host", "host"), ("camera", "camera"))
        }
        known = {role: key for role, key in keys.items() if isinstance(key, str) and key}
        if "player" not in known:
            return None
        retired, webhooks = data.get("retired"), data.get("webhooks")
        hooks = map(Webhook.from_json, webhooks if isinstance(webhooks, list) else ())
        return Access(
            **known,
            retired=tuple(map(str, retired)) if isinstance(retired, list) else (),
            spectators_see_camera=data.get("spectators_see_camera") is not False,
            hints=data.get("hints") is True,
            webhooks=tuple(hook for hook in hooks if hook is not None),
            keep_labels=data.get("keep_labels") is True,
        )


@dataclass(frozen=True, slots=True)
class Speaker:
    """Sender of a command: the role of the key, and the name that the phone sends ("" if none).

    It does not include the network address, because logs are shown, shared and sent to hubs.
    """

    role: str
    name: str

    def to_json(self) -> dict[str, str]:
        """Return the speaker as JSON for the log."""
        return {"role": self.role, "name": self.name}


SPEAKER: ContextVar[Speaker | None] = ContextVar("speaker", default=None)
"""Speaker of the command that is handled in this context; None outside of a command, for instance when the
camera sees a turn."""
