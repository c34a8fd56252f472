"""Players of a tile game that has begun: another order, and one more in the first round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game import GameError
from engine.games import tile_game_named
from engine.jsonvalue import FieldError
from engine.record import header_from_json
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tilesight.table_log.event_fold import Ledger
from tilesight.table_log.history import Edited, History, Reseat
from web.views.table import Refusal, Seat

LATE = "a player can join or leave only before anybody has had a second turn, and not after their own"
"""Words for who wants to join a game that has gone on."""


class Seating:
    """The players of one game. ``start`` is the position before turn 1 with them, ``header_line`` the
    record's first line."""

    def __init__(self, start: GameState, header_line: Mapping[str, Any], reseat: Reseat) -> None:
        self.start = start
        self.header_line = dict(header_line)
        self._reseat = reseat
        self._changed = False

    def follow(self, ledger: Ledger) -> bool:
        """Whether the log has other players; then they are those of ``start`` from now on."""
        players = tuple(ledger.header.get("players", ()))
        if players in ((), self.start.players) or ledger.set_up is not None:
            return False
        self.start, self.header_line = self._start_of(players)
        return True

    def shown(self, ledger: Ledger) -> Mapping[str, Any]:
        """The view's players, where people changed them after the game had begun."""
        if ledger.header == ledger.opened and not self._changed:
            return {}
        self._changed = True  # an undo shows the former ones again
        seats = tuple(Seat(color, ledger.names.get(color, color)) for color in self.start.players)
        return {"seats": seats, "title": ", ".join(seat.name for seat in seats)}

    def seated(self, players: tuple[str, ...], turns: Sequence[Turn], ledger: Ledger) -> Edited[Turn]:
        """The game of other players, or of the same in another order; Refusal where there is none such."""
        if ledger.set_up is not None:
            raise Refusal("players", "the camera found this game under way: who plays cannot be changed")
        try:
            start, _ = self._start_of(players)
        except (FieldError, GameError) as error:
            raise Refusal("players", f"these players cannot play this game: {error}") from None
        same = set(players) == set(self.start.players)
        try:
            history = History(turns, lambda number: start, self._reseat)
            return history.played_from(start, same_players=same)
        except Refusal as error:
            if same:
                raise
            raise Refusal("late", f"{LATE} ({error})") from None

    def _start_of(self, players: tuple[str, ...]) -> tuple[GameState, dict[str, Any]]:
        """The position before turn 1 with other players, and its header. FieldError, GameError."""
        line = {**self.header_line, "players": list(players)}
        header = header_from_json(line)
        assert isinstance(header, Header)
        return tile_game_named(header.game).start(header, self.start.pack), line
