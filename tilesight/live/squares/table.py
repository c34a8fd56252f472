"""Table of a game on squares: its controller, with the alternatives for a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game import Opening
from engine.message import Message
from engine.pack import Pack
from engine.squares_game import SquareGame, SquarePosition
from tilesight.inference.squares.understanding import SquaresUnderstood
from tilesight.live.controller import TableController
from tilesight.live.journal import Journal
from tilesight.live.publication import EventSink, Publication
from tilesight.live.squares.board import SquaresBoard
from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import TableStore
from vision.squares.reading import SeenSquares
from web.table.camera_status import CameraStatus
from web.table.refusal import Refusal
from web.table.seats import Seat
from web.table.squares import Moves, SquareView


class SquaresTable(TableController[SquaresUnderstood, SquareView, SeenSquares | None]):
    """A watched table of squares (web.table.squares.SquareTable)."""

    def __init__(
        self,
        game: SquareGame,
        pack: Pack,
        opening: Opening,
        names: Mapping[str, str],
        store: TableStore | None = None,
        *,
        title: str = "",
        frames: int | None = None,
        rendered: bool = False,
        sink: EventSink | None = None,
    ) -> None:
        """Open the table of a game with header ``opening``.

        If the header has no set-up, the set-up is read from the table. ``names`` maps colours to people's
        names. Without a ``store``, a recording of ``frames`` pictures is shown, which is read-only. Raises
        StoreError if the log is inconsistent.
        """
        journal = Journal(GameLedger(read_turn=game.records.read_line), store)
        names = {**names, **journal.ledger.names}
        view = SquareView(
            title or ", ".join(names.values()),
            game.name,
            pack,
            tuple(Seat(color, names.get(color, color)) for color in opening.players),
            camera=CameraStatus(frames=frames),
            rendered=rendered,
        )
        self._game = game
        super().__init__(SquaresBoard(game, pack, opening), journal, Publication(view, sink))

    def moves(self, turn_no: int) -> Moves:
        """Return the choices for turn ``turn_no``; the number after the last turn means the next turn.

        Raises Refusal if the game ends before this turn, or if there is no such turn.
        """
        with self._live():
            before: SquarePosition = self.game.state_before(turn_no)
            if before.over:
                raise Refusal("over", Message("the game is over: no turn follows"))
            pawn = next(f for f in before.figures if f.kind == self._game.pawn and f.name == before.player)
            lines = tuple(turn.to_json() for turn in before.turns())
            return Moves(turn_no, before.player, pawn.square, lines)

    def result(self) -> dict[str, Any]:
        """Return the game's state as JSON, as printed at the end of `live --json`.

        It has the header with the set-up, the turns with frame and confidence, the events, points and
        outcome.
        """
        view, understood = self.state(), self.game.understood
        value: Mapping[str, Any] = {}
        points: Mapping[str, int] = {}
        if view.state is not None:
            value, points = self._game.records.outcome(view.state).value, view.state.points
        turns = understood.turns if understood is not None else ()
        return {
            "header": self.game.journal.ledger.set_up,
            "turns": [turn.to_json() for turn in turns],
            "events": [event.to_json() for event in view.events],
            "scores": dict(points),
            "final": dict(points),
            "outcome": view.outcome,
            **value,
        }
