"""Face classifier: computes probabilities of face and rotation for each tile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import OnnxModel
from vision.observation import BoardPose, CellReading, Sight, mean_sides_px
from vision.tiles.gallery import Gallery
from vision.tiles.matching import F32, Match, ScoreValues, match, padded
from vision.tiles.params import PARAMS

MOST_DOUBTS = 8
"""Maximum number of doubtful tiles per picture that are read again."""
MOST_COPIES = 12
"""Maximum number of tiles per picture with which unknown ones are compared, whose print these may show."""
REDRAWN = 15.0
"""Log-odds of a tile of the gallery below which it may show another drawing of its design."""
HIDDEN_LOGIT = -30.0
"""Visibility logit of a patch that a piece covers."""
TRIES = 6
"""Number of perturbed copies of a doubtful tile's quad per round."""


@dataclass(frozen=True, slots=True, eq=False)
class TileReadings:
    """Readings of n quads.

    ``log_probs`` float32 [n, designs, 4]: over design × clockwise quarter turns, given a tile; the
    probabilities sum to one. ``print_known`` [n]: probability of the likeliest face or a near-identical one,
    given a tile. ``log_tile`` [n]: log-odds of a tile of the gallery. ``hidden`` bool [n, g, g]: mask of
    occluded patches.
    """

    log_probs: F32
    print_known: F32
    log_tile: F32
    hidden: NDArray[np.bool_]


def read_tiles(
    sight: Sight,
    pose: BoardPose,
    gallery: Gallery,
    model: OnnxModel,
    most_doubts: int = MOST_DOUBTS,
) -> dict[Cell, CellReading]:
    """Read every cell of ``pose.quads``; rotations are relative to the lattice's north.
    At most ``most_doubts`` doubtful cells are read again with perturbed corners. Raises ValueError if the
    gallery was built with another model."""
    cells = list(pose.quads)
    quads = np.array([pose.quads[cell] for cell in cells], np.float32).reshape(-1, 4, 2)
    seen = read_quads(sight, quads, gallery, model, most_doubts)
    return {
        cell: CellReading(
            cell=cell,
            corners_px=quads[index],
            log_probs=seen.log_probs[index],
            log_tile=float(seen.log_tile[index]),
            print_known=float(seen.print_known[index]),
            covered=float(seen.hidden[index].mean()),
            hidden=seen.hidden[index],
        )
        for index, cell in enumerate(cells)
    }


def read_quads(
    sight: Sight,
    quads: NDArray[np.floating],
    gallery: Gallery,
    model: OnnxModel,
    most_doubts: int = MOST_DOUBTS,
) -> TileReadings:
    """Read tiles at ``quads`` [n, 4, 2] (image pixels, corners nw, ne, se, sw of the cell).
    At most ``most_doubts`` doubtful ones are read again with perturbed corners. Raises ValueError if the
    gallery was built with another model."""
    if len(quads) == 0:
        return _none(gallery)
    crops = sight.crops(quads, int(model.meta["crop_px"]))
    descriptors, visible = _described(crops, gallery, model)
    values = ScoreValues.of(model.meta)
    matched = match(descriptors, visible, gallery.references, values)
    seen = to_readings(matched, gallery, values)
    sureness = seen.print_known
    order = np.argsort(sureness)
    doubt = order[sureness[order] < PARAMS.believed_face][:most_doubts]
    if len(doubt) == 0:
        return seen
    better = _second_look(sight, quads[doubt], matched.rows(doubt), gallery, model, values)
    return to_readings(matched.replaced(doubt, better), gallery, values)


def read_uncovered(
    crops: NDArray[np.uint8],
    readings: Mapping[Cell, CellReading],
    covered: Mapping[Cell, NDArray[np.bool_]],
    gallery: Gallery,
    model: OnnxModel,
) -> dict[Cell, CellReading]:
    """Read partly covered cells again by their uncovered patches alone; return them by cell.
    ``covered`` are their masks of covered patches (g, g), ``crops`` show them, at the model's ``crop_px``.
    Only ``log_probs`` changes. Raises ValueError if the gallery was built with another model."""
    if not covered:
        return {}
    descriptors, visible = _described(crops, gallery, model)
    masks = np.stack(list(covered.values())).reshape(visible.shape)
    visible = np.where(masks, np.float32(HIDDEN_LOGIT), visible)
    values = ScoreValues.of(model.meta)
    seen = to_readings(match(descriptors, visible, gallery.references, values), gallery, values)
    return {
        cell: replace(readings[cell], log_probs=seen.log_probs[index]) for index, cell in enumerate(covered)
    }


def read_by_copies(
    sight: Sight, readings: Mapping[Cell, CellReading], gallery: Gallery, model: OnnxModel
) -> dict[Cell, CellReading]:
    """Return the readings of tiles that show no known face, but the print of another tile.

    An edition prints a design several times in another drawing than the gallery's. If pieces or shadows hide
    one of its tiles, a better visible one tells what it is. At most `MOST_DOUBTS` tiles are compared with
    `MOST_COPIES` others.
    """
    by_fit = sorted(readings, key=lambda cell: readings[cell].log_tile)
    asked = [cell for cell in by_fit if readings[cell].log_tile < 0.0][-MOST_DOUBTS:]
    others = [c for c in by_fit if PARAMS.beyond_doubt_nats < readings[c].log_tile < REDRAWN][:MOST_COPIES]
    if not asked or not others:
        return {}
    size = int(model.meta["crop_px"])
    crops, shown = (sight.crops([readings[c].corners_px for c in some], size) for some in (asked, others))
    turned = [np.rot90(crops, turn, axes=(1, 2)) for turn in range(4)]
    descriptors, visible = _described(np.concatenate([*turned, shown]), gallery, model)
    values, count = ScoreValues.of(model.meta), 4 * len(asked)
    found = match(descriptors[:count], visible[:count], padded(descriptors[count:]), values)
    nats = (values.tile_slope * (found.best_mean - values.tile_middle)).reshape(4, -1)
    told = {}
    for index, cell in enumerate(asked):
        turn = int(nats[:, index].argmax())
        fit = float(nats[turn, index])
        other = readings[others[int(found.total[turn * len(asked) + index].argmax())]]
        if fit > np.log(4 * len(others)):  # chance: the best of this many comparisons
            told[cell] = replace(
                readings[cell],
                log_probs=np.roll(other.log_probs, turn, axis=1),
                log_tile=min(fit, other.log_tile),
                print_known=other.print_known,
            )
    return told


def _second_look(
    sight: Sight,
    quads: NDArray[np.floating],
    first: Match,
    gallery: Gallery,
    model: OnnxModel,
    values: ScoreValues,
) -> Match:
    """Match doubtful quads again with perturbed corners, in two rounds from the best so far.
    Returns, for each quad, the best of these and of ``first``, its match so far."""
    rng = np.random.default_rng(0)  # deterministic
    best, best_quads = first, np.asarray(quads, np.float64)
    for spread in (PARAMS.second_look_sides, PARAMS.second_look_sides / 2):
        tries = np.stack([moved_quads(rng, quad, spread, TRIES) for quad in best_quads])
        crops = sight.crops(tries.reshape(-1, 4, 2), int(model.meta["crop_px"]))
        descriptors, visible = _described(crops, gallery, model)
        found = match(descriptors, visible, gallery.references, values)
        peaks = found.total.max(axis=1).reshape(len(quads), TRIES)
        winner = peaks.argmax(axis=1)
        wins = np.flatnonzero(peaks.max(axis=1) > best.total.max(axis=1))
        best = best.replaced(wins, found.rows(wins * TRIES + winner[wins]))
        best_quads[wins] = tries[wins, winner[wins]]
    return best


def moved_quads(
    rng: np.random.Generator, quad: NDArray[np.floating], spread: float, tries: int
) -> NDArray[np.float64]:
    """Return random perturbations [tries, 4, 2] of a quad, in position, scale and corners.
    ``spread`` is their standard deviation in sides, half of that for corners."""
    side = float(mean_sides_px(quad))
    centre = quad.mean(axis=0)
    scales = 1 + rng.normal(0, spread, (tries, 1, 1))
    shifts = rng.normal(0, spread * side, (tries, 1, 2))
    corners = rng.normal(0, spread * side * 0.5, (tries, 4, 2))
    return np.asarray((quad - centre) * scales + centre + shifts + corners)


def _described(crops: NDArray[np.uint8], gallery: Gallery, model: OnnxModel) -> tuple[F32, F32]:
    """Return descriptors and visibility of crops by the network.
    Raises ValueError if the gallery was built with another model."""
    if gallery.model_sha256 != model.sha256:
        raise ValueError(f"gallery of {gallery.pack_id} was built under another model")
    descriptors, visible = model(crops)
    return descriptors, visible


def _none(gallery: Gallery) -> TileReadings:
    """Return readings of no quads."""
    nothing = np.zeros((0, 1, 1), np.bool_)
    none = np.zeros(0, np.float32)
    return TileReadings(np.zeros((0, len(gallery.designs), 4), np.float32), none, none, nothing)


def to_readings(matched: Match, gallery: Gallery, values: ScoreValues) -> TileReadings:
    """Convert a match to probabilities; of a design's several faces the best counts."""
    count = len(matched.total)
    grid = round(matched.hidden.shape[1] ** 0.5)
    by_face = matched.log_odds.reshape(count, -1, 4)
    by_design = np.full((count, len(gallery.designs), 4), -np.inf, np.float32)
    for face, design in enumerate(gallery.face_design):
        np.maximum(by_design[:, design], by_face[:, face], out=by_design[:, design])
    flat = by_design.reshape(count, -1).astype(np.float64) / gallery.temperature
    flat -= flat.max(axis=1, keepdims=True)
    share = np.exp(flat)
    share /= share.sum(axis=1, keepdims=True)
    share = share * (1 - PARAMS.face_floor) + PARAMS.face_floor / share.shape[1]
    log_tile = values.tile_slope * (matched.best_mean - values.tile_middle)
    # Bare table is similar to several faces, never to only one print.
    log_tile = log_tile + PARAMS.one_face_nats * (matched.print_known > PARAMS.one_face)
    return TileReadings(
        log_probs=np.log(share).reshape(by_design.shape).astype(np.float32),
        print_known=matched.print_known,
        log_tile=log_tile.astype(np.float32),
        hidden=matched.hidden.reshape(count, grid, grid),
    )
