"""Scene values: the room of a synthetic table, its picture, and its truth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from models.train.scenes.camera import Camera
from models.train.scenes.layout import Layout

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
PIECE0 = 2000  # owners from here on are pieces


@dataclass(frozen=True)
class SceneTile:
    """Truth of one tile. corners_px (4, 2): the tile's own nw, ne, se, sw on its upper face."""

    cell: tuple[int, int]
    rot: int
    face: int
    corners_px: F64
    in_frame: float
    visible: float


@dataclass(frozen=True)
class ScenePiece:
    """Truth of one piece. uv: in the cell, board frame. point_px: where it touches the board."""

    kind: str
    color: str | None
    pose: str
    cell: tuple[int, int] | None
    uv: tuple[float, float]
    point_px: tuple[float, float]
    bbox_px: tuple[float, float, float, float]
    visible: float
    corner: str | None = None
    face: int = 0
    animal: str | None = None
    feature: str | None = None


@dataclass(frozen=True)
class Scene:
    """A picture (H, W, 3) uint8 BGR and all that is true of it.

    owner: (H, W) int16, 0 table, 1 + i tile i, 2000 + j piece j, -1 a hand or a tall thing.
    """

    image: U8
    tiles: tuple[SceneTile, ...]
    pieces: tuple[ScenePiece, ...]
    owner: NDArray[np.int16]
    camera: Camera
    layout: Layout
    room: str


@dataclass(frozen=True)
class Room:
    """Room of one table, the same in all its pictures. None means: drawn at random.

    seed fixes table, lamps and piece set; camera, when given, is used as it is.
    """

    seed: int
    table: str | None = None
    camera: Camera | None = None
    clutter: float | None = None
    hands: float = 0.0
    quality: float | None = None
    elevation_range: tuple[float, float] = (30.0, 90.0)
    partly_out: float = 0.2
    tokens: NDArray[np.uint8] | None = field(default=None, compare=False)
    token_shape: str | None = None
    """quarter (of a disc, as the house deck's animal tiles), square or disc."""
    low_lamp: bool = False
    """Lit by one hard lamp beside the table."""
    exposure: float = 1.0
    """Exposure factor over the metered one."""
    huts: float | None = None
    """Share of the pieces that are huts."""
    dye: float = 1.0
    """Factor of what the pieces' coloured paint throws back; dark green and dark blue are at about 0.3."""
    grey: str | None = None
    """Colour whose pieces are grey instead, as a sixth player's are."""
    warmth: float = 0.0
    """Octaves by which the lamps' blue is weaker than their red: 0 daylight, 1.5 a tungsten bulb that the
    camera corrects in part."""
    stand_ins: float = 0.0
    """Share of the players who have lost their meeples and play with discs, glass stones or other things."""
    stout: bool = False
    """Whether meeples are thick and have rounded edges."""


def random_room(rng: np.random.Generator, **fixed: object) -> Room:
    """A room drawn at random; keyword arguments fix fields of Room."""
    room = Room(int(rng.integers(2**31)), hands=float(rng.random() < 0.18))
    return replace(room, **fixed)  # type: ignore[arg-type]
