"""Lessons about the tiles of one pack: the look of the print, further prints, and the temperature."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.home_look import fit_look
from calibration.params import PARAMS
from calibration.temperature import fit_temperature
from models import OnnxModel
from tilesight.learning.labels import HomeLabel
from tilesight.learning.scores import Parts, Score, is_better, scored
from vision.observation import mean_sides_px
from vision.tiles.face_classifier import read_quads
from vision.tiles.gallery import FACE_PX, MOST_VIEWS, Gallery, with_look, with_views

VIEWS_FOR_LOOK = 3
"""Number of views of each tile that the look is fitted to."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One change that was tried: its name, and the scores of the held-out labels before and after it.

    ``after`` is None if the labels did not suffice to make the change.
    """

    name: str
    before: Score
    after: Score | None

    @property
    def kept(self) -> bool:
        """Whether the change is kept."""
        return self.after is not None and is_better(self.after, self.before)


@dataclass(frozen=True, slots=True, eq=False)
class TileReadings:
    """Readings of labelled crops: ``log_probs`` [n, designs, 4], each with its tile's own north up, and the
    ``covered`` shares [n] of the faces."""

    log_probs: NDArray[np.float32]
    covered: NDArray[np.float64]


class FaceLessons:
    """Learns from the labelled tiles of one pack; every change is tried on top of those that were kept."""

    def __init__(self, gallery: Gallery, parts: Parts, model: OnnxModel, step: Callable[[], None]) -> None:
        """``step`` is called after each crop that is read."""
        self.gallery = gallery
        self._parts = parts
        self._model = model
        self._step = step

    def run(self) -> Iterator[Lesson]:
        """Try each change in turn, yield its result, and keep it in ``gallery`` if it is better."""
        fit, held_out = self._parts.fit, self._parts.held_out
        before = score_of(held_out, self.gallery, self._read(self.gallery, held_out))
        seen = self._read(self.gallery, fit)
        for name, change in (
            ("colours of the print", self._with_look),
            ("further prints", self._with_prints),
            ("confidences", self._with_temperature),
        ):
            candidate = change(seen)
            if candidate is None:
                yield Lesson(name, before, None)
                continue
            lesson = Lesson(name, before, score_of(held_out, candidate, self._read(candidate, held_out)))
            if lesson.kept and lesson.after is not None:
                self.gallery, before = candidate, lesson.after
                seen = self._read(candidate, fit)
            yield lesson

    def _read(self, gallery: Gallery, labels: Sequence[HomeLabel]) -> TileReadings:
        return read_crops(labels, gallery, self._model, self._step)

    def _with_look(self, _: TileReadings) -> Gallery | None:
        """Return the gallery with the look of the newest views of each tile."""
        pairs = []
        for views in _by_thing(self._parts.fit).values():
            for label in views[-VIEWS_FOR_LOOK:]:
                scan = self.gallery.firsts[self.gallery.designs.index(label.label.name)]
                pairs.append((scan, _face(label)))
        look = fit_look(pairs)
        return None if look is None else with_look(self.gallery, look, self._model)

    def _with_prints(self, seen: TileReadings) -> Gallery | None:
        """Return the gallery with the largest uncovered view of each tile, corrected ones preferred."""
        usable = [
            label
            for label, covered, row in zip(self._parts.fit, seen.covered, seen.log_probs, strict=True)
            if self._is_print(label, row, covered)
        ]
        best = [max(views, key=_side_px) for views in _by_thing(usable).values()]
        best.sort(key=lambda one: (one.label.provenance == "corrected", _side_px(one)), reverse=True)
        views: list[tuple[str, NDArray[np.uint8]]] = []
        for label in best:
            name, face = label.label.name, _face(label)
            if sum(design == name for design, _ in views) < MOST_VIEWS - 1 and not self._has(name, face):
                views.append((name, face))
        return with_views(self.gallery, self.gallery.pack_id, views, self._model) if views else None

    def _is_print(self, label: HomeLabel, row: NDArray[np.float32], covered: float) -> bool:
        """Whether a view is large and bare enough for a print, and its name stated or read for sure.

        A stated name may be of another drawing, which no face of the gallery explains: then ``covered``, the
        share that the likeliest face does not explain, says nothing.
        """
        if label.label.under_piece or _side_px(label) < PARAMS.learned_side_px:
            return False
        if label.label.provenance == "corrected":
            return True
        named = float(np.exp(row[self.gallery.designs.index(label.label.name)]).sum())
        return covered <= PARAMS.learned_hidden and named >= PARAMS.learned_face

    def _has(self, design: str, face: NDArray[np.uint8]) -> bool:
        """Whether the gallery has exactly this picture already."""
        known = self.gallery.faces[self.gallery.face_design == self.gallery.designs.index(design)]
        return any(np.array_equal(one, face) for one in known)

    def _with_temperature(self, seen: TileReadings) -> Gallery | None:
        """Return the gallery with the temperature that fits the readings."""
        fit = self._parts.fit
        truth = [self.gallery.designs.index(label.label.name) for label in fit]
        relative = fit_temperature(seen.log_probs, truth, [label.thing for label in fit])
        return replace(
            self.gallery, temperature=float(np.clip(self.gallery.temperature * relative, 0.5, 4.0))
        )


def read_crops(
    labels: Sequence[HomeLabel], gallery: Gallery, model: OnnxModel, step: Callable[[], None]
) -> TileReadings:
    """Read labelled tiles with a gallery. Raises FrameError if a crop cannot be decoded."""
    rows = np.zeros((len(labels), len(gallery.designs), 4), np.float32)
    covered = np.zeros(len(labels))
    for index, label in enumerate(labels):
        seen = read_quads(label.sight(), label.quad[None], gallery, model)
        rows[index], covered[index] = seen.log_probs[0], seen.hidden[0].mean()
        step()
    return TileReadings(rows, covered)


def score_of(labels: Sequence[HomeLabel], gallery: Gallery, seen: TileReadings) -> Score:
    """Score readings by the names of the tiles; rotations are pooled."""
    probs = np.exp(seen.log_probs.astype(np.float64)).sum(axis=2)
    return scored(labels, probs, [gallery.designs.index(label.label.name) for label in labels])


def _by_thing(labels: Sequence[HomeLabel]) -> dict[tuple[int, str], list[HomeLabel]]:
    found: dict[tuple[int, str], list[HomeLabel]] = {}
    for label in labels:
        found.setdefault(label.thing, []).append(label)
    return found


def _face(label: HomeLabel) -> NDArray[np.uint8]:
    """Return the tile of a label, rectified, uint8 (FACE_PX, FACE_PX, 3), own north up."""
    return np.asarray(label.sight().crops(label.quad[None], FACE_PX)[0], np.uint8)


def _side_px(label: HomeLabel) -> float:
    return float(mean_sides_px(label.quad))
