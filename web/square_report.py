"""A game on squares as one page to share: final board, who won, every photograph, scores over the turns."""

from __future__ import annotations

from html import escape

from engine.geometry import EDGES
from engine.pack import Pack
from engine.squares import Figure, square_name, square_place
from web.report_parts import color_of, reasons, report_page, score_chart, small_picture, totals
from web.squaretable import SquareView

SIDE = 60
"""Units of the drawing to one square."""
MARGIN = 34
FILLS = {".": "#e6d3a3", "F": "#5f8a48", "L": "#6db3d6"}
"""By the signs of a board's rows."""


def square_report_html(view: SquareView) -> str:
    """The page for a game as it stands."""
    names = {seat.color: seat.name for seat in view.seats}
    after = f"After {len(view.played)} turns of {escape(view.pack.title)}."
    rendered = " The pictures of this game were rendered." if view.rendered else ""
    if view.state is None:
        return report_page(view.title, f"The table was not set up yet.{rendered}", ())
    best = " and ".join(names[color] for color in view.winners)
    said = f"{best} won. {view.outcome}" if best else view.outcome
    points = dict(view.state.points)
    running = {color: [played.step.state.points[color] for played in view.played] for color in points}
    events = list(view.events)
    return report_page(
        view.title,
        f"<strong>{escape(said)}</strong> {after}{rendered}",
        (
            ("", totals(names, points, events)),
            ("The board", _board(view)),
            ("The points over the turns", score_chart(names, running, points)),
            ("Where every point came from", reasons(names, events)),
        ),
    )


def _board(view: SquareView) -> str:
    assert view.state is not None
    rows, across = view.state.terrain, len(view.state.terrain)
    squares = "".join(
        f'<rect x="{x * SIDE}" y="{y * SIDE}" width="{SIDE}" height="{SIDE}" fill="{FILLS.get(sign, "#ccc")}"'
        ' stroke="#3a270f55"/>'
        for y, row in enumerate(rows)
        for x, sign in enumerate(row)
    )
    words = "".join(
        _word(SIDE * (i + 0.5), SIDE * across + 22, square_name(i, 0, across).rstrip("0123456789"))
        + _word(-16, SIDE * (i + 0.5) + 6, str(across - i))
        for i in range(across)
    )
    figures = "".join(_figure(view.pack, figure, across) for figure in view.state.figures)
    size = SIDE * across + 2 * MARGIN
    box = f"{-MARGIN} {-MARGIN} {size} {size}"
    label = f"The board: {len(view.state.figures)} figures"
    drawn = squares + words + figures
    return f'<svg class="board" viewBox="{box}" role="img" aria-label="{label}">{drawn}</svg>'


def _word(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="17" text-anchor="middle" fill="#685339">{text}</text>'


def _figure(pack: Pack, figure: Figure, across: int) -> str:
    column, row = square_place(figure.square, across)
    x, y = SIDE * (column + 0.5), SIDE * (row + 0.5)
    title = f"<title>{escape(f'{figure.name} {figure.kind} on {figure.square}')}</title>"
    art = pack.art_path(f"token-{figure.name}")
    if figure.facing is None or art is None:
        pawn = f'<circle cx="{x}" cy="{y}" r="{SIDE / 3}" fill="{color_of(figure.name)}" stroke="#1d1206"'
        return f'<g>{title}{pawn} stroke-width="3"/>{_word(x, y + 6, figure.name[0].upper())}</g>'
    turn = f'transform="rotate({90 * EDGES.index(figure.facing)} {x} {y})"'
    side = 0.86 * SIDE
    at = f'x="{x - side / 2}" y="{y - side / 2}" width="{side}" height="{side}"'
    return f'<g>{title}<image {at} href="{small_picture(art)}" {turn}/></g>'
