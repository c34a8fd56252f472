"""Content of the deck's `pack.json`: the edition's structure with our own places, courses and regions."""

from typing import Any

import cv2
import numpy as np

from samples.artwork.geometry import Line, written_line, written_point
from samples.artwork.taiga.backs import TAIGA_BACKS
from samples.artwork.taiga.layouts import GRAIN, Layout, Mask
from samples.artwork.taiga.places import Places, settled

TILE_MM = 45
ART_LICENSE = (
    "Apache-2.0, drawn by samples.artwork; some animals and signs are from Microsoft's Fluent"
    " Emoji (flat), MIT licence, see CREDITS.md"
)
#: Keys taken over from a feature of the published pack: all but the places of its pieces.
TAKEN = ("id", "kind", "lake", "fish", "animals", "menhir", "mushrooms", "power")


def pack() -> dict[str, Any]:
    """The content of ``pack.json`` (docs/formats.md, 'Pack')."""
    tiles = [_tile(layout, places) for layout, places in settled().values()]
    return {
        "tilesight": 1,
        "id": "taiga",
        "game": "hunters-gatherers",
        "title": "Taiga, the house deck for Hunters and Gatherers",
        "tile_mm": TILE_MM,
        "art_license": ART_LICENSE,
        "backs": TAIGA_BACKS,
        "tiles": [tile for tile in tiles if "cell" not in tile],
        "start": [tile for tile in tiles if "cell" in tile],
    }


def _tile(layout: Layout, places: Places) -> dict[str, Any]:
    source = layout.tile.entry
    tile: dict[str, Any] = {key: source[key] for key in ("id", "deck", "edges")}
    tile["features"] = [_feature(layout, places, name) for name in layout.tile.features]
    if "cell" in source:
        tile["cell"] = source["cell"]
    tile["designs"] = source["designs"]
    return tile


def _feature(layout: Layout, places: Places, name: str) -> dict[str, Any]:
    source = layout.tile.features[name]
    entry = {key: source[key] for key in TAKEN if key in source}
    if name in places.spots:
        entry["spot"] = written_point(places.spots[name])
    if name in places.huts:
        entry["hut_spot"] = written_point(places.huts[name])
    if name in layout.rivers:
        entry["path"] = written_line(thinned(layout.rivers[name]))
    elif name in layout.forests or name in layout.lakes:
        entry["region"] = written_line(thinned({**layout.forests, **layout.lakes}[name], closed=True))
    else:
        entry["region"] = written_line(outline(layout.meadows[name]))
    return entry


def outline(mask: Mask) -> Line:
    """The border of a mask as a closed line; points near the tile's rim are moved onto it."""
    framed = np.pad(mask, 1)
    contours, _ = cv2.findContours(framed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    largest = max(contours, key=cv2.contourArea)
    corners = cv2.approxPolyDP(largest, 1.0, True)[:, 0, :].astype(float) - 1
    # A contour runs through the outermost pixels' centres: half a pixel is missing all round.
    return tuple((_rimmed(u), _rimmed(v)) for u, v in (corners + 0.5) / GRAIN)


def _rimmed(axis: float) -> float:
    half = 0.6 / GRAIN
    return 0.0 if axis < half else 1.0 if axis > 1 - half else axis


def thinned(line: Line, closed: bool = False) -> Line:
    """A line with fewer points, nowhere farther than 0.002 tile sides from the first."""
    points = np.array(line, np.float32).reshape(-1, 1, 2)
    return tuple((float(u), float(v)) for u, v in cv2.approxPolyDP(points, 0.002, closed)[:, 0, :])
