"""HTML report of `tilesight bench vision --report`: figures, confusions and every misread photograph."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from tilesight.grading.marks import Marks
from tilesight.grading.reliability import reliability
from tilesight.grading.truth import TruePhoto
from tilesight.output import write_output
from vision.board import SolvedBoard
from vision.observation import Image
from vision.overlay import draw_overlay
from vision.tiles.gallery import Gallery

WIDE_PX = 1280
"""Maximum width of a picture on the page, in pixels."""
TRUTH_BGR = (255, 80, 220)
"""Colour (blue, green, red; 0 to 255) in which the truth is drawn."""
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem; border-bottom: 1px solid #8884; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; border-radius: .4rem; } figure { margin: 2rem 0; }
.pair { display: inline-block; margin: .5rem; text-align: center; } .pair img { width: 7rem; margin: .1rem; }
"""


class VisionReport:
    """Collects misread photographs, then writes one self-contained page."""

    def __init__(self, title: str, gallery: Gallery | None) -> None:
        self._title = title
        self._gallery = gallery
        self._failures: list[str] = []

    def failure(self, photo: TruePhoto, image: Image, board: SolvedBoard, marks: Marks) -> None:
        """Add one misread photograph, with the reading drawn over it and the truth in pink."""
        picture = draw_overlay(image, board)
        for tile in photo.tiles:
            corners = np.round(tile.corners_px).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(picture, [corners], True, TRUTH_BGR, 1, cv2.LINE_AA)
        for piece in photo.pieces:
            x, y = (round(v) for v in piece.point_px)
            cv2.drawMarker(picture, (x, y), TRUTH_BGR, cv2.MARKER_TILTED_CROSS, 14, 2)
        said = "".join(f"<li>{html.escape(text)}</li>" for text in marks.wrong)
        self._failures.append(
            f"<figure><h3>{html.escape(photo.path.name)}</h3>{_img(picture)}<ul>{said}</ul></figure>"
        )

    def write(self, path: Path, figures: Mapping[str, object], marks: Sequence[Marks]) -> None:
        """Write the page to ``path``. Raises OutputError if the file cannot be written."""
        rows = "".join(
            f"<tr><td>{name}</td><td>{'–' if v is None else v}</td></tr>" for name, v in figures.items()
        )
        page = (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(self._title)}</title>"
            f"<style>{STYLE}</style><h1>{html.escape(self._title)}</h1><table>{rows}</table>"
            f"<h2>Confidence</h2>{_reliability(marks)}"
            f"<h2>Confused faces</h2>{self._confusions(marks)}"
            f"<h2>Misread photographs ({len(self._failures)})</h2>"
            "<p>Green and orange: the reading. Pink: the truth.</p>" + "".join(self._failures)
        )
        write_output(path, "report", page.encode())

    def _confusions(self, marks: Sequence[Marks]) -> str:
        counts: dict[tuple[str, str], int] = {}
        for mark in marks:
            for pair in mark.confused:
                counts[pair] = counts.get(pair, 0) + 1
        ranked = sorted(counts.items(), key=lambda item: -item[1])[:12]
        pairs = [
            f"<div class=pair>{self._face(lay)}{self._face(read)}<br>{html.escape(lay)} read as "
            f"{html.escape(read)}: {times}</div>"
            for (lay, read), times in ranked
        ]
        return "".join(pairs) or "<p>None.</p>"

    def _face(self, design: str) -> str:
        if self._gallery is None or design not in self._gallery.designs:
            return ""
        index = self._gallery.designs.index(design)
        return _img(self._gallery.faces[int(np.flatnonzero(self._gallery.face_design == index)[0])])


def _reliability(marks: Sequence[Marks]) -> str:
    """HTML table of the confidence bins: number of tiles, mean confidence, share right."""
    told = [one for mark in marks for one in mark.told]
    rows = (
        f"<tr><td>{one.count}</td><td>{one.confidence:.3f}</td><td>{one.right:.3f}</td></tr>"
        for one in reliability(told)
        if one.count
    )
    return f"<table><tr><th>tiles<th>confidence<th>right</tr>{''.join(rows)}</table>"


def _img(picture: Image) -> str:
    scale = min(1.0, WIDE_PX / picture.shape[1])
    if scale < 1.0:
        picture = np.asarray(
            cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    code = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 82])[1]
    return f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(code.tobytes()).decode()}">'
