"""Label sets: crops of tiles and pieces with their names and provenance, a folder for each game.

The folder has ``labels.jsonl`` and ``crops/`` (docs/learn.md, 'What is kept').
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from vision.image.decode import read_frame
from vision.image.whole_file import folder_beside
from vision.observation import Quad, Sight

LABELS_FILE = "labels.jsonl"
CROPS = "crops"
MOST_BYTES = 64 * 2**20
"""Maximum size of a labels file in bytes."""


class LabelsError(ValueError):
    """Labels that cannot be read or written; the message is one line that names the file."""


class SetHeader(BaseModel):
    """First line of a labels file: the game that its labels are from.

    ``labels`` names the table or session, ``camera`` its camera's profile ("" if unknown). ``at_s`` is when
    the game began, in seconds since 1970; sets are ordered by it. ``entries`` is the length of the table's
    log when it was read (0 for a session): a log that has grown is gathered again.
    """

    model_config = ConfigDict(frozen=True)

    tilesight: Literal[1] = 1
    labels: str
    game: str
    pack: str
    camera: str = ""
    at_s: float = 0.0
    entries: int = 0


class CropLabel(BaseModel):
    """One labelled crop.

    ``name`` is a tile's design or a piece's colour. ``corners`` are a tile's own nw, ne, se, sw in pixels of
    the crop, or those of a piece's box. ``picture`` grows with time in a game. ``place`` is the tile's cell,
    or the cell and name of a piece: labels of one place are views of one thing. ``colors`` are the
    probabilities of a piece's colours as they were read, without this home's profile. ``under_piece`` is true
    for a tile that a piece stands on.
    """

    model_config = ConfigDict(frozen=True)

    sort: Literal["tile", "piece"]
    name: str
    crop: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+\.jpg$")]
    corners: Annotated[tuple[tuple[float, float], ...], Field(min_length=4, max_length=4)]
    picture: int
    place: str
    provenance: Literal["read", "corrected"]
    under_piece: bool = False
    colors: dict[str, Annotated[float, Field(ge=0, le=1)]] = {}


@dataclass(frozen=True, slots=True)
class HomeLabel:
    """A label with the set that it is from; ``order`` is the set's place in time."""

    label: CropLabel
    folder: Path
    order: int

    @property
    def thing(self) -> tuple[int, str]:
        """The tile or piece that the label shows, among all sets."""
        return self.order, self.label.place

    @property
    def time(self) -> tuple[int, int]:
        """The set and picture of the label; grows with time."""
        return self.order, self.label.picture

    @property
    def quad(self) -> Quad:
        """The corners, float32 (4, 2), in pixels of the crop."""
        return np.array(self.label.corners, np.float32)

    def sight(self) -> Sight:
        """Decode the crop. Raises FrameError if it cannot be read."""
        return read_frame(self.folder / CROPS / self.label.crop).sight


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of one game, in the order of its pictures."""

    folder: Path
    header: SetHeader
    labels: tuple[CropLabel, ...]


def is_label_set(folder: Path) -> bool:
    """Whether a folder is a label set."""
    return (folder / LABELS_FILE).is_file()


def read_labels(folder: Path) -> LabelSet:
    """Read a label set. Raises LabelsError, with file and line, if it is missing or invalid."""
    path = folder / LABELS_FILE
    try:
        if path.stat().st_size > MOST_BYTES:
            raise LabelsError(f"{path}: is larger than {MOST_BYTES >> 20} MB")
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise LabelsError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise LabelsError(f"{path}: is not UTF-8 text") from None
    number = 1
    try:
        header = SetHeader.model_validate_json(lines[0] if lines else "")
        labels = []
        for number, line in enumerate(lines[1:], 2):  # noqa: B007 - it names the line in errors
            labels.append(CropLabel.model_validate_json(line))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise LabelsError(f"{path}, line {number}: {where + ': ' if where else ''}{fault['msg']}") from None
    return LabelSet(folder, header, tuple(labels))


def write_labels(folder: Path, header: SetHeader, crops: Iterable[tuple[CropLabel, bytes]]) -> LabelSet:
    """Write a label set with its crops (JPEG), in place of the folder's former set.

    The set is complete or absent, also after a crash (`folder_beside`). Raises LabelsError if it cannot be
    written.
    """
    labels = []
    try:
        with folder_beside(folder, replaced=True) as beside:
            (beside / CROPS).mkdir(mode=0o700)
            for label, jpeg in crops:
                (beside / CROPS / label.crop).write_bytes(jpeg)
                labels.append(label)
            lines = [header.model_dump_json(), *(label.model_dump_json() for label in labels)]
            (beside / LABELS_FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise LabelsError(f"{folder}: cannot be written ({error.strerror})") from None
    return LabelSet(folder, header, tuple(labels))


def in_order(sets: Iterable[LabelSet]) -> list[HomeLabel]:
    """Return the labels of all sets with their sets, oldest set first."""
    dated = sorted(sets, key=lambda one: (one.header.at_s, one.folder.name))
    return [HomeLabel(label, one.folder, order) for order, one in enumerate(dated) for label in one.labels]
