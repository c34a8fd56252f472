"""Routes for the host about webhooks: their list and state, a new webhook, a test."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Security
from pydantic import Field

from engine.message import Message
from web.api.bodies import WebhookBody
from web.api.routes import KEY_HEADER, guarded
from web.api.served import OutwardDep
from web.api.shapes import OkShape, Shape
from web.api.writes import OK, REFUSED
from web.limits.errors import ApiError
from web.table.table import Outward, Problem, WebhookState

routes = APIRouter(
    route_class=guarded("host"), dependencies=[Security(KEY_HEADER)], responses=REFUSED, tags=["host"]
)
"""Routes behind the host's key in ``X-Table-Key``."""


class WebhookShape(Shape):
    """A webhook, without its secret and without path and query of its address."""

    id: str
    shown: Annotated[str, Field(description="the address without path and query")]
    on: Annotated[bool, Field(description="false after the address answered 410")]
    waiting: Annotated[int, Field(description="events that wait")]
    delivered: int
    dropped: Annotated[int, Field(description="events removed from a full queue, the oldest first")]
    refused: Annotated[int, Field(description="events given up after repeated refusals")]
    problem: Annotated[Problem, Field(description="what went wrong with the latest delivery")]
    status: Annotated[int | None, Field(description="the HTTP status of the latest answer")]


class WebhooksShape(Shape):
    """All webhooks, and the MQTT broker."""

    webhooks: Annotated[list[WebhookShape] | None, Field(description="null if this table sends none")]
    broker: Annotated[bool | None, Field(description="whether the MQTT broker is connected; null for none")]


class NewWebhookShape(Shape):
    """A new webhook with its signing secret, which no later answer contains."""

    id: str
    secret: str


async def _needed(outward: OutwardDep) -> Outward:
    """FastAPI dependency: return the sender of the table's events. Raises ApiError 404 if it has none."""
    if outward is None:
        raise ApiError(404, "no_webhooks", Message("this table sends no webhooks"))
    return outward


SenderDep = Annotated[Outward, Depends(_needed)]
"""Route parameter: the sender of the table's events."""


@routes.get("/api/host/webhooks", response_model=WebhooksShape)
def get_webhooks(outward: OutwardDep) -> dict[str, object]:
    """Return the state of all webhooks and of the MQTT broker."""
    if outward is None:
        return {"webhooks": None, "broker": None}
    return {"webhooks": list(map(_json, outward.webhooks())), "broker": outward.broker_connected()}


@routes.post("/api/host/webhooks", response_model=NewWebhookShape)
def post_webhook(outward: SenderDep, body: WebhookBody) -> dict[str, str]:
    """Add a webhook, and return its signing secret. No later answer contains the secret."""
    webhook = outward.add(body.url)
    return {"id": webhook.id, "secret": webhook.secret}


@routes.post("/api/host/webhooks/{webhook}/test", response_model=WebhookShape)
async def post_test(outward: SenderDep, webhook: str) -> dict[str, object]:
    """Send a test event at once, and return the webhook's state after the delivery."""
    return _json(await asyncio.wrap_future(outward.test(webhook)))


@routes.delete("/api/host/webhooks/{webhook}", response_model=OkShape)
def delete_webhook(outward: SenderDep, webhook: str) -> dict[str, bool]:
    """Remove a webhook. Its queued events are lost."""
    outward.remove(webhook)
    return OK


def _json(state: WebhookState) -> dict[str, object]:
    """Return a webhook's state as JSON."""
    return asdict(state)
