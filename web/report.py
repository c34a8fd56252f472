"""A game as one page to share: the final board, who won, where every point came from, scores over the turns.

The page needs nothing else: pictures are in it, small, and no script.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from pathlib import Path

from PIL import Image

from engine.board import Laid, Standing
from engine.game import ScoreEvent
from engine.geometry import Cell
from engine.pack import Pack
from web.state_json import piece_point
from web.table import TableView

SIDE = 100
"""Units of the drawing to one tile."""
ART_PX = 128
COLORS: Mapping[str, str] = {
    "red": "#c9352b",
    "blue": "#2a63ad",
    "yellow": "#f0b51f",
    "green": "#2f7f4f",
    "black": "#2d2a2b",
    "violet": "#7b4aa0",
    "white": "#fbf6ea",
}
DASHES = ("", "9 5", "2 6", "12 5 2 5", "5 4")
CHART_WH = (720, 300)
STYLE = """
body { font: 17px/1.4 Georgia, serif; color: #2b1d10; background: #fdf7e9; max-width: 900px; margin: 0 auto;
  padding: 24px 18px 60px; }
h1 { margin: 0; font-size: 32px; } h2 { margin: 34px 0 8px; } svg { width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; } td, th { padding: 5px 8px; text-align: left;
  border-top: 1px solid #e8d8b6; vertical-align: top; } td.n { text-align: right; }
.board { background: #dcc48f; border-radius: 10px; } .soft { color: #685339; }
@media print { body { background: none; } h2 { break-after: avoid; } tr, svg { break-inside: avoid; } }
"""


def report_html(view: TableView) -> str:
    """The page for a game as it stands; where it is not over, scored as if it ended now."""
    final = view.final or view.state.final()
    names = {seat.color: seat.name for seat in view.seats}
    over = view.final is not None
    best = " and ".join(names[color] for color in final.winners)
    said = f"{best} {'won' if over else 'would win'} with {max(final.scores.values())} points"
    rendered = " The pictures of this game were rendered." if view.rendered else ""
    events = [*view.events, *final.events]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(view.title)} · Tilesight</title><style>{STYLE}</style></head><body>
<h1>{escape(view.title)}</h1>
<p><strong>{escape(said)}</strong> after {len(view.played)} turns of {escape(view.pack.title)}.{rendered}</p>
{_totals(names, final.scores, events)}
<h2>The board</h2>{_board(view)}
<h2>The points over the turns</h2>{_chart(view, names, final.scores)}
<h2>Where every point came from</h2>{_reasons(names, events)}
<p class="soft">Kept by Tilesight.</p></body></html>
"""


def _totals(names: Mapping[str, str], scores: Mapping[str, int], events: list[ScoreEvent]) -> str:
    kinds = list(dict.fromkeys(event.kind for event in events if event.points))
    ranked = sorted(scores, key=lambda color: -scores[color])
    rows = [
        "<tr><th></th>" + "".join(f'<th class="n">{_name(names, color)}</th>' for color in ranked) + "</tr>"
    ]
    for kind in kinds:
        sums = [sum(e.points for e in events if e.kind == kind and e.player == color) for color in ranked]
        cells = "".join(f'<td class="n">{points}</td>' for points in sums)
        rows.append(f"<tr><td>{_words(kind)}</td>{cells}</tr>")
    cells = "".join(f'<td class="n"><strong>{scores[color]}</strong></td>' for color in ranked)
    return f"<table>{''.join(rows)}<tr><td><strong>Total</strong></td>{cells}</tr></table>"


def _reasons(names: Mapping[str, str], events: list[ScoreEvent]) -> str:
    rows = [
        f"<tr><td>{'End' if event.at_end else f'Turn {event.turn}'}</td><td>{_name(names, event.player)}</td>"
        f'<td class="n">{event.points:+d}</td><td>{_words(event.kind)}</td><td>{escape(event.why)}</td></tr>'
        for event in events
        if event.points
    ]
    return f"<table>{''.join(rows)}</table>"


def _name(names: Mapping[str, str], color: str) -> str:
    circle = f'<circle cx="5" cy="5" r="4.5" fill="{_color(color)}"/>'
    dot = f'<svg viewBox="0 0 10 10" style="width:.8em">{circle}</svg>'
    return f"{dot} {escape(names.get(color, color))}"


def _words(kind: str) -> str:
    return escape(kind.replace("_", " ").capitalize())


def _color(color: str | None) -> str:
    return COLORS.get(color or "white", "#888")


def _board(view: TableView) -> str:
    board, standing = view.state.board, view.state.standing
    cells = [*board, *(piece.cell for piece in standing)]
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    width, height = max(x for x, _ in cells) + 1 - left, max(y for _, y in cells) + 1 - top
    tiles = "".join(_tile(view.pack, cell, laid) for cell, laid in board.items())
    pieces = "".join(_piece(view.pack, board, piece) for piece in sorted(standing, key=lambda p: p.cell[1]))
    box = f"{left * SIDE - 20} {top * SIDE - 20} {width * SIDE + 40} {height * SIDE + 40}"
    label = f"The board: {len(board)} tiles"
    return f'<svg class="board" viewBox="{box}" role="img" aria-label="{label}">{tiles}{pieces}</svg>'


def _tile(pack: Pack, cell: Cell, laid: Laid) -> str:
    x, y = cell[0] * SIDE, cell[1] * SIDE
    art = pack.art_path(laid.design.id)
    turned = f'transform="rotate({laid.rot} {x + SIDE / 2} {y + SIDE / 2})"'
    if art is not None:
        face = f'<image x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" href="{_small(art)}" {turned}/>'
    else:
        face = f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="#e2cb88"/>' + (
            f'<text x="{x + SIDE / 2}" y="{y + SIDE / 2}" font-size="18" text-anchor="middle">'
            f"{escape(laid.design.id)}</text>"
        )
    return face + f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#3a270f55"/>'


def _piece(pack: Pack, board: Mapping[Cell, Laid], piece: Standing) -> str:
    x, y = (SIDE * n for n in piece_point(pack, board, piece))
    title = f"<title>{escape(' '.join(filter(None, (piece.color, piece.animal, piece.kind))))}</title>"
    if piece.kind == "token":
        art = pack.token_art_path(piece.animal) if piece.animal else None
        inside = (
            f'<image x="{x - 15}" y="{y - 15}" width="30" height="30" href="{_small(art)}"/>' if art else ""
        )
        return f'<g>{title}<circle cx="{x}" cy="{y}" r="16" fill="#6fb0b9" stroke="#fff7e4"/>{inside}</g>'
    shape = (
        f'<rect x="{x - 20}" y="{y - 13}" width="40" height="26" rx="6"'
        if piece.kind == "ranger"
        else f'<path d="M{x} {y - 17}a8 8 0 0 1 6 13l13 7-6 6-5-1 3 12h-8l-3-6-3 6h-8l3-12-5 1-6-6 13-7'
        'a8 8 0 0 1 6-13z"'
    )
    return f'<g>{title}{shape} fill="{_color(piece.color)}" stroke="#1d1206" stroke-width="2.5"/></g>'


@lru_cache(maxsize=256)
def _small(path: Path) -> str:
    """A picture as a data address, small enough that a page of eighty can be sent to a friend."""
    with Image.open(path) as picture:
        clear = picture.mode in ("RGBA", "LA", "P")
        small = picture.convert("RGBA" if clear else "RGB")
        small.thumbnail((ART_PX, ART_PX))
        file = io.BytesIO()
        small.save(file, "PNG" if clear else "JPEG", quality=80)
    kind = "png" if clear else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


def _chart(view: TableView, names: Mapping[str, str], scores: Mapping[str, int]) -> str:
    width, height = CHART_WH
    turns = len(view.played)
    most = max(5, *scores.values())

    def point(turn: int, points: int) -> str:
        return (
            f"{40 + turn / (turns + 1) * (width - 160):.1f} {height - 24 - points / most * (height - 44):.1f}"
        )

    lines = []
    for number, color in enumerate(scores):
        total, path = 0, f"M{point(0, 0)}"
        for turn, played in enumerate(view.played, 1):
            path += f"L{point(turn, total)}"
            total = played.after.scores[color]
            path += f"L{point(turn, total)}"
        path += f"L{point(turns + 1, total)}L{point(turns + 1, scores[color])}"
        end_x, end_y = map(float, point(turns + 1, scores[color]).split())
        dash = DASHES[number % len(DASHES)]
        lines.append(
            f'<path d="{path}" fill="none" stroke="{_color(color)}" stroke-width="3"'
            f' stroke-dasharray="{dash}"/>'
            f'<text x="{end_x + 8}" y="{end_y + 5 + 15 * _place(color, scores)}" font-size="15">'
            f"{escape(names.get(color, color))} {scores[color]}</text>"
        )
    steps = range(0, most + 1, max(5, round(most / 4 / 5) * 5))
    grid = "".join(_level(points, point(0, points), width) for points in steps)
    label = ", ".join(f"{names.get(color, color)} {points}" for color, points in scores.items())
    drawn = grid + "".join(lines)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">{drawn}</svg>'


def _place(color: str, scores: Mapping[str, int]) -> int:
    """How many before it ended with the very same points: their names go below each other."""
    before = list(scores)[: list(scores).index(color)]
    return sum(scores[other] == scores[color] for other in before)


def _level(points: int, at: str, width: int) -> str:
    x, y = at.split()
    return (
        f'<line x1="{x}" x2="{width - 120}" y1="{y}" y2="{y}" stroke="#e8d8b6"/>'
        f'<text x="32" y="{float(y) + 5}" font-size="13" text-anchor="end" fill="#685339">{points}</text>'
    )
