"""Attack: none by people. An update of uvicorn changes what the limits rest on, and they stop working.

Held: uvicorn is used through what it offers. Its protocols are given by its settings ``http`` and ``ws``
and are used as ``asyncio.Protocol``; none of its classes is derived from, and nothing of theirs is read or
set. The version is bound to what was tested.

Before the bound in ``pyproject.toml`` moves, look at these in the new version, and run `tests/attacks` and
`tests/tilesight/server`:

- ``Config(http=..., ws=...)`` takes classes, and calls them with keyword arguments alone;
- ``H11Protocol`` and ``WebSocketsSansIOProtocol`` are at the same place. For a WebSocket the first makes an
  instance of ``ws``, calls its ``connection_made``, gives the request's head to its ``data_received``, and
  calls ``transport.set_protocol``;
- ``scope["client"]`` and ``scope["server"]`` are the addresses and ports of the connection's two ends;
- a response's ``send`` waits while the transport's buffer is full.
"""

from __future__ import annotations

import ast
import asyncio
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import tilesight.server
from tests.tilesight.kills import ROOT
from tilesight.server import protocols
from tilesight.server.connections import ConnectionLimiter

OFFERED = {
    "uvicorn",
    "uvicorn.protocols.http.h11_impl.H11Protocol",
    "uvicorn.protocols.websockets.websockets_sansio_impl.WebSocketsSansIOProtocol",
    "uvicorn.middleware.proxy_headers.ProxyHeadersMiddleware",
}
"""Names of uvicorn that the program may import."""
ASYNCIO = {name for name in dir(asyncio.Protocol) if not name.startswith("_")}
"""Methods that a protocol has."""


def numbers(text: str) -> tuple[int, ...]:
    """A version as numbers."""
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


def sources() -> list[ast.Module]:
    """The parsed modules of the packages that serve."""
    folders = (ROOT / "web", *map(Path, tilesight.server.__path__), ROOT / "tilesight" / "club")
    return [ast.parse(path.read_text("utf-8")) for folder in folders for path in folder.rglob("*.py")]


def imported(module: ast.Module) -> set[str]:
    """The names of uvicorn that a module imports."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {f"{node.module}.{one.name}" for one in node.names}
    return {name for name in found if name.split(".")[0] in ("uvicorn", "h11")}


def test_only_what_uvicorn_offers_is_used() -> None:
    assert set().union(*map(imported, sources())) == OFFERED


def test_none_of_its_classes_is_derived_from_and_only_asyncio_s_methods_are_called() -> None:
    made = protocols.protocols(ConnectionLimiter(20), None)
    assert not any(base.__module__.startswith("uvicorn") for one in made for base in one.__mro__)
    tree = ast.parse(Path(protocols.__file__).read_text("utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "_inner"
    }
    assert used <= ASYNCIO and "data_received" in used


def test_its_version_is_bound_to_what_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    [bound] = [one for one in project["dependencies"] if re.match(r"uvicorn\b", one)]
    upper = re.search(r"<([\d.]+)", bound)
    assert upper is not None, "uvicorn has no upper bound"
    tested, most = numbers(version("uvicorn")), numbers(upper[1])
    assert tested < most == (tested[0], tested[1] + 1)
