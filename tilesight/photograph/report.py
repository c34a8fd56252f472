"""Report of a photograph: the points if the game ended now, as an HTML page, PDF or picture to share."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from engine.message import NO_MESSAGE
from engine.tiles.game import ScoreEvent
from tilesight.photograph.reading import PhotoReading
from tilesight.photograph.score import PhotoScore
from vision.board import SolvedBoard
from vision.image.decode import decode_image
from vision.overlay import draw_overlay
from web.report.drawing import color_of
from web.report.job import pdf_in_subprocess
from web.report.page import Report, report_html, small_photo
from web.report.tile_report import board_drawing
from web.report.words import Language, Words, words_in

BEFORE = "before"
"""Kind of score event for the points that a player had before the end."""
WIDTH_PX = 1600
"""Width of the picture in pixels."""
QUALITY = 85
"""JPEG quality, 0 to 100."""
PLAIN_AREA_PX = 16_000_000
"""Maximum number of pixels of an uploaded photograph that is encoded anew; a larger one is halved."""
ROW_PX, MARGIN_PX = 84, 36
"""Height of a player's row, and the margin around the text."""
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


def plain_jpeg(uploaded: bytes) -> bytes:
    """Return an uploaded photograph as a JPEG that may be decoded without limits of time and memory.

    Raises FrameError if it cannot be decoded.
    """
    image = decode_image(uploaded, fit_px=PLAIN_AREA_PX)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())


def shared_picture(jpeg: bytes, board: SolvedBoard, report: Report) -> bytes:
    """Return a JPEG: the photograph ``jpeg`` with ``board`` drawn on it, the ``report``'s points below.

    Raises FrameError if ``jpeg`` cannot be decoded.
    """
    drawn = draw_overlay(decode_image(jpeg), board)
    photo = Image.fromarray(np.ascontiguousarray(drawn[:, :, ::-1]))
    photo = photo.resize((WIDTH_PX, round(photo.height * WIDTH_PX / photo.width)))
    high = 2 * MARGIN_PX + ROW_PX * (1 + len(report.ranked))
    page = Image.new("RGB", (WIDTH_PX, photo.height + high), PAPER)
    page.paste(photo, (0, 0))
    draw = ImageDraw.Draw(page)
    title, row = ImageFont.load_default(48), ImageFont.load_default(42)
    y = photo.height + MARGIN_PX
    draw.text((MARGIN_PX, y), report.title, INK, font=title)
    for color in report.ranked:
        y += ROW_PX
        draw.ellipse((MARGIN_PX, y + 4, MARGIN_PX + 44, y + 48), fill=color_of(color), outline=INK, width=2)
        draw.text((MARGIN_PX + 66, y), report.names.get(color, color), INK, font=row)
        draw.text((WIDTH_PX - MARGIN_PX, y), str(report.scores[color]), INK, font=row, anchor="ra")
    file = io.BytesIO()
    page.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
