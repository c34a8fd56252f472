"""What happens at a table besides turns: pictures of a board at rest that people, cats and cameras disturb.

Each `Disturbance` is a function of a `Stage`, what a camera sees of a game so far. It returns the pictures
that the camera takes until everything is as before, `EVERY_S` apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.observation import BoardPose, Image

Pictures = list[Image]
Corners = NDArray[np.float32]
"""Shape (4, 2), pixels."""
Colour = tuple[int, int, int]
"""Blue, green, red."""
Share = tuple[float, float]
"""Shares of a picture's width and height."""
EVERY_S = 1.3
"""Seconds between two pictures."""
LOOKS = 5
"""Number of pictures of a table at rest."""
LONG_LOOKS = 9
"""Number of pictures of ten seconds at rest."""
GREY, WHITE, SKIN, FUR = (40, 38, 36), (236, 240, 242), (140, 170, 225), (52, 56, 66)
"""Colours, BGR."""


@dataclass(frozen=True)
class Stage:
    """A game so far as its camera saw it.

    ``rests`` are the pictures of the table at rest after 0, 1, … turns, ``pose`` is the board's in the last
    one, ``cells`` its tiles in the order in which they were laid, ``other`` a photograph of another table.
    """

    rests: Sequence[Image]
    pose: BoardPose
    cells: Sequence[Cell]
    other: Image

    @property
    def now(self) -> Image:
        """The table as it is."""
        return self.rests[-1]

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height of a picture in pixels."""
        return self.now.shape[1], self.now.shape[0]

    def corners(self, x: float, y: float, w: float, h: float) -> Corners:
        """The corners in pixels of a rectangle in lattice units."""
        at = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float64)[None]
        return np.asarray(cv2.perspectiveTransform(at, self.pose.H_px_from_lattice)[0], np.float32)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """The board's rectangle (x, y, w, h) in lattice units."""
        cells = np.array(self.cells)
        (x, y), (right, below) = cells.min(axis=0), cells.max(axis=0) + 1
        return float(x), float(y), float(right - x), float(below - y)


def noisy(image: Image, seed: int) -> Image:
    """A picture with the noise of another exposure."""
    noise = np.random.default_rng(seed).normal(0, 1.5, image.shape)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def still(image: Image, looks: int = LOOKS) -> Pictures:
    """A table at rest: the same picture with other noise."""
    return [noisy(image, seed) for seed in range(looks)]


def painted(image: Image, corners: Corners, colour: Colour, mark: int = 0) -> Image:
    """A picture with a flat thing laid on it; ``mark`` draws lines on the thing, as text on paper."""
    out = image.copy()
    cv2.fillConvexPoly(out, np.round(corners).astype(np.int32), colour, cv2.LINE_AA)
    for line in range(1, mark):
        a = corners[0] + (corners[3] - corners[0]) * line / mark
        b = corners[1] + (corners[2] - corners[1]) * line / mark
        ends = [np.round(a + (b - a) * share).astype(int) for share in (0.12, 0.85 - 0.1 * (line % 3))]
        cv2.line(out, tuple(map(int, ends[0])), tuple(map(int, ends[1])), (90, 84, 80), 2, cv2.LINE_AA)
    return out


def bare(stage: Stage) -> Image:
    """The table without the board: its surroundings carried on."""
    x, y, w, h = stage.extent
    mask = np.zeros(stage.now.shape[:2], np.uint8)
    around = np.round(stage.corners(x - 0.3, y - 0.3, w + 0.6, h + 0.6)).astype(np.int32)
    cv2.fillConvexPoly(mask, around, 255)
    small = cv2.resize(stage.now, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    holes = cv2.resize(mask, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_NEAREST)
    filled = cv2.resize(cv2.inpaint(small, holes, 3, cv2.INPAINT_TELEA), stage.size_wh)
    empty = noisy(np.asarray(filled, np.uint8), 7)
    return np.asarray(np.where(mask[..., None] > 0, empty, stage.now), np.uint8)


def blob(stage: Stage, middle: Share, axes: Share, colour: Colour) -> Image:
    """The table with a furry or woollen thing on it; places and axes are shares of the picture."""
    width, height = stage.size_wh
    mask = np.zeros((height, width), np.uint8)
    at = (int(middle[0] * width), int(middle[1] * height))
    cv2.ellipse(mask, at, (int(axes[0] * width), int(axes[1] * height)), 20, 0, 360, 255, -1, cv2.LINE_AA)
    rng = np.random.default_rng(3)
    coarse = rng.normal(0, 14, (height // 8, width // 8, 1)).astype(np.float32)
    fine = rng.normal(0, 6, (height, width, 1))
    fur = np.array(colour) + cv2.resize(coarse, (width, height))[..., None] + fine
    share = cv2.GaussianBlur(mask, (0, 0), 3)[..., None] / 255.0
    return np.asarray(np.clip(stage.now * (1 - share) + fur * share, 0, 255), np.uint8)


def warped(image: Image, angle: float = 0.0, by: tuple[float, float] = (0, 0), scale: float = 1.0) -> Image:
    """The picture of a camera that was turned by ``angle`` degrees and moved (shares of the picture)."""
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, scale)
    turn[:, 2] += by[0] * width, by[1] * height
    return np.asarray(cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)


def lit(image: Image, gain: float) -> Image:
    """The table in another light."""
    return np.asarray(np.clip(image * gain, 0, 255), np.uint8)


def shifted(stage: Stage, row: int, by: float) -> Image:
    """The table with the tiles of a row pushed along by ``by`` tile sides."""
    xs = [x for x, y in stage.cells if y == row]
    first, number = min(xs), max(xs) - min(xs) + 1
    width, height = stage.size_wh
    moved = cv2.getPerspectiveTransform(
        stage.corners(first, row, number, 1), stage.corners(first + by, row, number, 1)
    )
    pushed = cv2.warpPerspective(stage.now, moved, (width, height))
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(stage.corners(first + by, row, number, 1)).astype(np.int32), 255)
    left = bare(stage)
    hole = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(hole, np.round(stage.corners(first, row, number, 1)).astype(np.int32), 255)
    out = np.where(hole[..., None] > 0, left, stage.now)
    return np.asarray(np.where(mask[..., None] > 0, pushed, out), np.uint8)


def fitted(image: Image, size_wh: tuple[int, int]) -> Image:
    """A picture of any size scaled to another one."""
    return np.asarray(cv2.resize(image, size_wh, interpolation=cv2.INTER_AREA), np.uint8)


Disturbance = Callable[[Stage], Pictures]


def tidied_up(stage: Stage) -> Pictures:
    """The board is taken up tile by tile, the last one first, and then laid out again."""
    fewer = [picture for rest in stage.rests[-2::-1] for picture in still(rest, 2)]
    return [*fewer, *still(bare(stage), 3)]


def swept(stage: Stage) -> Pictures:
    """The whole board is taken away at once."""
    return still(bare(stage))


def cat(stage: Stage) -> Pictures:
    """A cat lies on the board for ten seconds, over a third of the picture."""
    return still(blob(stage, (0.5, 0.5), (0.38, 0.28), FUR), LONG_LOOKS)


def coat(stage: Stage) -> Pictures:
    """A coat is thrown over one side of the board."""
    return still(blob(stage, (0.25, 0.5), (0.28, 0.5), (120, 60, 40)))


def laid_on(cells: int, colour: Colour, mark: int = 0) -> Disturbance:
    """A flat thing is laid on the last ``cells`` tiles, one after the other."""

    def pictures(stage: Stage) -> Pictures:
        image = stage.now
        for x, y in stage.cells[-cells:]:
            image = painted(image, stage.corners(x + 0.02, y - 0.05, 0.96, 1.1), colour, mark)
        return still(image)

    return pictures


def on_first(colour: Colour, mark: int = 0) -> Disturbance:
    """A flat thing is laid on one tile in the midst of the game."""

    def pictures(stage: Stage) -> Pictures:
        x, y = stage.cells[len(stage.cells) // 2]
        return still(painted(stage.now, stage.corners(x + 0.02, y - 0.05, 0.96, 1.1), colour, mark))

    return pictures


def on_half(colour: Colour, mark: int = 0) -> Disturbance:
    """A flat thing is laid on half of the board."""

    def pictures(stage: Stage) -> Pictures:
        x, y, w, h = stage.extent
        half = stage.corners(x - 0.1, y - 0.1, w / 2 + 0.1, h + 0.2)
        return still(painted(stage.now, half, colour, mark))

    return pictures


def hands(stage: Stage) -> Pictures:
    """Two hands come over the board, rest there, and go."""
    width, height = stage.size_wh
    pictures: Pictures = []
    for reach in (0.2, 0.4, *[0.6] * 4, 0.3):
        image = stage.now.copy()
        for x in (0.42, 0.6):
            start, end = (int(x * width), height), (int((x + 0.05) * width), int((1 - reach) * height))
            cv2.line(image, start, end, SKIN, int(0.07 * width), cv2.LINE_AA)
        pictures.append(noisy(image, len(pictures)))
    return pictures


def another_table(stage: Stage) -> Pictures:
    """The camera shows another table with another game."""
    return still(fitted(stage.other, stage.size_wh))


def two_boards(stage: Stage) -> Pictures:
    """Another board comes into the picture beside the game's."""
    width, height = stage.size_wh
    half = width // 2, height // 2
    image = np.hstack([fitted(stage.now, half), fitted(stage.other, half)])
    below, right = height - image.shape[0] - height // 4, width - image.shape[1]
    framed = cv2.copyMakeBorder(image, height // 4, below, 0, right, cv2.BORDER_REPLICATE)
    return still(np.asarray(framed, np.uint8))


def turned(angle: float) -> Disturbance:
    """The camera is turned."""
    return lambda stage: still(warped(stage.now, angle, scale=0.8))


def moved(stage: Stage) -> Pictures:
    """The camera is pushed, comes nearer, and is put back."""
    return [*still(warped(stage.now, 4, (0.12, 0.08)), 3), *still(warped(stage.now, -3, (-0.1, 0), 1.15), 3)]


def popup(stage: Stage) -> Pictures:
    """A window pops up over the camera's picture."""
    width, height = stage.size_wh
    image = stage.now.copy()
    cv2.rectangle(image, (width // 3, height // 3), (width * 3 // 4, height * 2 // 3), WHITE, -1)
    cv2.rectangle(image, (width // 3, height // 3), (width * 3 // 4, height // 3 + 30), (160, 90, 30), -1)
    cv2.putText(image, "Battery low", (width // 3 + 20, height // 2), 0, 1.2, (30, 30, 30), 2, cv2.LINE_AA)
    return still(image)


def lights(stage: Stage) -> Pictures:
    """The light goes off, comes on dimmed, and then as it was."""
    return [picture for gain in (0.04, 0.3, 0.7) for picture in still(lit(stage.now, gain), 3)]


def mirrored(stage: Stage) -> Pictures:
    """The camera's program mirrors the picture for a while."""
    return still(np.ascontiguousarray(stage.now[:, ::-1]))


def pushed(stage: Stage) -> Pictures:
    """A player pushes the longest row by accident, and puts it back."""
    rows = Counter(y for _, y in stage.cells)
    row = max(rows, key=lambda y: rows[y])
    return [picture for by in (0.4, 1.0) for picture in still(shifted(stage, row, by), 4)]


DISTURBANCES: dict[str, Disturbance] = {
    "tidied up": tidied_up,
    "swept": swept,
    "cat": cat,
    "coat": coat,
    "phone on the last tile": laid_on(1, GREY),
    "phone on an old tile": on_first(GREY),
    "phones on three tiles": laid_on(3, GREY),
    "phone on half the board": on_half(GREY),
    "paper on the last tile": laid_on(1, WHITE, 9),
    "paper on an old tile": on_first(WHITE, 9),
    "paper on half the board": on_half(WHITE, 14),
    "hands": hands,
    "another table": another_table,
    "two boards": two_boards,
    "camera turned by 20": turned(20),
    "camera turned by 90": turned(90),
    "camera turned by 180": turned(180),
    "camera moved": moved,
    "popup": popup,
    "lights": lights,
    "mirrored": mirrored,
    "row pushed": pushed,
}
