"""Gathering: labels of a game, cut out of the pictures of its log, or of a session with its true record."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from engine.game import OpenGame
from engine.games import game_named, tile_game_named
from engine.record import read_record
from engine.tiles.turn import Turn
from tilesight.export.labels import Label, LabelledPicture
from tilesight.export.photographs import UNKNOWN, encoded
from tilesight.export.pictures import KeptGame, kept_game, labels_in, read_log
from tilesight.export.replayed import write_log_of
from tilesight.learning.labels import CropLabel, LabelsError, LabelSet, SetHeader, write_labels
from tilesight.recordings.command import read_any_session
from tilesight.sessions.session import REFERENCE_FILE, Session
from tilesight.settings import known_camera, open_pack, session_camera
from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import SUFFIX, TableStore
from vision.image.camera_profile import Camera
from vision.image.decode import decode_image
from vision.image.decoder import SMALLEST_SIDE_PX
from vision.observation import Image, size_of
from vision.pieces.detector import COLORS
from vision.pipeline import Pipeline

MARGIN_SIDES = 0.15
"""Margin around a tile or piece in its crop, in sides of its box; readings vary the corners by less."""
MOST_PX = 320
"""Maximum longer side of a crop in pixels; a gallery's face has 256."""


def gather_table(store: TableStore, folder: Path, gallery: Path | None = None) -> LabelSet:
    """Gather the labels of a table's log into ``folder``.

    Turns that the program still doubts and no one confirmed give no labels. Raises StoreError, SettingsError,
    GalleryError or LabelsError.
    """
    game, entries = kept_game(store, gallery), store.entries()
    opened = next(entry for entry in entries if entry.kind == EntryKind.OPENED)
    camera = str(opened.data.get("camera", ""))
    header = SetHeader(
        labels=store.path.stem,
        game=str(game.ledger.header["game"]),
        pack=str(game.ledger.header["pack"]),
        camera=camera,
        at_s=opened.at_s,
        entries=len(entries),
    )
    uncorrected = replace(known_camera(camera or None), colors=None)
    pictures = read_log(store, game, gallery, uncorrected)
    tiles = not isinstance(game_named(header.game), OpenGame)
    return write_labels(folder, header, crops_of(pictures, _doubtful(game), tiles=tiles))


def gather_session(session_folder: Path, folder: Path, gallery: Path | None = None) -> LabelSet:
    """Gather the labels of a session into ``folder``.

    A session of a tile game needs its true record, and all its labels count as stated by people. One of a
    board of squares is watched first, as `replay` does it, and gives labels of pieces. Raises SessionError,
    RecordError, SettingsError, or LabelsError if a record is needed and missing.
    """
    session = read_any_session(session_folder)
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", session_folder.resolve().name)
    camera = replace(session_camera(session_folder), colors=None)
    opening = session.header
    header = SetHeader(labels=name, game=opening.game, pack=opening.pack, camera=camera.name)
    if isinstance(session, Session):
        return write_labels(folder, header, crops_of(_pictures_of(session, camera, gallery)))
    with (
        tempfile.TemporaryDirectory(prefix="tilesight-") as scratch,
        TableStore(Path(scratch) / f"session{SUFFIX}") as store,
    ):
        write_log_of(session_folder, store, gallery)
        game = kept_game(store, gallery)
        pictures = read_log(store, game, gallery, camera)
        return write_labels(folder, header, crops_of(pictures, tiles=False))


def _pictures_of(session: Session, camera: Camera, gallery: Path | None) -> Iterator[LabelledPicture]:
    """Yield the pictures of a session of a tile game with the labels of its true record."""
    if session.reference is None:
        raise LabelsError(f"{session.folder}: has no {REFERENCE_FILE}, which says what its pictures show")
    lines = read_record(session.reference).lines
    pack, faces = open_pack(session.header.pack if gallery is None else None, gallery, session.header.game)
    if pack is None:
        raise LabelsError(f"{session.folder}: its tiles have no faces")
    turns = tuple(line.event for line in lines if isinstance(line.event, Turn))
    frames = [line.frame for line in lines if isinstance(line.event, Turn)]
    positions = [tile_game_named(session.header.game).start(session.header, pack)]
    for turn in turns:
        positions.append(positions[-1].apply(turn).state)
    game = KeptGame(GameLedger(turns=turns), positions, frozenset(range(len(turns) + 1)), ())
    observe = camera.through(Pipeline(faces, pack).observe)
    for file in session.frames:
        frame = file.read()
        shown = sum(at is not None and at <= file.index for at in frames)
        labels = tuple(labels_in(observe(frame), game, shown, pack))
        jpeg, size_wh = encoded(frame.image), size_of(frame.image)
        yield LabelledPicture(f"{file.index:05d}.jpg", jpeg, size_wh, labels, shown)


def crops_of(
    pictures: Iterable[LabelledPicture | None],
    doubtful: frozenset[str] = frozenset(),
    *,
    tiles: bool = True,
) -> Iterator[tuple[CropLabel, bytes]]:
    """Yield the labels of pictures with their crops (JPEG).

    A thing is kept in the 1st, 2nd, 4th, 8th, … picture that shows it: later ones hardly differ. Labels that
    were read at a ``doubtful`` place are left out, and so are pieces that the game does not have. Without
    ``tiles`` only pieces are kept: the parts of a board of squares are not read face by face.
    """
    seen: Counter[str] = Counter()
    for picture in filter(None, pictures):
        image: Image | None = None
        occupied = {_cell(label) for label in picture.labels if label.sort == "piece"}
        for index, label in enumerate(picture.labels):
            place = _place(label)
            if not _teaches(label) or (label.sort == "tile" and not tiles):
                continue
            if label.provenance == "read" and _cell(label) in doubtful:
                continue
            seen[place] += 1
            if seen[place].bit_count() != 1:
                continue
            image = decode_image(picture.jpeg) if image is None else image
            cropped, jpeg = _cropped(image, label, place, picture, index)
            under_piece = label.sort == "tile" and _cell(label) in occupied
            yield cropped.model_copy(update={"under_piece": under_piece}), jpeg


def _teaches(label: Label) -> bool:
    """Whether a label is of a known face, or of a piece of the game whose colours were read."""
    if label.sort == "tile":
        return label.name != UNKNOWN
    return bool(label.colors) and bool(label.about.get("in_game")) and _color(label) in COLORS


def _color(label: Label) -> str:
    return label.name.partition(" ")[0]


def _cell(label: Label) -> str:
    """Return the cell or square of a label."""
    at = label.about.get("square", label.about.get("cell"))
    return at if isinstance(at, str) else _name_of(at or ())


def _name_of(cell: Sequence[int]) -> str:
    return "_".join(map(str, cell))


def _place(label: Label) -> str:
    """Return what tells the tile or piece of a label from others of its game."""
    return _cell(label) if label.sort == "tile" else f"{_cell(label)} {label.name}"


def _doubtful(game: KeptGame) -> frozenset[str]:
    """Return the cells of the turns that the program doubts and no one confirmed."""
    turns = [game.ledger.turns[number - 1] for number in game.ledger.doubts if number not in game.stated]
    return frozenset(_name_of(turn.cell) for turn in turns if isinstance(turn, Turn))


def _cropped(
    image: Image, label: Label, place: str, picture: LabelledPicture, index: int
) -> tuple[CropLabel, bytes]:
    """Return a label with its part of the picture."""
    corners = np.asarray(label.corners_px, np.float64)
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = MARGIN_SIDES * (high - low)
    x0, y0 = np.maximum(np.floor(low - margin), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(high + margin), size_of(image)).astype(int)
    crop = image[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
    scale = min(1.0, MOST_PX / max(crop.shape[:2]))
    if scale < 1:
        crop = np.asarray(cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    missing_px = [max(0, SMALLEST_SIDE_PX - side) for side in crop.shape[:2]]
    crop = np.asarray(
        cv2.copyMakeBorder(crop, 0, missing_px[0], 0, missing_px[1], cv2.BORDER_REPLICATE), np.uint8
    )
    inside = (corners - (x0, y0)) * scale
    stem = picture.name.partition(".")[0]
    name = label.name if label.sort == "tile" else _color(label)
    found = CropLabel(
        sort=label.sort,
        name=name,
        crop=f"{stem}-{index:03d}.jpg",
        corners=tuple((round(float(x), 2), round(float(y), 2)) for x, y in inside),
        picture=int(stem),
        place=place,
        provenance="read" if label.provenance == "read" else "corrected",
        colors={color: round(share, 5) for color, share in label.colors.items() if share >= 1e-4},
    )
    return found, encoded(np.ascontiguousarray(crop))
