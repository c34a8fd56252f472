"""Labels of a table's log: named by the game, thinned, cut to the tile, and none where it is doubtful."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilesight.export.labels import Label, LabelledPicture
from tilesight.learning.gathering import crops_of, gather_table
from tilesight.learning.labels import CROPS, HomeLabel
from tilesight.photograph.keeping import Seated, kept_entries
from tilesight.photograph.reading import PhotoReading, ReadingOptions, read_photographs
from tilesight.table_log.event_store import TableStore, write_log
from vision.image.decode import decode_image
from vision.tiles.gallery import FACE_PX

PHOTO = Path(__file__).resolve().parents[3] / "samples" / "bastide-boards" / "bastide-08.jpg"


@pytest.fixture(scope="module")
def reading() -> PhotoReading:
    return read_photographs([PHOTO], ReadingOptions(pack="bastide"))


def test_a_table_gives_its_tiles_and_the_colours_of_its_pieces(reading: PhotoReading, tmp_path: Path) -> None:
    board, pack = reading.board, reading.pack
    assert pack is not None
    colors = sorted({str(one.reading.color) for one in board.pieces})
    path = tmp_path / "kept.table"
    write_log(
        path, kept_entries(board, pack, Seated({one: one for one in colors}), PHOTO.read_bytes(), over=True)
    )
    with TableStore(path, read_only=True) as store:
        gathered = gather_table(store, tmp_path / "labels" / "kept")
        assert gathered.header.entries == len(store.entries())
    assert (gathered.header.game, gathered.header.pack) == ("carcassonne", "bastide")
    tiles = [one for one in gathered.labels if one.sort == "tile"]
    assert sorted(one.name for one in tiles) == sorted(one.face.design for one in board.tiles if one.face)
    assert {one.provenance for one in tiles} == {"corrected"}  # people confirm a board that they keep
    pieces = [one for one in gathered.labels if one.sort == "piece"]
    assert {one.name for one in pieces} <= set(colors) and pieces
    assert all(one.colors and max(one.colors.values()) <= 1 for one in pieces)
    for one in tiles[:3]:  # a crop shows its tile with its own north up
        face = HomeLabel(one, gathered.folder, 0).sight().crops(np.array([one.corners]), FACE_PX)[0]
        art = pack.art(one.name)
        assert art is not None
        known = decode_image(art.read_bytes())
        small = [
            cv2.resize(each, (24, 24), interpolation=cv2.INTER_AREA).astype(float) for each in (face, known)
        ]
        fits = [np.corrcoef(np.rot90(small[0], k).ravel(), small[1].ravel())[0, 1] for k in range(4)]
        assert int(np.argmax(fits)) == 0, one.name
    files = {path.name for path in (gathered.folder / CROPS).iterdir()}
    assert files == {one.crop for one in gathered.labels}


GREY = cv2.imencode(".jpg", np.full((300, 400, 3), 127, np.uint8))[1].tobytes()
QUAD = ((100.0, 100.0), (150.0, 100.0), (150.0, 150.0), (100.0, 150.0))


def picture(number: int, *labels: Label) -> LabelledPicture:
    return LabelledPicture(f"{number:05d}.jpg", GREY, (400, 300), labels)


def tile(cell: tuple[int, int], confidence: float | None = 0.9, name: str = "BC-D") -> Label:
    return Label("tile", name, QUAD, confidence, {"cell": list(cell), "rot": 0})


def test_a_tile_is_kept_ever_more_rarely() -> None:
    pictures = [picture(n, tile((0, 0)), *([tile((1, 0))] if n >= 10 else [])) for n in range(1, 21)]
    found = [(label.place, label.picture) for label, _ in crops_of(pictures)]
    assert [n for place, n in found if place == "0_0"] == [1, 2, 4, 8, 16]
    assert [n for place, n in found if place == "1_0"] == [10, 11, 13, 17]


def test_doubtful_and_unknown_tiles_and_pieces_of_no_player_teach_nothing() -> None:
    piece = {"cell": [0, 0], "in_game": True}
    labels = (
        tile((0, 0)),
        tile((1, 0)),
        tile((1, 1), None),
        tile((2, 0), name="unknown tile"),
        Label("piece", "red meeple", QUAD, 0.9, piece, {"red": 0.8, "violet": 0.2}),
        Label("piece", "blue meeple", QUAD, 0.9, {**piece, "in_game": False}, {"blue": 1.0}),
        Label("piece", "lion token", QUAD, 0.9, piece, {}),
    )
    found = [label for label, _ in crops_of([picture(1, *labels)], frozenset({"1_0", "1_1"}))]
    assert [(one.sort, one.name, one.place) for one in found] == [
        ("tile", "BC-D", "0_0"),
        ("tile", "BC-D", "1_1"),  # people stated it
        ("piece", "red", "0_0 red meeple"),
    ]
    assert [one.under_piece for one in found] == [True, False, False]


def test_a_crop_is_never_too_small_to_be_read_nor_larger_than_needed(tmp_path: Path) -> None:
    tiny = ((3.0, 3.0), (20.0, 4.0), (20.0, 20.0), (3.0, 20.0))
    large = ((10.0, 10.0), (990.0, 10.0), (990.0, 890.0), (10.0, 890.0))
    big = cv2.imencode(".jpg", np.full((900, 1000, 3), 127, np.uint8))[1].tobytes()
    labels = (Label("tile", "BC-D", tiny, 0.9, {"cell": [0, 0], "rot": 0}),
              Label("tile", "BC-E", large, 0.9, {"cell": [1, 0], "rot": 0}))  # fmt: skip
    crops = list(crops_of([LabelledPicture("00001.jpg", big, (1000, 900), labels)]))
    shapes = [decode_image(jpeg).shape for _, jpeg in crops]
    assert min(shapes[0][:2]) >= 64 and max(shapes[1][:2]) == 320
    assert np.allclose(crops[1][0].corners[2], (990 * 0.32, 890 * 0.32), atol=1)
