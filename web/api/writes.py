"""Write routes, for holders of a key of the table."""

from __future__ import annotations

from fastapi import APIRouter, Security

from web.api.bodies import AnswerBody, CorrectBody, PauseBody, SeatBody, SeatsBody, StepBody
from web.api.routes import KEY_HEADER, guarded
from web.api.served import ServedDep
from web.api.shapes import KeyShape, OkShape
from web.limits.errors import errors
from web.table.access import SPEAKER
from web.table.seats import Seat

REFUSED = errors(
    _400="the body is not UTF-8 text",
    _403="the key is missing, wrong, or of a role that may not do this",
    _404="something that the request names does not exist, or no longer exists",
    _409="the table cannot do this now; the message says why",
    _413="the body is too large",
    _422="the body is invalid; the message names the field",
    _429="five wrong keys within a minute, or too many changes; Retry-After says how long to wait",
)
"""Descriptions of the errors of write routes, by status."""
OK = {"ok": True}
"""Answer to a write that succeeded."""


routes = APIRouter(route_class=guarded("player"), dependencies=[Security(KEY_HEADER)], responses=REFUSED)
"""Routes behind a player's key in ``X-Table-Key``."""


@routes.post("/api/answer", tags=["questions"], response_model=OkShape)
def post_answer(served: ServedDep, body: AnswerBody) -> dict[str, bool]:
    """Answer an open question with one of its options."""
    served.table.answer(body.question, body.option)
    return OK


@routes.post("/api/correct", tags=["corrections"], response_model=OkShape)
def post_correct(served: ServedDep, body: CorrectBody) -> dict[str, bool]:
    """Correct what was recorded.

    Corrects a turn, the scores, the set-up or the opening position; removes, inserts, moves or reorders
    turns; or gives a turn to another player.
    """
    served.table.correct(body.value())
    return OK


@routes.post("/api/seat", tags=["game"], response_model=OkShape)
def post_seat(served: ServedDep, body: SeatBody) -> dict[str, bool]:
    """Rename a player."""
    served.table.seat(body.color, " ".join(body.name.split()))
    return OK


@routes.post("/api/seats", tags=["game"], response_model=OkShape)
def post_seats(served: ServedDep, body: SeatsBody) -> dict[str, bool]:
    """Set the players in turn order: names, colours, order, or one player more during the first round."""
    seats = [Seat(one.color, " ".join(one.name.split())) for one in body.players]
    served.table.seats(seats, body.recolored())
    return OK


@routes.post("/api/pause", tags=["game"], response_model=OkShape)
def post_pause(served: ServedDep, body: PauseBody) -> dict[str, bool]:
    """Pause or resume the game. During a pause, turns that the camera sees are not recorded."""
    served.table.pause(body.paused)
    return OK


@routes.post("/api/undo", tags=["corrections"], response_model=OkShape)
def post_undo(served: ServedDep, body: StepBody | None = None) -> dict[str, bool]:
    """Undo the last turn or correction; with ``entry``, only if it is still the one in that state."""
    served.table.undo(None if body is None else body.entry)
    return OK


@routes.post("/api/redo", tags=["corrections"], response_model=OkShape)
def post_redo(served: ServedDep, body: StepBody | None = None) -> dict[str, bool]:
    """Redo what was undone last; with ``entry``, only if it is still the one in that state."""
    served.table.redo(None if body is None else body.entry)
    return OK


@routes.post("/api/end", tags=["game"], response_model=OkShape)
def post_end(served: ServedDep) -> dict[str, bool]:
    """End the game now and score it."""
    served.table.end()
    return OK


@routes.get("/api/key", tags=["game"], response_model=KeyShape)
def get_key(served: ServedDep) -> dict[str, object]:
    """Return the role of the key in ``X-Table-Key``: player or host.

    Also return whether players get hints, and whether labels of this game's pictures may be kept.
    """
    speaker = SPEAKER.get()
    role = speaker.role if speaker is not None else "player"
    return {**OK, "role": role, "hints": served.hints, "keep_labels": served.guard.access.keep_labels}
