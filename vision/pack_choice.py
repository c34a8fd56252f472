"""Pack choice: recognises which of several packs is on the table.

The first candidate reads the picture; if it recognises the board, it is chosen. Otherwise the board is
located by outlines alone, the cells are compared with every gallery, and the pack that explains them best
reads the picture in full.
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
from vision.locate.locator import Locator, count_known_faces, locate
from vision.locate.print_likelihood import print_nats
from vision.observation import CellReading, Frame, Observation, Sight
from vision.pipeline import Pipeline
from vision.pipeline_params import PARAMS
from vision.probability import sigmoid
from vision.tiles.board_reader import count_known
from vision.tiles.face_classifier import to_readings
from vision.tiles.gallery import Gallery
from vision.tiles.matching import F32, ScoreValues, match


@dataclass(frozen=True, slots=True)
class PackCandidate:
    """A pack that may be on the table. ``open`` loads it with its gallery; None if it cannot be loaded."""

    name: str
    open: Callable[[], tuple[Pack, Gallery] | None]


@dataclass(frozen=True, slots=True, eq=False)
class PackChoice:
    """The chosen pack; None if none could be opened.
    ``scores`` maps each compared pack to the mean probability, 0..1, that a cell shows one of its faces.
    ``recognised``: the chosen pack knows at least `PipelineParams.recognised_share` of the cells."""

    pack: Pack | None
    faces: Gallery | None
    scores: Mapping[str, float]
    recognised: bool


@dataclass(frozen=True, slots=True, eq=False)
class _PackReading:
    name: str
    pack: Pack
    faces: Gallery
    observation: Observation

    @property
    def knows(self) -> float:
        """The share of cells with a known face."""
        return share_known(self.observation.cells)

    def worth(self, first: str) -> tuple[int, bool]:
        """Return a sort key for boards that no pack recognises: the number of known faces.
        The candidate named ``first`` wins ties."""
        return count_known(self.observation.cells), self.name == first


class PackChooser:
    """Reads one photograph with the candidate that recognises it, which is then in ``choice``."""

    def __init__(
        self, candidates: Iterable[PackCandidate], *, outlined: bool = False, discs: bool = False
    ) -> None:
        """``candidates`` has at least one item.
        The first is opened now and is the default; the others are only iterated if it does not recognise the
        board. If the board is ``outlined`` for sure, only packs are read that the outlined tiles resemble.
        ``discs`` is that of `Pipeline`."""
        self._outlined = outlined
        self._discs = discs
        self._others = iter(candidates)
        self._asked = [next(self._others)]
        self._opened: dict[str, tuple[Pack, Gallery] | None] = {}
        first = self._open(self._asked[0])
        self._first = Pipeline(first[1], first[0], discs=discs) if first is not None else None
        self.choice = PackChoice(None, None, {}, recognised=False)

    def observe(self, frame: Frame) -> Observation:
        """Return the observation by the candidate that recognises the board, or else knows most of its faces.
        Sets ``choice`` to it. The observation is empty, and ``choice`` has no pack, if no candidate can be
        opened or none has a trace in the picture."""
        began = perf_counter()
        first = self._asked[0].name
        opened = self._open(self._asked[0])
        seen = self._first.glance(frame) if self._first is not None else None
        if opened is not None and seen is not None:
            return self._taken(_PackReading(first, *opened, seen), {first: _explained_share(seen.cells)})
        scores = self._compared(frame.sight)
        best: _PackReading | None = None
        for read in self._reads(frame, scores):
            if read.knows >= PARAMS.recognised_share:
                best, scores[read.name] = read, _explained_share(read.observation.cells)
                break
            if not read.pack.quarters and (best is None or read.worth(first) > best.worth(first)):
                best = read
        if best is None:
            self.choice = PackChoice(None, None, scores, recognised=False)
            return Observation(frame.index, frame.t_s, None, (), {}, (), 1.0, {})
        observation = self._taken(best, scores)
        if not count_known(observation.cells):  # not this pack's board, so its outlines are not its tiles
            observation = replace(observation, unknown={})
        rest_ms = 1e3 * (perf_counter() - began) - sum(observation.timing_ms.values())
        return replace(observation, timing_ms={**observation.timing_ms, "choose": rest_ms})

    @property
    def galleries(self) -> Sequence[Gallery]:
        """The galleries of the packs of tiles that were opened so far."""
        opened = filter(None, self._opened.values())
        return [faces for pack, faces in opened if not pack.quarters]

    def _taken(self, read: _PackReading, scores: Mapping[str, float]) -> Observation:
        """Set ``choice`` to the candidate that made ``read``, with ``scores``; return its observation."""
        self.choice = PackChoice(read.pack, read.faces, scores, read.knows >= PARAMS.recognised_share)
        return read.observation

    @property
    def _candidates(self) -> Sequence[PackCandidate]:
        """All candidates; those not iterated yet are taken from the iterator."""
        self._asked.extend(self._others)
        return self._asked

    def _open(self, candidate: PackCandidate) -> tuple[Pack, Gallery] | None:
        """Load a candidate's pack and gallery, cached; None if it cannot be loaded."""
        if candidate.name not in self._opened:
            self._opened[candidate.name] = candidate.open()
        return self._opened[candidate.name]

    def _compared(self, sight: Sight) -> dict[str, float]:
        """Return, for each pack of tiles, the mean probability that a cell shows one of its faces.
        Cells are located by outlines, and compared without registration; 0 if there are none. Packs with a
        board of squares are left out."""
        descriptor = load("descriptor")
        quads = sight.once(_outlines)
        described = _cell_descriptors(sight, quads, descriptor) if len(quads) else None
        scores: dict[str, float] = {}
        for candidate in self._candidates:
            opened = self._open(candidate)
            if opened is not None and not opened[0].quarters:
                scores[candidate.name] = (
                    _mean_tile_probability(described, opened[1], descriptor) if described else 0.0
                )
        return scores

    def _reads(self, frame: Frame, scores: dict[str, float]) -> Iterator[_PackReading]:
        """Yield readings of the picture by one candidate each, likeliest first.

        They are those whose score is high enough, then the first candidate (the outlines may have been
        wrong), then packs with a board of squares, whose ``scores`` are set here, then the rest; if the board
        is outlined for sure, only the first of these. Candidates
        that cannot be opened are left out, and so are packs of tiles if no printed tile is outlined and the
        picture shows no known face of theirs.
        """
        outlines = frame.sight.once(_outlines)
        printed = len(outlines) > 0 and print_nats(frame.sight, outlines) > 0
        order = sorted(scores, key=lambda name: -scores[name])  # among equals the order of the candidates
        likely = [name for name in order if scores[name] >= PARAMS.recognised_share]
        named = {one.name: one for one in self._candidates}
        fixed = [name for name in named if name not in scores]
        rest = () if self._outlined else (self._asked[0].name, *fixed, *order)
        for name in dict.fromkeys((*likely, *rest)):
            opened = self._open(named[name])
            if opened is None:
                continue
            pack, faces = opened
            if not (pack.quarters or printed or count_known_faces(frame.sight, Locator.load(), faces)):
                continue
            read = _PackReading(name, pack, faces, Pipeline(faces, pack, discs=self._discs).observe(frame))
            scores.setdefault(name, _explained_share(read.observation.cells))
            yield read


def _outlines(sight: Sight) -> NDArray[np.float64]:
    """Return the quads (n, 4, 2), in pixels, of the tiles that are located by their outlines alone."""
    pose, _ = locate(sight, Locator.load())
    return np.zeros((0, 4, 2)) if pose is None else np.array(list(pose.quads.values()), np.float64)


def _cell_descriptors(sight: Sight, quads: NDArray[np.float64], descriptor: OnnxModel) -> tuple[F32, F32]:
    """Return the network's descriptors and visibilities of the cells at ``quads`` (n, 4, 2) px."""
    descriptors, visible = descriptor(sight.crops(quads, int(descriptor.meta["crop_px"])))
    return descriptors, visible


def _mean_tile_probability(described: tuple[F32, F32], faces: Gallery, descriptor: OnnxModel) -> float:
    """Return the mean probability that cells show faces of a gallery.
    ``described`` are the cells' descriptors and visibilities."""
    values = ScoreValues.of(descriptor.meta)
    seen = to_readings(match(*described, faces.references, values), faces, values)
    return float(sigmoid(seen.log_tile).mean())


def _explained_share(cells: Mapping[Cell, CellReading]) -> float:
    """Return the mean probability that cells show the gallery's faces; 0 without cells.
    It is the gallery by which they were read."""
    return float(sigmoid(np.array([cell.log_tile for cell in cells.values()])).mean()) if cells else 0.0
