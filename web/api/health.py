"""Health routes for monitoring: whether the table works, and its metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from web.api.routes import file_route, json_route
from web.api.served import OutwardDep, ServedDep, ServedTable
from web.api.shapes import Shape
from web.table.table import Outward
from web.table.vitals import Vitals
from web.uncached import NO_STORE

routes = APIRouter(tags=["health"])
"""Routes without a key. They reveal nothing about the game."""


class HealthShape(Shape):
    """Health of the table."""

    ok: bool
    wrong: Annotated[list[str], Field(description="picture, thread:NAME, disk, log")]
    picture_age_s: Annotated[
        float | None,
        Field(description="seconds since the last picture; null if no more pictures are expected"),
    ]
    threads: Annotated[dict[str, bool], Field(description="whether each works")]
    disk_free_bytes: Annotated[int | None, Field(description="on the disk with the log; null without a log")]
    log_writable: Annotated[bool | None, Field(description="null without a log")]
    clients: Annotated[int, Field(description="open event streams")]


@routes.get(
    "/healthz",
    **{**json_route(HealthShape), "responses": {200: {"model": HealthShape}, 503: {"model": HealthShape}}},
)
async def get_health(served: ServedDep) -> JSONResponse:
    """Return the table's health: status 200, or 503 with the list ``wrong`` of what does not work."""
    # async: reports may occupy all worker threads.
    vitals = served.vitals()
    wrong = vitals.wrong()
    body = {
        "ok": not wrong,
        "wrong": list(wrong),
        "picture_age_s": None if vitals.picture_age_s is None else round(vitals.picture_age_s, 1),
        "threads": dict(vitals.threads),
        "disk_free_bytes": vitals.disk_free_bytes,
        "log_writable": vitals.log_writable,
        "clients": served.fans.listeners,
    }
    return JSONResponse(body, 503 if wrong else 200, NO_STORE)


@routes.get("/metrics", **file_route("text/plain"))
async def get_metrics(served: ServedDep, outward: OutwardDep) -> Response:
    """Return counters and gauges in Prometheus' text format."""
    # Imported here, because the library is large and most tables are never asked.
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

    registry = CollectorRegistry()
    registry.register(cast(Any, _Collector(served, outward)))
    content: bytes = generate_latest(registry)
    return Response(content, media_type=CONTENT_TYPE_LATEST, headers=NO_STORE)


class _Collector:
    """Prometheus collector of a table's vitals."""

    def __init__(self, served: ServedTable, outward: Outward | None) -> None:
        self._outward = outward
        self._vitals: Vitals = served.vitals()
        self._feed = served.table.watch()
        self._clients = served.fans.listeners

    def collect(self) -> Iterator[object]:
        """Yield every metric of the table."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

        vitals = self._vitals
        yield CounterMetricFamily(
            "tilesight_pictures_seen", "Pictures that were processed", value=vitals.pictures_seen
        )
        yield CounterMetricFamily(
            "tilesight_pictures_dropped",
            "Pictures that came while an earlier one was processed",
            value=vitals.pictures_dropped,
        )
        yield CounterMetricFamily(
            "tilesight_pictures_unreadable",
            "Pictures that could not be decoded or recognised",
            value=vitals.pictures_unreadable,
        )
        yield HistogramMetricFamily(
            "tilesight_picture_latency_seconds",
            "Seconds from a picture's arrival to the end of its recognition",
            buckets=[(_bound(bound), count) for bound, count in vitals.latency.counts],
            sum_value=vitals.latency.sum_s,
        )
        yield GaugeMetricFamily("tilesight_clients", "Open event streams", value=self._clients)
        yield CounterMetricFamily("tilesight_events", "Events published", value=self._feed.last_id)
        threads = GaugeMetricFamily("tilesight_thread_up", "Whether a thread works", labels=["thread"])
        for name, works in vitals.threads.items():
            threads.add_metric([name], float(works))
        yield threads
        yield GaugeMetricFamily(
            "tilesight_healthy", "Whether nothing is wrong", value=float(not vitals.wrong())
        )
        if self._outward is not None:
            yield from _outward_metrics(self._outward)
        gauges = {
            "tilesight_picture_age_seconds": ("Seconds since the last picture", vitals.picture_age_s),
            "tilesight_disk_free_bytes": ("Free bytes where the log is kept", vitals.disk_free_bytes),
            "tilesight_log_writable": ("Whether the log can be written", vitals.log_writable),
        }
        for name, (about, value) in gauges.items():
            if value is not None:
                yield GaugeMetricFamily(name, about, value=float(value))


def _outward_metrics(outward: Outward) -> Iterator[object]:
    """Yield the counts of all webhooks together, since each address is a secret; and the broker's state."""
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    states = outward.webhooks()
    counters = {
        "delivered": ("Events that arrived at webhooks", sum(one.delivered for one in states)),
        "dropped": ("Events dropped from full queues of webhooks", sum(one.dropped for one in states)),
        "refused": ("Events given up after repeated refusals", sum(one.refused for one in states)),
    }
    for name, (about, count) in counters.items():
        yield CounterMetricFamily(f"tilesight_webhook_events_{name}", about, value=count)
    waiting = sum(one.waiting for one in states)
    yield GaugeMetricFamily(
        "tilesight_webhook_events_waiting", "Events that wait for webhooks", value=waiting
    )
    on = sum(one.on for one in states)
    yield GaugeMetricFamily("tilesight_webhooks", "Webhooks that are switched on", value=on)
    if (connected := outward.broker_connected()) is not None:
        yield GaugeMetricFamily(
            "tilesight_mqtt_connected", "Whether the broker is connected", value=connected
        )


def _bound(seconds: float) -> str:
    """Format a histogram's upper bound in seconds for Prometheus; infinity becomes ``+Inf``."""
    return "+Inf" if seconds == float("inf") else str(seconds)
