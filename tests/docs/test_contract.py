"""docs/formats.md, docs/rulings.md and docs/http.md say what the program does.

Every route, event, error, fault code, command and option is named; citations in the code lead to headings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from typer.main import get_command

from engine.carcassonne import rules as carcassonne_rules
from engine.games import game_named, game_names
from engine.hunters_gatherers import rules as hunters_rules
from engine.record import HEADER_KEYS
from engine.safari import rules as safari_rules
from engine.tricky_safari.rules import TERRAIN_NAMES
from tests.docs.pages import DOCS, ROOT
from tests.web.fake_table import FakeTable
from tilesight.app import COMMANDS, LateCommand, app
from web.app import create_app, create_square_app
from web.club.app import add_link, create_club_app
from web.lobby_app import create_lobby_app
from web.naming_app import create_naming_app
from web.table.feed import EVENT_TYPES

FORMATS = (DOCS / "formats.md").read_text("utf-8")
RULINGS = (DOCS / "rulings.md").read_text("utf-8")
HTTP = (DOCS / "http.md").read_text("utf-8")
OURS = ("engine", "vision", "calibration", "models", "tilesight", "web", "tests", "samples")
MAKES_FAULT = re.compile(r"[Ff]ault$")
CITED = re.compile(r"docs/(formats|rulings|http)\.md,\s+['\"]([^'\"\n]+)['\"]")


class _Phone:
    def push(self, jpeg: bytes) -> None:
        raise NotImplementedError


def routes_of(application: FastAPI) -> Iterator[str]:
    """`GET /api/state` and so on: those that the description lists, and those that it leaves out."""
    for path, methods in application.openapi()["paths"].items():
        yield from (f"{method.upper()} {path}" for method in methods)
    waiting: list[Any] = list(application.routes)
    while waiting:
        route = waiting.pop()
        if isinstance(route, APIRoute):
            yield from (f"{method} {route.path}" for method in (route.methods or set()) - {"HEAD"})
        elif isinstance(route, APIWebSocketRoute):
            yield route.path
        router = getattr(route, "original_router", None) or getattr(route, "router", None)
        waiting += getattr(router, "routes", [])


def all_routes() -> set[str]:
    table: Any = FakeTable()
    naming: Any = object()
    applications = (
        create_app(table, key="K", phone=_Phone()),
        create_square_app(table, key="K"),
    )
    found = {route for application in applications for route in routes_of(application)}
    naming_app, lobby_app = create_naming_app(naming, key="K"), create_lobby_app(naming, key="K")
    club_app = create_club_app(naming, naming, key="K", accounts=naming, phones=naming, invitations=naming)
    add_link(club_app, naming)
    return found.union(*map(routes_of, (naming_app, lobby_app, club_app)))


def test_every_route_is_on_the_page() -> None:
    routes = all_routes()
    assert {
        "GET /",
        "GET /api/state",
        "POST /api/undo",
        "/api/phone",
        "GET /camera",
        "POST /api/finish",
    } <= routes
    missing = [route for route in sorted(routes) if f"`{route}`" not in HTTP]
    assert missing == []


def test_the_page_names_no_route_that_is_not_there() -> None:
    planned = {"GET /api/openapi.json"}
    named = set(re.findall(r"`((?:GET|POST) /[^`?]*)`", HTTP))
    assert named - planned <= all_routes()


def test_every_event_is_on_the_page() -> None:
    assert set(
        re.findall(r"^\| `(\w+)` \|", HTTP.split("## Events")[1].split("## ")[0], re.MULTILINE)
    ) == set(EVENT_TYPES)


def test_every_error_code_is_on_the_page() -> None:
    codes = set()
    for folder in ("web", "tilesight"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            codes |= set(re.findall(r'Refusal\(\s*"(\w+)"', text))
            codes |= set(re.findall(r'(?:ApiError|error_response)\(\s*\d+,\s*"(\w+)"', text))
    assert {"illegal", "key_wrong", "too_large", "invalid", "unknown_art"} <= codes
    assert [code for code in sorted(codes) if f"`{code}`" not in HTTP] == []


def fault_codes() -> set[str]:
    """Every code with which the engine makes a fault."""
    codes: set[str] = set()
    for path in (ROOT / "engine").rglob("*.py"):
        if not path.name.endswith(("notation.py", "span.py")):  # there faults are those of a text
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and node.args and MAKES_FAULT.search(ast.unparse(node.func)):
                    codes |= _codes(node.args[0])
    return codes


def _codes(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if not isinstance(node, ast.JoinedStr):
        return set()
    rough = [name for name in TERRAIN_NAMES.values() if name != "ground"]
    text = ast.unparse(node)  # on_{code}, through_{code}, {what}_on_{terrain}
    if "{what}" in text:
        return {f"{what}_on_{kind}" for what in ("camera", "animal") for kind in rough}
    return {f"{text.split('{')[0][2:]}{kind}" for kind in (*rough, "animal")}


def test_the_fault_codes_of_the_page_are_those_of_the_engine() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \|", FORMATS.split("## Fault codes")[1], re.MULTILINE))
    assert listed == fault_codes()


def test_every_command_and_every_option_is_on_the_page() -> None:
    section = FORMATS.split("## Command line")[1].split("\n## ")[0]
    group: Any = get_command(app)
    assert set(group.commands) == set(COMMANDS)
    for name, late in group.commands.items():
        assert isinstance(late, LateCommand)
        rows = "".join(row for row in section.splitlines() if f"`tilesight {name} " in row)
        assert rows, name
        command: Any = late.loaded()
        inner = getattr(command, "commands", None)
        if inner is not None:
            assert [one for one in inner if one not in rows] == []
            continue
        for one in command.params:
            names = {name for name in (*one.opts, *one.secondary_opts) if name.startswith("--")}
            if names and not names & {"--json", "--help", "--host", "--port"}:
                assert any(name in rows for name in names), names


def test_every_header_field_is_on_the_page() -> None:
    section = FORMATS.split("## Game record")[1].split("\n## ")[0]
    keys = set(HEADER_KEYS) | {key for name in game_names() for key in game_named(name).records.header_keys}
    assert [key for key in sorted(keys) if f"`{key}`" not in section and f'"{key}"' not in section] == []


def test_every_field_of_the_rules_that_a_table_may_change_is_a_ruling() -> None:
    told_as_presets = {"name", "end_scoring"}
    for rules in (safari_rules.Rules, hunters_rules.Rules, carcassonne_rules.Rules):
        for one in fields(rules):
            assert one.name in told_as_presets or f"Rules.{one.name}" in RULINGS, one.name
    for name in game_names():
        for preset in game_named(name).presets:
            assert f"`{preset}`" in RULINGS or f'"rules": "{preset}"' in RULINGS


def headings(text: str) -> set[str]:
    return set(re.findall(r"^#{2,3} (.*)$", text, re.MULTILINE))


def test_citations_in_the_code_lead_to_headings() -> None:
    known = {"formats": headings(FORMATS), "rulings": headings(RULINGS), "http": headings(HTTP)}
    for folder in OURS:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            assert not re.search(r"[(]FORMATS,|\b(?:FORMATS|RULES)\.md", text), path.relative_to(ROOT)
            for page, heading in CITED.findall(text):
                assert heading in known[page], f"{path.relative_to(ROOT)}: docs/{page}.md has no {heading!r}"


def test_anchors_between_pages_are_there() -> None:
    for path in (*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", path.read_text("utf-8")):
            text = ((path.parent / target) if target else path).read_text("utf-8")
            assert anchor in {_anchor(line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}, anchor


def _anchor(heading: str) -> str:
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize("page", ["formats.md", "rulings.md"])
def test_headings_of_the_contract_are_said_once(page: str) -> None:
    found = re.findall(r"^#{2,3} (.*)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert len(found) == len(set(found))
