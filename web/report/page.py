"""Report page, whatever the board: winner, the reason for every point, the scores' course.

The page needs nothing else: pictures are in it, small, and no script. `web.report.pdf` has the same as a PDF.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from PIL import Image

from engine.game import Event
from engine.pack import Art
from web.report.words import Words

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
NAME_APART = 17.0
"""Between the names at the lines' ends, in units of the chart."""
STYLE = """
body { font: 17px/1.4 Georgia, serif; color: #2b1d10; background: #fdf7e9; max-width: 900px; margin: 0 auto;
  padding: 24px 18px 60px; }
h1 { margin: 0; font-size: 32px; } h2 { margin: 34px 0 8px; } svg { width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; } td, th { padding: 5px 8px; text-align: left;
  border-top: 1px solid #e8d8b6; vertical-align: top; }
.n { text-align: right; } .who { white-space: nowrap; }
.board { background: #dcc48f; border-radius: 10px; } .soft { color: #685339; }
@media (max-width: 600px) { body { padding: 20px 12px 40px; } td, th { padding: 5px 4px; font-size: 14px; }
  td:last-child { overflow-wrap: anywhere; } }
@media print { body { background: none; } h2 { break-after: avoid; } tr, svg { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Report:
    """A game to share, in ``words``: ``said`` is who won, ``after`` how long it took. ``names`` and
    ``scores`` go by colour; ``running`` are everybody's points after each turn, ``board_svg`` the board as it
    lies (without transformed pictures and without text from people; "" where there is none)."""

    words: Words
    title: str
    said: str
    after: str
    names: Mapping[str, str]
    scores: Mapping[str, int]
    running: Mapping[str, Sequence[int]]
    events: Sequence[Event]
    board_svg: str

    @property
    def ranked(self) -> list[str]:
        """The colours, the most points first."""
        return sorted(self.scores, key=lambda color: -self.scores[color])

    @property
    def sums(self) -> list[tuple[str, list[int]]]:
        """What each kind of event brought, by ``ranked``."""
        kinds = list(dict.fromkeys(event.kind for event in self.events if event.points))
        return [
            (
                self.words.kind(kind),
                [
                    sum(e.points for e in self.events if e.kind == kind and e.player == color)
                    for color in self.ranked
                ],
            )
            for kind in kinds
        ]

    def when(self, event: Event) -> str:
        """The turn of an event, for people."""
        return self.words.say("end") if event.at_end else self.words.say("turn", event.turn)


def report_html(report: Report) -> str:
    """The whole page."""
    say = report.words.say
    sections = [
        ("", _totals(report)),
        (say("board"), report.board_svg),
        (say("chart"), score_chart(report)),
        (say("reasons"), _reasons(report)),
    ]
    body = "".join(
        f"<h2>{escape(heading)}</h2>{inside}" if heading else inside for heading, inside in sections if inside
    )
    return f"""<!doctype html>
<html lang="{report.words.code}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(report.title)} · Tilesight</title><style>{STYLE}</style></head><body><main>
<h1>{escape(report.title)}</h1>
<p><strong>{escape(report.said)}</strong> {escape(report.after)}</p>
{body}
<p class="soft">{escape(say("kept"))}</p></main></body></html>
"""


def _totals(report: Report) -> str:
    heads = "".join(f'<th class="n">{_name(report, color)}</th>' for color in report.ranked)
    rows = "".join(
        f"<tr><td>{escape(kind)}</td>" + "".join(f'<td class="n">{points}</td>' for points in sums) + "</tr>"
        for kind, sums in report.sums
    )
    total = escape(report.words.say("total"))
    ends = "".join(f'<td class="n"><strong>{report.scores[color]}</strong></td>' for color in report.ranked)
    return f"<table><tr><th></th>{heads}</tr>{rows}<tr><td><strong>{total}</strong></td>{ends}</tr></table>"


def _reasons(report: Report) -> str:
    words = report.words
    rows = "".join(
        f"<tr><td>{escape(report.when(event))}</td><td>{_name(report, event.player)}</td>"
        f'<td class="n">{event.points:+d}</td><td>{escape(words.kind(event.kind))}</td>'
        f"<td>{escape(words.phrase(event.why))}</td></tr>"
        for event in report.events
        if event.points
    )
    return f"<table>{rows}</table>" if rows else ""


def _name(report: Report, color: str) -> str:
    circle = f'<circle cx="5" cy="5" r="4.5" fill="{color_of(color)}"/>'
    dot = f'<svg viewBox="0 0 10 10" style="width:.8em">{circle}</svg>'
    return f'<span class="who">{dot} {escape(report.names.get(color, color))}</span>'


def color_of(color: str | None) -> str:
    """How a player's colour is drawn."""
    return COLORS.get(color or "white", "#888")


@lru_cache(maxsize=512)
def small_picture(art: Art, rot: int = 0) -> str:
    """A picture as a data address, turned clockwise, small enough that a page of eighty can be sent to a
    friend."""
    with Image.open(io.BytesIO(art.read_bytes())) as picture:
        clear = picture.mode in ("RGBA", "LA", "P")
        small = picture.convert("RGBA" if clear else "RGB")
        small.thumbnail((ART_PX, ART_PX))
        small = small.rotate(-rot, expand=True)
        file = io.BytesIO()
        small.save(file, "PNG" if clear else "JPEG", quality=80)
    kind = "png" if clear else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"


def score_chart(report: Report) -> str:
    """Everybody's points over the turns, as SVG."""
    width, height = CHART_WH
    names, running, scores = report.names, report.running, report.scores
    turns = max(map(len, running.values()), default=0)
    most = max(5, *scores.values())

    def point(turn: int, points: int) -> tuple[float, float]:
        return 40 + turn / (turns + 1) * (width - 160), height - 24 - points / most * (height - 44)

    labels = _spread({color: point(turns + 1, scores[color])[1] for color in scores})
    lines = []
    for number, color in enumerate(scores):
        total, steps = 0, [point(0, 0)]
        for turn, after in enumerate(running[color], 1):
            steps += [point(turn, total), point(turn, after)]
            total = after
        steps += [point(turns + 1, total), point(turns + 1, scores[color])]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in steps)
        dash = DASHES[number % len(DASHES)]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        lines.append(
            f'<path d="{path}" fill="none" stroke="{color_of(color)}" stroke-width="3"{dashes}/>'
            f'<text x="{steps[-1][0] + 8:.1f}" y="{labels[color] + 5:.1f}" font-size="15">'
            f"{escape(names.get(color, color))} {scores[color]}</text>"
        )
    levels = range(0, most + 1, max(1, 5 * round(most / 20)) if most >= 10 else 1 + most // 6)
    grid = "".join(_level(points, point(0, points), width) for points in levels)
    label = ", ".join(f"{names.get(color, color)} {points}" for color, points in scores.items())
    drawn = grid + "".join(lines)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">{drawn}</svg>'


def _spread(heights: Mapping[str, float]) -> dict[str, float]:
    """Heights for the names at the lines' ends, moved apart where lines end close to each other."""
    placed: dict[str, float] = {}
    least = 12.0
    for color, y in sorted(heights.items(), key=lambda item: item[1]):
        placed[color] = max(y, least)
        least = placed[color] + NAME_APART
    return placed


def _level(points: int, at: tuple[float, float], width: int) -> str:
    x, y = at
    return (
        f'<line x1="{x:.1f}" x2="{width - 120}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e8d8b6"/>'
        f'<text x="32" y="{y + 5:.1f}" font-size="13" text-anchor="end" fill="#685339">{points}</text>'
    )
