"""Report page, whatever the board: winner, the reason for every point, the scores' course.

The page needs nothing else: pictures are in it, small, and no script. `web.report.pdf` has the same as a PDF.
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
from web.report.drawing import render
from web.report.words import Words

DASHES = ("", "9 5", "2 6", "12 5 2 5", "5 4")
"""Strokes and gaps of the players' lines in the chart, in its units, so that they differ without colour."""
CHART_WH = (720, 300)
"""Units of the chart's width and height."""
AXIS_HIGH = 44.0
"""Units of the chart below its lines, for the axis of turns."""
TICKS_AT_MOST = 12
"""Number of turns named on the axis, at most."""
PHOTO_PX = 1000
"""Pixels of the photograph's longer side, at most: 300 to the inch where it is printed."""
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
    when: str = ""
    """Date and duration."""
    unsure: Mapping[int, float] = field(default_factory=dict)
    """Confidence in the turns that are not sure, by their numbers."""
    photo: bytes = b""
    """The table in the game's last photograph (JPEG); empty where there is none to show."""
    note: str = ""
    """A sentence on what is not sure beside turns."""

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

    @property
    def doubts(self) -> str:
        """All that is not sure, in a sentence; "" where there is nothing."""
        turns = self.words.list([str(number) for number in sorted(self.unsure)]) if self.unsure else ""
        return self.words.say("unsure_turns", len(self.unsure), turns=turns) if turns else self.note

    def mark(self, event: Event) -> str:
        """The mark of an event whose turn is not sure; "" for any other."""
        confidence = None if event.at_end else self.unsure.get(event.turn)
        return "" if confidence is None else f"? {self.words.unsure(confidence)}"

    def when_scored(self, event: Event) -> str:
        """The turn of an event, for people."""
        return self.words.say("end") if event.at_end else self.words.say("turn", event.turn)


def report_html(report: Report) -> str:
    """The whole page."""
    photo = base64.b64encode(report.photo).decode()
    chart = score_chart(report) if any(report.running.values()) else ""
    return render("page.html", report=report, photo=photo, chart=chart)


def small_photo(jpeg: bytes) -> bytes:
    """A photograph in the size that reports show."""
    with Image.open(io.BytesIO(jpeg)) as picture:
        picture.thumbnail((PHOTO_PX, PHOTO_PX))
        file = io.BytesIO()
        picture.convert("RGB").save(file, "JPEG", quality=80)
    return file.getvalue()


def score_chart(report: Report, height: float = CHART_WH[1]) -> str:
    """Everybody's points over the turns, as SVG that is so many units high."""
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
    """Step between the numbers of an axis, a round one with which there are ``at_most``."""
    step = 1
    for digit in itertools.cycle((2, 2.5, 2)):  # 1, 2, 5, 10, 20, 50 and so on
        if last // step <= at_most:
            break
        step = int(step * digit)
    return step


class _Tick(NamedTuple):
    turn: int
    x: float


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


def _spread(heights: Mapping[str, float], lowest: float) -> dict[str, float]:
    """Heights for the names at the lines' ends, moved apart where lines end close to each other, none below
    ``lowest``."""
    placed: dict[str, float] = {}
    least = 12.0
    for color, y in sorted(heights.items(), key=lambda item: item[1]):
        placed[color] = max(y, least)
        least = placed[color] + NAME_APART
    for color, y in reversed(placed.items()):
        placed[color] = min(y, lowest)
        lowest = placed[color] - NAME_APART
    return placed
