"""Report of a game on squares: final board, winner, every photograph, scores over the turns."""

from __future__ import annotations

from html import escape

from engine.geometry import EDGES
from engine.grid_game import Figure, SquarePosition, square_name, square_place
from engine.pack import Pack
from web.report.page import Report, color_of, small_picture
from web.report.words import Words
from web.tables.grid_table import SquareView

SIDE = 60
"""Units of the drawing to one square."""
MARGIN = 34
FILLS = {".": "#e6d3a3", "F": "#5f8a48", "L": "#6db3d6"}
"""By the signs of a board's rows."""


def square_report(view: SquareView, words: Words) -> Report:
    """A game as it stands."""
    names = {seat.color: seat.name for seat in view.seats}
    state = view.state
    points = dict.fromkeys(names, 0) if state is None else dict(state.points)
    how = ", ".join(f"{names[color]} {number}" for color, number in points.items())
    if state is None:
        said = words.say("not_set_up")
    elif view.winners:
        said = words.say("won_by", who=words.list([names[color] for color in view.winners]), how=how)
    else:
        said = words.say("draw" if state.over else "unfinished", how=how)
    after = "" if state is None else words.say("after", len(view.played), pack=view.pack.title)
    return Report(
        words=words,
        title=view.title,
        said=said,
        after=f"{after} {words.say('rendered')}" if view.rendered else after,
        names=names,
        scores=points,
        running={color: [played.step.state.points[color] for played in view.played] for color in points},
        events=view.events,
        board_svg="" if state is None else _board(view.pack, state, words),
    )


def _board(pack: Pack, state: SquarePosition, words: Words) -> str:
    rows, across = state.terrain, len(state.terrain)
    squares = "".join(
        f'<rect x="{x * SIDE}" y="{y * SIDE}" width="{SIDE}" height="{SIDE}" fill="{FILLS.get(sign, "#ccc")}"'
        ' stroke="#3a270f55"/>'
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
    )
    places = "".join(
        _word(SIDE * (i + 0.5), SIDE * across + 22, square_name(i, 0, across).rstrip("0123456789"))
        + _word(-16, SIDE * (i + 0.5) + 6, str(across - i))
        for i in range(across)
    )
    figures = "".join(_figure(pack, figure, across, words) for figure in state.figures)
    size = SIDE * across + 2 * MARGIN
    box = f"{-MARGIN} {-MARGIN} {size} {size}"
    label = escape(words.say("board_figures", len(state.figures)))
    drawn = squares + places + figures
    return f'<svg class="board" viewBox="{box}" role="img" aria-label="{label}">{drawn}</svg>'


def _word(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="17" text-anchor="middle" fill="#685339">{text}</text>'


def _figure(pack: Pack, figure: Figure, across: int, words: Words) -> str:
    column, row = square_place(figure.square, across)
    x, y = SIDE * (column + 0.5), SIDE * (row + 0.5)
    name = words.animals.get(figure.name) or words.colors.get(figure.name) or figure.name
    title = f"<title>{escape(words.say('stands', figure=name, cell=figure.square))}</title>"
    art = pack.art(f"token-{figure.name}")
    if figure.facing is None or art is None:
        pawn = f'<circle cx="{x}" cy="{y}" r="{SIDE / 3}" fill="{color_of(figure.name)}" stroke="#1d1206"'
        return f'<g>{title}{pawn} stroke-width="3"/>{_word(x, y + 6, figure.name[0].upper())}</g>'
    turned = small_picture(art, 90 * EDGES.index(figure.facing))
    side = 0.86 * SIDE
    at = f'x="{x - side / 2}" y="{y - side / 2}" width="{side}" height="{side}"'
    return f'<g>{title}<image {at} href="{turned}"/></g>'
