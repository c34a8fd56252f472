"""Table of a tile game: its controller, with the alternatives for a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.geometry import Cell
from engine.message import Message
from engine.tiles.game import GameState
from engine.tiles.seen_position import UnseenState
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import Understanding
from tilesight.live.controller import TableController
from tilesight.live.journal import Journal
from tilesight.live.publication import EventSink, Publication
from tilesight.live.tiles.board import TileBoard
from tilesight.live.tiles.pictures import SeenTiles
from tilesight.table_log.event_fold import Ledger
from tilesight.table_log.event_store import TableStore
from web.table.camera_status import CameraStatus
from web.table.choices import Choices, choices_of
from web.table.refusal import Refusal
from web.table.seats import Seat
from web.table.view import TableView


class TileTable(TableController[Understanding, TableView, SeenTiles]):
    """A watched table of tiles (web.table.table.Table)."""

    def __init__(
        self,
        start: GameState,
        names: Mapping[str, str],
        store: TableStore | None = None,
        *,
        title: str,
        game: str,
        frames: int | None = None,
        rendered: bool = False,
        header_line: Mapping[str, Any] | None = None,
        sink: EventSink | None = None,
        tracker: Tracker[Understanding] | None = None,
        told: UnseenState | None = None,
    ) -> None:
        """Open the table of a tile game.

        ``start`` is the position before turn 1, ``names`` maps colours to people's names. Without a
        ``store``, a recording of ``frames`` pictures is shown, which is read-only. ``header_line`` is the
        record's first line; ``tracker`` replaces the default tracker; ``told`` is the information of people
        about a game under way. Raises StoreError if the log is inconsistent.
        """
        view = TableView(
            title=title,
            game=game,
            pack=start.pack,
            seats=tuple(Seat(color, names.get(color, color)) for color in start.players),
            start=start,
            state=start,
            phase="waiting",
            camera=CameraStatus(frames=frames),
            rendered=rendered,
        )
        board = TileBoard(start, header_line or {}, tracker, told)
        super().__init__(board, Journal(Ledger(), store), Publication(view, sink))

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """Return the choices for turn ``turn_no``.

        ``tile``, ``cell`` and ``rot`` ask about another placement. Raises Refusal if the game ends before
        this turn, or if there is no such turn.
        """
        with self._live():
            before = self.game.state_before(turn_no)
            understood = self.game.understood
            turns = understood.turns if understood is not None else ()
            now = turns[turn_no - 1] if turn_no <= len(turns) else None
            likely = list(now.alternatives) if now is not None else []
            if not likely and turn_no <= len(self.state().played):  # the alternatives may be in the log only
                likely = [other.turn for other in self.state().played[turn_no - 1].alternatives]
            doubt = understood.doubt if understood is not None else None
            if doubt is not None and doubt.number == turn_no:
                likely = [turn for turn, _ in doubt.options]
        if before.over:
            raise Refusal("over", Message("the game is over: no turn follows"))
        turn = now.turn if now is not None else None
        return choices_of(before, turn_no, turn, likely, tile=tile, cell=cell, rot=rot)

    def scores(self) -> dict[str, int]:
        """Return the current scores by colour, with the points added or removed by hand."""
        view = self.state()
        return {color: points + view.by_hand.get(color, 0) for color, points in view.state.scores.items()}
