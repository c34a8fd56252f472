"""Output of `tilesight preview`."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import cv2
import pytest

from tests.vision.framing.test_picture_check import table
from tilesight.lobby.preview import Recogniser, preview_command
from tilesight.sessions.samples import sample_folder
from vision.image.camera_profile import Camera
from vision.image.decode import decode_image, read_frame


def test_one_picture_is_a_jpeg(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), table()[0])
    preview_command(str(tmp_path), None, once=True)
    line = json.loads(capsys.readouterr().out)
    data = base64.b64decode(line["jpeg"])
    assert decode_image(data).shape[1] == 480


@pytest.mark.long
@pytest.mark.parametrize("pack", ["savanna", None])
def test_tiles_are_seen_and_their_edition_is_told(pack: str | None) -> None:
    folder = sample_folder("first-light")
    frame = read_frame(sorted(folder.glob("**/*.jpg"))[0])
    (tiles, board), fits = Recogniser(pack, Camera("")).see(frame)
    assert board and fits == "savanna" and len(tiles) >= 1
    assert all((tile.read is not None) == (pack is not None) for tile in tiles)
