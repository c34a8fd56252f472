"""The interface of each kind of board, as OpenAPI describes it: fuzzed, nothing breaks, and nothing is
changed without the key."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.tilesight.live.squares.test_controller import START, Live
from tests.web.conftest import KEY
from tests.web.fake_table import FakeTable
from tilesight.table_log.event_store import TableStore
from web.app import create_app, create_square_app

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ROOT = Path(__file__).resolve().parents[3]
WITHIN_S = 60.0
"""Seconds for an answer: a report takes long on a loaded machine."""
FUZZ = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Interface:
    """An application, the view that its table shows, and its description."""

    app: FastAPI
    view: Callable[[], object]
    schema: Any

    @classmethod
    def of(cls, app: FastAPI, view: Callable[[], object]) -> Interface:
        """That of an application; the event stream is read in tests/web/api/test_stream.py."""
        schema = schemathesis.openapi.from_asgi("/api/openapi.json", app).exclude(path="/api/events")
        return cls(app, view, schema)


def _tiles() -> Interface:
    table = FakeTable()
    table.play(5)
    table.ask()
    return Interface.of(create_app(table, key=KEY), table.state)


def _squares(store: TableStore) -> Interface:
    live = Live(store)
    live.show(START.figures)
    live.play("a7", "j8", "a6")
    return Interface.of(create_square_app(live.table, key=KEY), live.table.state)


FOLDER = tempfile.TemporaryDirectory()
STORE = TableStore(Path(FOLDER.name) / "one.table")
"""Open as long as the tests run: which routes there are must be known when tests are collected."""
TILES, SQUARES = _tiles(), _squares(STORE)


@pytest.fixture(scope="session", autouse=True)
def closed() -> Iterator[None]:
    """Closes the store after the last test: a process may come back to this module after others."""
    yield
    STORE.__exit__(None, None, None)
    FOLDER.cleanup()


def operations(**only: str) -> list[Any]:
    """Parameters of a test: each board's routes, all or ``only`` some."""
    return [
        pytest.param(interface, found.ok(), id=f"{found.ok().label}-{board}")
        for board, interface in (("tiles", TILES), ("squares", SQUARES))
        for found in (interface.schema.include(**only) if only else interface.schema).get_all_operations()
    ]


def requested(operation: Any, test: Callable[[Any], None]) -> None:
    """Call a test with requests to a route. They are made up when it begins: schemathesis' `parametrize` does
    it when tests are collected, which every process does, for 101 routes."""
    build_operation_test(
        config=operation.schema.config,
        operation=operation,
        test_func=test,
        given_kwargs={},
        feedback=FeedbackSources(constants_value_source=make_constants_value_source(operation.schema)),
        explicit_settings=FUZZ,
    )()


@pytest.mark.long
@pytest.mark.parametrize(("interface", "operation"), operations())
def test_requests_with_the_key_break_nothing(interface: Interface, operation: Any) -> None:
    def test(case: Any) -> None:
        response = case.call_and_validate(headers={"X-Table-Key": KEY}, checks=CHECKS, timeout=WITHIN_S)
        if response.status_code >= 400:
            assert set(response.json()) == {"error"}
            for trace in ("Traceback", ".py", str(ROOT), "site-packages"):
                assert trace not in response.text

    requested(operation, test)


@pytest.mark.parametrize(("interface", "operation"), operations(method="POST"))
def test_a_spectator_writes_nothing(interface: Interface, operation: Any) -> None:
    def test(case: Any) -> None:
        case.headers = {
            name: value for name, value in (case.headers or {}).items() if name.lower() != "x-table-key"
        }
        before = interface.view()
        response = case.call(timeout=WITHIN_S)
        # Methods that no route has are tried as well.
        assert response.status_code == 403 if case.method == "POST" else 404 <= response.status_code <= 405
        assert interface.view() is before

    requested(operation, test)


@pytest.mark.parametrize("interface", [TILES, SQUARES], ids=["tiles", "squares"])
def test_everything_is_described(interface: Interface) -> None:
    described = interface.app.openapi()
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            assert way["description"] and way["tags"], path
            assert way["responses"]["200"].get("content"), path
            if method == "post":
                assert way["security"] == [{"table key": []}]
                assert {"403", "409", "422", "429"} <= set(way["responses"])
    assert described["components"]["securitySchemes"]["table key"]["name"] == "X-Table-Key"


@pytest.mark.parametrize("name", ["StateShape", "ChoicesShape", "PictureShape"])
def test_the_shapes_are_described(name: str) -> None:
    assert create_app(FakeTable(), key=KEY).openapi()["components"]["schemas"][name]["properties"]
