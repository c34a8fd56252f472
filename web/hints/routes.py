"""Routes of hints, for players of a tile game whose host allows hints."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Security
from pydantic import BaseModel, Field

from engine.message import Message, message_of
from engine.tiles.game import GameError
from engine.tiles.turn import Turn
from web.api.routes import KEY_HEADER, guarded, json_route
from web.api.served import ServedDep, ServedTable
from web.api.shapes import CellShape, RecordLine, Rot, Shape
from web.hints.places import best_places, tiles_left
from web.limits.errors import ApiError
from web.limits.pace import in_thread
from web.table.view import TableView
from web.views.tile_json import turn_json

routes = APIRouter(route_class=guarded("player"), dependencies=[Security(KEY_HEADER)], tags=["hints"])
"""Routes behind a key in ``X-Table-Key``. They answer 409 while hints are off."""
REFUSED = {
    "_403": "no key, not the table's, or the camera's",
    "_409": "the host has not switched hints on, or the game is over",
    "_429": "five wrong keys within a minute; Retry-After says how long to wait",
}
"""Descriptions of the errors of hint routes, by status."""


class TileOddsShape(Shape):
    """A design with remaining tiles."""

    tile: str
    left: Annotated[int, Field(description="tiles of this design that may be drawn next")]
    chance: Annotated[float, Field(description="probability that the next tile is one of them")]


class OddsShape(Shape):
    """The remaining tiles."""

    left: Annotated[int, Field(description="tiles from which the next is drawn")]
    hands: Annotated[bool, Field(description="whether players hold animal tiles, which no place counts")]
    tiles: list[TileOddsShape]


class PlaceShape(Shape):
    """A place for a tile."""

    cell: CellShape
    rot: Rot
    points: Annotated[int, Field(description="points that the player gains at once")]
    line: RecordLine


class PlacesShape(Shape):
    """The places for a tile."""

    tile: str
    player: Annotated[str, Field(description="the player to move")]
    fits: Annotated[int, Field(description="number of cells on which it may be laid")]
    places: Annotated[list[PlaceShape], Field(description="those where points are gained, most first")]


class PlacesQuery(BaseModel):
    """Query parameters of ``GET /api/places``."""

    tile: Annotated[str, Query(min_length=1, max_length=100)]


def _view(served: ServedTable) -> TableView:
    """Return the table's current view. Raises ApiError 409 if hints are off or the game is over."""
    if not served.hints:
        raise ApiError(409, "hints_off", Message("the host has not switched hints on"))
    view = served.table.state()
    assert isinstance(view, TableView)  # boards of squares have no such routes
    if view.phase == "over" or view.state.over:
        raise ApiError(409, "over", Message("the game is over"))
    return view


@routes.get("/api/odds", **json_route(OddsShape, **REFUSED))
@in_thread
def get_odds(served: ServedDep) -> dict[str, object]:
    """Return the designs from which the next tile is drawn.

    Each has its number of remaining tiles and its probability.
    """
    state = _view(served).state
    return {
        "left": sum(state.bag.values()),
        "hands": bool(state.hands),
        "tiles": [
            {"tile": one.tile, "left": one.left, "chance": round(one.chance, 6)} for one in tiles_left(state)
        ],
    }


@routes.get("/api/places", **json_route(PlacesShape, _404="no such tile is left", **REFUSED))
@in_thread
def get_places(served: ServedDep, query: Annotated[PlacesQuery, Query()]) -> dict[str, object]:
    """Return the places for a remaining tile, ranked by the points that the player to move gains at once.

    404 if no such tile is left.
    """
    state = _view(served).state
    if not state.bag.get(query.tile):
        raise ApiError(404, "unknown_tile", Message("no such tile is left"))
    try:
        places = best_places(state, query.tile)
    except GameError as error:
        raise ApiError(404, "unknown_tile", message_of(error)) from None
    return {
        "tile": places.tile,
        "player": places.player,
        "fits": places.fits,
        "places": [_place_json(one.turn, one.points) for one in places.best],
    }


def _place_json(turn: Turn, points: int) -> dict[str, object]:
    """Return a place as JSON."""
    return {"cell": list(turn.cell), "rot": turn.rot, "points": points, "line": turn_json(turn)}
