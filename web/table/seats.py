"""Players of a game, by colour and name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seat:
    """A player: ``color`` identifies the player in the engine, ``name`` is for people."""

    color: str
    name: str
