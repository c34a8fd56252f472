"""Boards of two kinds, tiles laid edge to edge and squares: how their interfaces differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from engine.geometry import Cell
from web.api.shapes import ChoicesShape, MovesShape, SquareStateShape, StateShape
from web.page import Board
from web.report.page import Report
from web.report.squares_report import square_report, square_reported
from web.report.tile_report import tile_report, tile_reported
from web.report.words import Words
from web.table.question import Question
from web.table.squares import SquareTable, SquareView
from web.table.table import Table
from web.table.view import TableView
from web.views.squares_json import moves_json, square_state_json
from web.views.tile_json import Json, choices_json, state_json


class Placement(BaseModel):
    """Another placement that a question about a turn may name; boards of squares have none."""

    tile: Annotated[str | None, Query(min_length=1, max_length=100)] = None
    cell: Annotated[str | None, Query(pattern=r"^-?[0-9]{1,3},-?[0-9]{1,3}$")] = None
    rot: Annotated[int | None, Query(ge=0, le=270)] = None

    def at(self) -> Cell | None:
        """``cell`` as numbers, x to the east and y to the south."""
        if self.cell is None:
            return None
        x, _, y = self.cell.partition(",")
        return (int(x), int(y))


@dataclass(frozen=True)
class BoardKind:
    """Answers of one kind of board. Every function takes the views and the tables of that kind alone.

    ``page`` draws it. ``state_json`` and ``choices_json`` are described by ``state_shape`` and
    ``choices_shape``; ``after`` gives a view as it was after a turn (ValueError where there is no such turn),
    ``report`` a view as a report in some language, ``reported`` that which the report is made of: where it is
    equal the report is the same."""

    page: Board
    state_shape: type[BaseModel]
    choices_shape: type[BaseModel]
    state_json: Callable[[Any, Sequence[Question], int], Json]
    choices_json: Callable[[Any, int, Placement], Json]
    after: Callable[[Any, int], Any]
    report: Callable[[Any, Words], Report]
    reported: Callable[[Any], tuple[object, ...]]
    hints: bool = False
    """Whether there are hints for its players."""


def _tile_choices(table: Table, turn_no: int, asked: Placement) -> Json:
    return choices_json(table.choices(turn_no, asked.tile, asked.at(), asked.rot))


def _square_choices(table: SquareTable, turn_no: int, _: Placement) -> Json:
    return moves_json(table.moves(turn_no))


TILES = BoardKind(
    "tiles",
    StateShape,
    ChoicesShape,
    state_json,
    _tile_choices,
    TableView.after,
    tile_report,
    tile_reported,
    hints=True,
)
"""Tiles laid edge to edge."""
SQUARES = BoardKind(
    "squares",
    SquareStateShape,
    MovesShape,
    square_state_json,
    _square_choices,
    SquareView.after,
    square_report,
    square_reported,
)
"""Figures on squares."""
