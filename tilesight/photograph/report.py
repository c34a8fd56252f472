"""Report of a photograph: the points if the game ended now, as an HTML page or PDF to share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.message import NO_MESSAGE
from engine.tiles.game import ScoreEvent
from tilesight.photograph.picture import plain_jpeg
from tilesight.photograph.reading import PhotoReading
from tilesight.photograph.score import PhotoScore
from vision.board import SolvedBoard
from web.report.job import pdf_in_subprocess
from web.report.page import Report, report_html, small_photo
from web.report.tile_report import board_drawing
from web.report.words import Language, Words, words_in

BEFORE = "before"
"""Kind of score event for the points that a player had before the end."""


def _page(report: Report) -> bytes:
    return report_html(report).encode()


REPORTS: Mapping[str, Callable[[Report], bytes]] = {
    ".html": _page,
    ".htm": _page,
    ".pdf": pdf_in_subprocess,
}
"""Functions that write a report, by file suffix."""


def photo_report(
    reading: PhotoReading,
    board: SolvedBoard,
    score: PhotoScore,
    jpeg: bytes,
    names: Mapping[str, str],
    language: Language,
    before: Mapping[str, int] | None = None,
) -> Report:
    """Return the report of a board, with its photograph ``jpeg``, in a language.

    ``names`` are the players' names by colour, ``before`` their points before the end, which a photograph
    does not show.
    """
    words, pack = words_in(language), reading.pack
    had = {color: points for color, points in (before or {}).items() if points}
    scores = {color: score.points.get(color, 0) + had.get(color, 0) for color in {**score.points, **had}}
    called = {color: names.get(color) or words.color(color) for color in scores}
    earlier = [ScoreEvent(0, color, points, BEFORE, NO_MESSAGE, at_end=True) for color, points in had.items()]
    title = words.title(pack) if pack is not None else "Tilesight"
    said, best = "", max(scores.values(), default=0)
    if scores:
        first = words.list([called[color] for color, points in scores.items() if points == best])
        said = words.say("would_win", best, who=first)
    return Report(
        words=words,
        title=title.split(",")[0],
        outcome=said,
        details=words.say("photographed", pack=title),
        names=called,
        scores=scores,
        running={},
        events=[*earlier, *score.events],
        board_svg="" if pack is None else board_drawing(pack, board.laid(pack), board.standing(), words),
        photo=small_photo(plain_jpeg(jpeg)),
        note=_not_sure(score, called, had, words),
    )


def _not_sure(score: PhotoScore, called: Mapping[str, str], had: Mapping[str, int], words: Words) -> str:
    spans = [
        words.say("span", who=called[color], least=least + had.get(color, 0), most=most + had.get(color, 0))
        for color, (least, most) in score.ranges.items()
        if least < most and color in called
    ]
    return words.say("not_sure", what=words.list(spans)) if spans else ""
