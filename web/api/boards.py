"""The two kinds of board, tiles and squares, and what differs in their HTTP answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from engine.geometry import Cell
from web.api.shapes import ChoicesShape, MovesShape, SquareStateShape, StateShape
from web.page import PageKind
from web.report.page import Report
from web.report.squares_report import square_report, square_report_key
from web.report.tile_report import tile_report, tile_report_key
from web.report.words import Words
from web.table.question import Question
from web.table.squares import SquareTable, SquareView
from web.table.table import Table
from web.table.view import TableView
from web.views.squares_json import moves_json, square_state_json
from web.views.tile_json import Json, choices_json, state_json


class PlacementQuery(BaseModel):
    """Query parameters that name another placement of a tile. Boards of squares ignore them."""

    tile: Annotated[str | None, Query(min_length=1, max_length=100)] = None
    cell: Annotated[str | None, Query(pattern=r"^-?[0-9]{1,3},-?[0-9]{1,3}$")] = None
    rot: Annotated[int | None, Query(ge=0, le=270)] = None

    def parsed_cell(self) -> Cell | None:
        """Return ``cell`` as ``(x, y)``, x to the east and y to the south; None if it is not given."""
        if self.cell is None:
            return None
        x, _, y = self.cell.partition(",")
        return (int(x), int(y))


@dataclass(frozen=True)
class BoardKind:
    """Differences between boards of tiles and boards of squares.

    ``page`` names the dashboard page. ``state_json(view, questions, last_event_id)`` returns the JSON of
    ``GET /api/state``, described by ``state_shape``; ``choices_json(table, turn_no, query)`` the JSON of the
    choices for a turn, described by ``choices_shape``. ``view_after(view, turn_no)`` returns an earlier view
    (ValueError if there is no such turn). ``report(view, words)`` returns the report of a game, and
    ``report_key(view)`` its cache key: views with equal keys have equal reports. All these functions take
    only views and tables of their own kind.
    """

    page: PageKind
    state_shape: type[BaseModel]
    choices_shape: type[BaseModel]
    state_json: Callable[[Any, Sequence[Question], int], Json]
    choices_json: Callable[[Any, int, PlacementQuery], Json]
    view_after: Callable[[Any, int], Any]
    report: Callable[[Any, Words], Report]
    report_key: Callable[[Any], tuple[object, ...]]
    hints: bool = False
    """Whether players of these games can get hints."""


def _tile_choices(table: Table, turn_no: int, query: PlacementQuery) -> Json:
    """Return the JSON of the choices for turn ``turn_no`` of a tile game.

    ``query`` may ask about another placement than the recorded one.
    """
    return choices_json(table.choices(turn_no, query.tile, query.parsed_cell(), query.rot))


def _square_choices(table: SquareTable, turn_no: int, _: PlacementQuery) -> Json:
    """Return the JSON of the choices for turn ``turn_no`` of a game on squares."""
    return moves_json(table.moves(turn_no))


TILES = BoardKind(
    "tiles",
    StateShape,
    ChoicesShape,
    state_json,
    _tile_choices,
    TableView.after,
    tile_report,
    tile_report_key,
    hints=True,
)
"""Board of tiles laid edge to edge."""
SQUARES = BoardKind(
    "squares",
    SquareStateShape,
    MovesShape,
    square_state_json,
    _square_choices,
    SquareView.after,
    square_report,
    square_report_key,
)
"""Board of figures on squares."""
