"""Reader of the set-up of a game on squares: the opening position, before the first turn."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game import IllegalTurn, Opening
from engine.pack import Pack
from engine.squares_game import Figure, SquareGame
from tilesight.inference.squares.params import PARAMS


class SetUpReading:
    """Reads the opening position once everything that the game needs is steadily in view.

    ``opening`` may hold a set-up already or leave it to be read; ``missing`` says in words what is still
    looked for, ``may_change`` whether the set-up is still read again from what stands on the table.
    """

    def __init__(self, game: SquareGame, pack: Pack, opening: Opening) -> None:
        self._game = game
        self._pack = pack
        self._rows: tuple[tuple[str, ...], int] = ((), 0)
        self.opening = opening
        self.missing = "the board"
        self.may_change = type(opening) is Opening  # otherwise the game's own header, with its set-up

    def read(self, terrain: tuple[str, ...], figures: Iterable[Figure], calm: bool) -> Opening | None:
        """The opening that one more picture completes; None while something is missing. ``figures`` are those
        seen steadily, ``calm`` says that the table is at rest."""
        before, count = self._rows
        weight = PARAMS.steady_pictures if calm else 1
        self._rows = (terrain, (count if before == terrain else 0) + weight)
        if self._rows[1] < PARAMS.steady_pictures:
            return None
        try:
            return self._legal(terrain, figures)
        except IllegalTurn as error:
            self.missing = "; ".join(fault.message for fault in error.faults)
            return None

    def read_again(self, terrain: tuple[str, ...], figures: Iterable[Figure]) -> Opening | None:
        """Another opening that the table shows now; None where it shows the same or none."""
        try:
            seen = self._legal(terrain, figures)
        except IllegalTurn:
            return None  # a hand is in the way, or somebody is at it
        return None if seen == self.opening else seen

    def _legal(self, terrain: tuple[str, ...], figures: Iterable[Figure]) -> Opening:
        """The opening that the table shows; IllegalTurn where no game can begin so."""
        opening = self._game.opening_seen(self.opening, terrain, tuple(figures))
        self._game.start(opening, self._pack)
        return opening

    def take(self, opening: Opening) -> None:
        """Take ``opening`` for the game's opening."""
        self.opening, self.missing = opening, ""

    def forget(self) -> None:
        """Forget a set-up that was read wrongly: it is read anew."""
        self.missing, self._rows, self.may_change = "the board", ((), 0), True
