"""A whole deck as one PDF."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.pack import load_pack
from tests.tilesight.toy_pack import write_pack
from tilesight.printing.deck import deck_pdf, pieces_of, plan_deck
from tilesight.printing.plan import Paper


def test_a_deck_is_all_its_sheets_on_the_paper_that_is_asked_for(tmp_path: Path) -> None:
    pack = load_pack(str(write_pack(tmp_path / "toy")))
    pdf = deck_pdf(pack, "letter")
    assert pdf.startswith(b"%PDF")
    assert b"612.28 792" in pdf or b"612.00 792.00" in pdf or b"[0 0 612" in pdf
    assert deck_pdf(pack, "a3") != pdf
    with pytest.raises(ValueError, match="napkin"):
        deck_pdf(pack, "napkin")


def test_the_plan_of_a_deck_has_backs_and_pieces_where_they_are_wanted() -> None:
    pack = load_pack("savanna")
    assert pieces_of(pack)
    whole, faces, bare = (
        plan_deck(pack, Paper.A4, backs=backs, standees=standees)
        for backs, standees in ((True, True), (False, True), (False, False))
    )
    assert any(sheet.is_back for sheet in whole) and not any(sheet.is_back for sheet in faces)
    assert len(whole) > len(faces) > len(bare)
