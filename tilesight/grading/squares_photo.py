"""Reading of one photograph of a board of squares as JSON, as words, and drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from engine.fault import Fault
from engine.game import Opening
from engine.games import game_named
from engine.geometry import EDGES
from engine.pack import Pack
from engine.squares_game import SquareGame
from engine.tiles.game import GameError
from vision.observation import Image, Observation
from vision.overlay import PIECE_BGR, SURE
from vision.squares.reading import SeenFigure, SeenSquares, see_squares


def square_game(pack: Pack) -> SquareGame | None:
    """Return the game of a pack with a board of squares; None for a pack of another game or without rules."""
    try:
        game = game_named(pack.game) if pack.game is not None else None
    except GameError:
        return None
    return game if isinstance(game, SquareGame) else None


def seen_squares(observation: Observation, pack: Pack) -> SeenSquares | None:
    """Return the board of one observation, with the names of the pack's game; None if no board is seen."""
    game = square_game(pack)
    walker, pawn = (game.walker, game.pawn) if game is not None else ("animal", "pawn")
    return see_squares(observation, pack, walker, pawn)


def set_up_faults(seen: SeenSquares, pack: Pack) -> tuple[Fault, ...]:
    """Return the reasons why the board as read is no legal set-up; empty if it is, or without rules."""
    game = square_game(pack)
    if game is None:
        return ()
    opening = Opening(game.name, pack.id, game.colors, game.presets[0])
    header = game.opening_seen(opening, seen.terrain, [one.figure for one in seen.figures])
    return game.header_faults(header, pack)


def squares_document(
    seen: SeenSquares | None, pack: Pack, size_wh: tuple[int, int], timing_ms: Mapping[str, float]
) -> dict[str, Any]:
    """Return the document of `photo --json` for a board of squares (docs/formats.md, 'Output of photo').

    Its lists are empty if no board was found (``seen`` None).
    """
    value: dict[str, Any] = {
        "tilesight": 1,
        "game": pack.game,
        "pack": pack.id,
        "image": {"size_wh": list(size_wh)},
        "tiles": [],
        "board": None,
        "animals": [],
        "pieces": [],
        "faults": [],
        "if_ended_now": {},
        "timing_ms": {name: round(ms, 1) for name, ms in timing_ms.items()},
    }
    if seen is None:
        return value
    value["tiles"] = [
        {
            "tile": part.design,
            "cell": list(part.cell),
            "rot": part.rot,
            "confidence": round(part.confidence, 4),
            "corners_px": np.round(part.corners_px, 2).tolist(),
        }
        for part in seen.parts
    ]
    value["board"] = {
        "corners_px": np.round(seen.corners_px, 2).tolist(),
        "terrain": list(seen.terrain),
        "confidence": round(min(part.confidence for part in seen.parts), 4),
    }
    for one in seen.figures:
        figure, point = one.figure, [round(at, 1) for at in one.reading.point_px]
        sure = round(one.reading.confidence, 4)
        if figure.facing is not None:
            animal = {"species": figure.name, "cell": figure.square, "facing": figure.facing}
            value["animals"].append({**animal, "point_px": point, "confidence": sure})
        else:
            piece = {"kind": figure.kind, "color": figure.name, "pose": one.reading.pose}
            value["pieces"].append({**piece, "cell": figure.square, "point_px": point, "confidence": sure})
    value["faults"] = [fault.to_json() for fault in set_up_faults(seen, pack)]
    return value


def print_squares(seen: SeenSquares, pack: Pack, timing_ms: Mapping[str, float]) -> None:
    """Print the board's terrain as letters, its figures, faults and reading time.

    ``timing_ms`` must have "total".
    """
    console = Console(highlight=False)
    size = seen.squares
    for row, signs in enumerate(seen.terrain):
        console.print(f"{size - row:>3}  {' '.join(signs)}", markup=False)
    console.print("     " + " ".join(chr(ord("a") + column) for column in range(size)))
    table = Table("square", "what", "looks", "sure")
    for one in sorted(seen.figures, key=lambda item: (item.figure.kind, item.figure.name)):
        figure = one.figure
        what = figure.name if figure.facing is not None else f"{figure.name} {figure.kind}"
        table.add_row(figure.square, what, figure.facing or "", f"{100 * one.reading.confidence:.0f} %")
    console.print(table)
    for fault in set_up_faults(seen, pack):
        console.print(f"[red]{fault.message}[/]")
    console.print(f"[dim]{timing_ms['total']:.0f} ms[/]")


def draw_squares(image: Image, seen: SeenSquares) -> Image:
    """Return a copy of the photograph with the outlines of the board's parts and its figures drawn on it."""
    canvas = image.copy()
    scale = max(image.shape[:2]) / 1280.0
    for part in seen.parts:
        quad = np.round(part.corners_px).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(canvas, [quad], True, SURE, max(1, round(2 * scale)), cv2.LINE_AA)
    for one in seen.figures:
        _label(canvas, one, scale)
    return canvas


def _label(canvas: Image, one: SeenFigure, scale: float) -> None:
    x, y = (round(at) for at in one.reading.point_px)
    figure = one.figure
    color = PIECE_BGR.get(figure.name, (200, 60, 200))
    if figure.facing is not None:
        arrow = "^>v<"[EDGES.index(figure.facing)]
        text = f"{figure.name} {figure.square} {arrow}"
    else:
        text = f"{figure.name} {figure.square}"
    cv2.circle(canvas, (x, y), max(2, round(4 * scale)), color, -1, cv2.LINE_AA)
    for weight, ink in ((3, (20, 20, 20)), (1, (255, 255, 255))):
        at = (x - round(24 * scale), y + round(18 * scale))
        cv2.putText(canvas, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4 * scale, ink, weight, cv2.LINE_AA)
