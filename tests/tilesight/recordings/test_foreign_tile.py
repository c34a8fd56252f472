"""The sample session of Carcassonne with a tile of another set in it, followed from its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import read_record
from tilesight.app import app

pytestmark = pytest.mark.long

SESSION = Path(__file__).resolve().parents[3] / "samples" / "hill-town"
STRANGE, FRAMES = 8, 43
"""Turn, from 0, whose tile gets another set's art, and the pictures that are watched: two turns more."""


def relaid(image: NDArray[np.uint8], art: NDArray[np.uint8], corners_px: object) -> NDArray[np.uint8]:
    """The picture with other art of the same brightness on one tile."""
    height, width = art.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    to_px = cv2.getPerspectiveTransform(corners, np.asarray(corners_px, np.float32))
    size_wh = image.shape[1::-1]
    there = cv2.warpPerspective(np.full((height, width), 255, np.uint8), to_px, size_wh)
    laid = cv2.GaussianBlur(cv2.warpPerspective(art, to_px, size_wh, flags=cv2.INTER_AREA), (3, 3), 0)
    light = image[there > 0].mean() / max(laid[there > 0].mean(), 1)
    share = (cv2.GaussianBlur(there, (3, 3), 0) / 255.0)[..., None]
    return np.asarray(np.clip(image * (1 - share) + light * laid * share, 0, 255), np.uint8)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The first pictures of the session, with a face of Taiga on one of its tiles."""
    record = read_record(SESSION / "truth.game.jsonl")
    art = cv2.imread(str(load_pack("taiga").art_path("HG12")))
    assert art is not None
    said = json.loads((SESSION / "session.json").read_text("utf-8"))
    said["frames"] = said["frames"][:FRAMES]
    (tmp_path / "frames").mkdir()
    for seen in json.loads((SESSION / "truth.json").read_text("utf-8"))[:FRAMES]:
        image = cv2.imread(str(SESSION / seen["file"]))
        assert image is not None
        for tile in seen["tiles"]:
            if tuple(tile["cell"]) == record.turns[STRANGE].cell:
                image = relaid(np.asarray(image, np.uint8), np.asarray(art, np.uint8), tile["corners_px"])
        cv2.imwrite(str(tmp_path / seen["file"]), image)
    (tmp_path / "session.json").write_text(json.dumps(said), "utf-8")
    return tmp_path


def test_a_session_with_a_foreign_tile_is_followed_to_its_end(session: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(session), "--json"])
    replayed = json.loads(result.stdout)
    turns = list(read_record(SESSION / "truth.game.jsonl").turns)[: STRANGE + 3]
    expected: list[tuple[object, ...]] = [
        (t.player, t.tile, t.cell, t.rot, t.action and t.action.to_json()) for t in turns
    ]
    expected[STRANGE] = (turns[STRANGE].player, None, turns[STRANGE].cell, 0, None)
    told = [(t["player"], t["tile"], tuple(t["cell"]), t["rot"], t["action"]) for t in replayed["turns"]]
    assert told == expected
    [asked] = replayed["asked"]
    assert (asked["cells"], asked["options"]) == ([list(turns[STRANGE].cell)], [])
