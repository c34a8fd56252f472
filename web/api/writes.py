"""Write routes, for holders of the table's key."""

from __future__ import annotations

from fastapi import APIRouter, Security

from web.api.bodies import AnswerBody, CorrectBody, PauseBody, SeatBody, SeatsBody
from web.api.routes import KEY_HEADER, guarded
from web.api.served import ServedNow
from web.api.shapes import KeyShape, OkShape, errors
from web.table.access import SPEAKER
from web.table.seats import Seat

REFUSED = errors(
    _400="the body is not text that could be JSON",
    _403="no key, not the table's, or one of a role that may not do that",
    _404="what the request names is not there, or not there any more",
    _409="the table cannot do that now; the message says why",
    _413="the body is too large",
    _422="the body is not what it should be; the message names the field",
    _429="five wrong keys within a minute; Retry-After says how long to wait",
)
"""Reasons why a write is refused, by status."""
OK = {"ok": True}
"""The answer to a write that succeeded."""


routes = APIRouter(route_class=guarded("player"), dependencies=[Security(KEY_HEADER)], responses=REFUSED)
"""Routes behind the key in ``X-Table-Key``."""


@routes.post("/api/answer", tags=["questions"], response_model=OkShape)
def post_answer(served: ServedNow, body: AnswerBody) -> dict[str, bool]:
    """Answer an open question."""
    served.table.answer(body.question, body.option)
    return OK


@routes.post("/api/correct", tags=["corrections"], response_model=OkShape)
def post_correct(served: ServedNow, body: CorrectBody) -> dict[str, bool]:
    """Correct a turn, scores, set-up or opening; remove, insert or move turns; say whose one was."""
    served.table.correct(body.value())
    return OK


@routes.post("/api/seat", tags=["game"], response_model=OkShape)
def post_seat(served: ServedNow, body: SeatBody) -> dict[str, bool]:
    """Give a player another name."""
    served.table.seat(body.color, " ".join(body.name.split()))
    return OK


@routes.post("/api/seats", tags=["game"], response_model=OkShape)
def post_seats(served: ServedNow, body: SeatsBody) -> dict[str, bool]:
    """Say who plays, in turn order: other names, colours or order, a player more in the first round."""
    seats = [Seat(one.color, " ".join(one.name.split())) for one in body.players]
    served.table.seats(seats, body.recolored())
    return OK


@routes.post("/api/pause", tags=["game"], response_model=OkShape)
def post_pause(served: ServedNow, body: PauseBody) -> dict[str, bool]:
    """Pause the game, or go on: meanwhile the camera watches, and nothing is told."""
    served.table.pause(body.paused)
    return OK


@routes.post("/api/undo", tags=["corrections"], response_model=OkShape)
def post_undo(served: ServedNow) -> dict[str, bool]:
    """Take back the last turn or correction."""
    served.table.undo()
    return OK


@routes.post("/api/redo", tags=["corrections"], response_model=OkShape)
def post_redo(served: ServedNow) -> dict[str, bool]:
    """Bring back what was undone last."""
    served.table.redo()
    return OK


@routes.post("/api/end", tags=["game"], response_model=OkShape)
def post_end(served: ServedNow) -> dict[str, bool]:
    """End the game now and score it."""
    served.table.end()
    return OK


@routes.get("/api/key", tags=["game"], response_model=KeyShape)
def get_key(served: ServedNow) -> dict[str, object]:
    """The role that the key in ``X-Table-Key`` gives, player or host, and whether players get hints."""
    speaker = SPEAKER.get()
    return {**OK, "role": speaker.role if speaker is not None else "player", "hints": served.hints}
