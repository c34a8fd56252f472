"""`live --learn`: a game's sure readings are in the gallery afterwards, which the next game finds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from models import load
from tilesight import app as command_line
from vision.tiles.gallery_file import load_gallery

SESSION = Path(__file__).parents[3] / "samples" / "staged" / "take-back"


def live(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    line = ["tilesight", "live", "--players", "red=Ana,blue=Bo", "--host", "127.0.0.1", "--port", "0"]
    monkeypatch.setattr(sys, "argv", [*line, "--exit-at-end", "--pace", "fast", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    return int(ended.value.code or 0)


@pytest.mark.long
def test_a_game_adds_what_it_is_sure_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    words = ("--game", "safari", "--camera", SESSION)
    path = tmp_path / "galleries" / "savanna.gallery"
    assert live(monkeypatch, *words) == 0
    assert not path.exists()  # nothing is learned unasked
    assert live(monkeypatch, *words, "--learn", "--keep-labels", "--new") == 0
    assert "new pictures of faces" in capsys.readouterr().err
    gallery = load_gallery(path, load("descriptor"))
    counts = dict(zip(gallery.designs, np.bincount(gallery.face_design).tolist(), strict=True))
    assert gallery.carried is not None  # the pack goes with it
    assert counts["CSS-W"] == counts["CSS-C"] == counts["CSS-E"] == 2
    assert max(counts.values()) == 2
    assert min(counts.values()) == 1
    # The faces learned are the designs they are said to be.
    for design in ("CSS-W", "CSS-C", "CSS-E"):
        own, seen = gallery.faces[gallery.face_design == gallery.designs.index(design)].astype(int)
        turned = [np.abs(own - np.rot90(seen, k)).mean() for k in range(4)]
        assert int(np.argmin(turned)) == 0
    # The table that agreed has labels to learn from as well; the first one did not agree.
    told = json.loads(CliRunner().invoke(command_line.app, ["learn", "--json"]).stdout)
    [labels] = told["gathered"]
    assert (labels["game"], labels["corrected"]) == ("safari", 0)
    assert labels["tiles"] > 5 and labels["pieces"] > 0
    assert told["files"] == []
    assert live(monkeypatch, "--game", "tricky-safari", "--camera", SESSION, "--learn") == 2
    assert "--learn" in capsys.readouterr().err
