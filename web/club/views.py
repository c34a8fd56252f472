"""Views of a club: its tables as the hub's pages show them, and the interface that the pages use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from engine.message import NO_MESSAGE, Message
from web.api.boards import BoardKind
from web.table.camera_status import CameraStatus, Seeing
from web.table.squares import SquareTable
from web.table.table import Table

Need = Literal["lost", "ask", "unkept", ""]
"""Reason why a table needs help, the most urgent first: no connection or no board in sight ("lost"), an
open question ("ask"), turns that an edit dropped ("unkept"); "" if it needs none."""
Connection = Literal["there", "lost", "away", "quiet"]
"""Connection of a table to the hub: heard from lately; lost during a game; lost so long ago that the game was
abandoned; no game is running there."""


@dataclass(frozen=True, slots=True)
class ClubPlayer:
    """Player of a game. ``score`` is None if the hub cannot compute it."""

    color: str
    name: str
    score: int | None


@dataclass(frozen=True, slots=True)
class OpenOption:
    """One answer to an open question."""

    id: str
    label: Message


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Open question of a table. ``player`` is the colour of the player it is for, None for everybody."""

    id: str
    text: Message
    player: str | None
    turn: int | None
    options: tuple[OpenOption, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """The part of a game's state that commands refer to: whether it is paused, and the number of its log's
    latest entry (None if unknown)."""

    paused: bool = False
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class ClubTable:
    """A table of the club with its latest game.

    ``id`` identifies the table and ``log`` the game. ``camera`` is the camera's status, None without a recent
    one. ``wrong`` is what the table's `/healthz` reports, and ``clock:N`` if its clock is ``N`` minutes slow
    (negative: fast). ``changed_s`` is the time of the last entry by the hub's clock, in seconds since 1970;
    ``began_s`` is the start of the game, if known. ``fault`` says why the hub cannot compute the scores.
    ``phone`` is None for a table with a computer; a table without one has ``log`` "" before its first game.
    ``needs_since_s`` is the time since which the table needs help, if known. ``disputes`` counts turns that a
    referee may be asked about: corrected by hand (``corrected``), undone (``undone``), or dropped by an edit
    (``unkept``).
    """

    id: str
    log: str
    game: str | None
    pack: str | None
    changed_s: float
    phase: Literal["waiting", "playing", "over"] = "waiting"
    turns: int = 0
    players: tuple[ClubPlayer, ...] = ()
    connection: Connection = "quiet"
    camera: CameraStatus | None = None
    wrong: tuple[str, ...] = ()
    asked: tuple[OpenQuestion, ...] = ()
    fault: str | None = None
    phone: Literal["open", "closed"] | None = None
    began_s: float | None = None
    moment: Moment = Moment()
    needs_since_s: float | None = None
    disputes: Mapping[str, int] = field(default_factory=dict)

    @property
    def seeing(self) -> Seeing | Literal[""]:
        """The state of the camera's view, "" without a recent one."""
        return "" if self.camera is None else self.camera.seeing

    @property
    def needs(self) -> Need:
        """The help that the table needs now; an abandoned one needs none."""
        if self.connection == "away":
            return ""
        unwell = any(not one.startswith("clock:") for one in self.wrong)
        blind = self.seeing == "lost" and self.phase != "over"
        if self.connection == "lost" or unwell or blind:
            return "lost"
        return "ask" if self.asked else "unkept" if self.disputes.get("unkept") else ""

    def to_json(self) -> Mapping[str, Any]:
        """Return the table as JSON for the pages."""
        asked = [
            {
                **asdict(one),
                "said": one.text.to_json(),
                "options": [{**asdict(option), "said": option.label.to_json()} for option in one.options],
            }
            for one in self.asked
        ]
        message = NO_MESSAGE if self.camera is None else self.camera.message
        told = {**asdict(self), **asdict(self.moment), "seeing": self.seeing}
        del told["camera"], told["moment"]
        return {**told, "message": message, "said": message.to_json(), "asked": asked, "needs": self.needs}


@dataclass(frozen=True, slots=True)
class DashboardSource:
    """A table's latest game and the kind of its board, for a read-only dashboard.

    ``table`` is the same object as long as the game is the same.
    """

    table: Table | SquareTable
    board: BoardKind


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """A table's answer to a command: HTTP status and JSON body."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class ClubHealth:
    """Health of the hub.

    ``wrong`` lists what does not work (``database``); the counts are by name.
    """

    wrong: tuple[str, ...]
    counts: Mapping[str, float]


class Club(Protocol):
    """The club as its hub knows it. Methods may be called from any thread."""

    @property
    def version(self) -> int:
        """Number that grows with every change of a table."""

    def tables(self) -> Sequence[ClubTable]:
        """Return all tables, sorted by id."""

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """Return the current version, and the tables that changed after ``version``."""

    def state(self, table: str) -> Mapping[str, Any]:
        """Return the state of a table's latest game, as its own ``GET /api/state`` does. Raises Refusal."""

    def dashboard_source(self, table: str) -> DashboardSource:
        """Return a table's latest game, brought up to date. Raises Refusal."""

    def preview(self, table: str) -> bytes:
        """Return the latest small picture (JPEG) of a table's camera. Raises Refusal."""

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
        """Send a request that changes a table and return the table's answer.

        Raises Refusal if it does not answer.
        """

    def health(self) -> ClubHealth:
        """Return the health of the hub."""
