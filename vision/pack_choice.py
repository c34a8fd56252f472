"""Pack choice: which of several packs lies on the table, by the faces that explain the cells best.

The first candidate is asked as if it were the only one; where it knows the board, nobody else is. Where it
does not, the board is located once more by outlines alone, every other gallery is compared with the same
cells, and whoever explains them best reads the picture in earnest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from models import OnnxModel, load
from vision.board_finder import share_known
from vision.geometry.rectify import rectify
from vision.locate.locator import Locator, locate
from vision.observation import CellReading, Frame, Image, Observation
from vision.pipeline import Pipeline
from vision.pipeline_params import PARAMS
from vision.probability import sigmoid
from vision.tiles.board_reader import known_of
from vision.tiles.face_classifier import to_readings
from vision.tiles.gallery import Gallery
from vision.tiles.matching import Floats, ScoreValues, match


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pack that may lie on the table. ``open`` loads it with its faces, None where that cannot be done."""

    name: str
    open: Callable[[], tuple[Pack, Gallery] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The pack taken; None where none could be opened. ``scores`` says of every pack that was compared how
    much of the board it explains: the mean probability, 0..1, that a cell shows one of its faces.
    ``recognised`` is whether the one taken knows enough of the board to be believed."""

    pack: Pack | None
    faces: Gallery | None
    scores: Mapping[str, float]
    recognised: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    name: str
    pack: Pack
    faces: Gallery
    observation: Observation

    @property
    def knows(self) -> float:
        return share_known(self.observation.cells)

    def worth(self, first: str) -> tuple[int, bool]:
        """Rank of a candidate where nobody knows the board: the faces known, and among equals the first
        candidate."""
        return known_of(self.observation.cells), self.name == first


class Chooser:
    """Sees one photograph with whichever candidate knows it; ``choice`` says afterwards which that was."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        """At least one candidate; the first, opened at once, is taken where nobody knows the board. Where it
        knows the board, the others are not asked for."""
        self._others = iter(candidates)
        self._asked = [next(self._others)]
        self._opened: dict[str, tuple[Pack, Gallery] | None] = {}
        first = self._open(self._asked[0])
        self._first = Pipeline(first[1], first[0]) if first is not None else None
        self.choice = Choice(None, None, {}, recognised=False)

    def observe(self, frame: Frame) -> Observation:
        """The reading of the candidate that knows the board best."""
        began = perf_counter()
        first = self._asked[0].name
        opened = self._open(self._asked[0])
        seen = self._first.glance(frame) if self._first is not None else None
        if opened is not None and seen is not None:
            return self._taken(_Read(first, *opened, seen), {first: _explained(seen.cells)})
        scores = self._compared(frame.image)
        best: _Read | None = None
        for read in self._reads(frame, scores):
            if read.knows >= PARAMS.recognised_share:
                best, scores[read.name] = read, _explained(read.observation.cells)
                break
            if best is None or read.worth(first) > best.worth(first):
                best = read
        if best is None:
            return Observation(frame.index, frame.t_s, None, (), {}, (), 1.0, {})
        observation = self._taken(best, scores)
        if not known_of(observation.cells):  # no pack's board: its outlines are no tiles of this pack
            observation = replace(observation, unknown={})
        rest_ms = 1e3 * (perf_counter() - began) - sum(observation.timing_ms.values())
        return replace(observation, timing_ms={**observation.timing_ms, "choose": rest_ms})

    def _taken(self, read: _Read, scores: Mapping[str, float]) -> Observation:
        self.choice = Choice(read.pack, read.faces, scores, read.knows >= PARAMS.recognised_share)
        return read.observation

    @property
    def _candidates(self) -> Sequence[Candidate]:
        """All of them."""
        self._asked.extend(self._others)
        return self._asked

    def _open(self, candidate: Candidate) -> tuple[Pack, Gallery] | None:
        if candidate.name not in self._opened:
            self._opened[candidate.name] = candidate.open()
        return self._opened[candidate.name]

    def _compared(self, image: Image) -> dict[str, float]:
        """Share of the board that each candidate for tiles explains, at a first look."""
        descriptor = load("descriptor")
        pose, _ = locate(image, Locator.load())
        quads = np.zeros((0, 4, 2)) if pose is None else np.array(list(pose.quads.values()), np.float64)
        described = _described(image, quads, descriptor) if len(quads) else None
        scores: dict[str, float] = {}
        for candidate in self._candidates:
            opened = self._open(candidate)
            if opened is not None and not opened[0].quarters:
                scores[candidate.name] = _alike(described, opened[1], descriptor) if described else 0.0
        return scores

    def _reads(self, frame: Frame, scores: dict[str, float]) -> Iterator[_Read]:
        """The picture as each candidate reads it: who explains the board at a first look, then the first
        candidate, for outlines alone may have led astray; then those whose boards are put together from known
        parts, which have no such look and get their scores here, and the others."""
        order = sorted(scores, key=lambda name: -scores[name])  # among equals the order of the candidates
        likely = [name for name in order if scores[name] >= PARAMS.recognised_share]
        named = {one.name: one for one in self._candidates}
        fixed = [name for name in named if name not in scores]
        for name in dict.fromkeys((*likely, self._asked[0].name, *fixed, *order)):
            opened = self._open(named[name])
            if opened is None:
                continue
            pack, faces = opened
            read = _Read(name, pack, faces, Pipeline(faces, pack).observe(frame))
            scores.setdefault(name, _explained(read.observation.cells))
            yield read


def _described(image: Image, quads: NDArray[np.float64], descriptor: OnnxModel) -> tuple[Floats, Floats]:
    """Descriptors of the cells by the network, whatever faces they are compared with."""
    descriptors, visible = descriptor(rectify(image, quads, int(descriptor.meta["crop_px"])))
    return descriptors, visible


def _alike(described: tuple[Floats, Floats], faces: Gallery, descriptor: OnnxModel) -> float:
    """The mean probability that the cells show faces of a gallery."""
    values = ScoreValues.of(descriptor.meta)
    seen = to_readings(match(*described, faces.references, values), faces, values)
    return float(sigmoid(seen.log_tile).mean())


def _explained(cells: Mapping[Cell, CellReading]) -> float:
    """The mean probability that the cells show faces of the gallery that they were read with."""
    return float(sigmoid(np.array([cell.log_tile for cell in cells.values()])).mean()) if cells else 0.0
