"""Deck of a pack: the plan of all its sheets, and their PDF."""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine.game import Pieces
from engine.games import game_named
from engine.pack import Pack
from tilesight.printing.draw import write_pdf
from tilesight.printing.plan import Paper, Sheet, plan_faces, with_backs
from tilesight.printing.standees import plan_standees


def pieces_of(pack: Pack) -> tuple[Pieces, ...]:
    """Return the pieces of the pack's game; empty if the pack has no game."""
    return () if pack.game is None else game_named(pack.game).pieces


def plan_deck(pack: Pack, paper: Paper, *, backs: bool = True, standees: bool = True) -> tuple[Sheet, ...]:
    """Plan the sheets of a pack: tiles, their ``backs``, and ``standees`` to fold, in printing order.

    Raises SheetsError if a picture is missing or a tile does not fit the paper.
    """
    faces = (*plan_faces(pack, paper), *plan_standees(pieces_of(pack) if standees else (), paper))
    return tuple(with_backs(pack, faces, paper)) if backs else faces


def deck_pdf(pack: Pack, paper: str) -> bytes:
    """Return the PDF of a pack's whole deck on ``paper`` (a value of `Paper`).

    Raises SheetsError if it cannot be made, ValueError if the paper is unknown.
    """
    size = Paper(paper)
    with tempfile.TemporaryDirectory(prefix="tilesight-print-") as folder:
        out = Path(folder) / "deck.pdf"
        write_pdf(pack, plan_deck(pack, size), size, out)
        return out.read_bytes()
