"""Report of a photograph: the points if the game ended now, as an HTML page, PDF or picture to share."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from PIL import Image, ImageDraw

from engine.message import NO_MESSAGE
from engine.tiles.game import Composition, ScoreEvent
from tilesight.photograph.reading import PhotoReading
from tilesight.photograph.score import PhotoScore
from vision.board import SolvedBoard
from vision.image.decode import decode_image
from vision.overlay import draw_overlay
from web.report.drawing import color_of
from web.report.job import pdf_in_subprocess
from web.report.lettering import printable, write
from web.report.page import Report, report_html, small_photo
from web.report.tile_report import board_drawing
from web.report.words import Language, Words, words_in
from web.table.doubts import sure_winners

BEFORE = "before"
"""Kind of score event for the points that a player had before the end."""
WIDTH_PX = 1600
"""Width of the picture in pixels."""
QUALITY = 85
"""JPEG quality, 0 to 100."""
PLAIN_AREA_PX = 16_000_000
"""Maximum number of pixels of an uploaded photograph that is encoded anew; a larger one is halved."""
ROW_PX, MARGIN_PX, POINTS_PX = 84, 36, 340
"""Height of a player's row, the margin around the text, and the width for the points."""
PAPER, INK = (250, 243, 228), (43, 29, 16)
"""Colours (RGB) of the strip with the points."""


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
    called = {color: words.name(color, names.get(color)) for color in scores}
    ranges = points_ranges(score, scores, had)
    earlier = [
        ScoreEvent(0, color, points, BEFORE, Composition(NO_MESSAGE), at_end=True)
        for color, points in had.items()
    ]
    title = words.title(pack) if pack is not None else "Tilesight"
    said = words.say("open") if scores else ""
    if winners := sure_winners(ranges):
        who = words.list([called[color] for color in winners])
        said = words.say("would_win", max(scores.values()), who=who)
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
        note=_not_sure(ranges, called, words),
    )


def points_ranges(
    score: PhotoScore, scores: Mapping[str, int], had: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Return the least and the most points of each player, with those from before the end (``had``)."""
    ranges = {color: (points, points) for color, points in scores.items()}
    for color in scores.keys() & score.ranges.keys():
        least, most = score.ranges[color]
        ranges[color] = least + had.get(color, 0), most + had.get(color, 0)
    return ranges


def _not_sure(ranges: Mapping[str, tuple[int, int]], called: Mapping[str, str], words: Words) -> str:
    """Return the sentence on the points that are not sure; "" if all are."""
    spans = [
        words.say("span", who=called[color], least=least, most=most)
        for color, (least, most) in ranges.items()
        if least < most
    ]
    return words.say("not_sure", what=words.list(spans)) if spans else ""


def plain_jpeg(uploaded: bytes) -> bytes:
    """Return an uploaded photograph as a JPEG that may be decoded without limits of time and memory.

    Raises FrameError if it cannot be decoded.
    """
    image = decode_image(uploaded, fit_px=PLAIN_AREA_PX)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())


def shared_picture(
    jpeg: bytes, board: SolvedBoard, report: Report, ranges: Mapping[str, tuple[int, int]]
) -> bytes:
    """Return a JPEG: the photograph ``jpeg`` with ``board`` drawn on it, the ``report``'s points below.

    ``ranges`` has each player's least and most points by colour; points that are not sure are shown so.

    Raises FrameError if ``jpeg`` cannot be decoded.
    """
    drawn = draw_overlay(decode_image(jpeg), board, named=False)
    photo = Image.fromarray(np.ascontiguousarray(drawn[:, :, ::-1]))
    photo = photo.resize((WIDTH_PX, round(photo.height * WIDTH_PX / photo.width)))
    high = 2 * MARGIN_PX + ROW_PX * (1 + len(report.ranked))
    page = Image.new("RGB", (WIDTH_PX, photo.height + high), PAPER)
    page.paste(photo, (0, 0))
    draw, wide = ImageDraw.Draw(page), WIDTH_PX - 2 * MARGIN_PX
    y = photo.height + MARGIN_PX
    write(draw, (MARGIN_PX, y), report.title, 48, INK, wide_px=wide)
    for color in report.ranked:
        y += ROW_PX
        draw.ellipse((MARGIN_PX, y + 4, MARGIN_PX + 44, y + 48), fill=color_of(color), outline=INK, width=2)
        name = printable(report.names.get(color, "")) or report.words.color(color)
        write(draw, (MARGIN_PX + 66, y), name, 42, INK, wide_px=wide - POINTS_PX)
        points = "–".join(map(str, dict.fromkeys(ranges.get(color, (report.scores[color],)))))
        write(draw, (WIDTH_PX - MARGIN_PX, y), points, 42, INK, wide_px=POINTS_PX - 66, right=True)
    file = io.BytesIO()
    page.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
