"""Reading of photographs of one board, with a pack that is named or recognised."""

from __future__ import annotations

import copyreg
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.fault import Fault
from engine.games import game_named, game_names
from engine.geometry import Cell
from engine.pack import Pack, load_pack, pack_ids
from engine.tiles.board import board_faults
from models import load_ahead
from tilesight.photograph.edition import few_named, hardly_named, other_edition, with_rules
from tilesight.photograph.joining import Look, joined
from tilesight.photograph.trouble import (
    Trouble,
    hidden_cells,
    shows_mirrored_faces,
    trouble_at_once,
    trouble_of,
)
from tilesight.settings import DEFAULT_PACK, SettingsError, candidates, known_camera, open_pack
from vision.board import SolvedBoard, see_board
from vision.board_finder import share_known
from vision.geometry.homography import apply_homography
from vision.geometry.lattice import cell_quad
from vision.image.camera_profile import Camera
from vision.image.decode import camera_of, read_frame
from vision.image.mapping import Observe
from vision.observation import Frame, Observation, Quad
from vision.pack_choice import PackChoice, PackChooser
from vision.pipeline import Pipeline
from vision.pipeline_params import PARAMS as PIPELINE
from vision.tiles.gallery import Gallery

STAGES = ("locate", "tiles", "pieces")
"""Stages whose time is always reported; 0 ms if they did not run."""


def read_only(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Wrap a mapping in a read-only proxy; pickle calls it to restore the mappings of a pack."""
    return MappingProxyType(mapping)


copyreg.pickle(MappingProxyType, lambda mapping: (read_only, (dict(mapping),)))


@dataclass(frozen=True)
class ReadingOptions:
    """Settings of a reading.

    They are the pack's id or folder and its gallery (both None: recognise the pack), the rule edition (None:
    the game's default), a camera profile file, and whether ``discs`` and the like are the players' meeples.
    """

    pack: str | None = None
    gallery: Path | None = None
    rules: str | None = None
    calibration: Path | None = None
    discs: bool = False

    @property
    def named(self) -> bool:
        """Whether the pack is named, so that none has to be recognised."""
        return self.pack is not None or self.gallery is not None


@dataclass(frozen=True, eq=False)
class PhotoReading:
    """Reading of the photographs of one board.

    ``board`` is in the game's frame of reference, its pixels are those of the first photograph. ``pack`` is
    None if the tiles were only located. ``choice`` is the recognition of the pack, None if it was named.
    ``other_edition`` is None unless the board is of another pack than the one named; then it is that pack's
    id, or "" if it is unknown. ``timing_ms`` are milliseconds by stage. ``trouble`` is why the board is
    empty, None if it is not, or if the reason is unknown. ``mirrored``: the photographs are mirror images,
    and were read as if they were not; the corners of tiles then run counter-clockwise in them.
    """

    looks: tuple[Look, ...]
    board: SolvedBoard
    pack: Pack | None
    choice: PackChoice | None = None
    other_edition: str | None = None
    timing_ms: Mapping[str, float] = field(default_factory=dict)
    trouble: Trouble | None = None
    mirrored: bool = False

    @property
    def observation(self) -> Observation:
        """Reading of the first photograph."""
        return self.looks[0].observation

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height of the first photograph, in pixels."""
        return self.looks[0].size_wh

    def quad(self, number: int, cell: Cell) -> Quad | None:
        """Corners (4, 2) of a cell in photograph ``number``, in its pixels; None if it shows no board."""
        look = self.looks[number]
        pose = look.observation.pose
        return None if pose is None else cell_quad(pose, look.frame.lattice_cell(cell))

    def point(self, number: int, xy: tuple[float, float]) -> tuple[float, float] | None:
        """Pixel in photograph ``number`` of a point of the game (tile sides); None if it shows no board."""
        look = self.looks[number]
        pose = look.observation.pose
        if pose is None:
            return None
        at = np.array([look.frame.lattice_point(xy)])
        x, y = apply_homography(pose.H_px_from_lattice, at)[0]
        return float(x), float(y)


def faults_of(board: SolvedBoard, pack: Pack | None) -> tuple[Fault, ...]:
    """Return the faults of a board's tiles by the rules; empty if there are none, or without a pack."""
    return board_faults(pack, board.laid(pack)) if pack is not None else ()


def read_photographs(paths: Sequence[Path], asked: ReadingOptions) -> PhotoReading:
    """Read and join photographs of one board; the pack is recognised on the first one if it is not named.

    Further photographs are ignored if the pack is unknown or the board is of another edition. Raises
    FrameError, SettingsError, PackError, GalleryError or CalibrationError for invalid input, JoinError if the
    photographs do not show the same board.
    """
    frames = [read_frame(path, index=number) for number, path in enumerate(paths)]
    cameras = [known_camera(camera_of(path), asked.calibration) for path in paths]
    began = time.perf_counter()
    if (trouble := trouble_at_once(frames[0].sight)) is not None:
        return _unread(frames[0], asked, trouble, began)
    load_ahead()
    reading, galleries = _read(frames, cameras, asked)
    if _hardly_read(reading) and shows_mirrored_faces(frames[0].image, galleries):
        mirrored, _ = _read(frames, [replace(camera, mirrored=True) for camera in cameras], asked)
        return reading if _hardly_read(mirrored) else replace(mirrored, mirrored=True)
    return reading


def _hardly_read(reading: PhotoReading) -> bool:
    """Whether hardly any tile of a board of tiles has a name."""
    fixed = reading.pack is not None and reading.pack.quarters
    return not fixed and hardly_named(reading.board, max(len(reading.board.tiles), 1))


def _read(
    frames: Sequence[Frame], cameras: Sequence[Camera], asked: ReadingOptions
) -> tuple[PhotoReading, Sequence[Gallery]]:
    """Read and join photographs of one board as `read_photographs`; return also the galleries that were
    compared."""
    began = time.perf_counter()
    choice: PackChoice | None = None
    observe: Observe
    if asked.named:
        pack, observe, galleries = _opened(asked)
        first = cameras[0].through(observe)(frames[0])
    else:
        chooser = PackChooser(candidates(), discs=asked.discs)
        first = cameras[0].through(chooser.observe)(frames[0])
        choice, galleries = chooser.choice, chooser.galleries
        pack, observe = choice.pack, Pipeline(choice.faces, choice.pack, discs=asked.discs).observe
        check_rules(pack, asked.rules)
    others = [camera.through(observe)(frame) for camera, frame in zip(cameras[1:], frames[1:], strict=True)]
    seeing = time.perf_counter()
    if pack is not None and pack.quarters:
        look = Look.alone(first, see_board(first, None).frame, frames[0])
        board = SolvedBoard((), (), look.frame)
        timing = _timing(first, seeing - began, 0.0)
        said = None
        if choice is None and share_known(first.cells) < PIPELINE.recognised_share:
            said, pack = _recognised(frames[0], cameras[0], PackChooser(candidates(), outlined=True)), None
        return PhotoReading((look,), board, pack, choice, said, timing), galleries
    board = see_board(first, pack)
    if choice is not None and not choice.recognised and not board.tiles:
        # An unknown edition: locate the tiles without naming them.
        first, pack = cameras[0].through(Pipeline(None).observe)(frames[0]), None
        board = see_board(first, None)
    looks: tuple[Look, ...] = (Look.alone(first, board.frame, frames[0]),)
    other = _of_other_edition(frames[0], cameras[0], board, pack) if choice is None else None
    if other is not None:
        board, pack = other[0], None
    elif others and pack is not None:
        rest = [
            Look.alone(one, see_board(one, pack).frame, frame)
            for one, frame in zip(others, frames[1:], strict=True)
        ]
        looks, board = joined((*looks, *rest), pack)
    foreign = other is not None and not board.tiles  # a board of squares has no tiles
    trouble = None if foreign else trouble_of(frames[0].sight, board)
    if trouble is not None:
        board, other = SolvedBoard((), (), board.frame), None
    elif pack is not None:
        board = replace(board, hidden=_hidden(frames, looks, board))
    timing = _timing(first, seeing - began, time.perf_counter() - seeing)
    said = None if other is None else other[1]
    choice = choice and replace(choice, faces=None)
    return PhotoReading(looks, board, pack, choice, said, timing, trouble), galleries


def _hidden(frames: Sequence[Frame], looks: Sequence[Look], board: SolvedBoard) -> Mapping[Cell, float]:
    """Return the cells with a probability of hidden tiles (`hidden_cells`) in all photographs of a board."""
    each = [
        hidden_cells(frame.sight, replace(board, observation=look.observation, frame=look.frame))
        for frame, look in zip(frames, looks, strict=False)
    ]
    return {cell: min(one[cell] for one in each) for cell in set(each[0]).intersection(*each)}


def _unread(frame: Frame, asked: ReadingOptions, trouble: Trouble, began_s: float) -> PhotoReading:
    """Return the reading of a photograph that is not worth reading, begun at ``began_s``: an empty board.

    Raises SettingsError, PackError or GalleryError, as a reading does.
    """
    pack = open_pack(asked.pack, asked.gallery)[0] if asked.named else None
    check_rules(pack if asked.named else load_pack(DEFAULT_PACK), asked.rules)
    nothing = Observation(frame.index, frame.t_s, None, (), {}, ())
    board = see_board(nothing, None)
    choice = None if asked.named else PackChoice(None, None, {}, recognised=False)
    timing = _timing(nothing, time.perf_counter() - began_s, 0.0)
    looks = (Look.alone(nothing, board.frame, frame),)
    return PhotoReading(looks, board, pack, choice, None, timing, trouble)


def check_rules(pack: Pack | None, rules: str | None) -> None:
    """Raise SettingsError if the pack's game has no rule edition ``rules``; None is always allowed."""
    if rules is not None and pack is not None and pack.game in game_names():
        presets = game_named(pack.game).presets
        if rules not in presets:
            known = ", ".join(presets)
            raise SettingsError(f"no rules {rules!r} for {pack.game} (known: {known})")


def _opened(asked: ReadingOptions) -> tuple[Pack | None, Observe, Sequence[Gallery]]:
    """Open what is asked for; return the pack that scores the board, the recogniser, and the gallery, if any.

    Raises SettingsError, PackError or GalleryError.
    """
    named, faces = open_pack(asked.pack, asked.gallery)
    chosen = with_rules(named) if named is not None else None
    check_rules(chosen, asked.rules)
    observe = Pipeline(faces, chosen, discs=asked.discs).observe
    return chosen, observe, [] if faces is None else [faces]


def _of_other_edition(
    frame: Frame, camera: Camera, board: SolvedBoard, pack: Pack | None
) -> tuple[SolvedBoard, str] | None:
    """Test whether the board is of another edition than ``pack``; None if it is of that edition.

    Otherwise return the board by its outlines alone, and the id of the pack that is recognised in the
    picture, "" if none is. Also None without a pack.
    """
    if pack is None:
        return None
    other = other_edition(frame, camera, board)
    if other is not None:
        return other, _recognised(frame, camera, PackChooser(candidates(), outlined=True))
    if not few_named(board):
        return None
    squares = [one for one in candidates() if one.name in pack_ids() and load_pack(one.name).quarters]
    if squares and (name := _recognised(frame, camera, PackChooser(squares))):
        return SolvedBoard((), (), board.frame), name
    return None


def _recognised(frame: Frame, camera: Camera, chooser: PackChooser) -> str:
    """Return the id of the pack that a chooser recognises in the picture, "" if none is."""
    camera.through(chooser.observe)(frame)
    choice = chooser.choice
    return choice.pack.id if choice.pack is not None and choice.recognised else ""


def _timing(observation: Observation, seeing_s: float, solving_s: float) -> dict[str, float]:
    """Return milliseconds by stage, with ``solve`` and ``total``."""
    timing = {name: observation.timing_ms.get(name, 0.0) for name in STAGES} | dict(observation.timing_ms)
    return timing | {"solve": 1e3 * solving_s, "total": 1e3 * (seeing_s + solving_s)}
