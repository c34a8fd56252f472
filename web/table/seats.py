"""Players of a game, by colour and name."""

from __future__ import annotations

from dataclasses import dataclass

_NO_SIGN = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
NAME = rf"^[^{_NO_SIGN}]*[^{_NO_SIGN}\s][^{_NO_SIGN}]*$"
"""Pattern of a name: at least one visible character, and no control character, line break or character
that changes the text direction."""
NAME_LENGTH = 30
"""Maximum length of a player's name, in characters."""


@dataclass(frozen=True)
class Seat:
    """A player: ``color`` identifies the player in the engine, ``name`` is for people.

    A player without a name has the colour as ``name``; pages and reports then have it in their language.
    """

    color: str
    name: str
