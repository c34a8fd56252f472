"""Scene: whether a picture shows the known board as before, or something else has happened at the table.

A turn adds a tile. Tidying up, a cat, a phone laid on a tile, a turned camera and another table hide or
change tiles that were laid before. Such pictures say nothing about the game. A single tile may have been
missed; it is out of sight, and so are several that are scattered or stay hidden: the game goes on around
them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from engine.geometry import Cell, ring
from engine.tiles.board import Laid
from tilesight.inference.board_registration import fit_lattice, in_sight
from tilesight.inference.params import SCENES
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation

Face = tuple[str, int]
"""A design, and its rotation in degrees in the game's frame."""


class Change(StrEnum):
    """Kinds of difference between a picture and the known board."""

    COVERED = "covered"
    """Up to half of the board is hidden or pushed away."""
    CLEARED = "cleared"
    """Most of the board is hidden or gone."""
    ELSEWHERE = "elsewhere"
    """Other tiles are in the places of most: another table."""
    LAST_GONE = "last gone"
    """The tile of the last turn is hidden or gone; the rest of the board is in sight as before."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A difference between the picture and the known board that has lasted.

    ``cells`` are the tiles that are not shown as before, out of ``tiles`` known ones: all, if the board was
    not found. The difference has lasted for ``lasted_s`` seconds.
    """

    change: Change
    cells: tuple[Cell, ...]
    tiles: int
    lasted_s: float


@dataclass(frozen=True, slots=True)
class SceneLook:
    """A picture compared with the known board.

    ``observation`` is what of it may be evidence of turns; None if nothing is. ``lattice`` is the place of
    its cells in the game's frame; None if no known tile was found.
    """

    observation: Observation | None
    scene: Scene | None
    lattice: LatticeFrame | None


@dataclass(slots=True)
class Stopwatch:
    """Times how long something stays the same."""

    _key: object = None
    _since_s: float = 0.0

    def lasted_s(self, key: object, t_s: float) -> float:
        """Return the seconds until ``t_s`` since which ``key`` has been the same."""
        if key != self._key:
            self._key, self._since_s = key, t_s
        return t_s - self._since_s


class SceneClock(Stopwatch):
    """Reports a difference once it has lasted."""

    def lasting(
        self, t_s: float, change: Change | None, cells: Collection[Cell] = (), tiles: int = 0
    ) -> Scene | None:
        """Return the difference of a picture taken at ``t_s`` seconds if it has lasted for ``scene_s``.

        ``change`` is None without any; the other arguments are the fields of `Scene`. A board that is not
        there may look now like one kind of difference, now like another.
        """
        away = change in (Change.CLEARED, Change.ELSEWHERE)
        lasted_s = self.lasted_s("away" if away else change, t_s)
        if change is None or lasted_s < SCENES.scene_s:
            return None
        return Scene(change, tuple(sorted(cells)), tiles, lasted_s)


@dataclass(slots=True)
class SceneMemory:
    """Faces of the known tiles, by cell of the game's frame, as they were last shown plainly.

    ``beside`` are the cells beyond the known board that showed tiles then. ``refused`` are tiles on the table
    that people took back: they stay out of sight until they are gone.
    """

    faces: dict[Cell, Face] = field(default_factory=dict)
    beside: frozenset[Cell] = frozenset()
    refused: dict[Cell, Face] = field(default_factory=dict)
    _lattice: LatticeFrame | None = None
    _clock: SceneClock = field(default_factory=SceneClock)
    _still: Stopwatch = field(default_factory=Stopwatch)

    def look(self, observation: Observation, board: Mapping[Cell, Laid], last: Cell | None) -> SceneLook:
        """Compare a picture with the known ``board``; ``last`` is the cell of the last turn's tile."""
        lattice = None
        if observation.pose is not None:
            lattice = fit_lattice(observation, board, self._lattice)
        if lattice is None or observation.pose is None:
            other = sum(map(_is_plain, observation.cells.values())) > 1
            lost = Change.ELSEWHERE if other else Change.CLEARED
            scene = self._clock.lasting(observation.t_s, lost, self.faces, len(self.faces))
            return SceneLook(None, scene, None)
        read = {lattice.cell(cell): one for cell, one in observation.cells.items() if one.log_tile > 0}
        shown = {cell: _face(one, observation, lattice) for cell, one in read.items()}
        known = set(in_sight(observation, lattice, self.faces.keys() & board.keys()))
        turned = {c for c in known & read.keys() if _is_behind(read[c], observation, lattice, self.faces[c])}
        new = read.keys() - board.keys() - self.beside - self.refused.keys()
        hidden = frozenset(known - read.keys() | {cell for cell in turned if not _is_plain(read[cell])})
        changed = hidden | turned
        moved = last in hidden and [shown[cell][0] for cell in new] == [self.faces[last][0]]
        change = _change(changed, hidden, known, last, moved=moved, new=len(new))
        t_s = observation.t_s
        scene = self._clock.lasting(t_s, change, changed, len(self.faces))
        waited = self._still.lasted_s(changed, t_s) >= SCENES.covered_s
        others = changed - {last}
        if change in (Change.CLEARED, Change.ELSEWHERE) or (change == Change.LAST_GONE and not new):
            return SceneLook(None, scene, lattice)
        replaced = last in hidden and not moved and len(new) > 1
        if not waited and (_adjoin(others) or replaced):
            return SceneLook(None, scene, lattice)
        self._lattice = lattice
        self.refused = {
            cell: face
            for cell, face in self.refused.items()
            if (one := read.get(cell)) is not None
            and not (_is_plain(one) and _is_behind(one, observation, lattice, face))
        }
        if not changed:
            self.beside = frozenset(read.keys() - board.keys())
        self.faces |= {
            cell: face
            for cell, face in shown.items()
            if cell in board and (cell not in self.faces or _is_plain(read[cell]))
        }
        masked = hidden - {last} if moved else hidden
        return SceneLook(_without(observation, lattice, masked, self.refused), scene, lattice)

    def keep(self, board: Collection[Cell], refused: Mapping[Cell, Face]) -> None:
        """Forget tiles that are not on ``board``, and the present difference.

        ``refused`` is as in the class.
        """
        self.refused = dict(refused)
        self.faces = {cell: face for cell, face in self.faces.items() if cell in board}
        self._clock, self._still = SceneClock(), Stopwatch()


def _change(
    changed: frozenset[Cell],
    hidden: frozenset[Cell],
    known: Collection[Cell],
    last: Cell | None,
    *,
    moved: bool,
    new: int,
) -> Change | None:
    """Return the kind of difference; None if the picture shows the board as before, or a corrected last turn.

    ``changed`` are the tiles that are not shown as before, out of the ``known`` ones in sight; those in
    ``hidden`` show no other face. ``moved`` says whether the last turn's tile lies elsewhere; ``new`` counts
    the tiles that came.
    """
    if not changed - {last} and (moved or last not in hidden):
        return None
    if changed == {last}:
        return Change.LAST_GONE
    if 2 * len(changed) <= len(known):
        return Change.COVERED
    others = len(changed - hidden) + new
    return Change.ELSEWHERE if others > 1 and 2 * others >= len(hidden) else Change.CLEARED


def _adjoin(cells: Collection[Cell]) -> bool:
    """Whether two cells are next to each other, by a side or a corner.

    What lies on the board or moves over it hides such tiles; tiles that were missed are scattered.
    """
    return any(around in cells for cell in cells for around in ring(cell))


def _face(reading: CellReading, observation: Observation, lattice: LatticeFrame) -> Face:
    """Return the likeliest face of a reading."""
    row, turn = divmod(int(reading.log_probs.argmax()), 4)
    return observation.designs[row], lattice.rot(90 * turn)


def _is_behind(reading: CellReading, observation: Observation, lattice: LatticeFrame, face: Face) -> bool:
    """Whether a face is much less likely than the likeliest one of a reading."""
    design, rot = face
    if design not in observation.designs:
        return False
    turn = (rot // 90 + lattice.quarter_turns) % 4
    log_prob = reading.log_probs[observation.designs.index(design), turn]
    return bool(reading.log_probs.max() - log_prob > SCENES.turned_nats)


def _is_plain(reading: CellReading) -> bool:
    """Whether a reading shows one face of the gallery, plainly."""
    sure = float(np.exp(reading.log_probs.max()))
    return reading.log_tile > 0 and reading.covered <= SCENES.hand_share and sure >= SCENES.plain_face


def _without(
    observation: Observation, lattice: LatticeFrame, hidden: Collection[Cell], refused: Collection[Cell]
) -> Observation:
    """Return an observation in which ``hidden`` and ``refused`` cells of the game's frame are out of sight.

    What stands on a refused tile is out of sight with it.
    """
    if not hidden and not refused:
        return observation
    void = frozenset(map(lattice.lattice_cell, refused))
    gone = void | frozenset(map(lattice.lattice_cell, hidden))
    return replace(
        observation,
        cells={cell: reading for cell, reading in observation.cells.items() if cell not in gone},
        pieces=tuple(one for one in observation.pieces if one.cell not in void),
        hints=tuple(one for one in observation.hints if one.cell not in void),
        unknown={cell: chance for cell, chance in observation.unknown.items() if cell not in gone},
        out_of_sight=observation.out_of_sight | gone,
    )
