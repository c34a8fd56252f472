"""Tilesight: a camera reads a tile game on a real table, and a rules engine keeps the score.

The names below are the package's public interface (docs/library.md), imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilesight.public.enrolment import Enrolled, enrol
    from tilesight.public.photographs import Board, Piece, Tile, read
    from tilesight.public.rules import Checked, Game, Played, check, games, play
    from tilesight.public.sessions import Event, Replayed, replay, watch

    __version__: str
    """Version of the installed distribution; ``0+unknown`` for a checkout that was never installed."""

__all__ = [
    "Board",
    "Checked",
    "Enrolled",
    "Event",
    "Game",
    "Piece",
    "Played",
    "Replayed",
    "Tile",
    "__version__",
    "check",
    "enrol",
    "games",
    "play",
    "read",
    "replay",
    "watch",
]

_HOMES = {
    "enrolment": ("Enrolled", "enrol"),
    "photographs": ("Board", "Piece", "Tile", "read"),
    "rules": ("Checked", "Game", "Played", "check", "games", "play"),
    "sessions": ("Event", "Replayed", "replay", "watch"),
}
"""Public names, by the module of `tilesight.public` that defines them."""


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import tilesight` is quick. Raises AttributeError."""
    if name == "__version__":
        return _version()
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"tilesight.public.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("tilesight")
    except metadata.PackageNotFoundError:
        return "0+unknown"
