"""Report page, whatever the board: winner, the reason for every point, the scores' course.

The page needs nothing else: pictures are in it, small, and no script. `web.report.pdf` has the same as a PDF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.game import Event
from web.report.drawing import render
from web.report.words import Words

DASHES = ("", "9 5", "2 6", "12 5 2 5", "5 4")
"""Strokes and gaps of the players' lines in the chart, in its units, so that they differ without colour."""
CHART_WH = (720, 300)
"""Units of the chart's width and height."""
NAME_APART = 17.0
"""Units of the chart between the names at the lines' ends."""


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
    def scored(self) -> list[Event]:
        """The events that brought or cost points."""
        return [event for event in self.events if event.points]

    @property
    def sums(self) -> list[tuple[str, list[int]]]:
        """Points that each kind of event brought, by ``ranked``."""
        kinds = list(dict.fromkeys(event.kind for event in self.scored))
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
    return render("page.html", report=report, chart=score_chart(report))


def score_chart(report: Report) -> str:
    """Everybody's points over the turns, as SVG."""
    width, height = CHART_WH
    names, running, scores = report.names, report.running, report.scores
    turns = max(map(len, running.values()), default=0)
    most = max(5, *scores.values())

    def point(turn: int, points: int) -> tuple[float, float]:
        return 40 + turn / (turns + 1) * (width - 160), height - 24 - points / most * (height - 44)

    name_ys = _spread({color: point(turns + 1, scores[color])[1] for color in scores})
    lines = []
    for number, color in enumerate(scores):
        total, steps = 0, [point(0, 0)]
        for turn, after in enumerate(running[color], 1):
            steps += [point(turn, total), point(turn, after)]
            total = after
        steps += [point(turns + 1, total), point(turns + 1, scores[color])]
        dash, name = DASHES[number % len(DASHES)], names.get(color, color)
        lines.append(_Line(color, dash, steps, name, name_ys[color], scores[color]))
    every = max(1, 5 * round(most / 20)) if most >= 10 else 1 + most // 6
    levels = [_Level(points, *point(0, points)) for points in range(0, most + 1, every)]
    label = ", ".join(f"{names.get(color, color)} {points}" for color, points in scores.items())
    return render("chart.svg", width=width, height=height, label=label, levels=levels, lines=lines)


class _Level(NamedTuple):
    points: int
    x: float
    y: float


class _Line(NamedTuple):
    color: str
    dash: str
    steps: Sequence[tuple[float, float]]
    name: str
    name_y: float
    points: int


def _spread(heights: Mapping[str, float]) -> dict[str, float]:
    """Heights for the names at the lines' ends, moved apart where lines end close to each other."""
    placed: dict[str, float] = {}
    least = 12.0
    for color, y in sorted(heights.items(), key=lambda item: item[1]):
        placed[color] = max(y, least)
        least = placed[color] + NAME_APART
    return placed
