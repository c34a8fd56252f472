"""HTML report of a game: winner, final board, the reason for every point, and a chart of the scores.

The page is one file without scripts; pictures are embedded. `web.report.pdf` has the same content as a PDF.
"""

from __future__ import annotations

import base64
import io
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from PIL import Image

from engine.game import Event
from web.report.drawing import inline_source, render
from web.report.words import Words

STYLE = render("style.css")
"""Styles of the page."""
STYLED = f"style-src {inline_source(STYLE)}"
"""The only styles that the page may have."""
POLICY = f"default-src 'none'; img-src data:; {STYLED}; base-uri 'none'; form-action 'none'"
"""Content security policy of the page: it runs no script, and pictures are embedded."""
REPORT_HEADERS = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'"}
"""Headers of a report that a server sends."""
DASHES = ("", "9 5", "2 6", "12 5 2 5", "5 4")
"""Dash patterns (SVG units) of the players' lines in the chart, so that they can be told apart without
colour."""
CHART_WH = (720, 300)
"""Width and height of the chart, in SVG units."""
AXIS_HIGH = 44.0
"""Height of the axis of turns below the chart's lines, in SVG units."""
TICKS_AT_MOST = 12
"""Maximum number of labelled turns on the axis."""
PHOTO_PX = 1000
"""Maximum length of the photograph's longer side, in pixels: 300 dpi in print."""
NAME_APART = 17.0
"""Minimum distance between names at the ends of the chart's lines, in SVG units."""


@dataclass(frozen=True)
class Report:
    """Content of a game's report, with texts in the language of ``words``.

    ``outcome`` is the sentence on who won, ``details`` those on the number of turns and the edition.
    ``names`` and ``scores`` are by colour; ``running`` has each player's score after every turn.
    ``board_svg`` is the drawing of the final board, or ""; it has no transformed pictures and no text by
    people.
    """

    words: Words
    title: str
    outcome: str
    details: str
    names: Mapping[str, str]
    scores: Mapping[str, int]
    running: Mapping[str, Sequence[int]]
    events: Sequence[Event]
    board_svg: str
    when: str = ""
    """Date and duration of the game."""
    unsure: Mapping[int, float] = field(default_factory=dict)
    """Confidence (0 to 1) of the uncertain turns, by turn number."""
    photo: bytes = b""
    """The game's last photograph (JPEG), or empty."""
    note: str = ""
    """A sentence on other uncertain things, shown if no turn is uncertain."""

    @property
    def ranked(self) -> list[str]:
        """The colours, those with the most points first."""
        return sorted(self.scores, key=lambda color: -self.scores[color])

    @property
    def scored(self) -> list[Event]:
        """The events that changed a score."""
        return [event for event in self.events if event.points]

    @property
    def sums(self) -> list[tuple[str, list[int]]]:
        """The points of each player by kind of event.

        For each kind: its name, and the points in the order of `ranked`.
        """
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

    @property
    def doubts(self) -> str:
        """A sentence that names all uncertain turns; `note` if there are none."""
        turns = self.words.list([str(number) for number in sorted(self.unsure)]) if self.unsure else ""
        return self.words.say("unsure_turns", len(self.unsure), turns=turns) if turns else self.note

    def mark(self, event: Event) -> str:
        """Return the mark for an event of an uncertain turn, such as "? not sure: 0.72".

        Return "" for other events.
        """
        confidence = None if event.at_end else self.unsure.get(event.turn)
        return "" if confidence is None else f"? {self.words.unsure(confidence)}"

    def when_scored(self, event: Event) -> str:
        """Return the turn of an event as text, such as "Turn 3", or the text for the final scoring."""
        return self.words.say("end") if event.at_end else self.words.say("turn", event.turn)


def report_html(report: Report) -> str:
    """Return the HTML of the report."""
    photo = base64.b64encode(report.photo).decode()
    chart = score_chart(report) if any(report.running.values()) else ""
    return render("page.html", report=report, photo=photo, chart=chart, style=STYLE, policy=POLICY)


def small_photo(jpeg: bytes) -> bytes:
    """Return a photograph (JPEG), scaled down to the size that reports show."""
    with Image.open(io.BytesIO(jpeg)) as picture:
        picture.thumbnail((PHOTO_PX, PHOTO_PX))
        file = io.BytesIO()
        picture.convert("RGB").save(file, "JPEG", quality=80)
    return file.getvalue()


def score_chart(report: Report, height: float = CHART_WH[1]) -> str:
    """Return a chart (SVG) of all players' points over the turns, ``height`` units high."""
    width = CHART_WH[0]
    names, running, scores = report.names, report.running, report.scores
    turns = max(map(len, running.values()), default=0)
    most = max(5, *scores.values())
    ground = height - AXIS_HIGH

    def point(turn: int, points: int) -> tuple[float, float]:
        return 40 + turn / (turns + 1) * (width - 160), ground - points / most * (ground - 12)

    name_ys = _spread({color: point(turns + 1, scores[color])[1] for color in scores}, ground)
    lines = []
    for number, color in enumerate(scores):
        total, steps = 0, [point(0, 0)]
        for turn, after in enumerate(running[color], 1):
            steps += [point(turn, total), point(turn, after)]
            total = after
        steps += [point(turns + 1, total), point(turns + 1, scores[color])]
        dash, name = DASHES[number % len(DASHES)], names.get(color, color)
        lines.append(_Line(color, dash, steps, name, name_ys[color], scores[color]))
    every = _step(most, max(2, round(ground / 45)))
    levels = [_Level(points, *point(0, points)) for points in range(0, most + 1, every)]
    every = _step(turns, TICKS_AT_MOST)
    ticks = [_Tick(turn, point(turn, 0)[0]) for turn in range(every, turns + 1, every)]
    label = ", ".join(f"{names.get(color, color)} {points}" for color, points in scores.items())
    values = {"width": width, "height": height, "ground": ground, "label": label}
    axis = report.words.say("turns")
    return render("chart.svg", **values, axis=axis, levels=levels, ticks=ticks, lines=lines)


def _step(last: int, at_most: int) -> int:
    """Return the step of an axis from 0 to ``last`` with at most ``at_most`` labels.

    It is a round number: 1, 2, 5, 10, 20 and so on.
    """
    step = 1
    for digit in itertools.cycle((2, 2.5, 2)):  # 1, 2, 5, 10, 20, 50 and so on
        if last // step <= at_most:
            break
        step = int(step * digit)
    return step


class _Tick(NamedTuple):
    """A labelled turn on the horizontal axis."""

    turn: int
    x: float


class _Level(NamedTuple):
    """A labelled number of points on the vertical axis."""

    points: int
    x: float
    y: float


class _Line(NamedTuple):
    """The line of one player."""

    color: str
    dash: str
    steps: Sequence[tuple[float, float]]
    name: str
    name_y: float
    points: int


def _spread(heights: Mapping[str, float], lowest: float) -> dict[str, float]:
    """Return the heights of the names by colour, moved apart where lines end close together.

    None lies below ``lowest``; y grows downwards.
    """
    placed: dict[str, float] = {}
    least = 12.0
    for color, y in sorted(heights.items(), key=lambda item: item[1]):
        placed[color] = max(y, least)
        least = placed[color] + NAME_APART
    for color, y in reversed(placed.items()):
        placed[color] = min(y, lowest)
        lowest = placed[color] - NAME_APART
    return placed
