"""A game on squares as one page to share: final board, who won, every photograph, scores over the turns."""

from __future__ import annotations

from html import escape

from engine.geometry import EDGES
from engine.pack import Pack
from engine.squares import Figure, SquarePosition, square_name, square_place
from web.report_page import Report, color_of, small_picture
from web.squaretable import SquareView

SIDE = 60
"""Units of the drawing to one square."""
MARGIN = 34
FILLS = {".": "#e6d3a3", "F": "#5f8a48", "L": "#6db3d6"}
"""By the signs of a board's rows."""


def square_report(view: SquareView) -> Report:
    """A game as it stands."""
    names = {seat.color: seat.name for seat in view.seats}
    rendered = " The pictures of this game were rendered." if view.rendered else ""
    state = view.state
    points = dict.fromkeys(names, 0) if state is None else dict(state.points)
    how = ", ".join(f"{names[color]} {number}" for color, number in points.items())
    if state is None:
        said = "The table was not set up yet."
    elif view.winners:
        said = f"{' and '.join(names[color] for color in view.winners)} won: {how}."
    else:
        said = f"{'A draw' if state.over else 'Not played to its end'}: {how}."
    return Report(
        title=view.title,
        said=said,
        after=f"After {len(view.played)} turns of {view.pack.title}.{rendered}",
        names=names,
        scores=points,
        running={color: [played.step.state.points[color] for played in view.played] for color in points},
        events=view.events,
        board_svg="" if state is None else _board(view.pack, state),
    )


def _board(pack: Pack, state: SquarePosition) -> str:
    rows, across = state.terrain, len(state.terrain)
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
    figures = "".join(_figure(pack, figure, across) for figure in state.figures)
    size = SIDE * across + 2 * MARGIN
    box = f"{-MARGIN} {-MARGIN} {size} {size}"
    label = f"The board: {len(state.figures)} figures"
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
    turned = small_picture(art, 90 * EDGES.index(figure.facing))
    side = 0.86 * SIDE
    at = f'x="{x - side / 2}" y="{y - side / 2}" width="{side}" height="{side}"'
    return f'<g>{title}<image {at} href="{turned}"/></g>'
