"""The interface as OpenAPI describes it: fuzzed, nothing breaks, and nothing is changed without the key."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.web.conftest import KEY
from tests.web.fake_table import FakeTable
from web.app import create_app
from web.tables.table import TableView

NEVER_ENDS = "/api/events"
"""Read in tests/web/api/test_stream.py."""


def fuzzed_table() -> FakeTable:
    table = FakeTable()
    table.play(5)
    table.ask()
    return table


TABLE = fuzzed_table()
SCHEMA = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(TABLE, key=KEY)).exclude(
    path=NEVER_ENDS
)
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
FUZZ = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def clean(text: str) -> None:
    assert (
        "Traceback" not in text and ".py" not in text and "/work" not in text and "site-packages" not in text
    )


@SCHEMA.parametrize()
@FUZZ
def test_who_holds_the_key_breaks_nothing(case: Any) -> None:
    response = case.call_and_validate(headers={"X-Table-Key": KEY}, checks=CHECKS)
    if response.status_code >= 400:
        assert set(response.json()) == {"error"}
        clean(response.text)


@SCHEMA.include(method="POST").parametrize()
@FUZZ
def test_a_spectator_writes_nothing_whatever_is_sent(case: Any) -> None:
    case.headers = {
        name: value for name, value in (case.headers or {}).items() if name.lower() != "x-table-key"
    }
    before: TableView = TABLE.view
    response = case.call()
    # Methods that no route has are tried as well.
    assert response.status_code == 403 if case.method == "POST" else 404 <= response.status_code <= 405
    assert TABLE.view is before


def test_everything_is_described() -> None:
    described = create_app(FakeTable(), key=KEY).openapi()
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
