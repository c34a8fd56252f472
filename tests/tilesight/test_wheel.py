"""The built wheel by itself: installed where there is no clone, every command finds what it needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.pack import PACKS, pack_ids
from tilesight.sessions.samples import DEMOS, PACKAGED, sample_games

pytestmark = pytest.mark.long
TREE = Path(__file__).parents[2]
OF_THE_BUILD = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
PACKAGES = ("engine", "vision", "calibration", "models", "tilesight", "web")
Tilesight = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tree: a build leaves its folder behind."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in OF_THE_BUILD:
        shutil.copyfile(TREE / name, source / name)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (*PACKAGES, *(f"samples/{name}" for name in DEMOS)):
        shutil.copytree(TREE / folder, source / folder, ignore=left_out)
    _pip("wheel", str(source), "--no-deps", "--no-build-isolation", "--no-index", "-w", str(out))
    (built,) = out.glob("*.whl")
    return built


def _pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tilesight(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Tilesight:
    """Runs the installed command in an empty folder. Its environment borrows the dependencies of the running
    one; that these are all named is what an install with them proves (`pip install dist/*.whl`)."""
    home = tmp_path_factory.mktemp("installed")
    venv.create(home / "venv", with_pip=False)
    _pip(
        "--python", str(home / "venv" / "bin" / "python"),
        "install", "--no-deps", "--no-index", str(wheel),
    )  # fmt: skip
    (site,) = (home / "venv").glob("lib/python3*/site-packages")
    borrowed = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", "utf-8")
    empty = home / "empty"
    empty.mkdir()
    told = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [home / "venv" / "bin" / "tilesight", *arguments],
            cwd=empty, env=told | {"TILESIGHT_HOME": str(home / "kept")},
            capture_output=True, text=True, check=False, timeout=540,
        )  # fmt: skip

    asked = "import tilesight.app, engine.record; print(tilesight.app.__file__, engine.record.__file__)"
    python = home / "venv" / "bin" / "python"
    where = subprocess.run(
        [python, "-c", asked], cwd=empty, env=told, capture_output=True, text=True, check=True
    )
    assert all(Path(file).is_relative_to(site) for file in where.stdout.split())
    return run


def test_the_wheel_has_what_people_need_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    beyond = {name.split("/")[0] for name in names} - set(PACKAGES)
    assert [name.partition(".")[2] for name in beyond] == ["1.0.dist-info"], beyond
    assert not [name for name in names if name.startswith("models/train")]
    there = {
        path.relative_to(TREE).as_posix()
        for package in PACKAGES
        for path in (TREE / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and not path.is_relative_to(TREE / "models" / "train")
    }
    of_samples = {name for name in names if name.startswith(f"tilesight/{PACKAGED}/")}
    assert {name for name in names if name.split("/")[0] in PACKAGES} - of_samples == there
    assert {name.split("/")[2] for name in of_samples} == set(DEMOS)


@pytest.mark.parametrize("game", sample_games())
def test_the_demo_of_each_game_is_exact_from_its_small_pictures(tilesight: Tilesight, game: str) -> None:
    done = tilesight("demo", "--game", game, "--exit-at-end", "--json", "--host", "127.0.0.1", "--port", "0")
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["compare"]["turns_exact"] == last["compare"]["turns"] > 0
    assert last["compare"]["final_exact"] is True


def test_a_photograph_is_read(tilesight: Tilesight) -> None:
    done = tilesight("photo", str(TREE / "samples" / "house-boards" / "house-01.jpg"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tiles"]


def test_a_session_is_replayed_and_watched(tilesight: Tilesight, tmp_path: Path) -> None:
    session = _first_turns(TREE / "samples" / DEMOS[0], tmp_path / "session", frames=9)
    replayed = tilesight("replay", str(session), "--json")
    assert replayed.returncode == 0, replayed.stderr
    turns = json.loads(replayed.stdout)["turns"]
    assert turns
    watched = tilesight(
        "live", "--game", "safari", "--players", "red=Ana,blue=Bo", "--camera", str(session),
        "--pace", "fast", "--exit-at-end", "--json", "--host", "127.0.0.1", "--port", "0",
    )  # fmt: skip
    assert watched.returncode == 0, watched.stderr
    told = [json.loads(line) for line in watched.stdout.splitlines()]
    assert sum(line.get("type") == "turn" for line in told) == len(turns)


def _first_turns(folder: Path, out: Path, frames: int) -> Path:
    session: dict[str, Any] = json.loads((folder / "session.json").read_text("utf-8"))
    session["frames"] = session["frames"][:frames]
    (out / "frames").mkdir(parents=True)
    for frame in session["frames"]:
        shutil.copyfile(folder / frame["file"], out / frame["file"])
    (out / "session.json").write_text(json.dumps(session), "utf-8")
    return out


@pytest.mark.parametrize("pack", [name for name in pack_ids() if (PACKS / name / "art").is_dir()])
def test_sheets_are_printed(tilesight: Tilesight, tmp_path: Path, pack: str) -> None:
    done = tilesight("print", pack, str(tmp_path / "sheets.pdf"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] > 0
