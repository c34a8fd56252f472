"""Picture to share: a photograph with its reading drawn on it, and the points below."""

from __future__ import annotations

import io

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.board import SolvedBoard
from vision.image.decode import decode_image
from vision.overlay import draw_overlay
from web.report.drawing import color_of
from web.report.page import Report

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
