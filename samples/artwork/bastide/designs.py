"""Content of the deck's `pack.json`: the structure of `carcassonne`, our own places and regions."""

from typing import Any

import cv2
import numpy as np

from samples.artwork.bastide.backs import BASTIDE_BACKS
from samples.artwork.bastide.places import spots
from samples.artwork.bastide.plans import MONASTERY_HALF, Plan, all_plans, source
from samples.artwork.geometry import Point, written_line, written_point
from samples.artwork.taiga.designs import outline, thinned
from samples.artwork.taiga.layouts import Mask

TILE_MM = 45
ART_LICENSE = "Apache-2.0, drawn by samples.artwork"


def pack() -> dict[str, Any]:
    """The content of ``pack.json`` (docs/formats.md, 'Pack')."""
    return {
        "tilesight": 1,
        "id": "bastide",
        "game": "carcassonne",
        "title": "Bastide, the house deck for Carcassonne and The River",
        "tile_mm": TILE_MM,
        "art_license": ART_LICENSE,
        "backs": BASTIDE_BACKS,
        "start": source()["start"],
        "tiles": [_tile(plan) for plan in all_plans()],
    }


def _tile(plan: Plan) -> dict[str, Any]:
    tile = {key: value for key, value in plan.entry.items() if key not in ("features", "designs")}
    placed = spots(plan)
    tile["features"] = [_feature(plan, placed, name) for name in plan.features]
    tile["designs"] = plan.entry["designs"]
    return tile


def _feature(plan: Plan, placed: dict[str, Point], name: str) -> dict[str, Any]:
    entry = {key: value for key, value in plan.features[name].items() if key != "spot"}
    if name in placed:
        entry["spot"] = written_point(placed[name])
    if name in plan.roads or name in plan.rivers:
        entry["path"] = written_line(thinned({**plan.roads, **plan.rivers}[name]))
    elif name in plan.cities:
        entry["region"] = written_line(thinned(plan.cities[name].region, closed=True))
    elif name in plan.fields:
        entry["region"] = written_line(outline(slit(plan.fields[name])))
    elif plan.monastery is not None:
        (u, v), half = plan.monastery, MONASTERY_HALF
        entry["region"] = written_line(
            ((u - half, v - half), (u + half, v - half), (u + half, v + half), (u - half, v + half))
        )
    return entry


def slit(mask: Mask) -> Mask:
    """A mask whose holes are joined to the nearest side of the tile by a cut of one pixel, so that one line
    goes round it."""
    out, side = mask.copy(), mask.shape[0]
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(255 - mask, connectivity=8)
    for label in range(1, count):
        left, top, width, height = (int(value) for value in boxes[label][:4])
        away = {"w": left, "n": top, "e": side - left - width, "s": side - top - height}
        if min(away.values()) == 0:
            continue
        row, column = (int(np.flatnonzero((labels == label).any(axis=axis)).mean()) for axis in (1, 0))
        edge = min(away, key=lambda one: away[one])
        if edge in "we":
            out[row, slice(0, left) if edge == "w" else slice(left + width, side)] = 0
        else:
            out[slice(0, top) if edge == "n" else slice(top + height, side), column] = 0
    return out
