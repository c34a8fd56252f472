"""Report of a game on squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.geometry import EDGES
from engine.pack import Pack
from engine.squares_game import Figure, SquarePosition, parts_laid, square_name, square_place
from web.report.drawing import PART_PX, render, small_picture
from web.report.page import Report
from web.report.words import Words
from web.table.doubts import doubtful_turns
from web.table.squares import SquareView

SIDE = 60
"""Side of a square, in SVG units."""
MARGIN = 34
"""Margin around the squares for the names of columns and rows, in SVG units."""
FILLS = {".": "#e6d3a3", "F": "#5f8a48", "L": "#6db3d6"}
"""Fill colours of squares, by their sign in the board's rows."""


def square_report(view: SquareView, words: Words) -> Report:
    """Return the report of a game on squares as it is now, in the language of ``words``."""
    names = words.names(view.seats)
    state = view.state
    points = dict.fromkeys(names, 0) if state is None else dict(state.points)
    how = ", ".join(f"{names[color]} {number}" for color, number in points.items())
    if state is None:
        outcome = words.say("not_set_up")
    elif view.winners:
        outcome = words.say("won_by", who=words.list([names[color] for color in view.winners]), how=how)
    else:
        outcome = words.say("draw" if state.over else "unfinished", how=how)
    details = "" if state is None else words.say("after", len(view.played), pack=words.title(view.pack))
    return Report(
        words=words,
        title=words.heading(view.title, view.seats),
        outcome=outcome,
        details=f"{details} {words.say('rendered')}" if view.rendered else details,
        names=names,
        scores=points,
        running={color: [played.step.state.points[color] for played in view.played] for color in points},
        events=view.events,
        board_svg="" if state is None else _board(view.pack, state, words),
        unsure=doubtful_turns([played.confidence for played in view.played]),
    )


def square_report_key(view: SquareView) -> tuple[object, ...]:
    """Return the parts of a view that `square_report` shows. Views with equal keys have equal reports."""
    steps = tuple(played.step for played in view.played)
    unsure = doubtful_turns([played.confidence for played in view.played])
    return view.title, view.seats, view.state, steps, view.winners, view.rendered, unsure


class _Square(NamedTuple):
    """A square of the drawing."""

    x: int
    y: int
    fill: str


class _Part(NamedTuple):
    """A picture of a board part."""

    x: int
    y: int
    side: int
    picture: str


class _Name(NamedTuple):
    """A label of a column or row."""

    x: float
    y: float
    text: str


class _Figure(NamedTuple):
    """A figure on the board."""

    x: float
    y: float
    name: str
    title: str
    picture: str


def _board(pack: Pack, state: SquarePosition, words: Words) -> str:
    """Return the drawing (SVG) of the board with its figures."""
    rows, across = state.terrain, len(state.terrain)
    squares = [
        _Square(x * SIDE, y * SIDE, FILLS.get(sign, "#ccc"))
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
    ]
    names = []
    for i in range(across):
        middle = SIDE * (i + 0.5)
        column = square_name(i, 0, across).rstrip("0123456789")
        names += [_Name(middle, SIDE * across + 22, column), _Name(-16, middle + 6, str(across - i))]
    size = SIDE * across + 2 * MARGIN
    return render(
        "square_board.svg",
        box=f"{-MARGIN} {-MARGIN} {size} {size}",
        label=words.say("board_figures", len(state.figures)),
        side=SIDE,
        squares=squares,
        parts=_parts(pack, rows),
        names=names,
        figures=[_figure(pack, figure, across, words) for figure in state.figures],
    )


def _parts(pack: Pack, rows: Sequence[str]) -> list[_Part]:
    """Return the pictures of the board's parts; parts without a picture are left out."""
    found = []
    for (x, y), (face, rot) in parts_laid(pack, rows).items():
        art, side = pack.art(face), SIDE * len(pack.quarters[face])
        if art is not None:
            found.append(_Part(side * x, side * y, side, small_picture(art, rot, longest_px=PART_PX)))
    return found


def _figure(pack: Pack, figure: Figure, across: int, words: Words) -> _Figure:
    """Return a figure as the template draws it."""
    column, row = square_place(figure.square, across)
    name = words.animals.get(figure.name) or words.colors.get(figure.name) or figure.name
    title = words.say("stands", figure=name, cell=figure.square)
    art = pack.art(f"token-{figure.name}")
    picture = ""
    if figure.facing is not None and art is not None:
        picture = small_picture(art, 90 * EDGES.index(figure.facing))
    return _Figure(SIDE * (column + 0.5), SIDE * (row + 0.5), figure.name, title, picture)
