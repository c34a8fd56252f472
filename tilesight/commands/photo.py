"""`tilesight photo`: one photograph to a board, its pieces, its faults, and its points."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import cv2
import numpy as np
import typer

from engine.fault import Fault
from engine.games import game_named, game_names, tile_game_names
from engine.pack import Pack
from engine.tiles.board import board_faults
from models import load_ahead
from tilesight.photograph.edition import other_edition, with_rules
from tilesight.photograph.score import PhotoScore, score_photograph
from tilesight.settings import SettingsError, candidates, known_camera, open_pack
from vision.board import SeenPiece, SeenTile, SolvedBoard, see_board, told_alternatives
from vision.image.camera_profile import Camera, Observe
from vision.image.decode import camera_of, read_frame
from vision.observation import Frame, Image, Observation
from vision.overlay import draw_overlay
from vision.pack_choice import Choice, Chooser
from vision.pipeline import Pipeline

if TYPE_CHECKING:
    from rich.console import Console

    from vision.squares.reading import SeenSquares

MOST_DOUBTS = 8
"""Doubts that move points, of which the command line tells."""
STAGES = ("locate", "tiles", "pieces")
"""Names of the stages that are always timed; without a board only the first runs."""


class OverlayError(ValueError):
    """The overlay could not be written; one line for the user."""


def photo_command(
    image: Annotated[Path, typer.Argument(help="a photograph of the table")],
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack, or none to only locate")] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    rules: Annotated[str | None, typer.Option(help="rule edition, e.g. zman or hig")] = None,
    calibration: Annotated[
        Path | None, typer.Option(help="what is known of the camera (tilesight calibrate)")
    ] = None,
    overlay: Annotated[
        Path | None, typer.Option(help="write the photograph with what was recognised")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Read one photograph: the tiles, the pieces, and the points if the game ended now."""
    load_ahead()
    frame = read_frame(image)
    _check_overlay(overlay)
    camera = known_camera(camera_of(image), calibration)
    chooser = Chooser(candidates()) if pack is None and gallery is None else None
    chosen, observe = (None, chooser.observe) if chooser is not None else _opened(pack, gallery, rules)
    began = time.perf_counter()
    observation = camera.through(observe)(frame)
    seeing = time.perf_counter()
    choice = chooser.choice if chooser is not None else None
    if choice is not None:
        chosen = choice.pack
        _say_choice(choice)
        _check_rules(chosen, rules)
    if chosen is not None and chosen.quarters:
        seen = _seen_squares(observation, chosen)
        timing = _timing(observation, seeing - began, time.perf_counter() - seeing)
        _tell_squares(image, frame.image, seen, chosen, timing, overlay, choice, as_json=as_json)
        return
    board = see_board(observation, chosen)
    timing = _timing(observation, seeing - began, time.perf_counter() - seeing)
    other = _of_other_edition(frame, camera, board, chosen) if choice is None else None
    if other is not None:
        board, chosen = other, None
    faults, score = _faults(board, chosen), score_photograph(board, chosen, rules)
    if overlay is not None:
        faulty = frozenset(fault.cell for fault in faults if fault.cell is not None)
        _write(overlay, draw_overlay(frame.image, board, faulty))
    if as_json:
        height, width = frame.image.shape[:2]
        document = _document(board, chosen, (width, height), faults, score, timing)
        print(json.dumps(document | _choice_json(choice, other)))
    else:
        _print_board(board, chosen, faults, score, timing)
        if board.tiles and choice is not None and not choice.recognised:
            print(f"tilesight: most of these tiles are of no pack known here; {ADVICE}", file=sys.stderr)
    if not board.tiles:
        if not as_json:
            _say_no_board(image, chosen, choice)
        raise typer.Exit(1)


def _choice_json(choice: Choice | None, other: SolvedBoard | None = None) -> dict[str, Any]:
    """Part of the document on the choice of the pack: that it was, whether it knows the board, and what all
    that were tried came to. ``other`` is a board of another edition than was named."""
    if choice is None:
        return {"pack_recognised": False} if other is not None else {}
    return {
        "pack_chosen": True,
        "pack_recognised": choice.recognised,
        "packs_tried": [{"pack": name, "score": round(score, 4)} for name, score in choice.scores.items()],
    }


def _say_choice(choice: Choice) -> None:
    """Say which pack was taken, on stderr: whoever knows better names one."""
    if choice.pack is not None and choice.recognised:
        tried = ", ".join(f"{name} {100 * score:.0f} %" for name, score in choice.scores.items())
        share = f"; share of the board explained: {tried}" if len(choice.scores) > 1 else ""
        print(f"tilesight: read as {choice.pack.id}, for no --pack is given{share}", file=sys.stderr)


def _opened(pack: str | None, gallery: Path | None, rules: str | None) -> tuple[Pack | None, Observe]:
    """The pack by whose rules a board is scored, and the observer of its faces."""
    named, faces = open_pack(pack, gallery)
    chosen = with_rules(named) if named is not None else None
    _check_rules(chosen, rules)
    return chosen, Pipeline(faces, chosen).observe


def _of_other_edition(
    frame: Frame, camera: Camera, board: SolvedBoard, pack: Pack | None
) -> SolvedBoard | None:
    """The board by its outlines, where hardly any tile has a face of the pack that was named; that is said on
    stderr, and which pack it may be."""
    other = other_edition(frame, camera, board) if pack is not None else None
    if other is None or pack is None:
        return None
    chooser = Chooser(candidates())
    camera.through(chooser.observe)(frame)
    choice = chooser.choice
    known = choice.pack if choice is not None and choice.recognised else None
    advice = f"it looks like {known.id}: name that with --pack" if known is not None else ADVICE
    what = f"hardly any of these {len(other.tiles)} tiles has a face of {pack.id}"
    print(f"tilesight: {what}; {advice}", file=sys.stderr)
    return other


ADVICE = (
    "name another pack with --pack or --gallery, show a printed edition once with tilesight enrol, "
    "or only locate the tiles with --pack none"
)


def _say_no_board(path: Path, pack: Pack | None, choice: Choice | None) -> None:
    """Say that nothing was read, and what would help."""
    if pack is None and choice is None:
        said = ""
    elif choice is not None:
        said = f" of a pack that is known here (tried: {', '.join(choice.scores)}); {ADVICE}"
    else:
        said = f" of the pack {pack.id if pack else ''}; {ADVICE}"
    print(f"tilesight: no board is seen in {path}{said}", file=sys.stderr)


def _timing(observation: Observation, seeing_s: float, solving_s: float) -> dict[str, float]:
    """Milliseconds that each stage took."""
    timing = {name: observation.timing_ms.get(name, 0.0) for name in STAGES} | dict(observation.timing_ms)
    return timing | {"solve": 1e3 * solving_s, "total": 1e3 * (seeing_s + solving_s)}


def _seen_squares(observation: Observation, pack: Pack) -> SeenSquares | None:
    from tilesight.grading.squares_photo import seen_squares  # late: few tables have a board of squares

    return seen_squares(observation, pack)


def _tell_squares(
    path: Path,
    picture: Image,
    seen: SeenSquares | None,
    pack: Pack,
    timing_ms: Mapping[str, float],
    overlay: Path | None,
    choice: Choice | None,
    *,
    as_json: bool,
) -> None:
    """The answer for a board of squares."""
    from tilesight.grading.squares_photo import draw_squares, print_squares, squares_document

    if overlay is not None:
        _write(overlay, draw_squares(picture, seen) if seen is not None else picture)
    if as_json:
        size_wh = (picture.shape[1], picture.shape[0])
        print(json.dumps(squares_document(seen, pack, size_wh, timing_ms) | _choice_json(choice)))
    elif seen is not None:
        print_squares(seen, pack, timing_ms)
    if seen is None:
        if not as_json:
            _say_no_board(path, pack, choice)
        raise typer.Exit(1)


def _check_rules(pack: Pack | None, rules: str | None) -> None:
    """Refuse rules that the pack's game does not have."""
    if rules is not None and pack is not None and pack.game in game_names():
        presets = game_named(pack.game).presets
        if rules not in presets:
            known = ", ".join(presets)
            raise SettingsError(f"no rules {rules!r} for {pack.game} (known: {known})")


def _check_overlay(overlay: Path | None) -> None:
    """Refuse a file that cannot be written before the picture is looked at, which takes a while."""
    if overlay is not None and (overlay.is_dir() or not overlay.parent.is_dir()):
        why = "it is a folder" if overlay.is_dir() else f"there is no folder {overlay.parent}"
        raise OverlayError(f"{overlay}: the overlay cannot be written ({why})")


def _faults(board: SolvedBoard, pack: Pack | None) -> tuple[Fault, ...]:
    return board_faults(pack, board.laid(pack)) if pack is not None else ()


def _write(path: Path, picture: np.ndarray) -> None:
    suffix = path.suffix.lower() if path.suffix.lower() in {".png", ".jpg", ".jpeg", ".webp"} else ".png"
    encoded, data = cv2.imencode(suffix, picture)
    try:
        if not encoded:
            raise OSError(0, "it could not be encoded")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise OverlayError(f"{path}: the overlay cannot be written ({error.strerror})") from None


def _document(
    board: SolvedBoard,
    pack: Pack | None,
    size_wh: tuple[int, int],
    faults: tuple[Fault, ...],
    score: PhotoScore,
    timing_ms: Mapping[str, float],
) -> dict[str, Any]:
    """The answer as a JSON object (docs/formats.md, 'Output of photo')."""
    return {
        "tilesight": 1,
        "game": pack.game if pack is not None else None,
        "pack": pack.id if pack is not None else None,
        "image": {"size_wh": list(size_wh)},
        "tiles": [_tile_json(tile) for tile in board.tiles],
        "pieces": [_piece_json(piece) for piece in board.pieces],
        "faults": [fault.to_json() for fault in faults],
        **score.to_json(),
        "timing_ms": {name: round(ms, 1) for name, ms in timing_ms.items()},
    }


def _tile_json(tile: SeenTile) -> dict[str, Any]:
    value: dict[str, Any] = {
        "tile": tile.face.design if tile.face else None,
        "cell": list(tile.cell),
        "rot": tile.face.rot if tile.face else 0,
        "confidence": round(tile.confidence, 4),
        "corners_px": np.round(tile.corners_px.astype(float), 2).tolist(),
    }
    if others := told_alternatives(tile):
        value["alternatives"] = [
            {"tile": face.design, "rot": face.rot, "confidence": round(share, 4)} for face, share in others
        ]
    return value


def _piece_json(piece: SeenPiece) -> dict[str, Any]:
    reading = piece.reading
    value: dict[str, Any] = {
        "kind": reading.kind,
        "color": reading.color,
        "pose": reading.pose,
        "cell": list(piece.cell) if piece.cell is not None else None,
        "feature": piece.feature,
        "point_px": [round(reading.point_px[0], 1), round(reading.point_px[1], 1)],
        "confidence": round(reading.confidence, 4),
    }
    if reading.color_probs:
        value["color_confidence"] = round(piece.color_confidence, 4)
    if reading.sort_probs:
        value["pose_confidence"] = round(piece.pose_confidence, 4)
    if reading.animal is not None:
        value["animal"] = reading.animal
    if piece.corner is not None:
        value["corner"] = piece.corner
    return value


def _print_board(
    board: SolvedBoard,
    pack: Pack | None,
    faults: tuple[Fault, ...],
    score: PhotoScore,
    timing_ms: Mapping[str, float],
) -> None:
    from rich.console import Console  # late: nobody needs them for JSON
    from rich.table import Table

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
    on_board = [piece for piece in board.pieces if piece.cell is not None]
    if on_board:
        pieces = Table("cell", "piece", "on", "sure", title=f"{len(on_board)} pieces", title_justify="left")
        for piece in on_board:
            assert piece.cell is not None
            what = f"{piece.reading.color or ''} {piece.reading.kind}".strip()
            where = board.called(piece, pack) or (f"{piece.corner} corner" if piece.corner else "empty space")
            sure = f"{100 * piece.reading.confidence:.0f} %"
            pieces.add_row(f"{piece.cell[0]}, {piece.cell[1]}", what, where, sure)
        console.print(pieces)
    for fault in faults:
        console.print(f"[red]{fault.message}[/]")
    if pack is not None and pack.game in tile_game_names():
        _print_score(console, score)
    console.print(f"[dim]{timing_ms['total']:.0f} ms[/]")


def _print_score(console: Console, score: PhotoScore) -> None:
    """The points if the game ended now, and the doubts that would move them."""
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
        f"{face.design} {face.rot}° ({100 * share:.0f} %)" for face, share in told_alternatives(tile)[:3]
    )
