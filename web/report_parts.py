"""What the reports of all games are made of: the page, totals, reasons, the chart of scores, small pictures.

A report needs nothing else: pictures are in it, small, and no script.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

from PIL import Image

from engine.room import Event

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


def report_page(title: str, said: str, sections: Sequence[tuple[str, str]]) -> str:
    """The whole page: a heading, a sentence (HTML), and titled sections (HTML)."""
    body = "".join(
        f"<h2>{escape(heading)}</h2>{inside}" if heading else inside for heading, inside in sections
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · Tilesight</title><style>{STYLE}</style></head><body><main>
<h1>{escape(title)}</h1>
<p>{said}</p>
{body}
<p class="soft">Kept by Tilesight.</p></main></body></html>
"""


def totals(names: Mapping[str, str], scores: Mapping[str, int], events: Sequence[Event]) -> str:
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


def reasons(names: Mapping[str, str], events: Sequence[Event]) -> str:
    rows = [
        f"<tr><td>{'End' if event.at_end else f'Turn {event.turn}'}</td><td>{_name(names, event.player)}</td>"
        f'<td class="n">{event.points:+d}</td><td>{_words(event.kind)}</td><td>{escape(event.why)}</td></tr>'
        for event in events
        if event.points
    ]
    return f"<table>{''.join(rows)}</table>"


def _name(names: Mapping[str, str], color: str) -> str:
    circle = f'<circle cx="5" cy="5" r="4.5" fill="{color_of(color)}"/>'
    dot = f'<svg viewBox="0 0 10 10" style="width:.8em">{circle}</svg>'
    return f"{dot} {escape(names.get(color, color))}"


def _words(kind: str) -> str:
    return escape(kind.replace("_", " ").capitalize())


def color_of(color: str | None) -> str:
    return COLORS.get(color or "white", "#888")


@lru_cache(maxsize=256)
def small_picture(path: Path) -> str:
    """A picture as a data address, small enough that a page of eighty can be sent to a friend."""
    with Image.open(path) as picture:
        clear = picture.mode in ("RGBA", "LA", "P")
        small = picture.convert("RGBA" if clear else "RGB")
        small.thumbnail((ART_PX, ART_PX))
        file = io.BytesIO()
        small.save(file, "PNG" if clear else "JPEG", quality=80)
    kind = "png" if clear else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


def score_chart(
    names: Mapping[str, str], running: Mapping[str, Sequence[int]], scores: Mapping[str, int]
) -> str:
    """Everybody's points over the turns: ``running`` after each turn, ``scores`` at the end."""
    width, height = CHART_WH
    turns = max(map(len, running.values()), default=0)
    most = max(5, *scores.values())

    def point(turn: int, points: int) -> str:
        return (
            f"{40 + turn / (turns + 1) * (width - 160):.1f} {height - 24 - points / most * (height - 44):.1f}"
        )

    lines = []
    for number, color in enumerate(scores):
        total, path = 0, f"M{point(0, 0)}"
        for turn, after in enumerate(running[color], 1):
            path += f"L{point(turn, total)}L{point(turn, after)}"
            total = after
        path += f"L{point(turns + 1, total)}L{point(turns + 1, scores[color])}"
        end_x, end_y = map(float, point(turns + 1, scores[color]).split())
        dash = DASHES[number % len(DASHES)]
        lines.append(
            f'<path d="{path}" fill="none" stroke="{color_of(color)}" stroke-width="3"'
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
