"""`tilesight bench vision`: photographs, read and compared with their true boards."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilesight.grading.marks import Marks, mark_photo
from tilesight.grading.reliability import ReliabilityBin, calibration_error, reliability
from tilesight.grading.squares_marks import SquareMarks, mark_squares, square_figures
from tilesight.grading.squares_photo import seen_squares
from tilesight.grading.truth import TruePhoto, pack_of, read_photo_folder
from tilesight.output import check_output
from tilesight.settings import open_pack

if TYPE_CHECKING:
    from engine.pack import Pack
    from tilesight.bench.report import VisionReport
    from vision.tiles.gallery import Gallery

LIVE_FRAMES = 3
"""Number of times that each picture is read again, as from a camera at rest, to time live reading."""


def bench_vision_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="photographs and their truth.json")],
    pack: Annotated[
        str | None, typer.Option(help="id or folder of a pack; 'none' only locates the tiles")
    ] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    corner_tol: Annotated[float, typer.Option(help="corner tolerance as a share of a tile's side")] = 0.03,
    report: Annotated[
        Path | None, typer.Option(help="write an HTML page: figures, confusions, misread photographs")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read every photograph of DIR and compare it with truth.json."""
    from tilesight.bench.report import VisionReport  # late: it loads the networks' runtime

    if report is not None:
        check_output(report, "report", [folder, folder / "truth.json", gallery])
    photos = read_photo_folder(folder)
    chosen, faces = open_pack(pack or (pack_of(photos) if gallery is None else None), gallery)
    pages = VisionReport(str(folder), faces) if report is not None else None
    read = _Read()
    console = Console(stderr=True)
    for photo in track(photos, description="Reading", console=console, disable=as_json):
        read.photo(photo, chosen, faces, corner_tol, pages)
    figures = read.figures()
    if pages is not None and report is not None:
        pages.write(report, figures, read.marks)
    if as_json:
        bins = [dataclasses.asdict(one) for one in read.reliability()]
        print(json.dumps({"tilesight": 1, "vision": figures, "reliability": bins}))
        return
    _tell(folder, photos, read, figures)


SURE = 0.95
"""Minimum confidence of a wrong reading that is counted in the ``…_wrong_and_sure`` figures."""


class _Read:
    """Results of the photographs read so far: marks, and milliseconds of first and repeated readings."""

    def __init__(self) -> None:
        self.marks: list[Marks] = []
        self.square_marks: list[SquareMarks] = []
        self._photo_ms: list[float] = []
        self._live_ms: list[float] = []

    def photo(
        self,
        photo: TruePhoto,
        pack: Pack | None,
        faces: Gallery | None,
        corner_tol: float,
        pages: VisionReport | None,
    ) -> None:
        """Read one photograph, compare it with its truth, and add it to ``pages`` if anything is wrong."""
        from vision.board import see_board  # late: these load the networks' runtime
        from vision.image.decode import read_frame
        from vision.pipeline import Pipeline

        frame = read_frame(photo.path)
        pipeline = Pipeline(faces, pack)
        began = time.perf_counter()
        observation = pipeline.observe(frame)
        squares = seen_squares(observation, pack) if pack is not None and pack.quarters else None
        board = see_board(observation, pack if squares is None else None)
        self._photo_ms.append(1e3 * (time.perf_counter() - began))
        for i in range(LIVE_FRAMES):
            began = time.perf_counter()
            pipeline.observe(dataclasses.replace(frame, t_s=0.1 * (i + 1), index=i + 1))
            self._live_ms.append(1e3 * (time.perf_counter() - began))
        if photo.squares is not None:
            self.square_marks.append(mark_squares(photo.squares, squares, corner_tol))
            return
        self.marks.append(mark_photo(photo, observation, board, corner_tol))
        if pages is not None and self.marks[-1].wrong:
            pages.failure(photo, frame.image, board, self.marks[-1])

    def reliability(self) -> tuple[ReliabilityBin, ...]:
        """Return the reliability bins of the tiles' names: confidence against share right."""
        return reliability([one for mark in self.marks for one in mark.told])

    def figures(self) -> dict[str, float | int | None]:
        """Return the figures of ``--json``: accuracy, milliseconds, memory (docs/formats.md)."""
        from models import models_mb

        figures = square_figures(self.square_marks) if self.square_marks else vision_figures(self.marks)
        return figures | {
            "photo_ms_p50": _percentile(self._photo_ms, 50),
            "live_ms_p50": _percentile(self._live_ms, 50),
            "live_ms_p95": _percentile(self._live_ms, 95),
            "rss_mb": _resident_mb(),
            "models_mb": round(models_mb(), 2),
        }


def _tell(
    folder: Path, photos: Sequence[TruePhoto], read: _Read, figures: Mapping[str, float | int | None]
) -> None:
    """Print the misread photographs, the figures, the reliability table and the confused faces."""
    console = Console()
    told: Sequence[Marks | SquareMarks] = read.square_marks or read.marks
    for photo, mark in zip(photos, told, strict=True):
        if mark.wrong or not mark.located:
            worst = max(mark.corner_errors, default=0.0)
            console.print(
                f"[bold]{photo.path.name}[/]: worst corner {100 * worst:.1f} %; " + "; ".join(mark.wrong[:6])
            )
    table = Table("figure", "value", title=f"{folder}")
    for name, value in figures.items():
        table.add_row(name, "–" if value is None else f"{value}")
    console.print(table)
    sureness = Table("confidence", "tiles", "mean", "right", title="names of tiles by confidence")
    bins = read.reliability()
    for number, one in enumerate(bins):
        if one.count:
            span = f"{number / len(bins):.1f} to {(number + 1) / len(bins):.1f}"
            sureness.add_row(span, f"{one.count}", f"{one.confidence:.3f}", f"{one.right:.3f}")
    if sureness.row_count:
        console.print(sureness)
    for (lay, read_as), times in worst_confusions(read.marks):
        console.print(f"{lay} read as {read_as}: {times}")


def vision_figures(marks: list[Marks]) -> dict[str, float | int | None]:
    """Return the accuracy figures of `bench vision` over these photographs, by name.

    A figure with nothing to count is None. Names: docs/formats.md, 'Output of bench'.
    """

    def share(part: int, whole: int) -> float | None:
        return round(part / whole, 4) if whole else None

    corners = [error for mark in marks for error in mark.corner_errors]
    tiles = sum(mark.named for mark in marks)
    readable = [mark for mark in marks if mark.named]
    found = sum(mark.pieces_found for mark in marks)
    wrong = [one for mark in marks for one in mark.told if not one[1]]
    return {
        "images": len(marks),
        "located": share(sum(mark.located for mark in marks), len(marks)),
        "corner_p50": _percentile(corners, 50, 4),
        "corner_p95": _percentile(corners, 95, 4),
        "tiles_single": share(sum(mark.single_exact for mark in marks), tiles),
        "tiles_solved": share(sum(mark.solved_exact for mark in marks), tiles),
        "boards_right": share(sum(mark.board_right for mark in readable), len(readable)),
        "pieces_found": share(found, sum(mark.pieces for mark in marks)),
        "pieces_false": share(
            sum(mark.pieces_false for mark in marks), sum(mark.pieces_reported for mark in marks)
        ),
        "kind_color": share(sum(mark.kind_color_right for mark in marks), found),
        "feature": share(sum(mark.feature_right for mark in marks), sum(mark.features for mark in marks)),
        "calibration_error": _rounded(calibration_error([one for mark in marks for one in mark.told])),
        "colors_calibration_error": _rounded(calibration_error([o for m in marks for o in m.told_colors])),
        "poses_calibration_error": _rounded(calibration_error([o for m in marks for o in m.told_poses])),
        **{
            f"{what}_wrong_and_sure": share(sum(p >= SURE and not right for p, right in told), len(told))
            for what, told in (
                ("tiles", [one for mark in marks for one in mark.told]),
                ("colors", [one for mark in marks for one in mark.told_colors]),
                ("poses", [one for mark in marks for one in mark.told_poses]),
            )
        },
        "truth_in_top3": share(sum(mark.among_three for mark in marks), len(wrong)),
    }


def worst_confusions(marks: list[Marks], most: int = 12) -> list[tuple[tuple[str, str], int]]:
    """Return the ``most`` most frequent confusions of faces, as ((true design, read design), count)."""
    return Counter(pair for mark in marks for pair in mark.confused).most_common(most)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _percentile(values: list[float], at: int, digits: int = 1) -> float | None:
    return round(float(np.percentile(values, at)), digits) if values else None


def _resident_mb() -> float:
    """Peak memory of this process in MB; 0 on systems that do not report it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024.0 * 1024.0 if sys.platform == "darwin" else 1024.0), 1)
