"""Report of a tile game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.record import BY_HAND
from web.report.drawing import render, small_picture
from web.report.page import Report
from web.report.words import Words
from web.table.doubts import doubtful_turns, sure_winners
from web.table.view import TableView
from web.views.open_points import open_points
from web.views.tile_json import piece_point

SHAPES = {
    "meeple": "M0 -17a8 8 0 0 1 6 13l13 7-6 6-5-1 3 12h-8l-3-6-3 6h-8l3-12-5 1-6-6 13-7a8 8 0 0 1 6-13z",
    "hut": "M0 -16 16 -3h-4v17h-24v-17h-4z",
    "ranger": "M-14 -13h28a6 6 0 0 1 6 6v14a6 6 0 0 1 -6 6h-28a6 6 0 0 1 -6 -6v-14a6 6 0 0 1 6 -6z",
}
"""Outlines (SVG paths) of the pieces, relative to the point where they touch the board."""
SIDE = 100
"""Side of a tile, in SVG units."""


def tile_report(view: TableView, words: Words) -> Report:
    """Return the report of a tile game, in the language of ``words``.

    An unfinished game is scored as if it ended now.
    """
    final = view.final or view.state.final().plus(view.by_hand)
    names = words.names(view.seats)
    outcome = words.say("open")
    if winners := sure_winners(_ranges(replace(view, final=final))):
        won = "won" if view.final is not None else "would_win"
        best = words.list([names[color] for color in winners])
        outcome = words.say(won, max(final.scores.values()), who=best)
    details = words.say("after", len(view.played), pack=words.title(view.pack))
    return Report(
        words=words,
        title=words.heading(view.title, view.seats),
        outcome=outcome,
        details=f"{details} {words.say('rendered')}" if view.rendered else details,
        names=names,
        scores=final.scores,
        running={color: _running(view, color) for color in final.scores},
        events=[*view.events, *final.events],
        board_svg=_board(view, words),
        unsure=_unsure(view),
    )


def _ranges(view: TableView) -> dict[str, tuple[int, int]]:
    """Return the least and the most final points of each player of a view with ``final``, by colour."""
    assert view.final is not None
    others = open_points(view, ()).may_be
    ranges = {}
    for color, points in view.final.scores.items():
        scores = [points, *(other["score"] for other in others.get(color, ()))]
        ranges[color] = min(scores), max(scores)
    return ranges


def _running(view: TableView, color: str) -> list[int]:
    """Return a player's score after each turn, with the points set by hand until then."""
    given = [event for event in view.events if event.kind == BY_HAND and event.player == color]
    return [
        played.after.scores[color] + sum(event.points for event in given if event.turn <= number)
        for number, played in enumerate(view.played, 1)
    ]


def tile_report_key(view: TableView) -> tuple[object, ...]:
    """Return the parts of a view that `tile_report` shows. Views with equal keys have equal reports."""
    positions = tuple(played.after for played in view.played)
    return (
        view.title,
        view.seats,
        view.state,
        positions,
        view.events,
        view.final,
        view.rendered,
        _unsure(view),
    )


def _unsure(view: TableView) -> dict[int, float]:
    """Return the confidence of each uncertain turn, by turn number."""
    return doubtful_turns([played.confidence for played in view.played])


class DoubtMark(NamedTuple):
    """Mark of an uncertain turn on a drawing: its position in SVG units, and its text."""

    x: float
    y: float
    title: str


class _Tile(NamedTuple):
    """A tile of the drawing."""

    x: int
    y: int
    name: str
    picture: str


class _Piece(NamedTuple):
    """A piece of the drawing."""

    x: float
    y: float
    title: str
    color: str | None
    outline: str
    picture: str


def _board(view: TableView, words: Words) -> str:
    """Return the drawing (SVG) of a view's board, with marks on the uncertain turns."""
    marks = [_mark(view, number, sure, words) for number, sure in _unsure(view).items()]
    return board_drawing(view.pack, view.state.board, view.state.standing, words, marks)


def board_drawing(
    pack: Pack,
    board: Mapping[Cell, Laid],
    standing: Sequence[Standing],
    words: Words,
    marks: Sequence[DoubtMark] = (),
) -> str:
    """Return the drawing (SVG) of a board with its pieces and marks. See `Report.board_svg`."""
    cells = [*board, *(piece.cell for piece in standing)]
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    width, height = max(x for x, _ in cells) + 1 - left, max(y for _, y in cells) + 1 - top
    farthest_first = sorted(standing, key=lambda piece: piece.cell[1])
    return render(
        "tile_board.svg",
        box=f"{left * SIDE - 20} {top * SIDE - 20} {width * SIDE + 40} {height * SIDE + 40}",
        label=words.say("board_tiles", len(board)),
        side=SIDE,
        tiles=[_tile(pack, cell, laid) for cell, laid in board.items()],
        pieces=[_piece(pack, board, piece, words) for piece in farthest_first],
        marks=marks,
    )


def _mark(view: TableView, turn_no: int, confidence: float, words: Words) -> DoubtMark:
    """Return the mark of an uncertain turn, in the north-east corner of its tile."""
    x, y = view.played[turn_no - 1].turn.cell
    title = f"{words.say('turn', turn_no)}, {words.unsure(confidence)}"
    return DoubtMark((x + 0.84) * SIDE, (y + 0.16) * SIDE, title)


def _tile(pack: Pack, cell: Cell, laid: Laid) -> _Tile:
    """Return a tile as the template draws it."""
    art = pack.art(laid.design.id)
    picture = small_picture(art, laid.rot) if art is not None else ""
    return _Tile(cell[0] * SIDE, cell[1] * SIDE, laid.design.id, picture)


def _piece(pack: Pack, board: Mapping[Cell, Laid], piece: Standing, words: Words) -> _Piece:
    """Return a piece as the template draws it."""
    x, y = (SIDE * n for n in piece_point(pack, board, piece))
    color = words.colors.get(piece.color, piece.color) if piece.color else None
    animal = words.animals.get(piece.animal, piece.animal) if piece.animal else None
    title = " ".join(filter(None, (color, words.pieces.get(piece.kind, piece.kind), animal)))
    outline, picture = SHAPES.get(piece.kind, SHAPES["meeple"]), ""
    if piece.kind == "token":
        art = pack.art(f"token-{piece.animal}") if piece.animal else None
        outline, picture = "", small_picture(art) if art is not None else ""
    return _Piece(x, y, title, piece.color, outline, picture)
