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

    ``opening`` is the game's header, with its set-up if that is known. ``missing`` says in words what is not
    seen yet; ``may_change`` is true while the set-up still follows the figures on the table.
    """

    def __init__(self, game: SquareGame, pack: Pack, opening: Opening) -> None:
        self._game = game
        self._pack = pack
        self._rows: tuple[tuple[str, ...], int] = ((), 0)
        self.opening = opening
        self.missing = THE_BOARD
        self.may_change = type(opening) is Opening  # otherwise the game's own header, with its set-up

    def read(self, terrain: tuple[str, ...], figures: Iterable[Figure], calm: bool) -> Opening | None:
        """Return the opening if one more picture completes it.

        Else None, with the reason in ``self.missing``. ``terrain`` are the board's rows as read, ``figures``
        those seen steadily; ``calm`` is true if the table is at rest.
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
        """Return the opening that the table shows, if legal and not the known one; else None."""
        try:
            seen = self._legal(terrain, figures)
        except IllegalTurn:
            return None  # a hand is in the way, or people are setting up
        return None if seen == self.opening else seen

    def _legal(self, terrain: tuple[str, ...], figures: Iterable[Figure]) -> Opening:
        """Return the opening that ``terrain`` and ``figures`` show.

        Raises IllegalTurn if no game can start so.
        """
        opening = self._game.opening_seen(self.opening, terrain, tuple(figures))
        self._game.start(opening, self._pack)
        return opening

    def take(self, opening: Opening) -> None:
        """Take ``opening`` as the game's opening; nothing is missing then."""
        self.opening, self.missing = opening, NO_MESSAGE

    def forget(self) -> None:
        """Forget that the set-up was complete, so that it is read again and may change."""
        self.missing, self._rows, self.may_change = THE_BOARD, ((), 0), True
