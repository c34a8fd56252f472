"""`tilesight photo`: reads photographs of a board and prints its tiles, pieces, faults and points."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import cv2
import numpy as np
import typer

from engine.games import tile_game_names
from engine.tiles.pieces import OTHER
from tilesight.output import OutputError, check_output, write_output
from tilesight.photograph.document import about_reading, photo_document
from tilesight.photograph.edition import no_rules
from tilesight.photograph.reading import PhotoReading, ReadingOptions, faults_of, read_photographs
from tilesight.photograph.score import PhotoScore, score_photograph
from tilesight.photograph.trouble import told_trouble
from tilesight.settings import DiscsOption
from vision.board import SeenTile, SolvedBoard, reported_alternatives
from vision.image.decode import read_frame
from vision.image.decoder import lacks_end
from vision.overlay import draw_overlay
from web.report.words import Language

if TYPE_CHECKING:
    from rich.console import Console

    from vision.squares.reading import SeenSquares

MOST_DOUBTS = 2
"""Maximum number of alternatives that are printed."""


def photo_command(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE...", help="photographs of one board")],
    pack: Annotated[
        str | None, typer.Option(help="id or folder of a pack; 'none' only locates the tiles")
    ] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    rules: Annotated[str | None, typer.Option(help="rule edition, e.g. zman or hig")] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="the camera's profile (tilesight calibrate)")
    ] = None,
    overlay: Annotated[
        Path | None, typer.Option(help="write the first photograph with the reading drawn on it")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="write the score as .html or .pdf")] = None,
    discs: DiscsOption = False,
    lang: Annotated[Language, typer.Option(help="language of the report")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read photographs of one table: the tiles, the pieces, and the points if the game ended now."""
    _check_outputs(overlay, report, [*images, gallery, calibration])
    reading = read_photographs(images, ReadingOptions(pack, gallery, rules, calibration, discs))
    for path in images:
        if lacks_end(path.read_bytes()):
            print(f"tilesight: {path}: the file lacks its end; the picture is whole", file=sys.stderr)
    _say_pack(reading, pack or str(gallery))
    _say_others(reading.board)
    if reading.pack is not None and reading.pack.quarters:
        _tell_squares(images[0], reading, overlay, as_json=as_json)
        return
    board = reading.board
    faults, score = faults_of(board, reading.pack), score_photograph(board, reading.pack, rules)
    if overlay is not None:
        faulty = frozenset(
            cell for fault in faults for cell in (*fault.cells, fault.cell) if cell is not None
        )
        _write(overlay, draw_overlay(read_frame(images[0]).image, board, faulty))
    if report is not None and board.tiles:
        from tilesight.photograph.report import REPORTS, photo_report  # late: rarely needed

        made = photo_report(reading, board, score, images[0].read_bytes(), {}, lang)
        write_output(report, "report", REPORTS[report.suffix.lower()](made))
    if as_json:
        print(json.dumps(photo_document(reading, board, faults, score)))
    else:
        _print_board(reading, [fault.message for fault in faults], score)
    if not board.tiles:
        if not as_json:
            _say_no_board(images[0], reading)
        raise typer.Exit(1)


def _say_pack(reading: PhotoReading, named: str) -> None:
    """Print on stderr which pack was recognised, or why the photograph is not scored.

    Also say if the picture is mirrored, and warn if the board is of another pack than ``named``.
    """
    choice, tiles = reading.choice, len(reading.board.tiles)
    if reading.mirrored:
        print("tilesight: the picture is mirrored; it is read as if it were not", file=sys.stderr)
    if tiles and (why := no_rules(reading.pack)) is not None:
        print(f"tilesight: {why}", file=sys.stderr)
    if reading.other_edition is not None:
        known = reading.other_edition
        advice = f"it looks like {known}: try --pack {known}" if known else ADVICE
        print(f"tilesight: hardly any of these {tiles} tiles is of {named}; {advice}", file=sys.stderr)
    elif choice is not None and choice.recognised and choice.pack is not None:
        tried = ", ".join(f"{name} {100 * score:.0f} %" for name, score in choice.scores.items())
        share = f"; share of the board explained: {tried}" if len(choice.scores) > 1 else ""
        print(f"tilesight: read as {choice.pack.id}, as no --pack is given{share}", file=sys.stderr)
    elif choice is not None and tiles:
        print(f"tilesight: most of these tiles are of no known pack; {ADVICE}", file=sys.stderr)


def _say_others(board: SolvedBoard) -> None:
    """Print on stderr how many pieces on the board are of no kind of the game, if there are any."""
    others = Counter(p.reading.color for p in board.pieces if p.cell is not None and p.reading.kind == OTHER)
    if others:
        told = ", ".join(f"{number} {color}" for color, number in sorted(others.items()))
        print(
            f"tilesight: pieces of no kind of the game: {told}; they score nothing, "
            "if they are your meeples, say --discs",
            file=sys.stderr,
        )


ADVICE = (
    "name another pack with --pack or --gallery, enrol a printed edition once with tilesight enrol, "
    "or only locate the tiles with --pack none"
)


def _say_no_board(path: Path, reading: PhotoReading) -> None:
    """Print on stderr that no board was found, and the remedy."""
    pack, choice = reading.pack, reading.choice
    if reading.trouble is not None:
        said = f": {told_trouble(reading.trouble, reading.size_wh)}"
    elif pack is None and choice is None:
        said = ""
    elif choice is not None:
        said = f" of a known pack (tried: {', '.join(choice.scores)}); {ADVICE}"
    else:
        said = f" of the pack {pack.id if pack else ''}; {ADVICE}"
    print(f"tilesight: no board found in {path}{said}", file=sys.stderr)


def _tell_squares(path: Path, reading: PhotoReading, overlay: Path | None, *, as_json: bool) -> None:
    """Print the result for a board of squares. Raises typer.Exit(1) if no board is found."""
    from tilesight.grading.squares_photo import (  # late: rarely needed
        draw_squares,
        print_squares,
        seen_squares,
        squares_document,
    )

    assert reading.pack is not None
    seen: SeenSquares | None = seen_squares(reading.observation, reading.pack)
    if overlay is not None:
        picture = read_frame(path).image
        _write(overlay, draw_squares(picture, seen) if seen is not None else picture)
    if as_json:
        document = squares_document(seen, reading.pack, reading.size_wh, reading.timing_ms)
        print(json.dumps(document | about_reading(reading)))
    elif seen is not None:
        print_squares(seen, reading.pack, reading.timing_ms)
    if seen is None:
        if not as_json:
            _say_no_board(path, reading)
        raise typer.Exit(1)


def _check_outputs(overlay: Path | None, report: Path | None, inputs: Sequence[Path | None]) -> None:
    """Raise OutputError early, before the slow reading, if a file cannot be written."""
    if overlay is not None:
        check_output(overlay, "overlay", inputs)
    if report is not None:
        from tilesight.photograph.report import REPORTS  # late: rarely needed

        check_output(report, "report", inputs)
        if report.suffix.lower() not in REPORTS:
            raise OutputError(f"{report}: a report must end in {' or '.join(REPORTS)}")
        if overlay is not None and overlay.resolve() == report.resolve():
            raise OutputError(f"{report}: is named for the overlay and for the report; name two files")


def _write(path: Path, picture: np.ndarray) -> None:
    suffix = path.suffix.lower() if path.suffix.lower() in {".png", ".jpg", ".jpeg", ".webp"} else ".png"
    encoded, data = cv2.imencode(suffix, picture)
    if not encoded:
        raise OutputError(f"{path}: the overlay cannot be written (it could not be encoded)")
    write_output(path, "overlay", data.tobytes())


def _print_board(reading: PhotoReading, faults: Sequence[str], score: PhotoScore) -> None:
    from rich.console import Console  # late: JSON output does not need it
    from rich.table import Table

    board, pack = reading.board, reading.pack
    if not board.tiles:
        return
    console = Console()
    tiles = Table(
        "cell", "tile", "rot", "sure", "or else", title=f"{len(board.tiles)} tiles", title_justify="left"
    )
    for tile in board.tiles:
        others = _others(tile)
        name = tile.face.design if tile.face else "–"
        rot = f"{tile.face.rot}°" if tile.face else ""
        tiles.add_row(f"{tile.cell[0]}, {tile.cell[1]}", name, rot, f"{100 * tile.confidence:.0f} %", others)
    console.print(tiles)
    cells = {tile.cell for tile in board.tiles}
    on_board = [piece for piece in board.pieces if piece.cell is not None]
    if on_board:
        pieces = Table("cell", "piece", "on", "sure", title=f"{len(on_board)} pieces", title_justify="left")
        for piece in on_board:
            assert piece.cell is not None
            what = f"{piece.reading.color or ''} {piece.reading.kind}".strip()
            bare = "its tile" if piece.cell in cells else "empty space"
            where = board.called(piece, pack) or (f"{piece.corner} corner" if piece.corner else bare)
            sure = f"{100 * piece.reading.confidence:.0f} %"
            pieces.add_row(f"{piece.cell[0]}, {piece.cell[1]}", what, where, sure)
        console.print(pieces)
    for fault in faults:
        console.print(f"[red]{fault}[/]")
    if pack is not None and (unknown := sum(tile.face is None for tile in board.tiles)):
        tiles_are = "1 tile is" if unknown == 1 else f"{unknown} tiles are"
        console.print(f"{tiles_are} of another set, or not recognised: left out")
    if pack is not None and pack.game in tile_game_names():
        _print_score(console, score)
    console.print(f"[dim]{reading.timing_ms['total']:.0f} ms[/]")


def _print_score(console: Console, score: PhotoScore) -> None:
    """Print the points if the game ended now, and the alternatives that would change them."""
    told = []
    for color, (least, most) in score.ranges.items():
        span = f" ({least} to {most})" if least < most else ""
        told.append(f"{color} {score.points.get(color, 0)}{span}")
    sure = f" ({100 * score.probability:.0f} % sure)" if told else ""
    console.print(f"If the game ended now: {', '.join(told) or 'no piece on the board'}{sure}")
    for one in score.hangs_on[:MOST_DOUBTS]:
        change = ", ".join(
            f"{color} {one.points.get(color, 0)}"
            for color in score.ranges
            if one.points.get(color, 0) != score.points.get(color, 0)
        )
        place = f"{one.cell[0]}, {one.cell[1]}"
        console.print(f"  {place}: {one.told}; if {one.instead} ({100 * one.probability:.0f} %): {change}")


def _others(tile: SeenTile) -> str:
    return ", ".join(
        f"{face.design} {face.rot}° ({100 * share:.0f} %)" for face, share in reported_alternatives(tile)[:3]
    )
