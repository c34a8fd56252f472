"""The sample sessions that ship, in a clone and in an installed wheel.

A clone has them in `samples/`; the wheel's build puts the sessions of :data:`DEMOS` into the package, with
the pictures of each as a film. (setup.py imports this module, so it may use only the standard library.)
"""

from __future__ import annotations

import json
from pathlib import Path

DEMOS = ("first-light", "menhir-creek", "hill-town", "camera-hunt")
"""Names of the sessions that the wheel carries, one of each game; `tilesight demo` shows the first."""
PACKAGED = "sample_sessions"
"""Name of their folder in the package tilesight of a wheel."""
_HERE = Path(__file__).resolve().parents[1]
"""Folder of the package tilesight."""


class SamplesError(ValueError):
    """A sample is missing; the message is one line for the user."""


def sample_folder(name: str) -> Path:
    """Return the folder of the sample session ``name``. Raises SamplesError if it is missing."""
    for root in (_HERE / PACKAGED, _HERE.parent / "samples"):
        if (root / name / "session.json").is_file():
            return root / name
    raise SamplesError(f"the sample session {name!r} is missing: install Tilesight again, or clone it whole")


def sample_games() -> dict[str, str]:
    """Return the name of the sample session of each game, by game; the default first.

    Games are those that the `session.json` names. Raises SamplesError if a sample is missing.
    """
    games: dict[str, str] = {}
    for name in DEMOS:
        told = json.loads((sample_folder(name) / "session.json").read_text("utf-8"))
        games.setdefault(str(told["game"]), name)
    return games


def sample_of(game: str | None) -> Path:
    """Return the folder of a game's sample session; None: of the default one.

    Raises SamplesError, which lists the games that have one.
    """
    if game is None:
        return sample_folder(DEMOS[0])
    games = sample_games()
    if game not in games:
        raise SamplesError(f"no sample session of a game {game!r} (there are: {', '.join(games)})")
    return sample_folder(games[game])
