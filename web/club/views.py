"""Views of a club: its tables as the hub's pages show them, and what the pages ask of the hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

Connection = Literal["there", "lost", "quiet"]
"""State of a table's way to the hub: heard of lately, lost in the middle of a game, or at rest."""


@dataclass(frozen=True, slots=True)
class ClubPlayer:
    """Player of a game; ``score`` None where the hub cannot tell it."""

    color: str
    name: str
    score: int | None


@dataclass(frozen=True, slots=True)
class OpenOption:
    """One answer to an open question."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Question that a table waits for; ``player`` is the colour of who is asked, None for everybody."""

    id: str
    text: str
    player: str | None
    turn: int | None
    options: tuple[OpenOption, ...]


@dataclass(frozen=True, slots=True)
class ClubTable:
    """A table of the club with its latest game. ``id`` is the table's, ``log`` that game's; ``seeing`` and
    ``message`` are the camera's, ``wrong`` what `/healthz` finds there. ``changed_s`` is seconds since 1970.
    ``fault`` says why the hub cannot tell the game's scores. ``phone`` is None for a table with a computer;
    one without has ``log`` "" until its first game begins."""

    id: str
    log: str
    game: str | None
    pack: str | None
    phase: Literal["waiting", "playing", "over"]
    turns: int
    players: tuple[ClubPlayer, ...]
    connection: Connection
    seeing: str
    message: str
    wrong: tuple[str, ...]
    asked: tuple[OpenQuestion, ...]
    changed_s: float
    fault: str | None
    phone: Literal["open", "closed"] | None = None

    def to_json(self) -> Mapping[str, Any]:
        """The table as the pages get it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Answered:
    """A table's answer to a command: the status and body of its own HTTP API."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class ClubHealth:
    """State of the hub: what is ``wrong`` (``nats``, ``database``), and its counts by name."""

    wrong: tuple[str, ...]
    counts: Mapping[str, float]


class Club(Protocol):
    """The club as its hub knows it. Every method may be called from several threads."""

    @property
    def version(self) -> int:
        """A number that grows with every change of a table."""

    def tables(self) -> Sequence[ClubTable]:
        """All tables, by id."""

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """The version now, and the tables that changed since another."""

    def state(self, table: str) -> Mapping[str, Any]:
        """State of a table's latest game, as ``GET /api/state`` gives it there. Raises Refusal."""

    def replay(self, table: str) -> bytes:
        """A table's latest game as a page with its board. Raises Refusal."""

    def preview(self, table: str) -> bytes:
        """The latest small picture (JPEG) of a table's camera. Raises Refusal."""

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> Answered:
        """A table's answer to a request that changes it. Raises Refusal where it does not answer."""

    def health(self) -> ClubHealth:
        """State of the hub."""
