"""`tilesight bench`: speed, memory and accuracy, measured where anyone can measure them again.

The engine's part is in `tilesight.bench_engine`.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tilesight.bench_engine import bench_engine_command
from tilesight.marks import Marks, mark_photo
from tilesight.phototruth import read_photo_folder
from tilesight.settings import open_pack

bench_app = typer.Typer(
    help="Measure speed, memory and accuracy.", no_args_is_help=True, add_completion=False
)

bench_app.command("engine")(bench_engine_command)

LIVE_FRAMES = 3
"""How often each picture is shown again to the live path, as a camera at rest would."""


@bench_app.command("vision")
def bench_vision_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="photographs and their truth.json")],
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack, or none")] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    corner_tol: Annotated[float, typer.Option(help="corner tolerance as a share of a tile's side")] = 0.03,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read every photograph of DIR and compare with its truth.json."""
    from models import models_mb  # late: these pull in the runtime
    from vision.board import see_board
    from vision.frames import read_frame
    from vision.pipeline import Pipeline

    photos = read_photo_folder(folder)
    chosen, faces = open_pack(pack, gallery)
    photo_ms: list[float] = []
    live_ms: list[float] = []
    marks: list[Marks] = []
    console = Console(stderr=True)
    for photo in track(photos, description="Reading", console=console, disable=as_json):
        frame = read_frame(photo.path)
        pipeline = Pipeline(faces, chosen)
        began = time.perf_counter()
        observation = pipeline.observe(frame)
        board = see_board(observation, chosen)
        photo_ms.append(1e3 * (time.perf_counter() - began))
        for i in range(LIVE_FRAMES):
            began = time.perf_counter()
            pipeline.observe(dataclasses.replace(frame, t_s=0.1 * (i + 1), index=i + 1))
            live_ms.append(1e3 * (time.perf_counter() - began))
        marks.append(mark_photo(photo, observation, board, corner_tol))
    figures = vision_figures(marks)
    figures |= {
        "photo_ms_p50": _percentile(photo_ms, 50),
        "live_ms_p50": _percentile(live_ms, 50),
        "live_ms_p95": _percentile(live_ms, 95),
        "rss_mb": _resident_mb(),
        "models_mb": round(models_mb(), 2),
    }
    if as_json:
        print(json.dumps({"tilesight": 1, "vision": figures}))
        return
    console = Console()
    for photo, mark in zip(photos, marks, strict=True):
        if mark.wrong or not mark.located:
            worst = max(mark.corner_errors, default=0.0)
            console.print(
                f"[bold]{photo.path.name}[/]: worst corner {100 * worst:.1f} %; " + "; ".join(mark.wrong[:6])
            )
    table = Table("figure", "value", title=f"{folder}")
    for name, value in figures.items():
        table.add_row(name, "–" if value is None else f"{value}")
    console.print(table)


def vision_figures(marks: list[Marks]) -> dict[str, float | int | None]:
    """The figures of FORMATS' `bench vision` over many photographs; None where nothing was counted."""

    def share(part: int, whole: int) -> float | None:
        return round(part / whole, 4) if whole else None

    corners = [error for mark in marks for error in mark.corner_errors]
    tiles = sum(mark.named for mark in marks)
    readable = [mark for mark in marks if mark.named]
    found = sum(mark.pieces_found for mark in marks)
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
        "feature": share(sum(mark.feature_right for mark in marks), found),
    }


def _percentile(values: list[float], at: int, digits: int = 1) -> float | None:
    return round(float(np.percentile(values, at)), digits) if values else None


def _resident_mb() -> float:
    """The most memory this process has held, in MB (0 where the system does not say)."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1024.0 * 1024.0 if sys.platform == "darwin" else 1024.0), 1)
