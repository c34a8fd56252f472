"""Draw the pictures of docs/how-a-picture-is-read.md: one photograph at every stage.

    python docs/make_stages.py

The photograph is a frame of the rendered session `samples/first-light`, the first that shows turn 9 at rest.
The tool calls the same functions as the recogniser and draws what each of them returns. It is not shipped.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.games import tile_game_named
from engine.geometry import Cell
from engine.pack import Pack, load_pack
from engine.record import read_record
from engine.tiles.game import GameState
from models import load
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding
from tilesight.sessions.session import FrameFile, Session, read_session
from vision.board import see_board
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import ortho_view
from vision.locate.heatmap import look
from vision.locate.locator import Locator, locate
from vision.observation import BoardPose, CellReading, Image, Observation, Sight
from vision.overlay import DOUBTFUL, FAULTY, SURE, draw_overlay
from vision.pipeline import Pipeline
from vision.tiles.board_reader import BoardReader
from vision.tiles.gallery import Gallery
from vision.tiles.gallery_file import gallery_of_pack
from vision.tiles.reprojection import against_print, expected_view

HERE = Path(__file__).resolve().parent
SESSION = HERE.parent / "samples" / "first-light"
OUT = HERE / "pictures"
FIRST, HAND, REST, LAST = 33, 36, 37, 38
"""Frames of the session: where the tool starts to watch, a hand over the tile, the first at rest, the end."""
TURNS_BEFORE = 8
WIDTH_PX = 960
JPEG_QUALITY = 85
LIKELY = 0.3
"""Weight (0 to 1) above which an outline is drawn."""
RIM_SIDES = 1.2
"""Width, in tile sides, of the table that is shown around the board."""
FONT = cv2.FONT_HERSHEY_SIMPLEX
INK, PAPER, GREY, BLUE = (40, 40, 40), (250, 250, 250), (150, 150, 150), (190, 120, 40)

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Read:
    """A frame as the recogniser read it, stage by stage."""

    sight: Sight
    locator: Locator
    pose: BoardPose
    cells: dict[Cell, CellReading]
    reader: BoardReader
    observation: Observation


def main() -> int:
    """Write every picture; the exit status."""
    session = read_session(SESSION)
    pack = load_pack(session.header.pack)
    gallery = gallery_of_pack(pack, load("descriptor"))
    before = _position(session, pack)
    watched = _watched(session, before, gallery, pack)
    hand, _ = watched[HAND]
    rest, understood = watched[REST]
    read = _read(session.frames[REST], gallery, rest)
    OUT.mkdir(exist_ok=True)
    last = understood.turns[-1]
    pictures = {
        "1-photograph": read.sight.image,
        "2-outlines": outlines(read),
        "3-lattice": lattice(read),
        "4-faces": faces(read, gallery),
        "5-print": print_against_photograph(read),
        "6-pieces": _board_part(draw_overlay(read.sight.image, see_board(rest, pack)), read.pose),
        "7-posterior": posterior(session.frames[HAND].read().image, hand, rest, gallery),
        "8-turn": turn(read.sight.image, rest, understood, before, pack),
    }
    for name, picture in pictures.items():
        path = OUT / f"{name}.jpg"
        cv2.imwrite(str(path), _at_most(picture, WIDTH_PX), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        print(f"{path.relative_to(HERE.parent)}: {path.stat().st_size // 1024} KB")
    number = TURNS_BEFORE + len(understood.turns)
    print(f"turn {number}: {last.turn.to_json()}, confidence {last.confidence:.4f}")
    return 0


def _position(session: Session, pack: Pack) -> GameState:
    """The position before the frames that are watched, from the session's record."""
    assert session.reference is not None
    record = read_record(session.reference)
    state = tile_game_named(session.header.game).start(session.header, pack)
    for move in record.turns[:TURNS_BEFORE]:
        state = state.apply(move).state
    return state


def _watched(
    session: Session, before: GameState, gallery: Gallery, pack: Pack
) -> dict[int, tuple[Observation, Understanding]]:
    """Observation and understanding after each frame, by its index."""
    pipeline, tracker = Pipeline(gallery, pack), StoryTracker(before)
    found = {}
    for file in session.frames[FIRST : LAST + 1]:
        observation = pipeline.observe(file.read())
        found[file.index] = observation, tracker.see(observation)
    return found


def _read(file: FrameFile, gallery: Gallery, observation: Observation) -> Read:
    """One frame by itself: located, then every cell read."""
    sight = file.read().sight
    locator = Locator.load()
    pose, _ = locate(sight, locator, gallery=gallery)
    if pose is None:
        raise SystemExit(f"{file.path}: no board found")
    reader = BoardReader(gallery, load("descriptor"))
    measured, cells = reader.read(sight, pose)
    return Read(sight, locator, measured, dict(cells), reader, observation)


def outlines(read: Read) -> Image:
    """Output of the locator network: faces in blue, corners in red, and the quads that follow from them."""
    heat = look(read.sight, read.locator.heat)
    width, height = read.sight.size_wh
    grey = cv2.cvtColor(cv2.cvtColor(read.sight.image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    canvas = (0.55 * grey).astype(np.float32)
    from_net = cv2.invertAffineTransform(heat.view.A) @ np.array([[4, 0, 1.5], [0, 4, 1.5], [0, 0, 1.0]])
    for channel, color in ((2, (200, 110, 30)), (1, (40, 40, 255))):
        seen = cv2.warpAffine(heat.maps[channel], from_net, (width, height), flags=cv2.INTER_LINEAR)
        canvas += seen[..., None] * np.array(color, np.float32) * (0.6 if channel == 2 else 1.0)
    drawn = np.clip(canvas, 0, 255).astype(np.uint8)
    for quad, weight in zip(*heat.proposed, strict=True):
        if weight > LIKELY:
            _polygon(drawn, quad, (120, 240, 250), 2)
    return _board_part(drawn, read.pose)


def lattice(read: Read) -> Image:
    """The common grid (thin) and each tile's own corners (thick)."""
    canvas = read.sight.image.copy()
    xs, ys = zip(*read.pose.quads, strict=True)
    x0, x1, y0, y1 = min(xs) - 1, max(xs) + 2, min(ys) - 1, max(ys) + 2
    for x in range(x0, x1 + 1):
        _grid_line(canvas, read.pose, (x, y0), (x, y1))
    for y in range(y0, y1 + 1):
        _grid_line(canvas, read.pose, (x0, y), (x1, y))
    for cell, quad in read.pose.quads.items():
        if read.cells[cell].log_tile > 0:
            _polygon(canvas, quad, SURE, 2)
            _text(canvas, f"{cell[0]},{cell[1]}", quad.mean(axis=0), 0.6)
    return _board_part(canvas, read.pose)


def faces(read: Read, gallery: Gallery, side_px: int = 132) -> Image:
    """Every tile cut out and upright, over the gallery's picture of the likeliest face."""
    rows: list[Image] = []
    tiles = [cell for cell in sorted(read.cells, key=lambda c: (c[1], c[0])) if read.cells[cell].log_tile > 0]
    for cell in tiles:
        reading = read.cells[cell]
        design, quarter = divmod(int(reading.log_probs.argmax()), 4)
        quad = np.roll(np.asarray(reading.corners_px), -quarter, axis=0)
        cut = read.sight.crops(quad[None], side_px)[0]
        index = int(np.flatnonzero(gallery.face_design == design)[0])
        face = cv2.resize(gallery.faces[index], (side_px, side_px), interpolation=cv2.INTER_AREA)
        label = np.full((26, side_px, 3), PAPER, np.uint8)
        share = float(np.exp(reading.log_probs.max()))
        _text(label, f"{gallery.designs[design]} {100 * share:.1f} %", (side_px / 2, 13), 0.4, INK, None)
        rows.append(np.vstack([cut, face, label]))
    across = min(7, len(rows))
    blank = np.full_like(rows[0], PAPER)
    rows += [blank] * (-len(rows) % across)
    gap = np.full((rows[0].shape[0], 6, 3), PAPER, np.uint8)
    lines = [
        np.hstack([part for tile in rows[at : at + across] for part in (gap, tile)] + [gap])
        for at in range(0, len(rows), across)
    ]
    return np.asarray(np.vstack(lines), np.uint8)


def print_against_photograph(read: Read) -> Image:
    """From above: the photograph, the print of the faces that were read, and what the print leaves over."""
    h = np.asarray(read.pose.H_px_from_lattice, np.float64)
    tiles = {cell: quad for cell, quad in read.pose.quads.items() if read.cells[cell].log_tile > 0}
    view = ortho_view(read.sight, h, tiles, read.pose.tile_side_px)
    expected, known = expected_view(view, h, tiles, read.reader.faces(read.cells))
    said = against_print(view.image, expected, known)
    rest = np.clip(np.abs(said[..., 3:6]).sum(axis=2) * 110.0, 0, 255).astype(np.uint8)
    left = cv2.applyColorMap(rest, cv2.COLORMAP_INFERNO)
    left[known == 0] = (60, 60, 60)
    rows, columns = np.nonzero(known)
    part = tuple(slice(max(at.min() - 30, 0), at.max() + 30) for at in (rows, columns))
    shown = []
    for whole, words in ((view.image, "photograph"), (expected, "print"), (left, "not explained")):
        picture = whole[part]
        head = np.full((30, picture.shape[1], 3), PAPER, np.uint8)
        _text(head, words, (picture.shape[1] / 2, 15), 0.6, INK, None)
        shown.append(np.vstack([head, picture]))
    gap = np.full((shown[0].shape[0], 8, 3), PAPER, np.uint8)
    return np.asarray(np.hstack([shown[0], gap, shown[1], gap, shown[2]]), np.uint8)


def posterior(hand_image: Image, hand: Observation, rest: Observation, gallery: Gallery) -> Image:
    """The tile under the hand, and its posterior over faces in that frame and in the next."""
    cell = min(
        (c for c in hand.cells if c in rest.cells and rest.cells[c].log_tile > 0),
        key=lambda c: float(hand.cells[c].log_probs.max()),
    )
    reading = hand.cells[cell]
    quad = np.asarray(rest.cells[cell].corners_px, np.float64)
    middle, reach = quad.mean(axis=0), 1.6 * float(np.ptp(quad, axis=0).max())
    height, width = hand_image.shape[:2]
    x0, y0 = np.maximum(middle - reach, 0).astype(int)
    x1, y1 = np.minimum(middle + reach, (width, height)).astype(int)
    part = hand_image[y0:y1, x0:x1].copy()
    _polygon(part, quad - (x0, y0), DOUBTFUL, 2)
    factor = 420 / part.shape[0]
    part = np.asarray(cv2.resize(part, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), np.uint8)
    covered = f"hand over the tile ({100 * reading.covered:.0f} % covered)"
    left = _bars(reading, hand.designs, gallery, covered)
    right = _bars(rest.cells[cell], rest.designs, gallery, "the next frame, hand gone")
    return np.asarray(np.hstack([part, left, right]), np.uint8)


def _bars(reading: CellReading, designs: Sequence[str], gallery: Gallery, title: str) -> Image:
    """The likeliest faces of a cell with their probabilities."""
    canvas = np.full((420, 420, 3), PAPER, np.uint8)
    _text(canvas, title, (210, 24), 0.55, INK, None)
    probabilities = np.exp(np.asarray(reading.log_probs, np.float64).ravel())
    likely = [at for at in np.argsort(-probabilities)[:6] if probabilities[at] >= 0.0005]
    for row, at in enumerate(likely):
        design, quarter = divmod(int(at), 4)
        y = 48 + 61 * row
        index = int(np.flatnonzero(gallery.face_design == design)[0])
        face = np.rot90(gallery.faces[index], -quarter)
        small = cv2.resize(np.ascontiguousarray(face), (54, 54), interpolation=cv2.INTER_AREA)
        canvas[y : y + 54, 14:68] = small
        long = round(200 * float(probabilities[at]))
        cv2.rectangle(canvas, (80, y + 30), (80 + max(long, 1), y + 46), BLUE, -1)
        name = f"{designs[design]}, {90 * quarter} deg"
        cv2.putText(canvas, name, (80, y + 20), FONT, 0.48, INK, 1, cv2.LINE_AA)
        share = f"{100 * probabilities[at]:.1f} %"
        cv2.putText(canvas, share, (90 + long, y + 44), FONT, 0.48, INK, 1, cv2.LINE_AA)
    return canvas


def turn(image: Image, seen: Observation, understood: Understanding, before: GameState, pack: Pack) -> Image:
    """The told turn: its tile outlined, and in words what was played out of how many legal turns."""
    told = understood.turns[-1]
    board = see_board(seen, pack)
    canvas = (0.45 * image).astype(np.uint8)
    tile = next(tile for tile in board.tiles if tile.cell == told.turn.cell)
    inside = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(tile.corners_px).astype(np.int32), 255)
    near = cv2.dilate(inside, np.ones((61, 61), np.uint8)) > 0
    canvas[near] = image[near]
    _polygon(canvas, tile.corners_px, FAULTY, 3)
    placements = before.placements(told.turn.tile)
    action = told.turn.to_json()["action"] or {"type": "none"}
    lines = [
        f"{told.turn.player}: {told.turn.tile} at {list(told.turn.cell)}, turned {told.turn.rot} degrees",
        f"action: {', '.join(f'{key} {value}' for key, value in action.items())}",
        f"{len(placements)} legal placements of this tile, {len(before.bag)} designs may have been drawn",
        f"probability of exactly this turn: {told.confidence:.3f}",
    ]
    assert seen.pose is not None
    canvas = _board_part(canvas, seen.pose)
    box = np.full((34 * len(lines) + 16, canvas.shape[1], 3), PAPER, np.uint8)
    for row, text in enumerate(lines):
        cv2.putText(box, text, (20, 34 + 34 * row), FONT, 0.75, INK, 1, cv2.LINE_AA)
    return np.asarray(np.vstack([canvas, box]), np.uint8)


def _board_part(picture: Image, pose: BoardPose) -> Image:
    """The part of a picture that holds the board."""
    corners = np.concatenate(list(pose.quads.values()))
    rim = RIM_SIDES * pose.tile_side_px
    x0, y0 = np.maximum(corners.min(axis=0) - rim, 0).astype(int)
    x1, y1 = np.minimum(corners.max(axis=0) + rim, picture.shape[1::-1]).astype(int)
    return picture[y0:y1, x0:x1].copy()


def _grid_line(canvas: Image, pose: BoardPose, start: Cell, end: Cell) -> None:
    ends = apply_homography(
        np.asarray(pose.H_px_from_lattice, np.float64), np.array([start, end], np.float64)
    )
    a, b = ((round(float(x)), round(float(y))) for x, y in ends)
    cv2.line(canvas, a, b, (255, 255, 255), 1, cv2.LINE_AA)


def _polygon(canvas: Image, quad: Floats, color: tuple[int, int, int], thick: int) -> None:
    points = np.round(np.asarray(quad)).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(canvas, [points], True, color, thick, cv2.LINE_AA)


def _text(
    canvas: Image,
    text: str,
    middle: Sequence[float] | Floats,
    size: float,
    color: tuple[int, int, int] = (255, 255, 255),
    shade: tuple[int, int, int] | None = (20, 20, 20),
) -> None:
    (width, height), _ = cv2.getTextSize(text, FONT, size, 1)
    at = (round(float(middle[0])) - width // 2, round(float(middle[1])) + height // 2)
    if shade is not None:
        cv2.putText(canvas, text, at, FONT, size, shade, 3, cv2.LINE_AA)
    cv2.putText(canvas, text, at, FONT, size, color, 1, cv2.LINE_AA)


def _at_most(picture: Image, width_px: int) -> Image:
    """The picture, shrunk where it is wider."""
    if picture.shape[1] <= width_px:
        return picture
    factor = width_px / picture.shape[1]
    return np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


if __name__ == "__main__":
    sys.exit(main())
