"""Deck of a pack: all the sheets that are printed of it, planned or as one PDF."""

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
    """The pieces of the pack's game; none where it has no rules."""
    return () if pack.game is None else game_named(pack.game).pieces


def plan_deck(pack: Pack, paper: Paper, *, backs: bool = True, standees: bool = True) -> tuple[Sheet, ...]:
    """Plan a pack's sheets: tiles, with ``backs`` what is behind them, with ``standees`` pieces to fold.
    SheetsError where they cannot be made."""
    faces = (*plan_faces(pack, paper), *plan_standees(pieces_of(pack) if standees else (), paper))
    return tuple(with_backs(pack, faces, paper)) if backs else faces


def deck_pdf(pack: Pack, paper: str) -> bytes:
    """PDF of a pack's whole deck, on ``paper`` (a name of `Paper`). SheetsError where it cannot be made."""
    size = Paper(paper)
    with tempfile.TemporaryDirectory(prefix="tilesight-print-") as folder:
        out = Path(folder) / "deck.pdf"
        write_pdf(pack, plan_deck(pack, size), size, out)
        return out.read_bytes()
