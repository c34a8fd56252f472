"""Reader of the set-up of a game on squares, before the first turn."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game import IllegalTurn, Opening
from engine.message import NO_MESSAGE, Message, message_of
from engine.pack import Pack
from engine.squares_game import Figure, SquareGame
from tilesight.inference.squares.params import PARAMS

THE_BOARD = Message("the board")
"""The part that is missing before the board is seen."""


class SetUpReading:
    """Reads the opening position once everything that the game needs is steadily in view.

    ``opening`` may already hold a set-up. ``missing`` says in words what is not seen yet; ``may_change`` is
    true while the set-up still follows the figures on the table.
    """

    def __init__(self, game: SquareGame, pack: Pack, opening: Opening) -> None:
        self._game = game
        self._pack = pack
        self._rows: tuple[tuple[str, ...], int] = ((), 0)
        self.opening = opening
        self.missing = THE_BOARD
        self.may_change = type(opening) is Opening  # otherwise the game's own header, with its set-up

    def read(self, terrain: tuple[str, ...], figures: Iterable[Figure], calm: bool) -> Opening | None:
        """Return the opening if one more picture completes it; None while something is missing.

        ``figures`` are those seen steadily; ``calm`` is true if the table is at rest.
        """
        before, count = self._rows
        weight = PARAMS.steady_pictures if calm else 1
        self._rows = (terrain, (count if before == terrain else 0) + weight)
        if self._rows[1] < PARAMS.steady_pictures:
            return None
        try:
            return self._legal(terrain, figures)
        except IllegalTurn as error:
            self.missing = message_of(error)
            return None

    def read_again(self, terrain: tuple[str, ...], figures: Iterable[Figure]) -> Opening | None:
        """Return the opening that the table shows if it differs from the known one; None otherwise."""
        try:
            seen = self._legal(terrain, figures)
        except IllegalTurn:
            return None  # a hand is in the way, or people are setting up
        return None if seen == self.opening else seen

    def _legal(self, terrain: tuple[str, ...], figures: Iterable[Figure]) -> Opening:
        """Return the opening that the table shows. Raises IllegalTurn if no game can start from it."""
        opening = self._game.opening_seen(self.opening, terrain, tuple(figures))
        self._game.start(opening, self._pack)
        return opening

    def take(self, opening: Opening) -> None:
        """Take ``opening`` as the game's opening."""
        self.opening, self.missing = opening, NO_MESSAGE

    def forget(self) -> None:
        """Forget the set-up and read it again."""
        self.missing, self._rows, self.may_change = THE_BOARD, ((), 0), True
