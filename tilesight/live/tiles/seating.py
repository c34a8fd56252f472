"""Players of a tile game that has begun: changes of their order, and late joiners in the first round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game import GameError
from engine.games import tile_game_named
from engine.jsonvalue import FieldError
from engine.message import Message, message_of
from engine.pack import Pack
from engine.record import header_from_json
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tilesight.table_log.event_fold import Ledger
from tilesight.table_log.history import Edited, History, Reseat
from web.table.refusal import Refusal
from web.table.seats import Seat


class Seating:
    """The players of one game.

    ``start`` is the position before turn 1 with these players, ``header_line`` the record's first line.
    """

    def __init__(self, start: GameState, header_line: Mapping[str, Any], reseat: Reseat) -> None:
        self.start = start
        self.header_line = dict(header_line)
        self._reseat = reseat
        self._changed = False

    def follow(self, ledger: Ledger) -> bool:
        """Apply the log's players to ``start`` and ``header_line``.

        Return False if they have not changed.
        """
        players = tuple(ledger.header.get("players", ()))
        if players in ((), self.start.players):
            return False
        self.header_line = self._line_of(players, ledger)
        self.start = start_of(self.header_line, self.start.pack)
        return True

    def shown(self, ledger: Ledger) -> Mapping[str, Any]:
        """Return the view's fields for the players; empty unless people changed them after the game began."""
        if not ledger.reseated and not self._changed:
            return {}
        self._changed = True  # stays true, because an undo must show the former players again
        seats = self.seats(ledger)
        return {"seats": seats, "title": ", ".join(seat.name for seat in seats)}

    def seats(self, ledger: Ledger) -> tuple[Seat, ...]:
        """Return the players with their names, in turn order."""
        return tuple(Seat(color, ledger.names.get(color, color)) for color in self.start.players)

    def seated(self, players: tuple[str, ...], turns: Sequence[Turn], ledger: Ledger) -> Edited[Turn]:
        """Return the turns, played again with other players or in another order of players.

        Raises Refusal if that is impossible.
        """
        now = tuple(ledger.header.get("players", self.start.players))
        if ledger.set_up is not None and players != now:
            raise Refusal(
                "under_way", Message("the camera found this game under way: who plays cannot be changed")
            )
        try:
            line = ledger.set_up or self._line_of(players, ledger)
            start = start_of(line, self.start.pack)
        except (FieldError, GameError) as error:
            message = Message("these players cannot play this game: {reason}", reason=message_of(error))
            raise Refusal("players", message) from None
        same = set(players) == set(now)
        try:
            history = History(turns, lambda number: start, self._reseat)
            return history.played_from(start, same_players=same)
        except Refusal as error:
            if same:
                raise
            message = Message(
                "a player can join or leave only before anybody has had a second turn, "
                "and not after their own ({reason})",
                reason=error.message,
            )
            raise Refusal("late", message) from None

    def _line_of(self, players: tuple[str, ...], ledger: Ledger) -> dict[str, Any]:
        """Return the record's first line with these players, and with the fields that the log has changed."""
        return {**self.header_line, **ledger.header, "players": list(players)}


def start_of(line: Mapping[str, Any], pack: Pack) -> GameState:
    """Return the position before turn 1 of a record with the first line ``line``.

    Raises FieldError or GameError if it is invalid.
    """
    header = header_from_json(dict(line))
    assert isinstance(header, Header)
    return tile_game_named(header.game).start(header, pack)
