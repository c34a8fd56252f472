"""Protocols that trackers of every kind of board satisfy: tiles laid edge to edge, or squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from engine.game import Position, TurnResult
from tilesight.inference.scenes.scene import Scene
from tilesight.table_log.doubts import Doubted
from vision.observation import Observation


class ReadTurn(Protocol):
    """One turn as understood."""

    @property
    def turn(self) -> Any:
        """The turn, in the type of the game."""

    @property
    def step(self) -> TurnResult:
        """Points of the turn and the position after it."""

    @property
    def confidence(self) -> float:
        """Probability (0 to 1) of this turn against all others."""


class Understood(Protocol):
    """Protocol of a tracker's understanding of the table after one picture."""

    @property
    def turns(self) -> Sequence[ReadTurn]:
        """All turns so far."""

    @property
    def state(self) -> Position | None:
        """The position after the last turn; None while the opening position is still being read."""

    @property
    def settled(self) -> int:
        """Number of first turns that later pictures leave as they are."""

    @property
    def doubted(self) -> Mapping[int, Doubted[Any]]:
        """Alternatives to each turn, by its number; turns that are sure may be among them."""

    @property
    def board_seen(self) -> bool:
        """Whether the known board was found in the latest picture."""

    @property
    def busy(self) -> bool:
        """Whether the tracker waits until hands are gone or the picture is at rest."""

    @property
    def scene(self) -> Scene | None:
        """The difference from the board as before, apart from turns; None without one."""

    def up_to(self, count: int, state: Any) -> Any:
        """Return the understanding without the turns after the first ``count``.

        ``state`` is the position after those.
        """


UnderstoodT = TypeVar("UnderstoodT", bound=Understood)
UnderstoodCo = TypeVar("UnderstoodCo", bound=Understood, covariant=True)


class Tracker(Protocol[UnderstoodCo]):
    """Follows one game through the pictures of its table."""

    def see(self, observation: Observation) -> UnderstoodCo:
        """Take in one picture, and return the understanding after it."""

    def fix(
        self, turns: Sequence[Any], not_these: Sequence[Any] = (), *, confirmed: int | None = None
    ) -> UnderstoodCo:
        """Take ``turns`` as the game's turns so far, with certainty; return the understanding.

        ``not_these`` are ruled out as the next turn. People ``confirmed`` the first turns, None for all:
        pictures may still take back another last one. Raises IllegalTurn if ``turns`` is not a legal game.
        """

    def finish(self) -> UnderstoodCo:
        """Return the final understanding, once no more pictures come."""
