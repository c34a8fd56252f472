"""Report of a tile game: final board, winner, reasons for the points, scores over the turns."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from web.report.page import Report, color_of, small_picture
from web.report.words import Words
from web.tables.table import TableView
from web.tables.tile_json import piece_point

SHAPES = {
    "meeple": "M0 -17a8 8 0 0 1 6 13l13 7-6 6-5-1 3 12h-8l-3-6-3 6h-8l3-12-5 1-6-6 13-7a8 8 0 0 1 6-13z",
    "hut": "M0 -16 16 -3h-4v17h-24v-17h-4z",
    "ranger": "M-14 -13h28a6 6 0 0 1 6 6v14a6 6 0 0 1 -6 6h-28a6 6 0 0 1 -6 -6v-14a6 6 0 0 1 6 -6z",
}
"""Outlines of the pieces about the point that they stand on, in units of the drawing."""
SIDE = 100
"""Units of the drawing to one tile."""


def tile_report(view: TableView, words: Words) -> Report:
    """A game as it stands; where it is not over, scored as if it ended now."""
    final = view.final or view.state.final()
    names = {seat.color: seat.name for seat in view.seats}
    best = words.list([names[color] for color in final.winners])
    won = "won" if view.final is not None else "would_win"
    after = words.say("after", len(view.played), pack=view.pack.title)
    return Report(
        words=words,
        title=view.title,
        said=words.say(won, max(final.scores.values()), who=best),
        after=f"{after} {words.say('rendered')}" if view.rendered else after,
        names=names,
        scores=final.scores,
        running={color: [played.after.scores[color] for played in view.played] for color in final.scores},
        events=[*view.events, *final.events],
        board_svg=_board(view, words),
    )


def _board(view: TableView, words: Words) -> str:
    board, standing = view.state.board, view.state.standing
    cells = [*board, *(piece.cell for piece in standing)]
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    width, height = max(x for x, _ in cells) + 1 - left, max(y for _, y in cells) + 1 - top
    tiles = "".join(_tile(view.pack, cell, laid) for cell, laid in board.items())
    pieces = "".join(_piece(view.pack, board, p, words) for p in sorted(standing, key=lambda p: p.cell[1]))
    box = f"{left * SIDE - 20} {top * SIDE - 20} {width * SIDE + 40} {height * SIDE + 40}"
    label = escape(words.say("board_tiles", len(board)))
    return f'<svg class="board" viewBox="{box}" role="img" aria-label="{label}">{tiles}{pieces}</svg>'


def _tile(pack: Pack, cell: Cell, laid: Laid) -> str:
    x, y = cell[0] * SIDE, cell[1] * SIDE
    art = pack.art(laid.design.id)
    if art is not None:
        face = (
            f'<image x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" href="{small_picture(art, laid.rot)}"/>'
        )
    else:
        face = f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="#e2cb88"/>' + (
            f'<text x="{x + SIDE / 2}" y="{y + SIDE / 2}" font-size="18" text-anchor="middle">'
            f"{escape(laid.design.id)}</text>"
        )
    return face + f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#3a270f55"/>'


def _piece(pack: Pack, board: Mapping[Cell, Laid], piece: Standing, words: Words) -> str:
    x, y = (SIDE * n for n in piece_point(pack, board, piece))
    color = words.colors.get(piece.color, piece.color) if piece.color else None
    animal = words.animals.get(piece.animal, piece.animal) if piece.animal else None
    said = " ".join(filter(None, (color, words.pieces.get(piece.kind, piece.kind), animal)))
    title = f"<title>{escape(said)}</title>"
    if piece.kind == "token":
        art = pack.art(f"token-{piece.animal}") if piece.animal else None
        inside = (
            f'<image x="{x - 15}" y="{y - 15}" width="30" height="30" href="{small_picture(art)}"/>'
            if art
            else ""
        )
        return f'<g>{title}<circle cx="{x}" cy="{y}" r="16" fill="#6fb0b9" stroke="#fff7e4"/>{inside}</g>'
    outline = SHAPES.get(piece.kind, SHAPES["meeple"])
    shape = f'<path transform="translate({x} {y})" d="{outline}"'
    return f'<g>{title}{shape} fill="{color_of(piece.color)}" stroke="#1d1206" stroke-width="2.5"/></g>'
