"""What everybody at the table of a tile game may read: state, faces, choices, the report."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from engine.geometry import Cell
from web.api.errors import ApiError
from web.api.pace import counted
from web.api.shapes import ChoicesShape, PackShape, StateShape
from web.api.shown import ShownJson
from web.api.watched import TurnNo, art_reads, json_route, report_reads
from web.report.tile_report import tile_report
from web.tables.past import view_after
from web.tables.table import Table
from web.tables.tile_json import choices_json, pack_json, state_json


def reads(table: Table) -> APIRouter:
    """The routes of a tile game that change nothing."""
    routes = APIRouter()
    shown_state, shown_pack = ShownJson(), ShownJson()

    @routes.get("/api/state", tags=["game"], **json_route(StateShape, _404="there is no such turn"))
    async def get_state(
        request: Request, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None
    ) -> Response:
        """Everything the dashboard draws; ``last_event_id`` is the newest event it holds.

        With ``turn`` as it was after that turn (0: before the first)."""
        # Not in a thread of its own: the answer is there already, and a hundred phones ask at once.
        last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
        view = table.state()
        questions = table.questions()
        if turn is None:
            return shown_state.answer(
                view,
                (last_event_id, questions),
                lambda: state_json(view, questions, last_event_id),
                request,
            )
        try:
            past = view_after(view, turn)
        except ValueError as error:
            raise ApiError(404, "unknown_turn", str(error)) from None
        return ShownJson().answer(past, None, lambda: state_json(past, questions, last_event_id), request)

    @routes.get("/api/pack", tags=["game"], **json_route(PackShape))
    @counted
    def get_pack(request: Request) -> Response:
        """The faces of this table's tiles: edges, features, where pieces stand, addresses of the art."""
        pack = table.state().pack
        return shown_pack.answer(pack, None, lambda: pack_json(pack), request)

    @routes.get(
        "/api/turns/{turn}/choices",
        tags=["corrections"],
        **json_route(ChoicesShape, _404="there is no such turn", _409="nothing can be corrected here now"),
    )
    @counted
    def get_choices(
        turn: TurnNo,
        tile: Annotated[str | None, Query(min_length=1, max_length=100)] = None,
        cell: Annotated[str | None, Query(pattern=r"^-?[0-9]{1,3},-?[0-9]{1,3}$")] = None,
        rot: Annotated[int | None, Query(ge=0, le=270)] = None,
    ) -> dict[str, object]:
        """What a turn may have been under the rules, likeliest first; the number after the last turn asks
        about a turn that is still to come. ``tile``, ``cell`` (``x,y``) and ``rot`` ask about another
        placement."""
        return choices_json(table.choices(turn, tile, None if cell is None else _cell(cell), rot))

    routes.include_router(report_reads(table.state, tile_report))
    routes.include_router(art_reads(lambda: table.state().pack))

    return routes


def _cell(text: str) -> Cell:
    x, _, y = text.partition(",")
    return (int(x), int(y))
