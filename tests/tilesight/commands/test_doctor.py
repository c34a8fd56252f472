"""`tilesight doctor`: findings about a sound and a broken machine, and the exit code."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models import ModelError
from tilesight import app as command_line
from tilesight.commands import doctor

SESSION = Path(__file__).parents[3] / "samples" / "first-light"

Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ask:
    """The doctor's exit code and findings by name, in an empty home."""
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))

    def asked(*words: object) -> tuple[int, dict[str, Any]]:
        line = ["tilesight", "doctor", "--host", "127.0.0.1", "--json", *map(str, words)]
        monkeypatch.setattr(sys, "argv", line)
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        told = json.loads(capsys.readouterr().out)
        code = int(ended.value.code or 0)
        assert told["works"] == (code == 0)
        return code, {finding["name"]: finding for finding in told["checks"]}

    return asked


def test_a_machine_on_which_all_works(ask: Ask, tmp_path: Path) -> None:
    code, found = ask("--camera", SESSION)
    assert code == 0, found
    good = {"program", "models", "folders", "camera", "port", "clock", "pack savanna", "pack tricky-safari"}
    assert {name for name, finding in found.items() if finding["state"] == "good"} >= good
    assert "onnxruntime" in found["program"]["says"]
    assert found["pack hunters-gatherers-2020"]["state"] == "note"
    assert "tilesight enrol" in found["pack hunters-gatherers-2020"]["advice"]
    assert found["browser address"]["says"].startswith("http://127.0.0.1:")
    assert list((tmp_path / "home").iterdir()) == []  # nothing is left behind


def test_a_broken_model_gallery_camera_and_port_are_named(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(name: str, **_: object) -> None:
        raise ModelError(f"model {name}: wrong sha256")

    monkeypatch.setattr("models.load", broken)
    galleries = tmp_path / "home" / "galleries"
    galleries.mkdir(parents=True)
    (galleries / "savanna.gallery").write_bytes(b"no gallery")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, found = ask("--port", taken.getsockname()[1], "--camera", "nowhere.mp4")
    assert code == 1
    bad = {name for name, finding in found.items() if finding["state"] == "bad"}
    assert bad == {"models", "pack savanna", "camera", "port"}
    assert "wrong sha256" in found["models"]["says"]
    assert "nowhere.mp4" in found["camera"]["says"]


def test_a_home_that_cannot_be_written_and_a_library_that_does_not_load(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")

    def no_library() -> list[doctor.Finding]:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr(doctor, "_program", no_library)
    code, found = ask("--camera", SESSION)
    assert code == 1
    assert found["folders"]["state"] == "bad"
    assert "pip uninstall opencv-python" in found["program"]["advice"]


def test_a_line_for_each_without_json(capsys: pytest.CaptureFixture[str]) -> None:
    doctor._tell(doctor.Finding("camera", "note", "none", "plug one in"))
    doctor._tell(doctor.Finding("clock", "bad", "in the past"))
    assert capsys.readouterr().out == "note camera: none — plug one in\nBAD  clock: in the past\n"
