"""Views of a club: its tables as the hub's pages show them, and what the pages ask of the hub."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from web.api.boards import BoardKind
from web.views.squares_table import SquareTable
from web.views.table import Table

Need = Literal["lost", "ask", "unkept", ""]
"""Kind of somebody's help that a table needs, the most urgent first: no connection or no board in sight, an
open question, turns that an edit could not keep; "" where it needs nobody."""
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
    one without has ``log`` "" until its first game begins. ``needs_since_s``
    is since when it needs somebody, as far as the hub knows; ``disputes`` counts what a referee may be asked
    about: turns put right by hand (``corrected``), taken back (``undone``), that an edit could not keep
    (``unkept``)."""

    id: str
    log: str
    game: str | None
    pack: str | None
    changed_s: float
    phase: Literal["waiting", "playing", "over"] = "waiting"
    turns: int = 0
    players: tuple[ClubPlayer, ...] = ()
    connection: Connection = "quiet"
    seeing: str = ""
    message: str = ""
    wrong: tuple[str, ...] = ()
    asked: tuple[OpenQuestion, ...] = ()
    fault: str | None = None
    phone: Literal["open", "closed"] | None = None
    paused: bool = False
    needs_since_s: float | None = None
    disputes: Mapping[str, int] = field(default_factory=dict)

    @property
    def needs(self) -> Need:
        """The help that it needs now."""
        if self.connection == "lost" or self.wrong or (self.seeing == "lost" and self.phase != "over"):
            return "lost"
        return "ask" if self.asked else "unkept" if self.disputes.get("unkept") else ""

    def to_json(self) -> Mapping[str, Any]:
        """The table as the pages get it."""
        return {**asdict(self), "needs": self.needs}


@dataclass(frozen=True, slots=True)
class Shown:
    """A table's latest game to be read, and the kind of its board; ``table`` is one object for as long as it
    is that game."""

    table: Table | SquareTable
    board: BoardKind


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

    def shown(self, table: str) -> Shown:
        """A table's latest game as its dashboard shows it now. Raises Refusal."""

    def preview(self, table: str) -> bytes:
        """The latest small picture (JPEG) of a table's camera. Raises Refusal."""

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> Answered:
        """A table's answer to a request that changes it. Raises Refusal where it does not answer."""

    def health(self) -> ClubHealth:
        """State of the hub."""
