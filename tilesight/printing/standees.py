"""Plan of the sheets of paper pieces to fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from engine.game import Pieces
from tilesight.printing.figures import how_to_fold, strip_size_mm
from tilesight.printing.plan import FOOTER_MM, HEADER_MM, SIDE_MM, Block, Card, Paper, Sheet

BETWEEN_MM = 8.0
"""Gap between two kinds of piece, in millimetres."""
NOTE = "Cut the strips out and fold them at the dashed lines."


def plan_standees(pieces: Sequence[Pieces], paper: Paper) -> tuple[Sheet, ...]:
    """Lay out the strips of all pieces, grouped by kind and colour; return the pages in order."""
    width, height = paper.size_mm
    pages: list[list[Block]] = []
    top = height
    for kind, columns, row in _rows(pieces, width - 2 * SIDE_MM):
        wide, tall = strip_size_mm(kind)
        same = bool(pages and pages[-1]) and pages[-1][-1].cards[0].kind == kind
        top += 0 if same else BETWEEN_MM
        if top + tall > height - FOOTER_MM - BETWEEN_MM / 2:
            pages.append([])
            top, same = HEADER_MM + BETWEEN_MM / 2, False
        left = (width - columns * wide) / 2
        cards = tuple(Card(kind, color, left + i * wide, top, (wide, tall)) for i, color in enumerate(row))
        if same:
            cards = (*pages[-1].pop().cards, *cards)
        pages[-1].append(Block(cards=cards))
        top += tall
    return tuple(Sheet(f"pieces to fold: {_told(blocks)}", tuple(blocks), _note(blocks)) for blocks in pages)


def _rows(pieces: Sequence[Pieces], room_mm: float) -> Iterator[tuple[str, int, list[str]]]:
    """Yield rows of strips as (kind, number of columns of the kind, colours in the row)."""
    for kind, group in groupby(pieces, key=lambda one: one.kind):
        colors = [one.color for one in group for _ in range(one.count)]
        columns = min(len(colors), int(room_mm // strip_size_mm(kind)[0]))
        for start in range(0, len(colors), columns):
            yield kind, columns, colors[start : start + columns]


def _note(blocks: Sequence[Block]) -> str:
    """Instructions for folding the strips of a page."""
    hows = dict.fromkeys(how_to_fold(block.cards[0].kind) for block in blocks)
    return " ".join((NOTE, *hows))


def _told(blocks: Sequence[Block]) -> str:
    return ", ".join(
        f"{len(block.cards)} {block.cards[0].kind}{'s' * (len(block.cards) > 1)}" for block in blocks
    )
