"""Seats: the players by colour and by the names that people call them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seat:
    """A player: ``color`` is the player's name inside the engine, ``name`` what people call them."""

    color: str
    name: str
